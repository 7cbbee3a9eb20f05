// sources.tsx - which sources state which fields of a record, and where they do not agree.
import {addressOfRecord} from '../../app/behind';
import type {Dispute, Provenance} from '../../app/records';
import {Basis} from '../../ui/badge';
import {Scroll} from '../../ui/scroll';
import type {Kind} from './kinds';
import {label} from './field-words';

const EVERYTHING = ['*', 'all'];

/** The fields a source names: "a.x/y,b (remark)" are a.x, a.y and b. */
function namesOf(field: string): string[]
{
    return field.replace(/\s*\([^)]*\)/g, '').split(',').flatMap((part) => {
        const [first = '', ...others] = part.trim().split('/');
        const stem = first.slice(0, first.lastIndexOf('.') + 1);
        return [first, ...others.map((other) => stem + other)];
    });
}

export const ofEverything = (source: Provenance) => namesOf(source.field).some((name) => EVERYTHING.includes(name));

/** Whether something said of `said` is said of a field at the top of a record, or of a part of it. */
function speaksOf(kind: Kind, said: string, field: string): boolean
{
    return namesOf(said).some((name) => name === field || name.startsWith(`${field}.`) ||
        (kind.covers?.[name]?.includes(field) ?? false));
}

export const sourcesOf = (kind: Kind, sources: readonly Provenance[], field: string) =>
    sources.filter((source) => speaksOf(kind, source.field, field));

export const disputesOfField = (kind: Kind, disputes: readonly Dispute[], field: string) =>
    disputes.filter((dispute) => speaksOf(kind, dispute.field, field));

/** A source beside what it states: its title, how it knows, when. */
export function Source({source}: {source: Provenance})
{
    const title = source.source ?? source.url ?? 'a source without a title';
    return (
        <span class="source">
            {source.source_id ? <a href={addressOfRecord({kind: 'sources', id: source.source_id})}>{title}</a> : title}
            {' '}<Basis basis={source.basis} />{source.date && <> <span class="soft">{source.date}</span></>}
            {source.url && <> <a class="outside" href={source.url} rel="noreferrer"
                aria-label={`Open the source: ${title}`}>open</a></>}
        </span>
    );
}

/** Where a text that is an address leads, in short: "github.com/owner/name". */
function Said({text}: {text: string})
{
    if (!/^https?:\/\//.test(text))
        return <>{text}</>;
    const short = text.replace(/^https?:\/\/(www\.)?/, '').split('/').slice(0, 3).join('/');
    return <a class="outside" href={text} rel="noreferrer" title={text}>{short}</a>;
}

export const DISPUTE_HEADS = ['Field', 'Taken', 'Other value', 'Why'].map((head) => <th key={head} scope="col">{head}</th>);

export function DisputeCells({dispute}: {dispute: Dispute})
{
    return (
        <>
            <td>{label(dispute.field)}</td>
            <td><strong>{dispute.value_a}</strong> <span class="soft"><Said text={dispute.source_a} /></span></td>
            <td><strong>{dispute.value_b}</strong> <span class="soft"><Said text={dispute.source_b} /></span></td>
            <td class="wide">{dispute.why}</td>
        </>
    );
}

export function Disputes({disputes}: {disputes: readonly Dispute[]})
{
    return (
        <section class="card disputes" aria-labelledby="disputes">
            <h2 id="disputes">{disputes.length === 1 ? 'Sources disagree on one field'
                : `Sources disagree on ${disputes.length} fields`}</h2>
            <Scroll label="What sources disagree on">
                <table class="disputes-table">
                    <thead><tr>{DISPUTE_HEADS}</tr></thead>
                    <tbody>{disputes.map((dispute, i) => <tr key={i}><DisputeCells dispute={dispute} /></tr>)}</tbody>
                </table>
            </Scroll>
        </section>
    );
}

export function SourceTable({sources}: {sources: readonly Provenance[]})
{
    return (
        <section class="card" aria-labelledby="sources">
            <h2 id="sources">{sources.length === 1 ? 'One source' : `${sources.length} sources`}</h2>
            <ul class="plain-list">{sources.map((source, i) => (
                <li key={i}>
                    <span class="soft">{ofEverything(source) ? 'All fields' : namesOf(source.field).map(label).join(', ')}:</span>
                    {' '}<Source source={source} />
                    {source.kind && <span class="soft"> · {source.kind}</span>}
                    {source.license && <span class="soft"> · licence {source.license}</span>}
                </li>
            ))}</ul>
        </section>
    );
}
