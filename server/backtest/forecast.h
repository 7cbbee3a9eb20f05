/*
 * forecast.h - what the planner says of a measured run, the run itself left out.
 *
 * Purpose: predicted beside measured, figure by figure. Runs that the engines were calibrated on
 *          carry what the calibration recorded ("stored"): with everything in the fit, with the
 *          run's cell left out, with every run of its model left out. They are corrected by what
 *          else was measured, never by what is left out. Every other run of a server whose
 * conditions make a request is planned now ("computed"), corrected by the runs near it. Units:
 * those of the metric; lengths of time in milliseconds, rates per second. Ownership: a forecaster
 * owns its memory; results are plain data. Errors:  a run that cannot be planned has no figures.
 * Threads: a forecaster belongs to one thread.
 */
#ifndef REGIME_FORECAST_H
#define REGIME_FORECAST_H

#include <stdbool.h>

#include "catalogue.h"
#include "plan_request.h"

/* What had no part in a prediction. */
#define HOLDOUT_LIST(X)                                                                            \
    X(HOLDOUT_NONE, "nothing") /* everything had; no correction */                                 \
    X(HOLDOUT_RUN, "run")      /* the run itself; corrected by runs near it */                     \
    X(HOLDOUT_CELL, "cell")    /* its cell: model, part, engine, weight format */                  \
    X(HOLDOUT_MODEL, "model")  /* every run of its model */

#define X(ID, NAME) ID,

enum holdout { HOLDOUT_LIST(X) HOLDOUT_COUNT };

#undef X

const char *holdout_name(enum holdout holdout);
/* HOLDOUT_COUNT when the name is unknown. */
enum holdout holdout_parse(const char *name);

/* A prediction and the 80 % interval of its tier; NAN where there is none. */
struct forecast_value {
    double predicted, low, high;
    enum interval_tier tier; /* how near the nearest runs are that were not left out */
};

/* Where a prediction is from, and which holdouts it has. */
enum forecast_origin {
    ORIGIN_STORED,  /* the calibration recorded it: all of them */
    ORIGIN_PLANNED, /* a plan, made now: the run had no part in a fit; HOLDOUT_RUN alone */
    ORIGIN_LOCAL    /* of a local engine, whose constants most of its runs are in: HOLDOUT_NONE */
};

struct forecast_figure {
    enum anchor_metric metric;
    double measured; /* mean, or the figure whose statistic the source does not state */
    enum forecast_origin origin;
    struct forecast_value by[HOLDOUT_COUNT];
};

/* Metrics that a plan predicts. */
#define FORECAST_METRICS 9

struct forecast {
    struct problem problem; /* as planned; set when n is not 0 */
    int n;
    struct forecast_figure figures[FORECAST_METRICS];
};

/* The n-th metric that a plan predicts. */
enum anchor_metric forecast_metric(int index);
bool metric_is_forecast(enum anchor_metric metric);

/* The prediction to show beside a figure. */
const struct forecast_value *forecast_shown(const struct forecast_figure *figure);

struct forecaster;

/* NULL without memory. */
struct forecaster *forecaster_new(const struct catalogue *catalogue);
void forecaster_free(struct forecaster *forecaster);

/*
 * The request that an anchor stands for, valid until the next call. False when it is neither a
 * server under a load that can be planned nor a speed test, or a condition that decides is missing.
 */
bool forecaster_request(struct forecaster *forecaster, int anchor,
                        struct plan_request *ret_request);

/* Which predictions are wanted; those stored cost microseconds, those computed a plan. */
#define FORECAST_STORED 1u
#define FORECAST_COMPUTED 2u

void forecast_anchor(struct forecaster *forecaster, int anchor, unsigned wanted,
                     struct forecast *ret_forecast);

#endif
