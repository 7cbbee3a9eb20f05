#include "kernel_fit.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "compiler.h"
#include "regression.h"

/* Kernels choose tiles and splits by size: a tenth is the expected residual, beyond it a cell
 * counts linearly. */
#define RESIDUAL_SCALE 0.1
#define ROUNDS_MAX 200
#define TRUST_START 1.0
#define TRUST_MAX 16.0
#define TRUST_MIN 1e-7
#define SETTLED 1e-9
#define HELD 1e-9

enum { LN_E_M, LN_E_C, LN_T0, Q, N_PARAMETERS };

/* e_m and e_c may exceed 1: who judges the fit shall see it. */
static const struct kernel_constants LEAST = {0.02, 0.02, 0.05, 1.0};
static const struct kernel_constants GREATEST = {2.0, 2.0, 200.0, 8.0};

static const double ROWS_UP_TO[ROWS_CLASS_COUNT] = {
    [ROWS_FEW] = 32.0, [ROWS_MANY] = 2048.0, [ROWS_MOST] = INFINITY};

static void to_parameters(const struct kernel_constants *constants, double ret_at[N_PARAMETERS])
{
    ret_at[LN_E_M] = log(constants->e_m);
    ret_at[LN_E_C] = log(constants->e_c);
    ret_at[LN_T0] = log(constants->t0_us);
    ret_at[Q] = constants->q;
}

static struct kernel_constants to_constants(const double at[N_PARAMETERS])
{
    return (struct kernel_constants){exp(at[LN_E_M]), exp(at[LN_E_C]), exp(at[LN_T0]), at[Q]};
}

/* The greater of two times by their q-norm; the share of the first in ret_share. */
static double joined_us(double memory_us, double compute_us, double q, double *ret_share)
{
    double memory = pow(memory_us, q), compute = pow(compute_us, q);
    *ret_share = memory / (memory + compute);
    return pow(memory + compute, 1.0 / q);
}

double kernel_time_us(const struct kernel_constants *constants, const struct kernel_cell *cell)
{
    double share;
    return joined_us(cell->memory_us / constants->e_m, cell->compute_us / constants->e_c,
                     constants->q, &share) +
           constants->t0_us;
}

/* How the logarithm of a cell's time moves with each parameter; returns that logarithm. With S the
 * joined time and a the share of memory, d ln S/dq = (a ln memory + (1 - a) ln compute - ln S)/q.
 */
static double linearise(const struct kernel_constants *constants, const struct kernel_cell *cell,
                        double ret_slope[PARAMETERS_MAX])
{
    double memory = cell->memory_us / constants->e_m, compute = cell->compute_us / constants->e_c;
    double share;
    double joined = joined_us(memory, compute, constants->q, &share);
    double time = joined + constants->t0_us;
    ret_slope[LN_E_M] = -share * joined / time;
    ret_slope[LN_E_C] = -(1.0 - share) * joined / time;
    ret_slope[LN_T0] = constants->t0_us / time;
    ret_slope[Q] = (share * log(memory) + (1.0 - share) * log(compute) - log(joined)) /
                   constants->q * joined / time;
    return log(time);
}

static double huber(double residual)
{
    double size = fabs(residual);
    return size <= RESIDUAL_SCALE ? 0.5 * size * size
                                  : RESIDUAL_SCALE * (size - 0.5 * RESIDUAL_SCALE);
}

static double loss(const struct kernel_cell *cells, int n, int left_out,
                   const double at[N_PARAMETERS])
{
    struct kernel_constants constants = to_constants(at);
    double sum = 0.0;
    for (int i = 0; i < n; i++)
        if (cells[i].shape != left_out)
            sum += huber(log(cells[i].measured_us / kernel_time_us(&constants, &cells[i])));
    return sum;
}

/* The step that the linearised equations give, drawn towards no step by `trust`; a parameter that
 * would leave its bounds is held there and the others are solved again. */
static bool step_within(struct regression *problem, double trust, double ret_to[N_PARAMETERS])
{
    double least[N_PARAMETERS], greatest[N_PARAMETERS], change[PARAMETERS_MAX];
    bool held[N_PARAMETERS] = {false};
    to_parameters(&LEAST, least);
    to_parameters(&GREATEST, greatest);
    for (int i = 0; i < N_PARAMETERS; i++) {
        problem->prior[i] = problem->at[i];
        problem->spread[i] = trust;
    }
    for (bool inside = false; !inside;) {
        if (!regression_solve(problem, change))
            return false;
        inside = true;
        for (int i = 0; i < N_PARAMETERS; i++) {
            double to = problem->at[i] + change[i];
            ret_to[i] = fmin(fmax(to, least[i]), greatest[i]);
            if (ret_to[i] == to || held[i])
                continue;
            held[i] = true;
            inside = false;
            problem->prior[i] = ret_to[i];
            problem->spread[i] = HELD;
        }
    }
    return true;
}

void kernel_fit(const struct kernel_cell *cells, int n, int left_out, struct kernel_constants *at)
{
    double residual[KERNEL_CELLS_MAX], weight[KERNEL_CELLS_MAX];
    double slope[KERNEL_CELLS_MAX][PARAMETERS_MAX];
    double to[N_PARAMETERS], trust = TRUST_START, moved = INFINITY;
    struct regression problem = {.n = n,
                                 .n_parameters = N_PARAMETERS,
                                 .residual = residual,
                                 .slope = slope,
                                 .weight = weight,
                                 .huber = RESIDUAL_SCALE,
                                 .scale = RESIDUAL_SCALE};
    assert(n <= KERNEL_CELLS_MAX);
    to_parameters(at, problem.at);
    double least = loss(cells, n, left_out, problem.at);
    for (int round = 0; round < ROUNDS_MAX && trust > TRUST_MIN && moved > SETTLED; round++) {
        struct kernel_constants constants = to_constants(problem.at);
        for (int i = 0; i < n; i++) {
            weight[i] = cells[i].shape == left_out ? 0.0 : 1.0;
            residual[i] = log(cells[i].measured_us) - linearise(&constants, &cells[i], slope[i]);
        }
        if (!step_within(&problem, trust, to))
            break;
        double there = loss(cells, n, left_out, to);
        bool better = there < least;
        trust = better ? fmin(2.0 * trust, TRUST_MAX) : 0.25 * trust;
        if (!better)
            continue;
        moved = 0.0;
        for (int i = 0; i < N_PARAMETERS; i++)
            moved = fmax(moved, fabs(to[i] - problem.at[i]));
        memcpy(problem.at, to, sizeof(to));
        least = there;
    }
    *at = to_constants(problem.at);
}

struct kernel_constants kernel_fit_start(void)
{
    return (struct kernel_constants){.e_m = 0.7, .e_c = 0.6, .t0_us = 5.0, .q = 2.0};
}

double kernel_cell_error(const struct kernel_constants *constants, const struct kernel_cell *cell)
{
    return kernel_time_us(constants, cell) / cell->measured_us - 1.0;
}

static double quantile(double *values, int n, double q)
{
    double weights[KERNEL_CELLS_MAX];
    for (int i = 0; i < n; i++)
        weights[i] = 1.0;
    return weighted_quantile(values, weights, n, q);
}

struct kernel_error kernel_error_of(const struct kernel_cell *cells, const double *error, int n)
{
    double values[KERNEL_CELLS_MAX], from = 0.0;
    struct kernel_error sum;
    for (int i = 0; i < n; i++)
        values[i] = fabs(error[i]);
    sum.median_abs = quantile(values, n, 0.5);
    sum.p90_abs = quantile(values, n, 0.9);
    for (int class = 0; class < ROWS_CLASS_COUNT; class ++) {
        int in_class = 0;
        for (int i = 0; i < n; i++)
            if (cells[i].rows > from && cells[i].rows <= ROWS_UP_TO[class])
                values[in_class++] = error[i];
        sum.bias[class] = quantile(values, in_class, 0.5);
        from = ROWS_UP_TO[class];
    }
    return sum;
}
