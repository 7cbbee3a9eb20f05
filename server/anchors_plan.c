/*
 * anchors_plan.c - the measurements that a plan shows beside its own figures.
 */
#include <math.h>
#include <string.h>

#include "anchors.h"
#include "text_layout.h"

#define ID_COLUMNS 94 /* of an id behind its indent */
#define EXACT_SEARCHED 16

/* Metrics of a plan's table. */
static const enum anchor_metric TABLE_METRICS[] = {METRIC_TTFT, METRIC_TPOT, METRIC_OUTPUT_RATE};

static void put_id(struct json_out *out, const char *name, int index, const char *id)
{
    if (index >= 0) {
        json_put_text(out, name, id);
    }
}

void anchor_put_conditions(struct json_out *out, const struct catalogue *cat, int anchor)
{
    const struct anchor_index *index = &cat->anchors;
    const struct anchor_point *point = &index->points[anchor];
    const struct library *lib = &cat->lib;
    put_id(out, "model", point->model, point->model >= 0 ? lib->models[point->model].id : NULL);
    put_id(out, "hardware", point->hardware,
           point->hardware >= 0 ? lib->hardware[point->hardware].id : NULL);
    put_id(out, "engine", point->engine,
           point->engine >= 0 ? lib->engines[point->engine].id : NULL);
    if (index->versions[anchor]) {
        json_put_text(out, "engine_version", index->versions[anchor]);
    }
    if (index->backends[anchor]) {
        json_put_text(out, "backend", index->backends[anchor]);
    }
    put_id(out, "weights", point->weights,
           point->weights >= 0 ? lib->weight_formats[point->weights].id : NULL);
    put_id(out, "kv_cache", point->kv_cache,
           point->kv_cache >= 0 ? lib->kv_formats[point->kv_cache].id : NULL);
    for (int i = index->condition_start[anchor]; i < index->condition_start[anchor + 1]; i++) {
        json_put_number(out, condition_info((enum anchor_condition)index->condition_what[i])->name,
                        index->condition_value[i]);
    }
    if (index->loads[anchor] != LOAD_UNSTATED) {
        json_put_text(out, "load_profile",
                      load_profile_name((enum load_profile)index->loads[anchor]));
    }
}

/* "ttft_ms", "ttft_ms_p99". Names are the vocabulary's: no escaping. */
static void put_metric(struct json_out *out, enum anchor_metric metric, enum statistic statistic,
                       double value)
{
    const char *name = metric_info(metric)->name;
    if (statistic == STATISTIC_MEAN || statistic == STATISTIC_UNSTATED) {
        json_put_number(out, name, value);
        return;
    }
    const char *full = arena_printf(out->arena, "%s_%s", name, statistic_name(statistic));
    if (full) {
        json_put_number(out, full, value);
    }
}

/* A mean and a figure of an unstated kind would share a name: the mean is shown. */
static bool is_shadowed(const struct anchor_index *index, int anchor, int at)
{
    if (index->metric_statistic[at] != STATISTIC_UNSTATED) {
        return false;
    }
    for (int i = index->metric_start[anchor]; i < index->metric_start[anchor + 1]; i++) {
        if (index->metric_what[i] == index->metric_what[at] &&
            index->metric_statistic[i] == STATISTIC_MEAN) {
            return true;
        }
    }
    return false;
}

static void put_near(struct json_out *out, const struct catalogue *cat,
                     const struct anchor_near *near)
{
    const struct anchor_index *index = &cat->anchors;
    int anchor = near->anchor;
    json_begin_object(out);
    json_put_text(out, "id", index->ids[anchor]);
    json_put_number(out, "distance", near->distance);
    json_put_bool(out, "exact", near->exact);
    json_put_text(out, "kind", anchor_kind_name((enum anchor_kind)index->kinds[anchor]));
    json_key(out, "conditions");
    json_begin_object(out);
    anchor_put_conditions(out, cat, anchor);
    json_end_object(out);
    json_key(out, "metrics");
    json_begin_object(out);
    for (int i = index->metric_start[anchor]; i < index->metric_start[anchor + 1]; i++) {
        if (!is_shadowed(index, anchor, i)) {
            put_metric(out, (enum anchor_metric)index->metric_what[i],
                       (enum statistic)index->metric_statistic[i], index->metric_value[i]);
        }
    }
    json_end_object(out);
    json_end_object(out);
}

void anchors_render(struct json_out *out, const struct catalogue *cat,
                    const struct problem *problem)
{
    struct anchor_near near[PLAN_ANCHORS_MAX];
    int n = anchors_nearest(&cat->anchors, problem, near, PLAN_ANCHORS_MAX);
    json_begin_array(out);
    for (int i = 0; i < n; i++) {
        put_near(out, cat, &near[i]);
    }
    json_end_array(out);
}

/* ---- as text ---- */

/* A figure in eight columns, "-" where there is none. */
static void put_figure(struct json_out *out, double value)
{
    if (isnan(value)) {
        out_text(out, "       -");
    } else {
        out_printf(out, value < 100.0 ? " %7.2f" : " %7.0f", value);
    }
}

static void put_count(struct json_out *out, double value, int columns)
{
    if (isnan(value)) {
        out_printf(out, "%*s", columns, "-");
    } else {
        out_printf(out, "%*.0f", columns, value);
    }
}

/* Conditions that lay a deployment out, as they are named in a cell. */
static const struct {
    enum anchor_condition condition;
    const char *name;
} LAYOUT[] = {
    {CONDITION_TP, "tp"}, {CONDITION_PP, "pp"}, {CONDITION_DP, "dp"}, {CONDITION_EP, "ep"}};

/* "tp4 ep8"; where a source names the devices alone, "8 devices"; "-" where it says neither. */
static const char *layout_text(struct arena *arena, const struct anchor_index *index, int anchor)
{
    double devices = anchor_number(index, anchor, CONDITION_N_DEVICES);
    const char *text = "";
    for (size_t i = 0; text && i < ARRAY_LEN(LAYOUT); i++) {
        double ways = anchor_number(index, anchor, LAYOUT[i].condition);
        if (ways > 1.0 || (ways > 0.0 && LAYOUT[i].condition == CONDITION_TP)) {
            text =
                arena_printf(arena, "%s%s%s%.0f", text, text[0] ? " " : "", LAYOUT[i].name, ways);
        }
    }
    if (text && !text[0] && devices > 0.0) {
        text = arena_printf(arena, "%.0f device%s", devices, devices > 1.0 ? "s" : "");
    }
    return text && text[0] ? text : "-";
}

/* An id that a line holds: a longer one without its middle. */
static const char *line_id(struct arena *arena, const char *id)
{
    size_t length = strlen(id);
    const char *cut = length > ID_COLUMNS ? arena_printf(arena, "%.*s..%s", ID_COLUMNS / 2 - 1, id,
                                                         id + length - (ID_COLUMNS / 2 - 1))
                                          : id;
    return cut ? cut : "?";
}

/* What was measured, on which part, and the id: lines of their own. */
static void put_name(struct json_out *out, const struct catalogue *cat, int anchor)
{
    const struct anchor_point *point = &cat->anchors.points[anchor];
    const char *id = line_id(out->arena, cat->anchors.ids[anchor]);
    const char *text = arena_printf(
        out->arena, "%s on %s: %s", point->model >= 0 ? cat->lib.models[point->model].id : "?",
        point->hardware >= 0 ? cat->lib.hardware[point->hardware].id : "?", id);
    out_text(out, "    ");
    text_wrap(out, text ? text : id, 4, 6);
}

/* Where a source gives inter-token latency alone, that stands for the time per output token. */
static double table_figure(const struct anchor_index *index, int anchor, enum anchor_metric metric)
{
    double value = anchor_figure(index, anchor, metric);
    return isnan(value) && metric == METRIC_TPOT ? anchor_figure(index, anchor, METRIC_ITL) : value;
}

int anchors_render_text(struct json_out *out, const struct catalogue *cat,
                        const struct problem *problem)
{
    const struct anchor_index *index = &cat->anchors;
    struct anchor_near near[PLAN_ANCHORS_MAX];
    int n = anchors_nearest(index, problem, near, PLAN_ANCHORS_MAX);
    if (n == 0) {
        return 0;
    }
    out_printf(out, "  %-12s %-13s %-16s %8s%7s%8s%7s %7s %7s %7s\n", "engine", "weights", "layout",
               "distance", "conc", "in", "out", "TTFT ms", "TPOT ms", "tok/s");
    for (int i = 0; i < n; i++) {
        int anchor = near[i].anchor;
        const struct anchor_point *point = &index->points[anchor];
        out_printf(out, "  %-12s %-13s %-16s %8.2f",
                   point->engine >= 0 ? cat->lib.engines[point->engine].id : "-",
                   point->weights >= 0 ? cat->lib.weight_formats[point->weights].id : "-",
                   layout_text(out->arena, index, anchor), near[i].distance);
        put_count(out, anchor_number(index, anchor, CONDITION_CONCURRENCY), 7);
        put_count(out, anchor_number(index, anchor, CONDITION_INPUT_TOKENS), 8);
        put_count(out, anchor_number(index, anchor, CONDITION_OUTPUT_TOKENS), 7);
        for (size_t j = 0; j < ARRAY_LEN(TABLE_METRICS); j++) {
            put_figure(out, table_figure(index, anchor, TABLE_METRICS[j]));
        }
        out_text(out, "\n");
        put_name(out, cat, anchor);
    }
    return n;
}

/* ---- exact ones ---- */

void anchors_measured(const struct catalogue *cat, const struct problem *problem,
                      struct anchor_measured *figures, int n_figures)
{
    struct anchor_near near[EXACT_SEARCHED];
    int n = anchors_nearest(&cat->anchors, problem, near, EXACT_SEARCHED);
    for (int j = 0; j < n_figures; j++) {
        figures[j].value = (double)NAN;
        figures[j].anchor = NULL;
        for (int i = 0; i < n && isnan(figures[j].value); i++) {
            if (!near[i].exact) {
                continue;
            }
            figures[j].value = anchor_central(&cat->anchors, near[i].anchor, figures[j].metric);
            figures[j].anchor = isnan(figures[j].value) ? NULL : cat->anchors.ids[near[i].anchor];
        }
    }
}
