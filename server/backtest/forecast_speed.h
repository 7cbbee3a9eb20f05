/*
 * forecast_speed.h - what the planner says of a speed test: an engine's own benchmark, no server.
 *
 * Units: tokens per second; of prompts those of one, of answers those of all sequences.
 */
#ifndef REGIME_FORECAST_SPEED_H
#define REGIME_FORECAST_SPEED_H

#include "forecast.h"
#include "plan.h"

/* Rates of a test; NAN where there is no record. */
struct forecast_speed {
    struct forecast_value decode, prefill;
};

/* Of a local engine by its constants, at the anchor's own depth and lengths; of another engine from
 * the steps of `plan`, which is overwritten. */
void forecast_speed_find(const struct anchor_index *index, int anchor,
                         const struct problem *problem, struct plan *plan,
                         struct forecast_speed *ret_speed);

#endif
