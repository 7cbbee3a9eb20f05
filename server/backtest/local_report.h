/*
 * local_report.h - errors, intervals and records of the local engines' constants.
 */
#ifndef REGIME_LOCAL_REPORT_H
#define REGIME_LOCAL_REPORT_H

#include <stdio.h>

#include "local_folds.h"

/* An interval of a tier: factors on the predicted time. n 0: none. */
struct local_band {
    double low, high;
    int n, n_sources;
    double coverage; /* of runs whose source made no part of it */
};

/* Bands by phase and tier of the CPU back end and, at BACKEND_COUNT, of the others. */
struct local_bands {
    struct local_band of[BACKEND_COUNT + 1][2][LOCAL_TIER_COUNT];
    struct local_band batch; /* decode steps of more rows than LOCAL_BATCH_VALIDATED */
};

/* Conformal bands from the errors of left out sources. False without memory. */
MUST_USE bool local_bands_make(const struct local_folds *folds, struct local_bands *ret_bands);

/* Tables of errors by group, source left out, and of the bands. False without memory. */
MUST_USE bool local_report_print(const struct library *lib, const struct local_folds *folds,
                                 const struct local_bands *bands, FILE *out);

/* The records: a line of CSV for every constant and scope that runs speak of. False without memory
 * or when a write fails. */
MUST_USE bool local_records_write(const struct library *lib, const struct local_folds *folds,
                                  const struct local_bands *bands, FILE *out);

#endif
