/*
 * runs.h - the measured serving runs of a store, each with the problem it was and what is
 * predicted.
 *
 * Purpose: the rows that engines are calibrated on and judged by: undisputed runs of a known load
 *          generator with a mean time per output token.
 * Units:   milliseconds.
 * Ownership: runs_read() allocates everything, runs_free() frees it; problems borrow the catalogue.
 * Threads: one run list belongs to one thread.
 */
#ifndef REGIME_RUNS_H
#define REGIME_RUNS_H

#include "catalogue.h"
#include "interval.h"
#include "plan_request.h"
#include "regression.h"

/* What had no part in the fit behind a prediction. */
enum fold {
    FOLD_NONE,  /* everything had */
    FOLD_CELL,  /* the run's cell was left out */
    FOLD_MODEL, /* every run of a model of its geometry was */
    FOLD_COUNT
};

struct run {
    int anchor;
    int engine;   /* index in the library */
    int cell;     /* runs of one model geometry, part, engine and weight format share it */
    int geometry; /* models of one shape share it */
    int layout;   /* runs of a cell with one layout, version and input length share it */
    struct problem problem;
    double measured_ms[INTERVAL_METRIC_COUNT]; /* NAN = not measured, or disputed */
    double predicted_ms[FOLD_COUNT][INTERVAL_METRIC_COUNT];
    double wait_free_ttft_ms[FOLD_COUNT]; /* predicted, without the wait of the client's side */
    double step_ms;                       /* predicted decode step at the load's batch */
    double weight;                        /* in the fit; 0 = it only judges */
    double slope[PARAMETERS_MAX];
};

struct runs {
    struct run *items;
    int n, n_cells, n_geometries, n_layouts;
    struct arena *arena; /* what resolved requests borrow */
};

/* Reads and resolves every usable run of the snapshot, in the order of anchors. NULL without
 * memory. */
struct runs *runs_read(const struct catalogue *catalogue);
void runs_free(struct runs *runs);

/*
 * Reads an anchor as a run of the fit. Returns NULL, or why it is none; "" for what measures no
 * mean time per token of a serving run.
 */
const char *fit_run_read(const struct intake *intake, int anchor, struct run *ret_run);

/* Whether two problems are of one cell. */
bool problem_same_cell(const struct problem *a, const struct problem *b);

/* What is predicted of a run, in milliseconds; NAN where nothing can be. */
struct run_prediction {
    double tpot_ms, ttft_ms; /* the latter without the client's wait */
    double step_ms;          /* a decode step at the load's batch */
};

/* Predicts a run with those constants of its engine. */
struct run_prediction run_predict(const struct run *run, const struct host_constant *constants);

#endif
