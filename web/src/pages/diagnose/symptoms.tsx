// symptoms.tsx - what was seen, field by field: the most telling first, the rest folded, others by name.
import {useId, useState} from 'preact/hooks';
import type {Fault} from '../../app/api';
import {faultAt} from '../../app/api';
import {TextField} from '../../ui/fields';
import {argumentOfRun, argumentOfSymptom, FURTHER, hasRun, OF_A_RUN, otherSymptoms, RUNS, TELLING, type Symptom} from './symptom-query';

interface SymptomsProps {
    readonly query: URLSearchParams;
    readonly faults: readonly Fault[];
    readonly set: (changes: Readonly<Record<string, string>>) => void;
}

/** Any further figure: its name says what it is of. */
function Adding({onAdd}: {onAdd: (name: string, value: string) => void})
{
    const id = useId();
    const [name, setName] = useState('');
    const [value, setValue] = useState('');
    return (
        <form class="setting" onSubmit={(event) => {
            event.preventDefault();
            if (name && value) {
                onAdd(name, value);
                setName('');
                setValue('');
            }
        }}>
            <div class="pair">
                <div class="field">
                    <label for={`${id}-name`}>Symptom</label>
                    <input id={`${id}-name`} type="text" value={name} placeholder="event_loop_lag_ms" autocomplete="off" spellcheck={false}
                        onInput={(event) => setName(event.currentTarget.value.trim())} />
                </div>
                <div class="field">
                    <label for={`${id}-value`}>Value</label>
                    <input id={`${id}-value`} type="text" value={value} autocomplete="off"
                        onInput={(event) => setValue(event.currentTarget.value.trim())} />
                </div>
            </div>
            <button type="submit">Set</button>
        </form>
    );
}

function Fields({rows, query, faults, set}: SymptomsProps & {rows: readonly Symptom[]})
{
    return (
        <div class="symptom-fields">
            {rows.map(({name, label, unit, example}) => (
                <TextField key={name} label={label} numeric={unit !== 'series'} placeholder={example}
                    value={query.get(argumentOfSymptom(name)) ?? ''} fault={faultAt(faults, `/observed/${name}`)?.detail ?? null}
                    onChange={(value) => set({[argumentOfSymptom(name)]: value})} />
            ))}
        </div>
    );
}

/** Several runs that differ in something: which one is slower tells more than how slow one is. */
function Runs({query, faults, set}: SymptomsProps)
{
    const [open, setOpen] = useState(RUNS.some((run) => hasRun(query, run)));
    const shown = RUNS.filter((run) => run <= 2 || hasRun(query, run) || hasRun(query, run - 1));
    return (
        <details class="more" open={open} onToggle={(event) => setOpen(event.currentTarget.open)}>
            <summary>Runs compared</summary>
            {shown.map((run) => (
                <div class="run-fields" key={run} role="group" aria-label={`Run ${run}`}>
                    {OF_A_RUN.map(({name, label, numeric, example}) => (
                        <TextField key={name} label={label} numeric={numeric} placeholder={run === 1 ? example : ''}
                            value={query.get(argumentOfRun(run, name)) ?? ''} fault={faultAt(faults, `/arms/${run - 1}/${name}`)?.detail ?? null}
                            onChange={(value) => set({[argumentOfRun(run, name)]: value})} />
                    ))}
                </div>
            ))}
        </details>
    );
}

export function Symptoms(props: SymptomsProps)
{
    const {query, faults, set} = props;
    const others = otherSymptoms(query);
    const folded = FURTHER.filter(({name}) => query.has(argumentOfSymptom(name))).length + others.length;
    const [open, setOpen] = useState(folded > 0);
    return (
        <fieldset class="group">
            <legend>Seen</legend>
            <TextField label="In words" placeholder="throughput stays flat beyond 16 users" value={query.get('symptom') ?? ''}
                onChange={(value) => set({symptom: value})} fault={faultAt(faults, '/symptom')?.detail ?? null} />
            <TextField label="What changed before it" placeholder="vLLM 0.10 to 0.11; LoRA enabled" value={query.get('changed') ?? ''}
                onChange={(value) => set({changed: value})} fault={faultAt(faults, '/changed')?.detail ?? null} />
            <Fields {...props} rows={TELLING} />
            <details class="more" open={open} onToggle={(event) => setOpen(event.currentTarget.open)}>
                <summary>More symptoms{folded > 0 ? ` (${folded})` : ''}</summary>
                <Fields {...props} rows={FURTHER} />
                {others.map(({name, value}) => (
                    <div class="setting" key={name}>
                        <TextField label={name} value={value} fault={faultAt(faults, `/observed/other/${name}`)?.detail ?? null}
                            onChange={(next) => set({[argumentOfSymptom(name)]: next})} />
                        <button type="button" class="quiet" aria-label={`Remove ${name}`}
                            onClick={() => set({[argumentOfSymptom(name)]: ''})}>×</button>
                    </div>
                ))}
                <Adding onAdd={(name, value) => set({[argumentOfSymptom(name)]: value})} />
            </details>
            <Runs {...props} />
        </fieldset>
    );
}
