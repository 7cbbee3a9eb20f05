/*
 * local_folds.h - what is predicted of local runs, with everything and with their source left out.
 *
 * Ownership: local_folds owns its arrays; local_folds_free() frees them.
 */
#ifndef REGIME_LOCAL_FOLDS_H
#define REGIME_LOCAL_FOLDS_H

#include "local_model.h"

/* One back end's fit of one phase. */
struct local_part_fit {
    struct local_model model; /* no rows: nothing was measured */
    double *values;
};

struct local_folds {
    const struct local_runs *runs;
    struct local_part_fit fits[BACKEND_COUNT][2]; /* by phase */
    double *fitted_us;                            /* of each run, everything in the fit */
    double *left_us;                              /* its source left out; NAN = nothing is left */
    enum local_tier *tiers;                       /* how near other sources' runs are */
};

/* Fits and cross-validates everything. False without memory. */
MUST_USE bool local_folds_make(const struct local_runs *runs, struct local_folds *ret_folds);
void local_folds_free(struct local_folds *folds);

#endif
