// explain.ts - what the numbers of a plan are made of, for the sheet behind each of them.
import {digits} from '../../app/figures';
import type {Unit} from '../../app/figures';
import type {Estimate, MemoryTerm, Plan, StepClass} from '../../app/plan';
import type {Explanation} from '../../ui/explain';
import {boundWords} from './words';

export type EstimateName = 'ttft_ms' | 'tpot_ms' | 'e2e_ms' | 'output_tok_s' | 'per_user_tok_s' | 'requests_s' |
    'max_request_rate';

interface EstimateRow {
    readonly title: string;
    readonly short: string;
    readonly unit: Unit;
    readonly suffix?: string;
    readonly formula: string;
    readonly of: (plan: Plan) => Estimate;
}

/** The figures of a plan that have an interval, and how each follows from the steps. */
export const ESTIMATES: Readonly<Record<EstimateName, EstimateRow>> = {
    ttft_ms: {
        title: 'Time to first token', short: 'TTFT', unit: 'ms',
        formula: 'wait for the running step + prefills queued ahead + the own prefill in its chunks',
        of: (plan) => plan.latency.ttft_ms,
    },
    tpot_ms: {
        title: 'Time per output token', short: 'TPOT', unit: 'ms',
        formula: '(end to end - TTFT) / (output tokens - 1), mean over requests: the decode step and the prefills ' +
            'of others that interrupt it',
        of: (plan) => plan.latency.tpot_ms,
    },
    e2e_ms: {
        title: 'Time of a whole request', short: 'End to end', unit: 'ms',
        formula: 'TTFT + (output tokens - 1) x TPOT',
        of: (plan) => plan.latency.e2e_ms,
    },
    output_tok_s: {
        title: 'Output of the whole deployment', short: 'Output', unit: 'rate', suffix: 'tok/s',
        formula: 'output tokens x requests per second, all devices and replicas together',
        of: (plan) => plan.throughput.output_tok_s,
    },
    per_user_tok_s: {
        title: 'Speed that one user sees', short: 'Per user', unit: 'rate', suffix: 'tok/s',
        formula: '1000 / TPOT in ms',
        of: (plan) => plan.throughput.per_user_tok_s,
    },
    requests_s: {
        title: 'Requests finished per second', short: 'Requests', unit: 'rate', suffix: 'req/s',
        formula: 'requests in flight / time of a whole request',
        of: (plan) => plan.throughput.requests_s,
    },
    max_request_rate: {
        title: 'Highest rate it keeps up with', short: 'Saturates at', unit: 'rate', suffix: 'req/s',
        formula: 'requests per second with every slot that memory and the engine give taken, at these lengths',
        of: (plan) => plan.throughput.max_request_rate,
    },
};

function intervalWords(plan: Plan, estimate: Estimate): string
{
    if (estimate.low === null)
        return 'No interval: too little was measured near this configuration.';
    const {tier, anchors} = plan.latency.nearness;
    const near = anchors > 0 ? `${anchors} measurements nearby` : `the backtest's group "${tier.replaceAll('_', ' ')}"`;
    return `Low and high hold the central 80 %, from the errors seen against ${near}.`;
}

export function explainEstimate(name: EstimateName, plan: Plan): Explanation
{
    const row = ESTIMATES[name];
    const estimate = row.of(plan);
    const measured = plan.measured[name];
    const part = (label: string, value: number | null) => ({name: label, value, unit: row.unit});
    const {dominant} = plan;
    return {
        title: row.title,
        parts: [
            part(name.endsWith('_ms') ? 'floor, by physics' : 'ceiling, by physics', estimate.floor),
            part('low', estimate.low), part('expected', estimate.expected), part('high', estimate.high),
            ...measured ? [part('measured', measured.value)] : [],
        ],
        formula: row.formula,
        basis: estimate.basis,
        error: intervalWords(plan, estimate),
        words: `Most of the ${dominant.phase} step goes to ${dominant.class}, which waits for ` +
            `${boundWords(dominant.bound)}; the table of classes gives every part with its own source.`,
        records: [
            {kind: 'classes', id: dominant.class},
            ...measured ? [{kind: 'anchors', id: measured.anchor}] : [],
        ],
        links: [{label: 'Predicted against measured: the backtest', href: '/records/backtest'}],
    };
}

function fitWords(row: StepClass): string | null
{
    const fit = row.fit;
    if (!fit)
        return null;
    const percent = (value: number) => `${digits(value * 100, 2)} %`;
    const errors = [
        fit.median_error !== null ? `median error ${percent(fit.median_error)}` : '',
        fit.p90_error !== null && fit.p90_error !== undefined ? `90th percentile ${percent(fit.p90_error)}` : '',
    ].filter(Boolean).join(', ');
    const where = [fit.hardware, fit.engine, fit.engine_version].filter(Boolean).join(', ');
    const kernels = fit.kernels !== null ? `${fit.kernels.toLocaleString('en-US')} measured kernels` : 'a fit';
    return `Fitted to ${kernels}${where ? ` on ${where}` : ''} (${fit.match})${errors ? `: ${errors}` : ''}.`;
}

/** One class of a step: its figures, its formula, the fit and the measurement behind it. */
export function explainClass(row: StepClass, phase: string): Explanation
{
    return {
        title: `${row.class} in ${phase}`,
        parts: [
            {name: 'floor', value: row.floor_us, unit: 'us'},
            {name: 'expected', value: row.expected_us, unit: 'us'},
            {name: 'moving bytes', value: row.memory_us, unit: 'us'},
            {name: 'computing', value: row.compute_us, unit: 'us'},
            {name: 'fixed', value: row.fixed_us, unit: 'us'},
            {name: 'bytes', value: row.bytes, unit: 'bytes'},
            {name: 'flops', value: row.flops, unit: 'flops'},
            ...row.link_bytes ? [{name: 'link bytes', value: row.link_bytes, unit: 'bytes'} as const] : [],
            ...row.host_bytes ? [{name: 'host bytes', value: row.host_bytes, unit: 'bytes'} as const] : [],
            ...row.launches ? [{name: 'launches', value: row.launches, unit: 'tokens'} as const] : [],
        ],
        formula: row.formula,
        basis: row.basis,
        error: fitWords(row),
        records: [
            ...row.fit ? [{kind: 'calibrations', id: row.fit.id}] : [],
            ...row.anchor ? [{kind: 'anchors', id: row.anchor}] : [],
            {kind: 'classes', id: row.class},
        ],
    };
}

export function explainTerm(term: MemoryTerm): Explanation
{
    return {
        title: term.title.charAt(0).toUpperCase() + term.title.slice(1),
        parts: [
            {name: 'low', value: term.low_bytes, unit: 'bytes'},
            {name: 'expected', value: term.bytes, unit: 'bytes'},
            {name: 'high', value: term.high_bytes, unit: 'bytes'},
        ],
        formula: term.formula,
        basis: term.basis,
        error: term.in_budget ? null : 'It takes what the budget leaves, not the pool.',
        ...term.rule ? {records: [{kind: 'memory-rules', id: term.rule}]} : {},
    };
}
