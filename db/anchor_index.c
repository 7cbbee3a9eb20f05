/*
 * anchor_index.c - look-ups among the anchors of a snapshot.
 */
#include "anchor_index.h"

#include <math.h>
#include <string.h>

double anchor_number(const struct anchor_index *index, int anchor, enum anchor_condition condition)
{
    for (int i = index->condition_start[anchor]; i < index->condition_start[anchor + 1]; i++) {
        if (index->condition_what[i] == condition) {
            return index->condition_value[i];
        }
    }
    return NAN;
}

double anchor_figure(const struct anchor_index *index, int anchor, enum anchor_metric metric)
{
    for (int i = index->metric_start[anchor]; i < index->metric_start[anchor + 1]; i++) {
        if (index->metric_what[i] == metric && index->metric_statistic[i] != STATISTIC_STDDEV) {
            return index->metric_value[i];
        }
    }
    return NAN;
}

double anchor_central(const struct anchor_index *index, int anchor, enum anchor_metric metric)
{
    double found = NAN;
    for (int i = index->metric_start[anchor]; i < index->metric_start[anchor + 1]; i++) {
        if (index->metric_what[i] != metric) {
            continue;
        }
        if (index->metric_statistic[i] == STATISTIC_MEAN) {
            return index->metric_value[i];
        }
        if (index->metric_statistic[i] == STATISTIC_UNSTATED) {
            found = index->metric_value[i];
        }
    }
    return found;
}

double anchor_mean(const struct anchor_index *index, int anchor, enum interval_metric metric)
{
    static const enum anchor_metric OF[] = {
        [INTERVAL_TPOT] = METRIC_TPOT, [INTERVAL_TTFT] = METRIC_TTFT};

    for (int i = index->metric_start[anchor]; i < index->metric_start[anchor + 1]; i++) {
        if (index->metric_what[i] == OF[metric] && index->metric_statistic[i] == STATISTIC_MEAN) {
            return index->metric_value[i];
        }
    }
    return NAN;
}

int anchor_find(const struct anchor_index *index, const char *id)
{
    int low = 0;
    int high = index->n;
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (strcmp(index->ids[middle], id) < 0) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < index->n && strcmp(index->ids[low], id) == 0 ? low : -1;
}

int anchor_of_number(const struct anchor_index *index, int64_t number)
{
    int low = 0;
    int high = index->n;
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (index->numbers[middle] < number) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < index->n && index->numbers[low] == number ? index->number_anchor[low] : -1;
}

void anchor_numbers(const struct anchor_index *index, int anchor,
                    double ret_numbers[CONDITION_COUNT])
{
    for (int i = 0; i < CONDITION_COUNT; i++) {
        ret_numbers[i] = NAN;
    }
    for (int i = index->condition_start[anchor]; i < index->condition_start[anchor + 1]; i++) {
        ret_numbers[index->condition_what[i]] = index->condition_value[i];
    }
}
