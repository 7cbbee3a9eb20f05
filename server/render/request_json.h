/*
 * request_json.h - a resolved plan request in the shape of the API.
 *
 * Purpose: `request` and `assumed` of a reply, by walking the table of fields.
 * Units:   those of the API.
 * Errors:  the writer's.
 */
#ifndef REGIME_REQUEST_JSON_H
#define REGIME_REQUEST_JSON_H

#include "json_out.h"
#include "plan_request.h"

/* The request as an object that could be posted again: canonical ids, every leaf, null for what is
 * absent. */
void request_json_write(struct json_out *out, const struct plan_request *request);

/* The JSON pointers of the defaults that were taken, as a list. */
void request_json_assumed(struct json_out *out, const struct plan_request *request);

/* Those of them that a launch record gave, as {pointer: id of the launch}. */
void request_json_assumed_from(struct json_out *out, const struct plan_request *request);

/* The value of one leaf; null where it is absent. */
void request_json_leaf(struct json_out *out, const struct plan_request *request, enum field_id id);

/* One leaf as plain text, "engine vllm", "kv_tier.kind none": its name and its value. */
void request_text_leaf(struct json_out *out, const struct plan_request *request, enum field_id id);

/* A parsed tree, written again (numbers to nine digits). */
void request_json_tree(struct json_out *out, const struct cJSON *tree);

#endif
