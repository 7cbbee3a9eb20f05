// combobox.tsx - a text field with a list to choose from (ARIA combobox with a listbox); free text may stand.
import {useEffect, useId, useMemo, useRef, useState} from 'preact/hooks';

export interface Option {
    readonly value: string;
    readonly name: string;
    /** Short facts beside the name: "8.03 B", "80 GB, 3,350 GB/s". */
    readonly detail?: string;
    /** Other names it is found by. */
    readonly aliases?: readonly string[];
}

interface ComboboxProps {
    readonly label: string;
    readonly value: string;
    readonly onChange: (value: string) => void;
    /** null while they are awaited. */
    readonly options: readonly Option[] | null;
    /** The list is about to be shown: a good time to load it. */
    readonly onOpen?: () => void;
    readonly hint?: string;
    /** Each choice is handed on and leaves the field empty for the next. */
    readonly adds?: boolean;
    /** An empty text takes the value away; else the value stands until there is another. */
    readonly optional?: boolean;
    readonly fault?: string | null;
    /** Takes the place of the value when pressed under the fault. */
    readonly suggestion?: string | null;
}

const SHOWN = 60;

/** Names are compared as the API does: case, space, "_" and "-" do not count. */
const plain = (text: string) => text.toLowerCase().replace(/[\s_-]+/g, '-');

function rank(option: Option, words: readonly string[]): number
{
    const names = [option.value, option.name, ...option.aliases ?? []].map(plain);
    const whole = words.join('-');
    if (names.includes(whole))
        return 0;
    if (names.some((name) => name.startsWith(whole)))
        return 1;
    if (names.some((name) => words.every((word) => name.includes(word))))
        return 2;
    const all = names.join(' ');
    return words.every((word) => all.includes(word)) ? 3 : -1;
}

/** The options that a text finds, best first. */
function matching(options: readonly Option[], text: string): Option[]
{
    const words = plain(text.trim()).split('-').filter(Boolean);
    if (words.length === 0)
        return options.slice(0, SHOWN);
    return options.map((option) => ({option, at: rank(option, words)}))
        .filter((row) => row.at >= 0)
        .sort((a, b) => a.at - b.at)
        .slice(0, SHOWN)
        .map((row) => row.option);
}

function OptionRow({option, id, active, selected, onPick}:
    {option: Option; id: string; active: boolean; selected: boolean; onPick: () => void})
{
    const row = useRef<HTMLLIElement>(null);
    useEffect(() => {
        if (active)
            row.current?.scrollIntoView({block: 'nearest'});
    }, [active]);
    return (
        <li ref={row} id={id} role="option" aria-selected={selected} class={active ? 'active' : ''}
            onPointerDown={(event) => {
                // The field keeps the focus.
                event.preventDefault();
                onPick();
            }}>
            <span>{option.name}</span>
            <span class="soft option-detail">{option.detail}</span>
            <span class="soft mono option-id">{option.value}</span>
        </li>
    );
}

export function Combobox({label, value, onChange, options, onOpen, hint, adds, optional, fault, suggestion}: ComboboxProps)
{
    const id = useId();
    const [text, setText] = useState(value);
    const [open, setOpen] = useState(false);
    const [typed, setTyped] = useState(false);
    const [active, setActive] = useState(-1);
    const found = useMemo(() => open && options ? matching(options, typed ? text : '') : [],
        [open, options, typed, text]);

    useEffect(() => setText(value), [value]);

    /** What stands where the field was emptied. */
    const kept = optional ? '' : value;

    const show = () => {
        onOpen?.();
        setOpen(true);
    };
    const close = () => {
        setOpen(false);
        setTyped(false);
        setActive(-1);
    };
    const commit = (next: string) => {
        close();
        setText(adds ? '' : next);
        if ((next.trim() || optional) && next !== value)
            onChange(next.trim());
    };
    const step = (by: number) => {
        if (!open)
            show();
        else if (found.length > 0)
            setActive((active + by + found.length + (active < 0 && by < 0 ? 1 : 0)) % found.length);
    };
    const onKeyDown = (event: KeyboardEvent) => {
        const picked = found[active];
        if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
            event.preventDefault();
            step(event.key === 'ArrowDown' ? 1 : -1);
        } else if (event.key === 'Enter') {
            event.preventDefault();
            commit(picked ? picked.value : text || kept);
        } else if (event.key === 'Escape' && open) {
            event.preventDefault();
            close();
            setText(value);
        }
    };

    return (
        <div class="field combobox">
            <label for={id}>{label}</label>
            <div class="combobox-box">
                <input id={id} type="text" role="combobox" aria-expanded={open} aria-controls={`${id}-list`}
                    aria-autocomplete="list" autocomplete="off" spellcheck={false} value={text}
                    aria-activedescendant={open && active >= 0 ? `${id}-${active}` : undefined}
                    aria-invalid={fault ? true : undefined} aria-describedby={`${id}-hint`}
                    onFocus={(event) => event.currentTarget.select()}
                    onClick={show}
                    onInput={(event) => {
                        setText(event.currentTarget.value);
                        setTyped(true);
                        setActive(-1);
                        show();
                    }}
                    onKeyDown={onKeyDown}
                    onBlur={() => commit(text.trim() ? text : kept)} />
                <ul id={`${id}-list`} role="listbox" aria-label={label} class="options" hidden={!open}>
                    {found.map((option, i) => (
                        <OptionRow key={option.value} option={option} id={`${id}-${i}`} active={i === active}
                            selected={option.value === value} onPick={() => commit(option.value)} />
                    ))}
                    {open && found.length === 0 && (
                        <li role="option" aria-disabled="true" aria-selected={false} class="soft">
                            {options ? 'Not in the records; the name is asked as it stands' : 'Loading'}
                        </li>
                    )}
                </ul>
            </div>
            <div id={`${id}-hint`} class="field-hint">
                {fault ? <span class="fault">{fault}</span> : <span class="soft">{hint ?? '\u00a0'}</span>}
            </div>
            {fault && suggestion && (
                <button type="button" class="link" onClick={() => commit(suggestion)}>Use {suggestion}</button>
            )}
        </div>
    );
}
