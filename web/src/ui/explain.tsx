// explain.tsx - one number down to its formula and its source.
//
// An Explanation is data: whoever shows a number says what it is made of, and the sheet looks up the
// records behind it and shows who measured or published them.
import type {ComponentChildren} from 'preact';
import {useEffect, useState} from 'preact/hooks';
import {figure, type Unit} from '../app/figures';
import {addressOfRecord, recordOf, type AnyRecord, type BasisWord, type RecordRef} from '../app/behind';
import {BASES, Basis} from './badge';
import {Sheet} from './sheet';

export interface Explanation {
    readonly title: string;
    /** The figures it is made of, in the order to be read: floor, low, expected, high. */
    readonly parts?: readonly {readonly name: string; readonly value: number | null | undefined; readonly unit: Unit}[];
    /** As the API words it, with the numbers of this plan. */
    readonly formula?: string | null;
    /** Further formulas, by name: "bytes", "time". */
    readonly formulas?: readonly {readonly name: string; readonly text: string}[];
    readonly basis?: BasisWord;
    /** The errors of the fit or of the backtest behind it, in words. */
    readonly error?: string | null;
    readonly words?: ComponentChildren;
    /** Records behind it; their sources are looked up when the sheet opens. */
    readonly records?: readonly RecordRef[];
    readonly links?: readonly {readonly label: string; readonly href: string}[];
}

function Sources({of}: {of: RecordRef})
{
    const [record, setRecord] = useState<AnyRecord | null>(null);
    const [missing, setMissing] = useState(false);
    useEffect(() => {
        let alive = true;
        recordOf(of).then((found) => alive && setRecord(found), () => alive && setMissing(true));
        return () => {
            alive = false;
        };
    }, [of.kind, of.id]);
    const provenance = record?.provenance ?? [];
    return (
        <li>
            <a href={addressOfRecord(of)}>{record?.title ?? record?.name ?? of.id}</a>{' '}
            <span class="soft">{of.kind.replace('-', ' ')}</span>
            {missing && <span class="fault"> the record does not answer</span>}
            {provenance.length > 0 && (
                <ul class="sources">
                    {provenance.map((row) => (
                        <li key={`${row.field} ${row.source}`}>
                            {row.url ? <a href={row.url} rel="noreferrer">{row.source}</a> : row.source}
                            <span class="soft"> · {row.kind}{row.date ? ` · ${row.date}` : ''}</span>
                        </li>
                    ))}
                </ul>
            )}
        </li>
    );
}

function Formulas({explanation}: {explanation: Explanation})
{
    const rows = [
        ...explanation.formula ? [{name: 'Formula', text: explanation.formula}] : [],
        ...explanation.formulas ?? [],
    ];
    return (
        <>
            {rows.map((row) => (
                <div key={row.name}>
                    <h3>{row.name}</h3>
                    <p class="formula">{row.text}</p>
                </div>
            ))}
        </>
    );
}

/** The inside of the sheet; also shown in place, in a row that opens. */
export function ExplanationBody({explanation}: {explanation: Explanation})
{
    const {parts, basis, error, words, records, links} = explanation;
    return (
        <>
            {parts && parts.length > 0 && (
                <dl class="parts">
                    {parts.map((part) => (
                        <div key={part.name}>
                            <dt>{part.name}</dt>
                            <dd>{part.value === null || part.value === undefined ? 'no record'
                                : figure(part.value, part.unit)}</dd>
                        </div>
                    ))}
                </dl>
            )}
            <Formulas explanation={explanation} />
            {basis && <p><Basis basis={basis} /> <span class="soft">{BASES[basis]}</span></p>}
            {error && <p class="soft">{error}</p>}
            {words && <div>{words}</div>}
            {records && records.length > 0 && (
                <>
                    <h3>Records and sources</h3>
                    <ul class="records">{records.map((ref) => <Sources key={`${ref.kind}/${ref.id}`} of={ref} />)}</ul>
                </>
            )}
            {links && links.length > 0 && (
                <ul class="records">
                    {links.map((link) => <li key={link.href}><a href={link.href}>{link.label}</a></li>)}
                </ul>
            )}
        </>
    );
}

export function ExplainSheet({explanation, onClose}: {explanation: Explanation; onClose: () => void})
{
    return (
        <Sheet title={explanation.title} onClose={onClose}>
            <ExplanationBody explanation={explanation} />
        </Sheet>
    );
}
