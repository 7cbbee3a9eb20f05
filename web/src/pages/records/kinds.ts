// kinds.ts - the table of the kinds of records: a kind is a row here and a list of the API.
import type {Tone} from '../../ui/badge';
import {at, isFacts, isList, listAt, numberAt, textAt, titleOf, type Facts, type Json} from '../../app/records';
import {digits, figure} from '../../app/figures';
import {label, shown} from './field-words';

export interface Cell {
    readonly text: string;
    readonly tone?: Tone | undefined;
    readonly title?: string | undefined;
    /** The record that the cell speaks of: a kind and an id. */
    readonly of?: readonly [string, string] | undefined;
}

export interface Column {
    readonly title: string;
    readonly cell: (facts: Facts) => Cell;
    readonly number?: boolean;
    /** Words that may break over lines. */
    readonly wide?: boolean;
}

/** A filter is a parameter of the list; what it takes is either stated here or the ids of a kind. */
export interface Filter {
    readonly name: string;
    readonly title: string;
    readonly of?: 'models' | 'hardware' | 'engines' | 'formats';
    readonly number?: boolean;
    /** What it takes, where the API states that. */
    readonly choices?: readonly string[];
}

export interface Kind {
    readonly kind: string;
    readonly title: string;
    /** One record of it: "a model". */
    readonly one: string;
    readonly about: string;
    readonly columns: readonly Column[];
    readonly filters: readonly Filter[];
    /** Too many to read the values of filters from. */
    readonly large?: boolean;
    /** Whether sources disagree on fields of some. */
    readonly disputed?: boolean;
    /** Names that sources use for several fields at once. */
    readonly covers?: Readonly<Record<string, readonly string[]>>;
    /** Fields by heading, in order; what is left out comes last. */
    readonly groups?: readonly (readonly [string, readonly string[]])[];
}

/* ---- columns ---- */

const NO_RECORD: Cell = {text: '–'};

const field = (title: string, path: string, options: Partial<Column> = {}): Column => ({
    title, ...options,
    cell: (facts) => ({text: shown(path, at(facts, path))}),
});

const figures = (title: string, path: string, scale: number, significant = 3): Column => ({
    title, number: true,
    cell: (facts) => {
        const value = numberAt(facts, path);
        return value === null ? NO_RECORD
            : {text: digits(value / scale, significant), title: value.toLocaleString('en-US')};
    },
});

const integer = (title: string, path: string): Column => ({
    title, number: true,
    cell: (facts) => {
        const value = numberAt(facts, path);
        return value === null ? NO_RECORD : {text: value.toLocaleString('en-US')};
    },
});

const linked = (title: string, kind: string, path: string, otherwise: string): Column => ({
    title,
    cell: (facts) => {
        const id = textAt(facts, path);
        return id ? {text: id, of: [kind, id]} : {text: textAt(facts, otherwise) || '–'};
    },
});

/** What kinds of layers a model has: "full attention, dense FFN". */
function layersOf(facts: Facts): Cell
{
    const groups = listAt(facts, 'layer_groups').map((group) => `${textAt(group, 'count')} × ${textAt(group, 'label')}`);
    return {text: groups.slice(0, 2).join('; ') + (groups.length > 2 ? `; ${groups.length - 2} more` : ''),
        title: groups.join('; ')};
}

/** The metrics of a measurement with their units: "TPOT 12.3 ms (mean)". */
function metricsOf(facts: Facts): Cell
{
    const metrics = listAt(facts, 'metrics').map((metric) => {
        const name = label(textAt(metric, 'metric'));
        const value = numberAt(metric, 'value');
        const statistic = textAt(metric, 'statistic');
        return `${name} ${value === null ? '–' : digits(value)} ${textAt(metric, 'unit')}` +
            (statistic && statistic !== 'mean' ? ` (${statistic})` : '');
    });
    return {text: (metrics.slice(0, 3).join(', ') || '–') + (metrics.length > 3 ? `, ${metrics.length - 3} more` : '')};
}

/** How far the farthest metric of a measurement is from its prediction. */
const offPrediction: Column = {
    title: 'Against prediction', number: true,
    cell: (facts) => {
        const worst = listAt(facts, 'metrics').filter((metric) => numberAt(metric, 'residual') !== null)
            .sort((a, b) => Math.abs(numberAt(b, 'residual') ?? 0) - Math.abs(numberAt(a, 'residual') ?? 0))[0];
        if (!worst)
            return NO_RECORD;
        const beyond = worst.beyond_interval === true;
        return {text: figure(numberAt(worst, 'residual'), 'change'), tone: beyond ? 'bad' : undefined,
            title: `${label(textAt(worst, 'metric'))}, measured against predicted: ` +
                (beyond ? 'outside the interval' : 'inside the interval')};
    },
};

const CUTS = ['tp', 'pp', 'dp', 'ep'];

/** Facts in a line: "tp 4, concurrency 128". */
function inLine(value: Json | undefined, only?: readonly string[]): string
{
    if (isList(value))
        return value.map((part) => inLine(part)).join(', ');
    if (!isFacts(value))
        return shown('', value);
    return Object.entries(value)
        .filter(([name, part]) => part !== null && part !== undefined && (!only || only.includes(name)))
        .map(([name, part]) => `${label(name)} ${isFacts(part) || isList(part) ? inLine(part) : shown(name, part)}`)
        .join(', ');
}

const line = (title: string, path: string, only?: readonly string[]): Column => ({
    title, wide: true,
    cell: (facts) => ({text: inLine(at(facts, path), only) || '–'}),
});

const first = (title: string): Column => ({title, wide: true, cell: (facts) => ({text: titleOf(facts)})});

/** Claims: what was found, and how good that is. */
const VERDICT_TONE: Readonly<Record<string, Tone>> = {
    reproduced: 'good', measured: 'good', derived: 'good', rounding: 'good', source_partial: 'doubt', plausible: 'doubt',
    refuted: 'bad', wrong_basis: 'bad', wrong_attribution: 'bad', wrong_label: 'bad', overstated: 'bad', outdated: 'bad',
    ambiguous: 'doubt', opinion: 'plain',
};

export const toneOfVerdict = (verdict: string): Tone => VERDICT_TONE[verdict] ?? 'plain';

const STATUS_TONE: Readonly<Record<string, Tone>> = {
    used: 'good', usable: 'good', listed: 'good', weak: 'doubt', answered: 'good', fallback: 'doubt', rejected: 'bad', unusable: 'bad',
};

const status = (title: string, path: string): Column => ({
    title,
    cell: (facts) => {
        const value = textAt(facts, path);
        return {text: value || '–', tone: STATUS_TONE[value] ?? 'plain'};
    },
});

const verdict: Column = {
    title: 'Verdict',
    cell: (facts) => ({
        text: textAt(facts, 'verdict').replaceAll('_', ' '), tone: toneOfVerdict(textAt(facts, 'verdict')),
        title: textAt(facts, 'verdict_meaning'),
    }),
};

const disputed: Column = {
    title: 'Doubts',
    cell: (facts) => {
        const why = textAt(facts, 'disputed');
        return why ? {text: textAt(facts, 'flag').replaceAll('_', ' ') || 'disputed', tone: 'doubt', title: why} : {text: ''};
    },
};

/* ---- filters ---- */

const plain = (name: string, title = label(name)): Filter => ({name, title});
const MODEL: Filter = {name: 'model', title: 'Model', of: 'models'};
const HARDWARE: Filter = {name: 'hardware', title: 'Hardware', of: 'hardware'};
const ENGINE: Filter = {name: 'engine', title: 'Engine', of: 'engines'};
const least = (name: string, title: string): Filter => ({name: `${name}_min`, title, number: true});
const most = (name: string, title: string): Filter => ({name: `${name}_max`, title, number: true});

const MEASURED = ['serving', 'disaggregated', 'speed', 'capacity', 'attribution', 'host', 'launch', 'link', 'study',
    'statement'];
const METRICS = ['ttft_ms', 'tpot_ms', 'itl_ms', 'e2e_ms', 'output_tok_s', 'total_tok_s', 'per_user_tok_s',
    'output_tok_s_per_device', 'requests_s', 'prefill_tok_s', 'decode_tok_s', 'step_ms', 'gpu_busy', 'host_us_per_token',
    'launch_us', 'power_w', 'kv_token_capacity', 'max_concurrency', 'weights_bytes', 'accepted_tokens_per_step',
    'prefix_hit_rate', 'out_of_memory'];

const GEOMETRY = ['hidden_size', 'n_layers', 'n_heads', 'n_kv_heads', 'head_dim', 'intermediate_size', 'vocab_size',
    'max_position_embeddings', 'moe', 'layer_groups', 'tied_embedding', 'final_norm_params', 'pattern', 'mtp'];

/* ---- the table ---- */

export const KINDS: readonly Kind[] = [
    {
        kind: 'models', title: 'Models', one: 'model',
        about: 'Geometry, parameters and KV bytes of each model, from its own configuration.',
        columns: [first('Model'), figures('Parameters, billions', 'params_total', 1e9),
            figures('Active, billions', 'params_active', 1e9), figures('KV per token, kB', 'kv_bytes_per_token', 1e3),
            {title: 'Layers', wide: true, cell: layersOf}, field('Weights', 'native_format'), field('Released', 'release')],
        filters: [plain('family'), plain('native_format', 'Weights')],
        covers: {geometry: GEOMETRY, groups: ['layer_groups'], vocab: ['vocab_size'],
            max_positions: ['max_position_embeddings'], lengths: ['lengths', 'max_position_embeddings']},
        groups: [
            ['What it is', ['name', 'hf_repo', 'family', 'release', 'native_dtype', 'native_format', 'pattern', 'notes']],
            ['Parameters', ['params_total', 'params_active', 'params_checkpoint', 'params_checkpoint_exact',
                'params_comparable', 'params_matmul_per_token', 'params_mtp', 'published', 'params_by_role']],
            ['KV cache and state', ['kv_bytes_per_token', 'kv_bytes_per_token_beyond_window', 'kv_window_tokens',
                'state_bytes_per_sequence', 'state_bytes_per_element']],
            ['Geometry', GEOMETRY],
        ],
    },
    {
        kind: 'hardware', disputed: true, title: 'Hardware', one: 'part',
        about: 'Memory, bandwidth, compute peaks and links of each part, and where sources disagree.',
        columns: [first('Part'), figures('Memory, GB', 'memory_bytes', 1e9), figures('Bandwidth, GB/s', 'mem_bw_gbps', 1),
            figures('bf16, TFLOP/s', 'peak_dense_tflops.bf16', 1), figures('fp8, TFLOP/s', 'peak_dense_tflops.fp8', 1),
            figures('Ridge, FLOP/B', 'ridge', 1), figures('TDP, W', 'tdp_w', 1), field('Class', 'class'),
            {title: 'Disputes', number: true, cell: (facts) => {
                const count = listAt(facts, 'disputes').length;
                return count ? {text: String(count), tone: 'doubt'} : {text: '0'};
            }}],
        filters: [plain('vendor'), plain('class'), plain('arch', 'Architecture')],
        covers: {memory: ['memory_gb', 'memory_usable_gib', 'memory_bytes', 'memory_type'],
            interconnect: ['interconnect', 'link_gbps_one_way', 'link_is_fabric'],
            memory_bytes_nominal_gb: ['memory_gb', 'memory_bytes'], pcie: ['pcie', 'host_gbps_one_way'],
            fp32: ['peak_dense_tflops'], measured: ['memory_usable_gib']},
        groups: [
            ['What it is', ['name', 'vendor', 'class', 'arch', 'release', 'notes']],
            ['Memory', ['memory_gb', 'memory_usable_gib', 'memory_bytes', 'memory_bytes_basis', 'memory_type',
                'mem_bw_gbps', 'l2_cache_mb']],
            ['Compute', ['peak_dense_tflops', 'ridge', 'ridge_type', 'ridge_by_type', 'supports', 'sm_or_cu', 'tdp_w']],
            ['Links', ['interconnect', 'link_gbps_one_way', 'link_is_fabric', 'pcie', 'host_gbps_one_way',
                'host_gbps_basis']],
        ],
    },
    {
        kind: 'engines', title: 'Engines', one: 'engine',
        about: 'Serving engines and what each version does when nobody says otherwise.',
        columns: [first('Engine'), field('Newest known', 'latest'), field('Control plane', 'control_plane'),
            field('Memory rule', 'memory_rule'), {title: 'Rows of defaults', number: true,
                cell: (facts) => ({text: String(listAt(facts, 'defaults').length)})}],
        filters: [],
        covers: {chunked_prefill_tokens: ['defaults'], max_num_seqs: ['defaults'], memory_utilization: ['defaults'],
            block_size: ['defaults'], stream_interval: ['defaults'], cuda_graphs: ['defaults'],
            prefix_caching: ['defaults'], reserve_output_share: ['defaults'], async_scheduling: ['defaults'],
            sampler_on_host: ['defaults']},
    },
    {
        kind: 'formats', title: 'Formats', one: 'format',
        about: 'Formats of weights and of the KV cache: bytes per weight by what the weight is for.',
        columns: [first('Format'), field('Use', 'use'), field('Family', 'family'),
            figures('Bits per weight', 'bits_per_weight', 1, 4), field('Bytes per KV element', 'bytes_per_element', {number: true}),
            field('Multiplied in', 'multiply')],
        filters: [plain('use'), plain('family')],
    },
    {
        kind: 'anchors', large: true, title: 'Measurements', one: 'measurement',
        about: 'What somebody measured, under which conditions, beside what the planner says of it.',
        columns: [first('Measurement'), field('Weights', 'weights_id'), line('Cut', 'conditions', CUTS),
            {title: 'Measured', wide: true, cell: metricsOf}, offPrediction, disputed, field('On', 'measured_on')],
        filters: [MODEL, HARDWARE, ENGINE, {name: 'weights', title: 'Weights', of: 'formats'}, {...plain('kind'), choices: MEASURED},
            {...plain('metric'), choices: METRICS}, {...plain('disputed'), choices: ['true', 'false']}, plain('source'), least('input_tokens', 'Input, least'), most('input_tokens', 'Input, most'),
            least('concurrency', 'Concurrency, least'), most('concurrency', 'Concurrency, most')],
        groups: [['What was measured', ['metrics', 'disputed', 'flag', 'notes', 'measured_on', 'kind', 'study', 'rows']],
            ['Of what', ['model', 'model_id', 'hardware', 'hardware_id', 'engine', 'engine_id', 'engine_version', 'backend',
                'weights', 'weights_id', 'kv_cache', 'kv_cache_id']],
            ['Conditions', ['conditions']]],
        covers: {metrics: ['metrics', 'shares', 'rows']},
    },
    {
        kind: 'capacity', title: 'Memory logs', one: 'memory log',
        about: 'What engines printed about memory at start, and whether they started.',
        columns: [first('Start'), field('Engine', 'engine'), field('Model', 'model'), field('Hardware', 'hardware'),
            integer('Devices', 'devices'), line('Printed', 'observed'), status('Status', 'status')],
        filters: [ENGINE, MODEL, HARDWARE, plain('status'), plain('oom', 'Out of memory')],
    },
    {
        kind: 'calibrations', large: true, title: 'Calibrations', one: 'calibration',
        about: 'Fits of kernels, collectives and host work to what was measured, each with its error.',
        columns: [field('Fit', 'id', {wide: true}), field('Type', 'type'), linked('Hardware', 'hardware', 'hardware', 'hardware'),
            field('Engine', 'engine'), field('Operation', 'op'), field('Type of data', 'dtype'),
            {title: 'Median error', number: true,
                cell: (facts) => ({text: figure(numberAt(facts, 'median_abs_err'), 'share')})},
            integer('Points', 'n'), status('Status', 'status')],
        filters: [plain('type'), HARDWARE, ENGINE, plain('engine_version', 'Engine version'), plain('op', 'Operation'),
            plain('dtype', 'Type of data'), plain('status')],
    },
    {
        kind: 'launches', title: 'Launches', one: 'launch',
        about: 'Flags that benchmark runs are started with, and under which conditions.',
        columns: [first('Launch'), line('When', 'when'), line('Flags', 'flags')],
        filters: [plain('load_generator'), ENGINE, MODEL, HARDWARE, plain('weights', 'Weights')],
    },
    {
        kind: 'prices', title: 'Prices', one: 'price',
        about: 'What a device costs by the hour, by provider and day; the search ranks by these.',
        columns: [first('Price'), linked('Hardware', 'hardware', 'hardware', 'hardware'), field('Provider', 'provider'),
            field('Device and hour', 'usd_per_device_hour', {number: true}), field('Least devices', 'devices_min', {number: true}),
            field('Kind', 'kind'), status('Standing', 'standing'), field('Date', 'date')],
        filters: [HARDWARE, plain('provider'), plain('kind'), plain('standing')],
    },
    {
        kind: 'memory-rules', title: 'Memory rules', one: 'memory rule',
        about: 'Constants of the engines’ memory accounting, by version and part.',
        columns: [first('Rule'), field('Engine', 'memory_rule'), field('Constant', 'constant'), line('When', 'when'),
            field('Value', 'value', {number: true}), field('Unit', 'unit'), status('Basis', 'basis')],
        filters: [plain('memory_rule', 'Rule'), plain('constant'), plain('arch', 'Architecture')],
    },
    {
        kind: 'sources', large: true, title: 'Sources', one: 'source',
        about: 'Where the figures come from, and how many records rest on each.',
        columns: [first('Source'), field('Kind', 'kind'), field('Date', 'date'), integer('Records', 'records'),
            field('Licence', 'license')],
        filters: [plain('kind')],
    },
    {
        kind: 'claims', title: 'Claims', one: 'claim',
        about: 'Numeric claims of a public document on where serving time goes, each checked.',
        columns: [first('Claim'), verdict, field('Claimed', 'claimed'), field('Found', 'recomputed', {wide: true}),
            field('Section', 'section')],
        filters: [plain('verdict'), plain('section'), plain('live'), plain('record')],
        groups: [['The claim', ['claim', 'claimed', 'claimed_value', 'where', 'section']],
            ['What was found', ['verdict', 'verdict_meaning', 'recomputed', 'recomputed_value', 'unit', 'derivation', 'notes']],
            ['What it rests on', ['records', 'live']]],
    },
    {
        kind: 'gaps', title: 'Gaps', one: 'gap',
        about: 'What nobody measured, most wanted first, and the measurement that would close each.',
        columns: [first('Question'), figures('Wanted', 'rank', 1), integer('Asked', 'asked'), status('Status', 'status'), field('Kind', 'kind'),
            line('A measurement that answers', 'answer')],
        filters: [plain('status'), plain('kind'), MODEL, HARDWARE, ENGINE, plain('metric')],
    },
];

export const kindOf = (name: string | undefined): Kind | null => KINDS.find((row) => row.kind === name) ?? null;
