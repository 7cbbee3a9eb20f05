#include "plan_request.h"

#include <cjson/cJSON.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "check_memory.h"
#include "defaults.h"
#include "inline_model.h"
#include "launches.h"
#include "local.h"
#include "memory.h"
#include "memory_measured.h"
#include "plausible.h"
#include "texts.h"

/* Reading -------------------------------------------------------------------------------------- */

static struct field_reader reader_of(const struct intake *intake, struct plan_request *request)
{
    request->problem.lib = &intake->catalogue->lib;
    return (struct field_reader){
        .table = &PLAN_FIELDS,
        .catalogue = intake->catalogue,
        .arena = intake->arena,
        .faults = intake->faults,
        .base = intake->base,
        .target = request,
        .given = request->given,
        .stripped_format = request->name_format,
        .max_positions = request->problem.max_positions,
        .inline_model = request->inline_model,
        .weights_are_fp4 = request->weights_are_fp4,
        .named_devices = request->named_devices,
    };
}

/* What a reader learned besides the leaves. */
static void keep_names(const struct field_reader *reader, struct plan_request *request)
{
    request->name_format = reader->stripped_format;
    request->problem.max_positions = reader->max_positions;
    request->inline_model = reader->inline_model;
    request->weights_are_fp4 = reader->weights_are_fp4;
    request->named_devices = reader->named_devices;
}

/* The leaves that this object gives, whatever was given before. */
static void find_own(const struct intake *intake, const cJSON *object, bool ret_own[FIELD_ID_COUNT])
{
    struct plan_request own = {0};
    struct faults unheard;
    const struct intake alone = {intake->catalogue, intake->arena, &unheard, intake->base};
    struct field_reader reader = reader_of(&alone, &own);

    faults_init(&unheard, intake->arena);
    field_read_json(&reader, object);
    memcpy(ret_own, own.given, sizeof(own.given));
}

void plan_request_read_json(const struct intake *intake, const cJSON *object,
                            struct plan_request *request)
{
    struct field_reader reader = reader_of(intake, request);
    bool own[FIELD_ID_COUNT];

    field_read_json(&reader, object);
    keep_names(&reader, request);
    if (!texts_are_given(request))
        return;
    find_own(intake, object, own);
    texts_read(intake, own, request);
}

void plan_request_read_query(const struct intake *intake, const struct argument *arguments, int n,
                             const char *const *others, int n_others, struct plan_request *request)
{
    struct field_reader reader = reader_of(intake, request);

    field_read_query(&reader, arguments, n, others, n_others);
    keep_names(&reader, request);
    if (texts_are_given(request))
        texts_read(intake, NULL, request);
}

bool plan_request_gives(const struct plan_request *request, const char *pointer)
{
    int row = field_by_pointer(&PLAN_FIELDS, pointer);

    return row >= 0 && request->given[row];
}

bool field_set_by_pointer(const struct intake *intake, struct plan_request *request,
                          const char *pointer, const cJSON *value)
{
    int row = field_by_pointer(&PLAN_FIELDS, pointer);

    if (row < 0) {
        const char *candidates[FIELD_ID_COUNT];
        for (int i = 0; i < FIELD_ID_COUNT; i++)
            candidates[i] = PLAN_FIELDS.rows[i].pointer;
        fault_add(intake->faults, field_quote(intake->arena, pointer),
                  fault_nearest(pointer, candidates, FIELD_ID_COUNT),
                  "no field of a plan request has this pointer");
        return false;
    }
    return plan_request_set(intake, request, row, value);
}

bool plan_request_set(const struct intake *intake, struct plan_request *request, int row,
                      const cJSON *value)
{
    struct field_reader reader = reader_of(intake, request);
    const struct field_value given = {.json = value};
    bool set = field_set(&reader, row, &given);

    keep_names(&reader, request);
    if (set && request->given[row] && PLAN_FIELDS.rows[row].section == SECTION_DISAGGREGATION)
        request->problem.dep.disaggregated = true;
    if (!set || !request->given[row] || !PLAN_FIELDS.rows[row].describes)
        return set;
    texts_read(intake, NULL, request);
    return !request->text_refused;
}

/* Defaults ------------------------------------------------------------------------------------- */

static void set_absent(const struct field *field, void *place)
{
    if (field->kind == FIELD_NUMBER || field->kind == FIELD_WHOLE)
        *(double *)place = NAN;
}

static void set_value(const struct field *field, void *place)
{
    int number = (int)field->value;

    if (field->kind == FIELD_BOOL)
        *(bool *)place = field->value != 0;
    else if (field->kind == FIELD_NAME || field->kind == FIELD_NAMES)
        memcpy(place, &number, sizeof(number));
    else
        *(double *)place = field->value;
}

static void set_of_engine(const struct field *field, const struct engine_defaults *defaults,
                          void *place)
{
    const char *from = (const char *)defaults + field->engine_default;

    if (field->kind == FIELD_BOOL)
        memcpy(place, from, sizeof(bool));
    else
        memcpy(place, from, sizeof(double));
}

/* The default of one field; true when one was taken. */
static bool take_default(const struct rule_context *context, enum field_id id,
                         struct plan_request *request)
{
    const struct field *field = &PLAN_FIELDS.rows[id];
    void *place = (char *)request + field->offset;

    if (field->launch && launch_take(context->launches, id, request))
        return true;
    switch (field->fallback) {
    case DEFAULT_NONE:
        set_absent(field, place);
        return false;
    case DEFAULT_REQUIRED:
        return false;
    case DEFAULT_VALUE:
        set_value(field, place);
        return true;
    case DEFAULT_ENGINE:
        set_of_engine(field, context->engine, place);
        return true;
    case DEFAULT_RULE:
        return field->rule(context, request);
    }
    return false;
}

/* Where the notes of a request go, which a request without a text has none of yet. */
static struct described *notes_of(const struct intake *intake, struct plan_request *request)
{
    if (!request->described.arena)
        described_init(&request->described, intake->arena);
    return &request->described;
}

/* A version that nobody recorded is planned as the newest known one: an assumption as well. */
static bool settle_given_version(const struct intake *intake, struct plan_request *request)
{
    const char *given = request->engine_version;

    if (engine_version_settle(request))
        return true;
    described_note(notes_of(intake, request), "engine_version_unknown",
                   "/deployment/engine_version",
                   "no record reaches to version %s of %s: planned as %s, the newest on record",
                   field_quote(intake->arena, given), request->problem.dep.engine->id,
                   request->engine_version);
    return false;
}

/* The model's own format may keep its routed experts in another. */
static void settle_expert_format(const struct catalogue *catalogue, struct plan_request *request)
{
    const struct model *model = request->problem.model;
    struct deployment *dep = &request->problem.dep;

    dep->expert_weights = NULL;
    if (model->native_expert_format == NULL || model->native_format == NULL)
        return;
    int own = catalogue_find_weight_format(catalogue, model->native_format);
    int experts = catalogue_find_weight_format(catalogue, model->native_expert_format);
    if (own >= 0 && experts >= 0 && dep->weights == &catalogue->lib.weight_formats[own])
        dep->expert_weights = &catalogue->lib.weight_formats[experts];
}

static void take_defaults(const struct intake *intake, struct plan_request *request)
{
    static const struct engine_defaults NOT_SETTLED;
    struct launch_choice launches[LAUNCH_FLAG_COUNT];
    /* no row before the version asks the engine's record, none before the weights a launch */
    struct rule_context context = {
        .catalogue = intake->catalogue, .engine = &NOT_SETTLED, .launches = launches};
    struct deployment *dep = &request->problem.dep;

    for (int i = 0; i < FIELD_ID_COUNT; i++) {
        if (!request->given[i])
            request->assumed[i] = take_default(&context, (enum field_id)i, request);
        if (i == FIELD_ID_WEIGHTS)
            launches_choose(intake->catalogue, request, launches);
        if (i != FIELD_ID_ENGINE_VERSION)
            continue;
        if (request->given[i])
            request->assumed[i] = !settle_given_version(intake, request);
        context.engine = engine_defaults_on(dep->engine, dep->version, request->problem.hw);
    }
    settle_expert_format(intake->catalogue, request);
    /* The tier's speed is 0, not absent, where the part's host link is meant. */
    if (isnan(dep->kv_tier_bytes_us))
        dep->kv_tier_bytes_us = 0;
}

/* Checks --------------------------------------------------------------------------------------- */

static const char *pointer_of(const struct field_reader *reader, enum field_id id)
{
    return field_fault_pointer(reader, &PLAN_FIELDS.rows[id], NULL);
}

static void check_required(const struct field_reader *reader, const struct plan_request *request)
{
    for (int i = 0; i < FIELD_ID_COUNT; i++) {
        enum field_id id = (enum field_id)i;
        if ((id == FIELD_ID_MODEL && request->text_refused) ||
            (id == FIELD_ID_HARDWARE && request->part_refused))
            continue;
        if (PLAN_FIELDS.rows[i].fallback == DEFAULT_REQUIRED && !request->given[i] &&
            !field_is_refused(reader, (int)id))
            fault_add(reader->faults, pointer_of(reader, id), NULL, "required: %s",
                      PLAN_FIELDS.rows[i].doc);
    }
}

/* The number given for a field, else its constant default; false when what was given is refused. */
static bool settled_number(const struct field_reader *reader, const struct plan_request *request,
                           enum field_id id, double *ret_number)
{
    const struct field *field = &PLAN_FIELDS.rows[id];

    if (!request->given[id]) {
        *ret_number = field->value;
        return !field_is_refused(reader, (int)id);
    }
    memcpy(ret_number, (const char *)request + field->offset, sizeof(*ret_number));
    return true;
}

static void check_prefix(const struct field_reader *reader, const struct plan_request *request)
{
    double cached = request->problem.load.cached_prefix_tokens, input;

    if (request->given[FIELD_ID_CACHED_PREFIX_TOKENS] &&
        settled_number(reader, request, FIELD_ID_INPUT_TOKENS, &input) && cached > input)
        fault_add(reader->faults, pointer_of(reader, FIELD_ID_CACHED_PREFIX_TOKENS), NULL,
                  "cached_prefix_tokens is part of input_tokens: %.9g is more than %.9g", cached,
                  input);
}

static void check_experts(const struct field_reader *reader, const struct plan_request *request)
{
    double ep = request->problem.dep.ep, tp, dp;

    if (request->given[FIELD_ID_EP] && settled_number(reader, request, FIELD_ID_TP, &tp) &&
        settled_number(reader, request, FIELD_ID_DP, &dp) && ep > tp * dp)
        fault_add(reader->faults, pointer_of(reader, FIELD_ID_EP), NULL,
                  "ep spreads experts over the tp x dp devices: %.9g is more than %.9g x %.9g", ep,
                  tp, dp);
}

/* A prefill worker needs its devices, its experts no more than those. */
static void check_prefill_worker(const struct field_reader *reader,
                                 const struct plan_request *request)
{
    const struct deployment *dep = &request->problem.dep;
    double worker = dep->disagg_tp * dep->disagg_dp * dep->pp;

    if (!dep->disaggregated)
        return;
    if (worker > dep->disagg_prefill_devices)
        fault_add(reader->faults, pointer_of(reader, FIELD_ID_DISAGG_DEVICES), NULL,
                  "a prefill worker has %.9g devices (prefill_tp x prefill_dp x pp), all prefill "
                  "devices are %.9g",
                  worker, dep->disagg_prefill_devices);
    if (dep->disagg_ep > dep->disagg_tp * dep->disagg_dp)
        fault_add(reader->faults, pointer_of(reader, FIELD_ID_DISAGG_EP), NULL,
                  "prefill_ep spreads experts over prefill_tp x prefill_dp devices: %.9g is more "
                  "than %.9g",
                  dep->disagg_ep, dep->disagg_tp * dep->disagg_dp);
}

static void check_speculation(const struct field_reader *reader, const struct plan_request *request)
{
    bool described =
        request->given[FIELD_ID_SPEC_TOKENS] || request->given[FIELD_ID_SPEC_ACCEPTANCE];

    if (described && !request->given[FIELD_ID_SPEC_METHOD] &&
        !field_is_refused(reader, FIELD_ID_SPEC_METHOD))
        fault_add(reader->faults, pointer_of(reader, FIELD_ID_SPEC_METHOD), NULL,
                  "required beside tokens or acceptance: %s",
                  field_expectation(reader->arena, &PLAN_FIELDS.rows[FIELD_ID_SPEC_METHOD], false));
}

/* How many positive numbers (or zeros too) a list of them has, "23.6,23.6,15.7"; 0 when it is none.
 */
static int list_length(const char *text, bool zeros)
{
    int n = 0;

    if (text[strspn(text, "0123456789., ")])
        return 0;
    for (;; text++) {
        char *end = NULL;
        double number = strtod(text, &end);
        if (end == text || !(number > 0 || (zeros && number == 0)) || !isfinite(number))
            return 0;
        n++;
        text = end + strspn(end, " ");
        if (*text != ',')
            return *text ? 0 : n;
    }
}

static void check_device_memory(const struct field_reader *reader,
                                const struct plan_request *request)
{
    const struct deployment *dep = &request->problem.dep;
    double devices = dep->tp * dep->pp;

    if (!request->given[FIELD_ID_DEVICE_MEMORY])
        return;
    int n = list_length(dep->device_memory_gib, false);
    if (n == 0)
        fault_add(reader->faults, pointer_of(reader, FIELD_ID_DEVICE_MEMORY), NULL,
                  "expected positive numbers with commas between, as \"23.6,15.7\", got \"%s\"",
                  field_quote(reader->arena, dep->device_memory_gib));
    else if (n != devices)
        fault_add(reader->faults, pointer_of(reader, FIELD_ID_DEVICE_MEMORY), NULL,
                  "one number for each of the %.9g devices (tp x pp) is needed, got %d", devices,
                  n);
}

/* Their number and sum are held against the shape; only what is no list is refused here. A local
 * engine may leave a device out. */
static void check_stages(const struct field_reader *reader, const struct plan_request *request)
{
    const struct deployment *dep = &request->problem.dep;
    const char *layers = dep->pp_layers;

    if (request->given[FIELD_ID_PP_LAYERS] &&
        list_length(layers, local_is_engine(dep->engine)) == 0)
        fault_add(reader->faults, pointer_of(reader, FIELD_ID_PP_LAYERS), NULL,
                  "expected positive numbers with commas between, as \"20,20,21,19\", got \"%s\"",
                  field_quote(reader->arena, layers));
}

/* A format in the model's name ("...-FP8") stands for `weights` unless that was given. */
static void take_name_format(const struct intake *intake, struct plan_request *request)
{
    if (!request->name_format || request->given[FIELD_ID_WEIGHTS])
        return;
    int found = catalogue_find_weight_format(intake->catalogue, request->name_format);
    if (found < 0)
        return;
    request->problem.dep.weights = &intake->catalogue->lib.weight_formats[found];
    request->weights_are_fp4 = false;
    request->given[FIELD_ID_WEIGHTS] = true;
}

/* No batch is captured: there are no graphs. */
static void settle_graphs(const struct field_reader *reader, struct plan_request *request)
{
    struct deployment *dep = &request->problem.dep;

    if (!request->given[FIELD_ID_GRAPH_MAX_BATCH] || dep->graph_max_batch > 0)
        return;
    if (request->given[FIELD_ID_CUDA_GRAPHS] && dep->cuda_graphs)
        fault_add(reader->faults, pointer_of(reader, FIELD_ID_GRAPH_MAX_BATCH), NULL,
                  "0 captures no graph, beside cuda_graphs true");
    dep->cuda_graphs = false;
    request->given[FIELD_ID_CUDA_GRAPHS] = true;
}

/* General words stand for what the model's checkpoints of that kind are: "fp4" for mxfp4 or nvfp4,
 * "fp8" for a scale per block or per tensor. */
static void settle_weights(const struct library *lib, struct plan_request *request)
{
    const struct model *model = request->problem.model;
    struct deployment *dep = &request->problem.dep;
    const struct weight_format *fp4 =
        request->weights_are_fp4 ? library_model_fp4(lib, model) : NULL;

    if (fp4)
        dep->weights = fp4;
    dep->weights = library_model_format(lib, model, dep->weights);
}

/* A part without bfloat16 has the engine compute in another type, with a warning of its own. */
static void note_dtype(const struct intake *intake, struct plan_request *request)
{
    const struct problem *problem = &request->problem;
    const char *fallback =
        request->assumed[FIELD_ID_WEIGHTS] ? default_dtype_fallback(request) : NULL;

    if (fallback && strcmp(problem->dep.weights->id, fallback) == 0)
        described_note(notes_of(intake, request), "dtype_fallback", "/deployment/weights",
                       "%s has no bfloat16: %s computes the model in %s (--dtype auto)",
                       problem->hw->name, problem->dep.engine->id,
                       strcmp(fallback, "fp16") == 0 ? "float16" : "float32");
}

/* A tower that is loaded and not counted: the plan is of the language model alone. */
static void note_tower(const struct intake *intake, struct plan_request *request)
{
    const struct problem *problem = &request->problem;
    const char *tower =
        request->inline_model ? inline_model_uncounted(request->inline_model) : NULL;

    if (tower && !(problem->model->vision_params > 0) && !problem->dep.text_only &&
        !request->given[FIELD_ID_CHECKPOINT_BYTES])
        described_note(notes_of(intake, request), "tower_not_counted", "/model/hf_config",
                       "the weights of %s are not counted: they come on top; "
                       "safetensors_index beside hf_config gives the exact bytes",
                       tower);
}

/* "8x H100" says how many there are, not how they are used. */
static void note_named_devices(const struct intake *intake, struct plan_request *request)
{
    const struct deployment *dep = &request->problem.dep;
    double used = dep->tp * dep->pp * dep->dp;

    if (request->named_devices == 0 || used == request->named_devices)
        return;
    described_note(notes_of(intake, request),
                   used < request->named_devices ? "devices_unused" : "too_few_devices",
                   "/deployment/tp",
                   "hardware names %d devices, the deployment uses %.9g (tp x pp x dp)",
                   request->named_devices, used);
}

/* Tokens of a page: lengths are planned in whole ones. */
#define LENGTH_STEP 16.0

/* An engine that looks for its longest context starts with whatever fits: planned is what fits at
 * the low end of the pool's range, which it takes at least. */
static void fit_length(const struct intake *intake, struct plan_request *request)
{
    struct problem *problem = &request->problem;
    struct memory_plan memory;

    if (!request->fits_length || request->given[FIELD_ID_MAX_MODEL_LEN])
        return;
    problem->dep.longest_is_stated = false;
    memory_compute(problem, 1, &memory);
    double least = floor(check_longest_context(problem, &memory) / LENGTH_STEP) * LENGTH_STEP;
    double expected = memory_longest_context(problem, &memory);
    if (least <= 0)
        return;
    problem->dep.max_model_len = least;
    if (!request->described.arena)
        described_init(&request->described, intake->arena);
    described_note(&request->described, "length_auto", "/deployment/max_model_len",
                   "the engine takes the longest context that fits: %.0f tokens are expected; "
                   "planned are %.0f, which fit at the low end of the pool's range",
                   expected, least);
}

bool plan_request_resolve(const struct intake *intake, struct plan_request *request)
{
    const struct field_reader reader = reader_of(intake, request);

    check_required(&reader, request);
    check_prefix(&reader, request);
    check_experts(&reader, request);
    check_speculation(&reader, request);
    settle_graphs(&reader, request);
    if (intake->faults->n)
        return false;
    take_name_format(intake, request);
    if (request->given[FIELD_ID_WEIGHTS])
        settle_weights(&intake->catalogue->lib, request);
    take_defaults(intake, request);
    /* llama.cpp and its kin choose a context that fits where none is stated. */
    bool launched =
        request->is_described && request->problem.dep.engine->memory_rule != MEMORY_LLAMACPP;
    request->problem.dep.longest_is_stated = request->given[FIELD_ID_MAX_MODEL_LEN] || launched;
    request->problem.dep.slots_are_stated = request->given[FIELD_ID_MAX_NUM_SEQS];
    fit_length(intake, request);
    memory_measured_settle(&request->problem.dep);
    plausible_memory(intake, request);
    check_prefill_worker(&reader, request);
    check_device_memory(&reader, request);
    check_stages(&reader, request);
    note_named_devices(intake, request);
    note_dtype(intake, request);
    note_tower(intake, request);
    return intake->faults->n == 0;
}
