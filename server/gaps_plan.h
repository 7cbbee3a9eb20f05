/*
 * gaps_plan.h - the gaps that a plan touches.
 *
 * Purpose: where a plan ends in "no record" the question is counted under its key; a stated gap is
 *          touched when its class weighs in the plan and nobody measured it, when its cure is
 *          listed, when the prompt is long enough, or when a kernel fit is missing.
 * Ownership: links are loaded once from the store and borrowed by the plans' gaps.
 * Errors:  without memory there are no links, and no gap is shown that the arena has no room for.
 * Threads: links are constant; counting is lock-free.
 */
#ifndef REGIME_GAPS_PLAN_H
#define REGIME_GAPS_PLAN_H

#include "arena.h"
#include "gaps.h"
#include "json_out.h"
#include "plan.h"

struct store;
struct gap_links;

/* What of a plan meets which stated gap, from the open gaps of the store; NULL = no memory. */
struct gap_links *gap_links_load(struct store *store);
/* A stated gap is answered: plans show it no more. */
void gap_links_close(struct gap_links *links, const char *id);
void gap_links_free(struct gap_links *links);

#define PLAN_GAPS_MAX 16

struct plan_gap {
    const char *id, *status, *question;
    double asked; /* times before this minute: the same request gives the same bytes within it */
};

struct plan_gaps {
    struct plan_gap items[PLAN_GAPS_MAX];
    int n;
};

/* What an anchor answers already. */
struct plan_answers {
    bool ttft, tpot;
};

/* Finds the gaps of a plan and counts each as asked once. `links` may be NULL, so may `gaps`, so
 * may `answers`. */
void plan_gaps_find(const struct gap_links *links, struct gaps *gaps, const struct plan *plan,
                    const struct plan_answers *answers, struct arena *arena,
                    struct plan_gaps *ret_gaps);

/* The value of a reply's `gaps`: [{"id", "status", "question", "asked"}]. NULL writes []. */
void gaps_render(struct json_out *out, const struct plan_gaps *gaps);

#endif
