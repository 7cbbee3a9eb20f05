/*
 * gaps_width.h - how much an answer to a question would narrow, and the rank that it gives a gap.
 *
 * Units:  natural logarithms of a factor: an interval from low to high is ln(high/low) wide.
 * Source: the plan's 80 % intervals; where a plan states none, the widest one of the calibration.
 * Threads: pure.
 */
#ifndef REGIME_GAPS_WIDTH_H
#define REGIME_GAPS_WIDTH_H

#include "gaps.h"
#include "interval.h"
#include "library.h"
#include "plan.h"

/* What `rank` and `width` of a gap are, for replies. */
extern const char GAP_RANK_FORMULA[];

/* The widest interval of the calibration of that metric of the engine; of any engine when it has
 * none or is -1, and of any metric when the calibration has none of it. 0 without intervals. */
double gap_width_widest(const struct library *lib, int engine, const char *metric);

/* The interval of the plan; the widest where it states none. */
double gap_width_planned(const struct plan *plan, enum interval_metric metric);

/* The mean over what was asked; `widest` stands for questions whose width was not kept. NAN of what
 * was never asked. */
double gap_width_mean(const struct gap_count *count, double widest);

#endif
