/*
 * plan_request.h - a plan request: read it, fill in the defaults, check it.
 *
 * Purpose: bytes that were parsed become a struct problem. Reading (JSON or query) only notes what
 * was given; plan_request_resolve() then fills in the defaults, in the order of PLAN_FIELDS, and
 *          checks what concerns several fields. A sweep copies the read request, sets leaves by
 * pointer and resolves each copy. Ownership: a request borrows from the parsed input, the catalogue
 * and the arena. Errors:  faults; a request is complete only when there are none. Threads: a
 * request belongs to one thread.
 */
#ifndef REGIME_PLAN_REQUEST_H
#define REGIME_PLAN_REQUEST_H

#include <stdbool.h>

#include "deployment.h"
#include "described.h"
#include "fields.h"

/* A deployment as asked, and once resolved, as planned. */
struct plan_request {
    struct problem problem;
    const char *engine_version;       /* as given, else the newest known of the engine */
    const char *name_format;          /* weight format in the model's name ("...-FP8"), or NULL */
    bool weights_are_fp4;             /* the weights were given as "fp4", whichever that is */
    const struct cJSON *inline_model; /* the object that the model was given as, or NULL */
    const char *command, *log;        /* texts while they are read, then NULL */
    const struct cJSON *manifest;     /* the same for a manifest */
    const char *container;            /* which of its containers is meant, or NULL */
    bool is_described;                /* a text or a manifest says how it is launched */
    bool text_refused; /* a text that describes it has faults: the model may be among them */
    bool part_refused; /* the same of a manifest, which may name the part as well */
    bool fits_length;  /* the engine takes the longest context that fits */
    int named_devices; /* that the part's name speaks of; 0 = it does not */
    bool given[FIELD_ID_COUNT];                    /* a value was read */
    bool assumed[FIELD_ID_COUNT];                  /* a default was taken */
    const struct launch *launches[FIELD_ID_COUNT]; /* the launch it is from; NULL = none */
    struct described described; /* what a text said besides; zeros = no text was read */
};

/* Faults, memory and names that a reading needs. */
struct intake {
    const struct catalogue *catalogue;
    struct arena *arena;
    struct faults *faults;
    const char *base; /* pointer of the object in the input, "" or "/baseline"; "?" for a query */
};

/* Reads the parsed body into *request, which must be zeroed. A "command" sets the leaves that are
 * not given beside it. */
void plan_request_read_json(const struct intake *intake, const struct cJSON *object,
                            struct plan_request *request);

/* Reads a query; `others` are the route's own arguments. */
void plan_request_read_query(const struct intake *intake, const struct argument *arguments, int n,
                             const char *const *others, int n_others, struct plan_request *request);

/*
 * Sets the leaf of that pointer ("/workload/concurrency") of a request that was read and not yet
 * resolved; a text that describes the deployment ("/command") sets the leaves that are not given
 * yet. False, with a fault, for an unknown pointer or a value that does not suit.
 */
MUST_USE bool field_set_by_pointer(const struct intake *intake, struct plan_request *request,
                                   const char *pointer, const struct cJSON *value);

/* The same for a row of PLAN_FIELDS. */
MUST_USE bool plan_request_set(const struct intake *intake, struct plan_request *request, int row,
                               const struct cJSON *value);

/* Whether the leaf of that pointer was given. */
bool plan_request_gives(const struct plan_request *request, const char *pointer);

/*
 * Fills in every default, notes which were taken, and checks what concerns several fields. True
 * when the request has no fault, so that its problem can be planned.
 */
MUST_USE bool plan_request_resolve(const struct intake *intake, struct plan_request *request);

#endif
