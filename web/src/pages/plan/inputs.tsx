// inputs.tsx - what is planned: the model, the part, the engine's settings, the load, what is asked of it.
import type {ComponentChildren} from 'preact';
import {useEffect, useState} from 'preact/hooks';
import {ask} from '../../app/api';
import {Pick} from '../../ui/catalogue';
import {SelectField, SliderField, TextField, type Choice} from '../../ui/fields';
import {MoreSettings} from './more';
import {faultOf, type InputProps} from './settings';

const WIDTHS = ['tp', 'pp', 'dp', 'ep'] as const;
const LIMITS = [
    {name: 'ttft_ms', label: 'TTFT ≤ ms'},
    {name: 'tpot_ms', label: 'TPOT ≤ ms'},
    {name: 'output_tok_s', label: 'Output ≥ tok/s'},
] as const;
const LOADS = [
    {name: 'concurrency', label: 'Concurrency', max: 4096, standard: 1},
    {name: 'input_tokens', label: 'Input tokens', max: 1_048_576, standard: 1024},
    {name: 'output_tokens', label: 'Output tokens', max: 65_536, standard: 256},
] as const;

interface FormatRow {
    readonly id: string;
    readonly title: string;
    readonly use: string;
    readonly family: string;
    readonly deployable?: boolean;
}

interface Choices {
    readonly engines: readonly Choice[];
    readonly weights: readonly Choice[];
    readonly caches: readonly Choice[];
}

/** Engines and formats, asked once the first plan is on the page. */
function useChoices(ready: boolean): Choices
{
    const [choices, setChoices] = useState<Choices>({engines: [], weights: [], caches: []});
    useEffect(() => {
        if (!ready)
            return;
        void Promise.all([
            ask<{items: {id: string; title: string}[]}>('/v1/engines?limit=1000'),
            ask<{items: FormatRow[]}>('/v1/formats?limit=1000'),
        ]).then(([engines, formats]) => {
            const of = (use: string) => formats.items.filter((row) => row.use === use && row.deployable !== false);
            setChoices({
                engines: engines.items.map((row) => ({value: row.id, label: row.title})),
                weights: of('weights').map((row) => ({value: row.id, label: row.id, group: row.family})),
                caches: of('kv_cache').map((row) => ({value: row.id, label: `${row.id}: ${row.title}`})),
            });
        }, () => undefined);
    }, [ready]);
    return choices;
}

/** What stands for a setting that is not given, as the plan resolved it. */
function resolved(plan: InputProps['plan'], name: string): string
{
    const value = plan?.request.deployment[name] ?? plan?.request.workload[name];
    return value === null || value === undefined ? '' : String(value);
}

const asDefault = (plan: InputProps['plan'], name: string) => {
    const value = resolved(plan, name);
    return value && plan?.assumed.includes(`/deployment/${name}`) ? `default: ${value}` : 'default';
};

function Group({title, children}: {title: string; children: ComponentChildren})
{
    return (
        <fieldset class="group">
            <legend>{title}</legend>
            {children}
        </fieldset>
    );
}

export function EngineFields({query, plan, faults, set}: InputProps)
{
    const choices = useChoices(plan !== null);
    const common = (name: string) => ({
        value: query.get(name) ?? '',
        onChange: (value: string) => set({[name]: value}),
        fault: faultOf(faults, name)?.detail ?? null,
    });
    return (
        <Group title="Engine">
            <div class="pair">
                <SelectField label="Engine" {...common('engine')} options={choices.engines}
                    empty={asDefault(plan, 'engine')} />
                <TextField label="Version" {...common('engine_version')} placeholder={resolved(plan, 'engine_version')} />
            </div>
            <div class="pair">
                <SelectField label="Weights" {...common('weights')} options={choices.weights}
                    empty={asDefault(plan, 'weights')} />
                <SelectField label="KV cache" {...common('kv_cache')} options={choices.caches}
                    empty={asDefault(plan, 'kv_cache')} />
            </div>
            <div class="four">
                {WIDTHS.map((name) => (
                    <TextField key={name} label={name} numeric {...common(name)} placeholder={resolved(plan, name)} />
                ))}
            </div>
        </Group>
    );
}

/** The record that the plan found behind a name; none for what was pasted whole. */
function recordIn(plan: InputProps['plan'], name: 'model' | 'hardware'): string | null
{
    const found = plan?.request[name];
    return typeof found === 'string' ? found : null;
}

export function Inputs(props: InputProps)
{
    const {query, plan, faults, set} = props;
    return (
        <div class="inputs">
            {(['model', 'hardware'] as const).map((name) => (
                <Pick key={name} kind={name === 'model' ? 'models' : 'hardware'}
                    label={name === 'model' ? 'Model' : 'Hardware'} value={query.get(name) ?? ''}
                    onChange={(value) => set({[name]: value})} resolved={recordIn(plan, name)}
                    fault={faultOf(faults, name)?.detail ?? null}
                    suggestion={faultOf(faults, name)?.suggestion ?? null} />
            ))}
            <EngineFields {...props} />
            <Group title="Load">
                {LOADS.map(({name, label, max, standard}) => (
                    <SliderField key={name} label={label} min={1} max={max} standard={standard}
                        value={query.get(name) ?? ''} onChange={(value) => set({[name]: value}, true)}
                        fault={faultOf(faults, name)?.detail ?? null} />
                ))}
            </Group>
            <Group title="Objectives">
                <div class="three">
                    {LIMITS.map(({name, label}) => (
                        <TextField key={name} label={label} numeric value={query.get(name) ?? ''} placeholder="none"
                            onChange={(value) => set({[name]: value})}
                            fault={faultOf(faults, name)?.detail ?? null} />
                    ))}
                </div>
            </Group>
            <MoreSettings {...props} />
        </div>
    );
}
