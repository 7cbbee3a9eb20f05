/*
 * plan_text.h - a plan as a report for a terminal of 100 columns.
 *
 * Purpose: the verdict first, then latency, the step by class, memory, moves, cures, warnings and
 * what was assumed. Units:   those that read best, named beside each figure; "no record" where
 * nothing was measured. Errors:  the writer's. Threads: pure.
 */
#ifndef REGIME_PLAN_TEXT_H
#define REGIME_PLAN_TEXT_H

#include "json_out.h"
#include "plan.h"
#include "plan_evidence.h"
#include "plan_request.h"

/* `ascii` draws bars without block characters; `evidence` may be NULL. */
void plan_text_write(struct json_out *out, const struct plan_request *request,
                     const struct plan *plan, const struct plan_evidence *evidence, bool ascii);

#endif
