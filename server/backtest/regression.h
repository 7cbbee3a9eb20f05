/*
 * regression.h - robust least squares with a prior, small and dense.
 *
 * Purpose: what a calibration solves: minimise sum w_i^2 huber(y_i - J_i d) + sum ((x + d - p)/s)^2
 *          over the change d of the parameters x, by iteratively reweighted normal equations.
 * Source:  Huber, Robust Estimation of a Location Parameter (1964); Gauss-Newton.
 * Ownership: the caller's arrays; nothing is allocated.
 */
#ifndef REGIME_REGRESSION_H
#define REGIME_REGRESSION_H

#include <stdbool.h>

#define PARAMETERS_MAX 12

struct regression {
    int n, n_parameters;
    const double *residual;          /* [n] measured - predicted, in logarithms */
    double (*slope)[PARAMETERS_MAX]; /* [n] change of the prediction per parameter */
    const double *weight;            /* [n]; 0 leaves a row out */
    double huber;                    /* residuals beyond it count linearly */
    double scale;                    /* expected size of a residual: what a prior is worth */
    double at[PARAMETERS_MAX], prior[PARAMETERS_MAX], spread[PARAMETERS_MAX];
};

/* The change of each parameter; false when the equations have no solution. */
bool regression_solve(const struct regression *problem, double ret_change[PARAMETERS_MAX]);

/* The q-quantile (0..1) of n weighted values, sorted in place with their weights: the least value
 * at which the weights of those below or equal reach q of all. */
double weighted_quantile(double *values, double *weights, int n, double q);

#endif
