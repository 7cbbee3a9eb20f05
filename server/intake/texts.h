/*
 * texts.h - the texts by which people describe a deployment, read into a plan request.
 *
 * Purpose: a command line, a manifest or a log stands in the request beside its leaves, or is the
 *          whole body. None is kept: they may hold secrets.
 * Ownership: what is read lies in the request's arena or borrows from the body.
 * Errors:  faults at the text's own pointer; request->text_refused is set.
 */
#ifndef REGIME_TEXTS_H
#define REGIME_TEXTS_H

#include <stdbool.h>
#include <stddef.h>

#include "plan_request.h"

struct cJSON;

/* Where faults of a root field point: "/hardware" below the base, "?hardware" of a query. */
const char *texts_pointer(const struct intake *intake, enum field_id id);

/* How a root field that a text does not say is given: "\"hardware\" beside it" in JSON,
 * "?hardware= in the query" where the text is the body. */
const char *texts_way_to_give(const struct intake *intake, enum field_id id);

/* Whether the request has such a text. */
bool texts_are_given(const struct plan_request *request);

/* Reads them: the manifest or the command, then the log. Leaves given before stay; by `own` (one
 * per field) only those of the texts' own object; NULL = all. */
void texts_read(const struct intake *intake, const bool *own, struct plan_request *request);

/* Reads a body that is a text, with a NUL at its end: a manifest or a log when it looks like one,
 * else a command line. */
void texts_read_body(const struct intake *intake, const char *text, size_t length,
                     struct plan_request *request);

/* Reads a body that is a manifest: an object or a list of them. */
void texts_read_manifest(const struct intake *intake, const struct cJSON *documents,
                         struct plan_request *request);

#endif
