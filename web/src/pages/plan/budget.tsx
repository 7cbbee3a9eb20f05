// budget.tsx - the byte budget: every class of the step, each row open to its formula and its source.
import {Fragment} from 'preact';
import {useEffect, useId, useState} from 'preact/hooks';
import {recordOf} from '../../app/behind';
import {figure} from '../../app/figures';
import type {Plan, StepClass} from '../../app/plan';
import {classColour} from '../../charts/colours';
import {Basis} from '../../ui/badge';
import {ExplanationBody, type Explanation} from '../../ui/explain';
import {explainClass} from './explain';
import {boundWords} from './words';

const COLUMNS = 9;

interface ClassRecord {
    readonly bytes_formula?: string | null;
    readonly flops_formula?: string | null;
    readonly time_formula?: string | null;
}

/** The general formulas of a class, beside the one with this plan's numbers. */
function useFormulas(name: string): Explanation['formulas']
{
    const [formulas, setFormulas] = useState<NonNullable<Explanation['formulas']>>([]);
    useEffect(() => {
        let alive = true;
        recordOf({kind: 'classes', id: name}).then((found) => {
            const record = found as ClassRecord;
            const rows = [
                {name: 'Bytes, in general', text: record.bytes_formula},
                {name: 'Flops, in general', text: record.flops_formula},
                {name: 'Time', text: record.time_formula},
            ];
            if (alive)
                setFormulas(rows.flatMap((row) => row.text ? [{name: row.name, text: row.text}] : []));
        }, () => undefined);
        return () => {
            alive = false;
        };
    }, [name]);
    return formulas;
}

function Detail({row, phase, id}: {row: StepClass; phase: string; id: string})
{
    const formulas = useFormulas(row.class) ?? [];
    return (
        <tr id={id} class="detail">
            <td colSpan={COLUMNS}>
                <div class="detail-body"><ExplanationBody explanation={{...explainClass(row, phase), formulas}} /></div>
            </td>
        </tr>
    );
}

function ShareBar({row}: {row: StepClass})
{
    const share = row.share ?? 0;
    return (
        <span class="share">
            <svg viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true">
                <rect width={Math.min(share, 1) * 100} height="8" fill={classColour(row.class)} />
            </svg>
            {row.share === null ? '–' : figure(row.share, 'share')}
        </span>
    );
}

function ClassRow({row, phase}: {row: StepClass; phase: string})
{
    const id = useId();
    const [open, setOpen] = useState(false);
    const bytes = row.bytes || row.link_bytes || row.host_bytes;
    return (
        <Fragment>
            <tr>
                <th scope="row">
                    <button type="button" class="expander" aria-expanded={open} aria-controls={id}
                        onClick={() => setOpen(!open)}>
                        <svg class="swatch" viewBox="0 0 10 10" aria-hidden="true">
                            <rect width="10" height="10" rx="2" fill={classColour(row.class)} />
                        </svg>
                        <span class="mono">{row.class}</span>
                    </button>
                </th>
                <td class="wide-only">{row.pass}</td>
                <td class="wide-only">{boundWords(row.bound)}</td>
                <td class="number wide-only">{bytes ? figure(bytes, 'bytes') : '0'}</td>
                <td class="number wide-only">{row.flops ? figure(row.flops, 'flops') : '0'}</td>
                <td class="number wide-only">{row.floor_us ? figure(row.floor_us, 'us') : '0'}</td>
                <td class="number">{row.expected_us === null ? 'no record' : figure(row.expected_us, 'us')}</td>
                <td class="number"><ShareBar row={row} /></td>
                <td><Basis basis={row.basis} /></td>
            </tr>
            {open && <Detail row={row} phase={phase} id={id} />}
        </Fragment>
    );
}

export function Budget({plan}: {plan: Plan})
{
    const phases = [
        {phase: 'decode', title: `Decode, one step of ${plan.decode.batch.toLocaleString('en-US')} rows at a context of ` +
            `${Math.round(plan.decode.context_tokens).toLocaleString('en-US')} tokens`, step: plan.decode},
        {phase: 'prefill', title: `Prefill of ${plan.prefill.tokens.toLocaleString('en-US')} tokens in ` +
            `${plan.prefill.chunks.toLocaleString('en-US')} ${plan.prefill.chunks === 1 ? 'chunk' : 'chunks'}`,
            step: plan.prefill},
    ] as const;
    return (
        <section class="card" aria-labelledby="budget-title" id="budget">
            <h2 id="budget-title">Byte budget</h2>
            <p class="soft">Per device. Open a class for its formula, the fit behind its time and who measured it.</p>
            <div class="scroll" tabIndex={0} role="group" aria-labelledby="budget-title">
                <table class="budget">
                    <thead>
                        <tr>
                            <th scope="col">Class</th><th scope="col" class="wide-only">Pass</th>
                            <th scope="col" class="wide-only">Waits for</th>
                            <th scope="col" class="number wide-only">Bytes</th>
                            <th scope="col" class="number wide-only">Flops</th>
                            <th scope="col" class="number wide-only">Floor</th>
                            <th scope="col" class="number">Expected</th>
                            <th scope="col" class="number">Share</th><th scope="col">Basis</th>
                        </tr>
                    </thead>
                    {phases.map(({phase, title, step}) => (
                        <tbody key={phase}>
                            <tr class="group-row"><th scope="rowgroup" colSpan={COLUMNS}>{title}</th></tr>
                            {step.classes.map((row) => <ClassRow key={row.class} row={row} phase={phase} />)}
                        </tbody>
                    ))}
                </table>
            </div>
        </section>
    );
}
