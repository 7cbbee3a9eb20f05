// search-settings.ts - a search as its address holds it, and the body that asks for it.

/** What is searched for where the address names nothing. */
const EXAMPLE: Readonly<Record<string, string>> = {
    model: 'llama-3.1-70b', hardware: 'h100-sxm,h200-sxm,mi300x', concurrency: '64', input_tokens: '2048',
    output_tokens: '256', ttft_ms: '2000', tpot_ms: '30', devices_max: '16',
};

const WORKLOAD = ['concurrency', 'request_rate', 'input_tokens', 'output_tokens', 'cached_prefix_tokens'] as const;
const SLO = ['ttft_ms', 'tpot_ms', 'output_tok_s'] as const;
const NAME_LISTS = ['engine', 'weights', 'kv_cache'] as const;
export const NUMBER_LISTS = ['tp', 'pp', 'dp', 'ep', 'replicas', 'chunked_prefill_tokens', 'max_num_seqs'] as const;

export const OBJECTIVES = [
    {value: 'cost', label: 'cost per output token'},
    {value: 'throughput', label: 'output in all'},
    {value: 'latency', label: 'time of an answer'},
    {value: 'devices', label: 'devices'},
] as const;

/** Where prefill may run, and the devices that a search then tries for it. */
export const PREFILL = [
    {value: '', label: 'where decode does'},
    {value: 'both', label: 'there, or on devices of its own'},
    {value: 'apart', label: 'on devices of its own'},
] as const;

export const DRAFTS = [
    {value: '', label: 'none'},
    {value: 'both', label: 'none, or EAGLE-3'},
    {value: 'eagle3', label: 'EAGLE-3'},
] as const;

export const LIMITS = ['5', '10', '20', '50'] as const;
const DRAFT = {method: 'eagle3', tokens: 3, acceptance: 0.7};

export const listOf = (text: string | null): string[] => (text ?? '').split(',').map((one) => one.trim()).filter(Boolean);

/** The search's part of an address; the example where it names no model. */
export function searchQuery(query: URLSearchParams): URLSearchParams
{
    const kept = new URLSearchParams([...query].filter(([name, value]) => value !== '' && name !== 'embed' && name !== 'chart'));
    const named = kept.has('model') || kept.has('hardware');
    for (const [name, value] of Object.entries(EXAMPLE))
        if (!kept.has(name) && (!named || name === 'model' || name === 'hardware'))
            kept.set(name, value);
    return kept;
}

/** A number where the text is one; else the text itself, for the API to refuse. */
const numberOf = (text: string): number | string => Number.isFinite(Number(text)) ? Number(text) : text;

function picked(query: URLSearchParams, names: readonly string[]): Record<string, number | string>
{
    return Object.fromEntries(names.filter((name) => query.has(name)).map((name) => [name, numberOf(query.get(name) ?? '')]));
}

/** More devices than any search takes. */
const MANY = 2 ** 20;

function powersUpTo(most: number): number[]
{
    return Array.from({length: Math.floor(Math.log2(Math.min(Math.max(most, 1), MANY))) + 1}, (_, i) => 2 ** i);
}

function spaceOf(query: URLSearchParams): Record<string, unknown>
{
    const space: Record<string, unknown> = {};
    const most = Number(query.get('devices_max') ?? 8);
    for (const name of NAME_LISTS)
        if (query.has(name))
            space[name] = listOf(query.get(name));
    for (const name of NUMBER_LISTS)
        if (query.has(name))
            space[name] = listOf(query.get(name)).map(numberOf);
    if (query.has('devices_min') || query.has('devices_max'))
        space.devices = {...query.has('devices_min') && {min: numberOf(query.get('devices_min') ?? '')},
            ...query.has('devices_max') && {max: numberOf(query.get('devices_max') ?? '')}};
    if (query.has('prefill'))
        space.prefill_devices = [...query.get('prefill') === 'both' ? [0] : [], ...powersUpTo(most / 2)];
    if (query.has('drafts'))
        space.speculative = query.get('drafts') === 'both' ? [null, DRAFT] : [DRAFT];
    return space;
}

/** Prices of one's own, by part. */
export function pricesOf(query: URLSearchParams): Map<string, string>
{
    return new Map(listOf(query.get('prices')).map((pair) => {
        const at = pair.lastIndexOf(':');
        return [pair.slice(0, at), pair.slice(at + 1)];
    }));
}

export const pricesText = (prices: ReadonlyMap<string, string>) =>
    [...prices].filter(([, price]) => price !== '').map(([part, price]) => `${part}:${price}`).join(',');

export function searchBody(query: URLSearchParams): Record<string, unknown>
{
    const prices = pricesOf(query);
    const slo = picked(query, SLO);
    return {
        models: listOf(query.get('model')),
        hardware: listOf(query.get('hardware')),
        workload: picked(query, WORKLOAD),
        ...Object.keys(slo).length > 0 && {slo},
        space: spaceOf(query),
        objective: query.get('objective') ?? 'cost',
        limit: numberOf(query.get('limit') ?? '10'),
        ...prices.size > 0 && {prices: Object.fromEntries([...prices].map(([part, price]) => [part, numberOf(price)]))},
    };
}
