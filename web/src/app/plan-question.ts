// plan-question.ts - how a query of a plan is asked: as it stands, or as a body where it holds a whole
// config.json or a whole part.
//
// A pasted config.json is mostly too long for an address. It is kept in this browser tab and the
// address names it by "pasted:…"; a link then does not carry it.
import {argumentOf} from './plan-query';

export interface Question {
    readonly path: string;
    readonly body?: unknown;
}

const WORKLOAD = new Set(['concurrency', 'input_tokens', 'output_tokens', 'cached_prefix_tokens', 'request_rate',
    'requests', 'length_range_ratio', 'load_generator']);
const SLO = new Set(['ttft_ms', 'tpot_ms', 'output_tok_s']);
const ROOT = new Set(['model', 'hardware', 'command', 'manifest', 'container', 'log']);
/** Arguments that are text though they may look like numbers. */
const TEXT = new Set(['engine_version', 'pp_layers', 'device_memory_gib']);
const LISTS = new Set(['logit_processors']);
const PASTED = 'pasted:';

export const isPasted = (model: string) => model.startsWith(PASTED);

/** Whether a query names a pasted model that this tab does not have. */
export const isLost = (query: URLSearchParams) => isPasted(query.get('model') ?? '') && !keptOf(query);

/** Keeps a model in this tab; the name it has in the address. */
export function keepModel(model: unknown, name: string): string
{
    const text = JSON.stringify(model);
    let hash = 0;
    for (const letter of text)
        hash = (Math.imul(hash, 31) + letter.charCodeAt(0)) >>> 0;
    const key = `${PASTED}${name}-${hash.toString(36)}`;
    try {
        sessionStorage.setItem(key, text);
    } catch {
        // It then lasts until the next question only, and the service says that it has no such model.
    }
    return key;
}

function keptModel(key: string): unknown
{
    try {
        const text = sessionStorage.getItem(key);
        return text ? JSON.parse(text) : null;
    } catch {
        return null;
    }
}

function valueOf(name: string, text: string): unknown
{
    if (LISTS.has(name))
        return text.split(',');
    if (text === 'true' || text === 'false')
        return text === 'true';
    const number = Number(text);
    return TEXT.has(name) || !Number.isFinite(number) ? text : number;
}

function placeOf(name: string): string[]
{
    if (ROOT.has(name))
        return [name];
    const group = WORKLOAD.has(name) ? 'workload' : SLO.has(name) ? 'slo' : 'deployment';
    return [group, ...name.split('.')];
}

/** A part given whole, where the text is one; else the text, for the API to refuse. */
function partOf(text: string): unknown
{
    try {
        return text.startsWith('{') ? JSON.parse(text) : text;
    } catch {
        return text;
    }
}

type Body = Record<string, unknown>;

/** The object at a member; null where something else stands there. Without a prototype, any name is a member. */
function within(at: Body, name: string): Body | null
{
    const inner = at[name] ??= Object.create(null);
    return typeof inner === 'object' ? inner as Body : null;
}

/** The body of a POST that asks what a query asks. */
export function bodyOf(query: URLSearchParams, model: unknown): Body
{
    const body = Object.create(null) as Body;
    for (const [argument, text] of query) {
        const [first = '', ...others] = placeOf(argumentOf(argument));
        const name = others.pop();
        let at: Body | null = name === undefined ? body : within(body, first);
        for (const step of others)
            at = at && within(at, step);
        // "tp.x" beside "tp" has no place; under its whole name the API refuses it.
        if (at)
            at[name ?? first] = first === 'model' ? model : first === 'hardware' ? partOf(text) : valueOf(argument, text);
        else
            (body[first] as Body)[argument] = text;
    }
    return body;
}

/** The model of a query as this tab keeps it; null where it is a name. */
function keptOf(query: URLSearchParams): unknown
{
    const model = query.get('model') ?? '';
    return isPasted(model) ? keptModel(model) : null;
}

/** What a query asks as the body of a request, with the model that this tab keeps for it. */
export function requestOf(query: URLSearchParams): Record<string, unknown>
{
    return bodyOf(query, keptOf(query) ?? query.get('model') ?? '');
}

/** How a query is asked of /v1/plan or /v1/check. */
export function questionOf(path: string, query: URLSearchParams): Question
{
    if (keptOf(query) || query.get('hardware')?.startsWith('{'))
        return {path, body: requestOf(query)};
    return {path: `${path}?${query.toString()}`};
}
