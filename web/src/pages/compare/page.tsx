// page.tsx - two configurations side by side: what differs between them, and what that does.
import {useMemo, useState} from 'preact/hooks';
import {useAnswer, type Problem} from '../../app/api';
import {addressOfSides, sidesOf, type Comparison, type Side, type Sides} from '../../app/compare';
import {currentQuery, navigate} from '../../app/location';
import type {PageProps} from '../../app/pages';
import type {Plan} from '../../app/plan';
import {changedQuery} from '../../app/plan-query';
import {questionOf, requestOf} from '../../app/plan-question';
import {CopyButton} from '../../ui/copy';
import {Intake, LostNote} from '../plan/intake';
import {Changes} from './changes';
import {Checks} from './checks';
import {ClassDeltas} from './classes';
import {Figures, MemoryFigures} from './figures';
import {SideCard} from './side';
import {Verdict} from './change-verdict';

export interface Plans {
    readonly a: Plan | null;
    readonly b: Plan | null;
}

/** Both plans in full, for what stands behind the numbers; asked once the comparison is there. */
function usePlans(sides: Sides, ready: boolean): Plans
{
    const a = questionOf('/v1/plan', sides.a);
    const b = questionOf('/v1/plan', sides.b);
    return {
        a: useAnswer<Plan>(ready ? a.path : null, a.body).data,
        b: useAnswer<Plan>(ready ? b.path : null, b.body).data,
    };
}

function Tools({sides, go}: {sides: Sides; go: (sides: Sides) => void})
{
    return (
        <div class="compare-tools" role="group" aria-label="Both sides">
            <button type="button" onClick={() => go({a: sides.b, b: sides.a})}>Swap</button>
            <button type="button" onClick={() => go({a: sides.a, b: sides.a})}>Copy baseline to candidate</button>
            <CopyButton label="Copy link" text={() => location.origin + addressOfSides(sides)} />
        </div>
    );
}

function Results({comparison, plans, embed}: {comparison: Comparison; plans: Plans; embed: boolean})
{
    const charts = (
        <div class="side-by-side">
            <ClassDeltas phase="decode" title="Decode step by class" step={comparison.decode} plans={plans} embed={embed} />
            <ClassDeltas phase="prefill" title="Prefill by class" step={comparison.prefill} plans={plans} embed={embed} />
        </div>
    );
    if (embed)
        return charts;
    return (
        <>
            <Verdict comparison={comparison} />
            <Changes changes={comparison.changes} />
            <Figures comparison={comparison} plans={plans} />
            {charts}
            <MemoryFigures comparison={comparison} />
            <Checks checks={comparison.checks} />
        </>
    );
}

function Faults({problem}: {problem: Problem})
{
    return (
        <div class="faults" role="alert">
            <p class="fault">Not compared: {problem.title}.</p>
            <ul>{problem.faults.map((fault) => (
                <li key={fault.pointer + fault.detail}><code>{fault.pointer}</code> {fault.detail}
                    {fault.suggestion && <>; the nearest is {fault.suggestion}</>}</li>
            ))}</ul>
        </div>
    );
}

export default function ComparePage({place, embed}: PageProps)
{
    const text = place.query.toString();
    const sides = useMemo(() => sidesOf(new URLSearchParams(text)), [text]);
    const [pasting, setPasting] = useState<Side | null>(null);
    const {data, problem, waiting} = useAnswer<Comparison>('/v1/compare',
        {baseline: requestOf(sides.a), candidate: requestOf(sides.b)});
    const plans = usePlans(sides, data !== null && problem === null && !waiting);
    const go = (next: Sides, replace = false) => navigate(addressOfSides(next), {replace});
    const card = (side: Side) => (
        <SideCard side={side} query={sides[side]} plan={(side === 'a' ? data?.baseline : data?.candidate) ?? null}
            faults={problem?.faults ?? []} onPaste={() => setPasting(side)}
            set={(changes, replace) => {
                const now = sidesOf(currentQuery());
                go({...now, [side]: changedQuery(now[side], changes)}, replace);
            }} />
    );
    if (embed)
        return <div class="embedded"><h1 class="hidden-text">Compare</h1>
            {problem && <Faults problem={problem} />}
            {data && <Results comparison={data} plans={plans} embed />}</div>;
    return (
        <div class="compare">
            <div class="compare-head">
                <h1>Compare</h1>
                <Tools sides={sides} go={go} />
            </div>
            <div class="compare-sides">{card('a')}{card('b')}</div>
            {(['a', 'b'] as const).map((side) => <LostNote key={side} query={sides[side]} />)}
            {problem && <Faults problem={problem} />}
            <div class={problem ? 'compare-answer stale' : 'compare-answer'} aria-busy={waiting}>
                {data && <Results comparison={data} plans={plans} embed={false} />}
            </div>
            {pasting && (
                <Intake query={sides[pasting]} onClose={() => setPasting(null)} onPasted={(found) => {
                    setPasting(null);
                    go({...sides, [pasting]: found.query});
                }} />
            )}
        </div>
    );
}
