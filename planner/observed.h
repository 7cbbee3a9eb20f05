/*
 * observed.h - what was seen of a running deployment, each value with where it came from.
 *
 * Purpose: one struct for everything that a diagnosis can use: what a client states, what scrapes
 *          of /metrics, engine logs and tools of the part say. Readers fill it, rules read it.
 * Units:   in the names; shares are fractions of 1 wherever a tool prints percent; bytes, tokens,
 *          milliseconds, watts, MHz.
 * Ownership: plain data; texts are borrowed from the request's arena or are constants.
 * Errors:  a value that nobody observed is NAN, never 0.
 * Threads: tables are constant; a struct belongs to one request.
 */
#ifndef REGIME_OBSERVED_H
#define REGIME_OBSERVED_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>

#include "compiler.h"

/* Where a value came from; of two, the earlier one in this list is believed. */
#define OBSERVED_FROM_LIST(X)                                                                      \
    X(FROM_NOWHERE, "nowhere")                                                                     \
    X(FROM_FIELD, "field")     /* stated in the request */                                         \
    X(FROM_METRICS, "metrics") /* a scrape of /metrics */                                          \
    X(FROM_LOG, "log")         /* lines of an engine's log */                                      \
    X(FROM_SMI, "smi")         /* nvidia-smi, rocm-smi, amd-smi */

/* What a value is of: one scrape's counters are a mean over a life, not what happens now. */
#define OBSERVED_OVER_LIST(X)                                                                      \
    X(OVER_STATED, "stated")         /* the client says so */                                      \
    X(OVER_WINDOW, "window")         /* the difference of two scrapes */                           \
    X(OVER_RESTART, "restart")       /* two scrapes, a counter was reset between: since then */    \
    X(OVER_INSTANT, "instant")       /* at the moment of the scrape */                             \
    X(OVER_LINES, "lines")           /* mean over log lines or samples of a tool */                \
    X(OVER_INTERVAL, "interval")     /* an engine's last log interval: stale after an idle time */ \
    X(OVER_LIFETIME, "lifetime")     /* everything since the process began */                      \
    X(OVER_CONFIGURED, "configured") /* a limit or setting */

#define X(ID, NAME) ID,

enum observed_from { OBSERVED_FROM_LIST(X) FROM_COUNT };

enum observed_over { OBSERVED_OVER_LIST(X) OVER_COUNT };

#undef X

/* What kind of number, which says its range and how the parts of several engines combine. */
enum observed_unit {
    UNIT_COUNT,    /* requests, tokens, events: added over engines */
    UNIT_LIMIT,    /* a setting of each engine: added where it is a capacity */
    UNIT_FRACTION, /* 0 to 1: never added */
    UNIT_MS,
    UNIT_PER_S, /* a rate: added */
    UNIT_SECONDS,
    UNIT_BYTES,
    UNIT_W,
    UNIT_MHZ,
    UNIT_C,
    UNIT_RATIO, /* any number >= 0 that is not added: a mean batch, tokens per request */
};

/*
 * A latency's figures: id prefix, name, meaning. Each gives seven quantities: count of samples,
 * mean, 50th, 90th and 99th percentile, the share of samples above the last finite bucket, and that
 * bucket's bound. A percentile of a histogram is interpolated linearly within its bucket; one that
 * lies beyond the last finite bucket is that bound, which it exceeds (see *_BEYOND_SHARE).
 */
#define OBSERVED_LATENCY_LIST(L)                                                                   \
    L(TTFT, "ttft", "arrival to first token")                                                      \
    L(ITL, "itl", "gap between tokens, one sample a token")                                        \
    L(TPOT, "tpot", "time per output token, one mean a request")                                   \
    L(E2E, "e2e", "whole request")                                                                 \
    L(QUEUE, "queue", "arrival to first schedule")                                                 \
    L(PREFILL, "prefill", "first schedule to first token")                                         \
    L(DECODE, "decode", "first to last token")                                                     \
    L(INFERENCE, "inference", "first schedule to last token")                                      \
    L(VALIDATION, "validation", "tokenizing and checks before the queue")                          \
    L(STEP_PREFILL, "step_prefill", "one prefill step of a batch")                                 \
    L(STEP_DECODE, "step_decode", "one decode step of a batch")                                    \
    L(STEP_HOST, "step_host", "host work of one step: detokenizing, filtering")                    \
    L(TRANSFER, "transfer", "moving KV between prefill and decode workers")

/* Everything else: id, JSON name, unit, meaning. */
#define OBSERVED_QUANTITY_LIST(X)                                                                  \
    /* the batch and the queue */                                                                  \
    X(CONCURRENCY, "concurrency", UNIT_COUNT, "requests in flight at the client")                  \
    X(RUNNING, "running", UNIT_COUNT, "requests in the running batch")                             \
    X(RUNNING_MAX, "running_max", UNIT_COUNT, "the most that ran in any log line")                 \
    X(WAITING, "waiting", UNIT_COUNT, "requests not yet scheduled")                                \
    X(WAITING_MAX, "waiting_max", UNIT_COUNT, "the most that waited in any log line")              \
    X(WAITING_CAPACITY, "waiting_capacity", UNIT_COUNT, "waiting for room")                        \
    X(WAITING_DEFERRED, "waiting_deferred", UNIT_COUNT, "waiting for something else")              \
    X(WAITING_TRANSFER, "waiting_transfer", UNIT_COUNT, "in queues of disaggregated serving")      \
    X(SWAPPED, "swapped", UNIT_COUNT, "requests swapped to host memory")                           \
    X(MAX_RUNNING, "max_running", UNIT_LIMIT, "the engine's limit of running requests")            \
    X(MAX_BATCHED_TOKENS, "max_batched_tokens", UNIT_RATIO, "token budget of one step")            \
    X(MAX_MODEL_LEN, "max_model_len", UNIT_RATIO, "longest request")                               \
    X(MEAN_BATCH, "mean_batch", UNIT_RATIO, "mean sequences of a decode step")                     \
    X(TOKENS_PER_STEP, "tokens_per_step", UNIT_RATIO, "mean tokens of an engine step")             \
    X(STEPS, "steps", UNIT_COUNT, "engine steps")                                                  \
    X(STEPS_PER_S, "steps_per_s", UNIT_PER_S, "engine steps per second")                           \
    X(GRAPH_SHARE, "graph_share", UNIT_FRACTION, "decode steps that ran as a captured graph")      \
    /* the cache */                                                                                \
    X(KV_USAGE, "kv_usage", UNIT_FRACTION, "share of the KV pool in use")                          \
    X(KV_USAGE_MAX, "kv_usage_max", UNIT_FRACTION, "the most in any log line")                     \
    X(KV_HOST_USAGE, "kv_host_usage", UNIT_FRACTION, "the same of KV in host memory")              \
    X(KV_TOKENS, "kv_tokens", UNIT_COUNT, "tokens in the KV pool")                                 \
    X(KV_CAPACITY_TOKENS, "kv_capacity_tokens", UNIT_LIMIT, "tokens that the KV pool holds")       \
    X(KV_BLOCKS, "kv_blocks", UNIT_LIMIT, "blocks of the KV pool")                                 \
    X(KV_BLOCK_TOKENS, "kv_block_tokens", UNIT_RATIO, "tokens of a block")                         \
    X(MEMORY_FRACTION, "memory_fraction", UNIT_FRACTION, "share of the memory that was given")     \
    X(PREEMPTIONS, "preemptions", UNIT_COUNT, "requests thrown out of the batch")                  \
    X(PREEMPTIONS_PER_S, "preemptions_per_s", UNIT_PER_S, "the same per second")                   \
    X(PREFIX_HIT_RATE, "prefix_hit_rate", UNIT_FRACTION, "share of looked-up prefix that was hit") \
    X(PREFIX_QUERIES, "prefix_queries", UNIT_COUNT, "looked up, in prefix_unit")                   \
    X(PREFIX_HITS, "prefix_hits", UNIT_COUNT, "hit, in prefix_unit")                               \
    X(PREFIX_HOST_HIT_RATE, "prefix_host_hit_rate", UNIT_FRACTION, "of the cache in host memory")  \
    X(PREFIX_EXTERNAL_HIT_RATE, "prefix_external_hit_rate", UNIT_FRACTION, "of a KV connector")    \
    X(CACHED_TOKENS, "cached_tokens", UNIT_COUNT, "prompt tokens that came from the cache")        \
    X(MULTIMODAL_HIT_RATE, "multimodal_hit_rate", UNIT_FRACTION, "of the multimodal cache")        \
    /* tokens and requests */                                                                      \
    X(PROMPT_TOKENS, "prompt_tokens", UNIT_COUNT, "prompt tokens")                                 \
    X(OUTPUT_TOKENS, "output_tokens", UNIT_COUNT, "generated tokens")                              \
    X(INPUT_TOK_S, "input_tok_s", UNIT_PER_S, "prompt tokens per second")                          \
    X(OUTPUT_TOK_S, "output_tok_s", UNIT_PER_S, "generated tokens per second")                     \
    X(INPUT_TOK_S_GAUGE, "input_tok_s_gauge", UNIT_PER_S, "the engine's own figure of it")         \
    X(OUTPUT_TOK_S_GAUGE, "output_tok_s_gauge", UNIT_PER_S, "the engine's own figure of it")       \
    X(OUTPUT_TOK_S_PER_USER, "output_tok_s_per_user", UNIT_RATIO, "one request's speed")           \
    X(INPUT_TOKENS_MEAN, "input_tokens_mean", UNIT_RATIO, "prompt tokens of a request")            \
    X(OUTPUT_TOKENS_MEAN, "output_tokens_mean", UNIT_RATIO, "generated tokens of a request")       \
    X(REQUESTS, "requests", UNIT_COUNT, "finished requests")                                       \
    X(REQUESTS_PER_S, "requests_per_s", UNIT_PER_S, "the same per second")                         \
    X(FINISHED_STOP, "finished_stop", UNIT_COUNT, "finished by a stop token")                      \
    X(FINISHED_LENGTH, "finished_length", UNIT_COUNT, "finished by their length limit")            \
    X(ABORTED, "aborted", UNIT_COUNT, "given up by their clients")                                 \
    X(FAILED, "failed", UNIT_COUNT, "failed")                                                      \
    X(CORRUPTED, "corrupted", UNIT_COUNT, "with logits that are no number")                        \
    X(PROMPT_SECONDS, "prompt_seconds", UNIT_COUNT, "seconds in prompts, added over slots")        \
    X(DECODE_SECONDS, "decode_seconds", UNIT_COUNT, "seconds in decoding, added over slots")       \
    /* speculation and adapters */                                                                 \
    X(SPEC_DRAFTS, "spec_drafts", UNIT_COUNT, "drafts")                                            \
    X(SPEC_DRAFTED, "spec_drafted_tokens", UNIT_COUNT, "drafted tokens")                           \
    X(SPEC_ACCEPTED, "spec_accepted_tokens", UNIT_COUNT, "accepted ones")                          \
    X(SPEC_ACCEPTANCE, "spec_acceptance", UNIT_FRACTION, "accepted share of drafted tokens")       \
    X(SPEC_LENGTH, "spec_length", UNIT_RATIO, "mean tokens of a step, the sampled one counted")    \
    X(LORA_RUNNING, "lora_running", UNIT_COUNT, "adapters in the running batch")                   \
    X(LORA_WAITING, "lora_waiting", UNIT_COUNT, "adapters that requests wait for")                 \
    X(LORA_MAX, "lora_max", UNIT_RATIO, "adapters that a batch may mix")                           \
    /* the engine's own estimate of its work (vLLM) */                                             \
    X(ENGINE_FLOPS_PER_S, "engine_flops_per_s", UNIT_PER_S, "per part, by its own formula")        \
    X(ENGINE_READ_BYTES_PER_S, "engine_read_bytes_per_s", UNIT_PER_S, "the same of bytes read")    \
    /* the host */                                                                                 \
    X(CPU_CORES, "cpu_cores", UNIT_RATIO, "cores that the serving process keeps busy")             \
    X(CPU_UTILIZATION, "cpu_utilization", UNIT_FRACTION, "of the whole machine")                   \
    X(CPU_CORES_TOTAL, "cpu_cores_total", UNIT_RATIO, "cores of the machine")                      \
    X(CPU_SECONDS, "cpu_seconds", UNIT_COUNT, "processor seconds of the serving process")          \
    X(UPTIME_S, "uptime_s", UNIT_SECONDS, "age of the serving process")                            \
    X(RSS_BYTES, "rss_bytes", UNIT_BYTES, "its resident memory")                                   \
    X(GC_COLLECTIONS, "gc_collections", UNIT_COUNT, "Python collections of all generations")       \
    X(GC_FULL, "gc_full_collections", UNIT_COUNT, "of the oldest generation")                      \
    X(GC_FULL_PER_S, "gc_full_collections_per_s", UNIT_PER_S, "the same per second")               \
    X(EVENT_LOOP_LAG_MS, "event_loop_lag_ms", UNIT_MS, "delay of the server's event loop")         \
    X(HTTP_REQUESTS, "http_requests", UNIT_COUNT, "HTTP requests")                                 \
    X(HTTP_ERRORS, "http_errors", UNIT_COUNT, "with a status of 4xx or 5xx")                       \
    /* the parts, over all rows (per part: struct observed_gpu) */                                 \
    X(GPUS, "gpus", UNIT_COUNT, "parts that were looked at")                                       \
    X(GPU_UTILIZATION, "gpu_utilization", UNIT_FRACTION, "time with a kernel running, mean")       \
    X(GPU_UTILIZATION_MIN, "gpu_utilization_min", UNIT_FRACTION, "the least of any part")          \
    X(GPU_MEMORY_UTILIZATION, "gpu_memory_utilization", UNIT_FRACTION, "time of memory traffic")   \
    X(GPU_SM_ACTIVE, "gpu_sm_active", UNIT_FRACTION, "multiprocessors with work")                  \
    X(GPU_TENSOR_ACTIVE, "gpu_tensor_active", UNIT_FRACTION, "cycles of the tensor pipe")          \
    X(GPU_DRAM_ACTIVE, "gpu_dram_active", UNIT_FRACTION, "cycles of the memory interface")         \
    X(GPU_POWER_W, "gpu_power_w", UNIT_W, "mean power of a part")                                  \
    X(GPU_POWER_CAP_W, "gpu_power_cap_w", UNIT_W, "its limit in force")                            \
    X(GPU_POWER_DEFAULT_W, "gpu_power_default_w", UNIT_W, "its limit from the factory")            \
    X(GPU_SM_CLOCK_MHZ, "gpu_sm_clock_mhz", UNIT_MHZ, "the least clock of any part")               \
    X(GPU_SM_CLOCK_MAX_MHZ, "gpu_sm_clock_max_mhz", UNIT_MHZ, "the most it may have")              \
    X(GPU_MEMORY_CLOCK_MHZ, "gpu_memory_clock_mhz", UNIT_MHZ, "the least memory clock")            \
    X(GPU_MEMORY_CLOCK_MAX_MHZ, "gpu_memory_clock_max_mhz", UNIT_MHZ, "the most it may have")      \
    X(GPU_TEMPERATURE_C, "gpu_temperature_c", UNIT_C, "the hottest part")                          \
    X(GPU_MEMORY_USED_BYTES, "gpu_memory_used_bytes", UNIT_BYTES, "of the fullest part")           \
    X(GPU_MEMORY_TOTAL_BYTES, "gpu_memory_total_bytes", UNIT_BYTES, "of the same part")            \
    X(GPU_PCIE_RX_MB_S, "gpu_pcie_rx_mb_s", UNIT_PER_S, "to the busiest part, 1e6 bytes")          \
    X(GPU_PCIE_TX_MB_S, "gpu_pcie_tx_mb_s", UNIT_PER_S, "from the busiest part")                   \
    X(GPU_PCIE_GEN, "gpu_pcie_gen", UNIT_RATIO, "the least generation in use")                     \
    X(GPU_PCIE_GEN_MAX, "gpu_pcie_gen_max", UNIT_RATIO, "the most of that part")                   \
    X(GPU_PCIE_WIDTH, "gpu_pcie_width", UNIT_RATIO, "the least lanes in use")                      \
    X(GPU_PCIE_WIDTH_MAX, "gpu_pcie_width_max", UNIT_RATIO, "the most of that part")               \
    X(GPU_NVLINK_MB_S, "gpu_nvlink_mb_s", UNIT_PER_S, "both directions of the busiest part")       \
    X(GPU_LAYERS, "gpu_layers", UNIT_RATIO, "layers on the part (llama.cpp)")                      \
    X(MODEL_LAYERS, "model_layers", UNIT_RATIO, "layers of the model, the output layer counted")

/* The seven quantities of a latency, in this order. */
enum observed_statistic {
    LATENCY_COUNT,
    LATENCY_MEAN,
    LATENCY_P50,
    LATENCY_P90,
    LATENCY_P99,
    LATENCY_BEYOND_SHARE,
    LATENCY_BOUND,
    LATENCY_STATISTICS,
};

#define X(ID, NAME, UNIT, MEANING) OBS_##ID,
#define L(ID, NAME, MEANING)                                                                       \
    OBS_##ID##_COUNT, OBS_##ID##_MEAN_MS, OBS_##ID##_P50_MS, OBS_##ID##_P90_MS, OBS_##ID##_P99_MS, \
        OBS_##ID##_BEYOND_SHARE, OBS_##ID##_BOUND_MS,

enum observed_id { OBSERVED_QUANTITY_LIST(X) OBSERVED_LATENCY_LIST(L) OBSERVED_COUNT };

#undef L
#undef X

/* A quantity's name and nature. */
struct observed_quantity {
    const char *name, *meaning;
    const char *differs; /* what is said where two texts give it differently */
    enum observed_unit unit;
};

/* One value and its origin. */
struct observation {
    double value; /* NAN = not observed */
    enum observed_from from;
    enum observed_over over;
    const char *where; /* metric family, phrase of a log, column; NULL for a field */
    int samples;       /* lines, series or rows it rests on */
};

/* Series by concurrency, as posted or out of several readings. */
enum observed_series { SERIES_TPOT_MS, SERIES_TTFT_MS, SERIES_OUTPUT_TOK_S, SERIES_COUNT };

#define OBSERVED_POINTS_MAX 64

struct observed_point {
    double concurrency, value;
};

/* Columns of one part's row: id, JSON name. */
#define OBSERVED_GPU_LIST(X)                                                                       \
    X(UTILIZATION, "utilization")                                                                  \
    X(MEMORY_UTILIZATION, "memory_utilization")                                                    \
    X(SM_ACTIVE, "sm_active")                                                                      \
    X(TENSOR_ACTIVE, "tensor_active")                                                              \
    X(DRAM_ACTIVE, "dram_active")                                                                  \
    X(POWER_W, "power_w")                                                                          \
    X(POWER_CAP_W, "power_cap_w")                                                                  \
    X(POWER_DEFAULT_W, "power_default_w")                                                          \
    X(SM_CLOCK_MHZ, "sm_clock_mhz")                                                                \
    X(SM_CLOCK_MAX_MHZ, "sm_clock_max_mhz")                                                        \
    X(MEMORY_CLOCK_MHZ, "memory_clock_mhz")                                                        \
    X(MEMORY_CLOCK_MAX_MHZ, "memory_clock_max_mhz")                                                \
    X(TEMPERATURE_C, "temperature_c")                                                              \
    X(MEMORY_TEMPERATURE_C, "memory_temperature_c")                                                \
    X(MEMORY_USED_BYTES, "memory_used_bytes")                                                      \
    X(MEMORY_TOTAL_BYTES, "memory_total_bytes")                                                    \
    X(PCIE_RX_MB_S, "pcie_rx_mb_s")                                                                \
    X(PCIE_TX_MB_S, "pcie_tx_mb_s")                                                                \
    X(PCIE_GEN, "pcie_gen")                                                                        \
    X(PCIE_GEN_MAX, "pcie_gen_max")                                                                \
    X(PCIE_WIDTH, "pcie_width")                                                                    \
    X(PCIE_WIDTH_MAX, "pcie_width_max")                                                            \
    X(NVLINK_MB_S, "nvlink_mb_s")                                                                  \
    X(XID, "xid")

#define X(ID, NAME) OBS_GPU_ROW_##ID,

enum observed_gpu_column { OBSERVED_GPU_LIST(X) OBSERVED_GPU_COLUMNS };

#undef X

/* Why a part's clock is held down; bits as NVML has them (nvmlClocksEventReasons). */
#define OBSERVED_THROTTLE_LIST(X)                                                                  \
    X(THROTTLE_IDLE, 0x1, "gpu_idle")                                                              \
    X(THROTTLE_APPLICATION, 0x2, "applications_clocks_setting")                                    \
    X(THROTTLE_POWER_CAP, 0x4, "sw_power_cap")                                                     \
    X(THROTTLE_HW_SLOWDOWN, 0x8, "hw_slowdown")                                                    \
    X(THROTTLE_SYNC_BOOST, 0x10, "sync_boost")                                                     \
    X(THROTTLE_SW_THERMAL, 0x20, "sw_thermal_slowdown")                                            \
    X(THROTTLE_HW_THERMAL, 0x40, "hw_thermal_slowdown")                                            \
    X(THROTTLE_POWER_BRAKE, 0x80, "hw_power_brake_slowdown")                                       \
    X(THROTTLE_DISPLAY, 0x100, "display_clock_setting")

#define X(ID, BIT, NAME) ID = BIT,

enum observed_throttle { OBSERVED_THROTTLE_LIST(X) };

#undef X

#define OBSERVED_GPUS_MAX 64

struct observed_gpu {
    int index;                           /* as the tool numbers it, -1 = not said */
    const char *name;                    /* of the part, or NULL */
    const char *uuid;                    /* or NULL */
    double values[OBSERVED_GPU_COLUMNS]; /* NAN = not observed */
    int samples[OBSERVED_GPU_COLUMNS];   /* a tool that prints every second gives a mean */
    unsigned throttle;                   /* bits of enum observed_throttle */
    bool throttle_known;
};

/* How two parts reach each other (nvidia-smi topo -m), best first. */
#define OBSERVED_LINK_LIST(X)                                                                      \
    X(LINK_UNKNOWN, "unknown")                                                                     \
    X(LINK_NVLINK, "NVLink")                                                                       \
    X(LINK_PIX, "PIX")   /* one PCIe switch */                                                     \
    X(LINK_PXB, "PXB")   /* several PCIe switches */                                               \
    X(LINK_PHB, "PHB")   /* the host's PCIe bridge */                                              \
    X(LINK_NODE, "NODE") /* several bridges of one NUMA node */                                    \
    X(LINK_SYS, "SYS")   /* between NUMA nodes */

#define X(ID, NAME) ID,

enum observed_link { OBSERVED_LINK_LIST(X) LINK_COUNT };

#undef X

/* What a line of a log or a tool says beside numbers: id, name, meaning. */
#define OBSERVED_SIGNAL_LIST(X)                                                                    \
    X(GRAPHS_OFF, "cuda_graphs_off", "the engine runs without captured graphs")                    \
    X(GRAPHS_ON, "cuda_graphs_on", "graphs were captured at the start")                            \
    X(GRAPH_MISSED, "cuda_graph_missed", "decode batches ran outside of the captured sizes")       \
    X(GRAPH_MEMORY, "cuda_graph_memory", "capturing graphs ran out of memory")                     \
    X(COMPILE_OFF, "compile_off", "torch.compile is off")                                          \
    X(COMPILING, "compiling_while_serving", "kernels are compiled or tuned while serving")         \
    X(PREEMPTED, "preempted", "requests are preempted or retracted for lack of KV room")           \
    X(KV_FULL, "kv_full", "the KV pool has no room for a request")                                 \
    X(OUT_OF_MEMORY, "out_of_memory", "memory ran out")                                            \
    X(MOE_DEFAULT_CONFIG, "moe_default_config", "no tuned configuration of the expert kernel")     \
    X(GEMM_DEFAULT_CONFIG, "gemm_default_config", "no tuned configuration of a matrix kernel")     \
    X(QUANT_SLOW_KERNEL, "quant_slow_kernel", "a quantised kernel that is not the fast one")       \
    X(ATTENTION_FALLBACK, "attention_fallback", "another attention kernel than the usual one")     \
    X(PREFIX_OFF, "prefix_caching_off", "prefix caching is off")                                   \
    X(PREFIX_LOST, "prefix_lost", "a cached prefix could not be used again")                       \
    X(CHUNKED_PREFILL_OFF, "chunked_prefill_off", "prompts are not cut into chunks")               \
    X(CHUNKED_PREFILL_ON, "chunked_prefill_on", "prompts are cut into chunks")                     \
    X(ASYNC_SCHEDULING_OFF, "async_scheduling_off", "scheduling does not overlap the step")        \
    X(ASYNC_SCHEDULING_ON, "async_scheduling_on", "scheduling overlaps the step")                  \
    X(CPU_OFFLOAD, "cpu_offload", "part of the model is computed or kept on the host")             \
    X(CPU_ONLY, "cpu_only", "no accelerator is used")                                              \
    X(ALLREDUCE_SLOW, "custom_allreduce_off", "the engine's fast all-reduce is off")               \
    X(P2P_OFF, "p2p_off", "the parts cannot reach each other's memory")                            \
    X(NET_SOCKET, "net_socket", "collectives go over TCP sockets")                                 \
    X(SPEC_ON, "speculative_on", "speculative decoding is on")                                     \
    X(SPEC_OFF, "speculative_disabled", "speculative decoding was switched off by the engine")     \
    X(LORA_ON, "lora_on", "LoRA adapters are enabled")                                             \
    X(LOGPROBS, "logprobs_asked", "requests ask for log probabilities")                            \
    X(STRUCTURED, "structured_output_asked", "requests ask for structured output")                 \
    X(STRUCTURED_FALLBACK, "structured_output_fallback", "a slower grammar backend is used")       \
    X(PENALTIES, "penalties_asked", "requests ask for sampling penalties")                         \
    X(SAMPLER_HOST, "sampler_on_host", "sampling runs on the host or without its fast kernel")     \
    X(TOKENIZER_SLOW, "tokenizer_slow", "the tokenizer is the slow one")                           \
    X(NUMA, "numa_balancing", "the host moves pages or threads between NUMA nodes")                \
    X(THREADS, "threads_limited", "the host's threads are limited or oversubscribed")              \
    X(HOST_STALL, "host_stall", "the server's own loop was blocked or too slow")                   \
    X(QUEUE_LIMIT, "queue_limit", "requests are refused: the queue is full")                       \
    X(CONTEXT_CUT, "context_cut", "prompts are truncated or the context is shifted")               \
    X(CLIENT_GONE, "client_gone", "clients give up")                                               \
    X(SWA, "sliding_window_cache", "a cache of windows or states, which cannot be cut back")       \
    X(MULTIMODAL, "multimodal", "images or audio are encoded")                                     \
    X(KV_OFFLOAD, "kv_offload", "KV goes to host memory or another store")                         \
    X(KV_SCALES, "kv_scales_missing", "8-bit KV without scales")                                   \
    X(WORKER_DIED, "worker_died", "a worker or the engine ended")

#define X(ID, NAME, MEANING) SIGNAL_##ID,

enum observed_signal { OBSERVED_SIGNAL_LIST(X) SIGNAL_COUNT };

#undef X

struct observed_signal_row {
    const char *name, *meaning;
};

struct observed_sign {
    int count;          /* lines that say so; 0 = none */
    const char *line;   /* the first of them, cut */
    const char *source; /* where the engine prints it (file or page) */
    enum observed_from from;
};

/* Something that a reader must say beside the values: a trap, a doubt, what is missing. */
struct observed_note {
    const char *code; /* stable, such as "idle", "no_samples", "gauge_is_not_rate" */
    const char *text; /* a sentence */
};

#define OBSERVED_NOTES_MAX 48
#define OBSERVED_UNKNOWN_MAX 8
#define OBSERVED_READINGS_MAX 32
#define OBSERVED_POSITIONS_MAX 16

/* What became of one text. */
struct observed_reading {
    enum observed_from from;
    const char *format; /* "prometheus", "vllm log", "nvidia-smi table", ...; NULL = not known */
    size_t lines;       /* that are not empty */
    size_t used;        /* that gave a value or a signal */
    size_t ignored;     /* known and of no meaning here: comments, frames of tables */
    size_t unknown;     /* not understood */
    const char *unknown_names[OBSERVED_UNKNOWN_MAX]; /* some of them; NULL behind the last */
    bool truncated;                                  /* ends within a line or a family */
};

struct observed {
    struct observation q[OBSERVED_COUNT];

    /* Texts, NULL when nobody says. */
    const char *engine;         /* id of the catalogue: "vllm", "sglang", "tgi", ... */
    const char *engine_version; /* or a guess by names, such as "0.8 (V1)" */
    bool version_guessed;
    const char *model; /* as served */
    const char *attention_backend, *kv_cache_dtype, *weights;
    const char *prefix_unit; /* "blocks" or "tokens"; NULL = not said: only the ratio counts */
    int engines;             /* engines or data-parallel ranks that were added up; 0 = none */
    int models;              /* names of models among them */

    /* States that are not latencies of 0. */
    bool idle;       /* counters are all zero or nothing runs and nothing waits */
    bool never_used; /* no request was ever finished or begun */
    bool no_samples; /* families are declared and have no sample: statistics are off */
    double window_s; /* between first and last scrape; NAN = one scrape only */
    bool restarted;  /* counters fell between two scrapes */

    struct observed_point series[SERIES_COUNT][OBSERVED_POINTS_MAX];
    int n_series[SERIES_COUNT];

    double spec_position[OBSERVED_POSITIONS_MAX]; /* acceptance by draft position; NAN */

    struct observed_gpu gpus[OBSERVED_GPUS_MAX];
    int n_gpus;
    enum observed_link link_best, link_worst; /* between any two parts */
    int link_nvlinks;                         /* NV# of the best link; 0 = none */
    int numa_nodes;                           /* that the parts belong to; 0 = not said */

    struct observed_sign signs[SIGNAL_COUNT];

    struct observed_note notes[OBSERVED_NOTES_MAX];
    int n_notes;
    int notes_dropped;

    struct observed_reading readings[OBSERVED_READINGS_MAX];
    int n_readings;
};

/* Nothing observed: every value NAN. */
void observed_init(struct observed *observed);

/* Name, unit and meaning of a quantity, of a signal, of a column of a part's row. Constants. */
const struct observed_quantity *observed_quantity(enum observed_id id);
const struct observed_signal_row *observed_signal_row(enum observed_signal signal);
const char *observed_gpu_column_name(enum observed_gpu_column column);
const char *observed_series_name(enum observed_series series);
const char *observed_from_name(enum observed_from from);
const char *observed_over_name(enum observed_over over);
const char *observed_link_name(enum observed_link link);
/* The i-th reason of a held clock: its bit and, in *ret_name, its name; 0 behind the last. */
unsigned observed_throttle_at(int i, const char **ret_name);

/* The quantity of a name; OBSERVED_COUNT when there is none. */
enum observed_id observed_find(const char *name);

/* The id of one figure of a latency, by the id of its first (OBS_TTFT_COUNT). */
static inline enum observed_id observed_statistic(enum observed_id first,
                                                  enum observed_statistic which)
{
    return (enum observed_id)((int)first + (int)which);
}

/* The value, NAN when not observed. */
static inline double observed_value(const struct observed *observed, enum observed_id id)
{
    return observed->q[id].value;
}

static inline bool observed_has(const struct observed *observed, enum observed_id id)
{
    return !isnan(observed->q[id].value);
}

/* Whether a value is a gauge of a scrape in which nothing ran: it says nothing of the load. */
static inline bool observed_idle_gauge(const struct observed *observed, enum observed_id id)
{
    return observed->idle && observed->q[id].from == FROM_METRICS &&
           observed->q[id].over == OVER_INSTANT;
}

static inline bool observed_says(const struct observed *observed, enum observed_signal signal)
{
    return observed->signs[signal].count > 0;
}

/*
 * Sets a quantity unless a better origin has set it: earlier in enum observed_from, and for the
 * same one earlier in enum observed_over. NAN and infinite values are left out. True when it was
 * set.
 */
bool observed_set(struct observed *observed, enum observed_id id, struct observation observation);

/* The same for a value that a client states. */
bool observed_state(struct observed *observed, enum observed_id id, double value);

/* Adds a point to a series, kept in order of concurrency; false when it is full. */
bool observed_add_point(struct observed *observed, enum observed_series series, double concurrency,
                        double value);

/*
 * Of each series, the point at that load (within a tenth of it) becomes the quantity that it is a
 * series of, unless something has said that. NAN: the highest load of any series. Returns the load,
 * NAN when there is none.
 */
double observed_at_load(struct observed *observed, double concurrency);

/* Adds a note unless its code and text are there; past the maximum it is counted. */
void observed_note(struct observed *observed, const char *code, const char *text);

/* Counts a signal; the first line and its source are kept. */
void observed_sign(struct observed *observed, enum observed_signal signal, enum observed_from from,
                   const char *line, const char *source);

/* The row of a part, added when it is new: by index, or by uuid where that is not NULL. NULL when
 * there are too many. */
struct observed_gpu *observed_gpu_row(struct observed *observed, int index, const char *uuid);

/* Adds a sample to a column of a part's row: the mean of what a tool printed. */
void observed_gpu_add(struct observed_gpu *gpu, enum observed_gpu_column column, double value);

/* Sets the OBS_GPU_* quantities out of the rows: means, least clocks, hottest, fullest. */
void observed_gpu_summarize(struct observed *observed, enum observed_from from);

/*
 * Takes over what `from` observed and `into` has not, or has of a worse origin; signals are added,
 * rows of parts joined, notes and readings appended. Gauges of an idle scrape go behind what
 * another text saw under load. A quantity that both have and that differs by more than half is
 * noted as a contradiction ("differs").
 */
void observed_merge(struct observed *into, const struct observed *from);

#endif
