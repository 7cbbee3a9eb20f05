/*
 * kernel_fit.h - the smooth roofline, fitted to a table of measured kernels.
 *
 * Purpose: t = ((memory/e_m)^q + (compute/e_c)^q)^(1/q) + t0, where memory and compute are the
 * times that the bandwidth and the peak would need alone; e_m, e_c, t0 and q are the least in
 *          Huber's norm of the log residuals, within bounds.
 * Units:   microseconds; errors are predicted/measured - 1.
 * Source:  Levenberg (1944), on the normal equations of regression.h. No random numbers: the same
 *          table gives the same constants.
 */
#ifndef REGIME_KERNEL_FIT_H
#define REGIME_KERNEL_FIT_H

#include <stdbool.h>

#define KERNEL_CELLS_MAX 1024

/* One measured kernel: `shape` is the matrix that it belongs to, `rows` how many rows met it. */
struct kernel_cell {
    double rows, memory_us, compute_us, measured_us;
    int shape;
};

struct kernel_constants {
    double e_m, e_c, t0_us, q;
};

/* Rows up to 32, 2,048 and above: a decode step, a batch or chunk, a long prompt. */
enum rows_class { ROWS_FEW, ROWS_MANY, ROWS_MOST, ROWS_CLASS_COUNT };

struct kernel_error {
    double median_abs, p90_abs;
    double bias[ROWS_CLASS_COUNT]; /* median of the errors; NAN where there are no such cells */
};

double kernel_time_us(const struct kernel_constants *constants, const struct kernel_cell *cell);

/* Fits the cells (at most KERNEL_CELLS_MAX) but those of shape `left_out` (-1 = none), starting at
 * *at; what it finds replaces *at. */
void kernel_fit(const struct kernel_cell *cells, int n, int left_out, struct kernel_constants *at);

/* Where a fit starts when nothing is known. */
struct kernel_constants kernel_fit_start(void);

/* What a kernel's time is over by. */
double kernel_cell_error(const struct kernel_constants *constants, const struct kernel_cell *cell);

/* Sums up `error`, one element per cell. */
struct kernel_error kernel_error_of(const struct kernel_cell *cells, const double *error, int n);

#endif
