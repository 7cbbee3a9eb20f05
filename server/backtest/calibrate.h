/*
 * calibrate.h - fits the constants of the serving engines to the measured runs of a store.
 *
 * Purpose: what kernels, links and the replay leave over of a measured time per output token goes
 *          to a few constants of the engine (share of launches left in a graph, small kernels of a
 *          layer, serial host work of a step and a sequence, a prompt's step over its kernels),
 * what is left of the time to the first token to the wait of the client's side. Cross-validated by
 * cell and by model; the residuals make the intervals. Anyone can run it again: the same store
 * gives the same files. Errors:  a sentence on stderr, false.
 */
#ifndef REGIME_CALIBRATE_H
#define REGIME_CALIBRATE_H

#include <stdbool.h>
#include <stdio.h>

#include "catalogue.h"
#include "compiler.h"

/*
 * Fits everything, prints the tables of errors and what changed against the calibration that the
 * snapshot has to `report`, and writes into the folder `out`
 * engine-constants.json, intervals.json and predictions.csv (NULL = only the report).
 */
MUST_USE bool calibrate(const struct catalogue *catalogue, const char *out, FILE *report);

#endif
