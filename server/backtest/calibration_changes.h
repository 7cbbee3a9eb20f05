/*
 * calibration_changes.h - a calibration beside the one that the store keeps.
 *
 * Purpose: after measurements were added it says which constants and intervals moved, and how far
 *          off the kept and the new ones are on the runs of the store, those included that the kept
 *          ones were not fitted on.
 * Units:   constants in the unit of their name; errors as |predicted/measured - 1|.
 */
#ifndef REGIME_CALIBRATION_CHANGES_H
#define REGIME_CALIBRATION_CHANGES_H

#include <stdio.h>

#include "calibrated.h"
#include "compiler.h"

/* What was found now. Runs hold their predictions with nothing left out. */
struct calibration_now {
    const struct catalogue *catalogue; /* keeps the other one */
    const struct runs *runs;
    const struct calibrated *engines;
    int n_engines;
    const struct interval *intervals;
    int n_intervals;
};

/* Prints what changed, or that nothing did. False without memory. */
MUST_USE bool calibration_changes_print(const struct calibration_now *now, FILE *report);

/* Runs of the store that the kept constants were not fitted on. */
int calibration_new_runs(const struct catalogue *catalogue, const struct runs *runs);

#endif
