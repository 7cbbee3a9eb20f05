#include "search_answer.h"

#include <math.h>
#include <string.h>

#include "request_limits.h"

static void add_points(struct search_answer *answer, const struct search_point *points, int n)
{
    for (int i = 0; i < n; i++) {
        bool known = false;
        for (int k = 0; k < answer->n_indexes; k++)
            known = known || answer->indexes[k] == points[i].index;
        if (!known)
            answer->indexes[answer->n_indexes++] = points[i].index;
    }
}

struct search_answer *search_answer_begin(const struct space *space,
                                          const struct search_found *found, struct arena *arena,
                                          struct arena *scratch)
{
    struct search_answer *answer = arena_alloc(arena, sizeof(*answer));
    struct search_point *front = arena_alloc(arena, SEARCH_FRONT_MAX * sizeof(*front));
    size_t most = (size_t)found->best.n + (size_t)found->near.n + SEARCH_FRONT_MAX + 1;

    if (!answer || !front)
        return NULL;
    *answer =
        (struct search_answer){.space = space, .found = found, .arena = arena, .scratch = scratch};
    answer->ranked.max = space->limit;
    answer->ranked.points =
        arena_alloc(arena, ((size_t)space->limit + 1) * sizeof(*answer->ranked.points));
    answer->front = arena_alloc(arena, sizeof(*answer->front));
    answer->indexes = arena_alloc(arena, most * sizeof(*answer->indexes));
    answer->items = arena_alloc(arena, (size_t)space->limit * sizeof(*answer->items));
    answer->pareto = arena_alloc(arena, SEARCH_FRONT_MAX * sizeof(*answer->pareto));
    if (!answer->ranked.points || !answer->front || !answer->indexes || !answer->items ||
        !answer->pareto)
        return NULL;
    add_points(answer, found->best.points, found->best.n);
    add_points(answer, found->near.points, found->near.n);
    add_points(answer, front, search_front_list(found->front, SEARCH_FRONT_MAX, front));
    return answer;
}

/* How many candidates a kept one stands for, as the scan counted. */
static long equals_of(const struct search_found *found, long index)
{
    const struct search_pool *const pools[] = {&found->best, &found->near};

    for (size_t i = 0; i < ARRAY_LEN(pools); i++)
        for (int k = 0; k < pools[i]->n; k++)
            if (pools[i]->points[k].index == index)
                return pools[i]->points[k].equals;
    return 1;
}

/* Tokens of a page: lengths are told in whole ones. */
#define LENGTH_STEP 16.0

/* The longest request to tell the engine, where its pool is too small for one as long as the model
 * takes and it would refuse to start: what fits at the low end of the pool's range. NAN = none. */
static double length_to_tell(const struct plan_request *request, const struct plan *plan)
{
    const struct workload *load = &plan->problem.load;
    double least = check_longest_context(&plan->problem, &plan->memory);

    least = floor(least / LENGTH_STEP) * LENGTH_STEP;
    bool told = request->given[FIELD_ID_MAX_MODEL_LEN] ||
                plan->problem.dep.engine->memory_rule == MEMORY_LLAMACPP;
    bool needed = plan->memory.fits && least < plan->problem.dep.max_model_len &&
                  least >= load->input_tokens + load->output_tokens;
    return needed && !told ? least : (double)NAN;
}

/* Plans a candidate as its own route does, up to cures. */
static bool plan_item(const struct search_answer *answer, struct arena *arena, long index,
                      struct search_item *ret_item)
{
    const struct check_asked asked = {.devices = NAN};
    const struct space *space = answer->space;

    if (!search_plan(space, arena, index, NAN, &ret_item->request, &ret_item->plan,
                     &ret_item->point))
        return false;
    double length = length_to_tell(&ret_item->request, &ret_item->plan);
    if (!isnan(length) && !search_plan(space, arena, index, length, &ret_item->request,
                                       &ret_item->plan, &ret_item->point))
        return false;
    ret_item->point.equals = equals_of(answer->found, index);
    check_plan(&ret_item->plan, &asked, &ret_item->checks);
    return true;
}

static void take_nearest(struct search_answer *answer)
{
    if (answer->n_items > 0 || !answer->found->tally.has_nearest)
        return;
    struct search_item *item = arena_alloc(answer->arena, sizeof(*item));
    if (item && plan_item(answer, answer->arena, answer->found->tally.nearest.index, item))
        answer->nearest = item;
}

static bool find_commands(const struct search_answer *answer, struct search_item *item)
{
    struct faults *faults = arena_alloc(answer->arena, sizeof(*faults));
    const struct intake intake = {answer->space->catalogue, answer->arena, faults, ""};

    if (!faults)
        return false;
    faults_init(faults, answer->arena);
    return search_commands(&intake, &item->request, &item->commands);
}

static void complete(struct search_answer *answer)
{
    struct search_item *scratch = arena_alloc(answer->arena, sizeof(*scratch));
    struct search_point front[SEARCH_FRONT_MAX];
    int n = search_front_list(answer->front, SEARCH_FRONT_MAX, front);

    for (int i = 0; i < answer->ranked.n; i++) {
        struct search_item *item = &answer->items[answer->n_items];
        if (plan_item(answer, answer->arena, answer->ranked.points[i].index, item) &&
            find_commands(answer, item)) {
            item->point.equals = answer->ranked.points[i].equals;
            answer->n_items++;
        }
    }
    for (int i = 0; scratch && i < n; i++) {
        struct front_item *item = &answer->pareto[answer->n_pareto];
        if (!plan_item(answer, answer->arena, front[i].index, scratch))
            continue;
        item->point = scratch->point;
        item->request = scratch->request;
        answer->n_pareto++;
    }
    take_nearest(answer);
}

bool search_answer_step(struct search_answer *answer)
{
    enum search_limit limit;

    if (answer->done > answer->n_indexes)
        return false;
    if (answer->done++ == answer->n_indexes) {
        complete(answer);
        return false;
    }
    arena_reset(answer->scratch);
    struct search_item *item = arena_alloc_raw(answer->scratch, sizeof(*item));
    if (item && plan_item(answer, answer->scratch, answer->indexes[answer->done - 1], item)) {
        bool fits = !(item->point.over[LIMIT_MEMORY] > 0.0);
        if (!(search_excess(&item->point, &limit) > 0.0))
            search_pool_offer(&answer->ranked, &item->point);
        if (fits)
            search_front_offer(answer->front, &item->point);
    }
    return true;
}

const char *search_slo_verdict(const struct search_item *item)
{
    static const enum check_id OBJECTIVES[] = {CHECK_TTFT, CHECK_TPOT, CHECK_OUTPUT_RATE,
                                               CHECK_ARRIVALS};

    bool asked = false;
    enum check_verdict worst = CHECK_PASS;

    for (size_t i = 0; i < ARRAY_LEN(OBJECTIVES); i++) {
        const struct check *check = check_find(&item->checks, OBJECTIVES[i]);
        if (!check)
            continue;
        asked = true;
        if (check->verdict == CHECK_FAIL || worst == CHECK_PASS)
            worst = check->verdict;
    }
    return asked ? check_verdict_name(worst) : NULL;
}
