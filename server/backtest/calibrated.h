/*
 * calibrated.h - what a calibration found: constants, intervals, residuals, and their files.
 *
 * Purpose: turns fitted constants and cross-validated predictions into the records that the next
 *          build carries, and into the tables of errors that a reader checks them by.
 * Units:   constants in the unit of their name; intervals as factors; predictions in milliseconds.
 */
#ifndef REGIME_CALIBRATED_H
#define REGIME_CALIBRATED_H

#include <stdio.h>

#include "runs.h"

/* Constants of one engine. */
struct calibrated {
    const struct engine *engine;
    double model_correlation;
    int n;

    struct {
        enum host_cost cost;
        double value;
        bool fitted; /* false: it follows from the form of the model */
    } constants[PARAMETERS_MAX];
};

void calibrated_add(struct calibrated *calibrated, enum host_cost cost, double value, bool fitted);

/* Rounds values to the four digits that records keep. */
void calibrated_round(int n, double *values);

/*
 * Prints the errors to `report`; into the folder `out` (NULL = nowhere) it writes
 * engine-constants.json, intervals.json and predictions.csv. False with a sentence on stderr when a
 * file cannot be written or memory is short.
 */
bool calibrated_write(const struct catalogue *catalogue, const struct runs *runs,
                      const struct calibrated *engines, int n_engines, const char *out,
                      FILE *report);

#endif
