/*
 * arena.h - the memory of one request.
 *
 * Purpose: allocate freely, free once. Every growable thing has a maximum, and so has the arena.
 * Ownership: what an arena gave lives until arena_reset() or arena_free().
 * Errors:  arena_alloc() returns NULL past the maximum; callers answer with a problem document.
 * Threads: one arena belongs to one request on one thread.
 */
#ifndef REGIME_ARENA_H
#define REGIME_ARENA_H

#include <stdbool.h>
#include <stddef.h>

#include "compiler.h"

struct arena;

/* An arena that grows in chunks up to max_bytes. NULL when out of memory. */
struct arena *arena_new(size_t max_bytes);

/* Zeroed memory, aligned for any object; NULL past the maximum. */
void *arena_alloc(struct arena *arena, size_t size);

/* The same without the zeroing, for memory that is written before it is read. */
void *arena_alloc_raw(struct arena *arena, size_t size);

/*
 * Grows the newest allocation in place from old_size to new_size bytes (the new ones hold
 * anything). False, and nothing changed, when it is not the newest one or its chunk is full.
 */
bool arena_extend(struct arena *arena, void *memory, size_t old_size, size_t new_size);

/* Takes back the newest allocation; of any other one the memory stays until the reset. */
void arena_release(struct arena *arena, void *memory);

/* Whether `memory` lies in this arena. */
bool arena_owns(const struct arena *arena, const void *memory);

/* A copy of text[0..length) with a NUL behind it; NULL past the maximum. */
char *arena_copy(struct arena *arena, const char *text, size_t length);

/* printf into the arena; NULL past the maximum. */
char *arena_printf(struct arena *arena, const char *format, ...) PRINTF_LIKE(2, 3);

/* Drops everything but the first chunk. */
void arena_reset(struct arena *arena);

/* Frees it; NULL is allowed. */
void arena_free(struct arena *arena);

#endif
