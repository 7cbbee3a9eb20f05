// isolines.ts - lines of equal value on a grid of samples (marching squares).

/** A place in the grid: 1.5 is halfway between the samples 1 and 2. */
export type GridPoint = readonly [i: number, j: number];

type At = (i: number, j: number) => number | null | undefined;

/** Where the line crosses the edge between two samples; null where it does not. */
function crossing(a: GridPoint, b: GridPoint, at: At, level: number): GridPoint | null
{
    const from = at(...a);
    const to = at(...b);
    if (typeof from !== 'number' || typeof to !== 'number' || (from < level) === (to < level))
        return null;
    const share = (level - from) / (to - from);
    return [a[0] + (b[0] - a[0]) * share, a[1] + (b[1] - a[1]) * share];
}

/** The pieces of the line within one square of samples: none, one or two. */
function pieces(i: number, j: number, at: At, level: number): [GridPoint, GridPoint][]
{
    const corners: GridPoint[] = [[i, j], [i + 1, j], [i + 1, j + 1], [i, j + 1]];
    if (corners.some((corner) => typeof at(...corner) !== 'number'))
        return [];
    const found = corners.map((corner, k) => crossing(corner, corners[(k + 1) % 4] as GridPoint, at, level))
        .filter((point): point is GridPoint => point !== null);
    const [a, b, c, d] = found;
    if (!a || !b)
        return [];
    return c && d ? [[a, b], [c, d]] : [[a, b]];
}

const keyOf = (point: GridPoint) => `${point[0].toFixed(6)} ${point[1].toFixed(6)}`;

/** Takes pieces that meet the end of a line off the table and returns the line's other points. */
function follow(start: GridPoint, ends: Map<string, [GridPoint, GridPoint][]>): GridPoint[]
{
    const line: GridPoint[] = [];
    for (let point = start; ;) {
        const next = ends.get(keyOf(point))?.pop();
        if (!next)
            return line;
        const other = keyOf(next[0]) === keyOf(point) ? next[1] : next[0];
        const back = ends.get(keyOf(other));
        back?.splice(back.indexOf(next), 1);
        line.push(other);
        point = other;
    }
}

/** The lines of a level, each a list of points; samples that are no number have no line beside them. */
export function isolines(width: number, height: number, at: At, level: number): GridPoint[][]
{
    const ends = new Map<string, [GridPoint, GridPoint][]>();
    const all: [GridPoint, GridPoint][] = [];
    for (let i = 0; i + 1 < width; i++)
        for (let j = 0; j + 1 < height; j++)
            all.push(...pieces(i, j, at, level));
    for (const piece of all)
        for (const point of piece)
            ends.set(keyOf(point), [...ends.get(keyOf(point)) ?? [], piece]);
    const lines: GridPoint[][] = [];
    for (const [first] of all) {
        const forward = follow(first, ends);
        const backward = follow(first, ends);
        if (forward.length + backward.length > 0)
            lines.push([...backward.reverse(), first, ...forward]);
    }
    return lines;
}

const STEPS: readonly (readonly number[])[] = [[1], [1, 2, 5], [1, 1.5, 2, 3, 4, 5, 7],
    [1, 1.1, 1.2, 1.4, 1.6, 1.8, 2, 2.2, 2.5, 3, 3.5, 4, 4.5, 5, 6, 7, 8, 9]];

/** Round values within a range, at least `least` of them where steps that small exist. */
export function levels(low: number, high: number, least: number): number[]
{
    let found: number[] = [];
    if (!(low > 0) || !(high > low))
        return found;
    for (const steps of STEPS) {
        found = [];
        for (let decade = Math.floor(Math.log10(low)); decade <= Math.log10(high); decade++)
            found.push(...steps.map((step) => Number((step * 10 ** decade).toPrecision(3))));
        found = found.filter((level) => level > low && level < high);
        if (found.length >= least)
            break;
    }
    return found;
}
