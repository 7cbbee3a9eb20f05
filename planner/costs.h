/*
 * costs.h - the cost functions of the classes: one function per class and phase.
 *
 * Purpose: each adds its bytes, flops, floor and time at a shape to a zeroed class_cost.
 * Units:   bytes, flops, microseconds, one device, one step (prefill: one chunk).
 */
#ifndef REGIME_COSTS_H
#define REGIME_COSTS_H

#include "prepare.h"

/* Where a step is evaluated. */
struct shape {
    enum phase phase;
    double sequences;      /* on this rank */
    double rows;           /* rows through its GEMMs: sequences * spec_rows, or chunk tokens */
    double moe_tokens;     /* rows of all attention-DP ranks together */
    double head_rows;      /* rows that reach the LM head and the sampler; in prefill the share of
                            * this chunk in the request's one last token */
    double context_tokens; /* decode: each sequence's */
    double chunk_tokens;   /* prefill: new tokens of one chunk ... */
    double chunks;         /* ... of that many equal ones ... */
    double cached_tokens;  /* ... after so many cached */
    double output_tokens;  /* of the workload: what host lists grow to */
    double prompt_tokens;  /* prefill: whole prompt */
    double kappa;          /* share of a simple kernel's t0 that remains */
    double module_kappa;   /* the same of an op that is a chain of kernels */
    bool graph;            /* the step replays a captured graph */
};

typedef void cost_fn(const struct prepared *prep, const struct shape *shape,
                     struct class_cost *cost);

cost_fn cost_dense_gemm, cost_lm_head, cost_lm_head_last, cost_moe_expert_gemm, cost_moe_gating;
cost_fn cost_decode_attention, cost_prefill_attention, cost_sparse_indexer, cost_kv_write,
    cost_state_update;
cost_fn cost_norm_elementwise, cost_sampling, cost_processors_device, cost_speculative_draft;
cost_fn cost_collective, cost_kv_transfer;
cost_fn cost_processors_host, cost_host_sampling, cost_detokenization, cost_structured_output;
cost_fn cost_scheduler, cost_kernel_launch, cost_server_loop, cost_tokenization;

/* Query-key pairs of one mixer for new tokens (from, to] of a sequence, causal, its window or top-k
 * applied. Full attention: n*c + n^2/2. */
double mixer_pairs(const struct mixer *mixer, double from, double to);

/* The row of the class table (classes.c). */
struct class_row {
    struct class_info info;
    cost_fn *decode, *prefill; /* NULL: the class does not occur in that phase */
    enum part memory_part;     /* the part its memory side belongs to */
};
extern const struct class_row CLASSES[CLASS_COUNT];

#endif
