// diagnose-answer.tsx - what it most likely is, what else it may be, and what would settle it.
import type {Diagnosis} from '../../app/diagnosis';
import {CopyButton} from '../../ui/copy';
import {CauseCard} from './cause';
import {Beside, Understood} from './understood';

/** Causes that stand open. */
const OPEN = 2;

function likely(score: number): string
{
    return score >= 0.75 ? 'Most likely' : score >= 0.5 ? 'Likely' : 'Possibly';
}

function Headline({diagnosis}: {diagnosis: Diagnosis})
{
    const [first] = diagnosis.causes;
    if (first)
        return <h2 id="verdict-title" class="diagnose-headline"><span class="soft">{likely(first.score)}:</span> {first.title}</h2>;
    if (diagnosis.healthy)
        return <h2 id="verdict-title" class="diagnose-headline good">Healthy: it runs as fast as its budget says</h2>;
    return <h2 id="verdict-title" class="diagnose-headline">Not enough is known to name a cause</h2>;
}

/** A check of a terminal, or a sentence. */
function Check({text}: {text: string})
{
    return <div class="check-next"><p>{text}</p><CopyButton label="Copy" name={`Copy: ${text}`} class="quiet" text={() => text} /></div>;
}

function Verdict({diagnosis}: {diagnosis: Diagnosis})
{
    const {causes, separate, not_enough, healthy} = diagnosis;
    return (
        <section class="card diagnose-verdict" aria-labelledby="verdict-title">
            <Headline diagnosis={diagnosis} />
            {healthy && causes.length === 0 && <p>Measured speeds lie where the planner expects them, and no other sign was seen.</p>}
            {separate && causes.length > 1 && (
                <>
                    <h3>What tells the first two apart</h3>
                    <Check text={separate} />
                </>
            )}
            {not_enough.length > 0 && (
                <>
                    <h3>{causes.length > 0 ? 'What would settle it' : 'Look at'}</h3>
                    <ul class="diagnose-missing">{not_enough.map((text) => <li key={text}>{text}</li>)}</ul>
                </>
            )}
        </section>
    );
}

export function Answer({diagnosis, concurrency}: {diagnosis: Diagnosis; concurrency: string | null})
{
    const {causes, ruled_out} = diagnosis;
    return (
        <>
            <Verdict diagnosis={diagnosis} />
            {causes.length > 0 && (
                <section class="card" aria-labelledby="causes-title">
                    <h2 id="causes-title">Causes, likeliest first</h2>
                    <ol class="causes">{causes.map((cause, i) => <CauseCard key={cause.class} cause={cause} open={i < OPEN} />)}</ol>
                </section>
            )}
            {ruled_out.length > 0 && (
                <section class="card" aria-labelledby="ruled-title">
                    <h2 id="ruled-title">Suspected, and refuted</h2>
                    <ul class="causes">{ruled_out.map((cause) => <CauseCard key={cause.class} cause={cause} open={false} />)}</ul>
                </section>
            )}
            {diagnosis.expected && <Beside expected={diagnosis.expected} quantities={diagnosis.observed.quantities} concurrency={concurrency} />}
            <Understood diagnosis={diagnosis} />
        </>
    );
}
