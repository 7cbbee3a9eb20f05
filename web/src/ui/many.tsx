// many.tsx - several of a list: what is chosen stands above a field that adds to it.
import {useCallback, useState} from 'preact/hooks';
import {Combobox, type Option} from './combobox';

interface ManyProps {
    /** What a list of them is called: "Hardware". */
    readonly label: string;
    /** What the field does: "Add a part". */
    readonly add: string;
    readonly values: readonly string[];
    readonly onChange: (values: string[]) => void;
    readonly load: () => Promise<readonly Option[]>;
    /** What stands when nothing is chosen: "all that serve on the part". */
    readonly empty?: string;
    readonly fault?: string | null;
    readonly suggestion?: string | null;
}

export function Many({label, add, values, onChange, load, empty, fault, suggestion}: ManyProps)
{
    const [options, setOptions] = useState<readonly Option[] | null>(null);
    const open = useCallback(() => {
        if (!options)
            load().then(setOptions, () => setOptions([]));
    }, [load, options]);
    return (
        <div class="many" role="group" aria-label={label}>
            <span class="label">{label}</span>
            <ul class="chips">
                {values.map((value) => (
                    <li key={value}>
                        {value}
                        <button type="button" class="chip-off" aria-label={`Remove ${value}`}
                            onClick={() => onChange(values.filter((other) => other !== value))}>×</button>
                    </li>
                ))}
                {values.length === 0 && empty && <li class="chip-none soft">{empty}</li>}
            </ul>
            <Combobox label={add} value="" adds options={options?.filter((option) => !values.includes(option.value)) ?? null}
                onOpen={open} onChange={(value) => onChange([...values.filter((other) => other !== value), value])}
                fault={fault ?? null} suggestion={suggestion ?? null} />
        </div>
    );
}
