// axis_scale.ts - a side of a grid on paper: the cells' edges, places of values, and round ticks.

export interface AxisScale {
    /** Where a value stands, in pixels from the axis' start. */
    readonly place: (value: number) => number;
    /** Where a fractional index of the values stands. */
    readonly placeOfIndex: (index: number) => number;
    /** The edges of the cells, one more than there are values. */
    readonly edges: readonly number[];
    /** The cell at a place; clamped to the first and the last. */
    readonly cellOf: (pixels: number) => number;
    readonly ticks: readonly number[];
    readonly length: number;
}

/** Powers of two, or 1-2-5 steps, about `most` of them. */
function logTicks(low: number, high: number, most: number, whole: boolean): number[]
{
    if (whole) {
        const first = Math.ceil(Math.log2(low) - 1e-9);
        const last = Math.floor(Math.log2(high) + 1e-9);
        const step = Math.max(1, Math.ceil((last - first + 1) / most));
        return Array.from({length: Math.floor((last - first) / step) + 1}, (_, i) => 2 ** (first + i * step));
    }
    const decades = Math.log10(high / low);
    const steps = decades * 3 <= most ? [1, 2, 5] : [1];
    const ticks: number[] = [];
    for (let decade = Math.floor(Math.log10(low)); decade <= Math.log10(high) + 1; decade++)
        ticks.push(...steps.map((step) => Number((step * 10 ** decade).toPrecision(3))));
    return ticks.filter((tick) => tick >= low * 0.999 && tick <= high * 1.001);
}

/** Round values within a range, about `most` of them. */
export function linearTicks(low: number, high: number, most: number): number[]
{
    const raw = (high - low) / Math.max(most, 1);
    const decade = 10 ** Math.floor(Math.log10(raw));
    const step = ([1, 2, 5, 10].find((one) => one * decade >= raw) ?? 10) * decade;
    const first = Math.ceil(low / step - 1e-9);
    const count = Math.floor(high / step + 1e-9) - first + 1;
    return Array.from({length: count}, (_, i) => Number(((first + i) * step).toPrecision(6)));
}

/** The scale of sorted values over a length; each cell reaches halfway to its neighbours. */
export function axisScale(values: readonly number[], logarithmic: boolean, length: number, most: number): AxisScale
{
    const warp = (value: number) => logarithmic ? Math.log(Math.max(value, 1e-12)) : value;
    const warped = values.map(warp);
    const n = warped.length;
    const at = (i: number) => warped[Math.max(0, Math.min(n - 1, i))] ?? 0;
    const half = n > 1 ? [(at(1) - at(0)) / 2, (at(n - 1) - at(n - 2)) / 2] as const : [0.5, 0.5] as const;
    const low = at(0) - half[0];
    const high = at(n - 1) + half[1];
    const toPixels = (w: number) => ((w - low) / (high - low)) * length;
    const edges = Array.from({length: n + 1}, (_, i) =>
        toPixels(i === 0 ? low : i === n ? high : (at(i - 1) + at(i)) / 2));
    const first = values[0] ?? 0;
    const last = values[n - 1] ?? 1;
    const whole = values.every(Number.isInteger);
    return {
        place: (value) => toPixels(warp(value)),
        placeOfIndex: (index) => {
            const below = Math.floor(index);
            return toPixels(at(below) + (at(below + 1) - at(below)) * (index - below));
        },
        edges,
        cellOf: (pixels) => {
            const beyond = edges.findIndex((edge, i) => i > 0 && pixels < edge);
            return beyond < 0 ? n - 1 : beyond - 1;
        },
        ticks: n < 2 ? [first] : logarithmic ? logTicks(first, last, most, whole) : linearTicks(first, last, most),
        length,
    };
}
