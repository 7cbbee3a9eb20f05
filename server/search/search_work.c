#include "search_work.h"

#include <cjson/cJSON.h>
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "nearness.h"
#include "request_limits.h"

/* A candidate that misses its objectives by less is planned in full before it is given up: a replay
 * moves first tokens most. */
#define NEAR_EXCESS 0.25
/* Candidates that are kept for each one that is asked for, and beside. */
#define KEPT_TIMES 2
#define KEPT_MORE 12

struct search_run {
    const struct space *space;
    pthread_mutex_t mutex;
    struct search_found found;
};

/* Which levels of a worker's request stand: those before are set. */
enum level { LEVEL_GROUP, LEVEL_WEIGHTS, LEVEL_KV_CACHE, LEVEL_LAYOUT, LEVEL_DRAFTS, LEVEL_COUNT };

/* Requests by level, and the place that they stand at. */
struct stand {
    const struct space *space;
    struct intake intake;
    bool stands;
    struct space_place at;
    struct plan_request levels[LEVEL_COUNT];
    int changes[LEVEL_COUNT];
};

struct search_worker {
    struct search_run *run;
    struct arena *arena;
    struct faults faults;
    struct stand stand;
    int layout_refusal; /* of the layout that stands: -1 = none */
    struct plan_request request;
    struct plan plan;
    struct search_found found;
};

const char *search_filter_name(int filter)
{
    static const char *const NAMES[] = {
        [FILTER_WEIGHTS - CHECK_COUNT] = "weights_exceed_memory",
        [FILTER_REFUSED - CHECK_COUNT] = "leaves_do_not_go_together",
        [FILTER_NO_RECORD - CHECK_COUNT] = "no_record",
    };

    return filter < CHECK_COUNT ? check_name((enum check_id)filter) : NAMES[filter - CHECK_COUNT];
}

/* What is kept ----------------------------------------------------------------------------------
 */

static bool found_init(struct search_found *found, const struct space *space)
{
    int kept = KEPT_TIMES * space->limit + KEPT_MORE;

    found->best.points = calloc((size_t)kept + 1, sizeof(*found->best.points));
    found->near.points = calloc((size_t)kept + 1, sizeof(*found->near.points));
    found->front = calloc(1, sizeof(*found->front));
    found->best.max = found->near.max = kept;
    found->n_parts = space->lists[SPACE_HARDWARE].n;
    found->no_record = calloc((size_t)found->n_parts + 1, sizeof(*found->no_record));
    return found->best.points && found->near.points && found->front && found->no_record;
}

static void found_done(struct search_found *found)
{
    free(found->best.points);
    free(found->near.points);
    free(found->front);
    free(found->no_record);
}

static void found_merge(struct search_found *found, const struct search_found *other)
{
    search_pool_merge(&found->best, &other->best);
    search_pool_merge(&found->near, &other->near);
    search_front_merge(found->front, other->front);
    search_tally_merge(&found->tally, &other->tally);
    for (int i = 0; i < FILTER_COUNT; i++)
        found->filtered[i] += other->filtered[i];
    for (int i = 0; i < found->n_parts; i++)
        found->no_record[i] += other->no_record[i];
    found->planned += other->planned;
}

struct search_run *search_run_new(const struct space *space)
{
    struct search_run *run = calloc(1, sizeof(*run));

    if (!run)
        return NULL;
    run->space = space;
    pthread_mutex_init(&run->mutex, NULL);
    if (found_init(&run->found, space))
        return run;
    search_run_free(run);
    return NULL;
}

void search_run_free(struct search_run *run)
{
    if (!run)
        return;
    found_done(&run->found);
    pthread_mutex_destroy(&run->mutex);
    free(run);
}

struct search_found *search_run_found(struct search_run *run)
{
    return &run->found;
}

struct search_worker *search_worker_new(struct search_run *run)
{
    struct search_worker *worker = calloc(1, sizeof(*worker));

    if (!worker)
        return NULL;
    worker->run = run;
    worker->arena = arena_new(SWEEP_ARENA_MAX);
    worker->stand.space = run->space;
    worker->stand.intake =
        (struct intake){run->space->catalogue, worker->arena, &worker->faults, ""};
    if (found_init(&worker->found, run->space) && worker->arena)
        return worker;
    search_worker_free(worker);
    return NULL;
}

void search_worker_free(struct search_worker *worker)
{
    if (!worker)
        return;
    pthread_mutex_lock(&worker->run->mutex);
    if (worker->found.front && worker->found.near.points && worker->found.best.points &&
        worker->found.no_record)
        found_merge(&worker->run->found, &worker->found);
    pthread_mutex_unlock(&worker->run->mutex);
    found_done(&worker->found);
    arena_free(worker->arena);
    free(worker);
}

/* A candidate's request -------------------------------------------------------------------------
 */

static void set_whole(struct plan_request *request, enum field_id id, double value)
{
    memcpy((char *)request + PLAN_FIELDS.rows[id].offset, &value, sizeof(value));
    request->given[id] = true;
}

/* Sets a value of a list; a NULL one leaves the field to its default. Returns whether it could. */
static bool set_value(const struct intake *intake, const struct space_list *list, int at,
                      enum field_id field, struct plan_request *request, int *changes)
{
    const cJSON *value = list->values[at].json;

    if (!value)
        return true;
    *changes += list->n > 1 ? 1 : 0;
    return plan_request_set(intake, request, (int)field, value);
}

static bool set_group(struct stand *stand, const struct space_group *group)
{
    const struct space *space = stand->space;
    struct plan_request *request = &stand->levels[LEVEL_GROUP];

    *request = space->base;
    request->described = (struct described){0};
    stand->changes[LEVEL_GROUP] = 0;
    return plan_request_set(&stand->intake, request, FIELD_ID_MODEL,
                            space->lists[SPACE_MODEL].values[group->model].json) &&
           plan_request_set(&stand->intake, request, FIELD_ID_HARDWARE,
                            space->lists[SPACE_HARDWARE].values[group->hardware].json) &&
           (!group->engine ||
            plan_request_set(&stand->intake, request, FIELD_ID_ENGINE, group->engine));
}

static void set_layout(const struct space_layout *layout, struct plan_request *request,
                       int *changes)
{
    const struct {
        enum field_id field;
        int value;
    } leaves[] = {{FIELD_ID_TP, layout->tp},
                  {FIELD_ID_PP, layout->pp},
                  {FIELD_ID_DP, layout->dp},
                  {FIELD_ID_EP, layout->ep},
                  {FIELD_ID_REPLICAS, layout->replicas}};

    for (size_t i = 0; i < ARRAY_LEN(leaves); i++) {
        if (leaves[i].value == 1 && !request->given[leaves[i].field])
            continue;
        set_whole(request, leaves[i].field, leaves[i].value);
        *changes += leaves[i].value > 1 ? 1 : 0;
    }
    if (layout->prefill == 0)
        return;
    set_whole(request, FIELD_ID_DISAGG_DEVICES, layout->prefill);
    request->problem.dep.disaggregated = true;
    *changes += 1;
}

static bool set_drafts(const struct intake *intake, const struct space_list *list, int at,
                       struct plan_request *request, int *changes)
{
    const cJSON *object = list->given ? list->values[at].json : NULL;

    if (!object)
        return true;
    *changes += 1;
    return space_set_drafts(intake, object, request);
}

static bool set_level(struct stand *stand, const struct space_place *place, enum level level)
{
    const struct space *space = stand->space;
    const struct space_group *group = &space->groups[place->group];
    struct plan_request *request = &stand->levels[level];
    int *changes = &stand->changes[level];

    if (level == LEVEL_GROUP)
        return set_group(stand, group);
    *request = stand->levels[level - 1];
    *changes = stand->changes[level - 1];
    switch (level) {
    case LEVEL_WEIGHTS:
        return set_value(&stand->intake, &group->weights, place->weights, FIELD_ID_WEIGHTS, request,
                         changes);
    case LEVEL_KV_CACHE:
        return set_value(&stand->intake, &group->kv_cache, place->kv_cache, FIELD_ID_KV_CACHE,
                         request, changes);
    case LEVEL_LAYOUT:
        set_layout(&group->layouts[place->layout], request, changes);
        return true;
    case LEVEL_DRAFTS:
        return set_drafts(&stand->intake, &space->lists[SPACE_SPECULATIVE], place->speculative,
                          request, changes);
    case LEVEL_GROUP:
    case LEVEL_COUNT:
        break;
    }
    return true;
}

/* The first level at which two places differ. */
static enum level first_level(const struct stand *stand, const struct space_place *place)
{
    const struct space_place *at = &stand->at;

    if (!stand->stands || at->group != place->group)
        return LEVEL_GROUP;
    if (at->weights != place->weights)
        return LEVEL_WEIGHTS;
    if (at->kv_cache != place->kv_cache)
        return LEVEL_KV_CACHE;
    if (at->layout != place->layout)
        return LEVEL_LAYOUT;
    return at->speculative != place->speculative ? LEVEL_DRAFTS : LEVEL_COUNT;
}

/* Brings the levels to a place; *ret_from the first that was made anew. */
static bool move_to(struct stand *stand, const struct space_place *place, enum level *ret_from)
{
    enum level from = first_level(stand, place);

    *ret_from = from;
    stand->stands = false;
    for (int level = (int)from; level < LEVEL_COUNT; level++)
        if (!set_level(stand, place, (enum level)level))
            return false;
    stand->at = *place;
    stand->stands = true;
    return true;
}

/* The knobs of a place upon the levels. */
static int set_knobs(const struct space *space, const struct space_place *place,
                     struct plan_request *request)
{
    const struct {
        enum space_id id;
        int at;
    } knobs[] = {{SPACE_CHUNK, place->chunk}, {SPACE_SLOTS, place->slots}};

    int changes = 0;

    for (size_t i = 0; i < ARRAY_LEN(knobs); i++) {
        const struct space_list *list = &space->lists[knobs[i].id];
        if (!list->given)
            continue;
        set_whole(request, SPACE_ROWS[knobs[i].id].field, list->values[knobs[i].at].number);
        changes++;
    }
    return changes;
}

/* Refusals ---------------------------------------------------------------------------------------
 */

/* Whether the weights exceed all memory of the devices however they are kept: at the fewest bytes
 * of any role, cut evenly. */
static bool weights_exceed(const struct plan_request *request)
{
    static const enum field_id OFFLOADS[] = {FIELD_ID_CPU_OFFLOAD, FIELD_ID_GPU_LAYERS,
                                             FIELD_ID_CPU_MOE_LAYERS, FIELD_ID_CHECKPOINT_BYTES};
    const struct problem *problem = &request->problem;
    const struct deployment *dep = &problem->dep;
    double fewest = INFINITY;

    if (problem->model->exact || dep->expert_weights)
        return false;
    for (size_t i = 0; i < ARRAY_LEN(OFFLOADS); i++)
        if (request->given[OFFLOADS[i]])
            return false;
    for (int i = 0; i < ROLE_COUNT; i++)
        if (problem->model->params_by_role[i] > 0.0)
            fewest = fmin(fewest, dep->weights->bytes[i]);
    return problem->model->params_total * fewest >
           problem->hw->memory_bytes * dep->tp * dep->pp * dep->dp;
}

/* Resolves the request and says what refuses it; -1 = nothing. */
static int refusal_of(const struct intake *intake, struct plan_request *request)
{
    struct check check;

    faults_init(intake->faults, intake->arena);
    if (!plan_request_resolve(intake, request))
        return FILTER_REFUSED;
    if (check_shape_refused(&request->problem, &check))
        return (int)check.id;
    return weights_exceed(request) ? FILTER_WEIGHTS : -1;
}

/* Refusals that hold whatever the knobs are. */
static bool is_of_layout(int refusal)
{
    return refusal == FILTER_WEIGHTS || (refusal >= 0 && refusal <= CHECK_FORMAT);
}

static int refusal_of_layout(struct search_worker *worker)
{
    worker->request = worker->stand.levels[LEVEL_DRAFTS];
    int refusal = refusal_of(&worker->stand.intake, &worker->request);
    return is_of_layout(refusal) ? refusal : -1;
}

static bool has_knobs(const struct space *space)
{
    return space->lists[SPACE_CHUNK].given || space->lists[SPACE_SLOTS].given;
}

/* Scanning ---------------------------------------------------------------------------------------
 */

static void keep(struct search_worker *worker, const struct search_point *point)
{
    struct search_found *found = &worker->found;
    enum search_limit limit;
    double by = search_excess(point, &limit);
    bool fits = !(point->over[LIMIT_MEMORY] > 0.0) && !(point->over[LIMIT_LENGTH] > 0.0);

    search_tally_count(&found->tally, point);
    if (fits)
        search_front_offer(found->front, point);
    if (!(by > 0.0))
        search_pool_offer(&found->best, point);
    else if (fits && by <= NEAR_EXCESS)
        search_pool_offer(&found->near, point);
}

/* Plans a resolved candidate and measures it; false where there is no record. */
static bool measure(const struct space *space, long candidate, enum plan_depth depth, int changes,
                    struct problem *problem, struct plan *ret_plan, struct search_point *ret_point)
{
    nearness_find(space->catalogue, problem, NULL, NULL, &problem->near);
    plan_compute(problem, depth, ret_plan);
    if (!search_measure(ret_plan, space_price(space, problem->hw).usd_per_device_hour,
                        space->objective, ret_point))
        return false;
    ret_point->index = candidate;
    ret_point->changes = changes;
    return true;
}

/* Evaluates one candidate: why it is not ranked, or -1. */
static int evaluate(struct search_worker *worker, long candidate, struct search_point *ret_point)
{
    const struct space *space = worker->run->space;
    const struct space_place place = space_place_of(space, candidate);
    enum level from;

    faults_init(&worker->faults, worker->arena);
    if (!move_to(&worker->stand, &place, &from))
        return FILTER_REFUSED;
    if (has_knobs(space) && from < LEVEL_COUNT)
        worker->layout_refusal = refusal_of_layout(worker);
    if (has_knobs(space) && worker->layout_refusal >= 0)
        return worker->layout_refusal;
    worker->request = worker->stand.levels[LEVEL_DRAFTS];
    int changes = worker->stand.changes[LEVEL_DRAFTS] + set_knobs(space, &place, &worker->request);
    int refusal = refusal_of(&worker->stand.intake, &worker->request);
    if (refusal >= 0)
        return refusal;
    worker->found.planned++;
    if (!measure(space, candidate, PLAN_BARE, changes, &worker->request.problem, &worker->plan,
                 ret_point)) {
        worker->found.no_record[space->groups[place.group].hardware]++;
        return FILTER_NO_RECORD;
    }
    /* a replay sees chunks, which the closed cycle does not */
    ret_point->kind = (long)place.group * (space->lists[SPACE_CHUNK].n + 1) + place.chunk;
    return -1;
}

void search_worker_scan(struct search_worker *worker, long from, long to)
{
    for (long candidate = from; candidate < to; candidate++) {
        struct search_point point;
        int refusal = evaluate(worker, candidate, &point);
        if (refusal >= 0)
            worker->found.filtered[refusal]++;
        else
            keep(worker, &point);
    }
    arena_reset(worker->arena);
    worker->stand.stands = false;
}

bool search_plan(const struct space *space, struct arena *arena, long candidate,
                 double max_model_len, struct plan_request *ret_request, struct plan *ret_plan,
                 struct search_point *ret_point)
{
    const struct space_place place = space_place_of(space, candidate);
    struct faults *faults = arena_alloc(arena, sizeof(*faults));
    struct stand *stand = arena_alloc(arena, sizeof(*stand));
    enum level from;

    if (!faults || !stand)
        return false;
    faults_init(faults, arena);
    stand->space = space;
    stand->intake = (struct intake){space->catalogue, arena, faults, ""};
    if (!move_to(stand, &place, &from))
        return false;
    *ret_request = stand->levels[LEVEL_DRAFTS];
    int changes = stand->changes[LEVEL_DRAFTS] + set_knobs(space, &place, ret_request);
    if (!isnan(max_model_len))
        set_whole(ret_request, FIELD_ID_MAX_MODEL_LEN, max_model_len);
    if (refusal_of(&stand->intake, ret_request) >= 0)
        return false;
    if (!measure(space, candidate, PLAN_CHECK, changes, &ret_request->problem, ret_plan, ret_point))
        return false;
    ret_point->kind = place.group;
    return true;
}
