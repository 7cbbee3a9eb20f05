/*
 * interval.h - how far measured runs lie from predictions, and what was measured near a problem.
 *
 * Purpose: an 80 % interval around a prediction by engine, figure and nearness of measurements; the
 *          factor that measurements of the same deployment correct it by.
 * Units:   factors on the predicted figure: low <= measured/predicted <= high in 80 % of what was
 *          left out of the fit.
 * Source:  split conformal prediction (Vovk, Gammerman, Shafer 2005; Lei et al. 2018): quantiles of
 *          the residuals of runs that had no part in the fit. The calibration program writes them.
 * Ownership: plain data.
 */
#ifndef REGIME_INTERVAL_H
#define REGIME_INTERVAL_H

#define INTERVAL_METRIC_LIST(X)                                                                    \
    X(INTERVAL_TPOT, "tpot_ms")                                                                    \
    X(INTERVAL_TTFT, "ttft_ms")

#define X(ID, NAME) ID,

enum interval_metric { INTERVAL_METRIC_LIST(X) INTERVAL_METRIC_COUNT };

#undef X

/* How near the nearest measurements are, nearest first. A cell is a model, part, engine and weight
 * format. */
#define INTERVAL_TIER_LIST(X)                                                                      \
    X(TIER_UNKNOWN, "unknown")          /* nobody looked */                                        \
    X(TIER_ANCHORED, "anchored")        /* runs of the same layout and version correct it */       \
    X(TIER_CELL, "same_cell")           /* the cell was measured in another layout or version */   \
    X(TIER_MODEL, "same_model")         /* the model on the engine, in another cell */             \
    X(TIER_ENGINE, "same_engine")       /* other models alone */                                   \
    X(TIER_NEIGHBOUR, "neighbour_part") /* the part itself has no kernel record */

#define X(ID, NAME) ID,

enum interval_tier { INTERVAL_TIER_LIST(X) INTERVAL_TIER_COUNT };

#undef X

struct interval {
    int engine; /* index in the library */
    enum interval_metric metric;
    enum interval_tier tier;
    double low, high; /* factors */
    double n;         /* runs behind it */
    const char *record;
};

/* What was measured near a problem. */
struct nearness {
    enum interval_tier tier;
    double factor[INTERVAL_METRIC_COUNT]; /* measured/predicted of the same deployment; 1 = none */
    int n;                                /* runs that the factors rest on */
};

/* Names as records print them, and back (the COUNT when unknown). */
const char *interval_metric_name(enum interval_metric metric);
const char *interval_tier_name(enum interval_tier tier);
enum interval_metric interval_metric_parse(const char *name);
enum interval_tier interval_tier_parse(const char *name);

#endif
