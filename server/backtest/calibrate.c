#include "calibrate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "calibrated.h"

/* A residual of that size is expected; beyond it a run counts linearly: one in ten is off by more.
 */
#define RESIDUAL_SCALE 0.12
#define ROUNDS 4
#define TTFT_ROUNDS 8
#define FIT_CELLS_MAX 512
/* What the prior of a wait is worth against runs whose first token is off by a third. */
#define TTFT_SCALE 0.35

/* A constant that is fitted: its prior says what it can be, from the physics of such engines. */
struct parameter {
    enum host_cost cost;
    double prior, spread, step, min;
};

/* kappa: the share of a launch that a captured graph leaves; small kernels: two norms, rotary and
 * KV write, activation, at 3 to 8 us each; serial host work: a scheduler's pass that the next step
 * waits for. */
static const struct parameter SHARED[] = {
    {HOST_KAPPA, 0.4, 0.15, 0.05, 0.0},         {HOST_SMALL_US_PER_LAYER, 28.0, 8.0, 3.0, 0.0},
    {HOST_SERIAL_US, 200.0, 150.0, 100.0, 0.0}, {HOST_SERIAL_US_PER_SEQ, 8.0, 4.0, 2.0, 0.0},
    {HOST_PREFILL_FACTOR, 0.9, 0.1, 0.04, 0.5},
};

/* vLLM captures whole layers: its chains of kernels shrink in a graph as single ones do, and its
 * expert layers carry small kernels of their own. */
static const struct parameter VLLM[] = {
    {HOST_KAPPA, 0.7, 0.3, 0.05, 0.0},
    {HOST_SMALL_US_PER_LAYER, 15.0, 10.0, 3.0, 0.0},
    {HOST_GATING_US_PER_LAYER, 15.0, 10.0, 3.0, 0.0},
    {HOST_SERIAL_US, 300.0, 300.0, 100.0, 0.0},
    {HOST_SERIAL_US_PER_SEQ, 6.0, 4.0, 2.0, 0.0},
    {HOST_PREFILL_FACTOR, 0.95, 0.1, 0.04, 0.5},
};

static const struct model_form {
    const char *engine;
    const struct parameter *parameters;
    int n;
    bool modules_as_kernels;    /* module_kappa is kappa; else all of a chain's launches remain */
    double wait_steps, wait_ms; /* prior of the client's wait, and which of the two is free */
    bool free_steps, free_ms;
} FORMS[] = {
    {"vllm", VLLM, ARRAY_LEN(VLLM), true, 2.0, 0.0, true, false},
    {"sglang", SHARED, ARRAY_LEN(SHARED), false, 2.0, 50.0, true, true},
    {"tensorrt-llm", SHARED, ARRAY_LEN(SHARED), false, 0.0, 50.0, false, true},
};

struct fitting {
    const struct catalogue *catalogue;
    struct runs *runs;
    const struct model_form *form;
    const struct engine *engine;
    /* workspace, one element per run of the engine */
    struct run **rows;
    int n;
    double *residual, *weight;
    double (*slope)[PARAMETERS_MAX];
};

static void set_constants(const struct fitting *fit, const double *at,
                          struct host_constant ret_constants[HOST_COST_COUNT])
{
    memcpy(ret_constants, fit->engine->host, sizeof(fit->engine->host));
    for (int i = 0; i < fit->form->n; i++)
        ret_constants[fit->form->parameters[i].cost].value = at[i];
    ret_constants[HOST_MODULE_KAPPA].value =
        fit->form->modules_as_kernels ? ret_constants[HOST_KAPPA].value : 1.0;
    if (!fit->form->modules_as_kernels)
        ret_constants[HOST_GATING_US_PER_LAYER].value = 0.0;
}

/* Logarithm of the predicted time per token of a run at those parameters. */
static double predict_log(const struct fitting *fit, const struct run *run, const double *at)
{
    struct host_constant constants[HOST_COST_COUNT];
    set_constants(fit, at, constants);
    return log(run_predict(run, constants).tpot_ms);
}

static void linearise(const struct fitting *fit, struct run *run, const double *at)
{
    double here = predict_log(fit, run, at);
    for (int i = 0; i < fit->form->n; i++) {
        double moved[PARAMETERS_MAX];
        memcpy(moved, at, sizeof(moved));
        moved[i] += fit->form->parameters[i].step;
        run->slope[i] = (predict_log(fit, run, moved) - here) / fit->form->parameters[i].step;
    }
    run->predicted_ms[FOLD_NONE][INTERVAL_TPOT] = exp(here);
}

/* Whether a run takes part in a fit that leaves a cell or a geometry out (-1 = none). */
static bool takes_part(const struct run *run, int cell, int geometry)
{
    return run->weight > 0.0 && run->cell != cell && run->geometry != geometry;
}

/* One solution of the linearised equations; `at` moves to it. */
static bool improve(struct fitting *fit, int cell, int geometry, double at[PARAMETERS_MAX])
{
    struct regression problem = {.n = 0,
                                 .n_parameters = fit->form->n,
                                 .residual = fit->residual,
                                 .slope = fit->slope,
                                 .weight = fit->weight,
                                 .huber = RESIDUAL_SCALE,
                                 .scale = RESIDUAL_SCALE};
    for (int i = 0; i < fit->form->n; i++) {
        problem.at[i] = at[i];
        problem.prior[i] = fit->form->parameters[i].prior;
        problem.spread[i] = fit->form->parameters[i].spread;
    }
    for (int i = 0; i < fit->n; i++) {
        const struct run *run = fit->rows[i];
        if (!takes_part(run, cell, geometry))
            continue;
        int row = problem.n++;
        fit->residual[row] =
            log(run->measured_ms[INTERVAL_TPOT] / run->predicted_ms[FOLD_NONE][INTERVAL_TPOT]);
        fit->weight[row] = run->weight;
        memcpy(fit->slope[row], run->slope, sizeof(run->slope));
    }
    double change[PARAMETERS_MAX];
    if (!regression_solve(&problem, change))
        return false;
    for (int i = 0; i < fit->form->n; i++)
        at[i] = fmax(at[i] + change[i], fit->form->parameters[i].min);
    return true;
}

/* The wait of the client's side, from runs whose predictions stand in predicted_ms[fold]: the free
 * ones of steps and milliseconds. */
static void fit_wait(struct fitting *fit, int cell, int geometry, double ret_wait[2])
{
    const struct model_form *form = fit->form;
    double wait[2] = {form->wait_steps, form->wait_ms};
    for (int round = 0; round < TTFT_ROUNDS; round++) {
        struct regression problem = {
            .n_parameters = 2,
            .residual = fit->residual,
            .slope = fit->slope,
            .weight = fit->weight,
            .huber = TTFT_SCALE,
            .scale = TTFT_SCALE,
            .at = {wait[0], wait[1]},
            .prior = {form->wait_steps, form->wait_ms},
            .spread = {form->free_steps ? 10.0 : 1e-6, form->free_ms ? 100.0 : 1e-6}};
        for (int i = 0; i < fit->n; i++) {
            const struct run *run = fit->rows[i];
            double measured = run->measured_ms[INTERVAL_TTFT];
            if (!takes_part(run, cell, geometry) || isnan(measured))
                continue;
            double step = run->step_ms;
            double ttft = run->wait_free_ttft_ms[FOLD_NONE] + wait[0] * step + wait[1];
            int row = problem.n++;
            fit->residual[row] = log(measured / ttft);
            fit->weight[row] = run->weight;
            fit->slope[row][0] = step / ttft;
            fit->slope[row][1] = 1.0 / ttft;
        }
        double change[PARAMETERS_MAX];
        if (!regression_solve(&problem, change))
            break;
        for (int i = 0; i < 2; i++)
            wait[i] = fmax(wait[i] + change[i], 0.0);
    }
    memcpy(ret_wait, wait, sizeof(wait));
}

/* Predicts the runs of a fold with its constants. */
static void predict_fold(struct fitting *fit, enum fold fold, int cell, int geometry,
                         const double *at, const double wait[2])
{
    struct host_constant constants[HOST_COST_COUNT];
    set_constants(fit, at, constants);
    for (int i = 0; i < fit->n; i++) {
        struct run *run = fit->rows[i];
        if ((cell >= 0 && run->cell != cell) || (geometry >= 0 && run->geometry != geometry))
            continue;
        const struct run_prediction predicted = run_predict(run, constants);
        run->predicted_ms[fold][INTERVAL_TPOT] = predicted.tpot_ms;
        run->wait_free_ttft_ms[fold] = predicted.ttft_ms;
        run->predicted_ms[fold][INTERVAL_TTFT] =
            predicted.ttft_ms + wait[0] * predicted.step_ms + wait[1];
        if (fold == FOLD_NONE)
            run->step_ms = predicted.step_ms;
    }
}

static void add_wait(struct fitting *fit, const double wait[2])
{
    for (int i = 0; i < fit->n; i++) {
        struct run *run = fit->rows[i];
        run->predicted_ms[FOLD_NONE][INTERVAL_TTFT] =
            run->wait_free_ttft_ms[FOLD_NONE] + wait[0] * run->step_ms + wait[1];
    }
}

/* What is left out: a cell or a geometry, the other is -1. */
struct left_out {
    int cell, geometry;
};

static bool is_left_out(const struct run *run, const struct left_out *out)
{
    return run->cell == out->cell || run->geometry == out->geometry;
}

/* Fits without it and predicts what was left out; nothing to do where no row is. */
static bool cross_validate_one(struct fitting *fit, const double *at, enum fold fold,
                               const struct left_out *out)
{
    double without[PARAMETERS_MAX], wait[2];
    bool any = false;
    for (int i = 0; i < fit->n && !any; i++)
        any = is_left_out(fit->rows[i], out);
    if (!any)
        return true;
    memcpy(without, at, sizeof(without));
    if (!improve(fit, out->cell, out->geometry, without))
        return false;
    fit_wait(fit, out->cell, out->geometry, wait);
    predict_fold(fit, fold, out->cell, out->geometry, without, wait);
    return true;
}

/* Leaves each cell, then each geometry out. */
static bool cross_validate(struct fitting *fit, const double *at)
{
    for (int i = 0; i < fit->runs->n_cells; i++)
        if (!cross_validate_one(fit, at, FOLD_CELL, &(struct left_out){i, -1}))
            return false;
    for (int i = 0; i < fit->runs->n_geometries; i++)
        if (!cross_validate_one(fit, at, FOLD_MODEL, &(struct left_out){-1, i}))
            return false;
    return true;
}

/* Residuals count up to here: one cell far off is no property of its model. */
#define CELL_RESIDUAL_MAX 0.2

/* Mean residual of a cell's rows and their geometry; NAN and -1 where it has none. */
static double mean_residual(const struct fitting *fit, int cell, int *ret_geometry)
{
    double sum = 0.0, runs = 0.0;
    *ret_geometry = -1;
    for (int i = 0; i < fit->n; i++) {
        const struct run *run = fit->rows[i];
        if (run->cell != cell)
            continue;
        double left =
            log(run->measured_ms[INTERVAL_TPOT] / run->predicted_ms[FOLD_NONE][INTERVAL_TPOT]);
        sum += fmax(fmin(left, CELL_RESIDUAL_MAX), -CELL_RESIDUAL_MAX);
        runs += 1.0;
        *ret_geometry = run->geometry;
    }
    return runs > 0.0 ? sum / runs : (double)NAN;
}

/* How much the mean residuals of two cells of one geometry have in common: the mean product of
 * pairs over the mean square, 0 at least. */
static double model_correlation(const struct fitting *fit)
{
    double products = 0.0, pairs = 0.0, squares = 0.0, cells = 0.0;
    double mean[FIT_CELLS_MAX];
    int geometry[FIT_CELLS_MAX], n = fit->runs->n_cells;
    n = n < FIT_CELLS_MAX ? n : FIT_CELLS_MAX;
    for (int a = 0; a < n; a++) {
        mean[a] = mean_residual(fit, a, &geometry[a]);
        if (geometry[a] < 0)
            continue;
        squares += mean[a] * mean[a];
        cells += 1.0;
        for (int b = 0; b < a; b++)
            if (geometry[b] == geometry[a]) {
                products += mean[a] * mean[b];
                pairs += 1.0;
            }
    }
    return pairs > 0.0 && squares > 0.0 ? fmax(products / pairs / (squares / cells), 0.0) : 0.0;
}

static void store(const struct fitting *fit, const double *at, const double wait[2],
                  struct calibrated *ret)
{
    struct host_constant constants[HOST_COST_COUNT];
    *ret = (struct calibrated){.engine = fit->engine};
    set_constants(fit, at, constants);
    for (int i = 0; i < fit->form->n; i++)
        calibrated_add(ret, fit->form->parameters[i].cost, at[i], true);
    calibrated_add(ret, HOST_MODULE_KAPPA, constants[HOST_MODULE_KAPPA].value, false);
    if (!fit->form->modules_as_kernels)
        calibrated_add(ret, HOST_GATING_US_PER_LAYER, 0.0, false);
    calibrated_add(ret, HOST_FIRST_TOKEN_STEPS, wait[0], fit->form->free_steps);
    calibrated_add(ret, HOST_FIRST_TOKEN_US, wait[1] * 1e3, fit->form->free_ms);
}

static bool fit_engine(struct fitting *fit, struct calibrated *ret)
{
    double at[PARAMETERS_MAX] = {0}, wait[2];
    for (int i = 0; i < fit->form->n; i++)
        at[i] = fit->form->parameters[i].prior;
    for (int round = 0; round < ROUNDS; round++) {
        for (int i = 0; i < fit->n; i++)
            if (fit->rows[i]->weight > 0.0)
                linearise(fit, fit->rows[i], at);
        if (!improve(fit, -1, -1, at))
            return false;
    }
    static const double NO_WAIT[2];
    calibrated_round(fit->form->n, at);
    predict_fold(fit, FOLD_NONE, -1, -1, at, NO_WAIT);
    fit_wait(fit, -1, -1, wait);
    calibrated_round(2, wait);
    add_wait(fit, wait);
    for (int i = 0; i < fit->n; i++)
        if (fit->rows[i]->weight > 0.0)
            linearise(fit, fit->rows[i], at);
    if (!cross_validate(fit, at))
        return false;
    store(fit, at, wait, ret);
    double correlation = model_correlation(fit);
    calibrated_round(1, &correlation);
    ret->model_correlation = correlation;
    calibrated_add(ret, HOST_MODEL_CORRELATION, correlation, true);
    return true;
}

static bool fit_all(struct fitting *fit, struct calibrated *ret_engines)
{
    for (size_t i = 0; i < ARRAY_LEN(FORMS); i++) {
        fit->form = &FORMS[i];
        fit->engine = library_engine(&fit->catalogue->lib, FORMS[i].engine);
        fit->n = 0;
        for (int j = 0; fit->engine != NULL && j < fit->runs->n; j++)
            if (fit->runs->items[j].engine == fit->engine->index)
                fit->rows[fit->n++] = &fit->runs->items[j];
        if (fit->engine == NULL || fit->n == 0 || !fit_engine(fit, &ret_engines[i]))
            return false;
    }
    return true;
}

bool calibrate(const struct catalogue *catalogue, const char *out, FILE *report)
{
    struct calibrated engines[ARRAY_LEN(FORMS)];
    struct runs *runs = runs_read(catalogue);
    size_t n = runs != NULL ? (size_t)runs->n + 1 : 1;
    struct fitting fit = {
        .catalogue = catalogue,
        .runs = runs,
        .rows = malloc(n * sizeof(struct run *)),
        .residual = malloc(n * sizeof(double)),
        .weight = malloc(n * sizeof(double)),
        .slope = malloc(n * sizeof(*fit.slope)),
    };
    bool done = runs != NULL && fit.rows != NULL && fit.residual != NULL && fit.weight != NULL &&
                fit.slope != NULL && fit_all(&fit, engines);
    if (!done)
        fprintf(stderr, "regimed: no runs to calibrate on, or no memory\n");
    if (done)
        done = calibrated_write(catalogue, runs, engines, ARRAY_LEN(FORMS), out, report);
    free(fit.rows);
    free(fit.residual);
    free(fit.weight);
    free(fit.slope);
    runs_free(runs);
    return done;
}
