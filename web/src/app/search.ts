// search.ts - what /v1/search replies, as far as the pages read it.
import type {Estimate} from './plan';

export interface Price {
    readonly usd_per_device_hour: number | null;
    readonly source: string | null;
    readonly date: string | null;
    readonly rows: number | null;
    readonly low: number | null;
    readonly high: number | null;
}

interface Deployed {
    readonly model: string;
    readonly hardware: string;
    readonly devices: number;
    readonly engine: string;
    readonly title: string;
    readonly deployment: Readonly<Record<string, unknown>>;
    /** The path and query of its plan. */
    readonly plan: string | null;
}

interface Latency {
    readonly ttft_ms: Estimate;
    readonly tpot_ms: Estimate;
    readonly e2e_ms: Estimate;
}

interface Throughput {
    readonly output_tok_s: Estimate;
    readonly per_user_tok_s: Estimate;
    readonly requests_s: Estimate;
    readonly max_request_rate: Estimate;
}

export interface SearchItem extends Deployed {
    readonly rank: number;
    readonly regime: string;
    readonly dominant_class: string;
    readonly latency: Latency;
    readonly throughput: Throughput;
    readonly per_device_tok_s: number | null;
    readonly slo_verdict: 'pass' | 'fail' | 'unknown' | null;
    readonly cost: {
        readonly usd_per_hour: number | null;
        readonly usd_per_million_output_tokens: number | null;
        readonly basis: string;
    };
    readonly energy: {
        readonly upper_bound_w: number | null;
        readonly upper_bound_j_per_output_token: number | null;
        readonly formula: string;
    };
    /** Starts one replica, where that is all. */
    readonly command: string | null;
    /** What starts the parts, where there are several. */
    readonly commands: readonly {readonly role: string; readonly count: number; readonly command: string}[] | null;
    readonly not_in_command: readonly string[];
    readonly lost_by: string | null;
    readonly equals: number;
}

export interface FrontPoint extends Deployed {
    readonly per_user_tok_s: number;
    readonly per_device_tok_s: number;
    readonly ttft_ms: number | null;
    readonly tpot_ms: number | null;
    readonly usd_per_million_output_tokens: number | null;
    readonly feasible: boolean;
    readonly rank: number | null;
}

export interface Infeasible {
    readonly binding: string | null;
    readonly detail: string;
    readonly nearest: (Deployed & {readonly latency: Latency; readonly throughput: Throughput; readonly by: number}) | null;
    readonly counts: Readonly<Record<string, number>>;
}

export interface PartPrice {
    readonly hardware: string;
    readonly basis: string;
    readonly price: Price;
    readonly oldest: string | null;
    readonly newest: string | null;
    readonly records: readonly {
        readonly id: string;
        readonly provider: string;
        readonly kind: string;
        readonly usd_per_device_hour: number;
        readonly date: string | null;
        readonly counts: boolean;
    }[];
}

export interface SearchResult {
    readonly objective: string;
    readonly candidates: {
        readonly total: number;
        readonly filtered: Readonly<Record<string, number>>;
        readonly planned: number;
        readonly feasible: number;
    };
    readonly items: readonly SearchItem[];
    readonly pareto: readonly FrontPoint[];
    readonly infeasible: Infeasible | null;
    readonly assumed: readonly {readonly pointer: string; readonly rule: string}[];
    readonly warnings: readonly {readonly id: string; readonly detail: string}[];
    readonly prices: readonly PartPrice[];
}

/** A line of the answer: how far it is, or the whole of it. */
export interface SearchLine {
    readonly progress?: {readonly done: number; readonly of: number};
    readonly result?: SearchResult;
}
