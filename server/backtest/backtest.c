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

/* Rows of a group with a prediction, and their ranks, from 1, that are looked for. */
struct tally {
    int seen, half, nine_tenths;
    int judged, inside, held, covered;
};

/* Groups being filled: values of the dimension have one per metric. */
struct grouping {
    const struct backtest *backtest;
    enum backtest_dimension by;
    int n_groups;
    struct backtest_group *groups;
    struct tally *tallies; /* of each group, for the prediction at hand */
    int *group_of;         /* of each row; -1 = it is not chosen */
};

static int metric_index(enum anchor_metric metric)
{
    int i = 0;
    while (forecast_metric(i) != metric)
        i++;
    return i;
}

static double share(int part, int whole)
{
    return whole > 0 ? (double)part / whole : (double)NAN;
}

/* Rank of the q-quantile of n values: the least value that q of all do not exceed. */
static int rank(double q, int n)
{
    return (int)ceil(q * n - 1e-9);
}

static void count_rows(struct grouping *grouping, enum holdout holdout)
{
    memset(grouping->tallies, 0, (size_t)grouping->n_groups * sizeof(*grouping->tallies));
    for (int i = 0; i < grouping->backtest->n; i++) {
        const struct backtest_row *row = &grouping->backtest->rows[i];
        if (grouping->group_of[i] < 0)
            continue;
        struct tally *tally = &grouping->tallies[grouping->group_of[i]];
        tally->seen += !isnan((double)row->by[holdout].predicted);
        tally->judged += row->inside[holdout] != JUDGED_NOT;
        tally->inside += row->inside[holdout] == JUDGED_INSIDE;
        tally->held += row->covered[holdout] != JUDGED_NOT;
        tally->covered += row->covered[holdout] == JUDGED_INSIDE;
    }
    for (int at = 0; at < grouping->n_groups; at++) {
        struct backtest_errors *errors = &grouping->groups[at].errors[holdout];
        struct tally *tally = &grouping->tallies[at];
        errors->n = tally->seen;
        errors->inside = share(tally->inside, tally->judged);
        errors->covered = share(tally->covered, tally->held);
        tally->half = rank(0.5, errors->n);
        tally->nine_tenths = rank(0.9, errors->n);
    }
}

/* The error at the ranks of a group: the median of signed errors, or of their sizes with the p90.
 */
static void take_error(const struct tally *tally, bool by_size, double error,
                       struct backtest_errors *errors)
{
    if (!by_size && tally->seen == tally->half)
        errors->bias = error;
    if (by_size && tally->seen == tally->half)
        errors->median = fabs(error);
    if (by_size && tally->seen == tally->nine_tenths)
        errors->p90 = fabs(error);
}

/* Walks rows in order of their errors; the row at a group's rank gives its quantile. */
static void find_quantiles(struct grouping *grouping, enum holdout holdout, bool by_size)
{
    const struct backtest *backtest = grouping->backtest;
    const int *order = by_size ? backtest->by_size[holdout] : backtest->by_error[holdout];
    for (int at = 0; at < grouping->n_groups; at++)
        grouping->tallies[at].seen = 0;
    for (int i = 0; i < backtest->n_predicted[holdout]; i++) {
        int at = grouping->group_of[order[i]];
        if (at < 0)
            continue;
        struct tally *tally = &grouping->tallies[at];
        tally->seen++;
        if (tally->seen == tally->half || tally->seen == tally->nine_tenths)
            take_error(tally, by_size, backtest_error(&backtest->rows[order[i]], holdout),
                       &grouping->groups[at].errors[holdout]);
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

/* Numbers the groups that rows are in; `numbers` has one element per value and metric, all -1. */
static void number_groups(struct grouping *grouping, const unsigned char *keep, int *numbers)
{
    const struct backtest *backtest = grouping->backtest;
    for (int i = 0; i < backtest->n; i++) {
        const struct backtest_row *row = &backtest->rows[i];
        int *number = &numbers[row->value[grouping->by] * FORECAST_METRICS + row->metric_at];
        grouping->group_of[i] = -1;
        if (!keep[i])
            continue;
        if (*number < 0)
            *number = grouping->n_groups++;
        grouping->group_of[i] = *number;
    }
}

/* Empty groups, and the group of each row. False without memory. */
static bool begin(struct grouping *grouping, const unsigned char *keep, struct arena *arena)
{
    const struct backtest *backtest = grouping->backtest;
    int n_values = 1;
    for (int i = 0; i < backtest->n; i++)
        if (backtest->rows[i].value[grouping->by] >= n_values)
            n_values = backtest->rows[i].value[grouping->by] + 1;
    size_t most = (size_t)n_values * FORECAST_METRICS;
    int *numbers = arena_alloc_raw(arena, most * sizeof(*numbers));
    grouping->group_of = arena_alloc_raw(arena, ((size_t)backtest->n + 1) * sizeof(int));
    if (numbers == NULL || grouping->group_of == NULL)
        return false;
    memset(numbers, -1, most * sizeof(*numbers));
    number_groups(grouping, keep, numbers);
    size_t n = (size_t)grouping->n_groups + 1;
    grouping->groups = arena_alloc(arena, n * sizeof(*grouping->groups));
    grouping->tallies = arena_alloc_raw(arena, n * sizeof(*grouping->tallies));
    if (grouping->groups == NULL || grouping->tallies == NULL)
        return false;
    for (int i = 0; i < backtest->n; i++) {
        const struct backtest_row *row = &backtest->rows[i];
        if (grouping->group_of[i] < 0)
            continue;
        struct backtest_group *group = &grouping->groups[grouping->group_of[i]];
        group->by = grouping->by;
        group->value = row->value[grouping->by];
        group->metric = row->metric;
        group->n++;
    }
    return true;
}

const struct backtest_group *backtest_groups(const struct backtest *backtest,
                                             const unsigned char *keep, enum backtest_dimension by,
                                             struct arena *arena, int *ret_n)
{
    struct grouping grouping = {.backtest = backtest, .by = by};
    if (!begin(&grouping, keep, arena))
        return NULL;
    for (int i = 0; i < HOLDOUT_COUNT; i++) {
        enum holdout holdout = (enum holdout)i;
        for (int at = 0; at < grouping.n_groups; at++)
            grouping.groups[at].errors[i] = (struct backtest_errors){0, NAN, NAN, NAN, NAN, NAN};
        count_rows(&grouping, holdout);
        find_quantiles(&grouping, holdout, false);
        find_quantiles(&grouping, holdout, true);
    }
    qsort(grouping.groups, (size_t)grouping.n_groups, sizeof(*grouping.groups), by_metric_and_size);
    *ret_n = grouping.n_groups;
    return grouping.groups;
}
