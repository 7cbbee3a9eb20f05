// more.tsx - every further setting of a plan by its name, as the API's description lists them.
import {useEffect, useId, useState} from 'preact/hooks';
import {ask} from '../../app/api';
import {SelectField, TextField} from '../../ui/fields';
import {faultOf, NAMED, type InputProps} from './settings';

interface Parameter {
    readonly name: string;
    readonly description: string;
    readonly schema: {readonly type: string; readonly enum?: readonly string[]; readonly default?: unknown};
}

/** Arguments that are not of the deployment or its load. */
const APART = new Set(['command', 'manifest', 'container', 'log', 'view', 'ascii', 'format']);

function useParameters(wanted: boolean): readonly Parameter[]
{
    const [parameters, setParameters] = useState<readonly Parameter[]>([]);
    useEffect(() => {
        if (!wanted || parameters.length > 0)
            return;
        void ask<{paths: Record<string, {get?: {parameters: Parameter[]}}>}>('/openapi.json')
            .then((document) => setParameters(document.paths['/v1/plan']?.get?.parameters ?? []), () => undefined);
    }, [wanted, parameters.length]);
    return parameters;
}

function choicesOf(parameter: Parameter | undefined): readonly string[] | null
{
    if (parameter?.schema.type === 'boolean')
        return ['true', 'false'];
    return parameter?.schema.enum ?? null;
}

function Setting({name, value, parameter, fault, onChange}: {
    name: string; value: string; parameter: Parameter | undefined; fault: string | null;
    onChange: (value: string) => void;
})
{
    const choices = choicesOf(parameter);
    const field = choices
        ? <SelectField label={name} value={value} onChange={onChange} fault={fault}
            options={choices.map((choice) => ({value: choice, label: choice}))} />
        : <TextField label={name} value={value} onChange={onChange} fault={fault} />;
    return (
        <div class="setting">
            {field}
            <button type="button" class="quiet" onClick={() => onChange('')} aria-label={`Remove ${name}`}>×</button>
            {parameter && <p class="soft setting-words">{parameter.description}</p>}
        </div>
    );
}

/** A name and a value to add; the value's choices follow from the name. */
function Adding({parameters, onAdd}: {parameters: readonly Parameter[]; onAdd: (name: string, value: string) => void})
{
    const id = useId();
    const [name, setName] = useState('');
    const [value, setValue] = useState('');
    const parameter = parameters.find((row) => row.name === name);
    const choices = choicesOf(parameter);
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
                    <label for={`${id}-name`}>Setting</label>
                    <input id={`${id}-name`} type="text" list={`${id}-names`} value={name} autocomplete="off"
                        spellcheck={false} onInput={(event) => setName(event.currentTarget.value.trim())} />
                    <datalist id={`${id}-names`}>
                        {parameters.map((row) => <option key={row.name} value={row.name} />)}
                    </datalist>
                </div>
                <div class="field">
                    <label for={`${id}-value`}>Value</label>
                    <input id={`${id}-value`} type="text" list={`${id}-values`} value={value} autocomplete="off"
                        spellcheck={false} onInput={(event) => setValue(event.currentTarget.value.trim())} />
                    <datalist id={`${id}-values`}>
                        {choices?.map((choice) => <option key={choice} value={choice} />)}
                    </datalist>
                </div>
            </div>
            <button type="submit">Set</button>
            {parameter && <p class="soft setting-words">{parameter.description}</p>}
        </form>
    );
}

export function MoreSettings({query, faults, set}: InputProps)
{
    const extra = [...query].filter(([name]) => !NAMED.has(name));
    const [open, setOpen] = useState(extra.length > 0);
    const parameters = useParameters(open);
    return (
        <details class="more" open={open} onToggle={(event) => setOpen(event.currentTarget.open)}>
            <summary>More settings{extra.length > 0 ? ` (${extra.length})` : ''}</summary>
            {extra.map(([name, value]) => (
                <Setting key={name} name={name} value={value} parameter={parameters.find((row) => row.name === name)}
                    fault={faultOf(faults, name)?.detail ?? null} onChange={(next) => set({[name]: next})} />
            ))}
            <Adding parameters={parameters.filter((row) => !NAMED.has(row.name) && !APART.has(row.name))}
                onAdd={(name, value) => set({[name]: value})} />
        </details>
    );
}
