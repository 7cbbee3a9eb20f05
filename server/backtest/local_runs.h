/*
 * local_runs.h - measured speeds of local engines, each with what the model of local.h makes of it.
 *
 * Purpose: the rows that the constants are fitted to and judged by: undisputed decode and prompt
 *          rates of one device whose weights are resident, with the amounts of the model's terms.
 * Units:   microseconds; amounts in microseconds at a constant of 1, or counts.
 * Ownership: local_runs_read() allocates, local_runs_free() frees; problems borrow the catalogue.
 * Threads: one list belongs to one thread.
 */
#ifndef REGIME_LOCAL_RUNS_H
#define REGIME_LOCAL_RUNS_H

#include "compiler.h"
#include "plan.h"
#include "store.h"

/* Amounts of the terms, in the order of the equations. */
enum local_amount {
    AMOUNT_WEIGHTS,
    AMOUNT_KV,
    AMOUNT_LAYERS,
    AMOUNT_MOE_LAYERS,
    AMOUNT_UNPACK,
    AMOUNT_ROWS,
    AMOUNT_STEP,
    AMOUNT_FLOPS,
    AMOUNT_ALU,
    AMOUNT_PAD,
    AMOUNT_READ,
    AMOUNT_ATTENTION,
    AMOUNT_KV_READS,
    AMOUNT_CHUNK_LAYERS,
    AMOUNT_HYBRID,
    AMOUNT_PROMPT,
    AMOUNT_COUNT
};

/* Kinds of models, as errors are told by. */
enum local_kind { KIND_DENSE, KIND_MOE, KIND_MLA, KIND_HYBRID, KIND_COUNT };

struct local_run {
    const char *id;
    struct problem problem; /* as the engine's own benchmark runs it */
    double tokens;          /* generated, or of the prompt */
    int source;             /* runs of one source share it */
    enum phase phase;
    struct local_scope scope;
    enum local_kind kind;
    bool is_moe, is_mla, is_hybrid, without_fa, is_old;
    double batch, context; /* rows of the step; tokens before it, or before the prompt */
    double measured_us, least_us, weight;
    double amounts[AMOUNT_COUNT];
};

struct local_runs {
    struct local_run *items;
    int n, n_sources;
    char **texts; /* ids, and what sources are told apart by */
    int n_texts;
};

/* Reads every usable row of the store, in the order of ids. False without memory, or when the store
 * cannot be read. */
MUST_USE bool local_runs_read(struct store *store, const struct catalogue *catalogue,
                              struct local_runs *ret_runs);
void local_runs_free(struct local_runs *runs);

#endif
