/*
 * estimates.h - latency and throughput of a plan: floor, expected, interval.
 *
 * Purpose: the load's means, corrected by measurements of the same deployment where there are any,
 *          with the 80 % interval that the calibration recorded for that nearness of measurements.
 * Units:   milliseconds, tokens and requests per second.
 */
#ifndef REGIME_ESTIMATES_H
#define REGIME_ESTIMATES_H

#include "plan.h"
#include "serve.h"

/* Fills the latencies and rates of a plan whose steps, memory and problem are in place. */
void estimates_fill(const struct prepared *prep, const struct core *core,
                    const struct served *served, struct plan *plan);

/* Fills max_request_rate: the rate at which the largest batch is full. */
void estimates_fill_saturation(const struct prepared *prep, const struct core *core,
                               struct plan *plan);

#endif
