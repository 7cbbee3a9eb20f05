// figure.tsx - a number with its unit and its basis, that opens to its formula and its source.
import {useState} from 'preact/hooks';
import {figure, type Unit} from '../app/figures';
import type {BasisWord} from '../app/behind';
import {Basis} from './badge';
import {ExplainSheet, type Explanation} from './explain';

interface FigureProps {
    readonly value: number | null | undefined;
    readonly unit: Unit;
    /** Said behind the number where the unit's own text has none: "tok/s". */
    readonly suffix?: string;
    /** Shown as a badge; leave it away where the badge stands elsewhere. */
    readonly basis?: BasisWord;
    /** Makes the number a button; called when it is pressed. */
    readonly explain?: () => Explanation;
}

/** null is "no record", never nought. */
function figureText(value: number | null | undefined, unit: Unit, suffix?: string): string
{
    if (value === null || value === undefined || Number.isNaN(value))
        return 'no record';
    return suffix ? `${figure(value, unit)} ${suffix}` : figure(value, unit);
}

export function Figure({value, unit, suffix, basis, explain}: FigureProps)
{
    const [open, setOpen] = useState<Explanation | null>(null);
    const text = figureText(value, unit, suffix);
    return (
        <span class="figure">
            {explain
                ? <button type="button" class="figure-value" aria-haspopup="dialog"
                    onClick={() => setOpen(explain())}>{text}</button>
                : <span class="figure-value">{text}</span>}
            {basis && <> <Basis basis={basis} /></>}
            {open && <ExplainSheet explanation={open} onClose={() => setOpen(null)} />}
        </span>
    );
}
