#include "search_command.h"

#include <math.h>
#include <string.h>

#include "command_line.h"
#include "request_json.h"

#define VALUE_MAX 256
#define COMMAND_MAX 4096

/* How a program is told its model. {m} is the repository, {i} the model's id, {w} the weight
 * format. */
static const struct program_row {
    const char *engine, *beginning;
} PROGRAMS[] = {
    {"vllm", "vllm serve {m}"},
    {"sglang", "python -m sglang.launch_server --model-path {m}"},
    {"tensorrt-llm", "trtllm-serve {m}"},
    {"tgi", "text-generation-launcher --model-id {m}"},
    {"llama.cpp", "llama-server --model {i}-{w}.gguf"},
    {"mlx", "mlx_lm.server --model {m}"},
};

/* How an engine's command begins; NULL when nothing is known of it. */
static const char *beginning_of(const struct engine *engine)
{
    for (size_t i = 0; i < ARRAY_LEN(PROGRAMS); i++)
        if (strcmp(PROGRAMS[i].engine, engine->id) == 0)
            return PROGRAMS[i].beginning;
    return NULL;
}

static void write_beginning(struct json_out *out, const char *beginning,
                            const struct problem *problem)
{
    const struct model *model = problem->model;

    for (const char *at = beginning; *at; at++) {
        if (*at != '{') {
            out_bytes(out, at, 1);
            continue;
        }
        if (at[1] == 'm')
            out_text(out, model->hf_repo ? model->hf_repo : model->id);
        else
            out_text(out, at[1] == 'i' ? model->id : problem->dep.weights->id);
        at += 2;
    }
}

/* A leaf's value without quotes. */
static const char *value_of(struct arena *arena, const struct plan_request *request,
                            enum field_id id)
{
    struct json_out out;

    json_out_init(&out, arena, 64, VALUE_MAX);
    request_json_leaf(&out, request, id);
    if (!json_out_ok(&out))
        return NULL;
    bool quoted = out.length >= 2 && out.text[0] == '"';
    return arena_copy(arena, out.text + quoted, out.length - 2 * (size_t)quoted);
}

/* Whether a leaf is what it would be if nobody had set it. */
static bool is_default(const struct intake *intake, const struct plan_request *request,
                       enum field_id id, const char *value)
{
    struct plan_request *without = arena_alloc_raw(intake->arena, sizeof(*without));

    if (!without)
        return false;
    *without = *request;
    without->given[id] = false;
    described_init(&without->described, intake->arena);
    bool resolved = plan_request_resolve(intake, without);
    const char *fallback = resolved ? value_of(intake->arena, without, id) : NULL;
    return fallback && strcmp(fallback, value) == 0;
}

/* Leaves that a command states whatever their default is: limits that were asked for count as such;
 * ranks of attention DP are counted within tp by some engines; a pool is there once it is said. */
static bool is_always_stated(const struct deployment *dep, enum field_id id)
{
    return id == FIELD_ID_MAX_MODEL_LEN || id == FIELD_ID_MAX_NUM_SEQS ||
           id == FIELD_ID_DISAGG_DEVICES || (id == FIELD_ID_TP && dep->dp > 1);
}

/* Leaves that the commands state by their number or their program, not by a flag. */
static bool is_stated_otherwise(const struct plan_request *request, enum field_id id)
{
    bool in_file = id == FIELD_ID_WEIGHTS &&
                   request->problem.dep.engine->memory_rule == MEMORY_LLAMACPP &&
                   strcmp(request->problem.dep.engine->id, "llama.cpp") == 0;

    return id == FIELD_ID_ENGINE || id == FIELD_ID_REPLICAS || in_file;
}

/* What a pool for prefill has of a deployment: its own ranks. */
static struct deployment prefill_of(const struct deployment *dep)
{
    struct deployment prefill = *dep;

    prefill.tp = dep->disagg_tp;
    prefill.dp = dep->disagg_dp;
    prefill.ep = dep->disagg_ep;
    return prefill;
}

/* A weight format as a flag speaks of it: a model's own kind of fp8 is plain fp8 to its engine. */
static const char *spoken_weights(const struct problem *problem, const char *value)
{
    const struct weight_format *plain = library_weight_format(problem->lib, "fp8");
    bool is_plain =
        plain && library_model_format(problem->lib, problem->model, plain) == problem->dep.weights;

    return is_plain ? "fp8" : value;
}

/* Flags of the leaves that were set. Those without one are named, when `ret_commands` is there. */
static void write_flags(struct json_out *out, const struct intake *intake,
                        const struct plan_request *request, const struct deployment *dep,
                        struct launch_commands *ret_commands)
{
    const struct field_section *first = &PLAN_FIELDS.sections[SECTION_DEPLOYMENT];

    for (int i = first->first; i < FIELD_ID_CONCURRENCY; i++) {
        enum field_id id = (enum field_id)i;
        const char *pointer = PLAN_FIELDS.rows[i].pointer;
        const char *value = value_of(intake->arena, request, id);
        bool stated = request->given[i] || (id == FIELD_ID_TP && dep->dp > 1);
        if (!stated || !value || is_stated_otherwise(request, id))
            continue;
        if (!is_always_stated(dep, id) && is_default(intake, request, id, value))
            continue;
        if (id == FIELD_ID_WEIGHTS)
            value = spoken_weights(&request->problem, value);
        const char *flag = command_flag_for(intake->arena, dep, pointer, value);
        if (flag) {
            out_text(out, " ");
            out_text(out, flag);
        } else if (ret_commands) {
            ret_commands->left[ret_commands->n_left++] = pointer;
        }
    }
}

static const char *write_command(const struct intake *intake, const char *beginning,
                                 const struct plan_request *request, const struct deployment *dep,
                                 struct launch_commands *ret_commands)
{
    struct json_out out;

    json_out_init(&out, intake->arena, 512, COMMAND_MAX);
    write_beginning(&out, beginning, &request->problem);
    write_flags(&out, intake, request, dep, ret_commands);
    return json_out_ok(&out) ? arena_copy(intake->arena, out.text, out.length) : NULL;
}

bool search_commands(const struct intake *intake, const struct plan_request *request,
                     struct launch_commands *ret_commands)
{
    const struct deployment *dep = &request->problem.dep;
    struct launch_commands *to = ret_commands;
    const char *beginning = beginning_of(dep->engine);

    to->n = to->n_left = 0;
    if (!beginning || request->inline_model) {
        to->left[to->n_left++] =
            PLAN_FIELDS.rows[request->inline_model ? FIELD_ID_MODEL : FIELD_ID_ENGINE].pointer;
        return true;
    }
    const char *command = write_command(intake, beginning, request, dep, to);
    to->parts[to->n++] =
        (struct launch_part){dep->disaggregated ? "decode" : "replica", dep->replicas, command};
    if (!dep->disaggregated)
        return command;
    const struct deployment prefill = prefill_of(dep);
    struct plan_request of_prefill = *request;
    of_prefill.problem.dep = prefill;
    double workers = floor(dep->disagg_prefill_devices / (prefill.tp * prefill.pp * prefill.dp));
    const char *second = write_command(intake, beginning, &of_prefill, &prefill, NULL);
    to->parts[to->n++] = (struct launch_part){"prefill", workers, second};
    return command && second;
}
