/*
 * claims_live.h - a claim's figure, computed anew by the planner.
 *
 * Purpose: an entry of a claim's `live` list is scale x sum / over, whose terms are figures of
 * plans (by JSON pointer into the reply of /v1/plan) or plain numbers. Ownership: texts lie in the
 * arena given; plans are computed in an arena of their own. Errors:  NAN when a plan has faults or
 * a figure is not there. Threads: pure.
 */
#ifndef REGIME_CLAIMS_LIVE_H
#define REGIME_CLAIMS_LIVE_H

#include <stdbool.h>

#include "arena.h"
#include "catalogue.h"

struct cJSON;

/*
 * The value of an entry {"plans": [request body, ...], "sum": [term, ...], "over": [term, ...],
 * "scale"}. A term is {"number"} or {"pointer", "plan": index (0), "times": factor (1)}. A segment
 * of a pointer that meets a list is an index, or the `class` of the element meant.
 */
double claim_live_value(const struct catalogue *catalogue, const struct cJSON *live);

/* Whether the value is within the entry's relative `tolerance` of what it `expect`s. */
bool claim_live_agrees(const struct cJSON *live, double value);

/* The request body as a link, "/v1/plan?model=..."; NULL when the arena is full or it has no such
 * form (an inline model or part). */
const char *claim_plan_link(struct arena *arena, const struct cJSON *body);

#endif
