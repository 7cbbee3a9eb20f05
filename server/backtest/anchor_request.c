#include "anchor_request.h"

#include <math.h>
#include <string.h>

#include "local.h"

/* Conditions of an anchor that are numbers of a request. */
static const struct {
    enum anchor_condition condition;
    enum field_id field;
} NUMBERS[] = {
    {CONDITION_TP, FIELD_ID_TP},
    {CONDITION_PP, FIELD_ID_PP},
    {CONDITION_DP, FIELD_ID_DP},
    {CONDITION_EP, FIELD_ID_EP},
    {CONDITION_INPUT_TOKENS, FIELD_ID_INPUT_TOKENS},
    {CONDITION_OUTPUT_TOKENS, FIELD_ID_OUTPUT_TOKENS},
    {CONDITION_CACHED_PREFIX, FIELD_ID_CACHED_PREFIX_TOKENS},
    {CONDITION_CONCURRENCY, FIELD_ID_CONCURRENCY},
    {CONDITION_REQUEST_RATE, FIELD_ID_REQUEST_RATE},
    {CONDITION_REQUESTS, FIELD_ID_REQUESTS},
    {CONDITION_LENGTH_RATIO, FIELD_ID_LENGTH_RANGE_RATIO},
    {CONDITION_MAX_NUM_SEQS, FIELD_ID_MAX_NUM_SEQS},
    {CONDITION_MAX_MODEL_LEN, FIELD_ID_MAX_MODEL_LEN},
    {CONDITION_CHUNKED_PREFILL, FIELD_ID_CHUNKED_PREFILL},
    {CONDITION_MEMORY_UTILIZATION, FIELD_ID_MEMORY_UTILIZATION},
    {CONDITION_BLOCK_SIZE, FIELD_ID_BLOCK_SIZE},
    {CONDITION_STREAM_INTERVAL, FIELD_ID_STREAM_INTERVAL},
    {CONDITION_LOGPROBS, FIELD_ID_LOGPROBS},
};

static bool give_number(struct plan_request *request, enum field_id id, double value)
{
    const struct field *field = &PLAN_FIELDS.rows[id];
    if (!(value >= field->min && value <= field->max) ||
        (field->kind == FIELD_WHOLE && value != floor(value)))
        return false;
    memcpy((char *)request + field->offset, &value, sizeof(value));
    request->given[id] = true;
    return true;
}

/* A condition of a speed test, which may have no prompt or no answer, as a request has it: at least
 * one token of each, the prompt behind what the cache holds. */
static double speed_number(const struct anchor_index *index, int anchor,
                           enum anchor_condition condition)
{
    double value = anchor_number(index, anchor, condition);
    double prompt = fmax(anchor_number(index, anchor, CONDITION_INPUT_TOKENS), 0.0);
    double depth = fmax(anchor_number(index, anchor, CONDITION_DEPTH), 0.0);
    bool behind = depth > 0.0 && depth != prompt; /* else the depth is the prompt itself */
    if (condition == CONDITION_OUTPUT_TOKENS)
        return fmax(value, 1.0);
    if (condition == CONDITION_INPUT_TOKENS)
        return fmax(behind ? depth + prompt : prompt, 1.0);
    if (condition == CONDITION_CACHED_PREFIX && behind && prompt > 0.0)
        return depth;
    return value;
}

static bool give_numbers(const struct anchor_index *index, int anchor, struct plan_request *request)
{
    bool within = true, speed = index->kinds[anchor] == ANCHOR_SPEED;
    for (size_t i = 0; i < ARRAY_LEN(NUMBERS); i++) {
        enum anchor_condition condition = NUMBERS[i].condition;
        double value = speed ? speed_number(index, anchor, condition)
                             : anchor_number(index, anchor, condition);
        if (!isnan(value))
            within = give_number(request, NUMBERS[i].field, value) && within;
    }
    return within;
}

static void give_records(const struct catalogue *cat, int anchor, struct plan_request *request)
{
    const struct anchor_point *point = &cat->anchors.points[anchor];
    struct problem *problem = &request->problem;
    problem->lib = &cat->lib;
    problem->model = &cat->lib.models[point->model];
    problem->hw = &cat->lib.hardware[point->hardware];
    problem->dep.engine = &cat->lib.engines[point->engine];
    request->given[FIELD_ID_MODEL] = request->given[FIELD_ID_HARDWARE] = true;
    request->given[FIELD_ID_ENGINE] = true;
    if (cat->anchors.versions[anchor] != NULL) {
        request->engine_version = cat->anchors.versions[anchor];
        request->given[FIELD_ID_ENGINE_VERSION] = true;
    }
    if (point->weights >= 0) {
        problem->dep.weights = &cat->lib.weight_formats[point->weights];
        request->given[FIELD_ID_WEIGHTS] = true;
    }
    if (point->kv_cache >= 0) {
        problem->dep.kv_cache = &cat->lib.kv_formats[point->kv_cache];
        request->given[FIELD_ID_KV_CACHE] = true;
    }
}

/* What only local engines have: the back end, its threads, the chunk of a prompt. False when the
 * back end is none that can be planned ("cuda+cpu"). */
static bool give_local(const struct anchor_index *index, int anchor, struct plan_request *request)
{
    const struct field *field = &PLAN_FIELDS.rows[FIELD_ID_BACKEND];
    const char *name = index->backends[anchor];
    double threads = anchor_number(index, anchor, CONDITION_THREADS);
    double chunk = anchor_number(index, anchor, CONDITION_MICRO_BATCH);
    int i = 0;
    if (!local_is_engine(request->problem.dep.engine))
        return true;
    /* Speed is that of the file's format: a default would be a guess. */
    if (index->points[anchor].weights < 0)
        return false;
    while (name != NULL && field->names[i].name != NULL && strcmp(field->names[i].name, name) != 0)
        i++;
    if (name != NULL && field->names[i].name == NULL)
        return false;
    if (name != NULL) {
        request->problem.dep.backend = (enum backend)field->names[i].value;
        request->given[FIELD_ID_BACKEND] = true;
    }
    bool cpu = name != NULL && request->problem.dep.backend == BACKEND_CPU;
    return (isnan(chunk) || give_number(request, FIELD_ID_CHUNKED_PREFILL, chunk)) &&
           (!cpu || isnan(threads) || give_number(request, FIELD_ID_CPU_THREADS, threads));
}

static void give_generator(const struct anchor_index *index, int anchor,
                           struct plan_request *request)
{
    const char *name = index->generators[anchor];
    const struct field *field = &PLAN_FIELDS.rows[FIELD_ID_LOAD_GENERATOR];
    for (int i = 0; name != NULL && field->names[i].name != NULL; i++)
        if (strcmp(field->names[i].name, name) == 0) {
            request->problem.load.load_generator = (enum load_generator)field->names[i].value;
            request->given[FIELD_ID_LOAD_GENERATOR] = true;
        }
}

enum anchor_lack anchor_request(const struct intake *intake, int anchor,
                                struct plan_request *ret_request)
{
    const struct catalogue *cat = intake->catalogue;
    const struct anchor_index *index = &cat->anchors;
    const struct anchor_point *point = &index->points[anchor];
    memset(ret_request, 0, sizeof(*ret_request));
    if (point->model < 0 || point->hardware < 0 || point->engine < 0)
        return LACK_MODEL;
    give_records(cat, anchor, ret_request);
    bool within = give_numbers(index, anchor, ret_request);
    if (!ret_request->given[FIELD_ID_CONCURRENCY] && !ret_request->given[FIELD_ID_REQUEST_RATE]) {
        double batch = anchor_number(index, anchor, CONDITION_BATCH);
        if (isnan(batch))
            return LACK_LOAD;
        within = give_number(ret_request, FIELD_ID_CONCURRENCY, batch) && within;
    }
    if (!ret_request->given[FIELD_ID_INPUT_TOKENS] || !ret_request->given[FIELD_ID_OUTPUT_TOKENS])
        return LACK_LENGTHS;
    give_generator(index, anchor, ret_request);
    if (!within || !give_local(index, anchor, ret_request) ||
        !plan_request_resolve(intake, ret_request))
        return LACK_RANGE;
    return LACK_NOTHING;
}

const char *anchor_lack_text(enum anchor_lack lack)
{
    switch (lack) {
    case LACK_MODEL:
        return "its model, part or engine is not in the catalogue";
    case LACK_LOAD:
        return "neither concurrency nor an arrival rate is stated";
    case LACK_LENGTHS:
        return "input or output length is not stated";
    case LACK_RANGE:
        return "a stated condition is none that a request may have";
    case LACK_NOTHING:
        break;
    }
    return "nothing is missing";
}
