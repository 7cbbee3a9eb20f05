// settings.ts - the settings of a plan as its fields share them.
import type {Fault} from '../../app/api';
import type {Plan} from '../../app/plan';
import {argumentOf} from '../../app/plan-query';

/** Sets arguments of the query; an empty text takes one away. Sliders replace the address, choices push. */
export type SetSettings = (changes: Readonly<Record<string, string>>, replace?: boolean) => void;

export interface InputProps {
    readonly query: URLSearchParams;
    /** The plan of these settings, for what stands where one is not given. */
    readonly plan: Pick<Plan, 'request' | 'assumed'> | null;
    readonly faults: readonly Fault[];
    readonly set: SetSettings;
}

/** Arguments that have a field of their own; the rest stands among the further settings. */
export const NAMED: ReadonlySet<string> = new Set(['model', 'hardware', 'engine', 'engine_version', 'weights',
    'kv_cache', 'tp', 'pp', 'dp', 'ep', 'concurrency', 'input_tokens', 'output_tokens', 'ttft_ms', 'tpot_ms',
    'output_tok_s']);

/** The fault of a reply that is about an argument. */
export function faultOf(faults: readonly Fault[], name: string): Fault | null
{
    return faults.find((fault) => argumentOf(fault.pointer) === name) ?? null;
}
