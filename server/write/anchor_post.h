/*
 * anchor_post.h - a measurement as people post it, into the language of db/records/anchors.
 *
 * Purpose: {"model", "hardware", "engine", "weights", "parallelism", "workload", "metrics",
 *          "source", ...}: names are resolved, metrics are means unless their name ends in a
 *          statistic.
 * Ownership: trees and texts lie in the request's arena.
 */
#ifndef REGIME_ANCHOR_POST_H
#define REGIME_ANCHOR_POST_H

#include "fault.h"
#include "post.h"

/* Fills post->record, id and answers out of the body; what is wrong goes to `faults`. */
void anchor_post_read(struct context *ctx, const struct cJSON *body, struct faults *faults,
                      struct post *post);

/* Where in the body a fault of the record is: "/conditions/tp" at "/parallelism/tp". */
const char *anchor_post_place(struct context *ctx, const struct post *post, const char *pointer);

#endif
