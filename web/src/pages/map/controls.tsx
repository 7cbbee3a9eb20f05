// controls.tsx - the settings of a map: model and part, its two sides, what is coloured.
import {useId} from 'preact/hooks';
import {setQuery} from '../../app/location';
import {Pick} from '../../ui/catalogue';
import {SelectField, TextField} from '../../ui/fields';
import type {Problem} from '../../app/api';
import {AXIS_GROUPS, DETAILS, type Axis, type MapSettings} from './axes';
import {COLOURINGS} from './colouring';

function AxisFields({side, title, axis, other}: {side: 'x' | 'y'; title: string; axis: Axis; other: Axis})
{
    const id = useId();
    const end = (name: 'from' | 'to') => (
        <TextField label={name === 'from' ? 'From' : 'To'} numeric value={String(axis[name])}
            onChange={(value) => setQuery({[`${side}_${name}`]: value})} />
    );
    return (
        <fieldset class="map-axis">
            <legend>{title}</legend>
            <div class="field">
                <label for={id}>Setting</label>
                <select id={id} value={axis.kind.leaf} onChange={(event) => setQuery(
                    {[side]: event.currentTarget.value, [`${side}_from`]: '', [`${side}_to`]: ''}, {})}>
                    {AXIS_GROUPS.map((group) => (
                        <optgroup key={group.title} label={group.title}>
                            {group.kinds.filter((kind) => kind !== other.kind).map((kind) => (
                                <option key={kind.leaf} value={kind.leaf}>
                                    {kind.label}{kind.unit ? `, ${kind.unit}` : ''}
                                </option>
                            ))}
                        </optgroup>
                    ))}
                </select>
            </div>
            {end('from')}
            {end('to')}
        </fieldset>
    );
}

interface ControlsProps {
    readonly settings: MapSettings;
    readonly plan: URLSearchParams;
    readonly problem: Problem | null;
}

export function Controls({settings, plan, problem}: ControlsProps)
{
    const faultOf = (name: string) => problem?.faults.find((fault) => fault.pointer === `?${name}`) ?? null;
    const pick = (kind: 'models' | 'hardware', name: 'model' | 'hardware', label: string) => (
        <Pick kind={kind} label={label} value={plan.get(name) ?? ''} onChange={(value) => setQuery({[name]: value}, {})}
            fault={faultOf(name)?.detail ?? null} suggestion={faultOf(name)?.suggestion ?? null} />
    );
    return (
        <form class="card map-controls" aria-label="Settings of the map" onSubmit={(event) => event.preventDefault()}>
            {pick('models', 'model', 'Model')}
            {pick('hardware', 'hardware', 'Hardware')}
            <SelectField label="Coloured by" value={settings.colour} onChange={(colour) => setQuery({colour})}
                options={COLOURINGS.map(({id, label}) => ({value: id, label}))} />
            <SelectField label="Steps a side" value={String(settings.detail)} onChange={(detail) => setQuery({detail})}
                options={DETAILS.map((steps) => ({value: String(steps), label: String(steps)}))} />
            <AxisFields side="x" title="Across" axis={settings.x} other={settings.y} />
            <AxisFields side="y" title="Up" axis={settings.y} other={settings.x} />
        </form>
    );
}
