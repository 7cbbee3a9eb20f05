#include "search.h"

#include <math.h>
#include <string.h>

#include "units.h"

#define SECONDS_PER_HOUR 3600.0
#define TOKENS_PER_MILLION 1e6
/* An open loop finishes what arrives, up to rounding. */
#define RATE_SLACK 1e-6
/* Steps of the front. */
#define STEP_LOG 0.01
#define FIRST_LOG (-7.0)

#define X(ID, NAME) [ID] = NAME,
static const char *const LIMIT_NAMES[LIMIT_COUNT] = {SEARCH_LIMIT_LIST(X)};
static const char *const OBJECTIVE_NAMES[OBJECTIVE_COUNT] = {SEARCH_OBJECTIVE_LIST(X)};
#undef X

const char *search_limit_name(enum search_limit limit)
{
    return LIMIT_NAMES[limit];
}

const char *search_objective_name(enum search_objective objective)
{
    return OBJECTIVE_NAMES[objective];
}

enum search_objective search_objective_parse(const char *name)
{
    int i = 0;

    while (i < OBJECTIVE_COUNT && strcmp(OBJECTIVE_NAMES[i], name) != 0)
        i++;
    return (enum search_objective)i;
}

double search_devices(const struct deployment *dep)
{
    double prefill = dep->disaggregated ? dep->disagg_prefill_devices : 0.0;

    return dep->tp * dep->pp * dep->dp * dep->replicas + prefill;
}

/* Measuring ------------------------------------------------------------------------------------ */

/* By what share a need exceeds what there is. */
static double excess(double need, double limit)
{
    return need > limit ? need / limit - 1.0 : 0.0;
}

/* What does not fit: the weights and overhead, else the longest request that must. */
static double memory_excess(const struct memory_plan *memory)
{
    double spent = memory->weights_bytes + memory->activation_bytes + memory->overhead_bytes;

    if (memory->fits)
        return 0.0;
    if (memory->kv_bytes <= 0.0)
        return fmax(excess(spent, memory->usable_bytes), RATE_SLACK);
    return fmax(excess(memory->needed_tokens, fmax(memory->kv_token_capacity, 1.0)), RATE_SLACK);
}

static void measure_limits(const struct plan *plan, struct search_point *point)
{
    const struct slo *slo = &plan->problem.slo;
    const struct workload *load = &plan->problem.load;
    double *over = point->over;

    over[LIMIT_MEMORY] = memory_excess(&plan->memory);
    over[LIMIT_LENGTH] =
        excess(load->input_tokens + load->output_tokens, plan->problem.dep.max_model_len);
    over[LIMIT_TTFT] = excess(point->ttft_ms, slo->ttft_ms);
    over[LIMIT_TPOT] = excess(point->tpot_ms, slo->tpot_ms);
    over[LIMIT_OUTPUT] = excess(slo->output_tok_s, point->output_tok_s);
    over[LIMIT_RATE] = excess(load->request_rate, plan->requests_s.expected * (1.0 + RATE_SLACK));
}

/* A figure that there is none of ranks last. */
static double or_last(double value)
{
    return isnan(value) ? (double)INFINITY : value;
}

/* What each objective ranks by, first to last. */
static void fill_keys(enum search_objective objective, struct search_point *point)
{
    double cost = or_last(point->usd_per_million_output_tokens);
    const double keys[OBJECTIVE_COUNT][SEARCH_KEYS] = {
        [OBJECTIVE_COST] = {cost, -point->per_device_tok_s, point->e2e_ms, point->devices},
        [OBJECTIVE_THROUGHPUT] = {-point->output_tok_s, point->devices, cost, point->e2e_ms},
        [OBJECTIVE_LATENCY] = {point->e2e_ms, point->tpot_ms, point->devices, cost},
        [OBJECTIVE_DEVICES] = {point->devices, cost, point->e2e_ms, -point->output_tok_s},
    };

    memcpy(point->key, keys[objective], sizeof(point->key));
}

bool search_measure(const struct plan *plan, double usd_per_device_hour,
                    enum search_objective objective, struct search_point *ret_point)
{
    struct search_point point = {.equals = 1};

    if (plan->memory.fits && (isnan(plan->ttft_ms.expected) || isnan(plan->tpot_ms.expected) ||
                              isnan(plan->output_tok_s.expected)))
        return false;
    point.devices = search_devices(&plan->problem.dep);
    point.ttft_ms = plan->ttft_ms.expected;
    point.tpot_ms = plan->tpot_ms.expected;
    point.e2e_ms = plan->e2e_ms.expected;
    point.output_tok_s = plan->output_tok_s.expected;
    point.per_user_tok_s = plan->per_user_tok_s.expected;
    point.per_device_tok_s = point.output_tok_s / point.devices;
    point.usd_per_hour = usd_per_device_hour * point.devices;
    point.usd_per_million_output_tokens =
        point.usd_per_hour / (point.output_tok_s * SECONDS_PER_HOUR) * TOKENS_PER_MILLION;
    measure_limits(plan, &point);
    fill_keys(objective, &point);
    *ret_point = point;
    return true;
}

double search_excess(const struct search_point *point, enum search_limit *ret_limit)
{
    int worst = 0;

    for (int i = 1; i < LIMIT_COUNT; i++)
        if (point->over[i] > point->over[worst])
            worst = i;
    *ret_limit = (enum search_limit)worst;
    return point->over[worst];
}

/* Ranking -------------------------------------------------------------------------------------- */

bool search_before(const struct search_point *a, const struct search_point *b)
{
    for (int i = 0; i < SEARCH_KEYS; i++)
        if (a->key[i] != b->key[i])
            return a->key[i] < b->key[i];
    if (a->changes != b->changes)
        return a->changes < b->changes;
    return a->index < b->index;
}

/* Equal, or both not there. */
static bool same(double a, double b)
{
    return a == b || (isnan(a) && isnan(b));
}

bool search_alike(const struct search_point *a, const struct search_point *b)
{
    return same(a->ttft_ms, b->ttft_ms) && same(a->tpot_ms, b->tpot_ms) &&
           same(a->output_tok_s, b->output_tok_s) && same(a->e2e_ms, b->e2e_ms) &&
           same(a->usd_per_hour, b->usd_per_hour) && a->devices == b->devices && a->kind == b->kind;
}

static void remove_at(struct search_pool *pool, int at)
{
    memmove(&pool->points[at], &pool->points[at + 1],
            (size_t)(pool->n - at - 1) * sizeof(pool->points[0]));
    pool->n--;
}

void search_pool_offer(struct search_pool *pool, const struct search_point *point)
{
    struct search_point offered = *point;

    if (pool->n == pool->max && !search_before(point, &pool->points[pool->n - 1]) &&
        pool->points[pool->n - 1].key[0] < point->key[0])
        return;
    for (int i = 0; i < pool->n; i++) {
        if (!search_alike(&pool->points[i], point))
            continue;
        if (!search_before(point, &pool->points[i])) {
            pool->points[i].equals += point->equals;
            return;
        }
        offered.equals += pool->points[i].equals;
        remove_at(pool, i);
        break;
    }
    int at = pool->n;
    while (at > 0 && search_before(&offered, &pool->points[at - 1]))
        at--;
    memmove(&pool->points[at + 1], &pool->points[at],
            (size_t)(pool->n - at) * sizeof(pool->points[0]));
    pool->points[at] = offered;
    if (pool->n < pool->max)
        pool->n++;
}

void search_pool_merge(struct search_pool *pool, const struct search_pool *other)
{
    for (int i = 0; i < other->n; i++)
        search_pool_offer(pool, &other->points[i]);
}

/* The front ------------------------------------------------------------------------------------ */

/* Whether `a` stands for a step before `b`. */
static bool is_better_in_step(const struct search_point *a, const struct search_point *b)
{
    if (a->per_device_tok_s != b->per_device_tok_s)
        return a->per_device_tok_s > b->per_device_tok_s;
    if (a->per_user_tok_s != b->per_user_tok_s)
        return a->per_user_tok_s > b->per_user_tok_s;
    return search_before(a, b);
}

void search_front_offer(struct search_front *front, const struct search_point *point)
{
    if (!(point->per_user_tok_s > 0.0) || !(point->per_device_tok_s > 0.0))
        return;
    double step = (log(point->per_user_tok_s) - FIRST_LOG) / STEP_LOG;
    int at = (int)fmin(fmax(step, 0.0), SEARCH_FRONT_STEPS - 1);
    if (front->taken[at] && !is_better_in_step(point, &front->best[at]))
        return;
    front->best[at] = *point;
    front->taken[at] = true;
}

void search_front_merge(struct search_front *front, const struct search_front *other)
{
    for (int i = 0; i < SEARCH_FRONT_STEPS; i++)
        if (other->taken[i])
            search_front_offer(front, &other->best[i]);
}

int search_front_list(const struct search_front *front, int max, struct search_point *ret_points)
{
    double most = 0.0;
    int n = 0, total = 0;

    for (int i = SEARCH_FRONT_STEPS - 1; i >= 0; i--) {
        if (!front->taken[i] || front->best[i].per_device_tok_s <= most)
            continue;
        most = front->best[i].per_device_tok_s;
        total++;
    }
    most = 0.0;
    for (int i = SEARCH_FRONT_STEPS - 1, seen = 0; i >= 0; i--) {
        if (!front->taken[i] || front->best[i].per_device_tok_s <= most)
            continue;
        most = front->best[i].per_device_tok_s;
        /* of more than there is room for, both ends and evenly between */
        if (total <= max || seen * (long)(max - 1) / (total - 1) == n)
            ret_points[n++] = front->best[i];
        seen++;
    }
    return n;
}

/* The tally ------------------------------------------------------------------------------------ */

static void take_nearest(struct search_tally *tally, const struct search_point *point)
{
    enum search_limit limit;
    double by = search_excess(point, &limit), least = search_excess(&tally->nearest, &limit);

    if (tally->has_nearest &&
        (by > least || (by == least && !search_before(point, &tally->nearest))))
        return;
    tally->nearest = *point;
    tally->has_nearest = true;
}

void search_tally_count(struct search_tally *tally, const struct search_point *point)
{
    enum search_limit limit;

    if (!(search_excess(point, &limit) > 0.0)) {
        tally->feasible++;
        return;
    }
    for (int i = 0; i < LIMIT_COUNT; i++)
        tally->fails[i] += point->over[i] > 0.0 ? 1 : 0;
    take_nearest(tally, point);
}

void search_tally_merge(struct search_tally *tally, const struct search_tally *other)
{
    tally->feasible += other->feasible;
    for (int i = 0; i < LIMIT_COUNT; i++)
        tally->fails[i] += other->fails[i];
    if (other->has_nearest)
        take_nearest(tally, &other->nearest);
}
