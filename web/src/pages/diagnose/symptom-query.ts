// symptom-query.ts - what was seen of a deployment, as the page's address and as the body of /v1/diagnose.
import {requestOf} from '../../app/plan-question';
import type {PastedText, TextKind} from './texts';

type SymptomUnit = 'number' | 'percent' | 'series';

export interface Symptom {
    /** The field of "observed". */
    readonly name: string;
    readonly label: string;
    readonly unit: SymptomUnit;
    readonly example: string;
}

/** The most telling ones, in the order in which people look. */
export const TELLING: readonly Symptom[] = [
    {name: 'concurrency', label: 'Concurrency', unit: 'number', example: '32'},
    {name: 'gpu_utilization', label: 'GPU utilisation, %', unit: 'percent', example: '35'},
    {name: 'tpot_ms', label: 'TPOT, ms', unit: 'series', example: '22, or 1:12 32:40'},
    {name: 'ttft_ms', label: 'TTFT, ms', unit: 'series', example: '800, or 1:90 32:2100'},
    {name: 'output_tok_s', label: 'Output tok/s', unit: 'series', example: '900, or 1:80 32:900'},
    {name: 'waiting', label: 'Requests waiting', unit: 'number', example: '120'},
    {name: 'kv_usage', label: 'KV cache usage, %', unit: 'percent', example: '99'},
    {name: 'preemptions', label: 'Preemptions', unit: 'number', example: '40'},
];

export const FURTHER: readonly Symptom[] = [
    {name: 'running', label: 'Requests running', unit: 'number', example: '32'},
    {name: 'max_running', label: 'Limit of running requests', unit: 'number', example: '256'},
    {name: 'prefix_hit_rate', label: 'Prefix hit rate, %', unit: 'percent', example: '3'},
    {name: 'spec_acceptance', label: 'Draft acceptance, %', unit: 'percent', example: '40'},
    {name: 'cpu_cores', label: 'CPU cores busy', unit: 'number', example: '1.0'},
    {name: 'gpu_temperature_c', label: 'GPU temperature, °C', unit: 'number', example: '85'},
    {name: 'gpu_power_w', label: 'GPU power, W', unit: 'number', example: '310'},
    {name: 'gpu_power_cap_w', label: 'GPU power limit, W', unit: 'number', example: '700'},
    {name: 'gpu_sm_clock_mhz', label: 'SM clock, MHz', unit: 'number', example: '1200'},
    {name: 'gpu_sm_clock_max_mhz', label: 'Most it may have, MHz', unit: 'number', example: '1980'},
];

/** What is asked of each of several runs that differ in something. */
export const OF_A_RUN = [
    {name: 'name', label: 'Run', numeric: false, example: 'with LoRA'},
    {name: 'change', label: 'What differs', numeric: false, example: '--enable-lora'},
    {name: 'output_tok_s', label: 'Output tok/s', numeric: true, example: '485'},
    {name: 'tpot_ms', label: 'TPOT, ms', numeric: true, example: '31'},
    {name: 'ttft_ms', label: 'TTFT, ms', numeric: true, example: '420'},
] as const;

export const RUNS = [1, 2, 3, 4] as const;

const ROWS = new Map([...TELLING, ...FURTHER].map((row) => [row.name, row]));
const SEEN = 'seen.';
const RUN = /^run[1-4]\./;
const WORDS = ['changed', 'symptom'] as const;

/** The argument of the address that holds a symptom. */
export const argumentOfSymptom = (name: string) => SEEN + name;
export const argumentOfRun = (run: number, name: string) => `run${run}.${name}`;
export const hasRun = (query: URLSearchParams, run: number) => [...query.keys()].some((name) => name.startsWith(`run${run}.`));

/** Symptoms of an address without a field of their own. */
export const otherSymptoms = (query: URLSearchParams) => [...query]
    .filter(([name, value]) => value !== '' && name.startsWith(SEEN) && !ROWS.has(name.slice(SEEN.length)))
    .map(([name, value]) => ({name: name.slice(SEEN.length), value}));

const ofThePage = (name: string) => name.startsWith(SEEN) || RUN.test(name) || (WORDS as readonly string[]).includes(name);

/** The part of an address that describes the deployment. */
export function deploymentQuery(query: URLSearchParams): URLSearchParams
{
    return new URLSearchParams([...query].filter(([name, value]) => value !== '' && !ofThePage(name)));
}

/** An address with another deployment and the same symptoms. */
export function withDeployment(query: URLSearchParams, deployment: URLSearchParams): URLSearchParams
{
    return new URLSearchParams([...deployment, ...[...query].filter(([name]) => ofThePage(name))]);
}

/** A number as it was typed: "12,000" and "45 %" too. What is none stays text, for the API to refuse. */
function numberOf(text: string): number | string
{
    const number = Number(text.replace(/[%\s]|,(?=\d{3}\b)/g, '') || NaN);
    return Number.isFinite(number) ? number : text;
}

/** Percent as a fraction; "0.35" without a sign of percent is one already. */
function shareOf(text: string): number | string
{
    const number = numberOf(text);
    return typeof number === 'number' && (number > 1 || text.includes('%')) ? number / 100 : number;
}

const POINT = /(\d[\d.]*)\s*:\s*(\d[\d.,]*?)(?=[\s;]|,\s*\d[\d.]*\s*:|,?$)/g;

/** "1:12 32:40" as points by concurrency, a lone number as it is. */
function seriesOf(text: string): unknown
{
    const points = [...text.matchAll(POINT)].map(([, at, value]) => ({concurrency: numberOf(at ?? ''), value: numberOf(value ?? '')}));
    return points.length > 0 ? points : numberOf(text);
}

const READ: Readonly<Record<SymptomUnit, (text: string) => unknown>> = {number: numberOf, percent: shareOf, series: seriesOf};

/** Quantities under their names; what has no field of its own stands in "other", where any name may. */
function seenOf(query: URLSearchParams): Record<string, unknown>
{
    const fields = [...ROWS.values()].map(({name, unit}) => [name, query.get(argumentOfSymptom(name)) ?? '', unit] as const)
        .filter(([, value]) => value !== '').map(([name, value, unit]) => [name, READ[unit](value)]);
    const others = otherSymptoms(query).map(({name, value}) => [name, numberOf(value)]);
    return {...Object.fromEntries(fields), ...others.length > 0 && {other: Object.fromEntries(others)}};
}

function runsOf(query: URLSearchParams): Record<string, unknown>[]
{
    return RUNS.filter((run) => hasRun(query, run)).map((run) => Object.fromEntries(OF_A_RUN
        .map(({name, numeric}) => [name, query.get(argumentOfRun(run, name)) ?? '', numeric] as const)
        .filter(([, value]) => value !== '')
        .map(([name, value, numeric]) => [name, numeric ? numberOf(value) : value])));
}

const textsOf = (texts: readonly PastedText[], kind: TextKind) => texts.filter((row) => row.kind === kind).map((row) => row.text);

const oneOrAll = (texts: readonly string[]) => (texts.length === 1 ? texts[0] ?? '' : texts);

/** The body of a question; null where nothing is said at all. */
export function diagnoseBody(query: URLSearchParams, texts: readonly PastedText[]): Record<string, unknown> | null
{
    const body = requestOf(deploymentQuery(query));
    if (body.model === '')
        delete body.model;
    const parts = {
        observed: seenOf(query), arms: runsOf(query), metrics: textsOf(texts, 'metrics'),
        log: oneOrAll(textsOf(texts, 'log')), smi: oneOrAll(textsOf(texts, 'smi')),
        changed: query.get('changed') ?? '', symptom: query.get('symptom') ?? '',
    };
    for (const [name, part] of Object.entries(parts)) {
        if (Object.keys(part).length > 0)
            body[name] = part;
    }
    return Object.keys(body).length > 0 ? body : null;
}
