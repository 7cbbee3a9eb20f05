// figures.ts - numbers as people read them: three significant digits, a unit that fits.
const MINUS = '−';

/** Three significant digits, thousands apart: 13.0, 1,234, 0.0456; whole numbers stay whole. */
export function digits(value: number, significant = 3): string
{
    if (!Number.isFinite(value))
        return '–';
    const abs = Math.abs(value);
    const short = Number(abs.toPrecision(significant));
    // A formatter with options is dear to make, and hundreds of figures stand on a page.
    const text = Number.isInteger(value) || short >= 10 ** (significant - 1) ? Math.round(abs).toLocaleString('en-US')
        : short.toFixed(Math.min(significant - 1 - Math.floor(Math.log10(short)), 12));
    return value < 0 ? MINUS + text : text;
}

function scaled(value: number, steps: readonly (readonly [number, string])[]): string
{
    const abs = Math.abs(value);
    const step = steps.find(([size]) => abs >= size * 0.9995) ?? steps[steps.length - 1]!;
    return `${digits(value / step[0])} ${step[1]}`;
}

/** A mark of an axis: no more digits than it needs. */
export const mark = (value: number, unit: Unit) => figure(value, unit).replace(/(\.\d*?)0+(?!\d)/, '$1').replace(/\.(?!\d)/, '');

/** The formatters of a unit; what is not known is a dash. */
const UNITS = {
    us: (v: number) => scaled(v, [[1e6, 's'], [1e3, 'ms'], [1, 'µs'], [1e-3, 'ns']]),
    ms: (v: number) => scaled(v, [[1e3, 's'], [1, 'ms'], [1e-3, 'µs']]),
    bytes: (v: number) => scaled(v, [[1e12, 'TB'], [1e9, 'GB'], [1e6, 'MB'], [1e3, 'kB'], [1, 'B']]),
    flops: (v: number) => scaled(v, [[1e15, 'PFLOP'], [1e12, 'TFLOP'], [1e9, 'GFLOP'], [1e6, 'MFLOP'], [1, 'FLOP']]),
    tokens: (v: number) => Math.round(v).toLocaleString('en-US'),
    // Of many that are held, a part of one is none.
    requests: (v: number) => digits(v < 10 ? v : Math.floor(v)),
    count: (v: number) => digits(v),
    rate: (v: number) => digits(v),
    usd: (v: number) => `$${v >= 100 ? digits(v) : v.toFixed(v >= 1 ? 2 : 3)}`,
    share: (v: number) => `${digits(v * 100, v < 0.1 ? 2 : 3)} %`,
    change: (v: number) => `${v > 0 ? '+' : ''}${digits(v * 100, 2)} %`,
} as const;

export type Unit = keyof typeof UNITS;

export function figure(value: number | null | undefined, unit: Unit): string
{
    return value === null || value === undefined || Number.isNaN(value) ? '–' : UNITS[unit](value);
}
