// pages.ts - the table of pages. A page is a row here, a folder in pages/ and a path in the daemon's
// table of routes; each is loaded when it is first shown.
import type {ComponentType} from 'preact';
import type {Place} from './location';

export interface PageProps {
    readonly place: Place;
    /** What stands behind the page's own path, decoded: /records/models/x gives ["models", "x"]. */
    readonly rest: readonly string[];
    /** Whether the page is shown inside another one: charts alone. */
    readonly embed: boolean;
}

export interface Page {
    readonly path: string;
    readonly title: string;
    readonly inMenu: boolean;
    /** Its settings are those of a plan: the menu takes them along to another such page. */
    readonly ofPlan?: boolean;
    /** Names of its charts, each of which may stand alone in another page. */
    readonly charts: readonly string[];
    readonly load: () => Promise<{default: ComponentType<PageProps>}>;
}

export const PAGES: readonly Page[] = [
    {path: '/', title: 'Plan', inMenu: true, ofPlan: true, charts: ['step', 'roofline', 'memory', 'cures'],
        load: () => import('../pages/plan/page')},
    {path: '/map', title: 'Map', inMenu: true, ofPlan: true, charts: ['map'], load: () => import('../pages/map/page')},
    {path: '/compare', title: 'Compare', inMenu: true, charts: ['compare-decode', 'compare-prefill'],
        load: () => import('../pages/compare/page')},
    {path: '/search', title: 'Search', inMenu: true, charts: ['front'], load: () => import('../pages/search/page')},
    {path: '/profile', title: 'Profile', inMenu: true, charts: ['attribution'], load: () => import('../pages/profile/page')},
    {path: '/diagnose', title: 'Diagnose', inMenu: true, charts: [], load: () => import('../pages/diagnose/page')},
    {path: '/records', title: 'Records', inMenu: true, charts: ['backtest'], load: () => import('../pages/records/page')},
];

/** The page of a path, and what of the path stands behind the page's own. */
export function pageOf(path: string): {page: Page; rest: string[]} | null
{
    const page = PAGES.find((row) => path === row.path || (row.path !== '/' && path.startsWith(`${row.path}/`)));
    if (!page)
        return null;
    const rest = path.slice(page.path.length).split('/').filter(Boolean);
    return {page, rest: rest.map(decodeURIComponent)};
}
