// plan-query.ts - a plan as an address: the very query of GET /v1/plan, and back from a reply to it.
import type {Pointers, Request} from './plan';

/** Settings of the pages that are none of the plan's. */
const OF_THE_PAGE = new Set(['embed', 'chart', 'view', 'x', 'x_from', 'x_to', 'y', 'y_from', 'y_to', 'colour', 'detail']);

/** What is planned where the address names nothing. */
const EXAMPLE = {model: 'llama-3.1-8b', hardware: 'h100-sxm', concurrency: '32', input_tokens: '2048', output_tokens: '256'};

/** The plan's part of an address; an example where it names neither model nor hardware. */
export function planQuery(query: URLSearchParams): URLSearchParams
{
    const plan = new URLSearchParams([...query].filter(([name, value]) => value !== '' && !OF_THE_PAGE.has(name)));
    const named = plan.has('model') || plan.has('hardware');
    for (const [name, value] of Object.entries(EXAMPLE)) {
        if (!plan.has(name) && (name === 'model' || name === 'hardware' || !named))
            plan.set(name, value);
    }
    return plan;
}

/** The argument of a query that a JSON pointer of the request stands for: "/deployment/tp" is "tp". */
export function argumentOf(pointer: string): string
{
    return pointer.replace(/^[?/]/, '').replace(/^(deployment|workload|slo)\//, '').replaceAll('/', '.');
}

function textOf(value: unknown): string
{
    if (value === null || value === undefined)
        return '';
    if (Array.isArray(value))
        return value.join(',');
    return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

/** A query with the changes of a cure made; what becomes null goes away. */
export function changedQuery(query: URLSearchParams, change: Pointers): URLSearchParams
{
    const next = new URLSearchParams(query);
    for (const [pointer, value] of Object.entries(change)) {
        const text = textOf(value);
        if (text === '')
            next.delete(argumentOf(pointer));
        else
            next.set(argumentOf(pointer), text);
    }
    return next;
}

/** Whether a change can be made: "a part with 1.5 times the bandwidth" names no part. */
export function isSetting(change: Pointers): boolean
{
    return Object.entries(change).every(([pointer, value]) =>
        !(pointer === '/model' || pointer === '/hardware') || !String(value).includes(' '));
}

/** The settings of a resolved request that were given and not assumed, in the request's order. */
export function givenOf(request: Request, assumed: readonly string[]): [pointer: string, text: string][]
{
    const taken = new Set(assumed);
    const given: [string, string][] = [];
    const walk = (pointer: string, value: unknown) => {
        if (taken.has(pointer) || value === null || value === undefined)
            return;
        if (typeof value === 'object' && !Array.isArray(value)) {
            for (const [name, inner] of Object.entries(value))
                walk(`${pointer}/${name}`, inner);
        } else if (textOf(value) !== '') {
            given.push([pointer, textOf(value)]);
        }
    };
    given.push(['/model', textOf(request.model)], ['/hardware', textOf(request.hardware)]);
    walk('/deployment', request.deployment);
    walk('/workload', request.workload);
    walk('/slo', request.slo);
    return given;
}

/** The query that asks for the same plan as a resolved request. */
export function queryOf(request: Request, assumed: readonly string[]): URLSearchParams
{
    return new URLSearchParams(givenOf(request, assumed).map(([pointer, text]) => [argumentOf(pointer), text]));
}
