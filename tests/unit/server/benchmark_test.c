/* Result files of load generators as measurements, against what the files say. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cjson/cJSON.h>
#include <cmocka.h>

#include "benchmark.h"
#include "compiler.h"

#define ARENA_MAX (1 << 20)

/* A run published with a guide of the llm-d project (30 May 2025); 899100 / 900 = 999 tokens read
 * by a request, 240163 / 900 = 266.8 written. */
static const char VLLM[] =
    "{\"date\": \"20250530-204006\", \"backend\": \"vllm\", \"model_id\": "
    "\"meta-llama/Llama-3.2-3B-Instruct\", \"num_prompts\": 900, \"request_rate\": \"inf\", "
    "\"burstiness\": 1.0, \"max_concurrency\": null, \"duration\": 20.918269691000205, "
    "\"completed\": 900, \"total_input_tokens\": 899100, \"total_output_tokens\": 240163, "
    "\"request_throughput\": 43.024591101204344, \"request_goodput:\": null, "
    "\"output_throughput\": 11481.016525153933, \"total_token_throughput\": 54462.58303525708, "
    "\"mean_ttft_ms\": 902.2531994799939, \"median_ttft_ms\": 877.0819514993491, "
    "\"std_ttft_ms\": 194.26376120632074, \"p99_ttft_ms\": 1353.1694669699937, "
    "\"mean_tpot_ms\": 44.35695594492121, \"mean_itl_ms\": 40.126101133447385}";

/* As sglang.bench_serving writes a line; two runs of one file, of which the first has an endless
 * rate, for which Python writes no JSON. */
static const char SGLANG[] =
    "{\"backend\": \"sglang\", \"dataset_name\": \"random\", \"request_rate\": Infinity, "
    "\"max_concurrency\": 16, \"random_input_len\": 1024, \"server_info\": {\"model_path\": "
    "\"Qwen/Qwen3-8B\", \"tp_size\": 2, \"version\": \"0.5.3\"}, \"duration\": 10.0, "
    "\"completed\": 100, \"num_prompts\": 102, \"total_input_tokens\": 102400, "
    "\"total_output_tokens\": 12800, \"output_throughput\": 1280.0, \"total_throughput\": "
    "11520.0, \"mean_e2e_latency_ms\": 1500.5, \"p90_ttft_ms\": 90.25, \"mean_tpot_ms\": 0.0}\n"
    "{\"backend\": \"sglang\", \"request_rate\": 4.0, \"max_concurrency\": null, \"duration\": "
    "10.0, \"completed\": 40, \"total_input_tokens\": 40, \"total_output_tokens\": 80, "
    "\"output_throughput\": 8.0, \"mean_e2e_latency_ms\": 15.5, \"tag\": \"NaN \\\"Infinity\"}\n";

static const char GUIDELLM[] =
    "{\"metadata\": {\"guidellm_version\": \"0.3.0\"}, \"benchmarks\": ["
    "{\"args\": {\"strategy\": {\"type_\": \"synchronous\"}}, \"worker\": {\"backend_model\": "
    "\"RedHatAI/Llama-3.1-8B\"}, \"metrics\": {\"request_totals\": {\"successful\": 30, "
    "\"errored\": 0}, \"prompt_token_count\": {\"successful\": {\"mean\": 256.2}}, "
    "\"time_to_first_token_ms\": {\"successful\": {\"mean\": 40.5, \"median\": 39.5, "
    "\"percentiles\": {\"p99\": 80.5}}}}},"
    "{\"config\": {\"strategy\": {\"type_\": \"concurrent\", \"streams\": 8}, \"backend\": "
    "{\"model\": \"m\"}}, \"metrics\": {\"request_totals\": {\"successful\": 30, \"errored\": 3}, "
    "\"inter_token_latency_ms\": {\"successful\": {\"mean\": 9.5}}, \"request_latency\": "
    "{\"successful\": {\"mean\": 1.25}}}},"
    "{\"config\": {\"strategy\": {\"type_\": \"poisson\", \"rate\": 2.5, \"max_concurrency\": 64}},"
    " \"metrics\": {\"request_totals\": {\"successful\": 3}, \"request_latency\": "
    "{\"successful\": {\"median\": 0.5}}}}]}";

static const char AIPERF[] =
    "{\"schema_version\": \"1.3\", \"aiperf_version\": \"0.10.0\", \"input_config\": "
    "{\"endpoint\": "
    "{\"model_names\": [\"Qwen/Qwen3-8B\"]}, \"loadgen\": {\"concurrency\": 2}}, "
    "\"request_throughput\": {\"unit\": \"requests/sec\", \"avg\": 0.8233}, \"request_latency\": "
    "{\"unit\": \"ms\", \"avg\": 2413.5, \"p50\": 2431.75}, \"request_count\": {\"avg\": 10.0}, "
    "\"time_to_first_token\": {\"unit\": \"sec\", \"avg\": 0.19584, \"p99\": 0.25345}, "
    "\"inter_token_latency\": {\"unit\": \"ms\", \"avg\": 35.2, \"std\": 0.6}, "
    "\"output_sequence_length\": {\"avg\": 64.0}, \"input_sequence_length\": {\"avg\": 256.0}, "
    "\"start_time\": \"2026-06-13T05:11:41.465270\"}";

static const char LLAMA[] =
    "[{\"build_commit\": \"c46583b\", \"build_number\": 5432, \"gpu_info\": \"NVIDIA GeForce RTX "
    "4090\", \"backends\": \"CUDA\", \"model_filename\": "
    "\"models/Meta-Llama-3.1-8B-Instruct-Q4_K_M.GGUF\", \"model_size\": 4912898304, \"type_k\": "
    "\"q8_0\", \"n_prompt\": 512, \"n_gen\": 0, \"n_depth\": 4096, \"n_ubatch\": 512, "
    "\"test_time\": \"2025-05-20T10:00:00Z\", \"avg_ts\": 12345.5, \"stddev_ts\": 2.1},"
    "{\"build_commit\": \"c46583b\", \"gpu_info\": \"A, B\", \"model_filename\": \"x.gguf\", "
    "\"n_prompt\": 0, \"n_gen\": 128, \"avg_ts\": 150.25},"
    "{\"model_filename\": \"x\", \"n_prompt\": 512, \"n_gen\": 128, \"avg_ts\": 900}]";

/* Of builds for other parts; names of back ends as ggml registers them (ggml_backend_reg_name). */
static const char LLAMA_BUILDS[] =
    "[{\"backends\": \"ROCm\", \"gpu_info\": \"AMD Radeon RX 7900 XTX\", \"n_gpu_layers\": 99, "
    "\"n_prompt\": 0, \"n_gen\": 128, \"avg_ts\": 99},"
    "{\"backends\": \"MTL,BLAS\", \"gpu_info\": \"Apple M2 Ultra\", \"n_gpu_layers\": -1, "
    "\"n_gen\": 128, \"avg_ts\": 80},"
    "{\"backends\": \"BLAS\", \"cpu_info\": \"AMD EPYC 9654\", \"gpu_info\": \"\", "
    "\"n_gpu_layers\": 99, \"n_gen\": 128, \"avg_ts\": 18},"
    "{\"backends\": \"CUDA\", \"cpu_info\": \"AMD\", \"gpu_info\": \"NVIDIA L4\", "
    "\"n_gpu_layers\": 20, \"n_gen\": 128, \"avg_ts\": 7},"
    "{\"backends\": \"CUDA\", \"gpu_info\": \"NVIDIA L4\", \"n_gpu_layers\": 99, "
    "\"no_kv_offload\": true, \"n_gen\": 128, \"avg_ts\": 6}]";

/* A file's run and what it says somewhere; text NULL: the number, 0 = it says nothing. */
static const struct said {
    const char *file;
    int run;
    const char *path, *text;
    double number;
} SAID[] = {
    {VLLM, 0, "model", "meta-llama/Llama-3.2-3B-Instruct", 0},
    {VLLM, 0, "measured_on", "2025-05-30", 0},
    {VLLM, 0, "engine", NULL, 0}, /* its "backend" is the client's */
    {VLLM, 0, "workload/input_tokens", NULL, 999},
    {VLLM, 0, "workload/output_tokens", NULL, 267},
    {VLLM, 0, "workload/load_profile", "all_at_once", 0},
    {VLLM, 0, "workload/requests", NULL, 900},
    {VLLM, 0, "metrics/ttft_ms.mean", NULL, 902.2531994799939},
    {VLLM, 0, "metrics/ttft_ms.p50", NULL, 877.0819514993491},
    {VLLM, 0, "metrics/ttft_ms.stddev", NULL, 194.26376120632074},
    {VLLM, 0, "metrics/tpot_ms.mean", NULL, 44.35695594492121},
    {VLLM, 0, "metrics/itl_ms.mean", NULL, 40.126101133447385},
    {VLLM, 0, "metrics/total_tok_s.mean", NULL, 54462.58303525708},
    {VLLM, 0, "metrics/requests_s.mean", NULL, 43.024591101204344},
    {VLLM, 0, "notes", NULL, 0},
    {SGLANG, 0, "model", "Qwen/Qwen3-8B", 0},
    {SGLANG, 0, "engine", "sglang", 0},
    {SGLANG, 0, "engine_version", "0.5.3", 0},
    {SGLANG, 0, "parallelism/tp", NULL, 2},
    {SGLANG, 0, "workload/load_profile", "closed_loop", 0},
    {SGLANG, 0, "workload/concurrency", NULL, 16},
    {SGLANG, 0, "workload/input_tokens", NULL, 1024},
    {SGLANG, 0, "metrics/e2e_ms.mean", NULL, 1500.5},
    {SGLANG, 0, "metrics/ttft_ms.p90", NULL, 90.25},
    {SGLANG, 0, "metrics/tpot_ms.mean", NULL, 0}, /* no time at all is no figure */
    {SGLANG, 0, "notes", "2 of 102 requests failed", 0},
    {SGLANG, 1, "workload/load_profile", "open_loop", 0},
    {SGLANG, 1, "workload/request_rate", NULL, 4},
    {SGLANG, 1, "workload/output_tokens", NULL, 2},
    {GUIDELLM, 0, "model", "RedHatAI/Llama-3.1-8B", 0},
    {GUIDELLM, 0, "workload/concurrency", NULL, 1},
    {GUIDELLM, 0, "workload/input_tokens", NULL, 256},
    {GUIDELLM, 0, "metrics/ttft_ms.p50", NULL, 39.5},
    {GUIDELLM, 0, "metrics/ttft_ms.p99", NULL, 80.5},
    {GUIDELLM, 1, "model", "m", 0},
    {GUIDELLM, 1, "workload/concurrency", NULL, 8},
    {GUIDELLM, 1, "metrics/tpot_ms.mean", NULL, 9.5},
    {GUIDELLM, 1, "metrics/e2e_ms.mean", NULL, 1250}, /* it writes seconds */
    {GUIDELLM, 1, "notes", "3 of 33 requests failed", 0},
    {GUIDELLM, 2, "workload/load_profile", "open_loop", 0},
    {GUIDELLM, 2, "workload/request_rate", NULL, 2.5},
    {GUIDELLM, 2, "workload/concurrency", NULL, 0},
    {GUIDELLM, 2, "notes", "at most 64 requests in flight", 0},
    {AIPERF, 0, "model", "Qwen/Qwen3-8B", 0},
    {AIPERF, 0, "measured_on", "2026-06-13", 0},
    {AIPERF, 0, "workload/concurrency", NULL, 2},
    {AIPERF, 0, "workload/output_tokens", NULL, 64},
    {AIPERF, 0, "metrics/ttft_ms.mean", NULL, 195.84}, /* 0.19584 s */
    {AIPERF, 0, "metrics/tpot_ms.mean", NULL, 35.2},
    {AIPERF, 0, "metrics/tpot_ms.stddev", NULL, 0.6},
    {AIPERF, 0, "metrics/e2e_ms.p50", NULL, 2431.75},
    {AIPERF, 0, "metrics/requests_s.mean", NULL, 0.8233},
    {VLLM, 0, "workload/load_generator", "engine_bench", 0},
    {SGLANG, 1, "workload/load_generator", "engine_bench", 0},
    {GUIDELLM, 0, "workload/load_generator", NULL, 0},
    {LLAMA_BUILDS, 0, "backend", "hip", 0},
    {LLAMA_BUILDS, 1, "backend", "metal", 0},
    {LLAMA_BUILDS, 2, "backend", "cpu", 0},
    {LLAMA_BUILDS, 2, "hardware", "AMD EPYC 9654", 0},
    {LLAMA_BUILDS, 3, "hardware", "NVIDIA L4", 0},
    {LLAMA, 0, "kind", "speed", 0},
    {LLAMA, 0, "model", "Meta-Llama-3.1-8B-Instruct-Q4_K_M", 0},
    {LLAMA, 0, "hardware", "NVIDIA GeForce RTX 4090", 0},
    {LLAMA, 0, "engine", "llama.cpp", 0},
    {LLAMA, 0, "engine_version", "b5432", 0},
    {LLAMA, 0, "backend", "cuda", 0},
    {LLAMA, 0, "kv_cache", "q8_0", 0},
    {LLAMA, 0, "measured_on", "2025-05-20", 0},
    {LLAMA, 0, "workload/depth", NULL, 4096},
    {LLAMA, 0, "workload/input_tokens", NULL, 512},
    {LLAMA, 0, "workload/test", "pp512", 0},
    {LLAMA, 0, "metrics/prefill_tok_s.mean", NULL, 12345.5},
    {LLAMA, 0, "metrics/prefill_tok_s.stddev", NULL, 2.1},
    {LLAMA, 1, "engine_version", "c46583b", 0},
    {LLAMA, 1, "hardware", NULL, 0},
    {LLAMA, 1, "workload/output_tokens", NULL, 128},
    {LLAMA, 1, "metrics/decode_tok_s.mean", NULL, 150.25},
    {LLAMA, 2, "workload/test", "pp512+tg128", 0},
    {LLAMA, 2, "metrics/reported_tok_s.mean", NULL, 900},
};

static cJSON *parse(struct arena *arena, const char *text)
{
    size_t length = 0;
    const char *json = benchmark_text(arena, text, strlen(text), &length);

    assert_non_null(json);
    assert_int_equal(strlen(json), length);
    return cJSON_Parse(json);
}

static const cJSON *at(const cJSON *object, const char *path)
{
    char name[80];
    size_t length = strcspn(path, "/");

    snprintf(name, sizeof(name), "%.*s", (int)length, path);
    object = cJSON_GetObjectItemCaseSensitive(object, name);
    return path[length] ? cJSON_GetObjectItemCaseSensitive(object, path + length + 1) : object;
}

static void check_said(const struct said *said, const struct benchmark *benchmark)
{
    assert_true(said->run < benchmark->n);
    const cJSON *item = at(benchmark->runs[said->run], said->path);

    if (said->text) {
        assert_true(cJSON_IsString(item));
        assert_string_equal(item->valuestring, said->text);
    } else if (said->number > 0) {
        assert_true(cJSON_IsNumber(item));
        assert_true(fabs(item->valuedouble - said->number) <= 1e-9 * said->number);
    } else if (item) {
        fail_msg("%s is said", said->path);
    }
}

static void files_say_what_they_say(void **state)
{
    struct arena *arena = arena_new(ARENA_MAX);

    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(SAID); i++) {
        struct faults faults;
        struct benchmark benchmark;
        arena_reset(arena);
        faults_init(&faults, arena);
        cJSON *file = parse(arena, SAID[i].file);
        assert_non_null(file);
        assert_true(benchmark_is(file));
        assert_true(benchmark_read(arena, file, "", &faults, &benchmark));
        check_said(&SAID[i], &benchmark);
        for (int k = 0; k < benchmark.n; k++)
            cJSON_Delete(benchmark.runs[k]);
        cJSON_Delete(file);
    }
    arena_free(arena);
}

/* Layers on the GPU: 99 are more than any such model has, -1 all of them; a cache in the host's
 * memory counts as none. */
static void layers_left_to_the_processor_are_told(void **state)
{
    static const double LAYERS[] = {99, -1, 99, 20, 0};
    struct arena *arena = arena_new(ARENA_MAX);
    struct faults faults;
    struct benchmark benchmark;

    (void)state;
    faults_init(&faults, arena);
    cJSON *file = parse(arena, LLAMA_BUILDS);
    assert_true(benchmark_read(arena, file, "", &faults, &benchmark));
    assert_int_equal(benchmark.n, ARRAY_LEN(LAYERS));
    for (int k = 0; k < benchmark.n; k++) {
        bool all = LAYERS[k] < 0;
        assert_int_equal(isnan(benchmark.gpu_layers[k]), all);
        assert_true(all || benchmark.gpu_layers[k] == LAYERS[k]);
        cJSON_Delete(benchmark.runs[k]);
    }
    cJSON_Delete(file);
    arena_free(arena);
}

static void tools_are_told_apart(void **state)
{
    static const struct {
        const char *file, *tool;
        int n;
    } TOOLS[] = {
        {VLLM, "vllm bench serve", 1}, {SGLANG, "sglang.bench_serving", 2},
        {GUIDELLM, "GuideLLM", 3},     {AIPERF, "AIPerf", 1},
        {LLAMA, "llama-bench", 3},
    };
    struct arena *arena = arena_new(ARENA_MAX);

    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(TOOLS); i++) {
        struct faults faults;
        struct benchmark benchmark;
        faults_init(&faults, arena);
        cJSON *file = parse(arena, TOOLS[i].file);
        assert_true(benchmark_read(arena, file, "", &faults, &benchmark));
        assert_string_equal(benchmark.tool, TOOLS[i].tool);
        assert_int_equal(benchmark.n, TOOLS[i].n);
        for (int k = 0; k < benchmark.n; k++)
            cJSON_Delete(benchmark.runs[k]);
        cJSON_Delete(file);
    }
    arena_free(arena);
}

/* What is no file of a tool, and a tool's file of nothing: one fault, at the place that is given.
 */
static void other_files_are_refused(void **state)
{
    static const struct {
        const char *file, *says;
    } OTHERS[] = {
        {"{}", "no result file"},
        {"[]", "no result file"},
        {"7", "no result file"},
        {"{\"model\": \"x\", \"metrics\": {\"ttft_ms\": 3}}", "no result file"},
        {"{\"completed\": 0, \"mean_ttft_ms\": 0.0, \"output_throughput\": 0.0}",
         "no request finished"},
        {"{\"completed\": 3, \"mean_ttft_ms\": 0.0, \"output_throughput\": 0.0}",
         "without a figure"},
    };
    struct arena *arena = arena_new(ARENA_MAX);

    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(OTHERS); i++) {
        struct faults faults;
        struct benchmark benchmark;
        faults_init(&faults, arena);
        cJSON *file = parse(arena, OTHERS[i].file);
        assert_non_null(file);
        assert_false(benchmark_read(arena, file, "/benchmark", &faults, &benchmark));
        assert_int_equal(faults.n, 1);
        assert_string_equal(faults.items[0].pointer, "/benchmark");
        assert_non_null(strstr(faults.items[0].detail, OTHERS[i].says));
        assert_int_equal(benchmark.n, 0);
        cJSON_Delete(file);
    }
    arena_free(arena);
}

static void texts_become_json(void **state)
{
    static const struct {
        const char *text, *json;
    } TEXTS[] = {
        {"{\"a\":NaN,\"b\":[-Infinity,Infinity]}", "{\"a\":null,\"b\":[null,null]}"},
        {"{\"a\":\"NaN \\\" Infinity\"}", "{\"a\":\"NaN \\\" Infinity\"}"},
        {"{}\n{}\n", "[{}\n,{}\n]"},
        {"[{},{}]", "[{},{}]"},
        {"{\"a\":Infinitys}", "{\"a\":Infinitys}"},
        {"{\"a\":\"\\", "{\"a\":\"\\"},
        {"", ""},
    };
    struct arena *arena = arena_new(ARENA_MAX);

    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(TEXTS); i++) {
        size_t length = 0;
        const char *json = benchmark_text(arena, TEXTS[i].text, strlen(TEXTS[i].text), &length);
        assert_string_equal(json, TEXTS[i].json);
        assert_int_equal(length, strlen(TEXTS[i].json));
    }
    arena_free(arena);
}

/* The text that grows most: two bytes become three, and two more around them all. */
static void values_side_by_side_become_a_list(void **state)
{
    enum { VALUES = 400 };

    char text[2 * VALUES + 1] = "", json[3 * VALUES + 2] = "";
    struct arena *arena = arena_new(ARENA_MAX);
    size_t length = 0;

    (void)state;
    for (int i = 0; i < VALUES; i++) {
        memcpy(text + 2 * i, "[]", 3);
        memcpy(json + 3 * i, i ? ",[]" : "[[]", 4);
    }
    memcpy(json + 3 * VALUES, "]", 2);
    const char *made = benchmark_text(arena, text, strlen(text), &length);
    assert_string_equal(made, json);
    assert_int_equal(length, 3 * VALUES + 1);
    arena_free(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(files_say_what_they_say),
        cmocka_unit_test(layers_left_to_the_processor_are_told),
        cmocka_unit_test(tools_are_told_apart),
        cmocka_unit_test(other_files_are_refused),
        cmocka_unit_test(texts_become_json),
        cmocka_unit_test(values_side_by_side_become_a_list),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
