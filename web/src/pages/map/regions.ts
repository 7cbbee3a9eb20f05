// regions.ts - cells of one sort that hang together: where they are, and where their name fits.
import type {AxisScale} from '../../charts/axis_scale';
import type {Sort} from './colouring';

export interface Region {
    readonly sort: Sort;
    /** Indices of its cells: i * height + j. */
    readonly cells: readonly number[];
}

/** The connected regions of a grid, largest first. */
export function regionsOf(sorts: readonly Sort[], height: number): Region[]
{
    const seen = new Uint8Array(sorts.length);
    const regions: Region[] = [];
    for (let start = 0; start < sorts.length; start++) {
        const sort = sorts[start];
        if (!sort || seen[start])
            continue;
        const cells = [start];
        seen[start] = 1;
        for (let at = 0; at < cells.length; at++) {
            const cell = cells[at] as number;
            const j = cell % height;
            for (const next of [cell - height, cell + height, j > 0 ? cell - 1 : -1, j + 1 < height ? cell + 1 : -1])
                if (sorts[next]?.id === sort.id && !seen[next]) {
                    seen[next] = 1;
                    cells.push(next);
                }
        }
        regions.push({sort, cells});
    }
    return regions.sort((a, b) => b.cells.length - a.cells.length);
}

export interface Box {
    readonly x: number;
    readonly y: number;
    readonly width: number;
    readonly height: number;
}

export const overlap = (a: Box, b: Box): boolean =>
    Math.abs(a.x - b.x) * 2 < a.width + b.width && Math.abs(a.y - b.y) * 2 < a.height + b.height;

/**
 * The middle of a place in a region where a text of that size fits: of the runs of cells along the
 * first axis that are wide enough, the one with most room above and below. Null where there is none.
 */
export function placeFor(region: Region, x: AxisScale, y: AxisScale, width: number, height: number): Box | null
{
    const rows = y.edges.length - 1;
    const inside = new Set(region.cells);
    const edge = (scale: AxisScale, i: number) => scale.edges[i] ?? 0;
    const room = (i: number, j: number) => {
        let low = j, high = j;
        while (low > 0 && inside.has(i * rows + low - 1))
            low--;
        while (high + 1 < rows && inside.has(i * rows + high + 1))
            high++;
        const middle = (edge(y, j) + edge(y, j + 1)) / 2;
        return Math.min(middle - edge(y, low), edge(y, high + 1) - middle);
    };
    let best: {box: Box; room: number} | null = null;
    for (let j = 0; j < rows; j++)
        for (let i = 0; i < x.edges.length - 1; i++) {
            const begin = i;
            while (inside.has(i * rows + j))
                i++;
            const length = edge(x, i) - edge(x, begin);
            if (i === begin || length < width + 8)
                continue;
            const centre = (edge(x, i) + edge(x, begin)) / 2;
            const first = x.cellOf(centre - width / 2), last = x.cellOf(centre + width / 2);
            const around = Math.min(room(first, j), room(x.cellOf(centre), j), room(last, j), length - width);
            if (around >= height / 2 && (!best || around > best.room))
                best = {room: around, box: {x: centre, y: (edge(y, j) + edge(y, j + 1)) / 2, width, height}};
        }
    return best?.box ?? null;
}

/** The outline of cells as one path, runs along the second axis taken together. */
export function cellsPath(wanted: (cell: number) => boolean, x: AxisScale, y: AxisScale): string
{
    const rows = y.edges.length - 1;
    const round = (value: number | undefined) => (value ?? 0).toFixed(1);
    let path = '';
    for (let i = 0; i < x.edges.length - 1; i++)
        for (let j = 0; j < rows; j++) {
            const begin = j;
            while (j < rows && wanted(i * rows + j))
                j++;
            if (j > begin)
                path += `M${round(x.edges[i])} ${round(y.edges[begin])}H${round(x.edges[i + 1])}` +
                    `V${round(y.edges[j])}H${round(x.edges[i])}Z`;
        }
    return path;
}

/** The lines between neighbours that differ, as one path. */
export function bordersPath(differ: (a: number, b: number) => boolean, x: AxisScale, y: AxisScale): string
{
    const rows = y.edges.length - 1;
    const round = (value: number | undefined) => (value ?? 0).toFixed(1);
    let path = '';
    for (let i = 0; i < x.edges.length - 1; i++)
        for (let j = 0; j < rows; j++) {
            const cell = i * rows + j;
            if (i + 2 < x.edges.length && differ(cell, cell + rows))
                path += `M${round(x.edges[i + 1])} ${round(y.edges[j])}V${round(y.edges[j + 1])}`;
            if (j + 1 < rows && differ(cell, cell + 1))
                path += `M${round(x.edges[i])} ${round(y.edges[j + 1])}H${round(x.edges[i + 1])}`;
        }
    return path;
}
