/*
 * search_work.h - evaluating the candidates of a space, on any number of threads.
 *
 * Purpose: candidates are refused where physics or the engine's own rules say so before anything is
 *          planned; the others are planned barely, and what ranks is kept. The kept ones can then
 *          be planned as a plan's own route does.
 * Ownership: a run owns what is kept; a worker its memory, and gives what it found to the run when
 *          it is freed.
 * Errors:  NULL when out of memory.
 * Threads: a worker belongs to one thread; the run takes workers' results under its mutex.
 */
#ifndef REGIME_SEARCH_WORK_H
#define REGIME_SEARCH_WORK_H

#include "checks.h"
#include "space.h"

/* Why a candidate was not planned or ranked; before these, the id of the check that refused it. */
enum search_filter {
    FILTER_WEIGHTS = CHECK_COUNT, /* its weights alone exceed the memory of its devices */
    FILTER_REFUSED,               /* its leaves do not go together */
    FILTER_NO_RECORD,             /* nothing was measured that times could be predicted from */
    FILTER_COUNT
};

const char *search_filter_name(int filter);

/* What was found. */
struct search_found {
    struct search_pool best; /* those that keep every limit */
    struct search_pool near; /* those that miss one by little: a replay may say otherwise */
    struct search_front *front;
    struct search_tally tally;
    long filtered[FILTER_COUNT];
    long *no_record; /* of those, by part of the space */
    int n_parts;
    long planned;
};

struct search_run;
struct search_worker;

/* A run over a space, which must outlive it. */
struct search_run *search_run_new(const struct space *space);
void search_run_free(struct search_run *run);

/* What the workers that were freed have found. */
struct search_found *search_run_found(struct search_run *run);

struct search_worker *search_worker_new(struct search_run *run);
void search_worker_free(struct search_worker *worker);

/* Evaluates the candidates from .. to - 1. */
void search_worker_scan(struct search_worker *worker, long from, long to);

/*
 * Plans one candidate as /v1/check does, and measures it; `max_model_len` is the longest request
 * that its engine is told (NAN = what the space says). Index, changes and kind (its group) are set.
 * False when it has no plan or nothing to rank. *ret_request and *ret_plan are valid as long as
 * `arena` is.
 */
MUST_USE bool search_plan(const struct space *space, struct arena *arena, long candidate,
                          double max_model_len, struct plan_request *ret_request,
                          struct plan *ret_plan, struct search_point *ret_point);

#endif
