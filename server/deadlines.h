/*
 * deadlines.h - the moment by which a connection must have come further.
 *
 * Purpose: libmicrohttpd closes a connection on which nothing happens; one that brings or takes a
 *          byte now and then lives for ever. Here a connection whose deadline has passed is shut
 *          down, and the library closes it as one that the client left.
 * Units:   nanoseconds of CLOCK_MONOTONIC.
 * Ownership: a struct deadline lives in its connection; it is in the list from deadline_begin() to
 *          deadline_end(), and its descriptor must stay open for as long.
 * Threads: any; deadline_move() takes no lock.
 */
#ifndef REGIME_DEADLINES_H
#define REGIME_DEADLINES_H

#include <stdatomic.h>
#include <stdint.h>

#include "compiler.h"

struct deadlines;

struct deadline {
    struct deadline *next, *previous;
    int fd;
    _Atomic uint64_t at_ns;
};

/* Starts the thread that looks; NULL when out of memory. */
struct deadlines *deadlines_new(void);

/* Every deadline must have ended; NULL is allowed. */
void deadlines_free(struct deadlines *deadlines);

void deadline_begin(struct deadlines *deadlines, struct deadline *deadline, int fd, uint64_t at_ns);
void deadline_end(struct deadlines *deadlines, struct deadline *deadline);

static inline void deadline_move(struct deadline *deadline, uint64_t at_ns)
{
    atomic_store_explicit(&deadline->at_ns, at_ns, memory_order_relaxed);
}

#endif
