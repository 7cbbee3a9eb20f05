/*
 * engine.h - serving engines: what they default to, and what their host side costs.
 *
 * Units:   in the names.
 * Ownership: plain data; strings are borrowed from the catalogue.
 */
#ifndef REGIME_ENGINE_H
#define REGIME_ENGINE_H

#include <stdbool.h>

#include "hardware.h"

/*
 * How an engine turns a flag into KV memory; the names are those of the records.
 * vllm: a fraction of all memory, less weights and peaks; sglang: the fraction covers weights and
 * KV; tensorrt-llm: a fraction of what is free after the weights; llama.cpp: the context is
 * allocated as asked; tgi: a fraction of what is free after a prefill.
 */
#define MEMORY_RULE_LIST(X)                                                                        \
    X(MEMORY_VLLM, "vllm")                                                                         \
    X(MEMORY_SGLANG, "sglang")                                                                     \
    X(MEMORY_TRTLLM, "tensorrt-llm")                                                               \
    X(MEMORY_LLAMACPP, "llama.cpp")                                                                \
    X(MEMORY_TGI, "tgi")

#define X(ID, NAME) ID,

enum memory_rule { MEMORY_RULE_LIST(X) MEMORY_RULE_COUNT };

#undef X

/*
 * Host and launch constants of an engine. Append only: the name is the record's; every record says
 * its unit, the anchor or source it rests on and whether that is measured, derived or assumed.
 */
#define HOST_COST_LIST(X)                                                                          \
    X(HOST_SAMPLER_NS_PER_LOGIT,                                                                   \
      "sampler_ns_per_logit") /* CPU chain, per row and vocabulary entry */                        \
    X(HOST_SERVER_LOOP_US_PER_SEQ, "server_loop_us_per_sequence")                                  \
    X(HOST_SCHEDULER_US, "scheduler_us_per_step")                                                  \
    X(HOST_SCHEDULER_US_PER_SEQ, "scheduler_us_per_sequence")                                      \
    X(HOST_DETOKENIZE_US_PER_TOKEN, "detokenize_us_per_token")                                     \
    X(HOST_PRIMING_US_PER_TOKEN, "priming_us_per_token") /* DecodeStream over the prompt */        \
    X(HOST_PRIMING_BOUNDED_US, "priming_bounded_us")     /* the same over the last 32 ids */       \
    X(HOST_TOKENIZE_US_PER_TOKEN, "tokenize_us_per_token")                                         \
    X(HOST_PENALTY_NS_PER_ELEMENT, "penalty_ns_per_element") /* list building and upload */        \
    X(HOST_LOGPROBS_US_PER_ROW, "logprobs_us_per_row")                                             \
    X(HOST_MASK_US_PER_ROW, "mask_us_per_row") /* structured output, mask build */                 \
    X(HOST_PREDICATE_US_PER_TOKEN,                                                                 \
      "predicate_us_per_token") /* reasoning-end scan of the sequence */                           \
    X(HOST_PREDICATE_BOUNDED_US, "predicate_bounded_us")                                           \
    X(HOST_ISSUE_US, "issue_us")               /* eager launch from the engine's host language */  \
    X(HOST_GRAPH_LAUNCH_US, "graph_launch_us") /* one launch of a captured step */                 \
    X(HOST_NATIVE_FACTOR, "native_control_plane_factor") /* native over Python control plane */    \
    X(HOST_KAPPA, "kappa") /* share of a kernel's t0 that a graph leaves */                        \
    X(HOST_SMALL_US_PER_LAYER, "small_kernels_us_per_layer")                                       \
    X(HOST_GATING_US_PER_LAYER, "gating_us_per_layer")                                             \
    X(HOST_DISPATCH_US, "dispatch_us")      /* expert dispatch + combine latency per MoE layer */  \
    X(HOST_CPU_SYNC_US, "cpu_sync_us")      /* host round trip of a dispatch with CPU sync */      \
    X(HOST_MODULE_KAPPA, "module_kappa")    /* the same as kappa for a chain measured as one op */ \
    X(HOST_SERIAL_US, "serial_us_per_step") /* host time that no overlap hides */                  \
    X(HOST_SERIAL_US_PER_SEQ, "serial_us_per_sequence")                                            \
    X(HOST_PREFILL_FACTOR, "prefill_factor") /* a step with prompt tokens over its kernels' sum */ \
    X(HOST_FIRST_TOKEN_STEPS, "first_token_steps") /* steps until a client sees its first token */ \
    X(HOST_FIRST_TOKEN_US, "first_token_us")                                                       \
    X(HOST_MODEL_CORRELATION, "model_correlation") /* of a model's residuals on two parts */

#define X(ID, NAME) ID,

enum host_cost { HOST_COST_LIST(X) HOST_COST_COUNT };

#undef X

struct host_constant {
    double value;
    const char *basis;  /* "measured", "derived", "assumed", or NULL when there is no record */
    const char *anchor; /* anchor id it rests on, or NULL */
};

/* Defaults of an engine in one range of versions on one kind of part. */
struct engine_defaults {
    int version_min[3], version_max[3]; /* inclusive; zeros = open */
    double min_memory_bytes;            /* applies to parts with at least this; 0 = any */
    const char *excluded_arch;          /* architecture it does not apply to; NULL = none */
    double chunked_prefill_tokens;      /* 0 = unchunked */
    double max_num_seqs;
    double memory_utilization;
    double block_size;
    double stream_interval;
    double reserve_output_share;
    bool async_scheduling, cuda_graphs, prefix_caching, sampler_on_host, prefill_priority;
};

#define ENGINE_DEFAULTS_MAX 8

struct engine {
    const char *id, *title;
    int index;
    enum memory_rule memory_rule;
    int latest[3]; /* the newest version that the records speak of */
    const char *latest_text;
    bool python_control_plane;
    bool static_slots;     /* llama.cpp: the context is allocated per slot up front */
    bool moe_fit_balanced; /* the MoE fit that suits it: balanced or skewed */
    struct host_constant host[HOST_COST_COUNT];
    struct engine_defaults defaults[ENGINE_DEFAULTS_MAX]; /* first match wins */
    int n_defaults;
};

/* The record's names, and back (the COUNT when unknown). */
const char *memory_rule_name(enum memory_rule rule);
enum memory_rule memory_rule_parse(const char *name);
const char *host_cost_name(enum host_cost cost);
enum host_cost host_cost_parse(const char *name);

/* Parses "0.19.1", "v1.3.0rc20", "b6123" into three numbers; what is not a number counts as 0.
 * Returns false when there is no digit at all. */
bool engine_version_parse(const char *text, int ret_version[3]);

/* -1, 0, 1 as a is older than, equal to or newer than b. */
int engine_version_compare(const int a[3], const int b[3]);

/* The defaults that hold for a version on a part with that much memory. Never NULL: the last row of
 * an engine matches everything. */
const struct engine_defaults *engine_defaults_for(const struct engine *engine, const int version[3],
                                                  double memory_bytes);

/* The same for a part, whose architecture counts too (vLLM gives an A100 the defaults of a small
 * card). Prefer this one where the part is at hand. */
const struct engine_defaults *engine_defaults_on(const struct engine *engine, const int version[3],
                                                 const struct hardware *hw);

#endif
