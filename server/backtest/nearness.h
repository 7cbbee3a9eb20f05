/*
 * nearness.h - what was measured near a problem, and by how much it corrects a prediction.
 *
 * Purpose: the cheapest accuracy is a measurement: runs of the same model, part, engine and weight
 *          format lie off their predictions by much the same factor. The factor is the weighted
 *          mean of their residuals r, drawn to what the model's other cells say where few are near:
 *          ln factor = (sum w r + m/2) / (sum w + 1/2), w = exp(-distance), 6 at distance 0. m is
 * the mean residual of the n other cells of the model on this engine times n c / (1 + (n - 1) c),
 * the best linear guess when two cells of a model correlate by c (model_correlation of the engine);
 *          it is used for the time per token alone: first tokens differ by launch, not by model.
 *
 * Units:   milliseconds, factors.
 *
 * Threads: reads an immutable snapshot.
 */
#ifndef REGIME_NEARNESS_H
#define REGIME_NEARNESS_H

#include "catalogue.h"
#include "interval.h"

/* Predictions of anchors, by metric: NAN where there is none. One array element per anchor. */
struct predictions {
    const float *ms[INTERVAL_METRIC_COUNT];
    const double *correlation; /* by engine, in place of the engines' model_correlation; NULL */
};

/*
 * Finds what lies near `problem` by those predictions (NULL = the snapshot's own). Anchors whose
 * element of `skip` is not 0 do not exist (NULL = all do): what a cross-validation leaves out.
 * *ret_near may be the problem's own.
 */
void nearness_find(const struct catalogue *catalogue, const struct problem *problem,
                   const struct predictions *predictions, const unsigned char *skip,
                   struct nearness *ret_near);

/* What lies near plans of many loads on one deployment: its measurements are looked up once. A
 * keeper belongs to one thread and borrows the catalogue. */
struct nearness_keeper;

/* NULL when out of memory. */
struct nearness_keeper *nearness_keeper_new(const struct catalogue *catalogue);
void nearness_keeper_free(struct nearness_keeper *keeper);

/* Turns to the deployment of a problem; must come before the first search. */
void nearness_keeper_turn(struct nearness_keeper *keeper, const struct problem *problem);

/* nearness_find() by the snapshot's predictions, of a problem of the deployment that the keeper
 * turned to last. */
void nearness_find_kept(struct nearness_keeper *keeper, const struct problem *problem,
                        struct nearness *ret_near);

/* Whether two points are of one cell: model, part, engine and weight format, all of fp8 one. */
bool nearness_same_cell(const struct catalogue *catalogue, const struct anchor_point *a,
                        const struct anchor_point *b);

#endif
