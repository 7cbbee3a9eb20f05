/*
 * cure_table.h - one row per cure: what it changes, why, where it was measured.
 */
#ifndef REGIME_CURE_TABLE_H
#define REGIME_CURE_TABLE_H

#include "core.h"

/* A deployment being changed; the local copies back what a change replaces. */
struct trial {
    struct problem problem;
    struct scale scale;
    const struct core *here;
    struct kv_format kv;
    struct cure_change changes[CURE_CHANGES_MAX];
    int n_changes;
    bool hypothetical; /* rests on an assumption about traffic or another model */
};

/* Applies the change; false when it does not apply to this deployment. */
typedef bool cure_fn(struct trial *trial);

struct cure_row {
    struct cure_info info;
    cure_fn *apply;
};

extern const struct cure_row CURES[];
extern const int N_CURES;

#endif
