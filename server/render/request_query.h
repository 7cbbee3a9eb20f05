/*
 * request_query.h - a plan request as the path and query of GET /v1/plan.
 *
 * Errors: the writer's.
 */
#ifndef REGIME_REQUEST_QUERY_H
#define REGIME_REQUEST_QUERY_H

#include "json_out.h"
#include "plan_request.h"

/* "/v1/plan?model=llama-3.1-8b&hardware=h100-sxm&...": what was given, defaults left out. Models
 * and parts must be of the catalogue. */
void request_query_write(struct json_out *out, const struct plan_request *request);

/* Text of a query: everything but unreserved characters percent-encoded (RFC 3986). */
void query_text_write(struct json_out *out, const char *text);

#endif
