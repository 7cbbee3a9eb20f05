#include "defaults.h"

#include <string.h>

#include "launches.h"
#include "local.h"
#include "memory_sglang.h"

#define SPECULATIVE_TOKENS 3
/* Mean acceptance per position that the EAGLE-3 and MTP reports quote for chat traffic (0.6 to
 * 0.8): https://arxiv.org/abs/2503.01840, https://arxiv.org/abs/2412.19437 (0.85 to 0.9 for one
 * token). */
#define SPECULATIVE_ACCEPTANCE 0.7

/* What people serve with on each class of part. */
static const char *const ENGINE_OF_CLASS[] = {
    [HW_DATACENTER] = "vllm",    [HW_WORKSTATION] = "vllm", [HW_TPU] = "vllm",
    [HW_CONSUMER] = "llama.cpp", [HW_SOC] = "llama.cpp",    [HW_CPU] = "llama.cpp",
};

bool default_engine(const struct rule_context *context, struct plan_request *request)
{
    const struct catalogue *catalogue = context->catalogue;
    int found = catalogue_find_engine(catalogue, ENGINE_OF_CLASS[request->problem.hw->class]);

    request->problem.dep.engine = &catalogue->lib.engines[found < 0 ? 0 : found];
    return true;
}

bool engine_version_settle(struct plan_request *request)
{
    const struct engine *engine = request->problem.dep.engine;
    int *version = request->problem.dep.version;

    if (request->engine_version && engine_version_parse(request->engine_version, version) &&
        engine_version_compare(version, engine->latest) <= 0)
        return true;
    memcpy(version, engine->latest, sizeof(engine->latest));
    request->engine_version = engine->latest_text;
    return false;
}

bool default_version(const struct rule_context *context, struct plan_request *request)
{
    (void)context;
    request->engine_version = NULL;
    return !engine_version_settle(request);
}

/* Engines that compute in float16 where a part has no bfloat16 and nobody states a type. vLLM
 * does so since https://github.com/vllm-project/vllm/pull/17265, SGLang in its model runner, which
 * refuses parts before Turing: https://github.com/sgl-project/sglang,
 * python/sglang/srt/model_executor/model_runner.py. */
static const struct dtype_fallback {
    const char *engine;
    int since[3];
    const char *archs[2];
    bool takes_float32; /* for models that float16 is refused to */
} DTYPE_FALLBACKS[] = {
    {"vllm", {0, 8, 5}, {"volta", "turing"}, true},
    {"sglang", {0, 0, 0}, {"turing", NULL}, false},
};

/* Models that vLLM refuses to compute in float16 (vllm/config/model.py); it takes float32 then. */
static bool refuses_float16(const struct model *model)
{
    static const char *const BEGINNINGS[] = {"gemma-2-", "gemma-3-"};

    for (size_t i = 0; i < ARRAY_LEN(BEGINNINGS); i++)
        if (strncmp(model->id, BEGINNINGS[i], strlen(BEGINNINGS[i])) == 0)
            return true;
    return false;
}

/* The row of an engine at its version, which the part concerns; NULL when none does. */
static const struct dtype_fallback *fallback_of(const struct deployment *dep, const char *arch)
{
    for (size_t i = 0; i < ARRAY_LEN(DTYPE_FALLBACKS); i++) {
        const struct dtype_fallback *row = &DTYPE_FALLBACKS[i];
        if (strcmp(row->engine, dep->engine->id) != 0 ||
            engine_version_compare(dep->version, row->since) < 0)
            continue;
        for (size_t k = 0; k < ARRAY_LEN(row->archs) && row->archs[k]; k++)
            if (strcmp(row->archs[k], arch) == 0)
                return row;
    }
    return NULL;
}

const char *default_dtype_fallback(const struct plan_request *request)
{
    const struct problem *problem = &request->problem;
    const struct hardware *hw = problem->hw;
    const char *own = problem->model->native_format;
    bool nvidia = hw->vendor && hw->arch && strcmp(hw->vendor, "nvidia") == 0;

    if (!nvidia || (own && strcmp(own, "bf16") != 0))
        return NULL;
    const struct dtype_fallback *row = fallback_of(&problem->dep, hw->arch);
    if (!row)
        return NULL;
    return row->takes_float32 && refuses_float16(problem->model) ? "fp32" : "fp16";
}

bool default_weights(const struct rule_context *context, struct plan_request *request)
{
    const struct catalogue *catalogue = context->catalogue;
    const char *fallback = default_dtype_fallback(request);
    const char *own = fallback ? fallback : request->problem.model->native_format;
    int found = own ? catalogue_find_weight_format(catalogue, own) : -1;

    if (found < 0)
        found = catalogue_find_weight_format(catalogue, "bf16");
    request->problem.dep.weights = &catalogue->lib.weight_formats[found < 0 ? 0 : found];
    return true;
}

/* "auto" where no launch record says otherwise: what the checkpoint quantises its cache to, else
 * the type the model computes in. */
bool default_kv_cache(const struct rule_context *context, struct plan_request *request)
{
    const struct catalogue *catalogue = context->catalogue;
    const struct model *model = request->problem.model;
    const char *fallback = default_dtype_fallback(request);
    const char *plain = model->native_dtype == DTYPE_FP16 ? "f16" : "bf16";
    plain = fallback ? fallback : plain;
    int found = catalogue_find_kv_format(
        catalogue, model->native_kv_format != NULL ? model->native_kv_format : plain);

    if (found < 0)
        found = catalogue_find_kv_format(catalogue, "bf16");
    request->problem.dep.kv_cache = &catalogue->lib.kv_formats[found < 0 ? 0 : found];
    return true;
}

bool default_sampler(const struct rule_context *context, struct plan_request *request)
{
    request->problem.dep.sampler = context->engine->sampler_on_host ? SAMPLER_HOST : SAMPLER_DEVICE;
    return true;
}

/* A server with static slots is started with as many as its load needs, up to what the build
 * allows. */
bool default_max_num_seqs(const struct rule_context *context, struct plan_request *request)
{
    struct deployment *dep = &request->problem.dep;
    bool closed = !request->given[FIELD_ID_REQUEST_RATE];
    double asked = request->given[FIELD_ID_CONCURRENCY] ? request->problem.load.concurrency : 1;
    double most = context->engine->max_num_seqs;

    dep->max_num_seqs = dep->engine->static_slots && closed && asked < most ? asked : most;
    return true;
}

/* The model's own limit; one that states none is taken to hold the lengths asked. */
bool default_max_model_len(const struct rule_context *context, struct plan_request *request)
{
    const struct workload *load = &request->problem.load;
    double input = request->given[FIELD_ID_INPUT_TOKENS]
                       ? load->input_tokens
                       : PLAN_FIELDS.rows[FIELD_ID_INPUT_TOKENS].value;
    double output = request->given[FIELD_ID_OUTPUT_TOKENS]
                        ? load->output_tokens
                        : PLAN_FIELDS.rows[FIELD_ID_OUTPUT_TOKENS].value;

    (void)context;
    double positions = problem_positions(&request->problem);
    request->problem.dep.max_model_len = positions > 0 ? positions : input + output;
    return true;
}

bool default_control_plane(const struct rule_context *context, struct plan_request *request)
{
    struct deployment *dep = &request->problem.dep;

    (void)context;
    dep->control_plane = dep->engine->python_control_plane ? CONTROL_PYTHON : CONTROL_NATIVE;
    return true;
}

bool default_disagg_devices(const struct rule_context *context, struct plan_request *request)
{
    struct deployment *dep = &request->problem.dep;

    (void)context;
    if (dep->disaggregated)
        dep->disagg_prefill_devices = dep->tp * dep->pp * dep->dp;
    return dep->disaggregated;
}

bool default_disagg_link(const struct rule_context *context, struct plan_request *request)
{
    struct deployment *dep = &request->problem.dep;
    const struct hardware *hw = request->problem.hw;

    (void)context;
    if (dep->disaggregated)
        dep->disagg_link_bytes_us = hw->link_bytes_us > 0 ? hw->link_bytes_us : hw->host_bytes_us;
    return dep->disaggregated;
}

bool default_disagg_tp(const struct rule_context *context, struct plan_request *request)
{
    struct deployment *dep = &request->problem.dep;

    (void)context;
    if (dep->disaggregated)
        dep->disagg_tp =
            dep->tp < dep->disagg_prefill_devices ? dep->tp : dep->disagg_prefill_devices;
    return dep->disaggregated;
}

bool default_disagg_dp(const struct rule_context *context, struct plan_request *request)
{
    struct deployment *dep = &request->problem.dep;

    (void)context;
    /* a worker with the decode side's ranks where there are devices for it */
    bool enough = dep->disagg_tp * dep->pp * dep->dp <= dep->disagg_prefill_devices;
    if (dep->disaggregated)
        dep->disagg_dp = enough ? dep->dp : 1;
    return dep->disaggregated;
}

bool default_disagg_ep(const struct rule_context *context, struct plan_request *request)
{
    struct deployment *dep = &request->problem.dep;
    double devices = dep->disagg_tp * dep->disagg_dp;

    (void)context;
    if (dep->disaggregated)
        dep->disagg_ep = dep->ep < devices ? dep->ep : devices;
    return dep->disaggregated;
}

bool default_spec_tokens(const struct rule_context *context, struct plan_request *request)
{
    struct deployment *dep = &request->problem.dep;
    bool drafts = dep->spec_method != SPEC_NONE;

    (void)context;
    dep->spec_tokens = drafts ? SPECULATIVE_TOKENS : 0;
    return drafts;
}

bool default_spec_acceptance(const struct rule_context *context, struct plan_request *request)
{
    struct deployment *dep = &request->problem.dep;
    bool drafts = dep->spec_method != SPEC_NONE;

    (void)context;
    dep->spec_acceptance = drafts ? SPECULATIVE_ACCEPTANCE : 0;
    return drafts;
}

/* The part's own; engines with kernels of their own have none. */
bool default_backend(const struct rule_context *context, struct plan_request *request)
{
    struct deployment *dep = &request->problem.dep;

    (void)context;
    if (!local_is_engine(dep->engine))
        return false;
    dep->backend = backend_default(request->problem.hw);
    return dep->backend != BACKEND_COUNT;
}

bool default_load_generator(const struct rule_context *context, struct plan_request *request)
{
    struct workload *load = &request->problem.load;

    (void)context;
    load->load_generator = load_generator_of(request);
    return load->load_generator != LOAD_STEADY;
}

bool default_memory_utilization(const struct rule_context *context, struct plan_request *request)
{
    struct problem *problem = &request->problem;
    problem->dep.memory_utilization =
        problem->dep.engine->memory_rule == MEMORY_SGLANG
            ? memory_sglang_fraction(&problem->dep, problem->model, problem->hw)
            : context->engine->memory_utilization;
    return true;
}
