#include "calibrated.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "anchor_request.h"
#include "calibration_changes.h"
#include "nearness.h"

#define COVERED 0.8
#define ENGINES_MAX 64
#define SOURCE_TITLE                                                                               \
    "aiconfigurator silicon_sample.csv (an InferenceX dump of 2026-04-27 and NVIDIA runs)"
#define SOURCE_URL                                                                                 \
    "https://github.com/ai-dynamo/aiconfigurator/blob/095f58a51c4ca8e61b66ec108d86f223f8d559ce/"   \
    "aic-core/src/aiconfigurator_core/systems/silicon_sample.csv"
#define SOURCE_DATE "2026-08-21"

/* What a cross-validation leaves out, nearest tier first; the tier that its errors stand for. */
enum left_out { LEFT_RUN, LEFT_LAYOUT, LEFT_CELL, LEFT_MODEL, LEFT_COUNT };

static const struct {
    const char *title;
    enum interval_tier tier;
} LEFT[] = {
    [LEFT_RUN] = {"run left out", TIER_ANCHORED},
    [LEFT_LAYOUT] = {"layout left out", TIER_CELL},
    [LEFT_CELL] = {"cell left out", TIER_MODEL},
    [LEFT_MODEL] = {"model left out", TIER_ENGINE},
};

static const struct {
    enum host_cost cost;
    const char *unit, *meaning;
} UNITS[] = {
    {HOST_KAPPA, "ratio", "share of a single kernel's launch that a captured graph leaves"},
    {HOST_MODULE_KAPPA, "ratio", "the same of an op that is a chain of kernels"},
    {HOST_SMALL_US_PER_LAYER, "us per layer", "small kernels of a layer"},
    {HOST_GATING_US_PER_LAYER, "us per MoE layer", "small kernels of an expert layer besides"},
    {HOST_SERIAL_US, "us per step", "host work of a step that nothing hides"},
    {HOST_SERIAL_US_PER_SEQ, "us per sequence and step", "the same per running sequence"},
    {HOST_PREFILL_FACTOR, "ratio", "a step with prompt tokens over the sum of its kernels"},
    {HOST_FIRST_TOKEN_STEPS, "steps", "steps between a first token and its client"},
    {HOST_FIRST_TOKEN_US, "us", "time between a first token and its client"},
    {HOST_MODEL_CORRELATION, "ratio", "what the residuals of a model on two parts have in common"},
};

struct result {
    const struct catalogue *catalogue;
    const struct runs *runs;
    const struct calibrated *engines;
    int n_engines;
    /* predicted / measured by what was left out; NAN = none. [run][left][metric] */
    double (*ratio)[LEFT_COUNT][INTERVAL_METRIC_COUNT];
    double *values, *weights; /* workspace, one element per run */
    double interval[8][INTERVAL_METRIC_COUNT][INTERVAL_TIER_COUNT][2];
    int interval_n[8][INTERVAL_METRIC_COUNT][INTERVAL_TIER_COUNT];
};

void calibrated_add(struct calibrated *calibrated, enum host_cost cost, double value, bool fitted)
{
    calibrated->constants[calibrated->n].cost = cost;
    calibrated->constants[calibrated->n].value = value;
    calibrated->constants[calibrated->n++].fitted = fitted;
}

void calibrated_round(int n, double *values)
{
    for (int i = 0; i < n; i++) {
        if (values[i] == 0.0)
            continue;
        double unit = pow(10.0, floor(log10(fabs(values[i]))) - 3.0);
        values[i] = round(values[i] / unit) * unit;
    }
}

static bool same_deployment(const struct deployment *a, const struct deployment *b)
{
    return a->tp == b->tp && a->pp == b->pp && a->dp == b->dp && a->ep == b->ep &&
           memcmp(a->version, b->version, sizeof(a->version)) == 0;
}

/* Which anchors do not exist when a run is judged by its neighbours. */
static void mark_skipped(const struct result *result, const struct run *run, enum left_out left,
                         unsigned char *skip)
{
    memset(skip, 0, (size_t)result->catalogue->anchors.n);
    skip[run->anchor] = 1;
    for (int i = 0; left != LEFT_RUN && i < result->runs->n; i++) {
        const struct run *other = &result->runs->items[i];
        bool out = left == LEFT_MODEL ? other->geometry == run->geometry
                   : left == LEFT_CELL
                       ? other->cell == run->cell
                       : other->cell == run->cell &&
                             same_deployment(&other->problem.dep, &run->problem.dep);
        if (out)
            skip[other->anchor] = 1;
    }
}

static void judge_run(const struct result *result, int i, const struct predictions *predictions,
                      unsigned char *skip)
{
    const struct run *run = &result->runs->items[i];
    for (int left = 0; left < LEFT_COUNT; left++) {
        struct nearness near = {.factor = {1.0, 1.0}};
        enum fold fold = left == LEFT_CELL    ? FOLD_CELL
                         : left == LEFT_MODEL ? FOLD_MODEL
                                              : FOLD_NONE;
        mark_skipped(result, run, (enum left_out)left, skip);
        nearness_find(result->catalogue, &run->problem, predictions, skip, &near);
        bool present = fold != FOLD_NONE || near.tier == LEFT[left].tier;
        for (int metric = 0; metric < INTERVAL_METRIC_COUNT; metric++)
            result->ratio[i][left][metric] = present ? run->predicted_ms[fold][metric] *
                                                           near.factor[metric] /
                                                           run->measured_ms[metric]
                                                     : (double)NAN;
    }
}

static bool judge(struct result *result)
{
    size_t n = (size_t)result->catalogue->anchors.n;
    float *tpot = malloc(n * sizeof(float)), *ttft = malloc(n * sizeof(float));
    unsigned char *skip = malloc(n);
    bool done = tpot != NULL && ttft != NULL && skip != NULL;
    for (size_t i = 0; done && i < n; i++)
        tpot[i] = ttft[i] = NAN;
    for (int i = 0; done && i < result->runs->n; i++) {
        const struct run *run = &result->runs->items[i];
        tpot[run->anchor] = (float)run->predicted_ms[FOLD_NONE][INTERVAL_TPOT];
        ttft[run->anchor] = (float)run->predicted_ms[FOLD_NONE][INTERVAL_TTFT];
    }
    double correlation[ENGINES_MAX] = {0};
    for (int e = 0; e < result->n_engines; e++)
        if (result->engines[e].engine->index < ENGINES_MAX)
            correlation[result->engines[e].engine->index] = result->engines[e].model_correlation;
    const struct predictions predictions = {{tpot, ttft}, correlation};
    for (int i = 0; done && i < result->runs->n; i++)
        judge_run(result, i, &predictions, skip);
    free(tpot);
    free(ttft);
    free(skip);
    return done;
}

/* Runs of an engine (-1 = all) that a figure is known of, without one cell (-1 = all), every cell
 * of the same weight. The logarithms of measured/predicted go to values. */
static int gather(struct result *result, int engine, enum left_out left,
                  enum interval_metric metric, int without, bool by_cell)
{
    int n = 0, *in_cell = calloc((size_t)result->runs->n_cells + 1, sizeof(*in_cell));
    for (int pass = 0; in_cell != NULL && pass < 2; pass++)
        for (int i = 0; i < result->runs->n; i++) {
            const struct run *run = &result->runs->items[i];
            double ratio = result->ratio[i][left][metric];
            if ((engine >= 0 && run->engine != engine) || run->cell == without || isnan(ratio))
                continue;
            if (pass == 0) {
                in_cell[run->cell]++;
                continue;
            }
            result->values[n] = -log(ratio);
            result->weights[n++] = by_cell ? 1.0 / in_cell[run->cell] : 1.0;
        }
    free(in_cell);
    return n;
}

/* The two factors between which measured/predicted lies in four of five left-out runs. */
static int interval_of(struct result *result, int engine, enum left_out left,
                       enum interval_metric metric, int without, double ret_factors[2])
{
    int n = gather(result, engine, left, metric, without, true);
    double outside = (1.0 - COVERED) / 2.0;
    /* the finite-sample correction of a conformal quantile */
    double inner = fmax(outside - 1.0 / (n + 1.0), 0.0);
    ret_factors[0] = exp(weighted_quantile(result->values, result->weights, n, inner));
    ret_factors[1] = exp(weighted_quantile(result->values, result->weights, n, 1.0 - inner));
    return n;
}

static void find_intervals(struct result *result)
{
    for (int e = 0; e < result->n_engines; e++)
        for (int metric = 0; metric < INTERVAL_METRIC_COUNT; metric++) {
            double(*of)[2] = result->interval[e][metric];
            for (int left = 0; left < LEFT_COUNT; left++) {
                enum interval_tier tier = LEFT[left].tier;
                result->interval_n[e][metric][tier] =
                    interval_of(result, result->engines[e].engine->index, (enum left_out)left,
                                (enum interval_metric)metric, -1, of[tier]);
            }
            /* Farther measurements never promise more. */
            for (int tier = TIER_CELL; tier <= TIER_ENGINE; tier++) {
                of[tier][0] = fmin(of[tier][0], of[tier - 1][0]);
                of[tier][1] = fmax(of[tier][1], of[tier - 1][1]);
            }
            of[TIER_NEIGHBOUR][0] = of[TIER_ENGINE][0] * of[TIER_ENGINE][0];
            of[TIER_NEIGHBOUR][1] = of[TIER_ENGINE][1] * of[TIER_ENGINE][1];
            result->interval_n[e][metric][TIER_NEIGHBOUR] =
                result->interval_n[e][metric][TIER_ENGINE];
        }
}

/* Share of runs inside the interval that the other cells give. */
static double coverage(struct result *result, int engine, enum left_out left,
                       enum interval_metric metric)
{
    double inside = 0.0, all = 0.0;
    for (int cell = 0; cell < result->runs->n_cells; cell++) {
        double factors[2];
        bool known = false;
        for (int i = 0; i < result->runs->n; i++) {
            const struct run *run = &result->runs->items[i];
            double ratio = result->ratio[i][left][metric];
            if (run->cell != cell || run->engine != engine || isnan(ratio))
                continue;
            if (!known)
                interval_of(result, engine, left, metric, cell, factors);
            known = true;
            all += 1.0;
            if (1.0 / ratio >= factors[0] && 1.0 / ratio <= factors[1])
                inside += 1.0;
        }
    }
    return all > 0.0 ? inside / all : (double)NAN;
}

struct errors {
    int n;
    double median, p90, bias;
};

static struct errors errors_of(struct result *result, int engine, enum left_out left,
                               enum interval_metric metric)
{
    struct errors errors = {.n = gather(result, engine, left, metric, -1, false)};
    for (int i = 0; i < errors.n; i++)
        result->values[i] = exp(-result->values[i]) - 1.0;
    errors.bias = weighted_quantile(result->values, result->weights, errors.n, 0.5);
    for (int i = 0; i < errors.n; i++)
        result->values[i] = fabs(result->values[i]);
    errors.median = weighted_quantile(result->values, result->weights, errors.n, 0.5);
    errors.p90 = weighted_quantile(result->values, result->weights, errors.n, 0.9);
    return errors;
}

/* In-sample errors without any correction: what the constants alone leave. */
static struct errors plain_errors(struct result *result, int engine, enum interval_metric metric)
{
    struct errors errors = {0};
    for (int i = 0; i < result->runs->n; i++) {
        const struct run *run = &result->runs->items[i];
        double ratio = run->predicted_ms[FOLD_NONE][metric] / run->measured_ms[metric];
        if ((engine >= 0 && run->engine != engine) || isnan(ratio))
            continue;
        result->weights[errors.n] = 1.0;
        result->values[errors.n++] = ratio - 1.0;
    }
    errors.bias = weighted_quantile(result->values, result->weights, errors.n, 0.5);
    for (int i = 0; i < errors.n; i++)
        result->values[i] = fabs(result->values[i]);
    errors.median = weighted_quantile(result->values, result->weights, errors.n, 0.5);
    errors.p90 = weighted_quantile(result->values, result->weights, errors.n, 0.9);
    return errors;
}

static void print_errors(FILE *report, const char *engine, const char *metric, const char *title,
                         const struct errors *errors, double covered)
{
    fprintf(report, "%-14s %-8s %-16s %6d %9.1f %% %7.1f %% %+7.1f %%", engine, metric, title,
            errors->n, 100.0 * errors->median, 100.0 * errors->p90, 100.0 * errors->bias);
    if (isnan(covered))
        fputs("\n", report);
    else
        fprintf(report, " %8.0f %%\n", 100.0 * covered);
}

static void print_report(struct result *result, FILE *report)
{
    fprintf(report, "%-14s %-8s %-16s %6s %11s %9s %9s %10s\n", "engine", "figure", "left out",
            "runs", "median", "p90", "bias", "in the 80 %");
    for (int e = 0; e <= result->n_engines; e++) {
        bool all = e == result->n_engines;
        int engine = all ? -1 : result->engines[e].engine->index;
        const char *name = all ? "all" : result->engines[e].engine->id;
        for (int metric = 0; metric < INTERVAL_METRIC_COUNT; metric++) {
            const char *figure = interval_metric_name((enum interval_metric)metric);
            struct errors plain = plain_errors(result, engine, (enum interval_metric)metric);
            print_errors(report, name, figure, "nothing", &plain, NAN);
            for (int left = 0; left < LEFT_COUNT; left++) {
                struct errors errors =
                    errors_of(result, engine, (enum left_out)left, (enum interval_metric)metric);
                double covered = all ? (double)NAN
                                     : coverage(result, engine, (enum left_out)left,
                                                (enum interval_metric)metric);
                print_errors(report, name, figure, LEFT[left].title, &errors, covered);
            }
        }
    }
}

static FILE *create(const char *out, const char *name)
{
    char path[4096];
    int length = snprintf(path, sizeof(path), "%s/%s", out, name);
    FILE *file = length > 0 && (size_t)length < sizeof(path) ? fopen(path, "w") : NULL;
    if (file == NULL)
        fprintf(stderr, "regimed: %s/%s cannot be written\n", out, name);
    return file;
}

static bool finish(FILE *file)
{
    bool failed = ferror(file) != 0;
    return fclose(file) == 0 && !failed;
}

/* The data set that engines are calibrated on, and runs that were added to it. */
static void put_source(const struct result *result, FILE *file, const char *field)
{
    int added = calibration_new_runs(result->catalogue, result->runs);
    fprintf(file,
            "    \"sources\": [\n      {\"field\": \"%s\", \"title\": \"%s\", \"kind\": "
            "\"measured-dataset\", \"url\": \"%s\", \"date\": \"%s\"}",
            field, SOURCE_TITLE, SOURCE_URL, SOURCE_DATE);
    if (added > 0)
        fprintf(file,
                ",\n      {\"field\": \"%s\", \"title\": \"%d runs that were added to the store\", "
                "\"kind\": \"measurement\"}",
                field, added);
    fputs("\n    ]\n", file);
}

/* The row of a constant. */
static size_t unit_of(enum host_cost cost)
{
    size_t unit = 0;
    while (unit + 1 < ARRAY_LEN(UNITS) && UNITS[unit].cost != cost)
        unit++;
    return unit;
}

static bool write_constants(struct result *result, const char *out)
{
    FILE *file = create(out, "engine-constants.json");
    if (file == NULL)
        return false;
    const char *between = "[\n";
    for (int e = 0; e < result->n_engines; e++) {
        const struct calibrated *found = &result->engines[e];
        for (int i = 0; i < found->n; i++) {
            enum host_cost cost = found->constants[i].cost;
            bool wait = cost == HOST_FIRST_TOKEN_STEPS || cost == HOST_FIRST_TOKEN_US;
            struct errors errors = errors_of(result, found->engine->index, LEFT_CELL,
                                             wait ? INTERVAL_TTFT : INTERVAL_TPOT);
            size_t unit = unit_of(cost);
            fprintf(file,
                    "%s  {\n    \"id\": \"%s-%s\",\n    \"engine\": \"%s\",\n    \"constant\": "
                    "\"%s\",\n    \"value\": %.4g,\n    \"unit\": \"%s\",\n    \"basis\": "
                    "\"%s\",\n    \"anchor\": null,\n    \"derivation\": \"%s; %s\",\n    \"n\": "
                    "%d,\n    \"median_abs_err\": %.3f,\n    \"p90_abs_err\": %.3f,\n",
                    between, found->engine->id, host_cost_name(cost), found->engine->id,
                    host_cost_name(cost), found->constants[i].value, UNITS[unit].unit,
                    found->constants[i].fitted ? "calibrated" : "assumed", UNITS[unit].meaning,
                    found->constants[i].fitted
                        ? "fitted with the other constants of the engine (regimed calibrate); "
                          "errors of the runs of cells left out"
                        : "set by the form of the model, not fitted",
                    errors.n, errors.median, errors.p90);
            put_source(result, file, "value");
            fputs("  }", file);
            between = ",\n";
        }
    }
    fputs("\n]\n", file);
    return finish(file);
}

static bool write_intervals(struct result *result, const char *out)
{
    FILE *file = create(out, "intervals.json");
    if (file == NULL)
        return false;
    const char *between = "[\n";
    for (int e = 0; e < result->n_engines; e++)
        for (int metric = 0; metric < INTERVAL_METRIC_COUNT; metric++)
            for (int tier = TIER_ANCHORED; tier < INTERVAL_TIER_COUNT; tier++) {
                const char *engine = result->engines[e].engine->id;
                const char *figure = interval_metric_name((enum interval_metric)metric);
                const char *nearness = interval_tier_name((enum interval_tier)tier);
                fprintf(file,
                        "%s  {\n    \"id\": \"interval-%s-%s-%s\",\n    \"engine\": \"%s\",\n    "
                        "\"metric\": \"%s\",\n    \"tier\": \"%s\",\n    \"low\": %.4f,\n    "
                        "\"high\": %.4f,\n    \"n\": %d,\n",
                        between, engine, figure, nearness, engine, figure, nearness,
                        result->interval[e][metric][tier][0], result->interval[e][metric][tier][1],
                        result->interval_n[e][metric][tier]);
                put_source(result, file, "low,high");
                fputs("  }", file);
                between = ",\n";
            }
    fputs("\n]\n", file);
    return finish(file);
}

static void put_figure(FILE *file, double value)
{
    if (isnan(value))
        fputs(",", file);
    else
        fprintf(file, ",%.5g", value);
}

static bool write_predictions(const struct result *result, const char *out)
{
    FILE *file = create(out, "predictions.csv");
    if (file == NULL)
        return false;
    fputs("anchor", file);
    for (int metric = 0; metric < INTERVAL_METRIC_COUNT; metric++) {
        const char *name = interval_metric_name((enum interval_metric)metric);
        fprintf(file, ",%s,%s_cell_out,%s_model_out", name, name, name);
    }
    fputs("\n", file);
    for (int i = 0; i < result->runs->n; i++) {
        const struct run *run = &result->runs->items[i];
        fputs(result->catalogue->anchors.ids[run->anchor], file);
        for (int metric = 0; metric < INTERVAL_METRIC_COUNT; metric++)
            for (int fold = 0; fold < FOLD_COUNT; fold++)
                put_figure(file, run->predicted_ms[fold][metric]);
        fputs("\n", file);
    }
    return finish(file);
}

/* The intervals as records have them; how many there are. */
static int list_intervals(const struct result *result, struct interval *ret_intervals)
{
    int n = 0;
    for (int e = 0; e < result->n_engines; e++) {
        for (int metric = 0; metric < INTERVAL_METRIC_COUNT; metric++) {
            for (int tier = TIER_ANCHORED; tier < INTERVAL_TIER_COUNT; tier++) {
                struct interval *interval = &ret_intervals[n++];
                *interval = (struct interval){
                    .engine = result->engines[e].engine->index,
                    .metric = (enum interval_metric)metric,
                    .tier = (enum interval_tier)tier,
                    .low = result->interval[e][metric][tier][0],
                    .high = result->interval[e][metric][tier][1],
                    .n = result->interval_n[e][metric][tier],
                };
            }
        }
    }
    return n;
}

static bool print_changes(const struct result *result, FILE *report)
{
    struct interval intervals[8 * INTERVAL_METRIC_COUNT * INTERVAL_TIER_COUNT];
    const struct calibration_now now = {
        .catalogue = result->catalogue,
        .runs = result->runs,
        .engines = result->engines,
        .n_engines = result->n_engines,
        .intervals = intervals,
        .n_intervals = list_intervals(result, intervals),
    };
    return calibration_changes_print(&now, report);
}

bool calibrated_write(const struct catalogue *catalogue, const struct runs *runs,
                      const struct calibrated *engines, int n_engines, const char *out,
                      FILE *report)
{
    size_t n = (size_t)runs->n + 1;
    struct result result = {
        .catalogue = catalogue,
        .runs = runs,
        .engines = engines,
        .n_engines = n_engines,
        .ratio = malloc(n * sizeof(*result.ratio)),
        .values = malloc(n * sizeof(double)),
        .weights = malloc(n * sizeof(double)),
    };
    bool done =
        result.ratio != NULL && result.values != NULL && result.weights != NULL && judge(&result);
    if (!done)
        fprintf(stderr, "regimed: no memory\n");
    if (done) {
        print_report(&result, report);
        find_intervals(&result);
        done = print_changes(&result, report);
    }
    if (done && out != NULL)
        done = write_constants(&result, out) && write_intervals(&result, out) &&
               write_predictions(&result, out);
    free(result.ratio);
    free(result.values);
    free(result.weights);
    return done;
}
