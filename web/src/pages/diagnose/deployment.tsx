// deployment.tsx - what is deployed: all of it may be left out, and then the reasoning goes without a budget.
import {Pick} from '../../ui/catalogue';
import {TextField} from '../../ui/fields';
import {EngineFields} from '../plan/inputs';
import {MoreSettings} from '../plan/more';
import {faultOf, type InputProps} from '../plan/settings';

const LOADS = [
    {name: 'input_tokens', label: 'Input tokens', empty: '1,024'},
    {name: 'output_tokens', label: 'Output tokens', empty: '256'},
] as const;

export function Deployment(props: InputProps & {onPaste: () => void})
{
    const {query, faults, set, onPaste} = props;
    const common = (name: string) => ({
        value: query.get(name) ?? '', onChange: (value: string) => set({[name]: value}), fault: faultOf(faults, name)?.detail ?? null,
    });
    const picked = (name: string) => ({...common(name), suggestion: faultOf(faults, name)?.suggestion ?? null});
    return (
        <fieldset class="group diagnose-deployment">
            <legend>Deployed</legend>
            <div><button type="button" onClick={onPaste}>Paste a command or manifest</button></div>
            <Pick kind="models" label="Model" optional {...picked('model')} />
            <Pick kind="hardware" label="Hardware" optional {...picked('hardware')} />
            <details class="more">
                <summary>Engine, lengths and flags</summary>
                <EngineFields {...props} />
                <div class="pair">
                    {LOADS.map(({name, label, empty}) => <TextField key={name} label={label} numeric placeholder={empty} {...common(name)} />)}
                </div>
                <MoreSettings {...props} />
            </details>
        </fieldset>
    );
}
