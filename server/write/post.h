/*
 * post.h - the common way of everything that is posted: once, against a revision, and its reply.
 *
 * Ownership: trees and texts lie in the request's arena.
 */
#ifndef REGIME_POST_H
#define REGIME_POST_H

#include "fault.h"
#include "routes.h"
#include "store_write.h"

/* A record on its way into the store. */
struct post {
    const char *kind;     /* "model", "dispute", ... */
    const char *of;       /* the kind of record that is changed; that of `kind` but a dispute */
    const char *id;       /* its id, for If-Match; NULL = it is new */
    struct cJSON *record; /* in the language of db/records */
    const char *why;      /* NULL = not said */
    const char *const *answers; /* stated gaps that it answers; NULL ends; NULL */
    /* Where in the body a member of the record is from; NULL: at the same place. */
    const char *(*place)(struct context *ctx, const struct post *post, const char *pointer);
    const struct cJSON *body;
};

/* Writes the record and the reply; `faults` are those found so far. */
void post_write(struct context *ctx, const struct post *post, struct faults *faults);

/* Takes the member out of an object; NULL when it is not there. */
struct cJSON *post_take(struct cJSON *object, const char *name);

/* The text of an optional member that is taken out; a fault when it is no text. */
const char *post_take_text(struct cJSON *object, const char *name, struct faults *faults);

/* A fault for every member of the object that stands twice. */
void post_refuse_repeats(const struct cJSON *object, const char *pointer, struct faults *faults);

#endif
