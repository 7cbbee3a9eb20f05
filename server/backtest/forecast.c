#include "forecast.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "anchor_request.h"
#include "estimates.h"
#include "forecast_speed.h"
#include "local.h"
#include "nearness.h"
#include "plan.h"
#include "serve.h"

#define ARENA_MAX ((size_t)4 << 20)
#define NO_ESTIMATE SIZE_MAX

struct forecaster {
    const struct catalogue *catalogue;
    struct arena *arena;
    unsigned char *skip; /* one per anchor, all 0 between two calls */
    struct plan plan;
};

#define X(ID, NAME) [ID] = NAME,
static const char *const HOLDOUT_NAMES[] = {HOLDOUT_LIST(X)};
#undef X

static const struct {
    enum anchor_metric metric;
    size_t estimate; /* offset in struct plan */
} METRICS[FORECAST_METRICS] = {
    {METRIC_TPOT, offsetof(struct plan, tpot_ms)},
    {METRIC_TTFT, offsetof(struct plan, ttft_ms)},
    {METRIC_ITL, offsetof(struct plan, tpot_ms)}, /* a token at a time they have one mean */
    {METRIC_E2E, offsetof(struct plan, e2e_ms)},
    {METRIC_OUTPUT_RATE, offsetof(struct plan, output_tok_s)},
    {METRIC_USER_RATE, offsetof(struct plan, per_user_tok_s)},
    {METRIC_REQUEST_RATE, offsetof(struct plan, requests_s)},
    {METRIC_DECODE_RATE, NO_ESTIMATE}, /* of speed tests, without a server */
    {METRIC_PREFILL_RATE, NO_ESTIMATE},
};

/* The figures that the calibration records are the first of them. */
static const enum interval_metric STORED[] = {INTERVAL_TPOT, INTERVAL_TTFT};

/* The fold of the stored prediction behind each holdout, and the tier that its errors stand for;
 * without the run alone it is the tier of what is near. */
static const struct {
    int fold;
    enum interval_tier tier;
} HOLDOUTS[HOLDOUT_COUNT] = {
    [HOLDOUT_NONE] = {0, TIER_UNKNOWN},
    [HOLDOUT_RUN] = {0, TIER_UNKNOWN},
    [HOLDOUT_CELL] = {1, TIER_MODEL},
    [HOLDOUT_MODEL] = {2, TIER_ENGINE},
};

const char *holdout_name(enum holdout holdout)
{
    return holdout < HOLDOUT_COUNT ? HOLDOUT_NAMES[holdout] : NULL;
}

enum holdout holdout_parse(const char *name)
{
    int i = 0;
    while (i < HOLDOUT_COUNT && strcmp(HOLDOUT_NAMES[i], name) != 0)
        i++;
    return (enum holdout)i;
}

enum anchor_metric forecast_metric(int index)
{
    return METRICS[index].metric;
}

const struct forecast_value *forecast_shown(const struct forecast_figure *figure)
{
    return &figure->by[figure->origin == ORIGIN_LOCAL ? HOLDOUT_NONE : HOLDOUT_RUN];
}

bool metric_is_forecast(enum anchor_metric metric)
{
    for (size_t i = 0; i < ARRAY_LEN(METRICS); i++)
        if (METRICS[i].metric == metric)
            return true;
    return false;
}

struct forecaster *forecaster_new(const struct catalogue *catalogue)
{
    struct forecaster *forecaster = malloc(sizeof(*forecaster));
    if (forecaster == NULL)
        return NULL;
    forecaster->catalogue = catalogue;
    forecaster->arena = arena_new(ARENA_MAX);
    forecaster->skip = calloc((size_t)catalogue->anchors.n + 1, 1);
    if (forecaster->arena == NULL || forecaster->skip == NULL) {
        forecaster_free(forecaster);
        return NULL;
    }
    return forecaster;
}

void forecaster_free(struct forecaster *forecaster)
{
    if (forecaster == NULL)
        return;
    arena_free(forecaster->arena);
    free(forecaster->skip);
    free(forecaster);
}

/* How a run's requests came, as far as a plan knows such loads. */
static bool load_is_planned(enum load_profile load)
{
    static const enum load_profile PLANNED[] = {LOAD_UNSTATED,    LOAD_CLOSED_LOOP,
                                                LOAD_OPEN_LOOP,   LOAD_SINGLE_STREAM,
                                                LOAD_ALL_AT_ONCE, LOAD_STATIC_BATCH};

    for (size_t i = 0; i < ARRAY_LEN(PLANNED); i++)
        if (PLANNED[i] == load)
            return true;
    return false;
}

/* A batch that starts together and ends together is a benchmark of as many requests as are in
 * flight. */
static void make_one_wave(enum load_profile load, struct plan_request *request)
{
    struct workload *asked = &request->problem.load;
    if (load == LOAD_ALL_AT_ONCE && !isnan(asked->requests)) {
        asked->concurrency = asked->requests;
        request->given[FIELD_ID_CONCURRENCY] = true;
    }
    if (load == LOAD_ALL_AT_ONCE || load == LOAD_STATIC_BATCH) {
        asked->requests = asked->concurrency;
        request->given[FIELD_ID_REQUESTS] = true;
    }
}

bool forecaster_request(struct forecaster *forecaster, int anchor, struct plan_request *ret_request)
{
    const struct anchor_index *index = &forecaster->catalogue->anchors;
    enum load_profile load = (enum load_profile)index->loads[anchor];
    struct faults faults;
    arena_reset(forecaster->arena);
    faults_init(&faults, forecaster->arena);
    const struct intake intake = {forecaster->catalogue, forecaster->arena, &faults, ""};
    bool cached = index->flags[anchor] & ANCHOR_PREFIX_CACHED &&
                  isnan(anchor_number(index, anchor, CONDITION_CACHED_PREFIX));
    enum anchor_kind kind = (enum anchor_kind)index->kinds[anchor];
    if ((kind != ANCHOR_SERVING && kind != ANCHOR_SPEED) ||
        index->flags[anchor] & ANCHOR_SPECULATIVE || cached || !load_is_planned(load) ||
        anchor_request(&intake, anchor, ret_request) != LACK_NOTHING)
        return false;
    make_one_wave(load, ret_request);
    return true;
}

/* The interval that the calibration recorded; NAN when it recorded none. */
static void put_interval(const struct library *lib, int engine, enum interval_metric metric,
                         struct forecast_value *value)
{
    value->low = value->high = NAN;
    for (int i = 0; i < lib->n_intervals; i++) {
        const struct interval *interval = &lib->intervals[i];
        if (interval->engine == engine && interval->metric == metric &&
            interval->tier == value->tier) {
            value->low = value->predicted * interval->low;
            value->high = value->predicted * interval->high;
        }
    }
}

static struct forecast_figure *add_figure(struct forecast *forecast, enum anchor_metric metric,
                                          double measured, enum forecast_origin origin)
{
    struct forecast_figure *figure = &forecast->figures[forecast->n++];
    *figure = (struct forecast_figure){.metric = metric, .measured = measured, .origin = origin};
    for (int i = 0; i < HOLDOUT_COUNT; i++)
        figure->by[i] = (struct forecast_value){NAN, NAN, NAN, TIER_UNKNOWN};
    return figure;
}

/* What is near a problem when that is left out. */
static void find_near(struct forecaster *forecaster, int anchor, const struct problem *problem,
                      enum holdout holdout, struct nearness *ret_near)
{
    const struct anchor_index *index = &forecaster->catalogue->anchors;
    const struct anchor_point *point = &index->points[anchor];
    int from = index->model_start[point->model], to = index->model_start[point->model + 1];
    *ret_near = (struct nearness){.tier = TIER_ENGINE, .factor = {1.0, 1.0}};
    if (holdout == HOLDOUT_NONE || holdout == HOLDOUT_MODEL)
        return;
    forecaster->skip[anchor] = 1;
    for (int i = from; holdout == HOLDOUT_CELL && i < to; i++)
        forecaster->skip[index->by_model[i]] =
            nearness_same_cell(forecaster->catalogue, &index->points[index->by_model[i]], point);
    nearness_find(forecaster->catalogue, problem, NULL, forecaster->skip, ret_near);
    for (int i = from; i < to; i++)
        forecaster->skip[index->by_model[i]] = 0;
    forecaster->skip[anchor] = 0;
}

static void add_stored(const struct forecaster *forecaster, int anchor, size_t at,
                       const struct problem *problem, const struct nearness *near,
                       struct forecast *forecast)
{
    const struct anchor_index *index = &forecaster->catalogue->anchors;
    double measured = anchor_central(index, anchor, METRICS[at].metric);
    enum interval_metric metric = STORED[at];
    if (isnan(measured) || isnan((double)index->predicted_ms[0][metric][anchor]))
        return;
    struct forecast_figure *figure =
        add_figure(forecast, METRICS[at].metric, measured, ORIGIN_STORED);
    for (int i = 0; i < HOLDOUT_COUNT; i++) {
        struct forecast_value *value = &figure->by[i];
        value->predicted =
            (double)index->predicted_ms[HOLDOUTS[i].fold][metric][anchor] * near[i].factor[metric];
        value->tier = i == HOLDOUT_RUN ? near[i].tier : HOLDOUTS[i].tier;
        put_interval(&forecaster->catalogue->lib, problem->dep.engine->index, metric, value);
    }
}

static bool has_figure(const struct forecast *forecast, enum anchor_metric metric)
{
    for (int i = 0; i < forecast->n; i++)
        if (forecast->figures[i].metric == metric)
            return true;
    return false;
}

/* Whether a figure of the anchor is left to be computed. */
static bool is_wanting(const struct anchor_index *index, int anchor,
                       const struct forecast *forecast)
{
    for (size_t i = 0; i < ARRAY_LEN(METRICS); i++)
        if (!isnan(anchor_central(index, anchor, METRICS[i].metric)) &&
            METRICS[i].estimate != NO_ESTIMATE && !has_figure(forecast, METRICS[i].metric))
            return true;
    return false;
}

/* A bare plan with its latencies and rates by the replay. */
static void plan_replayed(const struct problem *problem, struct plan *plan)
{
    struct prepared prep;
    struct core core;
    plan_compute(problem, PLAN_BARE, plan);
    prepare(&plan->problem, NULL, &prep);
    core_evaluate(&prep, &core);
    const struct served served = load_serve(&prep, &core, SERVE_REPLAY);
    estimates_fill(&prep, &core, &served, plan);
}

static void add_computed(struct forecaster *forecaster, int anchor, const struct problem *problem,
                         struct forecast *forecast)
{
    const struct anchor_index *index = &forecaster->catalogue->anchors;
    if (!is_wanting(index, anchor, forecast))
        return;
    plan_replayed(problem, &forecaster->plan);
    for (size_t i = 0; i < ARRAY_LEN(METRICS); i++) {
        if (METRICS[i].estimate == NO_ESTIMATE)
            continue;
        const struct estimate *estimate =
            (const struct estimate *)(const void *)((const char *)&forecaster->plan +
                                                    METRICS[i].estimate);
        double measured = anchor_central(index, anchor, METRICS[i].metric);
        if (isnan(measured) || isnan(estimate->expected) || has_figure(forecast, METRICS[i].metric))
            continue;
        add_figure(forecast, METRICS[i].metric, measured, ORIGIN_PLANNED)->by[HOLDOUT_RUN] =
            (struct forecast_value){estimate->expected, estimate->low, estimate->high,
                                    problem->near.tier};
    }
}

/* Of a speed test. */
static void add_speed(struct forecaster *forecaster, int anchor, const struct problem *problem,
                      struct forecast *forecast)
{
    const struct anchor_index *index = &forecaster->catalogue->anchors;
    bool local = local_is_engine(problem->dep.engine);
    struct forecast_speed speed;
    forecast_speed_find(index, anchor, problem, &forecaster->plan, &speed);

    const struct {
        enum anchor_metric metric;
        struct forecast_value value;
    } found[] = {{METRIC_DECODE_RATE, speed.decode}, {METRIC_PREFILL_RATE, speed.prefill}};

    for (size_t i = 0; i < ARRAY_LEN(found); i++) {
        double measured = anchor_central(index, anchor, found[i].metric);
        if (isnan(measured) || isnan(found[i].value.predicted))
            continue;
        struct forecast_figure *figure =
            add_figure(forecast, found[i].metric, measured, local ? ORIGIN_LOCAL : ORIGIN_PLANNED);
        figure->by[local ? HOLDOUT_NONE : HOLDOUT_RUN] = found[i].value;
    }
}

void forecast_anchor(struct forecaster *forecaster, int anchor, unsigned wanted,
                     struct forecast *ret_forecast)
{
    struct plan_request request;
    ret_forecast->n = 0;
    if (!forecaster_request(forecaster, anchor, &request))
        return;
    struct problem *problem = &request.problem;
    struct nearness near[HOLDOUT_COUNT];
    bool stored = wanted & FORECAST_STORED;
    find_near(forecaster, anchor, problem, HOLDOUT_RUN, &problem->near);
    for (int i = 0; stored && i < HOLDOUT_COUNT; i++)
        find_near(forecaster, anchor, problem, (enum holdout)i, &near[i]);
    for (size_t i = 0; stored && i < ARRAY_LEN(STORED); i++)
        add_stored(forecaster, anchor, i, problem, near, ret_forecast);
    bool speed = forecaster->catalogue->anchors.kinds[anchor] == ANCHOR_SPEED;
    if (wanted & FORECAST_COMPUTED && speed)
        add_speed(forecaster, anchor, problem, ret_forecast);
    else if (wanted & FORECAST_COMPUTED)
        add_computed(forecaster, anchor, problem, ret_forecast);
    ret_forecast->problem = *problem;
}
