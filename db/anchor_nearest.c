/*
 * anchor_nearest.c - the measurements nearest to what is asked.
 */
#include <math.h>

#include "anchor_index.h"

/* A ranking of at most `max`, kept sorted while candidates come. */
struct ranking {
    const struct anchor_index *index;
    const struct anchor_point *asked;
    struct anchor_near *near;
    int n, max;
};

static void rank(struct ranking *ranking, int anchor)
{
    double distance = anchor_distance(ranking->asked, &ranking->index->points[anchor]);
    if (isnan(distance) ||
        (ranking->n == ranking->max && distance >= ranking->near[ranking->n - 1].distance)) {
        return;
    }
    int at = ranking->n < ranking->max ? ranking->n++ : ranking->n - 1;
    for (; at > 0 && ranking->near[at - 1].distance > distance; at--) {
        ranking->near[at] = ranking->near[at - 1];
    }
    ranking->near[at] = (struct anchor_near){.anchor = anchor, .distance = distance};
}

/* First of by_model[low..high) whose part is not below `part`. */
static int part_lower_bound(const struct anchor_index *index, int low, int high, int part)
{
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (index->points[index->by_model[middle]].hardware < part) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

int anchors_nearest_point(const struct anchor_index *index, const struct anchor_point *asked,
                          struct anchor_near *ret_near, int max)
{
    struct ranking ranking = {index, asked, ret_near, 0, max};
    int from = asked->model >= 0 ? index->model_start[asked->model] : 0;
    int to = asked->model >= 0 ? index->model_start[asked->model + 1] : 0;
    int first = part_lower_bound(index, from, to, asked->hardware);
    int end = part_lower_bound(index, first, to, asked->hardware + 1);
    if (max <= 0) {
        return 0;
    }
    for (int i = first; i < end; i++) {
        rank(&ranking, index->by_model[i]);
    }
    if (end - first < max) {
        for (int i = from; i < to; i++) {
            if (i < first || i >= end) {
                rank(&ranking, index->by_model[i]);
            }
        }
    }
    if (end - first < max && asked->hardware >= 0) {
        for (int i = index->part_start[asked->hardware]; i < index->part_start[asked->hardware + 1];
             i++) {
            if (index->points[index->by_part[i]].model != asked->model) {
                rank(&ranking, index->by_part[i]);
            }
        }
    }
    for (int i = 0; i < ranking.n; i++) {
        ret_near[i].exact = anchor_is_exact(asked, &index->points[ret_near[i].anchor]);
    }
    return ranking.n;
}

int anchors_nearest(const struct anchor_index *index, const struct problem *problem,
                    struct anchor_near *ret_near, int max)
{
    struct anchor_point asked = anchor_point_of(problem);
    return anchors_nearest_point(index, &asked, ret_near, max);
}
