#include "nearness.h"

#include <math.h>
#include <string.h>

/* The weight of the belief that a prediction needs no correction, in runs at distance 0. */
#define SHRINKAGE 0.5
#define VERSION_DISTANCE 0.5
/* Weights below are no correction at all. */
#define LEAST_WEIGHT 0.05

static bool same_precision(const struct library *lib, int a, int b)
{
    if (a == b)
        return true;
    if (a < 0 || b < 0)
        return false;
    return strncmp(lib->weight_formats[a].id, "fp8", 3) == 0 &&
           strncmp(lib->weight_formats[b].id, "fp8", 3) == 0;
}

static double apart(double a, double b)
{
    return isnan(a) || isnan(b) ? 0.0 : fabs(a - b);
}

static double distance(const struct anchor_point *a, const struct anchor_point *b)
{
    bool same_version = memcmp(a->version, b->version, sizeof(a->version)) == 0;
    return 0.5 * apart(a->log_concurrency, b->log_concurrency) +
           0.5 * apart(a->log_input, b->log_input) + 0.25 * apart(a->log_output, b->log_output) +
           apart(a->log_tp, b->log_tp) + apart(a->log_pp, b->log_pp) + apart(a->log_dp, b->log_dp) +
           apart(a->log_ep, b->log_ep) + (same_version ? 0.0 : VERSION_DISTANCE);
}

static bool is_layout(const struct anchor_point *a, const struct anchor_point *b)
{
    return apart(a->log_tp, b->log_tp) + apart(a->log_pp, b->log_pp) + apart(a->log_dp, b->log_dp) +
                   apart(a->log_ep, b->log_ep) <
               1e-9 &&
           memcmp(a->version, b->version, sizeof(a->version)) == 0;
}

static double mean_of(const struct anchor_index *index, int anchor, enum anchor_metric metric)
{
    for (int i = index->metric_start[anchor]; i < index->metric_start[anchor + 1]; i++)
        if (index->metric_what[i] == metric && index->metric_statistic[i] == STATISTIC_MEAN)
            return index->metric_value[i];
    return NAN;
}

/* Measured over predicted, as a logarithm; NAN where either is missing. */
static double residual(const struct anchor_index *index, const struct predictions *predictions,
                       int anchor, enum interval_metric metric)
{
    static const enum anchor_metric OF[] = {
        [INTERVAL_TPOT] = METRIC_TPOT, [INTERVAL_TTFT] = METRIC_TTFT};

    double predicted = (double)predictions->ms[metric][anchor];
    return predicted > 0.0 ? log(mean_of(index, anchor, OF[metric]) / predicted) : (double)NAN;
}

struct sums {
    double weight[INTERVAL_METRIC_COUNT], residual[INTERVAL_METRIC_COUNT];
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

static enum interval_tier nearer(enum interval_tier a, enum interval_tier b)
{
    return a < b ? a : b;
}

void nearness_find(const struct catalogue *catalogue, const struct problem *problem,
                   const struct predictions *predictions, const unsigned char *skip,
                   struct nearness *ret_near)
{
    const struct anchor_index *index = &catalogue->anchors;
    const struct anchor_point asked = anchor_point_of(problem);
    struct nearness near = {.tier = TIER_ENGINE, .factor = {1.0, 1.0}};
    struct sums sums = {0};
    const struct predictions own = {
        {index->predicted_ms[0][INTERVAL_TPOT], index->predicted_ms[0][INTERVAL_TTFT]}};
    int model = asked.model;
    if (predictions == NULL)
        predictions = &own;
    *ret_near = near;
    if (model < 0 || asked.hardware < 0 || predictions->ms[0] == NULL)
        return;
    for (int i = index->model_start[model]; i < index->model_start[model + 1]; i++) {
        int anchor = index->by_model[i];
        const struct anchor_point *point = &index->points[anchor];
        if ((skip != NULL && skip[anchor]) || point->engine != asked.engine ||
            isnan((double)predictions->ms[INTERVAL_TPOT][anchor]))
            continue;
        near.tier = nearer(near.tier, TIER_MODEL);
        if (point->hardware != asked.hardware ||
            !same_precision(&catalogue->lib, point->weights, asked.weights))
            continue;
        near.tier = nearer(near.tier, is_layout(&asked, point) ? TIER_ANCHORED : TIER_CELL);
        double weight = exp(-distance(&asked, point));
        if (weight < LEAST_WEIGHT)
            continue;
        near.n++;
        add(index, predictions, anchor, weight, &sums);
    }
    for (int i = 0; i < INTERVAL_METRIC_COUNT; i++)
        near.factor[i] = exp(sums.residual[i] / (sums.weight[i] + SHRINKAGE));
    *ret_near = near;
}
