// colouring.ts - what the cells of a map are sorted by: a name each, or a band of a figure.
import {familyColour, familyOf, REGIME_FAMILY, type Family} from '../../charts/colours';
import {levels} from '../../charts/isolines';
import {digits} from '../../app/figures';
import type {Cell} from './sweep';

/** A sort of cells: one entry of the legend. */
export interface Sort {
    readonly id: string;
    readonly label: string;
    /** The record that explains it, and what else is to be said. */
    readonly record?: string | null;
    readonly words?: string | undefined;
    readonly colour: string;
    /** How strong the colour is, 0 to 1. */
    readonly strength: number;
    /** Tells sorts of one colour apart: 0 plain, 1 lines, 2 dots, 3 a grid. */
    readonly pattern: number;
}

interface Colouring {
    readonly id: string;
    readonly label: string;
    /** Of a map that shows it. */
    readonly title: string;
    /** The figure in bands, with its unit; names where there is none. */
    readonly figure?: {readonly of: (cell: Cell) => number | null; readonly unit: string};
    readonly name?: {
        readonly of: (cell: Cell) => string | null;
        readonly family: (cell: Cell) => Family;
        /** Records that explain it: their titles stand in the legend. */
        readonly record: (cell: Cell) => string | null;
        readonly words?: (cell: Cell) => string;
    };
}

/** The same class is another matter in prefill, and where it waits for compute. */
function classLabel(cell: Cell): string | null
{
    if (!cell.dominant_class || cell.dominant_class.startsWith('prefill_'))
        return cell.dominant_class;
    if (cell.dominant_phase === 'prefill')
        return `${cell.dominant_class} (prefill)`;
    return cell.dominant_bound === 'compute' ? `${cell.dominant_class} (compute)` : cell.dominant_class;
}

const classFamily = (cell: Cell): Family =>
    cell.dominant_bound === 'compute' ? 'compute' : familyOf(cell.dominant_class ?? '');

export const COLOURINGS: readonly Colouring[] = [
    {id: 'dominant_class', label: 'dominant class', title: 'What it waits for',
        name: {of: classLabel, family: classFamily, record: (cell) => cell.dominant_class,
            words: (cell) => `in ${cell.dominant_phase}, bound by ${cell.dominant_bound?.replaceAll('_', ' ')}`}},
    {id: 'regime', label: 'regime', title: 'Regimes',
        name: {of: (cell) => cell.regime, family: (cell) => REGIME_FAMILY[cell.regime ?? ''] ?? 'rest',
            record: (cell) => cell.regime}},
    {id: 'tpot_ms', label: 'time per output token', title: 'Time per output token',
        figure: {of: (cell) => cell.tpot_ms, unit: 'ms'}},
    {id: 'ttft_ms', label: 'time to first token', title: 'Time to first token',
        figure: {of: (cell) => cell.ttft_ms, unit: 'ms'}},
    {id: 'output_tok_s', label: 'output in all', title: 'Output in all',
        figure: {of: (cell) => cell.output_tok_s, unit: 'tok/s'}},
    {id: 'output_tok_s_per_device', label: 'output per device', title: 'Output per device',
        figure: {of: (cell) => cell.output_tok_s_per_device, unit: 'tok/s'}},
    {id: 'per_user_tok_s', label: 'output per user', title: 'Output per user',
        figure: {of: (cell) => cell.per_user_tok_s, unit: 'tok/s'}},
];

export const colouringOf = (id: string): Colouring =>
    COLOURINGS.find((colouring) => colouring.id === id) ?? COLOURINGS[0] as Colouring;

const SPECIAL = {
    unfit: {id: 'unfit', label: 'does not fit in memory', colour: 'var(--c-rest)', strength: 0.35, pattern: 4},
    none: {id: 'none', label: 'no plan', colour: 'var(--c-rest)', strength: 0.12, pattern: 0},
    unknown: {id: 'unknown', label: 'no record', colour: 'var(--c-rest)', strength: 0.2, pattern: 0},
} as const satisfies Record<string, Sort>;

function specialOf(cell: Cell): Sort | null
{
    if (cell.why !== null)
        return SPECIAL.none;
    return cell.fits === false ? SPECIAL.unfit : null;
}

const NAME_STRENGTH = 0.42;

/** Sorts by name, most frequent first; within a family each has its own pattern. */
function nameSorts(cells: readonly Cell[], by: NonNullable<Colouring['name']>): (cell: Cell) => Sort
{
    const first = new Map<string, {cell: Cell; count: number}>();
    for (const cell of cells) {
        const id = specialOf(cell) ? null : by.of(cell);
        if (id)
            first.set(id, {cell, count: (first.get(id)?.count ?? 0) + 1});
    }
    const inFamily = new Map<Family, number>();
    const sorts = new Map<string, Sort>();
    for (const [id, {cell}] of [...first].sort((a, b) => b[1].count - a[1].count)) {
        const family = by.family(cell);
        const pattern = inFamily.get(family) ?? 0;
        inFamily.set(family, pattern + 1);
        sorts.set(id, {id, label: id, record: by.record(cell), words: by.words?.(cell), colour: familyColour(family),
            strength: NAME_STRENGTH, pattern: pattern % 4});
    }
    return (cell) => sorts.get(by.of(cell) ?? '') ?? SPECIAL.unknown;
}

const BANDS_LEAST = 4;
const BANDS_MOST = 9;

function bandLabel(from: number | undefined, to: number | undefined, unit: string): string
{
    if (from === undefined)
        return to === undefined ? `all ${unit}` : `below ${digits(to)} ${unit}`;
    return to === undefined ? `${digits(from)} ${unit} and more` : `${digits(from)} to ${digits(to)} ${unit}`;
}

/** Bands between round values, weak to strong. */
function bandSorts(cells: readonly Cell[], by: NonNullable<Colouring['figure']>): (cell: Cell) => Sort
{
    const known = cells.filter((cell) => !specialOf(cell)).map(by.of).filter((v): v is number => v !== null && v > 0);
    const low = known.reduce((least, value) => Math.min(least, value), Infinity);
    const high = known.reduce((most, value) => Math.max(most, value), 0);
    let cuts = levels(low, high, BANDS_LEAST);
    const step = Math.ceil((cuts.length + 1) / BANDS_MOST);
    cuts = cuts.filter((_, i) => i % step === 0);
    const sorts = Array.from({length: cuts.length + 1}, (_, i): Sort => ({
        id: `band-${i}`,
        label: bandLabel(cuts[i - 1], cuts[i], by.unit),
        colour: 'var(--c-weights)',
        strength: 0.1 + 0.75 * (cuts.length ? i / cuts.length : 0.5),
        pattern: 0,
    }));
    return (cell) => {
        const value = by.of(cell);
        if (value === null)
            return SPECIAL.unknown;
        const beyond = cuts.findIndex((cut) => value < cut);
        return sorts[beyond < 0 ? cuts.length : beyond] ?? SPECIAL.unknown;
    };
}

/** The sort of every cell, in the order of the cells. */
export function sortCells(cells: readonly Cell[], colouring: Colouring): Sort[]
{
    const sortOf = colouring.name ? nameSorts(cells, colouring.name)
        : colouring.figure ? bandSorts(cells, colouring.figure) : () => SPECIAL.unknown;
    return cells.map((cell) => specialOf(cell) ?? sortOf(cell));
}

/** Whether requests wait because the KV pool holds fewer than are in flight. */
export const waits = (cell: Cell | undefined): boolean =>
    cell !== undefined && cell.why === null && cell.fits !== false && cell.regime === 'capacity';
