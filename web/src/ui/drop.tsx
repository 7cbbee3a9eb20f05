// drop.tsx - takes files: dropped anywhere on the page, chosen, or pasted as text where no field takes it.
import type {ComponentChildren} from 'preact';
import {useEffect, useId, useRef, useState} from 'preact/hooks';

interface DropProps {
    /** What the button says: "Choose a file". */
    readonly label: string;
    /** The name of what is pasted as text: "pasted.txt". */
    readonly pastedName: string;
    readonly many?: boolean;
    readonly compact?: boolean;
    readonly onFiles: (files: File[]) => void;
    /** What stands beside the button. */
    readonly children?: ComponentChildren;
}

const takesText = (element: EventTarget | null) => element instanceof Element && element.closest('input, textarea, select, dialog') !== null;

function filesOf(data: DataTransfer | null, pastedName: string): File[]
{
    const files = [...data?.files ?? []];
    const text = data?.getData('text/plain') ?? '';
    return files.length > 0 || !text.trim() ? files : [new File([text], pastedName, {type: 'text/plain'})];
}

/** Whether something is being dragged over the page. */
function useDropped(pastedName: string, onFiles: (files: File[]) => void): boolean
{
    const [over, setOver] = useState(false);
    const take = useRef(onFiles);
    take.current = onFiles;
    useEffect(() => {
        const taken = (event: Event, data: DataTransfer | null) => {
            const files = filesOf(data, pastedName);
            if (files.length === 0)
                return;
            event.preventDefault();
            take.current(files);
        };
        const dragged = (event: DragEvent) => {
            event.preventDefault();
            setOver(true);
        };
        const left = (event: DragEvent) => {
            if (event.relatedTarget === null)
                setOver(false);
        };
        const dropped = (event: DragEvent) => {
            setOver(false);
            if (event.dataTransfer?.files.length || !takesText(event.target))
                taken(event, event.dataTransfer);
        };
        const pasted = (event: ClipboardEvent) => {
            if (!takesText(event.target))
                taken(event, event.clipboardData);
        };
        document.addEventListener('dragover', dragged);
        document.addEventListener('dragleave', left);
        document.addEventListener('drop', dropped);
        document.addEventListener('paste', pasted);
        return () => {
            document.removeEventListener('dragover', dragged);
            document.removeEventListener('dragleave', left);
            document.removeEventListener('drop', dropped);
            document.removeEventListener('paste', pasted);
        };
    }, [pastedName]);
    return over;
}

export function DropZone({label, pastedName, many, compact, onFiles, children}: DropProps)
{
    const id = useId();
    const over = useDropped(pastedName, onFiles);
    return (
        <div class={`drop${over ? ' drop-over' : ''}${compact ? ' drop-compact' : ''}`}>
            <input id={id} type="file" class="hidden-text drop-input" multiple={many} onChange={(event) => {
                const files = [...event.currentTarget.files ?? []];
                // The same file may be chosen again, when it has changed.
                event.currentTarget.value = '';
                if (files.length > 0)
                    onFiles(files);
            }} />
            <label for={id} class="button-link drop-button">{label}</label>
            {children}
        </div>
    );
}
