/*
 * later.h - a thread that does one job after the other, so that no other thread waits for them.
 *
 * Purpose: writes wait for each other and for the disk; a thread that serves connections must not.
 * Ownership: jobs are the caller's.
 * Threads: later_push() on any.
 */
#ifndef REGIME_LATER_H
#define REGIME_LATER_H

#include <stdbool.h>

#include "compiler.h"

struct later;

typedef void later_fn(void *job);

/* `run` is called for every job, in their order. NULL when the thread cannot be started. */
struct later *later_new(later_fn *run);

/* Does what is queued and ends the thread; what is pushed from now on is refused. On one thread;
 * NULL is allowed. */
void later_stop(struct later *later);

/* Stops, and frees when nobody pushes any more; NULL is allowed. */
void later_free(struct later *later);

/* Queues a job; false when LATER_JOBS_MAX wait already, or when it was stopped. */
#define LATER_JOBS_MAX 64
MUST_USE bool later_push(struct later *later, void *job);

#endif
