// classes.tsx - the step class by class, before and after, as pairs of bars and as figures.
import type {ClassDelta, StepDelta} from '../../app/compare';
import {figure} from '../../app/figures';
import type {Plan} from '../../app/plan';
import {classColour} from '../../charts/colours';
import {Frame} from '../../charts/frame';
import {PairOfBars, PAIR_HEIGHT, type PairBar} from '../../charts/pair_of_bars';
import {useWidth} from '../../charts/width';
import {Figure} from '../../ui/figure';
import {Scroll} from '../../ui/scroll';
import {explainClass} from '../plan/explain';
import type {Plans} from './page';

type Phase = 'decode' | 'prefill';

const MINUS = '−';

const us = (value: number | null) => value ?? 0;
const signed = (value: number | null) => (value === null ? 'no record'
    : value === 0 ? '0' : `${value < 0 ? MINUS : '+'}${figure(Math.abs(value), 'us')}`);

const barOf = (name: string, value: number | null, pale: boolean): PairBar =>
    ({name, value: us(value), text: figure(value, 'us'), pale});

/** The class of a plan, for what stands behind its number. */
const classOf = (plan: Plan | null, phase: Phase, name: string) =>
    plan?.[phase].classes.find((row) => row.class === name) ?? null;

function Number({plan, phase, name, value}: {plan: Plan | null; phase: Phase; name: string; value: number | null})
{
    const row = classOf(plan, phase, name);
    return <td class="number"><Figure value={value} unit="us" {...row ? {explain: () => explainClass(row, phase)} : {}} /></td>;
}

function Table({phase, rows, plans}: {phase: Phase; rows: readonly ClassDelta[]; plans: Plans})
{
    return (
        <Scroll label={`Classes of ${phase}`}>
            <table>
                <thead><tr>
                    <th scope="col">Class</th><th scope="col" class="number">Baseline</th><th scope="col" class="number">Candidate</th>
                    <th scope="col" class="number">Time</th><th scope="col" class="number">Bytes</th>
                    <th scope="col" class="number">Share</th>
                </tr></thead>
                <tbody>{rows.map((row) => (
                    <tr key={row.class}>
                        <th scope="row"><a href={`/docs/classes/${row.class}`}>{row.class}</a></th>
                        {row.in_baseline ? <Number plan={plans.a} phase={phase} name={row.class} value={row.baseline_us} /> : <td class="number">none</td>}
                        {row.in_candidate ? <Number plan={plans.b} phase={phase} name={row.class} value={row.candidate_us} /> : <td class="number">none</td>}
                        <td class="number">{signed(row.delta_us)}</td>
                        <td class="number">{row.delta_bytes === null ? '–' : row.delta_bytes === 0 ? '0'
                            : `${row.delta_bytes < 0 ? MINUS : '+'}${figure(Math.abs(row.delta_bytes), 'bytes')}`}</td>
                        <td class="number">{figure(row.baseline_share, 'share')} → {figure(row.candidate_share, 'share')}</td>
                    </tr>
                ))}</tbody>
            </table>
        </Scroll>
    );
}

interface DeltasProps {
    readonly phase: Phase;
    readonly title: string;
    readonly step: StepDelta;
    readonly plans: Plans;
    readonly embed: boolean;
}

export function ClassDeltas({phase, title, step, plans, embed}: DeltasProps)
{
    const [box, width] = useWidth<HTMLDivElement>(560);
    const rows = [...step.classes].sort((a, b) =>
        Math.max(us(b.baseline_us), us(b.candidate_us)) - Math.max(us(a.baseline_us), us(a.candidate_us)));
    const most = Math.max(...rows.flatMap((row) => [us(row.baseline_us), us(row.candidate_us)]), 1e-9);
    const {baseline, candidate} = step.expected_us;
    const words = `${figure(baseline, 'us')} before (pale), ${figure(candidate, 'us')} after (full): ` +
        `${figure(step.expected_us.change, 'change')}. ${step.dominant.moved
            ? `${step.dominant.candidate} takes the lead from ${step.dominant.baseline}.` : `${step.dominant.candidate} leads both.`}`;
    return (
        <Frame id={`compare-${phase}`} title={title} words={words} embed={embed} rows={() => rows.map((row) => ({...row}))}>
            <div ref={box}>
                <svg class="drawing" role="img" aria-label={`${title}: ${words}`} viewBox={`0 0 ${width} ${rows.length * PAIR_HEIGHT}`}
                    width={width} height={rows.length * PAIR_HEIGHT}>
                    {rows.map((row, i) => (
                        <PairOfBars key={row.class} name={row.class} colour={classColour(row.class)} note={signed(row.delta_us)}
                            title={`${row.class}: ${figure(row.baseline_us, 'us')} before, ${figure(row.candidate_us, 'us')} after`}
                            bars={[barOf('baseline', row.baseline_us, true), barOf('candidate', row.candidate_us, false)]}
                            y={i * PAIR_HEIGHT} width={width} most={most} />
                    ))}
                </svg>
            </div>
            {!embed && (
                <details>
                    <summary>Figures by class</summary>
                    <Table phase={phase} rows={rows} plans={plans} />
                </details>
            )}
        </Frame>
    );
}
