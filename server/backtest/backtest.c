#include "backtest.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "backtest_classes.h"

#define X(ID, NAME) [ID] = NAME,
static const char *const SET_NAMES[] = {BACKTEST_SET_LIST(X)};
static const char *const DIMENSION_NAMES[] = {BACKTEST_DIMENSION_LIST(X)};
#undef X

const char *backtest_set_name(enum backtest_set set)
{
    return set < SET_COUNT ? SET_NAMES[set] : NULL;
}

enum backtest_set backtest_set_parse(const char *name)
{
    int i = 0;
    while (i < SET_COUNT && strcmp(SET_NAMES[i], name) != 0)
        i++;
    return (enum backtest_set)i;
}

enum holdout backtest_set_holdout(enum backtest_set set)
{
    static const enum holdout HOLDOUTS[] = {
        [SET_CALIBRATED] = HOLDOUT_CELL, [SET_OTHER] = HOLDOUT_RUN, [SET_LOCAL] = HOLDOUT_NONE};

    return HOLDOUTS[set];
}

const char *backtest_dimension_name(enum backtest_dimension by)
{
    return by < DIMENSION_COUNT ? DIMENSION_NAMES[by] : NULL;
}

double backtest_error(const struct backtest_row *row, enum holdout holdout)
{
    return (double)row->by[holdout].predicted / row->measured - 1.0;
}

const char *backtest_value_name(const struct backtest *backtest, const struct catalogue *catalogue,
                                enum backtest_dimension by, int value)
{
    const struct library *lib = &catalogue->lib;
    switch (by) {
    case BY_ALL:
        return "all";
    case BY_ENGINE:
        return lib->engines[value].id;
    case BY_HARDWARE:
        return lib->hardware[value].id;
    case BY_MODEL:
        return lib->models[value].id;
    case BY_WEIGHTS:
        return lib->weight_formats[value].id;
    case BY_CONCURRENCY:
        return concurrency_class_name(value);
    case BY_INPUT:
        return input_class_name(value);
    case BY_NEARNESS:
        return interval_tier_name((enum interval_tier)value);
    case BY_SOURCE:
        return backtest->sources[value].id;
    case DIMENSION_COUNT:
        break;
    }
    return NULL;
}

/* ---- choices ---- */

static bool is_chosen(const struct backtest_choice *choice, const struct backtest_row *row)
{
    if (row->set != choice->set ||
        (choice->metric != ANCHOR_METRIC_COUNT && row->metric != choice->metric))
        return false;
    for (int by = 0; by < DIMENSION_COUNT; by++)
        if (choice->value[by] >= 0 && row->value[by] != choice->value[by])
            return false;
    return true;
}

int backtest_choose(const struct backtest *backtest, const struct backtest_choice *choice,
                    unsigned char *keep)
{
    int n = 0;
    for (int i = 0; i < backtest->n; i++) {
        keep[i] = is_chosen(choice, &backtest->rows[i]);
        n += keep[i];
    }
    return n;
}

/* ---- groups ---- */

/* Groups being filled: every value of the dimension has one per metric. */
struct grouping {
    const struct backtest *backtest;
    const unsigned char *keep;
    enum backtest_dimension by;
    struct backtest_group *groups;
    int n_values;
    /* of each group, for the prediction at hand: rows seen, rows judged, and of these inside */
    int *seen;
};

static int metric_index(enum anchor_metric metric)
{
    int i = 0;
    while (forecast_metric(i) != metric)
        i++;
    return i;
}

static int group_of(const struct grouping *grouping, const struct backtest_row *row)
{
    return metric_index(row->metric) * grouping->n_values + row->value[grouping->by];
}

static double share(int part, int whole)
{
    return whole > 0 ? (double)part / whole : (double)NAN;
}

static void count_rows(struct grouping *grouping, enum holdout holdout)
{
    int n_groups = grouping->n_values * FORECAST_METRICS;
    int *counts = grouping->seen; /* judged and inside, judged and covered, of each group */
    memset(counts, 0, (size_t)n_groups * 4 * sizeof(*counts));
    for (int i = 0; i < grouping->backtest->n; i++) {
        const struct backtest_row *row = &grouping->backtest->rows[i];
        if (!grouping->keep[i])
            continue;
        int at = group_of(grouping, row);
        grouping->groups[at].n += holdout == HOLDOUT_NONE;
        grouping->groups[at].errors[holdout].n += !isnan((double)row->by[holdout].predicted);
        counts[4 * at] += row->inside[holdout] != JUDGED_NOT;
        counts[4 * at + 1] += row->inside[holdout] == JUDGED_INSIDE;
        counts[4 * at + 2] += row->covered[holdout] != JUDGED_NOT;
        counts[4 * at + 3] += row->covered[holdout] == JUDGED_INSIDE;
    }
    for (int at = 0; at < n_groups; at++) {
        struct backtest_errors *errors = &grouping->groups[at].errors[holdout];
        errors->inside = share(counts[4 * at + 1], counts[4 * at]);
        errors->covered = share(counts[4 * at + 3], counts[4 * at + 2]);
    }
}

/* Rank, from 1, of the q-quantile of n values: the least value that q of all do not exceed. */
static int rank(double q, int n)
{
    return (int)ceil(q * n - 1e-9);
}

/* Walks rows in order of their errors; the row at a group's rank gives its quantile. */
static void find_quantiles(struct grouping *grouping, enum holdout holdout, bool by_size)
{
    const struct backtest *backtest = grouping->backtest;
    const int *order = by_size ? backtest->by_size[holdout] : backtest->by_error[holdout];
    memset(grouping->seen, 0,
           (size_t)grouping->n_values * FORECAST_METRICS * sizeof(*grouping->seen));
    for (int i = 0; i < backtest->n_predicted[holdout]; i++) {
        const struct backtest_row *row = &backtest->rows[order[i]];
        if (!grouping->keep[order[i]])
            continue;
        int at = group_of(grouping, row);
        struct backtest_errors *errors = &grouping->groups[at].errors[holdout];
        double error = backtest_error(row, holdout);
        int seen = ++grouping->seen[at];
        if (!by_size && seen == rank(0.5, errors->n))
            errors->bias = error;
        if (by_size && seen == rank(0.5, errors->n))
            errors->median = fabs(error);
        if (by_size && seen == rank(0.9, errors->n))
            errors->p90 = fabs(error);
    }
}

/* Metrics in their order, the largest group of each first, then by value. */
static int by_metric_and_size(const void *a, const void *b)
{
    const struct backtest_group *left = a, *right = b;
    int metrics = metric_index(left->metric) - metric_index(right->metric);
    if (metrics != 0)
        return metrics;
    return left->n != right->n ? right->n - left->n : left->value - right->value;
}

static void clear_group(const struct grouping *grouping, int at)
{
    struct backtest_group *group = &grouping->groups[at];
    *group = (struct backtest_group){.by = grouping->by,
                                     .value = at % grouping->n_values,
                                     .metric = forecast_metric(at / grouping->n_values)};
    for (int i = 0; i < HOLDOUT_COUNT; i++)
        group->errors[i] = (struct backtest_errors){0, NAN, NAN, NAN, NAN, NAN};
}

const struct backtest_group *backtest_groups(const struct backtest *backtest,
                                             const unsigned char *keep, enum backtest_dimension by,
                                             struct arena *arena, int *ret_n)
{
    struct grouping grouping = {.backtest = backtest, .keep = keep, .by = by, .n_values = 1};
    for (int i = 0; i < backtest->n; i++)
        if (backtest->rows[i].value[by] >= grouping.n_values)
            grouping.n_values = backtest->rows[i].value[by] + 1;
    int n_groups = grouping.n_values * FORECAST_METRICS, n = 0;
    grouping.groups = arena_alloc_raw(arena, (size_t)n_groups * sizeof(*grouping.groups));
    grouping.seen = arena_alloc_raw(arena, (size_t)n_groups * 4 * sizeof(*grouping.seen));
    if (grouping.groups == NULL || grouping.seen == NULL)
        return NULL;
    for (int at = 0; at < n_groups; at++)
        clear_group(&grouping, at);
    for (int holdout = 0; holdout < HOLDOUT_COUNT; holdout++) {
        count_rows(&grouping, (enum holdout)holdout);
        find_quantiles(&grouping, (enum holdout)holdout, false);
        find_quantiles(&grouping, (enum holdout)holdout, true);
    }
    for (int at = 0; at < n_groups; at++)
        if (grouping.groups[at].n > 0)
            grouping.groups[n++] = grouping.groups[at];
    qsort(grouping.groups, (size_t)n, sizeof(*grouping.groups), by_metric_and_size);
    *ret_n = n;
    return grouping.groups;
}
