/*
 * term_fit.h - regularised fit of sums of terms that are products of parameters.
 *
 * Purpose: a time is the sum of terms x exp(+-p +-q ...); the parameters p are logarithms with a
 *          normal prior each. Minimises over them
 *            sum w_i 2 (s/sigma)^2 (sqrt(1 + (r_i/s)^2) - 1) + sum ((p - prior)/spread)^2,
 *          r = log measured - log predicted: least squares near 0, absolute values far out.
 *          Levenberg-Marquardt; a parameter that no row asks for stays at its prior.
 * Source:  ridge regression (Hoerl, Kennard 1970), Marquardt (1963), pseudo-Huber loss
 *          (Charbonnier et al. 1997).
 * Units:   any, the same for measured and terms.
 * Ownership: a term_fit owns its arrays; term_fit_free() frees them.
 * Threads: one fit belongs to one thread.
 */
#ifndef REGIME_TERM_FIT_H
#define REGIME_TERM_FIT_H

#include <stdbool.h>

#include "compiler.h"

/* One parameter in a term: its sign in the exponent. */
struct term_use {
    int parameter;
    int sign;
};

struct term {
    double amount;     /* x */
    int first, n_uses; /* entries of term_fit.uses */
};

struct term_row {
    double log_measured, weight;
    double least; /* a prediction is not below it; 0 = none */
    int first, n; /* entries of term_fit.terms */
};

struct term_fit {
    struct term_row *rows;
    struct term *terms;
    struct term_use *uses;
    double *prior, *spread; /* of each parameter */
    int n_rows, n_terms, n_uses, n_parameters;
    int rows_max, terms_max, uses_max, parameters_max;
    double bend, sigma; /* s and sigma above */
    bool failed;        /* out of memory: nothing more is added */
};

void term_fit_free(struct term_fit *fit);

/* Adds a parameter, a row, a term to the last row, a use to the last term; the index of what was
 * added, -1 when out of memory. */
int term_fit_parameter(struct term_fit *fit, double prior, double spread);
int term_fit_row(struct term_fit *fit, double log_measured, double weight, double least);
void term_fit_term(struct term_fit *fit, double amount);
void term_fit_use(struct term_fit *fit, int parameter, int sign);

/*
 * Solves for the rows that `use` names (NULL = all) into `ret_values`, which starts at the priors.
 * False when memory ends.
 */
MUST_USE bool term_fit_solve(const struct term_fit *fit, const bool *use, double *ret_values);

/* What a row comes to with these parameters. */
double term_fit_predict(const struct term_fit *fit, int row, const double *values);

#endif
