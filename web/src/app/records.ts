// records.ts - what /v1/{kind} and /v1/{kind}/{id} reply: facts with the sources they rest on.

export type Json = null | boolean | number | string | readonly Json[] | {readonly [name: string]: Json | undefined};
export type Facts = {readonly [name: string]: Json | undefined};

/** One source, and which fields it states; `*` stands for all of them. */
export interface Provenance {
    readonly field: string;
    readonly source: string | null;
    readonly kind: string | null;
    readonly basis: string | null;
    readonly url: string | null;
    readonly date: string | null;
    readonly license: string | null;
    readonly source_id: string | null;
}

/** Two sources that do not agree, and which was taken. */
export interface Dispute {
    readonly field: string;
    readonly value_a: string;
    readonly source_a: string;
    readonly value_b: string;
    readonly source_b: string;
    readonly why: string;
}

export interface RecordList {
    readonly items: readonly Facts[];
    readonly total: number;
    readonly next_cursor: string | null;
    /** Of measurements where nothing matches: the nearest ones. */
    readonly nearest?: readonly Facts[];
}

export const isFacts = (value: Json | undefined): value is Facts =>
    typeof value === 'object' && value !== null && !Array.isArray(value);

export const isList = (value: Json | undefined): value is readonly Json[] => Array.isArray(value);

/** What stands at a dotted path: "peak_dense_tflops.bf16". */
export function at(facts: Facts, path: string): Json | undefined
{
    return path.split('.').reduce<Json | undefined>(
        (value, name) => (isFacts(value) ? value[name] : undefined), facts);
}

export function textAt(facts: Facts, path: string): string
{
    const value = at(facts, path);
    return typeof value === 'string' ? value : typeof value === 'number' ? String(value) : '';
}

export function numberAt(facts: Facts, path: string): number | null
{
    const value = at(facts, path);
    return typeof value === 'number' ? value : null;
}

export function listAt(facts: Facts, path: string): readonly Facts[]
{
    const value = at(facts, path);
    return isList(value) ? value.filter(isFacts) : [];
}

export const provenanceOf = (facts: Facts) => listAt(facts, 'provenance') as unknown as readonly Provenance[];
export const disputesOf = (facts: Facts) => listAt(facts, 'disputes') as unknown as readonly Dispute[];

/** What a record is called: kinds differ in where they say it. */
export function titleOf(facts: Facts): string
{
    return textAt(facts, 'title') || textAt(facts, 'name') || textAt(facts, 'claim') || textAt(facts, 'question') ||
        textAt(facts, 'id');
}

/** The page of a plan, from the address the API gives for it. */
export const planAddress = (link: string) => link.replace(/^\/v1\/plan/, '/');
