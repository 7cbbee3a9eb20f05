/*
 * memory_json.h - the memory part of a plan's replies.
 *
 * Units:   those of the API.
 * Errors:  the writer's.
 */
#ifndef REGIME_MEMORY_JSON_H
#define REGIME_MEMORY_JSON_H

#include "json_out.h"
#include "plan_request.h"

/* The member "memory": verdict, terms, layout, what it holds, what would make it fit, the defaults
 * that enter. */
void memory_json_write(struct json_out *out, const struct plan_request *request,
                       const struct plan *plan);

/* The same for a terminal, under its heading. */
void memory_text_write(struct json_out *out, const struct plan_request *request,
                       const struct plan *plan, bool ascii);

/* Leaves that decide about memory. */
extern const enum field_id MEMORY_FIELDS[];
extern const int N_MEMORY_FIELDS;

#endif
