/*
 * body.h - the body of a request as JSON, and replies out of a writer.
 *
 * Ownership: trees and buffers lie in the request's arena; nobody deletes them.
 */
#ifndef REGIME_BODY_H
#define REGIME_BODY_H

#include "fault.h"
#include "json_out.h"
#include "routes.h"

struct cJSON;

/*
 * The body as a tree. What is not one JSON value (RFC 8259, UTF-8, no byte order mark, nothing
 * behind it), nests deeper than JSON_NESTING_MAX, holds more than JSON_VALUES_MAX values, a \u0000
 * or a number beyond the range of a double is answered with 400 and the place; then the result is
 * NULL and the handler returns. Duplicate and unknown names are left to the reader of the tree.
 */
struct cJSON *body_json(struct context *ctx);

/* Adds a fault for each member of the object at `place` ("" or "/space") whose name is none of the
 * n names: the nearest one is suggested, `detail` says what it is no member of. */
void body_refuse_members(struct arena *arena, struct faults *faults, const struct cJSON *object,
                         const char *place, const char *const *names, int n, const char *detail);

/*
 * Makes what was written the reply's body, with a line end behind it. The content type is that of
 * ctx->format. A writer that failed becomes a 422 that says the reply is too large.
 */
void reply_write(struct context *ctx, int status, struct json_out *out);

/* A writer for a reply of this request, bounded by REPLY_MAX_BYTES. */
void reply_begin(struct context *ctx, struct json_out *ret_out);

#endif
