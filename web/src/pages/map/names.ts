// names.ts - the words written into a map: what each region is, and what its borders are.
import {mark} from '../../app/figures';
import type {AxisScale} from '../../charts/axis_scale';
import {waits, type Sort} from './colouring';
import {overlap, placeFor, regionsOf, type Box} from './regions';
import type {Grid} from './sweep';

export interface Name {
    readonly key: string;
    readonly kind: 'region' | 'border' | 'crossing';
    readonly text: string;
    readonly box: Box;
}

const CHARACTER = 8.6;
const SMALL_CHARACTER = 6.6;
const REGIONS_MOST = 12;

/** A border between two regions crossed by a straight walk through the planned point. */
interface Crossing {
    readonly along: 'x' | 'y';
    /** The first value on the far side, and the last before it. */
    readonly at: number;
    readonly before: number;
    readonly from: Sort;
    readonly to: Sort;
    readonly i: number;
    readonly j: number;
}

export function crossingsOf(grid: Grid, sorts: readonly Sort[], spot: {i: number; j: number}): Crossing[]
{
    const rows = grid.ys.length;
    const found: Crossing[] = [];
    const step = (along: 'x' | 'y', k: number, i: number, j: number) => {
        const from = sorts[along === 'x' ? (i - 1) * rows + j : i * rows + j - 1], to = sorts[i * rows + j];
        const values = along === 'x' ? grid.xs : grid.ys;
        if (from && to && from.id !== to.id)
            found.push({along, at: values[k] ?? 0, before: values[k - 1] ?? 0, from, to, i, j});
    };
    for (let i = 1; i < grid.xs.length; i++)
        step('x', i, i, spot.j);
    for (let j = 1; j < rows; j++)
        step('y', j, spot.i, j);
    return found;
}

const middle = (scale: AxisScale, i: number) => ((scale.edges[i] ?? 0) + (scale.edges[i + 1] ?? 0)) / 2;

/** Where the border stands beyond which requests wait, and the arrow that points beyond it. */
function waitBorder(grid: Grid, x: AxisScale, y: AxisScale): {x: number; y: number; arrow: string} | null
{
    const rows = grid.ys.length;
    const begins = (from: number, to: number) => !waits(grid.cells[from]) && waits(grid.cells[to]);
    const across: {x: number; y: number; arrow: string}[] = [];
    const up: typeof across = [];
    for (let j = 0; j < rows; j++)
        for (let i = 0; i < grid.xs.length; i++) {
            const cell = i * rows + j;
            if (i + 1 < grid.xs.length && begins(cell, cell + rows))
                across.push({x: x.edges[i + 1] ?? 0, y: middle(y, j), arrow: '→'});
            if (j + 1 < rows && begins(cell, cell + 1))
                up.push({x: middle(x, i), y: y.edges[j + 1] ?? 0, arrow: '↑'});
        }
    const longer = across.length * x.length >= up.length * y.length ? across : up;
    return longer[Math.floor(longer.length / 2)] ?? null;
}

/** Keeps a box within the drawing. */
function within(box: Box, x: AxisScale, y: AxisScale): Box
{
    const clamp = (value: number, margin: number, length: number) => Math.max(margin, Math.min(length - margin, value));
    return {...box, x: clamp(box.x, box.width / 2 + 2, x.length), y: clamp(box.y, box.height / 2, y.length)};
}

export function namesOf(grid: Grid, sorts: readonly Sort[], point: {x: number; y: number} | null, x: AxisScale,
    y: AxisScale, height: number): Name[]
{
    const names: Name[] = [];
    const put = (name: Name) => {
        if (!names.some((other) => overlap(other.box, name.box)))
            names.push(name);
    };
    regionsOf(sorts, grid.ys.length).slice(0, REGIONS_MOST).forEach((region, k) => {
        const place = placeFor(region, x, y, region.sort.label.length * CHARACTER, height);
        if (place)
            put({key: `region ${k}`, kind: 'region', text: region.sort.label, box: {...place, y: y.length - place.y}});
    });
    const border = waitBorder(grid, x, y);
    const words = `KV pool full ${border?.arrow ?? ''}`;
    if (border)
        put({key: 'border', kind: 'border', text: words, box: within({x: border.x, y: y.length - border.y,
            width: words.length * SMALL_CHARACTER, height: 15}, x, y)});
    const spot = point && {i: x.cellOf(x.place(point.x)), j: y.cellOf(y.place(point.y))};
    for (const crossing of spot ? crossingsOf(grid, sorts, spot) : []) {
        const text = `${crossing.along === 'x' ? '→' : '↑'} ${mark(crossing.at, 'count')}`;
        const edge = (crossing.along === 'x' ? x.edges[crossing.i] : y.edges[crossing.j]) ?? 0;
        const width = text.length * SMALL_CHARACTER + 4;
        const at = crossing.along === 'x'
            ? {x: edge, y: y.length - y.place(point?.y ?? 1) - 11}
            : {x: x.place(point?.x ?? 1) + width / 2 + 4, y: y.length - edge};
        put({key: `crossing ${crossing.along} ${crossing.at}`, kind: 'crossing', text,
            box: within({...at, width, height: 14}, x, y)});
    }
    return names;
}
