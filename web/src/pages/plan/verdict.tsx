// verdict.tsx - the answer in a sentence, the figures that follow from it, and what to beware of.
import type {Problem} from '../../app/api';
import {figure} from '../../app/figures';
import type {Check, CheckResult, Plan} from '../../app/plan';
import {Badge, Basis} from '../../ui/badge';
import {FaultList} from '../../ui/faults';
import {Figure} from '../../ui/figure';
import {IntervalBar} from '../../ui/interval';
import {ESTIMATES, explainEstimate, type EstimateName} from './explain';
import {boundWords, sentence} from './words';

const SHOWN: readonly EstimateName[] = ['ttft_ms', 'tpot_ms', 'e2e_ms', 'output_tok_s', 'per_user_tok_s',
    'max_request_rate'];
const OBJECTIVES = new Set(['ttft_ms', 'tpot_ms', 'output_tok_s']);

function Tile({name, plan, limit}: {name: EstimateName; plan: Plan; limit: number | null})
{
    const row = ESTIMATES[name];
    const estimate = row.of(plan);
    const known = estimate.low !== null && estimate.high !== null;
    return (
        <div class="gauge">
            <dt>{row.short}</dt>
            <dd>
                <span class="gauge-value">
                    <Figure value={estimate.expected} unit={row.unit} {...row.suffix ? {suffix: row.suffix} : {}}
                        explain={() => explainEstimate(name, plan)} />
                </span>
                <IntervalBar of={estimate} unit={row.unit} limit={limit} />
                <span class="soft gauge-range">
                    {known ? `${figure(estimate.low, row.unit)} to ${figure(estimate.high, row.unit)}`
                        : `${name.endsWith('_ms') ? 'at least' : 'at most'} ${figure(estimate.floor, row.unit)}`}
                </span>{' '}
                <Basis basis={estimate.basis} />
            </dd>
        </div>
    );
}

const VERDICTS = {
    pass: {tone: 'good', word: 'holds'},
    fail: {tone: 'bad', word: 'fails'},
    unknown: {tone: 'doubt', word: 'unknown'},
} as const;

function CheckLine({check}: {check: CheckResult})
{
    const {tone, word} = VERDICTS[check.verdict];
    const objective = OBJECTIVES.has(check.id) ? `${ESTIMATES[check.id as EstimateName].short}: ` : '';
    return (
        <li><Badge tone={tone} title={check.title}>{word}</Badge> {sentence(objective + check.detail)}</li>
    );
}

/** The objectives asked for, and whatever else fails. */
function Checks({check}: {check: Check | null})
{
    const rows = check?.checks.filter((row) => OBJECTIVES.has(row.id) || row.verdict !== 'pass') ?? [];
    if (rows.length === 0)
        return null;
    return <ul class="lines" aria-label="Checks">{rows.map((row) => <CheckLine key={row.id} check={row} />)}</ul>;
}

function Warnings({plan}: {plan: Plan})
{
    if (plan.warnings.length === 0)
        return null;
    const kinds = [...new Set(plan.warnings.map((warning) => warning.id))];
    return (
        <ul class="lines" aria-label="Warnings">
            {kinds.map((id) => {
                const [first, ...others] = plan.warnings.filter((warning) => warning.id === id);
                return (
                    <li key={id}>
                        <Badge tone="doubt">warning</Badge> {sentence(first?.detail ?? '')}
                        {others.length > 0 && (
                            <details class="more">
                                <summary>{others.length} more like it</summary>
                                {others.map((warning) => <div key={warning.detail}>{sentence(warning.detail)}</div>)}
                            </details>
                        )}
                    </li>
                );
            })}
        </ul>
    );
}

export const Faults = ({problem}: {problem: Problem}) => <FaultList what="Not planned" problem={problem} />;

function Dominant({plan}: {plan: Plan})
{
    const {dominant} = plan;
    const words = [
        dominant.share === null ? '' : `${figure(dominant.share, 'share')} of the critical path`,
        dominant.phase, `on the ${dominant.pass}`, `waits for ${boundWords(dominant.bound)}`,
    ].filter(Boolean).join(' · ');
    return (
        <p class="dominant">
            <a href={`/docs/classes/${dominant.class}`} class="mono">{dominant.class}</a>{' '}
            <span class="soft">{words}</span>
        </p>
    );
}

function limitOf(plan: Plan, name: EstimateName): number | null
{
    const limit = plan.request.slo?.[name];
    return typeof limit === 'number' ? limit : null;
}

interface VerdictProps {
    readonly plan: Plan | null;
    readonly check: Check | null;
    readonly problem: Problem | null;
}

export function Verdict({plan, check, problem}: VerdictProps)
{
    return (
        <section class="card verdict" aria-labelledby="verdict-title">
            <div aria-live="polite" class="verdict-words">
                <h1 id="verdict-title">{problem && !plan ? 'Not planned' : plan?.regime.title ?? 'Planning'}</h1>
                {plan && <p>{sentence(plan.regime.because)}</p>}
            </div>
            {problem && <Faults problem={problem} />}
            {plan && (
                <>
                    <Dominant plan={plan} />
                    <dl class="gauges">
                        {SHOWN.map((name) => <Tile key={name} name={name} plan={plan} limit={limitOf(plan, name)} />)}
                    </dl>
                    <Checks check={check} />
                    <Warnings plan={plan} />
                </>
            )}
        </section>
    );
}
