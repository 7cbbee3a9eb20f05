/*
 * anchor_index.h - the numbers of every anchor in memory; its texts stay in SQLite.
 *
 * Purpose: filter and rank measurements without touching the store: ids, records they join,
 *          conditions, metrics, and the points that a distance is taken between.
 * Units:   those of planner/anchor.h.
 * Ownership: everything lies in the block of the catalogue snapshot.
 * Threads: immutable once built.
 */
#ifndef REGIME_ANCHOR_INDEX_H
#define REGIME_ANCHOR_INDEX_H

#include <stdbool.h>
#include <stdint.h>

#include "anchor.h"
#include "interval.h"
#include "library.h"

enum anchor_flag {
    ANCHOR_DISPUTED = 1 << 0, /* used for nothing */
    ANCHOR_SPECULATIVE = 1 << 1,
    ANCHOR_PREFIX_CACHED = 1 << 2
};

/* Predictions of an anchor: with everything in the fit, its cell left out, its model left out. */
#define PREDICTION_FOLDS 3

/* Anchors in ascending order of their ids; element i of every array belongs to anchor i. */
struct anchor_index {
    int n;
    const char *const *ids;
    const char *const *versions; /* engine versions as found; NULL = not stated */
    const char *const *backends; /* NULL = not stated */
    const struct anchor_point *points;
    const unsigned char *kinds;  /* enum anchor_kind */
    const unsigned char *flags;  /* enum anchor_flag */
    const unsigned char *loads;  /* enum load_profile */
    const unsigned char *doubts; /* enum anchor_doubt; DOUBT_NONE of what is not disputed */
    /* Texts as found, NULL = not stated: the tool that made the load ("inferencex",
     * "engine_bench"), formats of dense and of expert GEMMs, the day of the measurement. */
    const char *const *generators, *const *gemm_quants, *const *moe_quants, *const *measured;
    /* Rows of the full-text index in ascending order, and the anchor of each. */
    const int64_t *numbers;
    const int *number_anchor;
    /* Conditions of anchor i are entries condition_start[i] .. condition_start[i + 1] - 1. */
    const int *condition_start;
    const unsigned char *condition_what; /* enum anchor_condition, ascending */
    const double *condition_value;
    const int *metric_start;               /* the same for metrics */
    const unsigned char *metric_what;      /* enum anchor_metric */
    const unsigned char *metric_statistic; /* enum statistic */
    const double *metric_value;
    /* What the calibration predicts of each, in milliseconds, by what was left out of the fit and
     * figure; NAN = nothing. */
    const float *predicted_ms[PREDICTION_FOLDS][INTERVAL_METRIC_COUNT];
    /* ln(measured mean / what is predicted with nothing left out); NAN where either is missing. */
    const double *residual[INTERVAL_METRIC_COUNT];
    /* Undisputed anchors of known model and part that a plan compares itself with, by model then
     * part; and the same by part. Those of model m are by_model[model_start[m]] and on. */
    const int *by_model, *model_start;
    const int *by_part, *part_start;
    int n_compared;
};

/* A condition of an anchor, NAN when it is not stated. */
double anchor_number(const struct anchor_index *index, int anchor, enum anchor_condition condition);

/* The first metric of that name (any statistic but a standard deviation), NAN when there is none.
 */
double anchor_figure(const struct anchor_index *index, int anchor, enum anchor_metric metric);

/* The mean of a metric, else the figure whose statistic the source does not state, else NAN. */
double anchor_central(const struct anchor_index *index, int anchor, enum anchor_metric metric);

/* The mean of a time, NAN where the source states none. */
double anchor_mean(const struct anchor_index *index, int anchor, enum interval_metric metric);

/* The anchor of exactly that id, -1 when there is none. */
int anchor_find(const struct anchor_index *index, const char *id);

/* The anchor of a row of the full-text index, -1 when there is none. */
int anchor_of_number(const struct anchor_index *index, int64_t number);

/* Its conditions, all of them, NAN where not stated. */
void anchor_numbers(const struct anchor_index *index, int anchor,
                    double ret_numbers[CONDITION_COUNT]);

struct anchor_near {
    int anchor;
    double distance;
    bool exact; /* it is the measurement of what is asked */
};

/*
 * The anchors nearest to a problem by anchor_distance(), nearest first, ties by id: of the same
 * model and part when there are `max` of them; else also of the same model on other parts and of
 * other models on the same part. Returns their number.
 */
int anchors_nearest(const struct anchor_index *index, const struct problem *problem,
                    struct anchor_near *ret_near, int max);

/*
 * The same for a point of one's own, what it leaves at NAN, -1 or zeros not being compared, among
 * anchors that have a metric (ANCHOR_METRIC_COUNT = any). Of no model and no part: among all. Where
 * nothing of that model or part has the metric, among all that have it, of any kind; where nothing
 * has it, among all: it is empty only when there is no anchor.
 */
int anchors_nearest_point(const struct anchor_index *index, const struct anchor_point *asked,
                          enum anchor_metric metric, struct anchor_near *ret_near, int max);

#endif
