#include "regression.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cholesky.h"

#define REWEIGHTINGS 8

struct equations {
    double a[PARAMETERS_MAX][PARAMETERS_MAX];
    double b[PARAMETERS_MAX];
};

static void add_row(const struct regression *problem, int row, const double *change,
                    struct equations *eq)
{
    const double *slope = problem->slope[row];
    double left = problem->residual[row];
    for (int i = 0; i < problem->n_parameters; i++)
        left -= slope[i] * change[i];
    double trust = fabs(left) > problem->huber ? problem->huber / fabs(left) : 1.0;
    double weight =
        problem->weight[row] * problem->weight[row] * trust / (problem->scale * problem->scale);
    for (int i = 0; i < problem->n_parameters; i++) {
        for (int j = 0; j <= i; j++)
            eq->a[i][j] += weight * slope[i] * slope[j];
        eq->b[i] += weight * slope[i] * problem->residual[row];
    }
}

bool regression_solve(const struct regression *problem, double ret_change[PARAMETERS_MAX])
{
    memset(ret_change, 0, PARAMETERS_MAX * sizeof(*ret_change));
    for (int round = 0; round < REWEIGHTINGS; round++) {
        struct equations eq = {0};
        for (int i = 0; i < problem->n_parameters; i++) {
            double worth = 1.0 / (problem->spread[i] * problem->spread[i]);
            eq.a[i][i] = worth;
            eq.b[i] = worth * (problem->prior[i] - problem->at[i]);
        }
        for (int i = 0; i < problem->n; i++)
            if (problem->weight[i] > 0.0)
                add_row(problem, i, ret_change, &eq);
        double next[PARAMETERS_MAX] = {0};
        if (!cholesky_solve(&eq.a[0][0], problem->n_parameters, PARAMETERS_MAX, eq.b, next))
            return false;
        memcpy(ret_change, next, sizeof(next));
    }
    return true;
}

struct weighted {
    double value, weight;
};

static int by_value(const void *a, const void *b)
{
    const struct weighted *left = a, *right = b;
    return (left->value > right->value) - (left->value < right->value);
}

double weighted_quantile(double *values, double *weights, int n, double q)
{
    double total = 0.0, sum = 0.0;
    struct weighted *pairs = n > 0 ? malloc((size_t)n * sizeof(*pairs)) : NULL;
    if (pairs == NULL)
        return NAN;
    for (int i = 0; i < n; i++) {
        pairs[i] = (struct weighted){values[i], weights[i]};
        total += weights[i];
    }
    qsort(pairs, (size_t)n, sizeof(*pairs), by_value);
    double found = pairs[n - 1].value;
    for (int i = n - 1; i >= 0; i--)
        values[i] = pairs[i].value, weights[i] = pairs[i].weight;
    for (int i = 0; i < n; i++) {
        sum += pairs[i].weight;
        if (sum >= q * total) {
            found = pairs[i].value;
            break;
        }
    }
    free(pairs);
    return found;
}
