#include "attribute_query.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "device_names.h"
#include "field.h"
#include "query_switch.h"

#define OWN_MAX 32
#define FILLED_MAX 8
#define BATCH_MAX 1e6
#define CONTEXT_MAX 1e8
#define STEPS_ASKED_MAX 1e9
#define RANKS_MAX 4096
#define WALL_MS_MAX 1e9
/* The file's figure and the query's differ by more. */
#define DIFFERENCE_NOTED 0.05

const struct attribute_argument ATTRIBUTE_ARGUMENTS[] = {
    {"batch", "sequences that decode in the step, or prompts of a prefill", "number"},
    {"context", "tokens that each of them attends to; of a prefill the tokens of one prompt",
     "number"},
    {"phase", "decode, prefill or mixed", "string"},
    {"steps", "steps that the times of a table are of", "number"},
    {"ranks", "ranks whose times a table adds", "number"},
    {"wall_ms", "wall time of the same work, measured without the profiler", "number"},
    {"ascii", "plain text in ASCII alone", "boolean"},
    {0},
};

const struct attribute_argument KEEP_ARGUMENTS[] = {
    {"id", "of the record; made of what it says when it is left out", "string"},
    {"title", "of the record", "string"},
    {"measured_on", "a date", "string"},
    {"notes", "kept with the record", "string"},
    {"why", "kept with the revision", "string"},
    {"source.title", "where the profile is from; who posts it when it is left out", "string"},
    {"source.kind", "measurement when it is left out", "string"},
    {"source.url", "http or https", "string"},
    {"source.date", "a date", "string"},
    {"source.license", "of the profile", "string"},
    {0},
};

static const char *place_of(const struct request *request, const char *name)
{
    const char *place = arena_printf(request->arena, "?%s", name);

    return place ? place : "?";
}

/* A number between 0 (left out) and max; NAN where it is not given. */
static double query_number(const struct request *request, struct faults *faults, const char *name,
                           double max)
{
    const char *text = query_text(request, faults, name);
    char *end = NULL;

    if (!text)
        return NAN;
    double number = strtod(text, &end);
    if (end == text || *end || !isfinite(number) || number <= 0 || number > max) {
        fault_add(faults, place_of(request, name), NULL,
                  "expected a number above 0 and at most %.0f, got \"%s\"", max,
                  field_quote(request->arena, text));
        return NAN;
    }
    return number;
}

void attribute_query_read(const struct request *request, struct faults *faults,
                          struct attribute_query *ret_query)
{
    static const char *const PHASES[RUN_PHASES] = {"unknown", "decode", "prefill", "mixed"};

    *ret_query = (struct attribute_query){
        .asked = {.phase = (enum run_phase)query_word(request, faults, "phase", PHASES, RUN_PHASES),
                  .steps = query_number(request, faults, "steps", STEPS_ASKED_MAX),
                  .ranks = query_number(request, faults, "ranks", RANKS_MAX),
                  .wall_us = 1e3 * query_number(request, faults, "wall_ms", WALL_MS_MAX)},
        .batch = query_number(request, faults, "batch", BATCH_MAX),
        .context = query_number(request, faults, "context", CONTEXT_MAX),
        .ascii = query_switch(request, faults, "ascii"),
    };
}

/* ---- the query and the file ---- */

static void set_number(struct run *run, enum condition_id id, double asked, double file)
{
    struct condition *condition = &run->conditions[id];

    condition->number = isnan(asked) ? file : asked;
    condition->from = !isnan(asked) ? "query" : !isnan(file) ? "file" : NULL;
}

static void warn_difference(struct profile *profile, const char *name, double asked, double file)
{
    if (!isnan(asked) && !isnan(file) && fabs(asked / file - 1) > DIFFERENCE_NOTED)
        profile_warn(profile, "the query says %s %.6g, the file %.6g: the query's is taken", name,
                     asked, file);
}

/* Arguments as the query of a plan has them: those of the request, then what the file tells. */
struct filled {
    struct argument items[ARGUMENTS_MAX + FILLED_MAX];
    int n;
};

static void fill_text(struct filled *filled, const char *name, const char *value)
{
    if (value)
        filled->items[filled->n++] = (struct argument){name, value};
}

static void fill_number(struct arena *arena, struct filled *filled, const char *name, double value)
{
    if (value > 0)
        fill_text(filled, name, arena_printf(arena, "%.10g", value));
}

/* The part that the file names, as the catalogue knows it; NULL. */
static const char *device_of(const struct context *ctx, const struct profile *profile)
{
    struct device_found found;

    if (!profile->device_name || !device_name_find(ctx->catalogue, profile->device_name, &found))
        return NULL;
    return ctx->catalogue->lib.hardware[found.index].id;
}

static bool gives(const struct request *request, const char *name)
{
    const char *value = request_argument(request, name);

    return value && *value;
}

static void fill(struct context *ctx, const struct profile *profile, const struct run *run,
                 struct filled *ret_filled)
{
    const struct request *request = ctx->request;
    struct arena *arena = request->arena;
    double context = run->conditions[RUN_CONTEXT].number;

    ret_filled->n = request->n_arguments;
    if (request->n_arguments > 0)
        memcpy(ret_filled->items, request->arguments,
               (size_t)request->n_arguments * sizeof(ret_filled->items[0]));
    if (!gives(request, "hardware"))
        fill_text(ret_filled, "hardware", device_of(ctx, profile));
    if (!gives(request, "engine"))
        fill_text(ret_filled, "engine", profile->engine);
    if (!gives(request, "tp"))
        fill_number(arena, ret_filled, "tp", run->conditions[RUN_TP].number);
    if (!gives(request, "concurrency"))
        fill_number(arena, ret_filled, "concurrency", run->conditions[RUN_BATCH].number);
    if (!gives(request, "input_tokens"))
        fill_number(arena, ret_filled, "input_tokens", ceil(context));
    if (!gives(request, "cached_prefix_tokens") && run->new_tokens < context)
        fill_number(arena, ret_filled, "cached_prefix_tokens", floor(context - run->new_tokens));
}

static void warn_device(const struct context *ctx, struct profile *profile,
                        const struct plan_request *request)
{
    const char *device = device_of(ctx, profile);

    if (device && request->problem.hw && gives(ctx->request, "hardware") &&
        strcmp(device, request->problem.hw->id) != 0)
        profile_warn(profile,
                     "the query says hardware %s, the file %.60s (%s): the query's is "
                     "taken",
                     request->problem.hw->id, profile->device_name, device);
}

/* Ids of model, part and engine once they are resolved. */
static void take_names(const struct context *ctx, const struct plan_request *request,
                       struct run *run)
{
    const struct problem *problem = &request->problem;

    const struct {
        enum condition_id id;
        const char *argument, *text;
    } names[] = {
        {RUN_MODEL, "model", problem->model ? problem->model->id : NULL},
        {RUN_HARDWARE, "hardware", problem->hw ? problem->hw->id : NULL},
        {RUN_ENGINE, "engine", problem->dep.engine ? problem->dep.engine->id : NULL},
    };

    for (size_t i = 0; i < ARRAY_LEN(names); i++) {
        struct condition *condition = &run->conditions[names[i].id];
        if (!names[i].text)
            continue;
        bool file = !gives(ctx->request, names[i].argument);
        condition->text = names[i].text;
        condition->from = file ? "file" : "query";
    }
    if (request->assumed[FIELD_ID_ENGINE])
        run->conditions[RUN_ENGINE].from = "assumed";
}

/* Whether there is a step to plan, and why not. */
static const char *why_no_plan(const struct run *run, const struct plan_request *request)
{
    if (!request->problem.model && !request->inline_model)
        return "no model was given: ?model=";
    if (!request->problem.hw)
        return "no part was given and the file names none: ?hardware=";
    if (isnan(run->conditions[RUN_BATCH].number))
        return "the batch is not known: ?batch=";
    if (isnan(run->conditions[RUN_CONTEXT].number))
        return "the context is not known: ?context=";
    return NULL;
}

/* Reads the deployment's arguments, the file's beside them. */
static void read_plan(struct context *ctx, struct faults *faults, bool keeps,
                      struct profile *profile, struct run *run)
{
    const char *own[OWN_MAX];
    int n_own = 0;
    struct arena *arena = ctx->request->arena;
    struct plan_request *request = arena_alloc(arena, sizeof(*request));
    struct filled *filled = arena_alloc_raw(arena, sizeof(*filled));
    const struct intake intake = {ctx->catalogue, arena, faults, "?"};

    if (!request || !filled) {
        fault_add(faults, "", NULL, "the request needs more memory than one request may use");
        return;
    }
    for (const struct attribute_argument *it = ATTRIBUTE_ARGUMENTS; it->name; it++)
        own[n_own++] = it->name;
    for (const struct attribute_argument *it = KEEP_ARGUMENTS; keeps && it->name; it++)
        own[n_own++] = it->name;
    own[n_own++] = "format";
    fill(ctx, profile, run, filled);
    plan_request_read_query(&intake, filled->items, filled->n, own, n_own, request);
    warn_device(ctx, profile, request);
    run->no_plan = why_no_plan(run, request);
    if (!run->no_plan && faults->n == 0 && plan_request_resolve(&intake, request))
        run->request = request;
    take_names(ctx, request, run);
    if (run->request && isnan(run->conditions[RUN_TP].number))
        run->conditions[RUN_TP] =
            (struct condition){.name = "tp", .number = request->problem.dep.tp, .from = "assumed"};
}

void run_read(struct context *ctx, struct faults *faults, const struct attribute_query *query,
              struct profile *profile, struct attribution *attribution, struct run *ret_run)
{
    static const char *const NAMES[RUN_CONDITIONS] = {
        "model", "hardware", "engine", "batch", "context", "phase", "tp", "ranks", "steps"};
    struct faults ignored;
    bool parallel =
        gives(ctx->request, "pp") || gives(ctx->request, "dp") || gives(ctx->request, "ep");

    *ret_run = (struct run){.new_tokens = attribution->file_new_tokens};
    for (int i = 0; i < RUN_CONDITIONS; i++)
        ret_run->conditions[i] = (struct condition){.name = NAMES[i], .number = NAN};
    faults_init(&ignored, ctx->request->arena);
    warn_difference(profile, "batch", query->batch, attribution->file_batch);
    warn_difference(profile, "context", query->context, attribution->file_context);
    set_number(ret_run, RUN_BATCH, query->batch, attribution->file_batch);
    set_number(ret_run, RUN_CONTEXT, query->context, attribution->file_context);
    set_number(ret_run, RUN_TP, query_number(ctx->request, &ignored, "tp", RANKS_MAX),
               parallel ? (double)NAN : profile->world_size);
    set_number(ret_run, RUN_RANKS, query->asked.ranks, profile->world_size);
    set_number(ret_run, RUN_STEPS, query->asked.steps, attribution->steps);
    ret_run->conditions[RUN_PHASE].text = run_phase_name(attribution->phase);
    ret_run->conditions[RUN_PHASE].from = attribution->phase_from;
    if (!isnan(query->context))
        ret_run->new_tokens = NAN;
    read_plan(ctx, faults, query->keeps, profile, ret_run);
}
