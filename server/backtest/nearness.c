#include "nearness.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The weight of the belief that a prediction needs no correction, in runs at distance 0. */
#define SHRINKAGE 0.5
#define VERSION_DISTANCE 0.5
/* A run of the very load that is asked says more than several beside it: repeated runs differ by 15
 * % at most in nine of ten. */
#define SAME_RUN_DISTANCE 1e-6
#define SAME_RUN_WEIGHT 6.0
/* A run that is farther off says no more of its model than one that is so far. */
#define CELL_RESIDUAL_MAX 0.2
/* Weights below are no correction at all. */
#define LEAST_WEIGHT 0.05
/* Beyond, exp() is less than that: -ln 0.05 = 2.996. */
#define FARTHEST 3.0

static bool same_precision(const struct library *lib, int a, int b)
{
    if (a == b)
        return true;
    if (a < 0 || b < 0)
        return false;
    return strncmp(lib->weight_formats[a].id, "fp8", 3) == 0 &&
           strncmp(lib->weight_formats[b].id, "fp8", 3) == 0;
}

bool nearness_same_cell(const struct catalogue *catalogue, const struct anchor_point *a,
                        const struct anchor_point *b)
{
    return a->model == b->model && a->engine == b->engine && a->hardware == b->hardware &&
           same_precision(&catalogue->lib, a->weights, b->weights);
}

static double apart(double a, double b)
{
    return isnan(a) || isnan(b) ? 0.0 : fabs(a - b);
}

/* 0 = the same, 1 = another, and in between one of which nothing is stated. */
static double version_apart(const struct anchor_point *a, const struct anchor_point *b)
{
    static const int UNSTATED[3];
    if (memcmp(a->version, b->version, sizeof(a->version)) == 0)
        return 0.0;
    bool stated = memcmp(a->version, UNSTATED, sizeof(UNSTATED)) != 0 &&
                  memcmp(b->version, UNSTATED, sizeof(UNSTATED)) != 0;
    return stated ? 1.0 : 0.5;
}

static double distance(const struct anchor_point *a, const struct anchor_point *b)
{
    return 0.5 * apart(a->log_concurrency, b->log_concurrency) +
           0.5 * apart(a->log_input, b->log_input) + 0.25 * apart(a->log_output, b->log_output) +
           apart(a->log_tp, b->log_tp) + apart(a->log_pp, b->log_pp) + apart(a->log_dp, b->log_dp) +
           apart(a->log_ep, b->log_ep) + VERSION_DISTANCE * version_apart(a, b);
}

static bool is_layout(const struct anchor_point *a, const struct anchor_point *b)
{
    return apart(a->log_tp, b->log_tp) + apart(a->log_pp, b->log_pp) + apart(a->log_dp, b->log_dp) +
                   apart(a->log_ep, b->log_ep) <
               1e-9 &&
           version_apart(a, b) < 1.0;
}

/* Measured over predicted, as a logarithm; NAN where either is missing. Without predictions of the
 * caller's, what the snapshot keeps. */
static double residual(const struct anchor_index *index, const struct predictions *predictions,
                       int anchor, enum interval_metric metric)
{
    if (predictions == NULL)
        return index->residual[metric][anchor];
    double predicted = (double)predictions->ms[metric][anchor];
    return predicted > 0.0 ? log(anchor_mean(index, anchor, metric) / predicted) : (double)NAN;
}

struct sums {
    double weight[INTERVAL_METRIC_COUNT], residual[INTERVAL_METRIC_COUNT];
};

/* Other cells of a model on an engine: parts and weight formats that it was measured with. */
#define CELLS_MAX 24

struct cell {
    short hardware, weights;
    double n, residual;
};

struct cells {
    struct cell items[CELLS_MAX];
    int n;
};

static void add(const struct anchor_index *index, const struct predictions *predictions, int anchor,
                double weight, struct sums *sums)
{
    for (int i = 0; i < INTERVAL_METRIC_COUNT; i++) {
        double left = residual(index, predictions, anchor, (enum interval_metric)i);
        if (isnan(left))
            continue;
        sums->weight[i] += weight;
        sums->residual[i] += weight * left;
    }
}

static void add_to_cell(const struct catalogue *catalogue, const struct predictions *predictions,
                        int anchor, struct cells *cells)
{
    const struct anchor_point *point = &catalogue->anchors.points[anchor];
    double left = residual(&catalogue->anchors, predictions, anchor, INTERVAL_TPOT);
    int i = 0;
    while (i < cells->n &&
           !(cells->items[i].hardware == point->hardware &&
             same_precision(&catalogue->lib, cells->items[i].weights, point->weights)))
        i++;
    if (isnan(left) || i == CELLS_MAX)
        return;
    if (i == cells->n)
        cells->items[cells->n++] =
            (struct cell){.hardware = point->hardware, .weights = point->weights};
    cells->items[i].n += 1.0;
    cells->items[i].residual += fmax(fmin(left, CELL_RESIDUAL_MAX), -CELL_RESIDUAL_MAX);
}

/* What the other cells say, each of the same weight. */
static double other_cells(const struct cells *cells, double correlation)
{
    double sum = 0.0;
    for (int i = 0; i < cells->n; i++)
        sum += cells->items[i].residual / cells->items[i].n;
    return sum * correlation / (1.0 + fmax(cells->n - 1.0, 0.0) * correlation);
}

static enum interval_tier nearer(enum interval_tier a, enum interval_tier b)
{
    return a < b ? a : b;
}

/* What was gathered of the measurements near what is asked. */
struct gathered {
    struct sums sums;
    struct cells cells;
    struct nearness near;
};

/* Takes note of a measurement of the model on the engine, whatever the load; true when it is of the
 * very cell, so that it has a weight. */
static bool take(const struct catalogue *catalogue, const struct predictions *predictions,
                 const struct anchor_point *asked, int anchor, struct gathered *got)
{
    const struct anchor_point *point = &catalogue->anchors.points[anchor];
    struct nearness *near = &got->near;
    near->tier = nearer(near->tier, TIER_MODEL);
    if (!nearness_same_cell(catalogue, point, asked)) {
        add_to_cell(catalogue, predictions, anchor, &got->cells);
        return false;
    }
    near->tier = nearer(near->tier, is_layout(asked, point) ? TIER_ANCHORED : TIER_CELL);
    return true;
}

/* Adds a measurement of the cell by how near it is. */
static void weigh(const struct anchor_index *index, const struct predictions *predictions,
                  const struct anchor_point *asked, int anchor, struct gathered *got)
{
    double apart_by = distance(asked, &index->points[anchor]);
    if (apart_by > FARTHEST)
        return;
    double weight = apart_by < SAME_RUN_DISTANCE ? SAME_RUN_WEIGHT : exp(-apart_by);
    if (weight < LEAST_WEIGHT)
        return;
    got->near.n++;
    add(index, predictions, anchor, weight, &got->sums);
}

static void conclude(struct gathered *got, double correlation, struct nearness *ret_near)
{
    struct nearness *near = &got->near;
    for (int i = 0; i < INTERVAL_METRIC_COUNT; i++) {
        double drawn = i == INTERVAL_TPOT ? SHRINKAGE * other_cells(&got->cells, correlation) : 0.0;
        near->factor[i] = exp((got->sums.residual[i] + drawn) / (got->sums.weight[i] + SHRINKAGE));
    }
    for (int i = 0; i < got->cells.n && near->tier == TIER_MODEL; i++)
        near->n += (int)got->cells.items[i].n;
    *ret_near = *near;
}

static const struct gathered NOTHING = {.near = {.tier = TIER_ENGINE, .factor = {1.0, 1.0}}};

void nearness_find(const struct catalogue *catalogue, const struct problem *problem,
                   const struct predictions *predictions, const unsigned char *skip,
                   struct nearness *ret_near)
{
    const struct anchor_index *index = &catalogue->anchors;
    const struct anchor_point asked = anchor_point_of(problem);
    struct gathered got = NOTHING;
    const float *tpot =
        predictions ? predictions->ms[INTERVAL_TPOT] : index->predicted_ms[0][INTERVAL_TPOT];
    double correlation = problem->dep.engine->host[HOST_MODEL_CORRELATION].value;
    int model = asked.model;
    if (predictions != NULL && predictions->correlation != NULL)
        correlation = predictions->correlation[asked.engine];
    *ret_near = got.near;
    if (model < 0 || asked.hardware < 0 || tpot == NULL)
        return;
    for (int i = index->model_start[model]; i < index->model_start[model + 1]; i++) {
        int anchor = index->by_model[i];
        bool skipped = skip != NULL && skip[anchor];
        if (!skipped && index->points[anchor].engine == asked.engine &&
            !isnan((double)tpot[anchor]) && take(catalogue, predictions, &asked, anchor, &got))
            weigh(index, predictions, &asked, anchor, &got);
    }
    conclude(&got, correlation, ret_near);
}

/* The same for many loads on one deployment ---------------------------------------------------- */

struct nearness_keeper {
    const struct catalogue *catalogue;
    struct anchor_point asked;
    struct gathered taken; /* of all measurements, before any is weighed */
    bool measured;         /* there may be some */
    int n_runs, runs[];    /* those of the cell */
};

struct nearness_keeper *nearness_keeper_new(const struct catalogue *catalogue)
{
    size_t runs = (size_t)catalogue->anchors.n_compared;
    struct nearness_keeper *keeper = calloc(1, sizeof(*keeper) + runs * sizeof(keeper->runs[0]));

    if (keeper)
        keeper->catalogue = catalogue;
    return keeper;
}

void nearness_keeper_free(struct nearness_keeper *keeper)
{
    free(keeper);
}

void nearness_keeper_turn(struct nearness_keeper *keeper, const struct problem *problem)
{
    const struct anchor_index *index = &keeper->catalogue->anchors;
    const float *tpot = index->predicted_ms[0][INTERVAL_TPOT];

    keeper->asked = anchor_point_of(problem);
    keeper->taken = NOTHING;
    keeper->n_runs = 0;
    keeper->measured = keeper->asked.model >= 0 && keeper->asked.hardware >= 0 && tpot != NULL;
    if (!keeper->measured)
        return;
    int model = keeper->asked.model;
    for (int i = index->model_start[model]; i < index->model_start[model + 1]; i++) {
        int anchor = index->by_model[i];
        if (index->points[anchor].engine == keeper->asked.engine && !isnan((double)tpot[anchor]) &&
            take(keeper->catalogue, NULL, &keeper->asked, anchor, &keeper->taken))
            keeper->runs[keeper->n_runs++] = anchor;
    }
}

void nearness_find_kept(struct nearness_keeper *keeper, const struct problem *problem,
                        struct nearness *ret_near)
{
    struct gathered got = keeper->taken;

    *ret_near = got.near;
    if (!keeper->measured)
        return;
    anchor_point_load(&keeper->asked, problem);
    for (int i = 0; i < keeper->n_runs; i++)
        weigh(&keeper->catalogue->anchors, NULL, &keeper->asked, keeper->runs[i], &got);
    conclude(&got, problem->dep.engine->host[HOST_MODEL_CORRELATION].value, ret_near);
}
