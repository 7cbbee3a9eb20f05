// cures.tsx - what would help and by how much, what would not, each with its evidence and a button to apply it.
import {digits, figure, type Unit} from '../../app/figures';
import type {Check, Cure, Effect, Plan, Pointers} from '../../app/plan';
import {addressOfSides} from '../../app/compare';
import {argumentOf, changedQuery, isSetting} from '../../app/plan-query';
import {addressOfRecord} from '../../app/behind';
import {Frame} from '../../charts/frame';
import {Basis} from '../../ui/badge';
import type {Explanation} from '../../ui/explain';
import {Figure} from '../../ui/figure';
import {regimeWords} from './words';

export type ApplyChange = (change: Pointers) => void;

interface Column {
    readonly name: keyof Effect;
    readonly title: string;
    /** Whether more of it is better. */
    readonly more: boolean;
    readonly unit: Unit;
    readonly before: (plan: Plan) => number | null;
    /** What is compared, where the name does not say it. */
    readonly of?: string;
}

const COLUMNS: readonly Column[] = [
    {name: 'tpot', title: 'TPOT', more: false, unit: 'ms', before: (plan) => plan.latency.tpot_ms.expected},
    {name: 'ttft', title: 'TTFT', more: false, unit: 'ms', before: (plan) => plan.latency.ttft_ms.expected},
    {name: 'output_tok_s', title: 'Output', more: true, unit: 'rate',
        before: (plan) => plan.throughput.output_tok_s.expected},
    {name: 'memory', title: 'Memory', more: false, unit: 'bytes', before: () => null,
        of: ' of weights, activations, overhead and the KV in use'},
];

/** "weights=fp8 tp=2" of a change. */
export function changeWords(change: Pointers): string
{
    return Object.entries(change).map(([pointer, value]) => `${argumentOf(pointer)}=${String(value)}`).join(' ');
}

const isBetter = (column: Column, value: number) => (value > 0) === column.more;

/** Better to the right of the middle, worse to the left; a bar is full at 100 %. */
function barOf(column: Column, value: number, width: number): {x: number; width: number; colour: string}
{
    const half = width / 2;
    const length = Math.min(Math.abs(value), 1) * half;
    const better = isBetter(column, value);
    return {x: better ? half : half - length, width: length, colour: better ? 'var(--good)' : 'var(--bad)'};
}

/** What an effect compares: the figure as it is and as it would be. */
function explainEffect(plan: Plan, cure: Cure, column: Column): Explanation
{
    const before = column.before(plan);
    const effect = cure.effect[column.name];
    const after = before === null || effect === null ? null : before * (1 + effect);
    return {
        title: `${cure.title}: ${column.title}`,
        parts: before === null ? [] : [
            {name: 'as planned', value: before, unit: column.unit},
            {name: 'with the change', value: after, unit: column.unit},
        ],
        formula: `(after - before) / before${column.of ?? ''}, both planned with the same records and formulas`,
        formulas: [{name: 'Change', text: changeWords(cure.change)}],
        basis: cure.basis,
        words: `${cure.why} ${cure.when_not}`,
        records: [...cure.evidence.map(({anchor}) => ({kind: 'anchors', id: anchor})), {kind: 'cures', id: cure.id}],
    };
}

function EffectBar({column, value, explain}: {column: Column; value: number | null; explain: () => Explanation})
{
    const known = value !== null && Number.isFinite(value);
    const bar = barOf(column, known ? value : 0, 100);
    const small = !known || Math.abs(value) < 0.0005;
    return (
        <div class="effect">
            <dt>{column.title}</dt>
            <dd>
                <svg viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true">
                    <rect x={bar.x} width={bar.width} y="1" height="8" fill={bar.colour} />
                    <rect x="49.6" width=".8" height="10" fill="var(--ink-soft)" />
                </svg>
                <span class={small ? 'soft' : isBetter(column, value) ? 'good' : 'bad'}>
                    <Figure value={small && known ? 0 : value} unit="change" explain={explain} />
                </span>
            </dd>
        </div>
    );
}

function Evidence({cure}: {cure: Cure})
{
    if (cure.evidence.length === 0)
        return <span>Evidence: <Basis basis="no record" /></span>;
    return (
        <span>
            Evidence:{' '}
            {cure.evidence.map(({anchor}, i) => (
                <span key={anchor}>
                    {i > 0 && ', '}
                    <a href={addressOfRecord({kind: 'anchors', id: anchor})}>{anchor}</a>
                </span>
            ))}
        </span>
    );
}

function CureRow({cure, flags, apply, plan, query}:
    {cure: Cure; flags: readonly string[]; apply: ApplyChange; plan: Plan; query: URLSearchParams})
{
    const devices = cure.effect.devices ?? 0;
    return (
        <li class="cure">
            <div class="cure-head">
                <h3>
                    <span class="soft">{cure.rank ?? ''}</span>{' '}
                    <a href={`/docs/cures/${cure.id}`}>{cure.title}</a>
                </h3>
                <Basis basis={cure.basis} />
                {devices !== 0 && <span class="soft">× {digits(1 + devices)} devices</span>}
            </div>
            <dl class="effects">
                {COLUMNS.map((column) => (
                    <EffectBar key={column.name} column={column} value={cure.effect[column.name]}
                        explain={() => explainEffect(plan, cure, column)} />
                ))}
            </dl>
            <p class="cure-words">
                {cure.why} <span class="soft">{cure.when_not}</span>
                {cure.regime_after !== plan.regime.id && <span class="soft"> Then: {regimeWords(cure.regime_after)}.</span>}
            </p>
            <p class="cure-tools">
                {isSetting(cure.change) && (
                    <button type="button" onClick={() => apply(cure.change)}
                        aria-label={`Apply ${changeWords(cure.change)}`}>Apply</button>
                )}
                {isSetting(cure.change) && (
                    <a href={addressOfSides({a: query, b: changedQuery(query, cure.change)})}>Compare</a>
                )}
                <code>{flags.length > 0 ? flags.join(' ') : changeWords(cure.change)}</code>
                <span class="soft"><Evidence cure={cure} /></span>
            </p>
        </li>
    );
}

/** The effects alone, as one drawing to take away. */
function Drawing({cures}: {cures: readonly Cure[]})
{
    const width = 860;
    const height = 30 + cures.length * 24;
    const left = 250;
    const cell = (width - left) / COLUMNS.length;
    return (
        <svg class="drawing" viewBox={`0 0 ${width} ${height}`} width={width} height={height}>
            {COLUMNS.map((column, i) => (
                <text key={column.name} x={left + i * cell} y="16" class="chart-text">{column.title}</text>
            ))}
            {cures.map((cure, row) => (
                <g key={cure.id} transform={`translate(0 ${30 + row * 24})`}>
                    <text x="0" y="12" class="chart-text">{cure.title}</text>
                    {COLUMNS.map((column, i) => {
                        const value = cure.effect[column.name] ?? 0;
                        const bar = barOf(column, value, cell - 70);
                        return (
                            <g key={column.name} transform={`translate(${left + i * cell} 0)`}>
                                <rect x={bar.x} width={bar.width} y="2" height="12" fill={bar.colour} />
                                <text x={cell - 64} y="12" class="chart-text">{figure(value, 'change')}</text>
                            </g>
                        );
                    })}
                </g>
            ))}
        </svg>
    );
}

interface CuresProps {
    readonly plan: Plan;
    readonly check: Check | null;
    readonly apply: ApplyChange;
    readonly query: URLSearchParams;
    readonly embed: boolean;
}

export function Cures({plan, check, apply, query, embed}: CuresProps)
{
    const flagsOf = (cure: Cure) => check?.cures.find((row) => row.id === cure.id)?.flags ?? [];
    const row = (cure: Cure) => (
        <CureRow key={cure.id} cure={cure} flags={flagsOf(cure)} apply={apply} plan={plan}
            query={query} />
    );
    const rows = () => [...plan.cures, ...plan.non_cures].map((cure) => ({
        cure: cure.id, rank: cure.rank, change: changeWords(cure.change), ...cure.effect, basis: cure.basis,
        evidence: cure.evidence.map(({anchor}) => anchor).join(' '), evidence_status: cure.evidence_status,
    }));
    return (
        <Frame id="cures" title="Cures" rows={rows} embed={embed}
            words="What would change this plan, best first. Bars to the right are better; full at 100 %.">
            <div class="taken-away" aria-hidden="true"><Drawing cures={plan.cures} /></div>
            {plan.cures.length === 0 && <p>Nothing that is known moves this plan by 3 % or more.</p>}
            <ol class="cures">{plan.cures.map(row)}</ol>
            {plan.non_cures.length > 0 && (
                <details class="more">
                    <summary>What does not help here ({plan.non_cures.length})</summary>
                    <ul class="cures">{plan.non_cures.map(row)}</ul>
                </details>
            )}
        </Frame>
    );
}
