// compare.ts - what /v1/compare replies, and two plans as one address.
//
// Settings that both sides share stand in the address by their own names, those of one side behind
// "a." or "b.": /compare?model=llama-3.1-8b&hardware=h100-sxm&a.weights=bf16&b.weights=fp8. A whole
// query of a plan as `a` or `b` is understood too.
import {addressOf} from './location';
import type {CheckResult, Dominant, Estimate, Memory, Request} from './plan';
import {planQuery} from './plan-query';

export interface Pair {
    readonly baseline: number | null;
    readonly candidate: number | null;
    /** (candidate - baseline)/baseline */
    readonly change: number | null;
}

export interface Moved {
    readonly baseline: string;
    readonly candidate: string;
    readonly moved: boolean;
}

export interface ClassDelta {
    readonly class: string;
    readonly in_baseline: boolean;
    readonly in_candidate: boolean;
    readonly baseline_us: number | null;
    readonly candidate_us: number | null;
    readonly delta_us: number | null;
    readonly baseline_bytes: number | null;
    readonly candidate_bytes: number | null;
    readonly delta_bytes: number | null;
    readonly baseline_share: number | null;
    readonly candidate_share: number | null;
}

export interface StepDelta {
    readonly expected_us: Pair;
    readonly floor_us: Pair;
    readonly bytes: Pair;
    readonly flops: Pair;
    readonly dominant: Moved;
    readonly classes: readonly ClassDelta[];
}

export interface InputChange {
    readonly pointer: string;
    readonly baseline: unknown;
    readonly candidate: unknown;
    readonly baseline_assumed: boolean;
    readonly candidate_assumed: boolean;
}

export interface ComparedPlan {
    readonly request: Request;
    readonly assumed: readonly string[];
    readonly regime: {readonly id: string; readonly title: string; readonly because: string};
    readonly dominant: Dominant;
    readonly latency: Readonly<Record<'ttft_ms' | 'tpot_ms' | 'e2e_ms', Estimate>>;
    readonly throughput: Readonly<Record<'output_tok_s' | 'per_user_tok_s' | 'requests_s' | 'max_request_rate', Estimate>>;
    readonly memory: Memory;
    readonly warnings: readonly {readonly detail: string}[];
}

export interface Comparison {
    readonly verdict: 'pass' | 'fail' | 'unknown';
    readonly checks: readonly CheckResult[];
    readonly changes: readonly InputChange[];
    readonly regime: Moved;
    readonly dominant: Moved;
    readonly latency: Readonly<Record<string, Pair>>;
    readonly throughput: Readonly<Record<string, Pair>>;
    readonly memory: Readonly<Record<string, Pair>>;
    readonly decode: StepDelta;
    readonly prefill: StepDelta;
    readonly baseline: ComparedPlan;
    readonly candidate: ComparedPlan;
}

export type Side = 'a' | 'b';
export type Sides = Readonly<Record<Side, URLSearchParams>>;

/** What is compared where the address names nothing: the example of the plan page, and fp8 weights. */
function example(): Sides
{
    const a = planQuery(new URLSearchParams());
    const b = new URLSearchParams(a);
    a.set('weights', 'bf16');
    b.set('weights', 'fp8');
    return {a, b};
}

const OF_THE_PAGE = ['embed', 'chart'];

function sideOf(query: URLSearchParams, side: Side): URLSearchParams
{
    const own = new URLSearchParams(query.get(side) ?? '');
    for (const [name, value] of query)
        if (!/^[ab](\.|$)/.test(name) && !OF_THE_PAGE.includes(name))
            own.set(name, value);
    for (const [name, value] of query)
        if (name.startsWith(`${side}.`))
            own.set(name.slice(2), value);
    return planQuery(own);
}

export function sidesOf(query: URLSearchParams): Sides
{
    const names = [...query.keys()].filter((name) => !OF_THE_PAGE.includes(name));
    return names.length === 0 ? example() : {a: sideOf(query, 'a'), b: sideOf(query, 'b')};
}

/** The address of a comparison: what both sides share is said once. */
export function addressOfSides({a, b}: Sides): string
{
    const query = new URLSearchParams();
    for (const [name, value] of a)
        query.set(b.get(name) === value ? name : `a.${name}`, value);
    for (const [name, value] of b)
        if (a.get(name) !== value)
            query.set(`b.${name}`, value);
    return addressOf('/compare', query);
}
