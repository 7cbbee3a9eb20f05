/*
 * backtest.h - predicted against measured, over every measured run that has a prediction.
 *
 * Purpose: the rows, in the order of their ids and by how far they are off, and the errors of any
 *          choice of them by engine, part, model and so on. Computed once per catalogue snapshot.
 * Units:   those of the metric; errors are predicted/measured - 1, times and rates alike.
 * Ownership: a backtest owns everything but the names of the catalogue it was made of.
 * Threads: immutable once made.
 */
#ifndef REGIME_BACKTEST_H
#define REGIME_BACKTEST_H

#include "arena.h"
#include "forecast.h"

struct store;

/* Runs that the engines were calibrated on; those of other sources, planned now; and speed tests of
 * local engines, whose constants most of them are in. */
#define BACKTEST_SET_LIST(X)                                                                       \
    X(SET_CALIBRATED, "calibrated")                                                                \
    X(SET_OTHER, "other")                                                                          \
    X(SET_LOCAL, "local")

/* The set of engine logs, which capacity.h compares. */
#define BACKTEST_MEMORY "memory"

/* What rows are grouped by: each has one value of each. */
#define BACKTEST_DIMENSION_LIST(X)                                                                 \
    X(BY_ALL, "all")                                                                               \
    X(BY_ENGINE, "engine")                                                                         \
    X(BY_HARDWARE, "hardware")                                                                     \
    X(BY_MODEL, "model")                                                                           \
    X(BY_WEIGHTS, "weights")                                                                       \
    X(BY_CONCURRENCY, "concurrency")                                                               \
    X(BY_INPUT, "input_tokens")                                                                    \
    X(BY_NEARNESS, "nearness")                                                                     \
    X(BY_SOURCE, "source")

#define X(ID, NAME) ID,

enum backtest_set { BACKTEST_SET_LIST(X) SET_COUNT };

enum backtest_dimension { BACKTEST_DIMENSION_LIST(X) DIMENSION_COUNT };

#undef X

/* Names, and back (the COUNT when unknown). */
const char *backtest_set_name(enum backtest_set set);
enum backtest_set backtest_set_parse(const char *name);
/* The holdout that rows of a set are judged by when nothing else is asked. */
enum holdout backtest_set_holdout(enum backtest_set set);
const char *backtest_dimension_name(enum backtest_dimension by);

struct backtest_value {
    float predicted, low, high; /* NAN = none */
    enum interval_tier tier;
};

/* Whether a measured figure lies in an interval. */
enum judgement { JUDGED_NOT, JUDGED_OUTSIDE, JUDGED_INSIDE };

/* One measured figure. */
struct backtest_row {
    int anchor;
    enum backtest_set set;
    enum anchor_metric metric;
    double measured;
    struct backtest_value by[HOLDOUT_COUNT];
    /* Inside the interval shown; inside one drawn without the run's own cell: what a new cell
     * meets. */
    unsigned char inside[HOLDOUT_COUNT], covered[HOLDOUT_COUNT];
    short value[DIMENSION_COUNT];
    short metric_at; /* its place in the order of forecast_metric() */
    int cell;        /* rows of one model geometry, part, engine and weight format share it */
    int note;        /* why it is so far off; -1 = nobody looked */
};

/* Why a row is off: what is known, inferred from other rows, or not known. */
struct backtest_note {
    const char *cause, *why, *title, *url; /* of the source; NULL = none */
};

struct backtest_source {
    const char *id, *title, *url;
};

struct backtest {
    struct backtest_row *rows; /* by anchor, then metric in the order of forecast_metric() */
    int n;
    /* Rows with a prediction: by error, by its size, and the farthest off (as a factor) first. */
    int *by_error[HOLDOUT_COUNT], *by_size[HOLDOUT_COUNT], *by_factor[HOLDOUT_COUNT];
    int n_predicted[HOLDOUT_COUNT];
    const struct backtest_note *notes;
    const struct backtest_source *sources;
    int n_notes, n_sources;
    struct arena *arena;
};

/* Forecasts every run of the snapshot. NULL without memory, or when the store cannot be read. */
struct backtest *backtest_new(struct store *store, const struct catalogue *catalogue);
void backtest_free(struct backtest *backtest);

/* predicted/measured - 1; NAN without a prediction. */
double backtest_error(const struct backtest_row *row, enum holdout holdout);

/* What a value of a dimension is called. */
const char *backtest_value_name(const struct backtest *backtest, const struct catalogue *catalogue,
                                enum backtest_dimension by, int value);

/* A choice of rows. */
struct backtest_choice {
    enum backtest_set set;
    enum anchor_metric metric;  /* ANCHOR_METRIC_COUNT = any */
    int value[DIMENSION_COUNT]; /* -1 = any */
};

/* keep[row] = whether the row is chosen; returns their number. */
int backtest_choose(const struct backtest *backtest, const struct backtest_choice *choice,
                    unsigned char *keep);

struct backtest_errors {
    int n;                    /* rows with that prediction */
    double median, p90, bias; /* of |error|, of |error|, median of the error; NAN without rows */
    double inside, covered;   /* shares of those judged; NAN without any */
};

struct backtest_group {
    enum backtest_dimension by;
    int value;
    enum anchor_metric metric;
    int n;
    struct backtest_errors errors[HOLDOUT_COUNT];
};

/*
 * The chosen rows by a dimension's values and metric: metrics in their order, the largest group of
 * each first. Lies in the arena; NULL without memory.
 */
const struct backtest_group *backtest_groups(const struct backtest *backtest,
                                             const unsigned char *keep, enum backtest_dimension by,
                                             struct arena *arena, int *ret_n);

#endif
