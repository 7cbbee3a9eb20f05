/*
 * memory_engine.h - what the engines' memory rules share: the inside of memory.h.
 *
 * Purpose: an engine's rule is a row of MEMORY_ENGINES (memory.c) and a file memory_<engine>.c.
 *          memory_compute() runs, for each pipeline stage that may limit: terms(), what an engine's
 *          log measured in their place, pool(), layout(); the stage that holds least stands.
 * Units:   bytes of one device.
 * Threads: pure.
 */
#ifndef REGIME_MEMORY_ENGINE_H
#define REGIME_MEMORY_ENGINE_H

#include "prepare.h"

#define MEMORY_DEVICES_MAX 64

/* One pipeline stage, or one device that whole layers lie on. */
struct memory_stage {
    double index, layers;
    double from;    /* its first layer */
    double devices; /* that share each of its layers */
    bool first, last;
};

struct memory_case {
    const struct problem *problem;
    double weights_scale; /* of every weight: 1, but for a model of another size */
    struct memory_stage stage;
    double layer_share; /* of the model's layers that the stage has */
};

struct memory_engine {
    /* Fills the terms. */
    void (*terms)(const struct memory_case *mc, struct memory_plan *plan);
    /* usable_bytes, and kv_bytes with its range, from the terms; negative where they exceed it. */
    void (*pool)(const struct memory_case *mc, struct memory_plan *plan);
    /* Groups of layers, bytes of a unit. */
    void (*layout)(const struct memory_case *mc, struct memory_plan *plan);
    /* Units that one sequence of that many tokens takes; `running`: once its prompt is done. */
    double (*units)(const struct problem *problem, const struct kv_layout *layout, double tokens,
                    bool running);
    /* Tokens that the log prints for that many units. */
    double (*printed)(const struct problem *problem, const struct memory_plan *plan);
    /* Tokens of the longest context that a pool gives to a sequence, where that is no matter of one
     * sequence alone; NULL: the longest of which it holds one. */
    double (*longest)(const struct problem *problem, const struct memory_plan *plan);
    /* It does not start when one request of max_model_len is more than the pool. */
    bool refuses_longest;
    /* The stages, MEMORY_DEVICES_MAX at most; returns how many. */
    int (*stages)(const struct problem *problem, struct memory_stage *ret_stages);
    const char *formulas[MEMORY_TERM_COUNT]; /* of its terms, for people */
    const char *pool_formula;
};

extern const struct memory_engine MEMORY_VLLM_ENGINE, MEMORY_SGLANG_ENGINE, MEMORY_TRTLLM_ENGINE,
    MEMORY_LLAMACPP_ENGINE, MEMORY_TGI_ENGINE;

/* ---- stages */

/* Numbers of a list "20,20,21,19", up to `max` of them; what is no number counts as 0. */
int memory_list(const char *text, double *ret_numbers, int max);

/* The stages of pipeline parallelism: layers as stated, else evenly. */
int memory_even_stages(const struct problem *problem, struct memory_stage *ret_stages);

/* ---- terms */

/* Sets a term without a range, or with the range of a record (its values as they are). */
struct memory_term *memory_term_set(struct memory_plan *plan, enum memory_term_id id, double bytes,
                                    enum basis basis, bool in_budget);
void memory_term_record(struct memory_plan *plan, enum memory_term_id id,
                        const struct memory_constant *rule, bool in_budget);

/* A constant that holds for the case. */
const struct memory_constant *memory_case_constant(const struct memory_case *mc,
                                                   enum memory_constant_id id);
double memory_case_value(const struct memory_case *mc, enum memory_constant_id id);

/* Sum of the terms in the budget, and with `sign` 1 or -1 the same at the far end of their ranges:
 * independent errors, so the root of the sum of their squares. */
double memory_spent(const struct memory_plan *plan, double sign);

/* kv_bytes and its range: `usable` less what is spent. */
void memory_pool_of_rest(struct memory_plan *plan, double usable);

/* A pool of at most that many bytes. */
void memory_pool_cap(struct memory_plan *plan, double most_bytes);

/* Weights of the stage, rotary tables, draft, towers, LoRA, offloaded (memory_weights.c). */
void memory_weight_terms(const struct memory_case *mc, struct memory_plan *plan);

/*
 * What engines without a rule of their own are charged for a step of M tokens: M b (3 I/tp + 6.5
 * h), or the sampler's rows of 14.85 B a logit, beside the experts' workspace, from eleven vLLM
 * logs; 0.25 GiB of context, 2.1 GiB with tensor parallelism. Both assumed.
 */
void memory_step_terms(const struct memory_case *mc, struct memory_plan *plan, bool in_budget);

#define MEMORY_STEP_FORMULAS                                                                       \
    {                                                                                              \
        [TERM_WEIGHTS] = "matrices over tp, KV projections over min(tp, KV heads), norms whole",   \
        [TERM_ROPE] = "positions x rotary width x bytes, on every rank",                           \
        [TERM_DRAFT] = "MTP layers over tp", [TERM_VISION] = "parameters x bytes / tp",            \
        [TERM_LORA] = "max_loras x rank x (in + out) x 2 B of every target matrix",                \
        [TERM_OFFLOADED] = "as stated",                                                            \
        [TERM_ACTIVATION] =                                                                        \
            "M k (max(2I_e, h) + max(I_e, h)) b + max(M b (3I/tp + 6.5h), 14.85 S V + M h b)",     \
        [TERM_NON_TORCH] = "0.25 GiB on one rank, 2.1 GiB with tensor parallelism",                \
        [TERM_GRAPHS] = "0.6 GiB", [TERM_OTHERS] = "as stated",                                    \
    }

/* Tokens of the largest step. */
double memory_step_tokens(const struct problem *problem);
/* Width of the widest dense FFN or shared expert. */
double memory_widest_ffn(const struct model *model);
/* Bytes of one token's routed rows in the two buffers of the experts' kernels:
 * k (max(2 I_e, h) + max(I_e, h)) b, with I_e an expert's width on the rank. */
double memory_expert_row_bytes(const struct model *model, const struct deployment *dep);

/* ---- layout */

/* The groups of the stage's layers, as the model has them: equal caches together (memory_groups.c).
 */
void memory_groups(const struct memory_case *mc, struct kv_layout *layout);

/* Adds what the draft keeps, on the last stage: MTP layers, or one layer of an EAGLE head. */
void memory_groups_draft(const struct memory_case *mc, struct kv_layout *layout);

/* Tokens that a group keeps of a context. */
double memory_group_entries(const struct kv_group *group, double tokens);

/* Bytes of a token in all groups while no window is full; of a sequence of that many tokens,
 * states included. */
double memory_groups_token_bytes(const struct kv_layout *layout);
double memory_groups_bytes(const struct kv_layout *layout, double tokens);

/* Tokens of the whole pages that the pool has; NAN where nothing is cached per token. */
double memory_groups_whole_pages(const struct kv_layout *layout, double page_tokens);

/* Bytes of an element of a recurrent state. */
double memory_state_element_bytes(const struct problem *problem);

/* A unit is a token of all layers; where they keep states alone, a byte. */
void memory_layout_tokens(struct kv_layout *layout);

#endif
