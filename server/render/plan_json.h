/*
 * plan_json.h - a plan as the JSON of /v1/plan.
 *
 * Purpose: the reply, whole or as the summary that a pipeline reads.
 * Units:   in the names of the members; NAN becomes null.
 * Errors:  the writer's.
 * Threads: pure.
 */
#ifndef REGIME_PLAN_JSON_H
#define REGIME_PLAN_JSON_H

#include "json_out.h"
#include "plan.h"
#include "plan_evidence.h"
#include "plan_request.h"

/* Everything; `evidence` may be NULL. */
void plan_json_full(struct json_out *out, const struct plan_request *request,
                    const struct plan *plan, const struct plan_evidence *evidence);

/* regime, dominant, latency, throughput, memory.fits and capacity, the first three cures, warnings.
 */
void plan_json_summary(struct json_out *out, const struct plan_request *request,
                       const struct plan *plan);

/* Pieces that other replies share. */
void plan_json_regime(struct json_out *out, const struct plan *plan);
void plan_json_dominant(struct json_out *out, const struct dominant *dominant);
void plan_json_latency(struct json_out *out, const struct plan *plan);
void plan_json_throughput(struct json_out *out, const struct plan *plan);
void plan_json_ignored_flags(struct json_out *out, const struct described *described);

/* The notes of what was read, as entries of an open list of warnings; NULL has none. */
void plan_json_notes(struct json_out *out, const struct described *described);

/* The plan's warnings and, behind them, the notes of what was read. */
void plan_json_warnings(struct json_out *out, const struct plan *plan,
                        const struct described *described);

/* Writes an estimate under that name: floor, expected, low, high and basis. */
void plan_json_estimate(struct json_out *out, const char *name, const struct estimate *estimate);

#endif
