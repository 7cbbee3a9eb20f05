/*
 * capacity.h - memory as planned against what engines printed when they started.
 *
 * Purpose: every bundled log (db/records/capacity) is read as the plan request that it is of,
 *          planned, and compared figure by figure: from its flags alone, and given the size of the
 *          KV cache that the log prints. Whether it started is asked of the plan too.
 * Units:   bytes, tokens, sequences; errors are predicted/printed - 1.
 * Ownership: everything lies in the arena given.
 * Errors:  NULL without memory or when the store cannot be read; a log whose request has a fault is
 *          kept with that fault.
 */
#ifndef REGIME_CAPACITY_H
#define REGIME_CAPACITY_H

#include "arena.h"
#include "catalogue.h"

struct store;

/* What a log prints. "given" figures are computed from the cache size that the log prints. */
#define CAPACITY_FIGURE_LIST(X)                                                                    \
    X(CAPACITY_TOKENS_GIVEN, "kv_tokens_given_kv_bytes", "KV tokens, given the cache")             \
    X(CAPACITY_CONCURRENCY_GIVEN, "max_concurrency_given_kv_bytes",                                \
      "concurrency, given the cache")                                                              \
    X(CAPACITY_WEIGHTS, "weights_bytes", "weights of a rank")                                      \
    X(CAPACITY_ACTIVATION, "activation_bytes", "activation peak")                                  \
    X(CAPACITY_KV_BYTES, "kv_bytes", "KV bytes, from flags")                                       \
    X(CAPACITY_TOKENS, "kv_tokens", "KV tokens, from flags")                                       \
    X(CAPACITY_CONCURRENCY, "max_concurrency", "concurrency, from flags")                          \
    X(CAPACITY_SEQUENCES, "max_sequences", "sequences that fit")

#define CAPACITY_KIND_LIST(X)                                                                      \
    X(CAPACITY_DENSE, "dense")                                                                     \
    X(CAPACITY_MOE, "moe")                                                                         \
    X(CAPACITY_HYBRID, "hybrid")                                                                   \
    X(CAPACITY_MLA, "mla")                                                                         \
    X(CAPACITY_WINDOW, "window")

#define X(ID, ...) ID,

enum capacity_figure { CAPACITY_FIGURE_LIST(X) CAPACITY_FIGURE_COUNT };

enum capacity_kind { CAPACITY_KIND_LIST(X) CAPACITY_KIND_COUNT };

#undef X

const char *capacity_figure_name(enum capacity_figure figure);
const char *capacity_figure_title(enum capacity_figure figure);
const char *capacity_kind_name(enum capacity_kind kind);

/* Whether a start fits, as said or as seen. */
enum capacity_verdict { CAPACITY_UNKNOWN, CAPACITY_FITS, CAPACITY_FAILS };

/* "unknown", "fits", "out_of_memory". */
const char *capacity_verdict_name(enum capacity_verdict verdict);

/* One log. */
struct capacity_case {
    const char *id, *title, *engine; /* id of the engine that is planned; "" when none is */
    const char *status, *status_reason, *notes, *source_title, *source_url;
    const char *fault; /* why its request cannot be planned; NULL = it is planned */
    enum capacity_kind kind;
    enum capacity_verdict seen, said; /* said is unknown where the verdict is not compared */
    bool is_judged;                   /* its verdict counts */
    bool fits;                        /* by the expected figures */
};

/* One figure of a log. */
struct capacity_row {
    int of; /* the log */
    enum capacity_figure figure;
    double printed, predicted;
    double error; /* 0 when the printed figure is what some cache of the printed size gives */
};

struct capacity_score {
    struct capacity_case *cases;
    int n_cases;
    struct capacity_row *rows; /* by log, then figure */
    int n_rows;
};

const struct capacity_score *
capacity_score_new(struct store *store, const struct catalogue *catalogue, struct arena *arena);

/* Rows of one figure by engine and kind of model. */
struct capacity_group {
    enum capacity_figure figure;
    const char *engine; /* NULL = all */
    int kind;           /* -1 = all */
    int n, within_1, within_5;
    double median, p90; /* of |error| */
};

/* The groups with a row: of each figure all of it, then by engine, then by engine and kind. */
const struct capacity_group *capacity_groups(const struct capacity_score *score,
                                             struct arena *arena, int *ret_n);

/* Verdicts of the judged logs of an engine (NULL = all): [seen][said]. */
void capacity_verdicts(const struct capacity_score *score, const char *engine,
                       int ret_counts[3][3]);

/* Judged logs of an engine (NULL = all) that were seen so and do not fit by the expected figures.
 */
int capacity_not_fitting(const struct capacity_score *score, const char *engine,
                         enum capacity_verdict seen);

/* Numbers of the rows, the farthest off first (as a factor); n_rows of them. */
const int *capacity_worst(const struct capacity_score *score, struct arena *arena);

#endif
