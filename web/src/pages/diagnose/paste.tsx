// paste.tsx - the box for what a terminal shows: scrapes of /metrics, an engine's log, nvidia-smi.
import {useId, useState} from 'preact/hooks';
import {figure} from '../../app/figures';
import {DropZone} from '../../ui/drop';
import {KINDS, linesOf, pastedText, type PastedText, type TextKind} from './texts';

interface PasteProps {
    readonly texts: readonly PastedText[];
    readonly onChange: (texts: readonly PastedText[]) => void;
}

function TextRow({row, onKind, onRemove}: {row: PastedText; onKind: (kind: TextKind) => void; onRemove: () => void})
{
    const id = useId();
    const first = row.text.split('\n').find((line) => line.trim() !== '')?.trim() ?? '';
    return (
        <li class="pasted-row">
            <div class="pasted-head">
                <label for={id} class="hidden-text">Kind of {row.name}</label>
                <select id={id} value={row.kind} onChange={(event) => onKind(event.currentTarget.value as TextKind)}>
                    {KINDS.map(({kind, label}) => <option key={kind} value={kind}>{label}</option>)}
                </select>
                <button type="button" class="quiet" aria-label={`Remove ${row.name}`} onClick={onRemove}>×</button>
            </div>
            <span class="pasted-name soft">{row.name}, {linesOf(row.text).toLocaleString('en-US')} lines, {figure(row.text.length, 'bytes')}</span>
            <code class="pasted-first soft">{first}</code>
        </li>
    );
}

export function Paste({texts, onChange}: PasteProps)
{
    const id = useId();
    const [draft, setDraft] = useState('');
    const [said, setSaid] = useState('');
    const add = (more: readonly PastedText[]) => {
        if (more.length === 0)
            return;
        onChange([...texts, ...more]);
        setSaid(`Added: ${more.map((row) => KINDS.find(({kind}) => kind === row.kind)?.label).join(', ')}`);
    };
    const named = (text: string) => pastedText(text, `text ${texts.length + 1}`);
    const take = (text: string) => {
        if (text.trim())
            add([named(text)]);
        setDraft('');
    };
    const read = async (files: readonly File[]) => {
        add(await Promise.all(files.map(async (file) => pastedText(await file.text(), file.name))));
    };
    return (
        <fieldset class="group">
            <legend>Pasted</legend>
            <div class="field">
                <label for={id}>Scrapes of /metrics (two give rates, the earlier first), an engine's log, nvidia-smi or dmon</label>
                <textarea id={id} rows={3} value={draft} spellcheck={false} placeholder="Paste here"
                    onInput={(event) => setDraft(event.currentTarget.value)}
                    onPaste={(event) => {
                        const text = event.clipboardData?.getData('text/plain') ?? '';
                        // A single line may be a part of what is being written.
                        if (draft === '' && text.trim().includes('\n')) {
                            event.preventDefault();
                            take(text);
                        }
                    }} />
            </div>
            <div class="pasted-tools">
                <button type="button" disabled={!draft.trim()} onClick={() => take(draft)}>Add the text</button>
                <DropZone label="Choose files" pastedName="pasted.txt" many compact onFiles={(files) => void read(files)} />
            </div>
            <p class="hidden-text" role="status">{said}</p>
            {texts.length > 0 && (
                <ul class="pasted-list" aria-label="Pasted texts">
                    {texts.map((row) => (
                        <TextRow key={row.id} row={row}
                            onKind={(kind) => onChange(texts.map((other) => (other === row ? {...row, kind} : other)))}
                            onRemove={() => onChange(texts.filter((other) => other !== row))} />
                    ))}
                </ul>
            )}
        </fieldset>
    );
}
