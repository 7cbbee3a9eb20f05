/*
 * cholesky.h - solves a symmetric positive definite system.
 *
 * Purpose: the normal equations of the fits.
 * Source:  Golub and Van Loan, Matrix Computations, 4.2.
 */
#ifndef REGIME_CHOLESKY_H
#define REGIME_CHOLESKY_H

#include <stdbool.h>

#include "compiler.h"

/*
 * Solves A x = b for the n x n matrix whose lower triangle stands in `lower`, `stride` values to a
 * row; the triangle is replaced by its factor. ret_x may be b. False when A is not positive
 * definite.
 */
MUST_USE bool cholesky_solve(double *lower, int n, int stride, const double *b, double *ret_x);

#endif
