/*
 * observe_line.h - lines of a text as a terminal shows them.
 */
#ifndef REGIME_OBSERVE_LINE_H
#define REGIME_OBSERVE_LINE_H

#include <stdbool.h>
#include <stddef.h>

#include "arena.h"
#include "observed.h"

/* Longer lines come in pieces that end behind a comma. */
#define OBSERVE_LINE_MAX 8192

/* Copies the next line without terminal colours and control characters; false behind the last.
 * Lines of blanks alone are left out. */
bool observe_line_next(const char **at, const char *end, char ret_line[OBSERVE_LINE_MAX]);

/* At most `max` bytes of a text that end with a whole character; NULL when memory ran out. */
const char *observe_keep(struct arena *arena, const char *text, size_t max);

/* Counts a line that is not understood; the first ones are kept by their beginnings. */
void observe_not_understood(struct arena *arena, struct observed_reading *reading,
                            const char *line);

#endif
