// list.tsx - the records of a kind, found and paged by the API.
import {useMemo} from 'preact/hooks';
import {useAnswer} from '../../app/api';
import {addressOfRecord} from '../../app/behind';
import {addressOf} from '../../app/location';
import type {Place} from '../../app/location';
import {textAt, type Facts, type RecordList} from '../../app/records';
import {Badge} from '../../ui/badge';
import {Scroll} from '../../ui/scroll';
import {Crumbs} from './crumbs';
import {Filters} from './filters';
import type {Cell, Column, Kind} from './kinds';

const TYPING_MS = 150;
const PAGE_SIZE = 50;

/** The question of the API that an address of the page stands for. */
export function questionOf(kind: Kind, query: URLSearchParams): URLSearchParams
{
    const names = ['q', 'cursor', 'limit', ...kind.filters.map(({name}) => name)];
    return new URLSearchParams([...query].filter(([name, value]) => names.includes(name) && value !== ''));
}

function CellView({cell}: {cell: Cell})
{
    if (cell.of)
        return <a href={addressOfRecord({kind: cell.of[0], id: cell.of[1]})}>{cell.text}</a>;
    if (cell.tone && cell.text)
        return <Badge tone={cell.tone} title={cell.title}>{cell.text}</Badge>;
    return <span title={cell.title}>{cell.text}</span>;
}

interface TableProps {
    readonly kind: Kind;
    readonly items: readonly Facts[];
    readonly caption: string;
}

const classOf = (column: Column) => (column.number ? 'number' : column.wide ? 'wide' : undefined);

export function RecordTable({kind, items, caption}: TableProps)
{
    const [head, ...rest] = kind.columns;
    return (
        <Scroll label={caption}>
            <table class="records">
                <caption class="hidden-text">{caption}</caption>
                <thead>
                    <tr>{kind.columns.map((column) => (
                        <th key={column.title} scope="col" class={classOf(column)}>{column.title}</th>
                    ))}</tr>
                </thead>
                <tbody>{items.map((facts) => (
                    <tr key={textAt(facts, 'id')}>
                        <th scope="row" class="wide">
                            <a href={addressOfRecord({kind: kind.kind, id: textAt(facts, 'id')})}>{head?.cell(facts).text}</a>
                        </th>
                        {rest.map((column) => (
                            <td key={column.title} class={classOf(column)}><CellView cell={column.cell(facts)} /></td>
                        ))}
                    </tr>
                ))}</tbody>
            </table>
        </Scroll>
    );
}

function Pager({place, list, from, name}: {place: Place; list: RecordList; from: number; name: string})
{
    const to = (changes: Record<string, string>) => {
        const query = new URLSearchParams(place.query);
        for (const [name, value] of Object.entries(changes))
            query.set(name, value);
        return addressOf(place.path, query);
    };
    const last = from + list.items.length;
    return (
        <nav class="pager" aria-label={name}>
            <span>{list.items.length ? `${(from + 1).toLocaleString('en-US')} to ${last.toLocaleString('en-US')} of ` : ''}
                {list.total.toLocaleString('en-US')}</span>
            {from > 0 && <a href={to({cursor: '', from: ''})}>First page</a>}
            {list.next_cursor && <a href={to({cursor: list.next_cursor, from: String(last)})} rel="next">Next page</a>}
        </nav>
    );
}

export function List({kind, place}: {kind: Kind; place: Place})
{
    const question = questionOf(kind, place.query);
    const {data, problem, waiting} = useAnswer<RecordList>(addressOf(`/v1/${kind.kind}`, question), undefined, TYPING_MS);
    const csv = new URLSearchParams(question);
    csv.delete('cursor');
    csv.set('format', 'csv');
    csv.set('limit', '1000');
    const faults = problem?.faults ?? [];
    // The rows shown and where they stand change together.
    const from = useMemo(() => Math.max(0, Math.min(Number(place.query.get('from')) || 0, data?.total ?? 0)), [data]);
    const elsewhere = faults.filter(({pointer}) => !kind.filters.some(({name}) => pointer === `?${name}`));
    return (
        <>
            <Crumbs trail={[['/records', 'Records']]} title={kind.title}>
                <a href={addressOf(`/v1/${kind.kind}`, question)}>JSON</a>
                <a href={addressOf(`/v1/${kind.kind}`, csv)} download={`${kind.kind}.csv`}>CSV</a>
            </Crumbs>
            <p class="soft">{kind.about}</p>
            <Filters kind={kind} query={place.query} faults={faults} />
            {problem && (elsewhere.length > 0 || faults.length === 0) && (
                <p class="fault" role="alert">{elsewhere.map(({detail}) => detail).join('; ') || problem.title}</p>
            )}
            <div class="list-body" aria-busy={waiting} style={{minHeight: `${PAGE_SIZE / 2}rem`}}>
                {data && !problem && <Found kind={kind} place={place} list={data} from={from} />}
            </div>
        </>
    );
}

function Found({kind, place, list, from}: {kind: Kind; place: Place; list: RecordList; from: number})
{
    if (list.items.length === 0)
        return (
            <>
                <p role="status"><strong>No record.</strong> {list.nearest?.length
                    ? 'Nobody measured this; the nearest measurements are:' : `No ${kind.one} matches.`}</p>
                {!!list.nearest?.length && <RecordTable kind={kind} items={list.nearest} caption="Nearest measurements" />}
            </>
        );
    return (
        <>
            <Pager place={place} list={list} from={from} name="Pages of the list" />
            <RecordTable kind={kind} items={list.items} caption={kind.title} />
            {list.next_cursor && <Pager place={place} list={list} from={from} name="Pages of the list, below it" />}
        </>
    );
}
