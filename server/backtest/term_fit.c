#include "term_fit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cholesky.h"

#define ITERATIONS_MAX 40
#define TRIES_MAX 8
#define SETTLED 1e-8
#define DAMPING_START 1e-3
#define DAMPING_STEP 8.0
#define DAMPING_LEAST 1e-9

void term_fit_free(struct term_fit *fit)
{
    free(fit->rows);
    free(fit->terms);
    free(fit->uses);
    free(fit->prior);
    free(fit->spread);
    memset(fit, 0, sizeof(*fit));
}

/* Room for one more element; false, and the fit failed, without memory. */
static bool reserve(struct term_fit *fit, void *array, int n, int *max, size_t size)
{
    void **place = array;
    if (fit->failed || n < *max)
        return !fit->failed;
    int room = *max > 0 ? 2 * *max : 64;
    void *grown = realloc(*place, (size_t)room * size);
    if (grown == NULL) {
        fit->failed = true;
        return false;
    }
    *place = grown;
    *max = room;
    return true;
}

int term_fit_parameter(struct term_fit *fit, double prior, double spread)
{
    int room = fit->parameters_max;
    if (!reserve(fit, &fit->prior, fit->n_parameters, &room, sizeof(*fit->prior)) ||
        !reserve(fit, &fit->spread, fit->n_parameters, &fit->parameters_max, sizeof(*fit->spread)))
        return -1;
    fit->prior[fit->n_parameters] = prior;
    fit->spread[fit->n_parameters] = spread;
    return fit->n_parameters++;
}

int term_fit_row(struct term_fit *fit, double log_measured, double weight, double least)
{
    if (!reserve(fit, &fit->rows, fit->n_rows, &fit->rows_max, sizeof(*fit->rows)))
        return -1;
    fit->rows[fit->n_rows] = (struct term_row){
        .log_measured = log_measured, .weight = weight, .least = least, .first = fit->n_terms};
    return fit->n_rows++;
}

void term_fit_term(struct term_fit *fit, double amount)
{
    if (!reserve(fit, &fit->terms, fit->n_terms, &fit->terms_max, sizeof(*fit->terms)))
        return;
    fit->terms[fit->n_terms++] = (struct term){.amount = amount, .first = fit->n_uses};
    fit->rows[fit->n_rows - 1].n++;
}

void term_fit_use(struct term_fit *fit, int parameter, int sign)
{
    if (parameter < 0 || !reserve(fit, &fit->uses, fit->n_uses, &fit->uses_max, sizeof(*fit->uses)))
        return;
    fit->uses[fit->n_uses++] = (struct term_use){parameter, sign};
    fit->terms[fit->n_terms - 1].n_uses++;
}

static double term_value(const struct term_fit *fit, const struct term *term, const double *values)
{
    double exponent = 0.0;
    for (int i = 0; i < term->n_uses; i++) {
        const struct term_use *use = &fit->uses[term->first + i];
        exponent += use->sign * values[use->parameter];
    }
    return term->amount * exp(exponent);
}

double term_fit_predict(const struct term_fit *fit, int row, const double *values)
{
    const struct term_row *at = &fit->rows[row];
    double sum = 0.0;
    for (int i = 0; i < at->n; i++)
        sum += term_value(fit, &fit->terms[at->first + i], values);
    return fmax(sum, at->least);
}

static double loss(const struct term_fit *fit, const bool *use, const double *values)
{
    double scale = fit->bend / fit->sigma;
    double sum = 0.0;
    for (int i = 0; i < fit->n_rows; i++) {
        if (use != NULL && !use[i])
            continue;
        double rest = fit->rows[i].log_measured - log(term_fit_predict(fit, i, values));
        double bent = rest / fit->bend;
        sum += fit->rows[i].weight * 2.0 * scale * scale * (sqrt(1.0 + bent * bent) - 1.0);
    }
    for (int i = 0; i < fit->n_parameters; i++) {
        double off = (values[i] - fit->prior[i]) / fit->spread[i];
        sum += off * off;
    }
    return sum;
}

/* Normal equations: the lower half of `matrix`, the gradient. */
struct equations {
    double *matrix, *gradient, *factor, *step, *slope, *moved;
    int *touched; /* parameters that a row's slope is not 0 for */
    int n;
};

static bool equations_new(struct equations *equations, int n)
{
    size_t size = (size_t)n;
    *equations = (struct equations){
        .matrix = malloc(size * size * sizeof(double)),
        .factor = malloc(size * size * sizeof(double)),
        .gradient = malloc(size * sizeof(double)),
        .step = malloc(size * sizeof(double)),
        .slope = calloc(size, sizeof(double)),
        .moved = malloc(size * sizeof(double)),
        .touched = malloc(size * sizeof(int)),
        .n = n,
    };
    return equations->matrix && equations->factor && equations->gradient && equations->step &&
           equations->slope && equations->moved && equations->touched;
}

static void equations_free(struct equations *equations)
{
    free(equations->matrix);
    free(equations->factor);
    free(equations->gradient);
    free(equations->step);
    free(equations->slope);
    free(equations->moved);
    free(equations->touched);
}

/* The slope of a row's log prediction by each parameter; the number of those it depends on. */
static int row_slope(const struct term_fit *fit, int row, const double *values, double predicted,
                     struct equations *equations)
{
    const struct term_row *at = &fit->rows[row];
    int n = 0;
    for (int i = 0; i < at->n; i++) {
        const struct term *term = &fit->terms[at->first + i];
        double share = term_value(fit, term, values) / predicted;
        for (int j = 0; j < term->n_uses; j++) {
            const struct term_use *use = &fit->uses[term->first + j];
            if (equations->slope[use->parameter] == 0.0 && n < equations->n)
                equations->touched[n++] = use->parameter;
            equations->slope[use->parameter] += use->sign * share;
        }
    }
    return n;
}

static void add_row(const struct term_fit *fit, int row, const double *values,
                    struct equations *equations)
{
    double predicted = term_fit_predict(fit, row, values);
    double rest = fit->rows[row].log_measured - log(predicted);
    double bent = rest / fit->bend;
    double weight = fit->rows[row].weight / sqrt(1.0 + bent * bent) / (fit->sigma * fit->sigma);
    int n = row_slope(fit, row, values, predicted, equations);
    for (int i = 0; i < n; i++) {
        int a = equations->touched[i];
        equations->gradient[a] += weight * equations->slope[a] * rest;
        for (int j = 0; j < n; j++) {
            int b = equations->touched[j];
            if (b <= a)
                equations->matrix[a * equations->n + b] +=
                    weight * equations->slope[a] * equations->slope[b];
        }
    }
    for (int i = 0; i < n; i++)
        equations->slope[equations->touched[i]] = 0.0;
}

static void build(const struct term_fit *fit, const bool *use, const double *values,
                  struct equations *equations)
{
    size_t n = (size_t)equations->n;
    memset(equations->matrix, 0, n * n * sizeof(double));
    memset(equations->gradient, 0, n * sizeof(double));
    for (int i = 0; i < fit->n_rows; i++)
        if (use == NULL || use[i])
            add_row(fit, i, values, equations);
    for (int i = 0; i < equations->n; i++)
        equations->gradient[i] -= (values[i] - fit->prior[i]) / (fit->spread[i] * fit->spread[i]);
}

/* The step: the damped matrix solved for the gradient. */
static bool solve_damped(const struct term_fit *fit, double damping, struct equations *equations)
{
    int n = equations->n;
    memcpy(equations->factor, equations->matrix, (size_t)n * (size_t)n * sizeof(double));
    for (int i = 0; i < n; i++) {
        double *diagonal = &equations->factor[i * n + i];
        *diagonal +=
            1.0 / (fit->spread[i] * fit->spread[i]) + damping * (*diagonal + DAMPING_LEAST);
    }
    return cholesky_solve(equations->factor, n, n, equations->gradient, equations->step);
}

/* One iteration: the loss afterwards, or `before` when no step lowers it. */
static double iterate(const struct term_fit *fit, const bool *use, double *values, double before,
                      double *damping, struct equations *equations)
{
    build(fit, use, values, equations);
    for (int i = 0; i < TRIES_MAX; i++) {
        double tried = *damping;
        *damping *= DAMPING_STEP;
        if (!solve_damped(fit, tried, equations))
            continue;
        for (int j = 0; j < equations->n; j++)
            equations->moved[j] = values[j] + equations->step[j];
        double after = loss(fit, use, equations->moved);
        if (after < before) {
            memcpy(values, equations->moved, (size_t)equations->n * sizeof(*values));
            *damping = fmax(tried / DAMPING_STEP, DAMPING_LEAST);
            return after;
        }
    }
    return before;
}

bool term_fit_solve(const struct term_fit *fit, const bool *use, double *ret_values)
{
    struct equations equations;
    if (fit->failed || !equations_new(&equations, fit->n_parameters)) {
        if (!fit->failed)
            equations_free(&equations);
        return false;
    }
    memcpy(ret_values, fit->prior, (size_t)fit->n_parameters * sizeof(*ret_values));
    double damping = DAMPING_START;
    double now = loss(fit, use, ret_values);
    for (int i = 0; i < ITERATIONS_MAX; i++) {
        double after = iterate(fit, use, ret_values, now, &damping, &equations);
        if (now - after <= SETTLED * now)
            break;
        now = after;
    }
    equations_free(&equations);
    return true;
}
