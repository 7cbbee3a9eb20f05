// location.ts - the address is the state: a path that names a page, a query that holds its settings.
//
// A link to a page is thus a plan. Settings that change while somebody drags a slider replace the
// address; what somebody chooses by a link or a button pushes a new one.
import {useEffect, useState} from 'preact/hooks';

export interface Place {
    readonly path: string;
    readonly query: URLSearchParams;
}

const CHANGED = 'regime:place';

function here(): Place
{
    return {path: location.pathname, query: new URLSearchParams(location.search)};
}

export function useLocation(): Place
{
    const [place, setPlace] = useState(here);
    useEffect(() => {
        const update = () => setPlace(here());
        addEventListener('popstate', update);
        addEventListener(CHANGED, update);
        return () => {
            removeEventListener('popstate', update);
            removeEventListener(CHANGED, update);
        };
    }, []);
    return place;
}

/** The query that the address holds now: what has changed since a page was drawn is in it. */
export const currentQuery = (): URLSearchParams => here().query;

/** Goes to an address of this site; `replace` keeps it out of the history. Another page begins at its top. */
export function navigate(to: string, options: {replace?: boolean} = {}): void
{
    if (options.replace) {
        history.replaceState(null, '', to);
    } else {
        const stays = new URL(to, location.href).pathname === location.pathname;
        history.pushState(null, '', to);
        if (!stays)
            scrollTo(0, 0);
    }
    dispatchEvent(new Event(CHANGED));
}

/** The address of a path with a query; names without a value are left out. */
export function addressOf(path: string, query: URLSearchParams): string
{
    const kept = new URLSearchParams([...query].filter(([, value]) => value !== ''));
    // Slashes and colons may stand in a query and read better plain.
    const text = kept.toString().replaceAll('%2F', '/').replaceAll('%3A', ':').replaceAll('%2C', ',');
    return text ? `${path}?${text}` : path;
}

/** Sets settings of the current address; an empty value takes one away. */
export function setQuery(changes: Record<string, string>, options: {replace?: boolean} = {replace: true}): void
{
    const place = here();
    for (const [name, value] of Object.entries(changes))
        place.query.set(name, value);
    navigate(addressOf(place.path, place.query), options);
}

/** Follows plain clicks on links of this site's pages without loading the page again. */
export function followLinks(isPage: (path: string) => boolean): (event: MouseEvent) => void
{
    return (event) => {
        const link = (event.target as Element | null)?.closest?.('a');
        const href = link?.getAttribute('href');
        if (!link || !href || event.defaultPrevented || event.button !== 0 || event.metaKey || event.ctrlKey ||
            event.shiftKey || event.altKey || link.target || link.hasAttribute('download'))
            return;
        const url = new URL(href, location.href);
        if (url.origin !== location.origin || !isPage(url.pathname) || href.startsWith('#'))
            return;
        event.preventDefault();
        navigate(url.pathname + url.search + url.hash);
        scrollTo(0, 0);
    };
}
