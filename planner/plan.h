/*
 * plan.h - the answer: classes, step times, regime, memory, moves, cures.
 *
 * Purpose: one struct that holds everything a reply shows. plan_compute() fills it.
 * Units:   in the names; NAN where there is no record (the renderer writes null).
 * Ownership: plain data, borrowed strings are static or the library's; one struct per request, from
 *          its arena (it is about 30 kB).
 * Errors:  none: every problem that intake accepts has a plan.
 * Threads: pure.
 */
#ifndef REGIME_PLAN_H
#define REGIME_PLAN_H

#include <stdbool.h>

#include "basis.h"
#include "deployment.h"
#include "memory_plan.h"

/* Cost classes. The order is that of the table in classes.c and of every reply. Append only. */
#define CLASS_LIST(X)                                                                              \
    X(CLASS_DENSE_GEMM, "dense_gemm")                                                              \
    X(CLASS_LM_HEAD, "lm_head")                                                                    \
    X(CLASS_MOE_EXPERT_GEMM, "moe_expert_gemm")                                                    \
    X(CLASS_MOE_GATING, "moe_gating")                                                              \
    X(CLASS_DECODE_ATTENTION, "decode_attention")                                                  \
    X(CLASS_PREFILL_ATTENTION, "prefill_attention")                                                \
    X(CLASS_SPARSE_INDEXER, "sparse_indexer")                                                      \
    X(CLASS_KV_WRITE, "kv_write")                                                                  \
    X(CLASS_STATE_UPDATE, "state_update")                                                          \
    X(CLASS_NORM_ELEMENTWISE, "norm_elementwise")                                                  \
    X(CLASS_COLLECTIVE, "collective")                                                              \
    X(CLASS_KV_TRANSFER, "kv_transfer")                                                            \
    X(CLASS_SAMPLING, "sampling")                                                                  \
    X(CLASS_PROCESSORS_DEVICE, "logit_processors_device")                                          \
    X(CLASS_SPECULATIVE_DRAFT, "speculative_draft")                                                \
    X(CLASS_PROCESSORS_HOST, "logit_processors_host")                                              \
    X(CLASS_HOST_SAMPLING, "host_sampling")                                                        \
    X(CLASS_DETOKENIZATION, "detokenization")                                                      \
    X(CLASS_STRUCTURED_OUTPUT, "structured_output")                                                \
    X(CLASS_SCHEDULER, "scheduler")                                                                \
    X(CLASS_KERNEL_LAUNCH, "kernel_launch")                                                        \
    X(CLASS_SERVER_LOOP, "server_loop")                                                            \
    X(CLASS_TOKENIZATION, "tokenization")

#define X(ID, NAME) ID,

enum class_id { CLASS_LIST(X) CLASS_COUNT };

#undef X

#define PASS_LIST(X) X(PASS_DEVICE, "device") X(PASS_HOST, "host") X(PASS_LINK, "link")
#define X(ID, NAME) ID,

enum pass { PASS_LIST(X) PASS_COUNT };

#undef X

#define BOUND_LIST(X)                                                                              \
    X(BOUND_HBM, "hbm_bandwidth")                                                                  \
    X(BOUND_COMPUTE, "compute")                                                                    \
    X(BOUND_INTERCONNECT, "interconnect")                                                          \
    X(BOUND_HOST_LINK, "host_link")                                                                \
    X(BOUND_HOST_PIPELINE, "host_pipeline")                                                        \
    X(BOUND_LAUNCH, "launch_overhead")
#define X(ID, NAME) ID,

enum bound { BOUND_LIST(X) BOUND_COUNT };

#undef X

/* Regimes: id, the seed document's letter ("" = none). */
#define REGIME_LIST(X)                                                                             \
    X(REGIME_CAPACITY, "capacity", "")                                                             \
    X(REGIME_HOST_BOUND_BATCH, "host_bound_batch", "a")                                            \
    X(REGIME_WEIGHT_BANDWIDTH, "weight_bandwidth", "b")                                            \
    X(REGIME_KV_BANDWIDTH, "kv_bandwidth", "c")                                                    \
    X(REGIME_PREFILL_COMPUTE, "prefill_compute", "c")                                              \
    X(REGIME_SMALL_MODEL_HOST, "small_model_host", "d")                                            \
    X(REGIME_DECODE_COMPUTE, "decode_compute", "")                                                 \
    X(REGIME_INTERCONNECT, "interconnect", "")
#define X(ID, NAME, SEED) ID,

enum regime_id { REGIME_LIST(X) REGIME_COUNT };

#undef X

enum phase { PHASE_DECODE, PHASE_PREFILL };

/* One class in one step, one device's figures. */
struct class_cost {
    bool present; /* false: the class does not occur here */
    enum bound bound;
    double bytes, flops, link_bytes, host_bytes, launches;
    double weight_bytes; /* the weights among `bytes` */
    double floor_us;     /* max of the roofs: never a prediction */
    double time_us;      /* what shares are made of: the fit, or floor/0.7 */
    double fixed_us;     /* part of time_us that no faster memory or compute shortens */
    double serial_us;    /* host classes: part of time_us that no overlap hides */
    double memory_us;    /* time terms of the roofline, summed over its ops */
    double compute_us;
    double share; /* of the critical path, whole class */
    enum basis basis;
    enum fit_match match;          /* how its fit was found, of several fits the weakest */
    const struct op_fit *fit;      /* the fit that is furthest from what was asked; NULL = none */
    const struct comm_fit *comm;   /* collectives */
    const struct local_fit *local; /* local engines: the row that the class rests on ... */
    enum local_tier tier;          /* ... and how near its measurements are */
    const char *anchor;            /* host classes: the anchor their constant rests on */
};

struct dominant {
    enum phase phase;
    enum class_id class;
    enum pass pass;
    enum bound bound;
    double share;
};

/* Parts of the critical path, whose largest names the regime: host work per sequence; the memory
 * side of weight GEMMs; that of KV and state; classes whose compute term exceeds their memory term;
 * fixed costs (launches, t0, scheduler); links. Rest holds what names no regime: activations. */
enum part {
    PART_HOST_PER_SEQUENCE,
    PART_WEIGHT,
    PART_KV,
    PART_COMPUTE,
    PART_FIXED,
    PART_LINK,
    PART_REST,
    PART_COUNT
};

struct step {
    double batch, context_tokens; /* decode: rows on one rank; prefill: one request */
    double tokens;                /* rows that a GEMM sees in all */
    double weight_read_bytes;     /* weights streamed in the step, one device */
    double tokens_per_step;       /* tokens a sequence gains in it: 1, more with speculation */
    struct class_cost classes[CLASS_COUNT];
    double bytes, flops, link_bytes;
    double floor_us;
    double expected_us; /* NAN when a class that matters has no record */
    double time_us;     /* never NAN: what shares and counterfactuals are made of */
    double device_us, host_us, exposed_host_us;
    double arithmetic_intensity, ridge;
    double parts_us[PART_COUNT];
    struct dominant dominant;
    enum basis basis;
    enum fit_match weakest_match; /* among the classes that rest on records and carry 2 % of it */
    bool clamped;                 /* a class came out under its floor and was lifted */
    bool extrapolated;            /* a fit was used outside the sizes it was measured on */
    /* prefill only */
    double linear_flops, attention_flops, kv_write_bytes, crossover_tokens, attention_ridge_tokens,
        attention_ridge_kv_only_tokens, chunks;
};

struct estimate {
    double floor, expected, low, high; /* NAN = no record */
    enum basis basis;
};

#define MOVES_MAX 16

struct move {
    const char *axis;
    double from, at; /* at is NAN when nothing changes within 1/64 .. 64 times */
    bool upward;
    enum regime_id to_regime;
    enum class_id to_class;
    const char *from_text, *to_text; /* axes that are names (the sampler's place) */
};

#define CURES_MAX 40
#define CURE_CHANGES_MAX 3

struct cure_change {
    const char *pointer; /* "/deployment/weights" */
    const char *text;    /* a name, or NULL for a number or boolean */
    double number;
    bool is_bool;
};

struct cure_result {
    int cure; /* index in CURES */
    int rank; /* 1.. among cures; 0 for a non-cure */
    bool is_cure;
    struct cure_change changes[CURE_CHANGES_MAX];
    int n_changes;
    double tpot, ttft, output_tok_s, memory; /* (after - before) / before; memory of one device */
    double devices;                          /* the same of devices in all: 1 = twice as many */
    double best;                             /* the best of them, as a gain */
    enum regime_id regime_after;
    enum basis basis;
    const char *why;
};

#define MEMORY_CHANGES_MAX 8
#define MEMORY_CHANGE_FLAGS 2

/* A change with which the memory fits (memory_changes.h). */
struct memory_change {
    const char *id, *why; /* of the flag; of two flags "two_flags" and the first one's */
    struct cure_change changes[MEMORY_CHANGE_FLAGS];
    int n_changes;
    /* With it. */
    enum memory_verdict verdict;
    bool fits;
    double kv_bytes, kv_token_capacity, max_concurrency, devices;
};

/* Warnings: an id, the sentence (%1 %2 are its numbers, %s its name) and where it points. The
 * renderer fills the sentence in, so that the planner prints nothing. Append only. */
#define WARNING_LIST(X)                                                                            \
    X(WARN_CLAMPED, "clamped", "", "%s came out under its physical floor and was lifted to it")    \
    X(WARN_EXTRAPOLATED, "extrapolated", "",                                                       \
      "%s is used outside the sizes its kernel fit was measured on")                               \
    X(WARN_WEIGHTS_DO_NOT_FIT, "weights_do_not_fit", "/deployment/tp",                             \
      "weights and overhead need %1 GB of the %2 GB usable on each device")                        \
    X(WARN_REQUEST_DOES_NOT_FIT, "request_does_not_fit", "/workload/input_tokens",                 \
      "the longest request that must fit needs %1 KV tokens, the pool is expected to hold %2")     \
    X(WARN_QUEUEING, "queueing", "/workload/concurrency",                                          \
      "the KV pool is expected to hold %1 sequences of these lengths, %2 were asked: the rest "    \
      "queue")                                                                                     \
    X(WARN_MAX_NUM_SEQS, "max_num_seqs", "/deployment/max_num_seqs",                               \
      "max_num_seqs admits %1 sequences, %2 were asked: the rest queue")                           \
    X(WARN_TOO_LONG, "longer_than_max_model_len", "/deployment/max_model_len",                     \
      "input + output is %1 tokens, max_model_len is %2")                                          \
    X(WARN_TP_DOES_NOT_DIVIDE, "tp_does_not_divide", "/deployment/tp",                             \
      "tp %1 does not divide the %2 attention heads: engines refuse this shape")                   \
    X(WARN_PP_DOES_NOT_DIVIDE, "pp_does_not_divide", "/deployment/pp",                             \
      "pp %1 does not divide the %2 layers: the stages are uneven")                                \
    X(WARN_EP_DOES_NOT_DIVIDE, "ep_does_not_divide", "/deployment/ep",                             \
      "ep %1 does not divide the %2 experts: the busiest rank decides")                            \
    X(WARN_KV_HEADS_REPLICATED, "kv_heads_replicated", "/deployment/tp",                           \
      "tp %1 exceeds the %2 KV heads: they are replicated, KV per device stops shrinking")         \
    X(WARN_MLA_REPLICATED, "mla_replicated", "/deployment/tp",                                     \
      "the MLA latent is whole on each of the %1 tensor-parallel ranks; attention DP divides it")  \
    X(WARN_EMULATED, "no_native_compute", "/deployment/weights",                                   \
      "the part has no %s path: the multiply runs at its 16-bit peak")                             \
    X(WARN_TP_OVER_FABRIC, "beyond_fabric", "/deployment/tp",                                      \
      "%1 devices exceed the %2 that the fabric joins: the link beyond it is not modelled")        \
    X(WARN_NO_FIT, "no_record", "",                                                                \
      "no kernel record for %s on this part: floor only, shares at floor/0.7")                     \
    X(WARN_NO_LINK, "no_link_record", "/hardware",                                                 \
      "the part's record states no link bandwidth: collectives are not timed")                     \
    X(WARN_SATURATED, "saturated", "/workload/request_rate",                                       \
      "%1 requests/s exceed the %2 requests/s that this deployment can finish")                    \
    X(WARN_SPECULATIVE_ASSUMED, "acceptance", "/deployment/speculative/acceptance",                \
      "the acceptance of %1 decides the gain: measure it on this traffic")                         \
    X(WARN_NO_PEAK, "no_peak", "/hardware",                                                        \
      "the part states no peak: computing has no floor and there is no ridge, bytes alone count")  \
    X(WARN_SHARED_PREFIX, "shared_prefix_not_kept", "/deployment/shared_prefix_kernel",            \
      "without prefix_caching or a kv_tier no prefix is shared: the kernel changes nothing")       \
    X(WARN_NOT_RESIDENT, "not_resident", "/deployment/weights",                                    \
      "weights of %1 GB are over four fifths of a device of %2 GB: layers left to the host run "   \
      "at a "                                                                                      \
      "speed that nobody recorded")                                                                \
    X(WARN_HOST_WEIGHTS, "weights_in_host_memory", "/deployment",                                  \
      "weights are left to host memory: what a step then takes is on no record, its floor alone "  \
      "counts them")                                                                               \
    X(WARN_MANY_ROWS, "batch_not_validated", "/workload/concurrency",                              \
      "steps of %1 rows: this engine's speed was measured often up to %2 rows, seldom beyond")

#define X(ID, NAME, POINTER, TEXT) ID,

enum warning_id { WARNING_LIST(X) WARNING_COUNT };

#undef X

struct warning {
    enum warning_id id;
    double value[2];
    const char *name;
};

#define WARNINGS_MAX 24

struct plan {
    struct problem problem;
    struct step decode, prefill;
    struct memory_plan memory;
    enum regime_id regime;
    struct dominant dominant;
    double decode_cycle_us, prefill_cycle_us; /* the two sides of the request's cycle */
    /* 80 % intervals of a step over its expected_us; NAN */
    double decode_factors[2], prefill_factors[2];
    struct estimate ttft_ms, tpot_ms, e2e_ms;
    struct estimate output_tok_s, per_user_tok_s, requests_s, max_request_rate;
    struct move moves[MOVES_MAX];
    int n_moves;
    struct cure_result results[CURES_MAX]; /* cures by rank, then non-cures */
    int n_results;
    struct warning warnings[WARNINGS_MAX];
    int n_warnings;
    struct memory_change memory_changes[MEMORY_CHANGES_MAX]; /* with PLAN_FULL; smallest first */
    int n_memory_changes;
};

/* What of a plan is wanted: bare leaves out cures, moves, warnings and the saturation rate (NAN), a
 * check only cures and moves. */
enum plan_depth { PLAN_BARE, PLAN_CHECK, PLAN_SUMMARY, PLAN_FULL };

/*
 * Plans `problem`: both steps, memory, regime, closed cycle; with PLAN_SUMMARY the cures, with
 * PLAN_FULL the moves too. Fills *ret_plan entirely.
 */
void plan_compute(const struct problem *problem, enum plan_depth depth, struct plan *ret_plan);

/* Adds a warning once; `name` is static text. */
void plan_warn(struct plan *plan, enum warning_id id, double first, double second,
               const char *name);

/* Names as the API prints them. */
const char *class_name(enum class_id id);
const char *pass_name(enum pass pass);
const char *bound_name(enum bound bound);
const char *basis_name(enum basis basis);
const char *regime_name(enum regime_id id);
const char *regime_seed_letter(enum regime_id id);

/* A row of the table of cost classes: everything the docs page and the API say about a class. */
struct class_info {
    enum class_id id;
    const char *title;
    enum pass pass;
    enum bound bound; /* the usual one */
    const char *bytes_formula, *flops_formula, *time_formula, *source, *cures;
};
const struct class_info *class_info(enum class_id id);

struct regime_info {
    enum regime_id id;
    const char *title, *largest_part, *meaning;
    const char *signs[8]; /* NULL ends; none is sufficient alone */
};
const struct regime_info *regime_info(enum regime_id id);

/* Whether a class can be the dominant one of a regime: its part names the regime, or it reads
 * weights or cache and can compute longer than it reads. */
bool regime_has_class(enum regime_id regime, enum class_id id);

/* A row of the table of cures. */
struct cure_info {
    const char *id, *title, *pointer, *why, *when_not;
    bool control;           /* the seed's host-only controls: always listed */
    const char *anchors[6]; /* anchor ids that measured it; NULL ends; none = no record */
};
const struct cure_info *cure_info(int index); /* NULL past the end */

#endif
