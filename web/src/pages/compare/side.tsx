// side.tsx - one of the two configurations: what it is in a line, its settings, what it waits for.
import type {Fault} from '../../app/api';
import type {ComparedPlan, Side} from '../../app/compare';
import {addressOf} from '../../app/location';
import {Inputs} from '../plan/inputs';
import type {SetSettings} from '../plan/settings';

export const NAMES: Readonly<Record<Side, string>> = {a: 'Baseline', b: 'Candidate'};
const POINTERS: Readonly<Record<Side, string>> = {a: '/baseline', b: '/candidate'};

interface SideProps {
    readonly side: Side;
    readonly query: URLSearchParams;
    readonly plan: ComparedPlan | null;
    readonly faults: readonly Fault[];
    readonly set: SetSettings;
    readonly onPaste: () => void;
}

const nameOf = (thing: ComparedPlan['request']['model'], otherwise: string) => (typeof thing === 'string' ? thing : otherwise);

/** "llama-3.1-8b on h100-sxm" and what is served how. */
function Words({plan}: {plan: ComparedPlan | null})
{
    if (!plan)
        return <p class="side-words">{'\u00a0'}</p>;
    const {deployment, workload} = plan.request;
    const cut = ['tp', 'pp', 'dp', 'ep'].filter((name) => Number(deployment[name]) > 1)
        .map((name) => `${name} ${String(deployment[name])}`);
    const parts = [`${String(deployment.engine)} ${String(deployment.engine_version ?? '')}`, `${String(deployment.weights)} weights`,
        ...cut, `${String(workload.concurrency ?? 1)} at once`, `${String(workload.input_tokens)} in`,
        `${String(workload.output_tokens)} out`];
    return <p class="side-words soft">{parts.join(' · ')}</p>;
}

export function SideCard({side, query, plan, faults, set, onPaste}: SideProps)
{
    const own = faults.filter(({pointer}) => pointer.startsWith(POINTERS[side]))
        .map((fault) => ({...fault, pointer: fault.pointer.slice(POINTERS[side].length)}));
    return (
        <section class="card side" aria-labelledby={`side-${side}`}>
            <p class="side-name soft"><span class={`side-mark side-${side}`} aria-hidden="true" /> {NAMES[side]}</p>
            <h2 id={`side-${side}`}>
                <span class="hidden-text">{NAMES[side]}: </span>
                {plan ? `${nameOf(plan.request.model, 'a pasted model')} on ${nameOf(plan.request.hardware, 'a part of its own')}`
                    : `${query.get('model') ?? ''} on ${query.get('hardware') ?? ''}`}
            </h2>
            <Words plan={plan} />
            <p class="side-regime">{plan?.regime.title ?? '\u00a0'}</p>
            <div class="side-tools">
                <button type="button" class="quiet" onClick={onPaste}>
                    Paste a deployment<span class="hidden-text"> as the {NAMES[side].toLowerCase()}</span>
                </button>
                <a class="button quiet" href={addressOf('/', query)}>Its plan</a>
            </div>
            <details class="side-settings" open={own.length > 0 || undefined}>
                <summary>Settings</summary>
                <Inputs query={query} plan={plan} faults={own} set={set} />
            </details>
        </section>
    );
}
