/*
 * plan_evidence.h - what the store knows around a plan: measured figures, anchors, gaps.
 *
 * Purpose: one argument for both renderers; NULL writes empty lists.
 * Ownership: borrowed for the length of the reply.
 */
#ifndef REGIME_PLAN_EVIDENCE_H
#define REGIME_PLAN_EVIDENCE_H

#include "catalogue.h"
#include "gaps_plan.h"

/* A figure that somebody measured for exactly what was planned. */
struct measured_figure {
    const char *name;   /* "ttft_ms" */
    double value;       /* NAN = nobody did */
    const char *anchor; /* id */
};

enum { MEASURED_TTFT, MEASURED_TPOT, MEASURED_OUTPUT, MEASURED_FIGURES };

struct plan_evidence {
    const struct catalogue *catalogue;
    struct measured_figure measured[MEASURED_FIGURES];
    struct plan_gaps gaps;
};

struct context;

/* Looks up what was measured for exactly this plan, and the gaps that it touches; a figure that was
 * measured is no gap. */
void plan_evidence_find(struct context *ctx, const struct plan *plan,
                        struct plan_evidence *ret_evidence);

/* The members `measured` and `anchors` of a reply; evidence NULL writes {} and []. */
void plan_evidence_write(struct json_out *out, const struct plan *plan,
                         const struct plan_evidence *evidence);

#endif
