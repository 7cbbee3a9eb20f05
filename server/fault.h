/*
 * fault.h - the faults of one input, collected instead of returned at the first.
 *
 * Ownership: texts live in the request's arena.
 */
#ifndef REGIME_FAULT_H
#define REGIME_FAULT_H

#include <stdbool.h>

#include "arena.h"

#define FAULTS_MAX 100

struct fault {
    const char
        *pointer; /* JSON pointer into the input, "" for the whole; "?name" for a query argument */
    const char *detail;
    const char *suggestion; /* the nearest known name, or NULL */
};

struct faults {
    struct arena *arena;
    struct fault items[FAULTS_MAX];
    int n;
    int dropped; /* faults past FAULTS_MAX, counted and said */
};

void faults_init(struct faults *faults, struct arena *arena);

/* Adds a fault; suggestion may be NULL. */
void fault_add(struct faults *faults, const char *pointer, const char *suggestion,
               const char *format, ...) PRINTF_LIKE(4, 5);

/* Whether further faults are counted and nothing else: their words need no search. */
static inline bool faults_full(const struct faults *faults)
{
    return faults->n == FAULTS_MAX;
}

/*
 * The candidate nearest to `word` by edit distance (case-insensitive, transposition counts 1), or
 * NULL when none is near enough to be a typing slip (distance > 1 + length / 4).
 */
const char *fault_nearest(const char *word, const char *const *candidates, int n);

#endif
