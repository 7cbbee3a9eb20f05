// sheet.tsx - a panel over the page for the details of one thing; closes with Escape, outside or its button.
import type {ComponentChildren} from 'preact';
import {useEffect, useId, useRef} from 'preact/hooks';

interface SheetProps {
    readonly title: ComponentChildren;
    /** Called when it has closed; the owner then takes it off the page. */
    readonly onClose: () => void;
    /** For texts of 100 columns. */
    readonly wide?: boolean;
    readonly children: ComponentChildren;
}

export function Sheet({title, onClose, wide, children}: SheetProps)
{
    const dialog = useRef<HTMLDialogElement>(null);
    const id = useId();
    useEffect(() => {
        const element = dialog.current;
        if (element && !element.open)
            element.showModal();
    }, []);
    return (
        <dialog ref={dialog} class={wide ? 'sheet sheet-wide' : 'sheet'} aria-labelledby={id} onClose={onClose}
            onClick={(event) => {
                // Only its backdrop is hit without one of the things inside.
                if (event.target === dialog.current)
                    dialog.current?.close();
            }}>
            <div class="sheet-body">
                <header>
                    <h2 id={id}>{title}</h2>
                    <button type="button" class="quiet" onClick={() => dialog.current?.close()}>Close</button>
                </header>
                {children}
            </div>
        </dialog>
    );
}
