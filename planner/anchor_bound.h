/*
 * anchor_bound.h - what a measurement cannot beat.
 *
 * Purpose: the physical bound of a metric under an anchor's conditions, from the floors of the
 *          steps (bytes over bandwidth, flops over peak): the least a time, the most a rate can be.
 * Units:   those of the metric.
 * Threads: pure.
 *
 * What an anchor does not state is taken in its favour: an unknown tp is every device for a latency
 * and one for a rate, links cost nothing, an unknown load is a single row for a latency and an
 * endless batch for a rate (so is one that need not all run at once), lengths drawn from a range
 * are their mean, prefills of a pipeline overlap, every draft token is accepted, quantised weights
 * may be multiplied in the fastest type of the part, 16-bit ones at half its 8-bit integer peak.
 */
#ifndef REGIME_ANCHOR_BOUND_H
#define REGIME_ANCHOR_BOUND_H

#include "anchor.h"

/* An anchor may beat its bound by that share before it is called impossible: clocks above the
 * data sheet's, values read off a figure, weights that stay in a cache, lengths that are means. */
#define ANCHOR_TOLERANCE 0.03

/* Draft tokens of an anchor that says "speculative" and not how many. */
#define ANCHOR_DRAFT_MAX 8.0

/* The conditions of one anchor; numbers by enum anchor_condition, NAN where not stated. */
struct anchor_setting {
    const struct library *lib;
    const struct model *model;
    const struct hardware *hw;
    const struct engine *engine; /* NULL: any */
    const struct weight_format *weights;
    const struct kv_format *kv_cache; /* NULL: the smallest there is is assumed */
    const double *conditions;
    enum load_profile load;
    bool speculative, disaggregated;
    bool prefix_cached; /* part of the prompt may come from a cache: no bound on prefill */
};

/*
 * Both steps' floors under a setting, ready for any of its metrics. False when the layout is not
 * one that the model can have (more experts' ways than devices, less than one device).
 */
struct anchor_bounds {
    double token_ms, first_ms, output_rate, prefill_rate; /* NAN = no bound */
    double input_tokens, output_tokens, devices;
};

bool anchor_bounds_compute(const struct anchor_setting *setting, struct anchor_bounds *ret_bounds);

/* The bound of a metric: times are at least, rates at most that. NAN = none. */
double anchor_bound(const struct anchor_bounds *bounds, enum anchor_metric metric);

/* Whether a value beats its bound by more than ANCHOR_TOLERANCE. */
bool anchor_is_impossible(const struct anchor_bounds *bounds, enum anchor_metric metric,
                          double value);

#endif
