/*
 * crew.h - numbered blocks of work, computed by all cores, taken in order.
 *
 * Purpose: the threads of a crew compute blocks ahead of the one who takes them, a bounded number
 *          of them; who takes helps where the next block is not ready. A slow taker thus stops the
 *          crew, and memory is steady.
 * Ownership: the crew owns its threads and its slots; crew_free() stops them within one block.
 * Threads: crew_take() and crew_free() on one thread at a time; the work runs on all.
 */
#ifndef REGIME_CREW_H
#define REGIME_CREW_H

#include <stdbool.h>

#include "json_out.h"

/* What a crew computes. */
struct crew_work {
    void *ctx;
    /* A thread's own memory; NULL when out of memory. */
    void *(*worker_new)(void *ctx);
    void (*worker_free)(void *worker);
    /* Computes block `block` and writes its text; false when it cannot. */
    bool (*block)(void *ctx, void *worker, long block, struct json_out *out);
    long n_blocks;
};

struct crew;

/* A crew of `threads` threads beside the taker (0 is allowed). NULL when out of memory. */
struct crew *crew_new(const struct crew_work *work, int threads);

/* The text of the next block, valid until the next call. NULL behind the last one; NULL and
 * *ret_broken when a block could not be made. */
const char *crew_take(struct crew *crew, size_t *ret_length, bool *ret_broken);

/* Stops the threads and frees everything; NULL is allowed. */
void crew_free(struct crew *crew);

#endif
