// behind.ts - the records behind a number: asked once, and the addresses of their pages.
import {ask} from './api';

export type BasisWord = 'measured' | 'calibrated' | 'derived' | 'assumed' | 'no record';

export interface Provenance {
    readonly field: string;
    readonly source: string;
    readonly kind: string;
    readonly basis: string;
    readonly url: string | null;
    readonly date: string | null;
}

/** What every record has, whatever its kind. */
export interface AnyRecord {
    readonly id: string;
    readonly title?: string;
    readonly name?: string;
    readonly notes?: string;
    readonly formula?: string | null;
    readonly provenance?: readonly Provenance[];
}

/** A kind of record as its path says it: "models", "anchors", "calibrations", "memory-rules"... */
export interface RecordRef {
    readonly kind: string;
    readonly id: string;
}

/** Kinds that the daemon explains on pages of its own. */
const DOCUMENTED = new Set(['classes', 'regimes', 'cures']);

export function addressOfRecord({kind, id}: RecordRef): string
{
    const name = encodeURIComponent(id);
    return DOCUMENTED.has(kind) ? `/docs/${kind}/${name}` : `/records/${kind}?id=${name}`;
}

const asked = new Map<string, Promise<AnyRecord>>();

/** One record, asked once. */
export function recordOf({kind, id}: RecordRef): Promise<AnyRecord>
{
    const path = `/v1/${kind}/${encodeURIComponent(id)}`;
    let found = asked.get(path);
    if (!found) {
        found = ask<AnyRecord>(path);
        found.catch(() => asked.delete(path));
        asked.set(path, found);
    }
    return found;
}
