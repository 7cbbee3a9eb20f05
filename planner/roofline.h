/*
 * roofline.h - the time of a kernel from its bytes and flops.
 *
 * Purpose: floor = max(bytes/BW, flops/peak); expected = the smooth roofline
 *          ((bytes/(e_m BW))^q + (flops/(e_c peak))^q)^(1/q), launch cost t0 apart.
 * Units:   bytes, flops, microseconds.
 * Source:  the roofline model (Williams, Waterman, Patterson 2009), its corner smoothed by q; e_m,
 * e_c, q and t0 are fitted to measured kernels (db/records/fits).
 */
#ifndef REGIME_ROOFLINE_H
#define REGIME_ROOFLINE_H

#include "plan.h"

/* Without a fit a device class takes floor/0.7: the middle of what memory-bound kernels reach. */
#define ASSUMED_EFFICIENCY 0.7

struct roof {
    double us_per_byte, us_per_flop;         /* at the datasheet peak: the floor's slopes */
    double fit_us_per_byte, fit_us_per_flop; /* divided by e_m and e_c */
    double q, t0_us;
    const struct op_fit *fit; /* NULL: assumed */
    enum fit_match match;
};

/* A roof without a fit: both slopes over ASSUMED_EFFICIENCY, a hard corner, no launch cost. */
struct roof roof_assumed(double bw_bytes_us, double peak_flops_us);

/* A roof from a fit; NULL gives roof_assumed(). */
struct roof roof_from_fit(double bw_bytes_us, double peak_flops_us, const struct op_fit *fit,
                          enum fit_match match);

/* Time terms of one kernel. */
struct roof_time {
    double floor_us, time_us, memory_us, compute_us;
};

/* floor_bytes are those that must move; bytes are those the kernel is known to move. */
struct roof_time roof_eval(const struct roof *roof, double floor_bytes, double bytes, double flops);

/* The p-norm of two non-negative terms, (a^q + b^q)^(1/q); q >= 8 is taken as their maximum. */
double smooth_max(double a, double b, double q);

#endif
