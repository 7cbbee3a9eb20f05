// of.tsx - what the profile was of: model, part, engine, phase, batch, context. All of it may be left out.
import {useEffect, useState} from 'preact/hooks';
import {ask, type Fault} from '../../app/api';
import {Pick} from '../../ui/catalogue';
import {SelectField, TextField, type Choice} from '../../ui/fields';
import {faultOf} from '../plan/settings';
import {FURTHER, NUMBERS, PHASES, type Setting} from './profile-query';

interface OfProps {
    readonly query: URLSearchParams;
    readonly faults: readonly Fault[];
    /** Folded where the answer is what one came for. */
    readonly open: boolean;
    readonly set: (changes: Readonly<Record<string, string>>) => void;
}

function useEngines(): readonly Choice[]
{
    const [engines, setEngines] = useState<readonly Choice[]>([]);
    useEffect(() => {
        void ask<{items: {id: string; title: string}[]}>('/v1/engines?limit=1000').then(({items}) =>
            setEngines(items.map((row) => ({value: row.id, label: row.title}))), () => undefined);
    }, []);
    return engines;
}

export function Of({query, faults, open, set}: OfProps)
{
    const engines = useEngines();
    const common = (name: string) => ({
        value: query.get(name) ?? '',
        onChange: (value: string) => set({[name]: value}),
        fault: faultOf(faults, name)?.detail ?? null,
    });
    const picked = (name: string) => ({...common(name), suggestion: faultOf(faults, name)?.suggestion ?? null});
    const numbers = (rows: readonly Setting[]) => rows.map(({name, label, numeric, empty}) => (
        <TextField key={name} label={label} numeric={numeric} placeholder={empty} {...common(name)} />
    ));
    const further = FURTHER.some(({name}) => query.has(name));
    return (
        <details class="profile-given" open={open}>
            <summary>What it was of <span class="soft">– with a model and a part the planner's budget stands beside it</span></summary>
            <div class="profile-of">
                <Pick kind="models" label="Model" optional {...picked('model')} />
                <Pick kind="hardware" label="Hardware" optional {...picked('hardware')} />
                <SelectField label="Engine" options={engines} empty="from the file" {...common('engine')} />
                <SelectField label="Phase" options={PHASES.map((phase) => ({value: phase, label: phase}))}
                    empty="from the file" {...common('phase')} />
                {numbers(NUMBERS)}
                <details class="more profile-further" open={further || undefined}>
                    <summary>More: formats, tables of several steps or ranks</summary>
                    <div class="profile-more">{numbers(FURTHER)}</div>
                </details>
            </div>
        </details>
    );
}
