/*
 * memory_plan.h - the memory of one device: what takes it, what is left for caches, what that
 * holds.
 *
 * Purpose: the part of a plan that memory.h fills.
 * Units:   bytes of one device, tokens and sequences of one engine core; NAN where there is no
 *          figure, INFINITY where nothing limits.
 * Ownership: plain data; rules are borrowed from the library.
 */
#ifndef REGIME_MEMORY_PLAN_H
#define REGIME_MEMORY_PLAN_H

#include <stdbool.h>

#include "basis.h"
#include "memory_rules.h"

/* What takes memory beside the caches. Append only; the names are those of the replies. */
#define MEMORY_TERM_LIST(X)                                                                        \
    X(TERM_WEIGHTS, "weights", "weights of one rank")                                              \
    X(TERM_ROPE, "rotary_tables", "rotary position tables, whole on every rank")                   \
    X(TERM_DRAFT, "draft_weights", "weights of the draft or of the MTP layers")                    \
    X(TERM_VISION, "vision_weights", "vision and audio towers")                                    \
    X(TERM_LORA, "lora_slots", "room for LoRA adapters, allocated up front")                       \
    X(TERM_OFFLOADED, "offloaded", "weights that lie in host memory: less than nothing here")      \
    X(TERM_ACTIVATION, "activation", "the largest step's activations and workspaces")              \
    X(TERM_NON_TORCH, "non_torch", "device context and communication buffers")                     \
    X(TERM_GRAPHS, "graphs", "captured graphs")                                                    \
    X(TERM_RESERVE, "reserve", "what the engine leaves free by its own rule")                      \
    X(TERM_OTHERS, "other_processes", "other processes on the device")                             \
    X(TERM_STATES, "state_slots", "recurrent states of sequences, allocated up front")
#define X(ID, NAME, TITLE) ID,

enum memory_term_id { MEMORY_TERM_LIST(X) MEMORY_TERM_COUNT };

#undef X

struct memory_term {
    double bytes, low, high;
    enum basis basis;
    bool in_budget; /* it makes the pool smaller; else it takes what the budget leaves free */
    const struct memory_constant *rule; /* the record that gave a constant of it; NULL = none */
    const char *formula;                /* NULL where the term does not occur */
};

/* Kinds of cache that layers keep. */
#define KV_KIND_LIST(X)                                                                            \
    X(KV_FULL, "full")       /* every token of the context */                                      \
    X(KV_WINDOW, "window")   /* the last window_tokens */                                          \
    X(KV_CHUNKED, "chunked") /* the tokens of the chunk */                                         \
    X(KV_STATE, "state")     /* one state per sequence */                                          \
    X(KV_CROSS, "cross")     /* fixed entries per sequence */
#define X(ID, NAME) ID,

enum kv_kind { KV_KIND_LIST(X) KV_KIND_COUNT };

#undef X

/* Layers of one device that keep the same. */
struct kv_group {
    enum kv_kind kind;
    double layers;           /* that keep it, draft layers included */
    double shares;           /* block tables that these layers are split over; 1 = one */
    double bytes_per_token;  /* of one layer; states: 0 */
    double state_bytes;      /* of one layer and sequence; caches: 0 */
    double window_tokens;    /* window or chunk; 0 = none; KV_CROSS: tokens kept */
    double tokens_per_entry; /* 1, or the compression ratio */
    double block_tokens;     /* tokens of one page; 0 = not paged */
    double page_bytes;       /* of one layer, padding included */
    double slots;            /* states: pages that one sequence holds */
};

#define KV_GROUPS_MAX 10

/* How the pool is laid out. A unit is a block over all layers that share it (vLLM), a token
 * (SGLang), a cell ... as the engine counts. */
struct kv_layout {
    struct kv_group groups[KV_GROUPS_MAX];
    int n_groups;
    const char *unit;        /* "block", "token", "cell" */
    double unit_bytes;       /* over all layers of the device */
    double units;            /* in the pool */
    double lookahead_tokens; /* tokens that a window keeps besides, while a prompt runs */
    double context_ways;     /* ranks that a context is cut over (decode context parallel) */
    bool grouped;            /* windows and states are kept as such, not as whole contexts */
    bool refused;            /* the engine cannot lay these layers out */
    double state_sequences;  /* sequences whose states fit; 0 = states do not limit */
    double least_bytes;      /* of the pool that the engine starts with at least; 0 = any */
};

#define MEMORY_VERDICT_LIST(X)                                                                     \
    X(MEMORY_DOES_NOT_FIT, "no") X(MEMORY_FITS, "yes") X(MEMORY_MAY_FIT, "unknown")
#define X(ID, NAME) ID,

enum memory_verdict { MEMORY_VERDICT_LIST(X) MEMORY_VERDICT_COUNT };

#undef X

struct memory_plan {
    bool fits;                   /* by the expected figures: what a plan goes by */
    enum memory_verdict verdict; /* the same over the range of the pool */
    double total_bytes, usable_bytes;
    /* Sums of the terms: weights are TERM_WEIGHTS to TERM_OFFLOADED, overhead the rest but
     * activations; terms outside the budget count too. */
    double weights_bytes, activation_bytes, overhead_bytes;
    double kv_bytes, kv_bytes_low, kv_bytes_high; /* the pool; at least 0 */
    /* What must fit for the engine to start and the load to run: one request, one of max_model_len,
     * or what the engine allocates at its start; and what the pool lacks for it, 0 when it fits. */
    double needed_bytes, needed_tokens, short_by_bytes;
    double kv_bytes_per_token, kv_bytes_per_token_beyond_window, state_bytes_per_sequence;
    double kv_token_capacity; /* what the engine's log prints for one engine core */
    double max_concurrency;   /* sequences of input + output tokens in that capacity */
    double max_concurrency_at_max_model_len;
    double held_sequences;  /* what one rank's pool holds at these lengths */
    double longest_context; /* of one sequence in the pool, up to what the model states; of a plan
                               that is not bare */
    double stage;           /* the pipeline stage that limits, from 0 */
    enum basis basis;
    struct memory_term terms[MEMORY_TERM_COUNT];
    struct kv_layout layout;
};

/* The names of the replies. */
const char *memory_term_name(enum memory_term_id id);
const char *memory_term_title(enum memory_term_id id);
const char *kv_kind_name(enum kv_kind kind);
const char *memory_verdict_name(enum memory_verdict verdict);

#endif
