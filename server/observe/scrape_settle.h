/*
 * scrape_settle.h - what a tally of scrapes comes to.
 *
 * Purpose: quantities with their origins, those that follow from others, and what must be said
 *          beside them.
 * Ownership: texts lie in the arena.
 */
#ifndef REGIME_SCRAPE_SETTLE_H
#define REGIME_SCRAPE_SETTLE_H

#include "scrape_tally.h"

struct scrape_case {
    struct arena *arena;
    const struct scrape_tally *tally;
    const struct scrape_set *last; /* the newest scrape of the first target */
    int targets, scrapes;          /* targets added up; scrapes of the first */
    double window_s;               /* between its first and last scrape; NAN = not known */
    double uptime_s;               /* NAN = not known */
};

/* Sets what the case comes to in `observed`. */
void scrape_settle(const struct scrape_case *settled, struct observed *observed);

/* Adds a note whose text is made as printf makes it; nothing when memory ran out. */
void scrape_note(struct arena *arena, struct observed *observed, const char *code,
                 const char *format, ...) PRINTF_LIKE(4, 5);

#endif
