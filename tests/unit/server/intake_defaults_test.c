#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../figures.h"
#include "intake_kit.h"

/* Defaults of a datacenter part and of a consumer part --------------------------------------------
 */

struct default_row {
    enum field_id id;
    const char *h100, *rtx_5090; /* as the reply prints them; NULL = absent, and nothing assumed */
    const char *source;
};

static const struct default_row DEFAULTS[] = {
    {FIELD_ID_ENGINE, "engine vllm", "engine llama.cpp",
     "vllm on datacenter parts, llama.cpp on consumer parts"},
    {FIELD_ID_WEIGHTS, "weights bf16", "weights bf16",
     "config.json of Llama 3.1: torch_dtype bfloat16"},
    {FIELD_ID_KV_CACHE, "kv_cache bf16", "kv_cache fp16",
     "auto: the model's type; llama.cpp: --cache-type-k f16"},
    {FIELD_ID_TP, "tp 1", "tp 1", ""},
    {FIELD_ID_PP, "pp 1", "pp 1", ""},
    {FIELD_ID_DP, "dp 1", "dp 1", ""},
    {FIELD_ID_EP, "ep 1", "ep 1", ""},
    {FIELD_ID_SAMPLER, "sampler device", "sampler host", "llama-server samples on the host"},
    {FIELD_ID_CUDA_GRAPHS, "cuda_graphs true", "cuda_graphs true", "engine records"},
    {FIELD_ID_ASYNC_SCHEDULING, "async_scheduling true", "async_scheduling false",
     "vLLM from 0.14"},
    {FIELD_ID_PREFIX_CACHING, "prefix_caching true", "prefix_caching true",
     "vLLM V1; llama-server's slot cache"},
    {FIELD_ID_CHUNKED_PREFILL, "chunked_prefill_tokens 8192", "chunked_prefill_tokens 512",
     "vLLM arg_utils.py on 70 GiB and more; llama.cpp n_ubatch"},
    {FIELD_ID_MAX_NUM_SEQS, "max_num_seqs 1024", "max_num_seqs 1",
     "vLLM arg_utils.py on 70 GiB and more; llama-server as many slots as asked"},
    {FIELD_ID_MAX_MODEL_LEN, "max_model_len 131072", "max_model_len 131072",
     "max_position_embeddings of Llama 3.1"},
    {FIELD_ID_MEMORY_UTILIZATION, "memory_utilization 0.92", "memory_utilization 1",
     "vLLM from 0.20"},
    {FIELD_ID_LOGIT_PROCESSORS, "logit_processors []", "logit_processors []", ""},
    {FIELD_ID_STRUCTURED_OUTPUT, "structured_output false", "structured_output false", ""},
    {FIELD_ID_BATCH_INVARIANT, "batch_invariant false", "batch_invariant false", ""},
    {FIELD_ID_DETOKENIZER_PRIMING, "detokenizer_priming bounded", "detokenizer_priming bounded",
     ""},
    {FIELD_ID_STREAM_INTERVAL, "stream_interval 1", "stream_interval 1", "engine records"},
    {FIELD_ID_RECEIVE_INTERVAL, "receive_interval 1", "receive_interval 1", "every step"},
    {FIELD_ID_BATCH_WAIT_STEPS, "batch_wait_steps 0", "batch_wait_steps 0", "no wait"},
    {FIELD_ID_BATCH_WAIT_SHARE, "batch_wait_share 0", "batch_wait_share 0", "no wait"},
    {FIELD_ID_BACKEND, NULL, "backend cuda", "the part is NVIDIA's"},
    {FIELD_ID_BLOCK_SIZE, "block_size 16", "block_size 256", "engine records"},
    {FIELD_ID_REPLICAS, "replicas 1", "replicas 1", ""},
    {FIELD_ID_HOST_CPU_FACTOR, "host_cpu_factor 1", "host_cpu_factor 1", ""},
    {FIELD_ID_CONTROL_PLANE, "control_plane python", "control_plane native",
     "vLLM is Python, llama-server C++"},
    {FIELD_ID_REASONING_PREDICATE, "reasoning_predicate none", "reasoning_predicate none", ""},
    {FIELD_ID_LOGPROBS, "logprobs 0", "logprobs 0", ""},
    {FIELD_ID_EP_BACKEND, NULL, NULL, ""},
    {FIELD_ID_EP_CPU_SYNC, "ep_cpu_sync true", "ep_cpu_sync true", ""},
    {FIELD_ID_SHARED_PREFIX_KERNEL, "shared_prefix_kernel false", "shared_prefix_kernel false", ""},
    {FIELD_ID_FLASH_ATTENTION, "flash_attention true", "flash_attention true", ""},
    {FIELD_ID_PREFILL_PRIORITY, "prefill_priority false", "prefill_priority false", ""},
    {FIELD_ID_HTTP_THREADS_FACTOR, "http_threads_factor 1", "http_threads_factor 1", ""},
    {FIELD_ID_CPU_THREADS, NULL, NULL, ""},
    {FIELD_ID_KV_TIER_KIND, "kv_tier.kind none", "kv_tier.kind none", ""},
    {FIELD_ID_KV_TIER_GBPS, NULL, NULL, ""},
    {FIELD_ID_DISAGG_DEVICES, NULL, NULL, ""},
    {FIELD_ID_DISAGG_GBPS, NULL, NULL, ""},
    {FIELD_ID_SPEC_METHOD, NULL, NULL, ""},
    {FIELD_ID_SPEC_TOKENS, NULL, NULL, ""},
    {FIELD_ID_SPEC_ACCEPTANCE, NULL, NULL, ""},
    {FIELD_ID_CONCURRENCY, "concurrency 1", "concurrency 1", ""},
    {FIELD_ID_INPUT_TOKENS, "input_tokens 1024", "input_tokens 1024", ""},
    {FIELD_ID_OUTPUT_TOKENS, "output_tokens 256", "output_tokens 256", ""},
    {FIELD_ID_CACHED_PREFIX_TOKENS, "cached_prefix_tokens 0", "cached_prefix_tokens 0", ""},
    {FIELD_ID_REQUEST_RATE, NULL, NULL, "closed loop"},
    {FIELD_ID_REQUESTS, NULL, NULL, "steady state"},
    {FIELD_ID_LENGTH_RANGE_RATIO, "length_range_ratio 1", "length_range_ratio 1", ""},
    {FIELD_ID_LOAD_GENERATOR, NULL, NULL, "steady state"},
    {FIELD_ID_SLO_TTFT, NULL, NULL, ""},
    {FIELD_ID_SLO_TPOT, NULL, NULL, ""},
    {FIELD_ID_SLO_OUTPUT_TOK_S, NULL, NULL, ""},
};

static void check_default(struct kit *kit, const struct reading *reading, enum field_id id,
                          const char *expected)
{
    struct json_out out;

    if (reading->request.assumed[id] != (expected != NULL))
        fail_msg("%s is %sassumed", PLAN_FIELDS.rows[id].pointer, expected ? "not " : "");
    if (!expected)
        return;
    json_out_init(&out, kit->arena, 256, 4096);
    request_text_leaf(&out, &reading->request, id);
    out_bytes(&out, "", 1);
    assert_string_equal(out.text, expected);
}

static void every_default_is_taken_and_listed(void **state)
{
    struct kit *kit = *state;
    struct reading reading;

    kit_read_json(kit, "{\"model\":\"llama-3.1-8b\",\"hardware\":\"h100-sxm\"}", &reading);
    assert_true(reading.complete);
    for (size_t i = 0; i < ARRAY_LEN(DEFAULTS); i++)
        check_default(kit, &reading, DEFAULTS[i].id, DEFAULTS[i].h100);
    kit_read_json(kit, "{\"model\":\"llama-3.1-8b\",\"hardware\":\"rtx-5090\"}", &reading);
    assert_true(reading.complete);
    for (size_t i = 0; i < ARRAY_LEN(DEFAULTS); i++)
        check_default(kit, &reading, DEFAULTS[i].id, DEFAULTS[i].rtx_5090);
    assert_false(reading.request.assumed[FIELD_ID_MODEL]);
    assert_false(reading.request.assumed[FIELD_ID_HARDWARE]);
}

/* vLLM: https://github.com/vllm-project/vllm/pull/17265 (in 0.8.5) and
 * _FLOAT16_NOT_SUPPORTED_MODELS of vllm/config/model.py; SGLang: ModelRunner.load_model. */
static void parts_without_bfloat16_compute_in_another_type(void **state)
{
    static const struct {
        const char *model, *part, *deployment, *weights, *kv;
        bool noted;
    } ROWS[] = {
        {"llama-3.2-3b", "t4", "\"engine\":\"vllm\"", "fp16", "fp16", true},
        {"llama-3.2-3b", "v100-sxm-32gb", "\"engine\":\"vllm\"", "fp16", "fp16", true},
        {"llama-3.2-3b", "t4", "\"engine\":\"vllm\",\"engine_version\":\"0.8.4\"", "bf16", "bf16",
         false},
        {"llama-3.2-3b", "t4", "\"engine\":\"vllm\",\"weights\":\"bf16\"", "bf16", "fp16", false},
        {"llama-3.2-3b", "t4", "\"engine\":\"sglang\"", "fp16", "fp16", true},
        {"llama-3.2-3b", "v100-sxm-32gb", "\"engine\":\"sglang\"", "bf16", "bf16", false},
        {"llama-3.2-3b", "l4", "\"engine\":\"vllm\"", "bf16", "bf16", false},
        {"gemma-3-4b", "t4", "\"engine\":\"vllm\"", "fp32", "fp32", true},
    };

    for (size_t i = 0; i < ARRAY_LEN(ROWS); i++) {
        struct reading reading;
        char body[200];
        snprintf(body, sizeof(body), "{\"model\":\"%s\",\"hardware\":\"%s\",\"deployment\":{%s}}",
                 ROWS[i].model, ROWS[i].part, ROWS[i].deployment);
        kit_read_json(*state, body, &reading);
        assert_true(reading.complete);
        const struct deployment *dep = &reading.request.problem.dep;
        const struct described_note *note = reading.request.described.notes;
        if (strcmp(dep->weights->id, ROWS[i].weights) != 0 ||
            strcmp(dep->kv_cache->id, ROWS[i].kv) != 0)
            fail_msg("%s: %s, KV %s", body, dep->weights->id, dep->kv_cache->id);
        assert_int_equal(note && strcmp(note->id, "dtype_fallback") == 0, ROWS[i].noted);
    }
}

static void what_was_given_is_not_assumed(void **state)
{
    struct kit *kit = *state;
    struct reading reading;

    kit_read_json(
        kit,
        "{\"model\":\"llama-3.1-8b\",\"hardware\":\"h100-sxm\",\"deployment\":{\"engine\":"
        "\"sglang\",\"tp\":1,"
        "\"memory_utilization\":0.8},\"workload\":{\"concurrency\":1,\"input_tokens\":1024}}",
        &reading);
    assert_true(reading.complete);
    assert_false(reading.request.assumed[FIELD_ID_ENGINE]);
    assert_false(reading.request.assumed[FIELD_ID_TP]);
    assert_false(reading.request.assumed[FIELD_ID_CONCURRENCY]);
    assert_false(reading.request.assumed[FIELD_ID_INPUT_TOKENS]);
    assert_true(reading.request.assumed[FIELD_ID_OUTPUT_TOKENS]);
    assert_near(reading.request.problem.dep.memory_utilization, 0.8, 1e-12);
}

/* Engines and their versions ----------------------------------------------------------------------
 */

struct engine_row {
    const char *hardware, *engine;
};

static const struct engine_row ENGINES[] = {
    {"h100-sxm", "vllm"},      {"mi300x", "vllm"},        {"l40s", "vllm"},
    {"rtx-5090", "llama.cpp"}, {"rtx-4090", "llama.cpp"}, {"m2-max", "llama.cpp"},
};

static void the_engine_follows_the_class_of_the_part(void **state)
{
    struct kit *kit = *state;
    struct reading reading;
    char body[200];

    for (size_t i = 0; i < ARRAY_LEN(ENGINES); i++) {
        snprintf(body, sizeof(body), "{\"model\":\"llama-3.1-8b\",\"hardware\":\"%s\"}",
                 ENGINES[i].hardware);
        kit_read_json(kit, body, &reading);
        if (!reading.complete)
            fail_msg("%s: %s", ENGINES[i].hardware, reading.faults.items[0].detail);
        assert_string_equal(reading.request.problem.dep.engine->id, ENGINES[i].engine);
    }
}

struct version_row {
    const char *version;
    bool assumed;       /* nobody recorded it */
    bool async;         /* vLLM: asynchronous scheduling by default from 0.14 (release notes) */
    double utilization; /* vLLM PR 38284: 0.92 from 0.20 */
};

static const struct version_row VERSIONS[] = {
    {"0.24.0", false, true, 0.92}, /* the newest of the records */
    {"v0.24.0", false, true, 0.92},         {"0.19.0", false, true, 0.9},
    {"0.12.3", false, false, 0.9},          {"99.0", true, true, 0.92},
    {"nightly", true, true, 0.92},          {"", true, true, 0.92},
    {"\xf0\x9f\x90\x8d", true, true, 0.92},
};

static void defaults_follow_the_version(void **state)
{
    struct kit *kit = *state;
    struct reading reading;
    char body[200];

    for (size_t i = 0; i < ARRAY_LEN(VERSIONS); i++) {
        const struct version_row *row = &VERSIONS[i];
        snprintf(body, sizeof(body),
                 "{\"model\":\"llama-3.1-8b\",\"hardware\":\"h100-sxm\",\"deployment\":{\"engine_"
                 "version\":\"%s\"}}",
                 row->version);
        kit_read_json(kit, body, &reading);
        assert_true(reading.complete);
        if (reading.request.assumed[FIELD_ID_ENGINE_VERSION] != row->assumed)
            fail_msg("version %s", row->version);
        assert_int_equal(reading.request.problem.dep.async_scheduling, row->async);
        assert_near(reading.request.problem.dep.memory_utilization, row->utilization, 1e-12);
    }
}

/* Formats ------------------------------------------------------------------------------------- */

struct format_row {
    const char *model, *deployment, *weights;
    bool assumed;
};

static const struct format_row FORMATS[] = {
    {"llama-3.1-8b", "{}", "bf16", true},
    {"RedHatAI/Meta-Llama-3.1-8B-Instruct-FP8", "{}", "fp8", false},
    {"Llama-3.1-8B-Instruct-FP8", "{\"weights\":\"bf16\"}", "bf16", false},
    {"meta-llama/Llama-3.1-8B-Instruct", "{}", "bf16", true},
    {"llama-3.1-8b", "{\"weights\":\"FP8\"}", "fp8", false},
};

static void weights_come_from_the_request_the_name_or_the_checkpoint(void **state)
{
    struct kit *kit = *state;
    struct reading reading;
    char body[300];

    for (size_t i = 0; i < ARRAY_LEN(FORMATS); i++) {
        const struct format_row *row = &FORMATS[i];
        snprintf(body, sizeof(body),
                 "{\"model\":\"%s\",\"hardware\":\"h100-sxm\",\"deployment\":%s}", row->model,
                 row->deployment);
        kit_read_json(kit, body, &reading);
        if (!reading.complete)
            fail_msg("%s: %s", row->model, reading.faults.items[0].detail);
        assert_string_equal(reading.request.problem.model->id, "llama-3.1-8b");
        assert_string_equal(reading.request.problem.dep.weights->id, row->weights);
        assert_int_equal(reading.request.assumed[FIELD_ID_WEIGHTS], row->assumed);
    }
}

/* Rules ------------------------------------------------------------------------------------------
 */

static void slots_of_llama_server_follow_the_load(void **state)
{
    struct kit *kit = *state;
    struct reading reading;

    kit_read_json(
        kit,
        "{\"model\":\"llama-3.1-8b\",\"hardware\":\"rtx-5090\",\"workload\":{\"concurrency\":32}}",
        &reading);
    assert_figure(reading.request.problem.dep.max_num_seqs, 32);
    assert_true(reading.request.assumed[FIELD_ID_MAX_NUM_SEQS]);
    kit_read_json(
        kit,
        "{\"model\":\"llama-3.1-8b\",\"hardware\":\"rtx-5090\",\"deployment\":{\"max_num_seqs\":4},"
        "\"workload\":{\"concurrency\":32}}",
        &reading);
    assert_figure(reading.request.problem.dep.max_num_seqs, 4);
}

static void the_load_generator_follows_lengths_and_count(void **state)
{
    static const struct {
        const char *workload;
        enum load_generator expected;
    } ROWS[] = {
        {"{}", LOAD_STEADY},
        {"{\"requests\":100}", LOAD_ENGINE_BENCH},
        {"{\"length_range_ratio\":0.8}", LOAD_INFERENCEX},
        {"{\"length_range_ratio\":0.8,\"requests\":100}", LOAD_INFERENCEX},
        {"{\"length_range_ratio\":0.8,\"load_generator\":\"engine_bench\"}", LOAD_ENGINE_BENCH},
    };
    struct kit *kit = *state;
    struct reading reading;
    char body[300];

    for (size_t i = 0; i < ARRAY_LEN(ROWS); i++) {
        snprintf(body, sizeof(body),
                 "{\"model\":\"llama-3.1-8b\",\"hardware\":\"h100-sxm\",\"workload\":%s}",
                 ROWS[i].workload);
        kit_read_json(kit, body, &reading);
        assert_true(reading.complete);
        assert_int_equal(reading.request.problem.load.load_generator, ROWS[i].expected);
    }
}

/* A request count says that vLLM's own benchmark is meant; llama-bench counts none. */
static void a_local_engine_has_a_backend_and_no_counted_benchmark(void **state)
{
    static const struct {
        const char *hardware, *deployment;
        enum backend expected;
    } ROWS[] = {
        {"rtx-4090", "{}", BACKEND_CUDA},
        {"rx-7900-xtx", "{}", BACKEND_HIP},
        {"rx-7900-xtx", "{\"backend\":\"vulkan\"}", BACKEND_VULKAN},
        {"m4-max-40c", "{}", BACKEND_METAL},
        {"m4-max-40c", "{\"engine\":\"mlx\",\"weights\":\"mlx-4bit\"}", BACKEND_METAL},
        {"arc-b580", "{\"engine\":\"ollama\"}", BACKEND_VULKAN},
        {"cpu-ryzen-7950x-ddr5-5200", "{\"cpu_threads\":8}", BACKEND_CPU},
    };
    struct kit *kit = *state;
    struct reading reading;
    char body[300];

    for (size_t i = 0; i < ARRAY_LEN(ROWS); i++) {
        snprintf(body, sizeof(body),
                 "{\"model\":\"llama-3.1-8b\",\"hardware\":\"%s\",\"deployment\":%s,\"workload\":{"
                 "\"requests\":100}}",
                 ROWS[i].hardware, ROWS[i].deployment);
        kit_read_json(kit, body, &reading);
        assert_true(reading.complete);
        assert_int_equal(reading.request.problem.dep.backend, ROWS[i].expected);
        assert_int_equal(reading.request.problem.load.load_generator, LOAD_STEADY);
    }
    assert_figure(reading.request.problem.dep.cpu_threads, 8);
}

static void inner_objects_take_defaults_only_when_they_are_there(void **state)
{
    struct kit *kit = *state;
    struct reading reading;

    kit_read_json(
        kit,
        "{\"model\":\"llama-3.1-8b\",\"hardware\":\"h100-sxm\",\"deployment\":{\"tp\":2,"
        "\"disaggregation\":{},"
        "\"speculative\":{\"method\":\"ngram\"},\"kv_tier\":{\"kind\":\"host\",\"gbps\":50}}}",
        &reading);
    assert_true(reading.complete);
    const struct deployment *dep = &reading.request.problem.dep;
    assert_true(dep->disaggregated);
    assert_figure(dep->disagg_prefill_devices, 2); /* as many as decode */
    /* NVLink 4: 900 GB/s both ways, 450 one way = 450,000 bytes/us (NVIDIA H100 datasheet) */
    assert_figure(dep->disagg_link_bytes_us, 450000);
    assert_figure(dep->spec_tokens, 3);
    assert_near(dep->spec_acceptance, 0.7, 1e-12);
    assert_true(reading.request.assumed[FIELD_ID_SPEC_TOKENS]);
    assert_figure(dep->kv_tier_bytes_us, 50000);
}

static void absent_numbers_are_nan_or_the_zero_that_the_planner_means(void **state)
{
    struct kit *kit = *state;
    struct reading reading;

    kit_read_json(kit, "{\"model\":\"llama-3.1-8b\",\"hardware\":\"h100-sxm\"}", &reading);
    assert_true(isnan(reading.request.problem.load.request_rate));
    assert_true(isnan(reading.request.problem.load.requests));
    assert_true(isnan(reading.request.problem.slo.ttft_ms));
    assert_true(isnan(reading.request.problem.slo.tpot_ms));
    assert_true(isnan(reading.request.problem.slo.output_tok_s));
    assert_figure(reading.request.problem.dep.kv_tier_bytes_us, 0);
    assert_figure(reading.request.problem.dep.spec_tokens, 0);
    assert_false(reading.request.problem.dep.disaggregated);
}

/* The resolved request ---------------------------------------------------------------------------
 */

static void a_resolved_request_posted_again_resolves_to_itself(void **state)
{
    static const char *const BODIES[] = {
        "{\"model\":\"llama-3.1-8b\",\"hardware\":\"h100-sxm\"}",
        "{\"model\":\"Qwen/"
        "Qwen2.5-7B-Instruct\",\"hardware\":\"rtx-5090\",\"deployment\":{\"weights\":\"f16\","
        "\"backend\":\"cuda\",\"logit_processors\":[\"min_p\"]},\"workload\":{\"concurrency\":32}}",
        "{\"model\":\"deepseek-v3\",\"hardware\":\"h200-sxm\",\"deployment\":{\"tp\":8,\"ep\":8,"
        "\"ep_backend\":\"deepep\","
        "\"speculative\":{\"method\":\"mtp\",\"tokens\":1},\"disaggregation\":{\"prefill_devices\":"
        "8,\"gbps\":50}},"
        "\"workload\":{\"request_rate\":1.5},\"slo\":{\"ttft_ms\":500}}",
        "{\"model\":\"llama-3.1-8b\",\"hardware\":{\"id\":\"mine\",\"memory_gb\":48,\"mem_bw_"
        "gbps\":900,"
        "\"peak_dense_tflops\":{\"bf16\":300},\"interconnect\":{\"kind\":\"NVLink\",\"gbps_per_gpu_"
        "total_bidir\":400,"
        "\"max_domain\":4},\"host_gbps\":31}}",
    };
    struct kit *kit = *state;
    struct reading reading;

    for (size_t i = 0; i < ARRAY_LEN(BODIES); i++) {
        kit_read_json(kit, BODIES[i], &reading);
        if (!reading.complete)
            fail_msg("%s: %s", BODIES[i], reading.faults.items[0].detail);
        char *first = strdup(kit_request_text(kit, &reading));
        kit_read_json(kit, first, &reading);
        if (!reading.complete)
            fail_msg("%s: %s", first, reading.faults.items[0].detail);
        assert_string_equal(kit_request_text(kit, &reading), first);
        free(first);
    }
}

static void an_inline_model_is_echoed_as_it_came(void **state)
{
    struct kit *kit = *state;
    struct reading reading;

    /* config.json of meta-llama/Llama-3.1-8B, shortened to what decides its geometry */
    kit_read_json(
        kit,
        "{\"model\":{\"hf_config\":{\"architectures\":[\"LlamaForCausalLM\"],\"model_type\":"
        "\"llama\","
        "\"hidden_size\":4096,\"intermediate_size\":14336,\"num_attention_heads\":32,\"num_key_"
        "value_heads\":8,"
        "\"num_hidden_layers\":32,\"vocab_size\":128256,\"max_position_embeddings\":131072,"
        "\"tie_word_embeddings\":false,\"torch_dtype\":\"bfloat16\",\"rms_norm_eps\":1e-05}},"
        "\"hardware\":\"h100-sxm\"}",
        &reading);
    if (!reading.complete)
        fail_msg("%s %s", reading.faults.items[0].pointer, reading.faults.items[0].detail);
    assert_figure(reading.request.problem.model->params_total,
                  8030261248.0); /* the published count */
    const char *text = kit_request_text(kit, &reading);
    assert_non_null(
        strstr(text, "\"model\":{\"hf_config\":{\"architectures\":[\"LlamaForCausalLM\"],"));
    assert_non_null(strstr(text, "\"rms_norm_eps\":1e-05}}"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_default_is_taken_and_listed),
        cmocka_unit_test(parts_without_bfloat16_compute_in_another_type),
        cmocka_unit_test(what_was_given_is_not_assumed),
        cmocka_unit_test(the_engine_follows_the_class_of_the_part),
        cmocka_unit_test(defaults_follow_the_version),
        cmocka_unit_test(weights_come_from_the_request_the_name_or_the_checkpoint),
        cmocka_unit_test(slots_of_llama_server_follow_the_load),
        cmocka_unit_test(the_load_generator_follows_lengths_and_count),
        cmocka_unit_test(a_local_engine_has_a_backend_and_no_counted_benchmark),
        cmocka_unit_test(inner_objects_take_defaults_only_when_they_are_there),
        cmocka_unit_test(absent_numbers_are_nan_or_the_zero_that_the_planner_means),
        cmocka_unit_test(a_resolved_request_posted_again_resolves_to_itself),
        cmocka_unit_test(an_inline_model_is_echoed_as_it_came),
    };
    return cmocka_run_group_tests(tests, kit_setup, kit_teardown);
}
