/*
 * plan_evidence.h - what the store knows around a plan: the gaps it touches.
 *
 * Purpose: one argument for both renderers; NULL writes empty lists.
 * Ownership: borrowed for the length of the reply.
 */
#ifndef REGIME_PLAN_EVIDENCE_H
#define REGIME_PLAN_EVIDENCE_H

#include "gaps_plan.h"

struct plan_evidence {
    struct plan_gaps gaps;
};

#endif
