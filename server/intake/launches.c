#include "launches.h"

#include <math.h>
#include <string.h>

#include "local.h"

/* Fields that a launch may be limited by. */
static const enum field_id RANGE_FIELDS[] = {
    [RANGE_TP] = FIELD_ID_TP,
    [RANGE_DP] = FIELD_ID_DP,
    [RANGE_INPUT_TOKENS] = FIELD_ID_INPUT_TOKENS,
    [RANGE_OUTPUT_TOKENS] = FIELD_ID_OUTPUT_TOKENS,
    [RANGE_CONCURRENCY] = FIELD_ID_CONCURRENCY,
};

static double settled_number(const struct plan_request *request, enum field_id id)
{
    const struct field *field = &PLAN_FIELDS.rows[id];
    double number = field->value;

    if (request->given[id])
        memcpy(&number, (const char *)request + field->offset, sizeof(number));
    return number;
}

enum load_generator load_generator_of(const struct plan_request *request)
{
    bool varied =
        request->given[FIELD_ID_LENGTH_RANGE_RATIO] && request->problem.load.length_range_ratio < 1;

    if (request->given[FIELD_ID_LOAD_GENERATOR])
        return request->problem.load.load_generator;
    if (varied)
        return LOAD_INFERENCEX;
    /* Of a local engine a count says nothing: its benchmark has no server. */
    bool local = request->problem.dep.engine && local_is_engine(request->problem.dep.engine);
    return request->given[FIELD_ID_REQUESTS] && !local ? LOAD_ENGINE_BENCH : LOAD_STEADY;
}

/* Concurrency is what an open loop comes to, not what a launch was started for. */
static void set_ranges(const struct plan_request *request, struct launch_case *asked)
{
    for (int i = 0; i < LAUNCH_RANGE_COUNT; i++)
        asked->range[i] = settled_number(request, RANGE_FIELDS[i]);
    if (request->given[FIELD_ID_REQUEST_RATE])
        asked->range[RANGE_CONCURRENCY] = NAN;
}

void launches_choose(const struct catalogue *catalogue, const struct plan_request *request,
                     struct launch_choice ret_choices[LAUNCH_FLAG_COUNT])
{
    const struct problem *problem = &request->problem;
    const struct library *lib = &catalogue->lib;
    bool said = request->given[FIELD_ID_SPEC_METHOD];
    struct launch_case asked = {
        .generator = load_generator_of(request),
        .engine = problem->dep.engine,
        .version = problem->dep.version,
        .version_text = request->engine_version,
        .model = problem->model,
        .hw = problem->hw,
        .weights = problem->dep.weights,
        .drafts = said && problem->dep.spec_method != SPEC_NONE,
        .draft_tokens =
            request->given[FIELD_ID_SPEC_TOKENS] ? problem->dep.spec_tokens : (double)NAN,
    };

    set_ranges(request, &asked);
    launch_choose(lib->launches, lib->n_launches, &asked, ret_choices);
    if (said ? !asked.drafts : !ret_choices[LAUNCH_SPECULATIVE_METHOD].launch)
        ret_choices[LAUNCH_SPECULATIVE_TOKENS].launch = NULL;
}

static int named_value(const struct field_name *names, const char *name)
{
    while (names->name && strcmp(names->name, name) != 0)
        names++;
    return names->value;
}

bool launch_take(const struct launch_choice *choices, enum field_id id,
                 struct plan_request *request)
{
    const struct field *field = &PLAN_FIELDS.rows[id];
    const struct launch_choice *choice = &choices[field->launch];
    void *place = (char *)request + field->offset;

    if (!choice->launch)
        return false;
    if (field->kind == FIELD_KV_CACHE) {
        *(const struct kv_format **)place = choice->kv;
    } else if (field->kind == FIELD_BOOL) {
        *(bool *)place = choice->number != 0;
    } else if (field->kind == FIELD_NAME) {
        int value = named_value(field->names, choice->text);
        memcpy(place, &value, sizeof(value));
    } else {
        *(double *)place = fmin(fmax(choice->number, field->min), field->max);
    }
    request->launches[id] = choice->launch;
    return true;
}
