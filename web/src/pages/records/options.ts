// options.ts - what a filter may be set to: the values that occur in the API's own table of the kind.
import {useEffect, useState} from 'preact/hooks';
import {readCsv} from '../../app/csv';

const MOST_ROWS = 1000;
const tables = new Map<string, Promise<Record<string, string>[]>>();

function tableOf(kind: string): Promise<Record<string, string>[]>
{
    const kept = tables.get(kind);
    if (kept)
        return kept;
    const asked = fetch(`/v1/${kind}?format=csv&limit=${MOST_ROWS}`)
        .then((response) => (response.ok ? response.text() : ''))
        .then(readCsv);
    tables.set(kind, asked);
    asked.catch(() => tables.delete(kind));
    return asked;
}

interface Options {
    readonly values: readonly string[];
    /** Whether no other value can occur. */
    readonly complete: boolean;
}

/** The values of a column in a kind's table; none until they are there, and none of an empty kind. */
export function useOptions(kind: string, column: string): Options
{
    const [options, setOptions] = useState<Options>({values: [], complete: false});
    useEffect(() => {
        let alive = true;
        setOptions({values: [], complete: false});
        if (kind)
            void tableOf(kind).then((rows) => {
                const values = [...new Set(rows.map((row) => row[column] ?? '').filter(Boolean))];
                if (alive)
                    setOptions({values: column === 'id' ? values : values.sort(), complete: rows.length < MOST_ROWS});
            }, () => undefined);
        return () => {
            alive = false;
        };
    }, [kind, column]);
    return options;
}
