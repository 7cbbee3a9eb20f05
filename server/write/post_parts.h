/*
 * post_parts.h - what writing one record and writing many share; for post*.c only.
 */
#ifndef REGIME_POST_PARTS_H
#define REGIME_POST_PARTS_H

#include "post.h"

/* Takes faults of the readers of db/records to the places of the body that they are about. */
struct post_sink {
    struct context *ctx;
    const struct post *post;
    struct faults *faults;
};

import_sink_fn post_take_fault;

/* The path of a record; NULL for a kind that has none, or without memory. */
const char *post_path(struct context *ctx, const char *kind, const char *id);

/* Whether Idempotency-Key is one, or not there; else the reply is written. */
bool post_key_ok(struct context *ctx);

/* What makes two requests the same: path, query and body. */
void post_digest(struct context *ctx, char ret_hex[DIGEST_HEX_MAX]);

/* The new snapshot takes the place of the request's. */
void post_renew(struct context *ctx);

/* Closes the gaps that an anchor answers. */
void post_close_gaps(struct context *ctx, const struct post *post, const char *id);

#endif
