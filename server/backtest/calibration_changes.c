#include "calibration_changes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Records keep four digits of a constant, and four behind the point of a factor. */
#define SAME_RELATIVE 1e-6
#define NOTHING 1e-9 /* of any constant */
#define SAME_FACTOR 5.1e-5

static bool is_new(const struct catalogue *catalogue, const struct run *run)
{
    const float *kept = catalogue->anchors.predicted_ms[FOLD_NONE][INTERVAL_TPOT];
    return isnan((double)kept[run->anchor]);
}

int calibration_new_runs(const struct catalogue *catalogue, const struct runs *runs)
{
    int n = 0;
    for (int i = 0; i < runs->n; i++)
        n += is_new(catalogue, &runs->items[i]);
    return n;
}

/* ---- constants ---- */

static int print_constants(const struct calibration_now *now, FILE *report)
{
    int n = 0;
    for (int e = 0; e < now->n_engines; e++)
        for (int i = 0; i < now->engines[e].n; i++) {
            const struct engine *engine = now->engines[e].engine;
            enum host_cost cost = now->engines[e].constants[i].cost;
            double kept = engine->host[cost].value, value = now->engines[e].constants[i].value;
            if (fabs(value - kept) <= fmax(SAME_RELATIVE * fmax(fabs(value), fabs(kept)), NOTHING))
                continue;
            if (n++ == 0)
                fprintf(report, "%-14s %-28s %12s %12s %10s\n", "engine", "constant", "kept", "now",
                        "change");
            fprintf(report, "%-14s %-28s %12.4g %12.4g", engine->id, host_cost_name(cost), kept,
                    value);
            if (kept != 0.0)
                fprintf(report, " %+8.1f %%\n", 100.0 * (value / kept - 1.0));
            else
                fputs("\n", report);
        }
    return n;
}

/* ---- intervals ---- */

static const struct interval *kept_interval(const struct library *lib, const struct interval *now)
{
    for (int i = 0; i < lib->n_intervals; i++) {
        const struct interval *kept = &lib->intervals[i];
        if (kept->engine == now->engine && kept->metric == now->metric && kept->tier == now->tier)
            return kept;
    }
    return NULL;
}

static int print_intervals(const struct calibration_now *now, FILE *report)
{
    const struct library *lib = &now->catalogue->lib;
    int n = 0;
    for (int i = 0; i < now->n_intervals; i++) {
        const struct interval *found = &now->intervals[i], *kept = kept_interval(lib, found);
        if (kept && fabs(kept->low - found->low) <= SAME_FACTOR &&
            fabs(kept->high - found->high) <= SAME_FACTOR)
            continue;
        if (n++ == 0)
            fprintf(report, "%-14s %-8s %-16s %20s %20s\n", "engine", "figure", "nearest measured",
                    "80 % kept", "now");
        fprintf(report, "%-14s %-8s %-16s    %7.4f .. %7.4f   %7.4f .. %7.4f\n",
                lib->engines[found->engine].id, interval_metric_name(found->metric),
                interval_tier_name(found->tier), kept ? kept->low : (double)NAN,
                kept ? kept->high : (double)NAN, found->low, found->high);
    }
    return n;
}

/* ---- errors ---- */

struct pair_of_errors {
    int n;
    double kept[2], now[2]; /* median, p90 */
};

struct workspace {
    double *kept, *now, *weights;               /* one element per run */
    double (*predicted)[INTERVAL_METRIC_COUNT]; /* by the kept constants */
};

/* Predicts every run with the constants that the store keeps. */
static void predict_kept(const struct runs *runs, const struct library *lib,
                         struct workspace *space)
{
    for (int i = 0; i < runs->n; i++) {
        const struct host_constant *host = lib->engines[runs->items[i].engine].host;
        const struct run_prediction kept = run_predict(&runs->items[i], host);
        space->predicted[i][INTERVAL_TPOT] = kept.tpot_ms;
        space->predicted[i][INTERVAL_TTFT] = kept.ttft_ms +
                                             host[HOST_FIRST_TOKEN_STEPS].value * kept.step_ms +
                                             host[HOST_FIRST_TOKEN_US].value / 1e3;
    }
}

static void quantiles(double *values, double *weights, int n, double ret_errors[2])
{
    for (int i = 0; i < n; i++)
        weights[i] = 1.0;
    ret_errors[0] = weighted_quantile(values, weights, n, 0.5);
    ret_errors[1] = weighted_quantile(values, weights, n, 0.9);
}

/* Of an engine's runs, or of its new ones alone. */
static struct pair_of_errors errors_of(const struct calibration_now *now, struct workspace *space,
                                       int engine, enum interval_metric metric, bool only_new)
{
    struct pair_of_errors errors = {.n = 0};
    for (int i = 0; i < now->runs->n; i++) {
        const struct run *run = &now->runs->items[i];
        double measured = run->measured_ms[metric];
        if (run->engine != engine || isnan(measured) || (only_new && !is_new(now->catalogue, run)))
            continue;
        space->kept[errors.n] = fabs(space->predicted[i][metric] / measured - 1.0);
        space->now[errors.n++] = fabs(run->predicted_ms[FOLD_NONE][metric] / measured - 1.0);
    }
    quantiles(space->kept, space->weights, errors.n, errors.kept);
    quantiles(space->now, space->weights, errors.n, errors.now);
    return errors;
}

static void print_errors(const struct calibration_now *now, struct workspace *space, FILE *report)
{
    fprintf(report, "%-14s %-8s %-9s %6s %20s %20s\n", "engine", "figure", "runs", "",
            "kept: median, p90", "now: median, p90");
    for (int e = 0; e < now->n_engines; e++)
        for (int metric = 0; metric < INTERVAL_METRIC_COUNT; metric++)
            for (int only_new = 0; only_new < 2; only_new++) {
                const struct engine *engine = now->engines[e].engine;
                struct pair_of_errors errors = errors_of(
                    now, space, engine->index, (enum interval_metric)metric, only_new != 0);
                if (errors.n == 0)
                    continue;
                fprintf(report, "%-14s %-8s %-9s %6d %8.1f %% %7.1f %% %8.1f %% %7.1f %%\n",
                        engine->id, interval_metric_name((enum interval_metric)metric),
                        only_new ? "new ones" : "all", errors.n, 100.0 * errors.kept[0],
                        100.0 * errors.kept[1], 100.0 * errors.now[0], 100.0 * errors.now[1]);
            }
}

bool calibration_changes_print(const struct calibration_now *now, FILE *report)
{
    size_t n = (size_t)now->runs->n + 1;
    struct workspace space = {
        .kept = malloc(n * sizeof(double)),
        .now = malloc(n * sizeof(double)),
        .weights = malloc(n * sizeof(double)),
        .predicted = malloc(n * sizeof(*space.predicted)),
    };
    bool good = space.kept && space.now && space.weights && space.predicted;
    if (good) {
        fprintf(report, "\nagainst what the store keeps: %d runs, %d of them new to it\n",
                now->runs->n, calibration_new_runs(now->catalogue, now->runs));
        int changed = print_constants(now, report);
        changed += print_intervals(now, report);
        if (changed == 0) {
            fputs("no constant and no interval changed\n", report);
        } else {
            predict_kept(now->runs, &now->catalogue->lib, &space);
            print_errors(now, &space, report);
        }
    }
    free(space.kept);
    free(space.now);
    free(space.weights);
    free(space.predicted);
    return good;
}
