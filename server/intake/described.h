/*
 * described.h - what a text said of a deployment besides its leaves.
 *
 * Purpose: a command line, a manifest or a log sets leaves of a plan request; the flags that change
 *          nothing here and what is doubtful about the reading are kept beside it and shown.
 * Ownership: texts and lists lie in the request's arena.
 * Errors:  when the arena is full an entry is lost, never the request.
 */
#ifndef REGIME_DESCRIBED_H
#define REGIME_DESCRIBED_H

#include <stdbool.h>

#include "arena.h"
#include "compiler.h"

/* A doubt about what was read: shown among the warnings of a reply. */
struct described_note {
    const char *id, *pointer, *detail;
    struct described_note *next;
};

struct described_flag {
    const char *flag; /* as written: "--disable-log-requests" */
    struct described_flag *next;
};

struct described {
    struct arena *arena;
    struct described_flag *flags, **last_flag; /* in the order of reading */
    struct described_note *notes, **last_note;
    const char *quantization; /* the method that a flag tells the engine; NULL = none */
    int n_devices;            /* handed over to one replica; 0 = not said */
};

/* Makes *ret_described empty. */
void described_init(struct described *ret_described, struct arena *arena);

/* Makes *ret_copy one with the same entries, to which others can be added. */
void described_copy(const struct described *described, struct described *ret_copy);

/* Adds a flag once; `flag` is borrowed. */
void described_ignore(struct described *described, const char *flag);

/* Adds a note; id and pointer are borrowed, the detail is formatted into the arena. */
void described_note(struct described *described, const char *id, const char *pointer,
                    const char *format, ...) PRINTF_LIKE(4, 5);

#endif
