// axes.ts - what a map can have along its sides, and the settings of one as its address holds them.
import type {Request} from '../../app/plan';

interface AxisKind {
    /** As a plan's query names it. */
    readonly leaf: string;
    readonly pointer: string;
    readonly label: string;
    readonly unit: string;
    readonly from: number;
    readonly to: number;
    /** Steps of equal ratio, of equal difference, or each power of two. */
    readonly scale: 'log' | 'linear' | 'powers';
    readonly whole: boolean;
}

export interface Axis {
    readonly kind: AxisKind;
    readonly from: number;
    readonly to: number;
}

export interface MapSettings {
    readonly x: Axis;
    readonly y: Axis;
    readonly colour: string;
    readonly detail: number;
}

type Row = readonly [leaf: string, label: string, unit: string, from: number, to: number, scale: AxisKind['scale']];

const WORKLOAD: readonly Row[] = [
    ['concurrency', 'Concurrency', 'requests', 1, 1024, 'log'],
    ['input_tokens', 'Input', 'tokens', 128, 131072, 'log'],
    ['output_tokens', 'Output', 'tokens', 16, 16384, 'log'],
    ['cached_prefix_tokens', 'Cached prefix', 'tokens', 0, 4096, 'linear'],
    ['request_rate', 'Arrivals', 'requests/s', 0.1, 100, 'log'],
    ['length_range_ratio', 'Shortest over nominal length', '', 0.1, 1, 'linear'],
];

const DEPLOYMENT: readonly Row[] = [
    ['max_num_seqs', 'Sequences at once', '', 1, 1024, 'log'],
    ['chunked_prefill_tokens', 'Prefill chunk', 'tokens', 128, 32768, 'log'],
    ['memory_utilization', 'Memory fraction', '', 0.5, 0.98, 'linear'],
    ['tp', 'Tensor parallel', 'ways', 1, 16, 'powers'],
    ['pp', 'Pipeline stages', '', 1, 8, 'powers'],
    ['dp', 'Data parallel attention', 'ranks', 1, 16, 'powers'],
    ['ep', 'Expert parallel', 'ways', 1, 16, 'powers'],
    ['replicas', 'Replicas', '', 1, 16, 'powers'],
    ['speculative.tokens', 'Drafted tokens', 'per step', 1, 12, 'linear'],
    ['speculative.acceptance', 'Acceptance of drafts', '', 0.1, 1, 'linear'],
    ['host_cpu_factor', 'Time of host work over the usual', '', 0.25, 8, 'log'],
    ['http_threads_factor', 'Serving threads over the default', '', 0.25, 8, 'log'],
    ['logprobs', 'Log probabilities', 'per token', 0, 20, 'linear'],
    ['stream_interval', 'Tokens per message', '', 1, 64, 'log'],
    ['graph_max_batch', 'Largest captured batch', 'requests', 1, 1024, 'log'],
    ['block_size', 'KV block', 'tokens', 8, 256, 'powers'],
    ['kv_tier.gbps', 'Speed of the KV tier', 'GB/s', 1, 64, 'log'],
    ['disaggregation.gbps', 'Speed of the KV transfer', 'GB/s', 1, 400, 'log'],
    ['disaggregation.prefill_devices', 'Devices that prefill', '', 1, 16, 'powers'],
    ['gpu_layers', 'Layers on the GPU', '', 0, 80, 'linear'],
    ['cpu_moe_layers', 'Layers with experts on the host', '', 0, 64, 'linear'],
    ['cpu_threads', 'CPU threads', '', 1, 64, 'log'],
    ['micro_batch_tokens', 'Micro-batch', 'tokens', 32, 4096, 'powers'],
];

/** Settings that take fractions. */
const BROKEN: ReadonlySet<string> = new Set(['request_rate', 'length_range_ratio', 'memory_utilization',
    'speculative.acceptance', 'host_cpu_factor', 'http_threads_factor', 'kv_tier.gbps', 'disaggregation.gbps']);

const kindsOf = (group: string, rows: readonly Row[]) => rows.map(([leaf, label, unit, from, to, scale]): AxisKind =>
    ({leaf, pointer: `/${group}/${leaf.replaceAll('.', '/')}`, label, unit, from, to, scale, whole: !BROKEN.has(leaf)}));

export const AXIS_GROUPS: readonly {readonly title: string; readonly kinds: readonly AxisKind[]}[] = [
    {title: 'Load', kinds: kindsOf('workload', WORKLOAD)},
    {title: 'Deployment', kinds: kindsOf('deployment', DEPLOYMENT)},
];

const KINDS = AXIS_GROUPS.flatMap((group) => group.kinds);

export const DETAILS = [20, 40, 80] as const;
const DETAIL = 40;
const MOST_POWERS = 12;

/** A label within a sentence: "input", and "KV block" as it is. */
export const labelWithin = (kind: AxisKind) => kind.label.replace(/^[A-Z](?![A-Z])/, (letter) => letter.toLowerCase());

export const kindOf = (leaf: string | null): AxisKind | undefined => KINDS.find((kind) => kind.leaf === leaf);

function axisOf(query: URLSearchParams, side: 'x' | 'y', usual: AxisKind): Axis
{
    const kind = kindOf(query.get(side)) ?? usual;
    const number = (name: string, absent: number) => {
        const value = Number(query.get(`${side}_${name}`) || NaN);
        return Number.isFinite(value) && value >= 0 && (kind.scale === 'linear' || value > 0) ? value : absent;
    };
    const from = number('from', kind.from);
    const to = number('to', kind.to);
    return from < to ? {kind, from, to} : {kind, from: kind.from, to: kind.to};
}

export function settingsOf(query: URLSearchParams): MapSettings
{
    const [concurrency, input] = KINDS as [AxisKind, AxisKind];
    const x = axisOf(query, 'x', concurrency);
    const y = axisOf(query, 'y', x.kind === input ? concurrency : input);
    const other = x.kind === concurrency ? input : concurrency;
    const detail = Number(query.get('detail'));
    return {
        x,
        y: y.kind === x.kind ? {kind: other, from: other.from, to: other.to} : y,
        colour: query.get('colour') ?? 'dominant_class',
        detail: DETAILS.find((steps) => steps === detail) ?? DETAIL,
    };
}

function steps(axis: Axis, count: number): number[]
{
    const {from, to, kind} = axis;
    if (kind.scale === 'powers') {
        const first = Math.ceil(Math.log2(from));
        const powers = Math.min(Math.floor(Math.log2(to)) - first + 1, MOST_POWERS);
        return powers < 1 ? [from] : Array.from({length: powers}, (_, i) => 2 ** (first + i));
    }
    return Array.from({length: count}, (_, i) => {
        const share = i / (count - 1);
        const value = kind.scale === 'log' ? from * (to / from) ** share : from + (to - from) * share;
        return kind.whole ? Math.round(value) : Number(value.toPrecision(6));
    });
}

/**
 * The values of an axis, each once. A planned value within its range takes the place of the nearest, so
 * that the map holds the very plan.
 */
export function axisValues(axis: Axis, count: number, planned: unknown): number[]
{
    const values = [...new Set(steps(axis, count))];
    if (typeof planned !== 'number' || planned < (values[0] ?? 0) || planned > (values[values.length - 1] ?? 0))
        return values;
    const warp = (value: number) => axis.kind.scale === 'linear' ? value : Math.log(value);
    const gaps = values.map((value) => Math.abs(warp(value) - warp(planned)));
    values[gaps.indexOf(Math.min(...gaps))] = planned;
    return values;
}

/** The value of a setting in a plan as the API resolved it; undefined where it has none. */
export function leafOf(request: Request, kind: AxisKind): unknown
{
    return kind.pointer.slice(1).split('/').reduce<unknown>((at, name) =>
        typeof at === 'object' && at !== null ? (at as Record<string, unknown>)[name] : undefined, request);
}
