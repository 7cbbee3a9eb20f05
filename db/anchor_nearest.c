/*
 * anchor_nearest.c - the measurements nearest to what is asked.
 */
#include <math.h>

#include "anchor_index.h"

/* A ranking of at most `max`, kept sorted while candidates come. */
struct ranking {
    const struct anchor_index *index;
    const struct anchor_point *asked;
    enum anchor_metric metric;
    struct anchor_near *near;
    int n, max;
};

static void rank(struct ranking *ranking, int anchor)
{
    const struct anchor_index *index = ranking->index;
    double distance = anchor_distance(ranking->asked, &index->points[anchor]);
    if ((index->flags[anchor] & ANCHOR_DISPUTED) ||
        (ranking->metric != ANCHOR_METRIC_COUNT &&
         isnan(anchor_figure(index, anchor, ranking->metric))) ||
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

/* Ranks by_model[from..to) but for [skip_from..skip_to). */
static void rank_models(struct ranking *ranking, int from, int to, int skip_from, int skip_to)
{
    for (int i = from; i < to; i++) {
        if (i < skip_from || i >= skip_to) {
            rank(ranking, ranking->index->by_model[i]);
        }
    }
}

/* Ranks the anchors of a part that are of another model. */
static void rank_part(struct ranking *ranking, int part, int model)
{
    const struct anchor_index *index = ranking->index;
    for (int i = index->part_start[part]; i < index->part_start[part + 1]; i++) {
        if (index->points[index->by_part[i]].model != model) {
            rank(ranking, index->by_part[i]);
        }
    }
}

/* Ranks whatever was measured, of any model and part and of kinds too that no plan is compared
 * with: memory, host, launches, links. */
static void rank_measured(struct ranking *ranking)
{
    const struct anchor_index *index = ranking->index;
    for (int i = 0; i < index->n; i++) {
        if (index->kinds[i] != ANCHOR_STUDY && index->kinds[i] != ANCHOR_STATEMENT) {
            rank(ranking, i);
        }
    }
}

int anchors_nearest_point(const struct anchor_index *index, const struct anchor_point *asked,
                          enum anchor_metric metric, struct anchor_near *ret_near, int max)
{
    struct ranking ranking = {index, asked, metric, ret_near, 0, max};
    bool of_model = asked->model >= 0;
    bool of_part = asked->hardware >= 0;
    int from = of_model ? index->model_start[asked->model] : 0;
    int to = of_model ? index->model_start[asked->model + 1] : 0;
    int first = part_lower_bound(index, from, to, asked->hardware);
    int end = part_lower_bound(index, first, to, asked->hardware + 1);
    if (max <= 0) {
        return 0;
    }
    rank_models(&ranking, first, end, 0, 0);
    if (ranking.n < max) {
        rank_models(&ranking, from, to, first, end);
        if (of_part) {
            rank_part(&ranking, asked->hardware, asked->model);
        }
    }
    if (!of_model && !of_part) {
        rank_models(&ranking, 0, index->n_compared, 0, 0);
    }
    if (ranking.n == 0) {
        rank_measured(&ranking);
    }
    if (ranking.n == 0) {
        ranking.metric = ANCHOR_METRIC_COUNT;
        rank_models(&ranking, 0, index->n_compared, 0, 0);
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
    return anchors_nearest_point(index, &asked, ANCHOR_METRIC_COUNT, ret_near, max);
}
