/*
 * anchor.h - the vocabulary of measurements, and how far one is from what is asked.
 *
 * Purpose: closed lists of kinds, metrics, statistics and conditions that the importer checks, the
 *          snapshot holds and the API prints; the distance between a measurement and a problem.
 * Units:   of a metric in its row; conditions are tokens, sequences, devices, bytes, watts.
 * Ownership: plain data, static names.
 * Errors:  look-ups give the COUNT of their list for an unknown name.
 * Threads: pure.
 */
#ifndef REGIME_ANCHOR_H
#define REGIME_ANCHOR_H

#include <stdbool.h>

#include "plan.h"

/* What was measured. A study holds the rows of one table: its own rows are anchors beside it. */
#define ANCHOR_KIND_LIST(X)                                                                        \
    X(ANCHOR_SERVING, "serving")             /* latency and rate of a server under load */         \
    X(ANCHOR_DISAGGREGATED, "disaggregated") /* the same, prefill on devices of its own */         \
    X(ANCHOR_SPEED, "speed")                 /* prefill and decode rate of a few streams */        \
    X(ANCHOR_CAPACITY, "capacity")           /* what an engine printed about its memory */         \
    X(ANCHOR_ATTRIBUTION, "attribution")     /* shares of a measured step by class */              \
    X(ANCHOR_HOST, "host")                   /* cost of a host component */                        \
    X(ANCHOR_LAUNCH, "launch")               /* cost of starting kernels */                        \
    X(ANCHOR_LINK, "link")                   /* expert dispatch and combine */                     \
    X(ANCHOR_STUDY, "study")                                                                       \
    X(ANCHOR_STATEMENT, "statement") /* what a source states and did not measure */

#define X(ID, NAME) ID,

enum anchor_kind { ANCHOR_KIND_LIST(X) ANCHOR_KIND_COUNT };

#undef X

/* Of the values behind a figure. A source that does not say which has "unstated". */
#define STATISTIC_LIST(X)                                                                          \
    X(STATISTIC_MEAN, "mean")                                                                      \
    X(STATISTIC_P50, "p50")                                                                        \
    X(STATISTIC_P90, "p90")                                                                        \
    X(STATISTIC_P95, "p95")                                                                        \
    X(STATISTIC_P99, "p99")                                                                        \
    X(STATISTIC_MIN, "min")                                                                        \
    X(STATISTIC_MAX, "max")                                                                        \
    X(STATISTIC_STDDEV, "stddev")                                                                  \
    X(STATISTIC_UNSTATED, "unstated")

#define X(ID, NAME) ID,

enum statistic { STATISTIC_LIST(X) STATISTIC_COUNT };

#undef X

/* Which physical bound a metric has: times have a least, rates a greatest value. */
enum anchor_roof {
    ROOF_NONE,
    ROOF_TOKEN_TIME,   /* ms between two tokens of one sequence */
    ROOF_FIRST_TIME,   /* ms to the first token */
    ROOF_REQUEST_TIME, /* ms of a whole request */
    ROOF_SHARED_TIME,  /* ms of a request per output token */
    ROOF_USER_RATE,    /* tokens per second of one sequence */
    ROOF_OUTPUT_RATE,  /* output tokens per second of all sequences */
    ROOF_OUTPUT_RATE_PER_DEVICE,
    ROOF_TOTAL_RATE, /* input and output tokens per second */
    ROOF_TOTAL_RATE_PER_DEVICE,
    ROOF_REQUEST_RATE, /* requests per second */
    ROOF_PREFILL_RATE  /* prompt tokens per second */
};

/* Conditions without which a figure says nothing: one of each list. */
enum anchor_needs {
    NEEDS_NOTHING,
    NEEDS_LOAD,     /* concurrency, batch, request_rate, load_profile or test */
    NEEDS_LENGTH,   /* input_tokens, depth, dataset or test */
    NEEDS_COMPONENT /* component, test or phase */
};

#define ANCHOR_METRIC_LIST(X)                                                                      \
    X(METRIC_TTFT, "ttft_ms", "ms", ROOF_FIRST_TIME, NEEDS_LENGTH)                                 \
    X(METRIC_TPOT, "tpot_ms", "ms", ROOF_TOKEN_TIME, NEEDS_LOAD)                                   \
    X(METRIC_ITL, "itl_ms", "ms", ROOF_TOKEN_TIME, NEEDS_LOAD)                                     \
    X(METRIC_E2E, "e2e_ms", "ms", ROOF_REQUEST_TIME, NEEDS_LOAD)                                   \
    X(METRIC_E2E_PER_TOKEN, "e2e_ms_per_output_token", "ms", ROOF_SHARED_TIME, NEEDS_LOAD)         \
    X(METRIC_OUTPUT_RATE, "output_tok_s", "tok/s", ROOF_OUTPUT_RATE, NEEDS_LOAD)                   \
    X(METRIC_TOTAL_RATE, "total_tok_s", "tok/s", ROOF_TOTAL_RATE, NEEDS_LOAD)                      \
    X(METRIC_USER_RATE, "per_user_tok_s", "tok/s", ROOF_USER_RATE, NEEDS_LOAD)                     \
    X(METRIC_OUTPUT_RATE_DEVICE, "output_tok_s_per_device", "tok/s", ROOF_OUTPUT_RATE_PER_DEVICE,  \
      NEEDS_LOAD)                                                                                  \
    X(METRIC_TOTAL_RATE_DEVICE, "total_tok_s_per_device", "tok/s", ROOF_TOTAL_RATE_PER_DEVICE,     \
      NEEDS_LOAD)                                                                                  \
    X(METRIC_OUTPUT_RATE_NODE, "output_tok_s_per_node", "tok/s", ROOF_NONE, NEEDS_LOAD)            \
    X(METRIC_PREFILL_RATE_NODE, "prefill_tok_s_per_node", "tok/s", ROOF_NONE, NEEDS_LENGTH)        \
    X(METRIC_REPORTED_RATE, "reported_tok_s", "tok/s", ROOF_NONE, NEEDS_LOAD)                      \
    X(METRIC_REQUEST_RATE, "requests_s", "req/s", ROOF_REQUEST_RATE, NEEDS_LOAD)                   \
    X(METRIC_PREFILL_RATE, "prefill_tok_s", "tok/s", ROOF_PREFILL_RATE, NEEDS_LENGTH)              \
    X(METRIC_DECODE_RATE, "decode_tok_s", "tok/s", ROOF_OUTPUT_RATE, NEEDS_LOAD)                   \
    X(METRIC_TTFT_HOST_KV, "ttft_from_host_kv_ms", "ms", ROOF_NONE, NEEDS_LENGTH)                  \
    X(METRIC_ITL_INTERCEPT, "itl_intercept_ms", "ms", ROOF_NONE, NEEDS_LOAD)                       \
    X(METRIC_ITL_SLOPE, "itl_slope_us_per_token", "us/token", ROOF_NONE, NEEDS_LOAD)               \
    X(METRIC_STEP, "step_ms", "ms", ROOF_NONE, NEEDS_NOTHING)                                      \
    X(METRIC_LAYER, "layer_ms", "ms", ROOF_NONE, NEEDS_NOTHING)                                    \
    X(METRIC_WINDOW, "window_us", "us", ROOF_NONE, NEEDS_NOTHING)                                  \
    X(METRIC_STEP_RATE, "steps_s", "steps/s", ROOF_NONE, NEEDS_LOAD)                               \
    X(METRIC_WALL, "wall_s", "s", ROOF_NONE, NEEDS_LOAD)                                           \
    X(METRIC_ACCEPTED, "accepted_tokens_per_step", "tokens", ROOF_NONE, NEEDS_NOTHING)             \
    X(METRIC_HIT_RATE, "prefix_hit_rate", "ratio", ROOF_NONE, NEEDS_NOTHING)                       \
    X(METRIC_GPU_BUSY, "gpu_busy", "ratio", ROOF_NONE, NEEDS_NOTHING)                              \
    X(METRIC_GPU_GAP, "gpu_gap_ms", "ms", ROOF_NONE, NEEDS_NOTHING)                                \
    X(METRIC_GPU_KERNEL, "gpu_kernel_ms_per_step", "ms", ROOF_NONE, NEEDS_NOTHING)                 \
    X(METRIC_COPY_BYTES, "copy_bytes", "bytes", ROOF_NONE, NEEDS_NOTHING)                          \
    X(METRIC_COPY, "copy_ms", "ms", ROOF_NONE, NEEDS_NOTHING)                                      \
    X(METRIC_HOST, "host_us", "us", ROOF_NONE, NEEDS_COMPONENT)                                    \
    X(METRIC_HOST_PER_TOKEN, "host_us_per_token", "us/token", ROOF_NONE, NEEDS_COMPONENT)          \
    X(METRIC_HOST_PER_STEP, "host_ms_per_step", "ms", ROOF_NONE, NEEDS_COMPONENT)                  \
    X(METRIC_HOST_SHARE, "host_share", "ratio", ROOF_NONE, NEEDS_COMPONENT)                        \
    X(METRIC_GAIN, "gain", "ratio", ROOF_NONE, NEEDS_COMPONENT)                                    \
    X(METRIC_SPEEDUP, "speedup", "ratio", ROOF_NONE, NEEDS_NOTHING)                                \
    X(METRIC_LAUNCH, "launch_us", "us", ROOF_NONE, NEEDS_COMPONENT)                                \
    X(METRIC_KERNEL, "kernel_us", "us", ROOF_NONE, NEEDS_COMPONENT)                                \
    X(METRIC_DISPATCH, "dispatch_us", "us", ROOF_NONE, NEEDS_NOTHING)                              \
    X(METRIC_COMBINE, "combine_us", "us", ROOF_NONE, NEEDS_NOTHING)                                \
    X(METRIC_DISPATCH_RATE, "dispatch_gbps", "GB/s", ROOF_NONE, NEEDS_NOTHING)                     \
    X(METRIC_COMBINE_RATE, "combine_gbps", "GB/s", ROOF_NONE, NEEDS_NOTHING)                       \
    X(METRIC_MEMORY_RATE, "memory_gbps_per_device", "GB/s", ROOF_NONE, NEEDS_NOTHING)              \
    X(METRIC_POWER, "power_w", "W", ROOF_NONE, NEEDS_NOTHING)                                      \
    X(METRIC_POWER_SHARE, "power_fraction", "ratio", ROOF_NONE, NEEDS_NOTHING)                     \
    X(METRIC_KV_TOKENS, "kv_token_capacity", "tokens", ROOF_NONE, NEEDS_NOTHING)                   \
    X(METRIC_KV_BLOCKS, "kv_blocks", "blocks", ROOF_NONE, NEEDS_NOTHING)                           \
    X(METRIC_MAX_CONCURRENCY, "max_concurrency", "sequences", ROOF_NONE, NEEDS_NOTHING)            \
    X(METRIC_MAX_SEQUENCES, "max_sequences", "sequences", ROOF_NONE, NEEDS_NOTHING)                \
    X(METRIC_FITTED_LEN, "fitted_model_len", "tokens", ROOF_NONE, NEEDS_NOTHING)                   \
    X(METRIC_KV_BYTES, "kv_cache_bytes", "bytes", ROOF_NONE, NEEDS_NOTHING)                        \
    X(METRIC_KV_NEEDED, "kv_cache_needed_bytes", "bytes", ROOF_NONE, NEEDS_NOTHING)                \
    X(METRIC_WEIGHTS, "weights_bytes", "bytes", ROOF_NONE, NEEDS_NOTHING)                          \
    X(METRIC_ACTIVATION, "activation_bytes", "bytes", ROOF_NONE, NEEDS_NOTHING)                    \
    X(METRIC_NON_TORCH, "non_torch_bytes", "bytes", ROOF_NONE, NEEDS_NOTHING)                      \
    X(METRIC_GRAPH, "graph_bytes", "bytes", ROOF_NONE, NEEDS_NOTHING)                              \
    X(METRIC_WORKSPACE, "workspace_bytes", "bytes", ROOF_NONE, NEEDS_NOTHING)                      \
    X(METRIC_MEMORY_USED, "memory_used_bytes", "bytes", ROOF_NONE, NEEDS_NOTHING)                  \
    X(METRIC_FREE, "free_bytes", "bytes", ROOF_NONE, NEEDS_NOTHING)                                \
    X(METRIC_OUT_OF_MEMORY, "out_of_memory", "0 or 1", ROOF_NONE, NEEDS_NOTHING)                   \
    X(METRIC_MMLU_PRO, "mmlu_pro_percent", "percent", ROOF_NONE, NEEDS_NOTHING)

#define X(ID, NAME, UNIT, ROOF, NEEDS) ID,

enum anchor_metric { ANCHOR_METRIC_LIST(X) ANCHOR_METRIC_COUNT };

#undef X

/* Conditions that are numbers, each with its greatest sensible value. Append only: a condition is a
 * column of the store. In a disaggregated anchor tp, pp, dp, ep and expert_tp are the decode
 * side's.
 */
#define ANCHOR_CONDITION_LIST(X)                                                                   \
    X(CONDITION_N_DEVICES, "n_devices", 1e5)                                                       \
    X(CONDITION_TP, "tp", 1e4)                                                                     \
    X(CONDITION_PP, "pp", 1e4)                                                                     \
    X(CONDITION_DP, "dp", 1e4)                                                                     \
    X(CONDITION_EP, "ep", 1e4)                                                                     \
    X(CONDITION_EXPERT_TP, "expert_tp", 1e4)                                                       \
    X(CONDITION_INPUT_TOKENS, "input_tokens", 1e8)                                                 \
    X(CONDITION_OUTPUT_TOKENS, "output_tokens", 1e8)                                               \
    X(CONDITION_CACHED_PREFIX, "cached_prefix_tokens", 1e8)                                        \
    X(CONDITION_CONCURRENCY, "concurrency", 1e6)                                                   \
    X(CONDITION_BATCH, "batch", 1e6)                                                               \
    X(CONDITION_DEPTH, "depth", 1e8)                                                               \
    X(CONDITION_REQUEST_RATE, "request_rate", 1e6)                                                 \
    X(CONDITION_REQUESTS, "requests", 1e9)                                                         \
    X(CONDITION_LENGTH_RATIO, "length_range_ratio", 1)                                             \
    X(CONDITION_MAX_NUM_SEQS, "max_num_seqs", 1e6)                                                 \
    X(CONDITION_MAX_MODEL_LEN, "max_model_len", 1e8)                                               \
    X(CONDITION_CHUNKED_PREFILL, "chunked_prefill_tokens", 1e8)                                    \
    X(CONDITION_MEMORY_UTILIZATION, "memory_utilization", 1)                                       \
    X(CONDITION_BLOCK_SIZE, "block_size", 1e6)                                                     \
    X(CONDITION_SPECULATIVE_TOKENS, "speculative_tokens", 1e3)                                     \
    X(CONDITION_STREAM_INTERVAL, "stream_interval", 1e4)                                           \
    X(CONDITION_LOGPROBS, "logprobs", 1e3)                                                         \
    X(CONDITION_THREADS, "threads", 1e5)                                                           \
    X(CONDITION_MICRO_BATCH, "micro_batch", 1e7)                                                   \
    X(CONDITION_POWER_LIMIT, "power_limit_w", 1e5)                                                 \
    X(CONDITION_MODEL_FILE, "model_file_bytes", 1e13)                                              \
    X(CONDITION_DEVICE_MEMORY, "device_memory_bytes", 1e13)                                        \
    X(CONDITION_PREFILL_WORKERS, "prefill_workers", 1e4)                                           \
    X(CONDITION_PREFILL_TP, "prefill_tp", 1e4)                                                     \
    X(CONDITION_PREFILL_PP, "prefill_pp", 1e4)                                                     \
    X(CONDITION_PREFILL_DP, "prefill_dp", 1e4)                                                     \
    X(CONDITION_PREFILL_EP, "prefill_ep", 1e4)                                                     \
    X(CONDITION_PREFILL_EXPERT_TP, "prefill_expert_tp", 1e4)                                       \
    X(CONDITION_PREFILL_BATCH, "prefill_batch", 1e6)                                               \
    X(CONDITION_DECODE_WORKERS, "decode_workers", 1e4)                                             \
    X(CONDITION_DECODE_BATCH, "decode_batch", 1e6)

#define X(ID, NAME, MAX) ID,

enum anchor_condition { ANCHOR_CONDITION_LIST(X) CONDITION_COUNT };

#undef X

/* Conditions that are texts; they stay in the record. */
#define ANCHOR_TEXT_LIST(X)                                                                        \
    X(TEXT_LOAD_PROFILE, "load_profile")                                                           \
    X(TEXT_LOAD_GENERATOR, "load_generator")                                                       \
    X(TEXT_DATASET, "dataset")                                                                     \
    X(TEXT_SPECULATIVE, "speculative")                                                             \
    X(TEXT_PREFIX_CACHING, "prefix_caching")                                                       \
    X(TEXT_FLASH_ATTENTION, "flash_attention")                                                     \
    X(TEXT_ATTENTION_BACKEND, "attention_backend")                                                 \
    X(TEXT_SAMPLER, "sampler")                                                                     \
    X(TEXT_PHASE, "phase")                                                                         \
    X(TEXT_COMPONENT, "component")                                                                 \
    X(TEXT_TEST, "test")                                                                           \
    X(TEXT_GEMM_QUANT, "gemm_quant")                                                               \
    X(TEXT_MOE_QUANT, "moe_quant")                                                                 \
    X(TEXT_PARALLELISM, "parallelism")                                                             \
    X(TEXT_HOST, "host")                                                                           \
    X(TEXT_FLAGS, "flags")                                                                         \
    X(TEXT_COMMAND, "command")

#define X(ID, NAME) ID,

enum anchor_text { ANCHOR_TEXT_LIST(X) ANCHOR_TEXT_COUNT };

#undef X

/* Values of the condition load_profile: how requests came. */
#define LOAD_PROFILE_LIST(X)                                                                       \
    X(LOAD_UNSTATED, "")                                                                           \
    X(LOAD_CLOSED_LOOP, "closed_loop") /* `concurrency` requests are always in flight */           \
    X(LOAD_SINGLE_STREAM, "single_stream")                                                         \
    X(LOAD_STATIC_BATCH, "static_batch") /* one batch, started and ended together */               \
    X(LOAD_OPEN_LOOP, "open_loop")       /* `request_rate` per second */                           \
    X(LOAD_ALL_AT_ONCE, "all_at_once")   /* all of `requests` at the start */                      \
    X(LOAD_MAX_LOAD, "max_load")                                                                   \
    X(LOAD_OFFLINE, "offline")                                                                     \
    X(LOAD_RAMP, "ramp")                                                                           \
    X(LOAD_BURST, "burst")                                                                         \
    X(LOAD_PRODUCTION, "production")                                                               \
    X(LOAD_ONLINE, "online")

#define X(ID, NAME) ID,

enum load_profile { LOAD_PROFILE_LIST(X) LOAD_PROFILE_COUNT };

#undef X

/* Why an anchor is disputed, as one word; its record says it in a sentence. A disputed anchor is
 * evidence for nothing. */
#define ANCHOR_DOUBT_LIST(X)                                                                       \
    X(DOUBT_NONE, "")                                                                              \
    X(DOUBT_ODD, "odd") /* far off its neighbours */                                               \
    X(DOUBT_SPECULATIVE, "speculative_suspected")                                                  \
    X(DOUBT_SAME_RUN, "same_run")         /* stands twice, under other conditions */               \
    X(DOUBT_BEYOND_BOUND, "beyond_bound") /* faster than the part can be */                        \
    X(DOUBT_INCONSISTENT, "inconsistent") /* its source contradicts itself */                      \
    X(DOUBT_INCOMPLETE, "incomplete")     /* a condition that decides the figure is not stated */

#define X(ID, NAME) ID,

enum anchor_doubt { ANCHOR_DOUBT_LIST(X) ANCHOR_DOUBT_COUNT };

#undef X

struct metric_info {
    const char *name, *unit;
    enum anchor_roof roof;
    enum anchor_needs needs;
};

struct condition_info {
    const char *name;
    double max; /* the least is 0 */
};

const struct metric_info *metric_info(enum anchor_metric metric);
const struct condition_info *condition_info(enum anchor_condition condition);
const char *anchor_kind_name(enum anchor_kind kind);
const char *statistic_name(enum statistic statistic);
const char *anchor_text_name(enum anchor_text text);
const char *load_profile_name(enum load_profile load);
const char *anchor_doubt_name(enum anchor_doubt doubt);

enum anchor_kind anchor_kind_parse(const char *name);
enum anchor_metric metric_parse(const char *name);
enum statistic statistic_parse(const char *name);
enum anchor_condition condition_parse(const char *name);
enum anchor_text anchor_text_parse(const char *name);
enum load_profile load_profile_parse(const char *name);
enum anchor_doubt anchor_doubt_parse(const char *name);

/*
 * What of an anchor is compared with a problem. Logarithms are base 2, taken once when a snapshot
 * is built; NAN where the source does not say.
 */
struct anchor_point {
    double log_concurrency, log_input, log_output;
    double log_tp, log_pp, log_dp, log_ep;
    double log_weight_bytes, log_kv_bytes; /* of one element in its format */
    double log_bandwidth, log_active;      /* of the part's memory; parameters a token meets */
    int version[3];                        /* zeros: not stated */
    short model, hardware, engine, weights, kv_cache; /* index in the library, -1 = unknown */
    bool disaggregated, speculative;
};

/* The point of a problem: what an anchor would have to say to be at distance 0. */
struct anchor_point anchor_point_of(const struct problem *problem);

/* Gives a point the load of a problem, and leaves the rest. */
void anchor_point_load(struct anchor_point *point, const struct problem *problem);

/*
 * How far an anchor is from what is asked; 0 is the same measurement. It is a sum, so that each
 * term can be read off:
 *
 *   0.5 |log2 of the ratio of concurrency|     0.5 |log2 of the ratio of input lengths|
 *   0.25 |log2 of the ratio of output lengths| 1.0 each |log2 of the ratio of tp, pp, dp, ep|
 *   weights: 1 in another format, and |log2 of the ratio of bytes per weight|
 *   KV: 0.5 in another format, and half of that logarithm
 *   1 for another engine; of the same engine 0.5 for another major version, else 0.02 per minor
 *   version between (at most 0.3), 0.01 for another patch
 *   4 for another part, and |log2 of the ratio of memory bandwidths|
 *   8 for another model, and |log2 of the ratio of active parameters|
 *   2 when one is disaggregated and the other not, 1 when one speculates and the other not
 *
 * What an anchor does not state costs 1 (concurrency, a length, a weight format), 0.5 (tp, engine
 * version, KV format) or nothing (pp, dp, ep: one is what people mean); what is not asked (NAN, -1,
 * zeros) costs nothing. An unknown model or part is another one and costs 1 for its size.
 */
double anchor_distance(const struct anchor_point *asked, const struct anchor_point *anchor);

/*
 * Whether an anchor is the measurement of what is asked: the same model, part, engine, layout (tp,
 * pp, dp, ep as stated), weight format, lengths and concurrency, both speculative and disaggregated
 * or neither; a KV format that is stated is the same too. The engine's version is left to the
 * distance.
 */
bool anchor_is_exact(const struct anchor_point *asked, const struct anchor_point *anchor);

#endif
