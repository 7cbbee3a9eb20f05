/*
 * compare_json.h - two plans side by side as the JSON of /v1/compare.
 *
 * Purpose: what changed in the inputs leaf by leaf, both steps class by class, latency, throughput
 *          and memory with their changes, and the candidate's verdict.
 * Units:   in the names of the members; `change` is (candidate - baseline) / baseline; NAN becomes
 *          null.
 * Errors:  the writer's.
 * Threads: pure.
 */
#ifndef REGIME_COMPARE_JSON_H
#define REGIME_COMPARE_JSON_H

#include "check_report.h"

/* Two deployments and the verdict on the second. */
struct compare_report {
    const struct plan_request *baseline, *candidate;
    const struct plan *before, *after;
    struct check_report check; /* of the candidate */
};

void compare_json_write(struct json_out *out, const struct compare_report *report);

/* Whether a leaf has not the same value in both. */
bool compare_leaf_differs(struct arena *arena, const struct compare_report *report,
                          enum field_id id);

/* (after - before) / before. */
double compare_change(double before, double after);

/* The figures that are compared. */
struct compare_figure {
    const char *name, *section; /* "ttft_ms" in "latency" */
    size_t offset;              /* of its struct estimate in struct plan */
};
extern const struct compare_figure COMPARE_FIGURES[];
extern const int N_COMPARE_FIGURES;

/* A class's expected time; NAN where it does not occur or has no record. */
double compare_class_us(const struct step *step, enum class_id id);

#endif
