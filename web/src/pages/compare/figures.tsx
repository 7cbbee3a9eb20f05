// figures.tsx - latency, throughput and memory before and after, each with its interval.
import type {ComparedPlan, Comparison, Pair} from '../../app/compare';
import {figure, type Unit} from '../../app/figures';
import type {Estimate, Plan} from '../../app/plan';
import {Basis} from '../../ui/badge';
import {Figure} from '../../ui/figure';
import {IntervalBar} from '../../ui/interval';
import {Scroll} from '../../ui/scroll';
import {ESTIMATES, explainEstimate, type EstimateName} from '../plan/explain';
import type {Plans} from './page';

const NAMES = Object.keys(ESTIMATES) as EstimateName[];
/** A change of less than this is neither better nor worse. */
const ALIKE = 0.02;

const estimateOf = (plan: ComparedPlan, name: EstimateName): Estimate =>
    ({...plan.latency, ...plan.throughput} as Readonly<Record<EstimateName, Estimate>>)[name];

function Change({pair, lower}: {pair: Pair | undefined; lower: boolean})
{
    const change = pair?.change ?? null;
    const better = change !== null && (lower ? change < 0 : change > 0);
    const tone = change === null || Math.abs(change) < ALIKE ? '' : better ? 'good' : 'bad';
    return <td class={`number ${tone}`}>{change === null ? 'no record' : figure(change, 'change')}</td>;
}

interface EstimateCellProps {
    readonly name: EstimateName;
    readonly of: Estimate;
    readonly plan: Plan | null;
    readonly end: number;
}

function EstimateCell({name, of, plan, end}: EstimateCellProps)
{
    const {unit, suffix} = ESTIMATES[name];
    return (
        <td class="estimate">
            <Figure value={of.expected} unit={unit} {...suffix ? {suffix} : {}}
                {...plan ? {explain: () => explainEstimate(name, plan)} : {}} />{' '}<Basis basis={of.basis} />
            <IntervalBar of={of} unit={unit} end={end} />
            <span class="soft estimate-range">{of.low !== null && of.high !== null
                ? `${figure(of.low, unit)} to ${figure(of.high, unit)}` : '\u00a0'}</span>
        </td>
    );
}

/** Whether two 80 % intervals share figures: then the order of the two is not sure. */
const overlap = (a: Estimate, b: Estimate) =>
    a.low !== null && a.high !== null && b.low !== null && b.high !== null && a.low <= b.high && b.low <= a.high;

function EstimateRow({name, comparison, plans}: {name: EstimateName; comparison: Comparison; plans: Plans})
{
    const a = estimateOf(comparison.baseline, name);
    const b = estimateOf(comparison.candidate, name);
    const end = Math.max(...[a, b].flatMap((of) => [of.floor, of.expected, of.high])
        .filter((value): value is number => value !== null), 0) * 1.04;
    return (
        <tr>
            <th scope="row" title={ESTIMATES[name].title}>{ESTIMATES[name].short}</th>
            <EstimateCell name={name} of={a} plan={plans.a} end={end} />
            <EstimateCell name={name} of={b} plan={plans.b} end={end} />
            <Change pair={{...comparison.latency, ...comparison.throughput}[name]} lower={name.endsWith('_ms')} />
            <td class="soft">{overlap(a, b) ? 'overlap' : 'apart'}</td>
        </tr>
    );
}

export function Figures({comparison, plans}: {comparison: Comparison; plans: Plans})
{
    return (
        <section class="card" aria-labelledby="figures">
            <h2 id="figures">Latency and throughput</h2>
            <Scroll label="Latency and throughput">
                <table class="compare-figures">
                    <thead><tr>
                        <th scope="col">Figure</th><th scope="col">Baseline</th><th scope="col">Candidate</th>
                        <th scope="col" class="number">Change</th><th scope="col">80 % intervals</th>
                    </tr></thead>
                    <tbody>{NAMES.map((name) => <EstimateRow key={name} name={name} comparison={comparison} plans={plans} />)}</tbody>
                </table>
            </Scroll>
        </section>
    );
}

/** Rows of memory: what the API calls them, and whether less is better. */
const MEMORY: readonly (readonly [name: string, title: string, unit: Unit, lower: boolean])[] = [
    ['weights_bytes', 'Weights, per device', 'bytes', true],
    ['activation_bytes', 'Activations', 'bytes', true],
    ['overhead_bytes', 'Overhead', 'bytes', true],
    ['kv_bytes', 'KV pool', 'bytes', false],
    ['usable_bytes', 'Usable, per device', 'bytes', false],
    ['kv_bytes_per_token', 'KV bytes of a token', 'bytes', true],
    ['kv_token_capacity', 'Tokens the pool holds', 'tokens', false],
    ['max_concurrency', 'Requests of this load it holds', 'requests', false],
];

export function MemoryFigures({comparison}: {comparison: Comparison})
{
    const fits = (plan: ComparedPlan) => ({yes: 'fits', no: 'does not fit', unknown: 'may not fit'})[plan.memory.verdict];
    return (
        <section class="card" aria-labelledby="memory">
            <h2 id="memory">Memory</h2>
            <Scroll label="Memory">
                <table>
                    <thead><tr>
                        <th scope="col">Figure</th><th scope="col" class="number">Baseline</th>
                        <th scope="col" class="number">Candidate</th><th scope="col" class="number">Change</th>
                    </tr></thead>
                    <tbody>
                        <tr><th scope="row">Weights and one request</th><td class="number">{fits(comparison.baseline)}</td>
                            <td class="number">{fits(comparison.candidate)}</td><td /></tr>
                        {MEMORY.map(([name, title, unit, lower]) => {
                            const pair = comparison.memory[name];
                            return (
                                <tr key={name}>
                                    <th scope="row">{title}</th>
                                    <td class="number">{figure(pair?.baseline, unit)}</td>
                                    <td class="number">{figure(pair?.candidate, unit)}</td>
                                    <Change pair={pair} lower={lower} />
                                </tr>
                            );
                        })}
                    </tbody>
                </table>
            </Scroll>
        </section>
    );
}
