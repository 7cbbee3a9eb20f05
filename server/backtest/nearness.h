/*
 * nearness.h - what was measured near a problem, and by how much it corrects a prediction.
 *
 * Purpose: the cheapest accuracy is a measurement: runs of the same model, part, engine and weight
 *          format lie off their predictions by much the same factor. The factor is the weighted
 *          mean of their residuals, shrunk to 1 where few are near: exp(sum w r / (sum w + 1/2)), w
 *          = exp(-distance).
 * Units:   milliseconds, factors.
 * Threads: reads an immutable snapshot.
 */
#ifndef REGIME_NEARNESS_H
#define REGIME_NEARNESS_H

#include "catalogue.h"
#include "interval.h"

/* Predictions of anchors, by metric: NAN where there is none. One array element per anchor. */
struct predictions {
    const float *ms[INTERVAL_METRIC_COUNT];
};

/*
 * Finds what lies near `problem` by those predictions (NULL = the snapshot's own). Anchors whose
 * element of `skip` is not 0 do not exist (NULL = all do): what a cross-validation leaves out.
 * *ret_near may be the problem's own.
 */
void nearness_find(const struct catalogue *catalogue, const struct problem *problem,
                   const struct predictions *predictions, const unsigned char *skip,
                   struct nearness *ret_near);

#endif
