/*
 * upload_query.h - what is said of a benchmark's file beside it: the arguments of POST
 * /v1/benchmarks.
 *
 * Purpose: a body in the language of POST /v1/anchors, of which every run gets the members; every
 *          condition of an anchor is an argument by its name.
 * Ownership: the tree lies in the request's arena.
 * Errors:  faults that point at the argument.
 */
#ifndef REGIME_UPLOAD_QUERY_H
#define REGIME_UPLOAD_QUERY_H

#include "app.h"
#include "fault.h"

struct cJSON;

/* The object that holds conditions of a run, whatever they are. */
#define UPLOAD_CONDITIONS "workload"
#define UPLOAD_SOURCE "source"

struct upload_argument {
    const char *name, *doc;
    bool number;
};

/* Arguments that are no conditions; a NULL name ends. */
extern const struct upload_argument UPLOAD_ARGUMENTS[];

/* The i-th condition as an argument, a NULL name past the last. */
struct upload_argument upload_condition(int index);

/* What was said; `dry_run` and `format` are read elsewhere. */
struct cJSON *upload_query_read(const struct request *request, struct faults *faults);

/* The argument by which a member of a run is said, "source.url" for "/source/url"; NULL = none. */
const char *upload_argument_of(struct arena *arena, const char *pointer);

#endif
