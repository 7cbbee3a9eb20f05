/*
 * diagnose_json.h - a diagnosis as JSON and as a report for a terminal.
 *
 * Errors:  the writer's.
 * Threads: pure.
 */
#ifndef REGIME_DIAGNOSE_JSON_H
#define REGIME_DIAGNOSE_JSON_H

#include "diagnose_request.h"
#include "json_out.h"

/* A diagnosis and what it rests on. */
struct diagnose_report {
    const struct diagnose_request *request;
    const struct diagnosis *diagnosis;
};

void diagnose_json_write(struct json_out *out, const struct diagnose_report *report);
void diagnose_text_write(struct json_out *out, const struct diagnose_report *report);

/* How the first two causes are told apart, the cheapest measurement; NULL where nothing is known.
 */
const char *diagnose_separate(const struct diagnose_report *report);

/* The n-th thing that is missing: what would settle a cause that rests on too little. NULL past the
 * end. */
const char *diagnose_missing(const struct diagnose_report *report, int n);

#endif
