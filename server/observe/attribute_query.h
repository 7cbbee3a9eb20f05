/*
 * attribute_query.h - what is said of a profile beside it: the arguments of POST /v1/attribute.
 *
 * Purpose: the route's own arguments (ATTRIBUTE_ARGUMENTS), and those that describe a deployment as
 *          they stand in the query of a plan; what the query leaves out and the file tells is
 *          filled in, with where it came from.
 * Errors:  faults that point at the argument.
 */
#ifndef REGIME_ATTRIBUTE_QUERY_H
#define REGIME_ATTRIBUTE_QUERY_H

#include "attribution.h"
#include "plan_request.h"
#include "routes.h"

struct attribute_argument {
    const char *name, *doc, *type; /* type as a schema names it */
};

/* A NULL name ends. */
extern const struct attribute_argument ATTRIBUTE_ARGUMENTS[];
/* What is said besides of a profile that is kept. */
extern const struct attribute_argument KEEP_ARGUMENTS[];

/* One condition of the run. */
struct condition {
    const char *name;
    const char *text; /* or NULL: a number */
    double number;    /* NAN: not known */
    const char *from; /* "query", "file", "assumed"; NULL: not known */
};

enum condition_id {
    RUN_MODEL,
    RUN_HARDWARE,
    RUN_ENGINE,
    RUN_BATCH,
    RUN_CONTEXT,
    RUN_PHASE,
    RUN_TP,
    RUN_RANKS,
    RUN_STEPS,
    RUN_CONDITIONS
};

struct attribute_query {
    struct attribution_asked asked;
    double batch, context;
    bool ascii;
    bool keeps; /* the arguments of what is kept are there too */
};

/* Reads the route's own arguments. */
void attribute_query_read(const struct request *request, struct faults *faults,
                          struct attribute_query *ret_query);

/* What is known of the run, of the query and of the file. */
struct run {
    struct condition conditions[RUN_CONDITIONS];
    struct plan_request *request; /* resolved; NULL where model or part is not known */
    const char *no_plan;          /* why it is NULL */
    double new_tokens;            /* of a prompt; NAN */
};

/*
 * Brings the query and the file together; contradictions become warnings of the profile. Faults of
 * the deployment's arguments, and of a deployment that cannot be, are added.
 */
void run_read(struct context *ctx, struct faults *faults, const struct attribute_query *query,
              struct profile *profile, struct attribution *attribution, struct run *ret_run);

#endif
