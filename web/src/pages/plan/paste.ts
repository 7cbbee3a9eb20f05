// paste.ts - what a pasted text is, and the plan it gives.
import {Problem, problemOf} from '../../app/api';
import type {Plan} from '../../app/plan';
import {queryOf} from '../../app/plan-query';
import {bodyOf, keepModel} from '../../app/plan-question';

export interface Pasted {
    readonly plan: Plan;
    /** The same plan as an address. */
    readonly query: URLSearchParams;
    /** What the text did not say and the fields lent. */
    readonly lent: readonly string[];
    readonly kind: string;
}

type Json = Record<string, unknown>;

const WORKLOAD = ['concurrency', 'input_tokens', 'output_tokens', 'cached_prefix_tokens', 'request_rate', 'requests',
    'length_range_ratio', 'load_generator', 'ttft_ms', 'tpot_ms', 'output_tok_s'];

function jsonOf(text: string): Json | null
{
    if (!text.startsWith('{'))
        return null;
    try {
        return JSON.parse(text) as Json;
    } catch {
        return null;
    }
}

const isConfig = (json: Json) => ['architectures', 'model_type', 'hidden_size'].some((name) => name in json);
const isRequest = (json: Json) => 'model' in json && !isConfig(json);

async function post(path: string, type: string, body: string): Promise<Plan>
{
    const response = await fetch(path, {method: 'POST', headers: {Accept: 'application/json', 'Content-Type': type}, body});
    if (!response.ok)
        throw await problemOf(response);
    return await response.json() as Plan;
}

/** Neither a manifest nor a log: a command line, which never says what part it runs on. */
const isCommand = (text: string) => !/^\s*(apiVersion|kind|services|spec)\s*:/m.test(text) &&
    !/\b(INFO|WARNING|llama_\w+|load_\w+):?\s/.test(text);

/** A command, manifest or log: the text decides; what it lacks comes from the fields. */
async function planText(text: string, fields: URLSearchParams): Promise<Pasted>
{
    const query = new URLSearchParams([...fields].filter(([name]) => WORKLOAD.includes(name)));
    const lent = [...query.keys()];
    const hardware = fields.get('hardware');
    if (hardware && isCommand(text)) {
        query.set('hardware', hardware);
        lent.push('hardware');
    }
    for (;;) {
        try {
            const plan = await post(`/v1/plan?${query.toString()}`, 'text/plain', text);
            return {plan, query: queryOf(plan.request, plan.assumed), lent, kind: 'text'};
        } catch (error) {
            const lacking = error instanceof Problem ? error.faults
                .map((fault) => fault.pointer.replace(/^[?/]/, ''))
                .filter((name) => (name === 'model' || name === 'hardware') && !query.has(name) && fields.has(name)) : [];
            if (lacking.length === 0)
                throw error;
            for (const name of lacking) {
                query.set(name, fields.get(name) ?? '');
                lent.push(name);
            }
        }
    }
}

/** A config.json stands for the model; everything else comes from the fields. */
async function planConfig(config: Json, fields: URLSearchParams): Promise<Pasted>
{
    const names = config.architectures;
    const name = String((Array.isArray(names) ? names[0] : null) ?? config.model_type ?? 'config');
    const query = new URLSearchParams(fields);
    query.set('model', keepModel({hf_config: config}, name));
    const plan = await post('/v1/plan', 'application/json', JSON.stringify(bodyOf(query, {hf_config: config})));
    return {plan, query, lent: [], kind: 'config.json'};
}

async function planRequest(body: Json): Promise<Pasted>
{
    const plan = await post('/v1/plan', 'application/json', JSON.stringify(body));
    const query = queryOf(plan.request, plan.assumed);
    if (typeof plan.request.model === 'object')
        query.set('model', keepModel(plan.request.model, 'model'));
    return {plan, query, lent: [], kind: 'request'};
}

/** The plan of a pasted text; throws a Problem where the service refuses it. */
export function planPasted(text: string, fields: URLSearchParams): Promise<Pasted>
{
    const trimmed = text.trim();
    const json = jsonOf(trimmed);
    if (json && isConfig(json))
        return planConfig(json, fields);
    if (json && isRequest(json))
        return planRequest(json);
    return planText(trimmed, fields);
}
