// plan.ts - what /v1/plan and /v1/check reply, as far as the pages read it.
import type {BasisWord} from './behind';

export type Pointers = Readonly<Record<string, unknown>>;

export interface Estimate {
    readonly floor: number | null;
    readonly expected: number | null;
    readonly low: number | null;
    readonly high: number | null;
    readonly basis: BasisWord;
}

export interface Fit {
    readonly id: string;
    readonly hardware?: string;
    readonly engine: string | null;
    readonly engine_version?: string;
    readonly op: string;
    readonly dtype?: string;
    readonly match: string;
    readonly kernels: number | null;
    readonly median_error: number | null;
    readonly p90_error?: number | null;
}

export interface StepClass {
    readonly class: string;
    readonly pass: 'device' | 'host' | 'link';
    readonly bound: string;
    readonly bytes: number | null;
    readonly flops: number | null;
    readonly link_bytes: number | null;
    readonly host_bytes: number | null;
    readonly launches: number | null;
    readonly floor_us: number | null;
    readonly expected_us: number | null;
    readonly fixed_us: number | null;
    readonly memory_us: number | null;
    readonly compute_us: number | null;
    readonly share: number | null;
    readonly formula: string;
    readonly basis: BasisWord;
    readonly fit: Fit | null;
    readonly anchor: string | null;
}

export interface Dominant {
    readonly phase: string;
    readonly class: string;
    readonly pass: string;
    readonly bound: string;
    readonly share: number | null;
}

export interface Step {
    readonly bytes: number | null;
    readonly flops: number | null;
    readonly link_bytes: number | null;
    readonly arithmetic_intensity: number | null;
    readonly ridge: number | null;
    readonly floor_us: number | null;
    readonly expected_us: number | null;
    readonly low_us: number | null;
    readonly high_us: number | null;
    readonly basis: BasisWord;
    readonly device_us: number | null;
    readonly host_us: number | null;
    readonly exposed_host_us: number | null;
    readonly classes: readonly StepClass[];
}

export interface Decode extends Step {
    readonly batch: number;
    readonly context_tokens: number;
}

export interface Prefill extends Step {
    readonly tokens: number;
    readonly chunks: number;
}

export interface MemoryTerm {
    readonly term: string;
    readonly title: string;
    readonly bytes: number;
    readonly low_bytes: number;
    readonly high_bytes: number;
    readonly in_budget: boolean;
    readonly formula: string | null;
    readonly basis: BasisWord;
    readonly rule: string | null;
}

interface MemoryChange {
    readonly id: string;
    readonly change: Pointers;
    readonly why: string;
    readonly kv_token_capacity: number | null;
    readonly max_concurrency: number | null;
    readonly devices: number | null;
}

export interface Memory {
    readonly fits: boolean;
    readonly verdict: 'yes' | 'no' | 'unknown';
    readonly short_by_bytes: number;
    readonly per_device: {
        readonly total_bytes: number;
        readonly usable_bytes: number;
        readonly weights_bytes: number;
        readonly kv_bytes: number;
        readonly kv_bytes_low: number;
        readonly kv_bytes_high: number;
    };
    readonly pool_formula: string;
    readonly terms: readonly MemoryTerm[];
    readonly kv_bytes_per_token: number | null;
    readonly state_bytes_per_sequence: number | null;
    readonly kv_token_capacity: number | null;
    readonly max_concurrency: number | null;
    readonly max_concurrency_at_max_model_len: number | null;
    readonly longest_context_tokens: number | null;
    readonly held_sequences: number | null;
    readonly changes: readonly MemoryChange[];
    readonly basis: BasisWord;
}

export interface Effect {
    readonly tpot: number | null;
    readonly ttft: number | null;
    readonly output_tok_s: number | null;
    readonly memory: number | null;
    readonly devices: number | null;
}

export interface Cure {
    readonly id: string;
    readonly title: string;
    readonly rank: number | null;
    readonly change: Pointers;
    readonly why: string;
    readonly when_not: string;
    readonly effect: Effect;
    readonly regime_after: string;
    readonly basis: BasisWord;
    readonly evidence: readonly {readonly anchor: string}[];
    readonly evidence_status: string;
}

export interface Move {
    readonly axis: string;
    readonly direction: 'up' | 'down';
    readonly from: number | string;
    readonly at: number | string | null;
    readonly to_regime: string | null;
    readonly to_class: string | null;
}

export interface NearAnchor {
    readonly id: string;
    readonly distance: number;
    readonly exact: boolean;
    readonly conditions: Readonly<Record<string, string | number | null>>;
    readonly metrics: Readonly<Record<string, number>>;
}

interface Gap {
    readonly id: string;
    readonly question: string;
    readonly asked: number;
}

interface Warning {
    readonly id: string;
    readonly pointer: string | null;
    readonly detail: string;
}

export interface Measured {
    readonly value: number;
    readonly anchor: string;
}

export interface Request {
    readonly model: string | Readonly<Record<string, unknown>>;
    readonly hardware: string | Readonly<Record<string, unknown>>;
    readonly deployment: Readonly<Record<string, unknown>>;
    readonly workload: Readonly<Record<string, unknown>>;
    readonly slo: Readonly<Record<string, unknown>> | null;
}

export interface Plan {
    readonly request: Request;
    readonly assumed: readonly string[];
    readonly assumed_from: Readonly<Record<string, string>>;
    readonly ignored_flags: readonly string[];
    readonly regime: {readonly id: string; readonly title: string; readonly because: string};
    readonly dominant: Dominant;
    readonly decode: Decode;
    readonly prefill: Prefill;
    readonly latency: {
        readonly ttft_ms: Estimate;
        readonly tpot_ms: Estimate;
        readonly e2e_ms: Estimate;
        readonly nearness: {readonly tier: string; readonly anchors: number};
    };
    readonly throughput: {
        readonly output_tok_s: Estimate;
        readonly per_user_tok_s: Estimate;
        readonly requests_s: Estimate;
        readonly max_request_rate: Estimate;
    };
    readonly memory: Memory;
    readonly moves: readonly Move[];
    readonly cures: readonly Cure[];
    readonly non_cures: readonly Cure[];
    readonly measured: Readonly<Partial<Record<string, Measured>>>;
    readonly anchors: readonly NearAnchor[];
    readonly gaps: readonly Gap[];
    readonly warnings: readonly Warning[];
}

export interface CheckResult {
    readonly id: string;
    readonly title: string;
    readonly verdict: 'pass' | 'fail' | 'unknown';
    readonly limit: number | null;
    readonly unit: string | null;
    readonly detail: string;
}

export interface Check {
    readonly verdict: 'pass' | 'fail' | 'unknown';
    readonly checks: readonly CheckResult[];
    readonly cures: readonly {readonly id: string; readonly flags: readonly string[]}[];
}
