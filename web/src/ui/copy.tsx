// copy.tsx - a button that copies a text; works on plain http too, where there is no clipboard interface.
import {useEffect, useState} from 'preact/hooks';

function copyOld(text: string): boolean
{
    const area = document.createElement('textarea');
    area.value = text;
    area.setAttribute('readonly', '');
    area.className = 'hidden-text';
    document.body.append(area);
    area.select();
    const done = document.execCommand('copy');
    area.remove();
    return done;
}

async function copy(text: string): Promise<boolean>
{
    try {
        await navigator.clipboard.writeText(text);
        return true;
    } catch {
        return copyOld(text);
    }
}

interface CopyProps {
    readonly label: string;
    /** What it is called where several stand on a page: "Copy the command of prefill". */
    readonly name?: string;
    readonly text: () => string;
    readonly class?: string;
}

/** The label turns into "Copied" for two seconds. */
export function CopyButton({label, name, text, class: look}: CopyProps)
{
    const [said, setSaid] = useState('');
    useEffect(() => {
        if (!said)
            return;
        const timer = setTimeout(() => setSaid(''), 2000);
        return () => clearTimeout(timer);
    }, [said]);
    return (
        <>
            <button type="button" class={look} aria-label={name} onClick={() => {
                void copy(text()).then((done) => setSaid(done ? 'Copied' : 'Not allowed'));
            }}>{said || label}</button>
            <span class="hidden-text" role="status">{said}</span>
        </>
    );
}
