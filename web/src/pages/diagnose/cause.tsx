// cause.tsx - one cause: how likely, what speaks for it and against it, what to run and what to change.
import type {Cause} from '../../app/diagnosis';
import {figure} from '../../app/figures';
import {classColour} from '../../charts/colours';
import {Badge, Basis} from '../../ui/badge';
import {CopyButton} from '../../ui/copy';
import {sentence} from '../plan/words';

/** What a piece of evidence rests on: an address, or words such as "physics: ...". */
function Source({of}: {of: string | null | undefined})
{
    if (!of)
        return null;
    if (!/^https?:\/\//.test(of))
        return <span class="soft evidence-source">{of}</span>;
    const url = new URL(of);
    return <a class="soft evidence-source" href={of} rel="noreferrer" target="_blank">{url.hostname}{url.pathname.length > 1 ? url.pathname : ''}</a>;
}

function Evidence({title, texts, sources, sign}: {title: string; texts: readonly string[]; sources: readonly string[]; sign: string})
{
    if (texts.length === 0)
        return null;
    return (
        <div class="evidence">
            <h3>{title}</h3>
            <ul class={`evidence-list evidence-${sign}`}>
                {texts.map((text, i) => <li key={text}>{sentence(text)} <Source of={sources[i]} /></li>)}
            </ul>
        </div>
    );
}

const EFFECTS = [
    {name: 'tpot', label: 'TPOT'}, {name: 'ttft', label: 'TTFT'}, {name: 'output_tok_s', label: 'Output'}, {name: 'memory', label: 'Memory'},
] as const;

/** What the planner gives the cure for this very deployment. */
function Planned({cure}: {cure: NonNullable<Cause['planner_cure']>})
{
    const effects = EFFECTS.map(({name, label}) => ({label, value: cure[name]}))
        .filter(({value}) => value !== null && Math.abs(value) >= 0.005);
    return (
        <p class="soft">
            The planner on <a href={`/docs/cures/${cure.id}`} target="_blank" rel="noreferrer">{cure.id.replaceAll('_', ' ')}</a> here:{' '}
            {cure.helps && effects.length > 0 ? effects.map(({label, value}) => `${label} ${figure(value, 'change')}`).join(', ')
                : 'it gains nothing worth having'}.
        </p>
    );
}

function Score({cause}: {cause: Cause})
{
    return (
        <span class="score">
            <svg viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true">
                <rect width={Math.min(Math.max(cause.score, 0), 1) * 100} height="8" fill={classColour(cause.planner_class)} />
            </svg>
            <span>{figure(cause.score, 'share')}</span>
        </span>
    );
}

export function CauseCard({cause, open}: {cause: Cause; open: boolean})
{
    return (
        <li class="cause" id={`cause-${cause.class}`}>
            <details open={open}>
                <summary>
                    <span class="cause-title">{sentence(cause.title).slice(0, -1)}</span> <Score cause={cause} />
                </summary>
                <p class="cause-kind">
                    <Badge>{cause.class}</Badge> <Badge>on the {cause.pass}</Badge>{' '}
                    <a class="mono" href={`/docs/classes/${cause.planner_class}`} target="_blank" rel="noreferrer">{cause.planner_class}</a>{' '}
                    <Basis basis={cause.basis} />
                </p>
                <div class="evidences">
                    <Evidence title="For" texts={cause.for} sources={cause.for_sources} sign="for" />
                    <Evidence title="Against" texts={cause.against} sources={cause.against_sources} sign="against" />
                </div>
                <div class="evidences">
                    <div class="evidence">
                        <h3>Check next</h3>
                        <div class="check-next">
                            <p>{cause.check_next}</p>
                            <CopyButton label="Copy" name={`Copy the check of ${cause.class}`} class="quiet" text={() => cause.check_next} />
                        </div>
                    </div>
                    <div class="evidence">
                        <h3>Cure</h3>
                        <p>{sentence(cause.cure)} <Source of={cause.cure_source} /></p>
                        {cause.planner_cure && <Planned cure={cause.planner_cure} />}
                    </div>
                </div>
            </details>
        </li>
    );
}
