// shell.tsx - what stands around every page: the menu, the theme, the page itself.
import type {ComponentChildren, ComponentType} from 'preact';
import {useEffect, useErrorBoundary, useRef, useState} from 'preact/hooks';
import {addressOf, followLinks, useLocation, type Place} from './location';
import {PAGES, pageOf, type Page, type PageProps} from './pages';
import {planQuery} from './plan-query';
import {applyTheme, currentTheme, type Theme} from './theme';

const follow = followLinks((path) => pageOf(path) !== null);

const NEXT_THEME: Record<Theme, Theme> = {system: 'dark', dark: 'light', light: 'system'};
const THEME_NAME: Record<Theme, string> = {system: 'as the system', dark: 'dark', light: 'light'};

function ThemeButton()
{
    const [theme, setTheme] = useState(currentTheme);
    useEffect(() => applyTheme(theme), [theme]);
    return (
        <button type="button" class="quiet" onClick={() => setTheme(NEXT_THEME[theme])}
            aria-label={`Colours: ${THEME_NAME[theme]}. Switch to ${THEME_NAME[NEXT_THEME[theme]]}`}>
            <span aria-hidden="true">◐</span> {THEME_NAME[theme]}
        </button>
    );
}

/** Where a page of the menu is: with the plan that is looked at, where both are about one. */
function menuAddress(page: Page, current: Page | null, place: Place): string
{
    const along = page.ofPlan && current?.ofPlan && place.query.size > 0;
    return along ? addressOf(page.path, planQuery(place.query)) : page.path;
}

function Header({current, place}: {current: Page | null; place: Place})
{
    return (
        <header class="site">
            <a class="brand" href="/" aria-label="Regime, to the plan">
                <svg viewBox="0 0 32 32" width="22" height="22" aria-hidden="true">
                    <path d="M3 26 L14 10 H29" fill="none" stroke="currentColor" stroke-width="3"
                        stroke-linecap="round" stroke-linejoin="round" />
                    <circle cx="10" cy="21" r="3.4" fill="var(--accent)" />
                </svg>
                Regime
            </a>
            <nav aria-label="Pages">
                {PAGES.filter((page) => page.inMenu).map((page) => (
                    <a key={page.path} href={menuAddress(page, current, place)}
                        aria-current={page === current ? 'page' : undefined}>{page.title}</a>
                ))}
                <a href="/docs">API</a>
            </nav>
            <ThemeButton />
        </header>
    );
}

function Reload({what}: {what: string})
{
    return (
        <p role="alert">
            {what} <button type="button" onClick={() => location.reload()}>Load it again</button>
        </p>
    );
}

const NotLoaded = () => <Reload what="This page did not load: the service does not answer, or serves another version." />;

/** A page; what breaks in it is said, and the next address tries again. */
function Guard({place, children}: {place: Place; children: ComponentChildren})
{
    const [error, reset] = useErrorBoundary((thrown: unknown) => console.error(thrown));
    useEffect(() => {
        if (error)
            reset();
    }, [place]);
    return error ? <Reload what="This page broke, by what its address says or by a fault of its own." /> : <>{children}</>;
}

/** The page's component once it is loaded. */
function useComponent(page: Page | null): ComponentType<PageProps> | null
{
    const [loaded, setLoaded] = useState<{page: Page; component: ComponentType<PageProps>} | null>(null);
    useEffect(() => {
        let alive = true;
        const load = (component: ComponentType<PageProps>) => {
            if (page && alive)
                setLoaded({page, component});
        };
        page?.load().then((module) => load(module.default), () => load(NotLoaded));
        return () => {
            alive = false;
        };
    }, [page]);
    return loaded && loaded.page === page ? loaded.component : null;
}

export function Shell()
{
    const place = useLocation();
    const found = pageOf(place.path);
    const page = found?.page ?? null;
    const Component = useComponent(page);
    const main = useRef<HTMLElement>(null);
    const shown = useRef(page);
    const embed = place.query.get('embed') === '1';
    const chart = place.query.get('chart');
    const noChart = embed && page !== null && chart !== null && !page.charts.includes(chart);

    useEffect(() => {
        document.title = page && page.path !== '/' ? `${page.title} · Regime` : 'Regime';
        document.documentElement.classList.toggle('embed', embed);
        if (shown.current !== page)
            main.current?.focus();
        shown.current = page;
    }, [page, embed]);

    return (
        <div class="shell" onClick={follow}>
            {!embed && <a class="skip" href="#main">To the content</a>}
            {!embed && <Header current={page} place={place} />}
            <main id="main" tabIndex={-1} ref={main}>
                {noChart && <p role="alert">There is no chart “{chart}” here, but {page.charts.join(', ')}.</p>}
                {Component && found && !noChart && (
                    <Guard place={place}><Component place={place} rest={found.rest} embed={embed} /></Guard>
                )}
                {!found && <p>There is no such page. <a href="/">To the plan</a></p>}
            </main>
        </div>
    );
}
