// crumbs.tsx - the head of a page below another: the way back, the title, links beside it.
import type {ComponentChildren} from 'preact';

interface CrumbsProps {
    /** The pages above: address and name. */
    readonly trail: readonly (readonly [string, string])[];
    readonly title: string;
    readonly children?: ComponentChildren;
}

export function Crumbs({trail, title, children}: CrumbsProps)
{
    return (
        <header class="crumbs">
            <nav aria-label="Above this page">
                {trail.map(([href, name]) => <a key={href} href={href}>{name}</a>)}
            </nav>
            <h1>{title}</h1>
            {children && <div class="crumbs-links">{children}</div>}
        </header>
    );
}
