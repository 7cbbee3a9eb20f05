// page.tsx - the plan of one configuration: what is planned on one side, the answer on the other.
import {useEffect, useMemo, useState} from 'preact/hooks';
import {useAnswer} from '../../app/api';
import {addressOf, currentQuery, navigate, type Place} from '../../app/location';
import {useMedia} from '../../app/media';
import type {PageProps} from '../../app/pages';
import type {Check, Plan, Pointers} from '../../app/plan';
import {changedQuery, planQuery} from '../../app/plan-query';
import {isPasted, questionOf} from '../../app/plan-question';
import {Budget} from './budget';
import {Cures} from './cures';
import {Inputs} from './inputs';
import {Intake, LostNote, PastedNote} from './intake';
import {MemoryChart} from './memory';
import type {Pasted} from './paste';
import {Anchors, Assumed, Gaps, Moves} from './rest';
import {Roofline} from './roofline';
import type {SetSettings} from './settings';
import {StepChart} from './step';
import {TakeAway} from './take-away';
import {Faults, Verdict} from './verdict';

const WIDE = '(min-width: 1000px)';

/** False until the first verdict is painted: what stands under it is drawn afterwards. */
function usePainted(plan: Plan | null): boolean
{
    const there = plan !== null;
    const [painted, setPainted] = useState(false);
    useEffect(() => {
        if (!there)
            return;
        const frame = requestAnimationFrame(() => {
            performance.mark('regime:first-plan');
            setTimeout(() => setPainted(true));
        });
        return () => cancelAnimationFrame(frame);
    }, [there]);
    return painted;
}

function usePlan(place: Place)
{
    const text = planQuery(place.query).toString();
    const query = useMemo(() => new URLSearchParams(text), [text]);
    const asked = useMemo(() => ({plan: questionOf('/v1/plan', query), check: questionOf('/v1/check', query)}), [query]);
    const plan = useAnswer<Plan>(asked.plan.path, asked.plan.body);
    const check = useAnswer<Check>(plan.data && !plan.problem ? asked.check.path : null, asked.check.body);
    return {query, plan, check};
}

interface ChartsProps {
    readonly plan: Plan;
    readonly check: Check | null;
    readonly embed: boolean;
    readonly apply: (change: Pointers) => void;
    readonly query: URLSearchParams;
}

function Charts({plan, check, embed, apply, query}: ChartsProps)
{
    return (
        <>
            <StepChart plan={plan} embed={embed} />
            <div class="side-by-side">
                <Roofline plan={plan} embed={embed} />
                <MemoryChart plan={plan} embed={embed} apply={apply} />
            </div>
            {!embed && <Budget plan={plan} />}
            <Cures plan={plan} check={check} embed={embed} apply={apply} query={query} />
            {!embed && (
                <>
                    <Moves plan={plan} query={query} />
                    <Anchors plan={plan} />
                    <Gaps plan={plan} />
                    <Assumed plan={plan} />
                </>
            )}
        </>
    );
}

function Summary({query}: {query: URLSearchParams})
{
    const model = query.get('model') ?? '';
    return (
        <summary>
            {isPasted(model) ? 'pasted model' : model} on {query.get('hardware')}
            {Number(query.get('tp')) > 1 && `, tp ${query.get('tp')}`},{' '}
            {query.get('concurrency') ?? '1'} at once
        </summary>
    );
}

export default function PlanPage({place, embed}: PageProps)
{
    const {query, plan, check} = usePlan(place);
    const [pasting, setPasting] = useState(false);
    const [pasted, setPasted] = useState<Pasted | null>(null);
    const wide = useMedia(WIDE);
    const painted = usePainted(plan.data);

    const go = (next: URLSearchParams, replace = false) => navigate(addressOf('/', next), {replace});
    const set: SetSettings = (changes, replace) => {
        setPasted(null);
        go(changedQuery(planQuery(currentQuery()), changes), replace);
    };
    const apply = (change: Pointers) => {
        setPasted(null);
        go(changedQuery(query, change));
        scrollTo({top: 0});
    };
    const charts = painted && plan.data && (
        <Charts plan={plan.data} check={check.data} embed={embed} apply={apply} query={query} />
    );
    if (embed)
        return (
            <div class="embedded">
                <h1 class="hidden-text">{plan.data?.regime.title ?? 'Plan'}</h1>
                {plan.problem && <Faults problem={plan.problem} />}
                {charts}
            </div>
        );

    return (
        <div class="plan">
            <details class="card plan-inputs" open={wide}>
                <Summary query={query} />
                <div class="plan-tools">
                    <button type="button" class="main" onClick={() => setPasting(true)}>Paste a deployment</button>
                    <TakeAway query={query} />
                </div>
                <Inputs query={query} plan={plan.data} faults={plan.problem?.faults ?? []} set={set} />
            </details>
            <div class={plan.problem ? 'plan-answer stale' : 'plan-answer'} aria-busy={plan.waiting}>
                <LostNote query={query} />
                {pasted && <PastedNote pasted={pasted} onClose={() => setPasted(null)} />}
                <Verdict plan={plan.data} check={check.data} problem={plan.problem} />
                {charts}
            </div>
            {pasting && (
                <Intake query={query} onClose={() => setPasting(false)} onPasted={(found) => {
                    setPasted(found);
                    setPasting(false);
                    go(found.query);
                    scrollTo({top: 0});
                }} />
            )}
        </div>
    );
}
