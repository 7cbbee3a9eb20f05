// scroll.tsx - what may be wider than the page: it scrolls by itself, by keys too.
import type {ComponentChildren} from 'preact';

export function Scroll({label, children}: {label: string; children: ComponentChildren})
{
    return <div class="scroll" role="group" aria-label={label} tabIndex={0}>{children}</div>;
}
