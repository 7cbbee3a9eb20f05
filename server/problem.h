/*
 * problem.h - what cannot be answered, as application/problem+json (RFC 9457).
 *
 * Purpose: one way to refuse: type, title, status, detail and a list of errors, each with pointer,
 *          detail and perhaps a suggestion.
 * Ownership: the reply's body lies in the request's arena.
 * Errors:  none: without memory left the document shrinks to a constant.
 */
#ifndef REGIME_PROBLEM_H
#define REGIME_PROBLEM_H

#include "compiler.h"
#include "fault.h"
#include "routes.h"

#define PROBLEM_MEDIA_TYPE "application/problem+json"

/* 422 with every fault at once. */
void problem_faults(struct context *ctx, const struct faults *faults);

/* 404 for a record or path: `what` is the noun and name, "model \"lama\""; nearest may be NULL. */
void problem_not_found(struct context *ctx, const char *what, const char *nearest);

/* Any other refusal; 429 and 503 carry Retry-After. `detail` says what to do instead. */
void problem_status(struct context *ctx, int status, const char *detail);

/* The same, to be tried again after `wait_s` seconds. */
void problem_later(struct context *ctx, int status, const char *detail, double wait_s);

/* The same with a list of errors beside the detail; faults may be NULL. */
void problem_reply(struct context *ctx, int status, const char *detail,
                   const struct faults *faults);

/* The phrase of a status as HTTP registers it, "Not Found". */
const char *status_title(int status);

#endif
