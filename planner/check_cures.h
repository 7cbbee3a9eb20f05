/*
 * check_cures.h - what would make a failed check pass.
 *
 * Purpose: single changes to the deployment, each planned again and held against the same checks:
 *          the flags that a memory or shape check is about, and the plan's own cures. A change that
 *          fails a check that passed before is left out; one that only shows what was unknown to
 *          fail is not, and says so.
 * Units:   effects are (after - before) / before; NAN where one of the two has no record.
 * Ownership: plain data; texts are static or the library's.
 * Threads: pure, as the caller's nearness function is.
 */
#ifndef REGIME_CHECK_CURES_H
#define REGIME_CHECK_CURES_H

#include "checks.h"

#define CHECK_CURES_MAX 8

struct check_cure {
    const char *id, *title, *why;
    struct cure_change changes[CURE_CHANGES_MAX];
    int n_changes;
    struct deployment dep; /* with the changes; its kv_cache is the plan's own */
    double tpot, ttft, output_tok_s, memory, devices;
    enum check_verdict verdict;            /* of all checks with the change */
    unsigned fails;                        /* bits 1u << CHECK_x: fail with it, unknown without */
    bool applies[CHECK_COUNT];             /* the check applies with the change ... */
    enum check_verdict after[CHECK_COUNT]; /* ... and this is its verdict ... */
    double predicted[CHECK_COUNT];         /* ... and its figure */
    enum regime_id regime_after;
    enum basis basis; /* assumed where the change rests on an assumption about traffic */
    int memory_rank;  /* 1.. among the smallest changes with which the memory fits; 0 = none */
    bool harms;       /* it makes much worse what nobody set a limit for */
    unsigned worsens; /* bits of checks that fail before and after, then by more */
    double given;     /* devices that it wants handed over; NAN = as many as now */
};

/* What was measured near a changed problem. */
typedef void nearness_fn(const void *ctx, const struct problem *problem, struct nearness *ret_near);

struct check_tools {
    nearness_fn *nearness; /* NULL: what is near the plan's own problem stands */
    const void *ctx;
};

/* Whether a check's figure lies further on the wrong side of the limit that it misses. */
bool check_is_worse(const struct check *before, enum check_verdict after, double predicted);

/*
 * Finds at most CHECK_CURES_MAX changes for the checks that do not pass, best first: those that
 * make everything pass, then those that pass most and fail least; those that cost a quarter of the
 * output or three times the time to first token, or that worsen what fails already, come behind the
 * others, then the fewest devices first; among them the smallest changes with which a memory fits,
 * and combinations where one alone is too little; where nothing makes a check pass, what comes
 * nearest. Returns their number, 0 when everything passes.
 */
int check_cures_find(const struct plan *plan, const struct check_list *checks,
                     const struct check_asked *asked, const struct check_tools *tools,
                     struct check_cure *ret_cures);

#endif
