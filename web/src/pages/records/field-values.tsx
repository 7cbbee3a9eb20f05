// field-values.tsx - the fields of a record: scalars as text, objects as lists of terms, lists of objects as tables.
import {isFacts, isList, type Facts, type Json} from '../../app/records';
import {Basis} from '../../ui/badge';
import {Scroll} from '../../ui/scroll';
import {leadsTo} from './related';
import {exactNumber, label, shown} from './field-words';

function Text({name, text}: {name: string; text: string})
{
    const href = leadsTo(name, text);
    if (!href)
        return <>{text}</>;
    return href.startsWith('/') ? <a href={href}>{text.replace(/^\/v1\/plan\?/, '').replaceAll('&', ', ')}</a>
        : <a href={href} rel="noreferrer" class="outside">{text}</a>;
}

function Scalar({name, path, value}: {name: string; path: string; value: Json | undefined})
{
    if (typeof value === 'string' && /(^|_)basis$/.test(name))
        return <Basis basis={value} />;
    if (typeof value === 'string' && value)
        return <Text name={name} text={value} />;
    const exact = typeof value === 'number' ? exactNumber(path, value) : undefined;
    return <>{shown(path, value)}{exact && <small class="exact">{exact}</small>}</>;
}

const MOST_COLUMNS = 16;

const isNested = (value: Json | undefined) => isFacts(value) || (isList(value) && value.some(isFacts));

/** The record that a row names by its own links: {"kind", "id", "links": ["/v1/models/x"]}. */
function linkOf(row: Facts): string | null
{
    const link = isList(row.links) ? row.links[0] : null;
    return typeof link === 'string' ? leadsTo('links', link) : null;
}

function Row({row, names}: {row: Facts; names: readonly string[]})
{
    const link = linkOf(row);
    return (
        <tr>{names.map((name) => (
            <td key={name} class={typeof row[name] === 'number' ? 'number' : undefined}>
                {name === 'id' && link ? <a href={link}>{String(row.id)}</a>
                    : <Value name={name} path={name} value={row[name]} />}
            </td>
        ))}</tr>
    );
}

function Table({path, rows}: {path: string; rows: readonly Facts[]})
{
    const names = [...new Set(rows.flatMap((row) => Object.keys(row)))]
        .filter((name) => name !== 'links' && rows.some((row) => row[name] !== null && row[name] !== undefined));
    if (names.length > MOST_COLUMNS || rows.some((row) => Object.entries(row)
        .some(([name, value]) => name !== 'links' && isNested(value))))
        return <ol class="stack">{rows.map((row, i) => <li key={i}><Terms path={path} facts={row} /></li>)}</ol>;
    return (
        <Scroll label={`Table: ${label(path)}`}>
            <table>
                <thead><tr>{names.map((name) => <th key={name} scope="col">{label(name)}</th>)}</tr></thead>
                <tbody>{rows.map((row, i) => <Row key={i} row={row} names={names} />)}</tbody>
            </table>
        </Scroll>
    );
}

function Terms({path, facts}: {path: string; facts: Facts})
{
    return (
        <dl class="terms">
            {Object.entries(facts).filter(([, value]) => value !== undefined).map(([name, value]) => (
                <div key={name} class={isNested(value) ? 'nested' : undefined}>
                    <dt>{label(name)}</dt>
                    <dd><Value name={name} path={`${path}.${name}`} value={value} /></dd>
                </div>
            ))}
        </dl>
    );
}

/** What a field holds; `path` is where it stands in the record. */
export function Value({name, path, value}: {name: string; path: string; value: Json | undefined})
{
    if (isFacts(value))
        return Object.keys(value).length ? <Terms path={path} facts={value} /> : <>–</>;
    if (!isList(value))
        return <Scalar name={name} path={path} value={value} />;
    const facts = value.filter(isFacts);
    if (facts.length)
        return <Table path={name} rows={facts} />;
    if (!value.length)
        return <>–</>;
    return <>{value.map((part, i) => (
        <span key={i}>{i > 0 && ', '}<Scalar name={name} path={path} value={part} /></span>
    ))}</>;
}
