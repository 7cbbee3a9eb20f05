/*
 * block.h - the memory of one catalogue snapshot: allocate freely, free at once.
 *
 * Ownership: what a block gave lives until block_free().
 * Errors:  NULL when out of memory; the block notes it (block->failed) and stays usable.
 * Threads: one thread at a time.
 */
#ifndef REGIME_BLOCK_H
#define REGIME_BLOCK_H

#include <stdbool.h>
#include <stddef.h>

struct block_chunk;

struct block {
    struct block_chunk *chunks;
    bool failed;
};

/* Zeroed memory, aligned for any object. */
void *block_alloc(struct block *block, size_t size);

/* A copy of the text; NULL stays NULL. */
const char *block_text(struct block *block, const char *text);

void block_free(struct block *block);

#endif
