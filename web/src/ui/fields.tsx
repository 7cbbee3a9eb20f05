// fields.tsx - labelled fields: a choice, a number on a logarithmic slider, a short text.
import {useEffect, useId, useRef, useState} from 'preact/hooks';

interface FieldProps {
    readonly label: string;
    readonly value: string;
    readonly onChange: (value: string) => void;
    readonly fault?: string | null;
}

export interface Choice {
    readonly value: string;
    readonly label: string;
    /** Choices of a group stand together under its name. */
    readonly group?: string;
}

interface SelectProps extends FieldProps {
    readonly options: readonly Choice[];
    /** What the empty value means; left away where there must be one. */
    readonly empty?: string;
}

function Choices({options}: {options: readonly Choice[]})
{
    const groups = new Map<string, Choice[]>();
    for (const option of options)
        groups.set(option.group ?? '', [...groups.get(option.group ?? '') ?? [], option]);
    return (
        <>
            {[...groups].map(([group, members]) => {
                const rows = members.map((row) => <option key={row.value} value={row.value}>{row.label}</option>);
                return group ? <optgroup key={group} label={group}>{rows}</optgroup> : rows;
            })}
        </>
    );
}

export function SelectField({label, value, onChange, options, empty, fault}: SelectProps)
{
    const id = useId();
    const listed = options.some((option) => option.value === value);
    return (
        <div class="field">
            <label for={id}>{label}</label>
            <select id={id} value={value} aria-invalid={fault ? true : undefined}
                onChange={(event) => onChange(event.currentTarget.value)}>
                {empty !== undefined && <option value="">{empty}</option>}
                {!listed && value !== '' && <option value={value}>{value}</option>}
                <Choices options={options} />
            </select>
            {fault && <span class="fault">{fault}</span>}
        </div>
    );
}

interface TextProps extends FieldProps {
    readonly placeholder?: string;
    readonly numeric?: boolean;
}

/** Takes its value when the field is left or Enter is pressed; what is being typed stands until then. */
export function TextField({label, value, onChange, placeholder, numeric, fault}: TextProps)
{
    const id = useId();
    const [draft, setDraft] = useState<string | null>(null);
    useEffect(() => setDraft(null), [value]);
    return (
        <div class="field">
            <label for={id}>{label}</label>
            <input id={id} type="text" inputMode={numeric ? 'decimal' : 'text'} value={draft ?? value}
                placeholder={placeholder} autocomplete="off" aria-invalid={fault ? true : undefined}
                onInput={(event) => setDraft(event.currentTarget.value)}
                onChange={(event) => {
                    setDraft(null);
                    onChange(event.currentTarget.value.trim());
                }} />
            {fault && <span class="fault">{fault}</span>}
        </div>
    );
}

interface SliderProps extends FieldProps {
    readonly min: number;
    readonly max: number;
    /** What stands when the value is empty. */
    readonly standard: number;
}

const STEPS_PER_OCTAVE = 4;
const COMMIT_MS = 120;

/** Whole numbers that people choose, where the slider stops: doublings, and round steps between them. */
function stopOf(position: number, min: number): number
{
    const value = min * 2 ** (position / STEPS_PER_OCTAVE);
    if (position % STEPS_PER_OCTAVE === 0 || value < 16)
        return Math.round(value);
    return Number(value.toPrecision(value < 1000 ? 2 : 3));
}

const positionOf = (value: number, min: number) => Math.round(Math.log2(Math.max(value, min) / min) * STEPS_PER_OCTAVE);

/** A number on a logarithmic slider with a field for the exact value. */
export function SliderField({label, value, onChange, min, max, standard, fault}: SliderProps)
{
    const id = useId();
    const [draft, setDraft] = useState<number | null>(null);
    const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
    const shown = draft ?? (Number(value) >= min ? Math.min(Number(value), Number.MAX_SAFE_INTEGER) : standard);

    // What is being dragged stands until the last of it has reached the address.
    useEffect(() => {
        if (timer.current === undefined)
            setDraft(null);
    }, [value]);
    useEffect(() => () => clearTimeout(timer.current), []);

    // Dragging moves the figure at once and the address a few times a second.
    const drag = (next: number) => {
        setDraft(next);
        clearTimeout(timer.current);
        timer.current = setTimeout(() => {
            timer.current = undefined;
            onChange(String(next));
        }, COMMIT_MS);
    };
    // What is no number goes to the API too, which says so.
    const exact = (text: string) => {
        const next = Number(text.replaceAll(',', '') || NaN);
        clearTimeout(timer.current);
        timer.current = undefined;
        setDraft(null);
        onChange(Number.isFinite(next) && next >= min ? String(Math.round(next)) : text.trim());
    };
    const written = draft === null && value !== '' && !(Number(value) >= min) ? value : shown.toLocaleString('en-US');
    return (
        <div class="field slider">
            <label for={id}>{label}</label>
            <input type="text" inputMode="numeric" id={id} class="slider-number" value={written}
                autocomplete="off" aria-invalid={fault ? true : undefined}
                onChange={(event) => exact(event.currentTarget.value)} />
            <input type="range" class="slider-range" aria-label={`${label}, slider`} min={0} max={positionOf(max, min)}
                step={1} value={positionOf(shown, min)} aria-valuetext={shown.toLocaleString('en-US')}
                onInput={(event) => drag(stopOf(Number(event.currentTarget.value), min))} />
            {fault && <span class="fault">{fault}</span>}
        </div>
    );
}
