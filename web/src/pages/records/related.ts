// related.ts - where to go from a record: what rests on it, what it is part of, a plan of the same conditions.
import {addressOfRecord} from '../../app/behind';
import {addressOf} from '../../app/location';
import {isFacts, listAt, planAddress, textAt, type Facts} from '../../app/records';

type Link = readonly [href: string, text: string];

/** Conditions of a measurement that are leaves of a plan's request by the same name. */
const PLAN_LEAVES = ['tp', 'pp', 'dp', 'ep', 'chunked_prefill_tokens', 'max_num_seqs', 'max_model_len',
    'memory_utilization', 'block_size', 'stream_interval', 'concurrency', 'input_tokens', 'output_tokens',
    'cached_prefix_tokens', 'request_rate', 'requests', 'length_range_ratio'];
const LOAD_GENERATORS = ['inferencex', 'engine_bench'];
const PLANNED_KINDS = ['serving', 'speed', 'host', 'attribution'];

/** The plan of the conditions that a measurement was made under; null where it names no model or part. */
function planOfAnchor(facts: Facts): string | null
{
    const query = new URLSearchParams();
    const conditions = isFacts(facts.conditions) ? facts.conditions : {};
    const put = (name: string, value: string) => value && query.set(name, value);

    put('model', textAt(facts, 'model_id'));
    put('hardware', textAt(facts, 'hardware_id'));
    if (!query.has('model') || !query.has('hardware') || !PLANNED_KINDS.includes(textAt(facts, 'kind')))
        return null;
    put('engine', textAt(facts, 'engine_id'));
    if (query.has('engine'))
        put('engine_version', textAt(facts, 'engine_version'));
    put('weights', textAt(facts, 'weights_id'));
    put('kv_cache', textAt(facts, 'kv_cache_id'));
    for (const name of PLAN_LEAVES) {
        const value = conditions[name];
        if (typeof value === 'number' && value > 0)
            query.set(name, String(value));
    }
    const generator = textAt(conditions, 'load_generator');
    if (LOAD_GENERATORS.includes(generator))
        query.set('load_generator', generator);
    return addressOf('/', query);
}

const list = (kind: string, name: string, id: string) => `/records/${kind}?${name}=${encodeURIComponent(id)}`;

const existing = (links: readonly (Link | null)[]) => links.filter((link): link is Link => link !== null);

const whole = (kind: string, name: string, facts: Facts, path: string, text: string): Link | null => {
    const id = textAt(facts, path);
    return id ? [name ? list(kind, name, id) : addressOfRecord({kind, id}), text] : null;
};

/** Links of a kind's record; a kind that is not here has none. */
const RELATED: Readonly<Record<string, (facts: Facts, id: string) => readonly (Link | null)[]>> = {
    models: (_, id) => [[addressOf('/', new URLSearchParams({model: id})), 'Plan it'],
        [list('anchors', 'model', id), 'Measurements'], [list('capacity', 'model', id), 'Memory logs'],
        [list('backtest', 'model', id), 'Backtest']],
    hardware: (_, id) => [[addressOf('/', new URLSearchParams({hardware: id})), 'Plan on it'],
        [list('anchors', 'hardware', id), 'Measurements'], [list('calibrations', 'hardware', id), 'Calibrations'],
        [list('capacity', 'hardware', id), 'Memory logs'], [list('prices', 'hardware', id), 'Prices'],
        [list('backtest', 'hardware', id), 'Backtest']],
    engines: (_, id) => [[list('anchors', 'engine', id), 'Measurements'], [list('calibrations', 'engine', id), 'Calibrations'],
        [list('launches', 'engine', id), 'Launches'], [list('capacity', 'engine', id), 'Memory logs'],
        [list('backtest', 'engine', id), 'Backtest']],
    formats: (facts, id) => [[list('anchors', textAt(facts, 'use') === 'kv_cache' ? 'kv_cache' : 'weights', id), 'Measurements']],
    anchors: (facts) => {
        const plan = planOfAnchor(facts);
        return [plan ? [plan, 'Plan of these conditions'] : null, whole('models', '', facts, 'model_id', 'Model'),
            whole('hardware', '', facts, 'hardware_id', 'Hardware'), whole('engines', '', facts, 'engine_id', 'Engine'),
            whole('anchors', '', facts, 'study', 'The study it is part of')];
    },
    capacity: (_, id) => [[addressOfRecord({kind: 'anchors', id}), 'As a measurement']],
    prices: (facts) => [whole('hardware', '', facts, 'hardware', 'Hardware')],
    calibrations: (facts) => [whole('hardware', '', facts, 'hardware', 'Hardware'), whole('engines', '', facts, 'engine', 'Engine'),
        whole('anchors', '', facts, 'anchor', 'Measurement')],
    sources: (_, id) => [[list('anchors', 'source', id), 'Measurements that rest on it'],
        [list('backtest', 'source', id), 'Backtest of them']],
    claims: (facts) => listAt(facts, 'live').flatMap((figure) => listAt(figure, 'plans')).slice(0, 1)
        .map((plan): Link => [planAddress(textAt(plan, 'link')), 'Plan that computes it']),
};

export const relatedOf = (kind: string, facts: Facts): readonly Link[] =>
    existing(RELATED[kind]?.(facts, textAt(facts, 'id')) ?? []);

/** The record that the value of a field names. */
const NAMES_RECORD: Readonly<Record<string, string>> = {
    model_id: 'models', hardware_id: 'hardware', engine_id: 'engines', weights_id: 'formats', kv_cache_id: 'formats',
    study: 'anchors', anchor: 'anchors', rows: 'anchors', native_format: 'formats', source_id: 'sources',
};
const DOCUMENTED: Readonly<Record<string, string>> = {classes: 'classes', cures: 'cures', regimes: 'regimes'};

/** Where a text leads that stands in a field of that name; null where it is only a text. */
export function leadsTo(name: string, text: string): string | null
{
    const kind = NAMES_RECORD[name];
    if (kind)
        return addressOfRecord({kind, id: text});
    if (DOCUMENTED[name])
        return `/docs/${DOCUMENTED[name]}/${text}`;
    if (text.startsWith('/v1/plan?'))
        return planAddress(text);
    const record = /^\/v1\/([a-z-]+)\/([^/?]+)$/.exec(text);
    if (record?.[1] && record[2])
        return `/records/${record[1]}?id=${record[2]}`;
    return /^https?:\/\//.test(text) ? text : null;
}
