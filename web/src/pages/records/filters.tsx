// filters.tsx - the fields above a list: each one is a parameter of the API, and the address holds it.
import {useState} from 'preact/hooks';
import type {Fault} from '../../app/api';
import {setQuery} from '../../app/location';
import type {Filter, Kind} from './kinds';
import {useOptions} from './options';

interface FieldProps {
    readonly filter: Filter;
    /** The kind whose list is filtered. */
    readonly kind: Kind;
    readonly value: string;
    readonly fault: Fault | undefined;
}

/** Sets one parameter; the list starts again from its first page. */
const choose = (name: string, value: string) => setQuery({[name]: value.trim(), cursor: '', from: ''});

const MOST_CHOICES = 40;

function Field({filter, kind, value, fault}: FieldProps)
{
    const [wanted, setWanted] = useState(filter.of === undefined && !kind.large);
    const stated = filter.choices !== undefined || filter.number;
    const found = useOptions(stated || !wanted ? '' : filter.of ?? kind.kind, filter.of ? 'id' : filter.name);
    const {values, complete} = filter.choices ? {values: filter.choices, complete: true} : found;
    const id = `filter-${filter.name}`;
    const few = !filter.of && complete && values.length > 0 && values.length <= MOST_CHOICES;
    const described = fault ? {'aria-invalid': true, 'aria-describedby': `${id}-fault`} as const : {};
    return (
        <div class="field">
            <label for={id}>{filter.title}</label>
            {few ? (
                <select id={id} value={value} {...described}
                    onChange={(event) => choose(filter.name, event.currentTarget.value)}>
                    <option value="">any</option>
                    {!values.includes(value) && value && <option value={value}>{value}</option>}
                    {values.map((name) => <option key={name} value={name}>{name.replaceAll('_', ' ')}</option>)}
                </select>
            ) : (
                <input id={id} value={value} list={values.length ? `${id}-list` : undefined} placeholder="any"
                    inputMode={filter.number ? 'numeric' : undefined} autocomplete="off" spellcheck={false}
                    {...described} onFocus={() => setWanted(true)}
                    onChange={(event) => choose(filter.name, event.currentTarget.value)} />
            )}
            {!few && values.length > 0 && (
                <datalist id={`${id}-list`}>{values.map((name) => <option key={name} value={name} />)}</datalist>
            )}
            {fault && (
                <p class="fault" id={`${id}-fault`}>
                    {fault.detail}
                    {fault.suggestion && <> <button type="button" class="quiet"
                        onClick={() => choose(filter.name, fault.suggestion ?? '')}>{fault.suggestion}</button></>}
                </p>
            )}
        </div>
    );
}

interface FiltersProps {
    readonly kind: Kind;
    readonly query: URLSearchParams;
    readonly faults: readonly Fault[];
}

export function Filters({kind, query, faults}: FiltersProps)
{
    const {filters} = kind;
    const set = filters.some(({name}) => query.has(name)) || query.has('q');
    return (
        <form class="filters" role="search" aria-label="Filters" onSubmit={(event) => event.preventDefault()}>
            <div class="field filter-words">
                <label for="filter-q">Words</label>
                <input id="filter-q" type="search" value={query.get('q') ?? ''} autocomplete="off"
                    placeholder="in titles, notes and sources"
                    onInput={(event) => choose('q', event.currentTarget.value)} />
            </div>
            {filters.map((filter) => (
                <Field key={filter.name} filter={filter} kind={kind} value={query.get(filter.name) ?? ''}
                    fault={faults.find(({pointer}) => pointer === `?${filter.name}`)} />
            ))}
            {set && (
                <button type="button" class="quiet filters-clear" onClick={() => setQuery(Object.fromEntries(
                    ['q', 'cursor', 'from', ...filters.map(({name}) => name)].map((name) => [name, ''])))}>
                    Clear
                </button>
            )}
        </form>
    );
}
