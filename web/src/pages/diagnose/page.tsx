// page.tsx - from symptoms to a cause: what was seen on one side, what it most likely is on the other.
import {useMemo, useState} from 'preact/hooks';
import {problemOf, useAnswer} from '../../app/api';
import {curlOf} from '../../app/curl';
import type {Diagnosis} from '../../app/diagnosis';
import {addressOf, currentQuery, navigate, setQuery} from '../../app/location';
import type {PageProps} from '../../app/pages';
import {CopyButton} from '../../ui/copy';
import {FaultList} from '../../ui/faults';
import {ReportButton} from '../../ui/report';
import {Intake} from '../plan/intake';
import {Answer} from './diagnose-answer';
import {Deployment} from './deployment';
import {Paste} from './paste';
import {argumentOfSymptom, deploymentQuery, diagnoseBody, withDeployment} from './symptom-query';
import {Symptoms} from './symptoms';
import type {PastedText} from './texts';

/** Time for the rest of several fields before the question is asked again. */
const DELAY_MS = 250;

const EXAMPLE = '/diagnose?model=llama-3.1-8b&hardware=h100-sxm&seen.concurrency=64&seen.gpu_utilization=35&seen.tpot_ms=60&seen.cpu_cores=1' +
    '&changed=penalties+enabled';

/** Pasted texts outlive the page, so that the way back from another one finds them. */
let kept: readonly PastedText[] = [];

function Nothing()
{
    return (
        <section class="card" aria-labelledby="nothing-title">
            <h2 id="nothing-title">Say what you see</h2>
            <p>Two or three figures are enough to begin with: utilisation and the time per token at the concurrency that hurts, or
                a scrape of <code>/metrics</code> taken while it is slow. Two scrapes some ten seconds apart tell rates.</p>
            <p>For example: <a href={EXAMPLE}>a GPU that is busy a third of the time while tokens come slowly</a>.</p>
            <p class="soft">No single sign is sufficient: each cause below will list what speaks for it, what speaks against it, and
                the cheapest check that would tell the first two apart.</p>
        </section>
    );
}

async function reportOf(body: unknown): Promise<string>
{
    const response = await fetch('/v1/diagnose', {
        method: 'POST', body: JSON.stringify(body), headers: {Accept: 'text/plain', 'Content-Type': 'application/json'},
    });
    if (!response.ok)
        throw await problemOf(response);
    return response.text();
}

export default function DiagnosePage({place}: PageProps)
{
    const [texts, setTexts] = useState(kept);
    const [pasting, setPasting] = useState(false);
    const text = place.query.toString();
    const query = useMemo(() => new URLSearchParams(text), [text]);
    const body = useMemo(() => diagnoseBody(query, texts), [query, texts]);
    const {data, problem, waiting} = useAnswer<Diagnosis>(body ? '/v1/diagnose' : null, body ?? undefined, DELAY_MS);
    const faults = problem?.faults ?? [];
    const deployment = deploymentQuery(query);
    return (
        <div class="diagnose">
            <section class="card diagnose-in" aria-labelledby="diagnose-title">
                <h1 id="diagnose-title">Diagnose</h1>
                <Symptoms query={query} faults={faults} set={setQuery} />
                <Paste texts={texts} onChange={(next) => {
                    kept = next;
                    setTexts(next);
                }} />
                <Deployment query={deployment} plan={null} faults={faults} set={(changes) => setQuery(changes)}
                    onPaste={() => setPasting(true)} />
                {body && (
                    <div class="diagnose-tools">
                        <CopyButton label="Copy curl" class="quiet" text={() => curlOf('/v1/diagnose', body)} />
                        <ReportButton load={() => reportOf(body)} />
                        <button type="button" class="quiet" onClick={() => {
                            kept = [];
                            setTexts([]);
                            navigate('/diagnose');
                        }}>Begin anew</button>
                    </div>
                )}
            </section>
            <div class={problem || waiting ? 'diagnose-answer stale' : 'diagnose-answer'} aria-busy={waiting} aria-live="polite">
                {problem && <div class="card"><FaultList what="Not diagnosed" problem={problem} /></div>}
                {!body && <Nothing />}
                {body && data && <Answer diagnosis={data} concurrency={query.get('concurrency') ?? query.get(argumentOfSymptom('concurrency'))} />}
            </div>
            {pasting && (
                <Intake query={deployment} onClose={() => setPasting(false)} onPasted={(found) => {
                    setPasting(false);
                    navigate(addressOf('/diagnose', withDeployment(currentQuery(), found.query)));
                }} />
            )}
        </div>
    );
}
