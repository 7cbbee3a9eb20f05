/*
 * check_json.h - a verdict as the JSON of /v1/check.
 *
 * Purpose: verdict, checks and what would make them pass; the members that /v1/compare shares.
 * Units:   in the names of the members; NAN becomes null.
 * Errors:  the writer's.
 * Threads: pure.
 */
#ifndef REGIME_CHECK_JSON_H
#define REGIME_CHECK_JSON_H

#include "check_report.h"
#include "gaps_plan.h"

/* The whole reply; `gaps` may be NULL. */
void check_json_write(struct json_out *out, const struct check_report *report,
                      const struct plan_gaps *gaps);

/* verdict, checks and cures as members of the open object. */
void check_json_members(struct json_out *out, const struct check_report *report);

#endif
