// attribution.ts - what /v1/attribute replies, as far as the pages read it.
import type {BasisWord} from './behind';

/** The time of one kernel by its name. */
export interface NamedTime {
    readonly name: string;
    readonly us: number | null;
    readonly share: number | null;
    readonly launches?: number | null;
    readonly ambiguous?: boolean;
}

export interface ClassTime {
    readonly class: string;
    /** In the whole window. */
    readonly us: number | null;
    readonly share: number;
    readonly kernels: number | null;
    readonly names: readonly NamedTime[];
    readonly budget_us: number | null;
    readonly budget_share: number | null;
    readonly budget_classes: readonly string[];
    readonly budget_with: readonly string[] | null;
}

/** Measured classes that one budget speaks of, beside it. */
export interface Compared {
    readonly classes: readonly string[];
    readonly budget_classes: readonly string[];
    /** Of one step; null where ratios are of shares. */
    readonly us: number | null;
    readonly share: number;
    readonly budget_us: number;
    readonly budget_share: number;
    readonly ratio: number | null;
}

interface Budget {
    readonly no_record: string | null;
    readonly of: string | null;
    readonly step_us: number | null;
    readonly device_us: number | null;
    readonly basis: BasisWord | null;
    readonly ratios_are_of: 'times' | 'shares';
    readonly compared: readonly Compared[];
}

interface HostPart {
    readonly part: string;
    readonly us: number;
    readonly share: number;
}

/** What a program prints of its own phases. */
export interface PrintedPart {
    readonly part: string;
    readonly on: 'device' | 'host';
    readonly us: number;
    readonly share: number | null;
    readonly tokens: number | null;
    readonly us_per_token: number | null;
    readonly budget_us: number | null;
}

export interface ComparedRun {
    readonly run: string;
    readonly span_us: number;
    readonly busy_us: number;
    readonly idle_us: number;
    readonly idle_share: number;
    readonly launches: number | null;
    readonly idle_us_per_launch: number | null;
}

interface Condition {
    readonly value: string | number | null;
    readonly from: 'query' | 'file' | 'assumed' | null;
}

export interface Attribution {
    readonly format: string;
    readonly phase: string;
    readonly refused: string | null;
    readonly span_us: number | null;
    readonly busy_us: number | null;
    readonly idle_us: number | null;
    readonly sum_us: number | null;
    readonly overlap_share: number | null;
    readonly steps: number | null;
    readonly dominant: string | null;
    readonly covered_share: number | null;
    readonly listed_share: number | null;
    readonly shares: readonly ClassTime[];
    readonly unclassified: readonly NamedTime[];
    readonly unclassified_share: number | null;
    readonly host: {
        readonly idle_us: number | null;
        readonly share: number | null;
        readonly budget_us: number | null;
        readonly parts: readonly HostPart[];
        readonly no_record: string | null;
        readonly calls: readonly {readonly call: string; readonly calls: number; readonly us: number}[];
    };
    readonly budget: Budget;
    readonly parts: readonly PrintedPart[];
    readonly runs: readonly ComparedRun[];
    readonly window: {
        readonly from: string | null;
        readonly step: string | null;
        readonly recorded_span_us: number | null;
        readonly recorded_busy_us: number | null;
        readonly outside_us: number | null;
        readonly streams: number | null;
    };
    readonly conditions: Readonly<Record<string, Condition>>;
    readonly warnings: readonly string[];
}
