// diagnosis.ts - what /v1/diagnose replies, as far as the pages read it.
import type {BasisWord} from './behind';
import type {Estimate} from './plan';

interface PlannerCure {
    readonly id: string;
    readonly helps: boolean;
    readonly tpot: number | null;
    readonly ttft: number | null;
    readonly output_tok_s: number | null;
    readonly memory: number | null;
}

export interface Cause {
    readonly class: string;
    readonly title: string;
    readonly pass: string;
    readonly planner_class: string;
    /** 0 to 1. */
    readonly score: number;
    readonly basis: BasisWord;
    readonly for: readonly string[];
    readonly for_sources: readonly string[];
    readonly against: readonly string[];
    readonly against_sources: readonly string[];
    readonly check_next: string;
    readonly cure: string;
    readonly cure_source: string | null;
    readonly planner_cure: PlannerCure | null;
}

export interface SeenQuantity {
    readonly name: string;
    readonly value: number;
    /** field, metrics, log or smi. */
    readonly from: string;
    readonly over: string;
}

interface SeenSign {
    readonly id: string;
    readonly text: string;
    readonly strength: number;
    readonly origin: string;
}

interface SeenTopic {
    readonly topic: string;
    readonly origin: string;
    readonly with_it: readonly string[];
}

/** What became of one pasted text. */
export interface Reading {
    readonly from: string;
    readonly format: string | null;
    readonly lines: number;
    readonly used: number;
    readonly ignored: number;
    readonly unknown: number;
    readonly unknown_names: readonly string[];
    readonly truncated: boolean;
}

export interface Expected {
    readonly regime: string;
    readonly dominant: string;
    readonly seen_tpot_ms: number | null;
    readonly tpot_ms: Estimate;
    readonly ttft_ms: Estimate;
    readonly output_tok_s: Estimate;
}

export interface Diagnosis {
    readonly healthy: boolean;
    readonly causes: readonly Cause[];
    readonly ruled_out: readonly Cause[];
    readonly separate: string | null;
    readonly not_enough: readonly string[];
    readonly expected: Expected | null;
    readonly observed: {
        readonly quantities: readonly SeenQuantity[];
        readonly signs: readonly SeenSign[];
        readonly topics: readonly SeenTopic[];
        readonly readings: readonly Reading[];
    };
    readonly not_used: readonly string[];
    readonly notes: readonly string[];
}
