/*
 * check_changes.h - the table of changes that are tried when a check does not pass.
 *
 * Purpose: one row per change beside those of the table of cures: which checks it is for, and how
 *          it is applied. A row may have several variants (twice, four times as many ranks).
 * Threads: pure.
 */
#ifndef REGIME_CHECK_CHANGES_H
#define REGIME_CHECK_CHANGES_H

#include "checks.h"
#include "cure_table.h"

/* What a change knows besides the deployment it changes. */
struct change_asked {
    const struct plan *plan;
    const struct check_list *checks;
    const struct check_asked *asked;
    int variant; /* 0 .. variants - 1 */
};

/* Applies the change to the trial; false when it does not apply. */
typedef bool change_fn(const struct change_asked *change, struct trial *trial);

struct change_row {
    const char *id, *title, *why;
    unsigned checks; /* bits 1u << CHECK_x that it is for */
    int variants;
    change_fn *apply;
};

extern const struct change_row CHANGES[];
extern const int N_CHANGES;

/* Whether every check of the layout passes for a problem. */
bool change_shapes_pass(const struct problem *problem);

#endif
