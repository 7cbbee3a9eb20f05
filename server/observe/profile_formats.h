/*
 * profile_formats.h - the formats of profiles: one row for each.
 *
 * Purpose: a format is its name, how its beginning is told from others and what reads it; adding
 *          one adds a row, and a reader where no other one reads it too.
 */
#ifndef REGIME_PROFILE_FORMATS_H
#define REGIME_PROFILE_FORMATS_H

#include "profile_lines.h"

struct profile_format {
    const char *name, *title;
    bool (*sniff)(struct slice head);       /* whether a file that begins so has it */
    line_fn *line;                          /* NULL: a trace */
    void (*end)(struct lines_state *state); /* NULL: nothing to do */
};

extern const struct profile_format PROFILE_FORMATS[];
extern const int N_PROFILE_FORMATS;

/* The first row whose sniff takes the head; NULL when none does. */
const struct profile_format *profile_format_of(struct slice head);

#endif
