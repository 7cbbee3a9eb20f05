/*
 * plan_evidence.h - what the store knows around a plan: measured figures, anchors, gaps.
 *
 * Purpose: one argument for both renderers; NULL writes empty lists.
 * Ownership: borrowed for the length of the reply.
 */
#ifndef REGIME_PLAN_EVIDENCE_H
#define REGIME_PLAN_EVIDENCE_H

#include "anchors.h"
#include "catalogue.h"
#include "gaps_plan.h"

enum { MEASURED_TTFT, MEASURED_TPOT, MEASURED_OUTPUT, MEASURED_FIGURES };

struct plan_evidence {
    const struct catalogue *catalogue;
    struct anchor_measured measured[MEASURED_FIGURES];
    struct plan_gaps gaps;
};

/* Looks up what was measured for exactly this plan, and the gaps that it touches; a figure that was
 * measured is no gap. A summary shows none of it: there only what decides the gaps is looked up. */
void plan_evidence_find(struct context *ctx, const struct plan *plan, bool summary,
                        struct plan_evidence *ret_evidence);

/* The members `measured` and `anchors` of a reply; evidence NULL writes {} and []. */
void plan_evidence_write(struct json_out *out, const struct plan *plan,
                         const struct plan_evidence *evidence);

#endif
