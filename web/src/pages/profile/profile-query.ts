// profile-query.ts - what a profile was of, as the page's address and the API's query hold it.

export interface Setting {
    readonly name: string;
    readonly label: string;
    readonly numeric: boolean;
    /** What stands where nothing is given. */
    readonly empty: string;
}

/** Settings with a field of their own beside model, hardware, engine and phase. */
export const NUMBERS: readonly Setting[] = [
    {name: 'batch', label: 'Batch', numeric: true, empty: 'from the file'},
    {name: 'context', label: 'Context tokens', numeric: true, empty: 'from the file'},
    {name: 'tp', label: 'tp', numeric: true, empty: '1'},
];

/** Settings that few files need: formats, and tables that add up several steps or ranks. */
export const FURTHER: readonly Setting[] = [
    {name: 'weights', label: 'Weights', numeric: false, empty: 'as published'},
    {name: 'kv_cache', label: 'KV cache', numeric: false, empty: 'default'},
    {name: 'steps', label: 'Steps in the file', numeric: true, empty: 'from the file'},
    {name: 'ranks', label: 'Ranks added up', numeric: true, empty: '1'},
    {name: 'wall_ms', label: 'Wall time, ms', numeric: true, empty: 'unknown'},
];

export const PHASES = ['decode', 'prefill', 'mixed'] as const;

const OF_THE_PAGE = new Set(['embed', 'chart']);

/** The query of POST /v1/attribute that an address stands for. */
export function attributeQuery(query: URLSearchParams): URLSearchParams
{
    return new URLSearchParams([...query].filter(([name, value]) => value !== '' && !OF_THE_PAGE.has(name)));
}

export function attributePath(query: URLSearchParams): string
{
    const text = attributeQuery(query).toString();
    return text ? `/v1/attribute?${text}` : '/v1/attribute';
}
