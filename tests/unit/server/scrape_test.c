/* Scrapes of /metrics: files that people posted (tests/golden/metrics), and the traps in them.
 * Values are computed by hand from the samples; sources in that folder's README.md. */
#include "observe_kit.h"

static const struct observe_row FILES[] = {
    /* 162 running, 2,826 queued; 2351897.947 s / 11008; 1 - 2513 / 11008 above 30 s;
       866964.579 s / 7400757; 3116093.850 s / 11228 */
    {"sglang-0.4-docs-overloaded.prom", OBS_RUNNING, 162},
    {"sglang-0.4-docs-overloaded.prom", OBS_WAITING, 2826},
    {"sglang-0.4-docs-overloaded.prom", OBS_KV_USAGE, 0.28},
    {"sglang-0.4-docs-overloaded.prom", OBS_TTFT_MEAN_MS, 213653.52},
    {"sglang-0.4-docs-overloaded.prom", OBS_TTFT_BEYOND_SHARE, 0.771712},
    {"sglang-0.4-docs-overloaded.prom", OBS_TTFT_BOUND_MS, 30000},
    {"sglang-0.4-docs-overloaded.prom", OBS_TTFT_P99_MS, 30000},
    {"sglang-0.4-docs-overloaded.prom", OBS_ITL_MEAN_MS, 117.14539},
    /* half of 7400757 is 3700378.5: 75 + 25 * (3700378.5 - 433413) / (4950195 - 433413) */
    {"sglang-0.4-docs-overloaded.prom", OBS_ITL_P50_MS, 93.08237},
    {"sglang-0.4-docs-overloaded.prom", OBS_E2E_MEAN_MS, 277528.84},
    {"sglang-0.4-docs-overloaded.prom", OBS_OUTPUT_TOK_S_GAUGE, 86.50814},
    {"sglang-0.4-docs-overloaded.prom", OBS_OUTPUT_TOK_S, NAN},
    {"sglang-0.3.5-limits.prom", OBS_KV_CAPACITY_TOKENS, 570979},
    {"sglang-0.3.5-limits.prom", OBS_MAX_RUNNING, 2231},
    {"sglang-0.3.5-limits.prom", OBS_MAX_MODEL_LEN, 131072},
    {"sglang-0.4.4-one-request.prom", OBS_E2E_COUNT, 1},
    {"sglang-0.4.4-one-request.prom", OBS_E2E_MEAN_MS, NAN},
    {"sglang-0.4.4-one-request.prom", OBS_E2E_P50_MS, NAN},
    {"sglang-0.5.1-truncated.prom", OBS_RUNNING, 1},
    {"sglang-0.5.1-truncated.prom", OBS_WAITING, NAN},
    /* used / max = 1 / 6239; 6239 blocks of 64 tokens */
    {"tensorrtllm-triton-readme.prom", OBS_KV_USAGE, 1.0 / 6239},
    {"tensorrtllm-triton-readme.prom", OBS_KV_CAPACITY_TOKENS, 399296},
    {"tensorrtllm-triton-readme.prom", OBS_MAX_RUNNING, 512},
    {"tensorrtllm-triton-readme.prom", OBS_WAITING, 1},
    {"tensorrtllm-triton-readme.prom", OBS_E2E_MEAN_MS, NAN},
    /* 201121 / 707 and 81896 / 707 */
    {"tensorrtllm-pytrtllm-prototype.prom", OBS_INPUT_TOKENS_MEAN, 284.471},
    {"tensorrtllm-pytrtllm-prototype.prom", OBS_OUTPUT_TOKENS_MEAN, 115.8359},
    /* 5 + 120 + 90 ms, the decode step of 60 ms is not in it; 1000 tokens in 500 steps */
    {"tgi-fixture-toptop.prom", OBS_TTFT_MEAN_MS, 215},
    {"tgi-fixture-toptop.prom", OBS_STEP_DECODE_MEAN_MS, 60},
    {"tgi-fixture-toptop.prom", OBS_MEAN_BATCH, 2},
    {"tgi-fixture-toptop.prom", OBS_INPUT_TOKENS_MEAN, 500},
    {"tgi-fixture-toptop.prom", OBS_REQUESTS, 10},
    {"tgis-adapter-on-vllm.prom", OBS_STEP_PREFILL_COUNT, 215},
    {"tgis-adapter-on-vllm.prom", OBS_STEP_DECODE_COUNT, NAN},
    /* 279.178 s / 7801 tokens; gauges of a life */
    {"llamacpp-b5xxx-real.prom", OBS_ITL_MEAN_MS, 35.78746},
    {"llamacpp-b5xxx-real.prom", OBS_OUTPUT_TOK_S_PER_USER, 27.94275},
    {"llamacpp-b5xxx-real.prom", OBS_MEAN_BATCH, 1},
    {"llamacpp-b5xxx-real.prom", OBS_STEPS, 7831},
    {"llamacpp-b5xxx-real.prom", OBS_KV_USAGE, NAN},
    {"llamacpp-b5xxx-real.prom", OBS_OUTPUT_TOK_S, NAN},
    {"vllm-dp2-two-engines.prom", OBS_OUTPUT_TOKENS, 815872},
    {"vllm-dp2-two-engines.prom", OBS_RUNNING, 7},
    {"vllm-v1-docs-running8.prom", OBS_REQUESTS, 132},
    {"vllm-v1-docs-running8.prom", OBS_FINISHED_LENGTH, 131},
    /* 20 + 20 * (70 - 13) / (97 - 13) */
    {"vllm-v1-docs-running8.prom", OBS_TTFT_P50_MS, 33.57143},
    {"vllm-v1-docs-running8.prom", OBS_TTFT_MEAN_MS, NAN},
    {"vllm-0.5.3-ttft-count-mismatch.prom", OBS_REQUESTS, 3918},
    {"vllm-0.5.3-ttft-count-mismatch.prom", OBS_TTFT_COUNT, 8060},
    /* 0.51064801 s / 9 and 98.350703 s / 2537; 4574 blocks of 16 */
    {"vllm-0.5.4-kubeai.prom", OBS_TTFT_MEAN_MS, 56.73867},
    {"vllm-0.5.4-kubeai.prom", OBS_ITL_MEAN_MS, 38.76654},
    {"vllm-0.5.4-kubeai.prom", OBS_KV_CAPACITY_TOKENS, 73184},
    {"vllm-0.5.4-kubeai.prom", OBS_KV_USAGE, 0.0026235243},
    {"vllm-0.5.4-kubeai.prom", OBS_WAITING, 2}, /* the other 3 are of another model */
    {"vllm-0.5.4-kubeai.prom", OBS_GC_FULL, 78},
    {"vllm-0.5.4-kubeai.prom", OBS_SPEC_ACCEPTANCE, NAN}, /* declared, without a sample */
    {"vllm-0.7-aibrix-runtime.prom", OBS_PREFIX_HIT_RATE, NAN},
    {"vllm-0.7-aibrix-runtime.prom", OBS_TOKENS_PER_STEP, 1103.0 / 998},
    {"vllm-0.7-aibrix-runtime.prom", OBS_LORA_RUNNING, 0}, /* the value is a time */
    {"vllm-0.7-aibrix-runtime.prom", OBS_KV_CAPACITY_TOKENS, 1308272},
    {"vllm-0.8-v1-qwen32b.prom", OBS_PREFIX_QUERIES, NAN},
    {"vllm-0.6-help-only.prom", OBS_RUNNING, NAN},
    {"vllm-0.6-help-only.prom", OBS_KV_USAGE, NAN},
    {"vllm-0.26.0-families.txt", OBS_RUNNING, NAN},
    /* 1196 and 218152 tokens over 213 first tokens */
    {"vllm-0.4.0-ibm.prom", OBS_INPUT_TOKENS_MEAN, 5.615023},
    {"vllm-0.4.0-ibm.prom", OBS_OUTPUT_TOKENS_MEAN, 1024.188},
};

static void files_give_their_values(void **state)
{
    struct observe_kit *kit = *state;

    for (size_t i = 0; i < ARRAY_LEN(FILES); i++) {
        observe_begin(kit);
        const char *text = observe_file(kit, "metrics", FILES[i].text);
        observe_check(observe_texts(kit, &text, 1, (double)NAN), FILES[i].text, FILES[i].id,
                      FILES[i].value);
    }
}

/* What must be said beside a file's values. */
static const struct {
    const char *file, *note;
    bool idle, never_used, no_samples, truncated;
    const char *engine;
} STATES[] = {
    {"sglang-0.4-docs-overloaded.prom", "gauge_is_not_rate", false, false, false, false, "sglang"},
    {"sglang-0.4-docs-overloaded.prom", "beyond_buckets", false, false, false, false, "sglang"},
    {"sglang-0.4.4-one-request.prom", "histogram_cut", true, false, false, false, "sglang"},
    {"sglang-0.5.1-truncated.prom", "interval_gauge", false, false, false, true, "sglang"},
    {"tensorrtllm-triton-readme.prom", "kv_fraction_differs", false, false, false, false,
     "tensorrt-llm"},
    {"tensorrtllm-pytrtllm-prototype.prom", "one_scrape", false, false, false, false,
     "tensorrt-llm"},
    {"tgis-adapter-on-vllm.prom", "idle", true, false, false, false, "tgi"},
    {"llamacpp-b5xxx-real.prom", "lifetime_gauge", true, false, false, false, "llama.cpp"},
    {"vllm-0.5.4-kubeai.prom", "several_models", false, false, false, false, "vllm"},
    {"vllm-0.5.3-ttft-count-mismatch.prom", "ttft_count_differs", false, false, false, false,
     "vllm"},
    {"vllm-0.6-help-only.prom", "no_samples", false, false, true, false, "vllm"},
    {"vllm-0.26.0-families.txt", "no_samples", false, false, true, false, "vllm"},
    {"vllm-0.7-aibrix-runtime.prom", "not_enabled", true, false, false, false, "vllm"},
    {"vllm-0.7-aibrix-runtime.prom", "idle", true, false, false, false, "vllm"},
    {"vllm-0.4.0-ibm.prom", "requests_estimated", false, false, false, false, "vllm"},
};

static void files_say_what_they_are(void **state)
{
    struct observe_kit *kit = *state;

    for (size_t i = 0; i < ARRAY_LEN(STATES); i++) {
        observe_begin(kit);
        const char *text = observe_file(kit, "metrics", STATES[i].file);
        const struct observed *observed = observe_texts(kit, &text, 1, (double)NAN);
        if (!observe_noted(observed, STATES[i].note))
            fail_msg("%s: no note \"%s\"", STATES[i].file, STATES[i].note);
        assert_string_equal(observed->engine, STATES[i].engine);
        assert_int_equal(observed->idle, STATES[i].idle);
        assert_int_equal(observed->never_used, STATES[i].never_used);
        assert_int_equal(observed->no_samples, STATES[i].no_samples);
        assert_int_equal(observed->readings[0].truncated, STATES[i].truncated);
        assert_int_equal(observed->readings[0].unknown, 0);
    }
}

static void texts_are_kept(void **state)
{
    struct observe_kit *kit = *state;

    observe_begin(kit);
    const char *text = observe_file(kit, "metrics", "vllm-0.8-v1-qwen32b.prom");
    const struct observed *observed = observe_texts(kit, &text, 1, (double)NAN);
    assert_string_equal(observed->prefix_unit, "blocks");
    assert_string_equal(observed->model, "Qwen/Qwen2.5-Coder-32B-Instruct");
    assert_string_equal(observed->engine_version, "0.8 to 0.10 (V1)");
    observe_begin(kit);
    text = observe_file(kit, "metrics", "vllm-dp2-two-engines.prom");
    observed = observe_texts(kit, &text, 1, (double)NAN);
    assert_int_equal(observed->engines, 2);
    assert_string_equal(observed->engine_version, "0.9 or newer (V1)");
}

/* Small texts: forms of the format, names of engines. Values by hand. */
static const struct observe_row TEXTS[] = {
    {"vllm:num_requests_running{model_name=\"a{b}\\\"c\\\"\",x=\"1\"} 3 1738217335123\r\n",
     OBS_RUNNING, 3},
    {"vllm_num_requests_running 4\nvllm_num_requests_running_created 1.7e9\n", OBS_RUNNING, 4},
    {"ray_vllm_num_requests_running{WorkerId=\"x\"} 5", OBS_RUNNING, 5},
    {"  vllm:kv_cache_usage_perc 0.98 # {trace_id=\"a\"} 0.9 1738217335.123\n# EOF\n", OBS_KV_USAGE,
     0.98},
    {"{\"vllm:num_requests_waiting\",engine=\"0\"} 7\n", OBS_WAITING, 7},
    {"vllm:kv_cache_usage_perc NaN\n", OBS_KV_USAGE, NAN},
    {"vllm:num_requests_running{engine=\"0\"} +Inf\n", OBS_RUNNING, NAN},
    {"vllm:num_requests_running{engine=\"0} 3\n", OBS_RUNNING, NAN},
    {"vllm:kv_cache_usage_perc 93.5\n", OBS_KV_USAGE, 0.935},
    {"vllm:kv_cache_usage_perc{engine=\"0\"} 0.4\nvllm:kv_cache_usage_perc{engine=\"1\"} 0.8\n",
     OBS_KV_USAGE, 0.6},
    {"vllm:kv_cache_usage_perc{engine=\"0\"} 0.4\nvllm:kv_cache_usage_perc{engine=\"1\"} 0.8\n",
     OBS_KV_USAGE_MAX, 0.8},
    /* both names of one thing are not added */
    {"vllm:gpu_prefix_cache_queries_total 100\nvllm:gpu_prefix_cache_hits_total 40\n"
     "vllm:prefix_cache_queries_total 100\nvllm:prefix_cache_hits_total 40\n",
     OBS_PREFIX_QUERIES, 100},
    {"vllm:prefix_cache_queries_total 100\nvllm:prefix_cache_hits_total 40\n", OBS_PREFIX_HIT_RATE,
     0.4},
    {"vllm:prefix_cache_queries_total 100\nvllm:prefix_cache_hits_total -5\n", OBS_PREFIX_HIT_RATE,
     NAN},
    {"vllm:num_requests_waiting 5\nvllm:num_requests_waiting_by_reason{reason=\"capacity\"} 4\n"
     "vllm:num_requests_waiting_by_reason{reason=\"deferred\"} 1\n",
     OBS_WAITING, 5},
    {"vllm:num_requests_waiting 5\nvllm:num_requests_waiting_by_reason{reason=\"capacity\"} 4\n"
     "vllm:num_requests_waiting_by_reason{reason=\"deferred\"} 1\n",
     OBS_WAITING_CAPACITY, 4},
    /* 30 drafts, 90 drafted, 54 accepted: 0.6, 1 + 54 / 30; position 0: 27 / 30 */
    {"vllm:spec_decode_num_drafts_total 30\nvllm:spec_decode_num_draft_tokens_total 90\n"
     "vllm:spec_decode_num_accepted_tokens_total 54\n",
     OBS_SPEC_ACCEPTANCE, 0.6},
    {"vllm:spec_decode_num_drafts_total 30\nvllm:spec_decode_num_draft_tokens_total 90\n"
     "vllm:spec_decode_num_accepted_tokens_total 54\n",
     OBS_SPEC_LENGTH, 2.8},
    /* the newest info series counts, its value is a time */
    {"vllm:lora_requests_info{max_lora=\"4\",running_lora_adapters=\"a,b\","
     "waiting_lora_adapters=\"\"} 1738217335\nvllm:lora_requests_info{max_lora=\"4\","
     "running_lora_adapters=\"a\",waiting_lora_adapters=\"c\"} 1738217300\n",
     OBS_LORA_RUNNING, 2},
    /* tensor ranks repeat the same requests, data ranks do not */
    {"sglang:num_running_reqs{dp_rank=\"0\",tp_rank=\"0\"} 3\n"
     "sglang:num_running_reqs{dp_rank=\"0\",tp_rank=\"1\"} 3\n"
     "sglang:num_running_reqs{dp_rank=\"1\",tp_rank=\"2\"} 4\n",
     OBS_RUNNING, 7},
    /* a total, and its parts by priority */
    {"sglang:num_queue_reqs{priority=\"\"} 5\nsglang:num_queue_reqs{priority=\"10\"} 4\n"
     "sglang:num_queue_reqs{priority=\"20\"} 1\n",
     OBS_WAITING, 5},
    /* 27876 + 2888 + 2004 tokens: SGLang 0.5.17 on an MI355X */
    {"sglang:kv_used_tokens 27876.0\nsglang:kv_available_tokens 2888.0\n"
     "sglang:kv_evictable_tokens 2004.0\n",
     OBS_KV_CAPACITY_TOKENS, 32768},
    {"sglang:num_retracted_requests_total 48.0\nsglang:num_retracted_reqs{pid=\"4741\"} 1.0\n",
     OBS_PREEMPTIONS, 48},
    {"sglang:num_retracted_reqs 0.0\n", OBS_PREEMPTIONS, NAN},
    {"sglang:realtime_tokens_total{mode=\"prefill_compute\"} 500\n"
     "sglang:realtime_tokens_total{mode=\"prefill_cache\"} 700\n"
     "sglang:realtime_tokens_total{mode=\"decode\"} 25\n",
     OBS_PREFIX_HIT_RATE, 700 / 1200.0},
    {"vllm:cache_config_info{block_size=\"16\",kv_cache_size_tokens=\"1000000\"} 1\n",
     OBS_KV_CAPACITY_TOKENS, 1000000},
    {"sglang:cache_hit_rate{name=\"m\"} 12.5\n", OBS_PREFIX_HIT_RATE, 0.125},
    {"sglang:cache_hit_rate{name=\"m\"} 0.5\n", OBS_PREFIX_HIT_RATE, 0.005},
    {"sglang:cache_hit_rate{model_name=\"m\"} 0.5\n", OBS_PREFIX_HIT_RATE, 0.5},
    /* of everything, not of the last batch */
    {"sglang:cache_hit_rate{model_name=\"m\"} 0.9\nsglang:cached_tokens_total 25\n"
     "sglang:prompt_tokens_total 100\n",
     OBS_PREFIX_HIT_RATE, 0.25},
    {"sglang:spec_accept_length 0.0\n", OBS_SPEC_LENGTH, NAN},
    {"sglang:cuda_graph_passes_total{mode=\"decode_cuda_graph\"} 30\n"
     "sglang:cuda_graph_passes_total{mode=\"decode_none\"} 10\n",
     OBS_GRAPH_SHARE, 0.75},
    {"tgi_batch_forward_duration_sum{method=\"decode\"} 3\n"
     "tgi_batch_forward_duration_count{method=\"decode\"} 100\n",
     OBS_STEP_DECODE_MEAN_MS, 30},
    {"llamacpp:kv_cache_usage_ratio 0.25\n", OBS_KV_USAGE, 0.25},
    {"time_to_first_token_seconds_sum{engine_type=\"undefined\"} 5\n"
     "time_to_first_token_seconds_count{engine_type=\"undefined\"} 10\n",
     OBS_TTFT_MEAN_MS, 500},
    {"trtllm_kv_cache_utilization 0.5\n", OBS_KV_USAGE, 0.5},
    {"trtllm_time_per_output_token_seconds_sum 2\ntrtllm_time_per_output_token_seconds_count 100\n",
     OBS_TPOT_MEAN_MS, 20},
    {"lmdeploy:gpu_cache_usage_perc 0.5\n", OBS_KV_USAGE, 0.5},
    /* microseconds; an ensemble contains its models */
    {"nv_inference_request_success{model=\"ensemble\"} 4\n"
     "nv_inference_request_success{model=\"tensorrt_llm\"} 4\n"
     "nv_inference_request_duration_us{model=\"ensemble\"} 8000000\n"
     "nv_inference_request_duration_us{model=\"tensorrt_llm\"} 6000000\n",
     OBS_E2E_MEAN_MS, 2000},
    {"nv_inference_first_response_histogram_ms_sum 500\n"
     "nv_inference_first_response_histogram_ms_count 10\n",
     OBS_TTFT_MEAN_MS, 50},
    {"dynamo_frontend_queued_requests{model=\"m\"} 9\n", OBS_WAITING, 9},
    {"DCGM_FI_DEV_GPU_UTIL{gpu=\"0\",UUID=\"GPU-a\",modelName=\"NVIDIA H100\"} 80\n"
     "DCGM_FI_DEV_GPU_UTIL{gpu=\"1\",UUID=\"GPU-b\"} 40\n",
     OBS_GPU_UTILIZATION, 0.6},
    {"DCGM_FI_DEV_FB_USED{gpu=\"0\"} 1000\n", OBS_GPU_MEMORY_USED_BYTES, 1048576000},
    {"nvidia_smi_clocks_current_sm_clock_hz{uuid=\"a\"} 1.41e9\n", OBS_GPU_SM_CLOCK_MHZ, 1410},
    {"nv_gpu_power_usage{gpu_uuid=\"a\"} 300\n", OBS_GPU_POWER_W, 300},
    {"gpu_gfx_activity{gpu_id=\"0\",serial_number=\"x\"} 97\n", OBS_GPU_UTILIZATION, 0.97},
    {"http_requests_total{status=\"2xx\"} 9\nhttp_requests_total{status=\"5xx\"} 2\n",
     OBS_HTTP_ERRORS, 2},
};

static void small_texts_give_their_values(void **state)
{
    struct observe_kit *kit = *state;

    for (size_t i = 0; i < ARRAY_LEN(TEXTS); i++) {
        observe_begin(kit);
        observe_check(observe_texts(kit, &TEXTS[i].text, 1, (double)NAN), TEXTS[i].text,
                      TEXTS[i].id, TEXTS[i].value);
    }
}

#define BEFORE                                                                                     \
    "vllm:prompt_tokens_total{engine=\"0\"} 1000\nvllm:generation_tokens_total{engine=\"0\"} "     \
    "500\nvllm:num_preemptions_total{engine=\"0\"} 3\n"                                            \
    "vllm:time_to_first_token_seconds_bucket{le=\"0.1\"} 10\n"                                     \
    "vllm:time_to_first_token_seconds_bucket{le=\"1.0\"} 10\n"                                     \
    "vllm:time_to_first_token_seconds_bucket{le=\"+Inf\"} 10\n"                                    \
    "vllm:time_to_first_token_seconds_sum 0.5\nvllm:time_to_first_token_seconds_count 10\n"        \
    "vllm:num_requests_running 4\n"

#define AFTER                                                                                      \
    "vllm:prompt_tokens_total{engine=\"0\"} 7000\nvllm:generation_tokens_total{engine=\"0\"} "     \
    "3500\nvllm:num_preemptions_total{engine=\"0\"} 9\n"                                           \
    "vllm:time_to_first_token_seconds_bucket{le=\"0.1\"} 10\n"                                     \
    "vllm:time_to_first_token_seconds_bucket{le=\"1.0\"} 28\n"                                     \
    "vllm:time_to_first_token_seconds_bucket{le=\"+Inf\"} 30\n"                                    \
    "vllm:time_to_first_token_seconds_sum 16.5\nvllm:time_to_first_token_seconds_count 30\n"       \
    "vllm:num_requests_running 6\n"

/* 6,000 and 3,000 tokens and 6 preemptions in 60 s; 20 first tokens in 16 s; of these half are
 * within 0.1 + 0.9 * 10 / 18 s and 2 beyond 1 s. */
static void two_scrapes_give_rates(void **state)
{
    struct observe_kit *kit = *state;
    static const char *const TWO[] = {BEFORE, AFTER};
    static const struct observe_row ROWS[] = {
        {"window", OBS_PROMPT_TOKENS, 6000},    {"window", OBS_INPUT_TOK_S, 100},
        {"window", OBS_OUTPUT_TOK_S, 50},       {"window", OBS_PREEMPTIONS_PER_S, 0.1},
        {"window", OBS_TTFT_MEAN_MS, 800},      {"window", OBS_TTFT_P50_MS, 600},
        {"window", OBS_TTFT_BEYOND_SHARE, 0.1}, {"window", OBS_RUNNING, 6},
    };

    observe_begin(kit);
    const struct observed *observed = observe_texts(kit, TWO, 2, 60);
    for (size_t i = 0; i < ARRAY_LEN(ROWS); i++)
        observe_check(observed, ROWS[i].text, ROWS[i].id, ROWS[i].value);
    assert_int_equal(observed->q[OBS_OUTPUT_TOK_S].over, OVER_WINDOW);
    assert_int_equal(observed->n_readings, 2);
    observe_begin(kit);
    observed = observe_texts(kit, TWO, 2, (double)NAN);
    observe_check(observed, "no window", OBS_OUTPUT_TOK_S, NAN);
    observe_check(observed, "no window", OBS_TTFT_MEAN_MS, 800);
    assert_true(observe_noted(observed, "no_window"));
}

/* The same scrape twice: what it says by itself. */
static void nothing_between_two_scrapes(void **state)
{
    struct observe_kit *kit = *state;
    static const char *const TWO[] = {AFTER, AFTER};

    observe_begin(kit);
    const struct observed *observed = observe_texts(kit, TWO, 2, 60);
    assert_true(observe_noted(observed, "no_traffic"));
    observe_check(observed, "no traffic", OBS_TTFT_MEAN_MS, 550); /* 16.5 s of 30 */
    observe_check(observed, "no traffic", OBS_OUTPUT_TOK_S, NAN);
    assert_int_equal(observed->q[OBS_OUTPUT_TOKENS].over, OVER_LIFETIME);
}

static void times_put_scrapes_in_order(void **state)
{
    struct observe_kit *kit = *state;
    const struct observe_scrape scrapes[] = {{AFTER, strlen(AFTER), 1060},
                                             {BEFORE, strlen(BEFORE), 1000}};

    observe_begin(kit);
    assert_true(observe_scrapes(kit->arena, scrapes, 2, (double)NAN, &kit->observed));
    observe_check(&kit->observed, "times", OBS_OUTPUT_TOK_S, 50);
    assert_false(kit->observed.restarted);
}

/* "date +%s" above each scrape. */
static void a_line_of_seconds_is_the_time(void **state)
{
    struct observe_kit *kit = *state;
    static const char *const TWO[] = {"1700000060\n" AFTER, "# 1700000000\n" BEFORE};

    observe_begin(kit);
    const struct observed *observed = observe_texts(kit, TWO, 2, (double)NAN);
    observe_check(observed, "seconds", OBS_OUTPUT_TOK_S, 50);
    assert_int_equal(observed->readings[0].unknown, 0);
}

static void a_reset_counts_from_zero(void **state)
{
    struct observe_kit *kit = *state;
    static const char *const TWO[] = {AFTER, BEFORE};

    observe_begin(kit);
    const struct observed *observed = observe_texts(kit, TWO, 2, 10);
    observe_check(observed, "reset", OBS_OUTPUT_TOKENS, 500);
    observe_check(observed, "reset", OBS_OUTPUT_TOK_S, 50);
    assert_true(observed->restarted);
    assert_int_equal(observed->q[OBS_OUTPUT_TOKENS].over, OVER_RESTART);
    assert_true(observe_noted(observed, "restarted"));
}

/* Counters that rose and fell are of two processes; other engines and models are refused. */
static void targets_are_told_apart(void **state)
{
    struct observe_kit *kit = *state;
    static const char *const TWO[] = {"vllm:num_requests_running 4\nvllm:prompt_tokens_total "
                                      "10\nvllm:generation_tokens_total 9\n",
                                      "vllm:num_requests_running 6\nvllm:prompt_tokens_total "
                                      "20\nvllm:generation_tokens_total 5\n"};
    static const char *const ENGINES[] = {"sglang:num_running_reqs 4\n",
                                          "vllm:num_requests_running 6\n",
                                          "DCGM_FI_DEV_GPU_UTIL{gpu=\"0\"} 80\n",
                                          "node_cpu_seconds_total{cpu=\"0\",mode=\"idle\"} 8\n"};
    static const char *const MODELS[] = {"vllm:num_requests_running{model_name=\"a\"} 4\n",
                                         "vllm:num_requests_running{model_name=\"b\"} 6\n"};

    observe_begin(kit);
    const struct observed *observed = observe_texts(kit, TWO, 2, 10);
    observe_check(observed, "two processes", OBS_RUNNING, 10);
    observe_check(observed, "two processes", OBS_PROMPT_TOKENS, 30);
    assert_true(observe_noted(observed, "several_targets"));
    observe_begin(kit);
    observed = observe_texts(kit, ENGINES, 4, (double)NAN);
    observe_check(observed, "two engines", OBS_RUNNING, 4);
    observe_check(observed, "an exporter beside", OBS_GPU_UTILIZATION, 0.8);
    assert_true(observe_noted(observed, "several_engines"));
    observe_begin(kit);
    observed = observe_texts(kit, MODELS, 2, (double)NAN);
    observe_check(observed, "two models", OBS_RUNNING, 4);
    assert_true(observe_noted(observed, "several_models"));
}

/* 20 processor seconds in 10 s; of two cores that were watched 20 s, 5 s idle. */
static void the_host_is_seen(void **state)
{
    struct observe_kit *kit = *state;
    const struct observe_scrape scrapes[] = {
        {"process_cpu_seconds_total 100\nnode_cpu_seconds_total{cpu=\"0\",mode=\"idle\"} 50\n"
         "node_cpu_seconds_total{cpu=\"0\",mode=\"user\"} 50\n",
         161, 1000},
        {"process_cpu_seconds_total 120\nnode_cpu_seconds_total{cpu=\"0\",mode=\"idle\"} 55\n"
         "node_cpu_seconds_total{cpu=\"0\",mode=\"user\"} 65\n",
         161, 1010}};
    struct observe_scrape exact[2] = {scrapes[0], scrapes[1]};

    for (int i = 0; i < 2; i++)
        exact[i].length = strlen(exact[i].text);
    observe_begin(kit);
    assert_true(observe_scrapes(kit->arena, exact, 2, (double)NAN, &kit->observed));
    observe_check(&kit->observed, "host", OBS_CPU_CORES, 2);
    observe_check(&kit->observed, "host", OBS_CPU_CORES_TOTAL, 2);
    observe_check(&kit->observed, "host", OBS_CPU_UTILIZATION, 0.75);
}

static void parts_keep_their_rows(void **state)
{
    struct observe_kit *kit = *state;
    static const char *const TEXT =
        "DCGM_FI_DEV_SM_CLOCK{gpu=\"0\",UUID=\"GPU-a\",modelName=\"NVIDIA H100\"} 1980\n"
        "DCGM_FI_DEV_SM_CLOCK{gpu=\"1\",UUID=\"GPU-b\",modelName=\"NVIDIA H100\"} 1200\n"
        "DCGM_FI_DEV_CLOCK_THROTTLE_REASONS{gpu=\"1\",UUID=\"GPU-b\"} 4\n";

    observe_begin(kit);
    const struct observed *observed = observe_texts(kit, &TEXT, 1, (double)NAN);
    assert_int_equal(observed->n_gpus, 2);
    assert_string_equal(observed->gpus[0].name, "NVIDIA H100");
    assert_int_equal(observed->gpus[1].throttle, THROTTLE_POWER_CAP);
    assert_false(observed->gpus[0].throttle_known);
    observe_check(observed, "clocks", OBS_GPU_SM_CLOCK_MHZ, 1200);
}

static void what_is_unknown_is_said(void **state)
{
    struct observe_kit *kit = *state;
    static const char *const TEXT = "my_metric_total 4\nmy_metric_total{a=\"b\"} 5\nvllm:new 3\n"
                                    "$ curl localhost:8000/metrics\nvllm:num_requests_running 1";

    observe_begin(kit);
    const struct observed *observed = observe_texts(kit, &TEXT, 1, (double)NAN);
    assert_int_equal(observed->readings[0].lines, 5);
    assert_int_equal(observed->readings[0].unknown, 4);
    assert_int_equal(observed->readings[0].used, 1);
    assert_string_equal(observed->readings[0].unknown_names[0], "my_metric_total");
    assert_string_equal(observed->readings[0].unknown_names[1], "vllm:new");
    assert_string_equal(observed->readings[0].unknown_names[2], "$");
    assert_null(observed->readings[0].unknown_names[3]);
}

/* An engine that served nothing has no latency of 0. */
static void nothing_served_is_no_load(void **state)
{
    struct observe_kit *kit = *state;
    static const char *const TEXT =
        "vllm:num_requests_running 0\nvllm:num_requests_waiting 0\nvllm:prompt_tokens_total 0\n"
        "vllm:generation_tokens_total 0\nvllm:time_to_first_token_seconds_sum 0\n"
        "vllm:time_to_first_token_seconds_bucket{le=\"+Inf\"} 0\n"
        "vllm:time_to_first_token_seconds_count 0\n";

    observe_begin(kit);
    const struct observed *observed = observe_texts(kit, &TEXT, 1, (double)NAN);
    assert_true(observed->idle && observed->never_used);
    observe_check(observed, "unused", OBS_TTFT_MEAN_MS, NAN);
    observe_check(observed, "unused", OBS_TTFT_P99_MS, NAN);
    assert_true(observe_noted(observed, "never_used"));
}

static void texts_are_bounded(void **state)
{
    struct observe_kit *kit = *state;
    const char *texts[OBSERVE_SCRAPES_MAX + 1];

    observe_begin(kit);
    char *many = arena_alloc(kit->arena, MIB);
    size_t length = 0;
    for (int i = 0; i < 5000; i++)
        length += (size_t)snprintf(many + length, MIB - length,
                                   "vllm:num_requests_running{engine=\"%d\"} 1\n", i);
    const struct observed *observed =
        observe_texts(kit, (const char *const *)&many, 1, (double)NAN);
    observe_check(observed, "series", OBS_RUNNING, 4096);
    assert_true(observe_noted(observed, "too_many_series"));
    for (int i = 0; i <= OBSERVE_SCRAPES_MAX; i++)
        texts[i] = "vllm:num_requests_running 1\n";
    observe_begin(kit);
    observed = observe_texts(kit, texts, OBSERVE_SCRAPES_MAX + 1, (double)NAN);
    assert_true(observe_noted(observed, "too_many_scrapes"));
    observe_begin(kit);
    observed = observe_texts(kit, texts, 0, (double)NAN);
    assert_int_equal(observed->n_readings, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(files_give_their_values),
        cmocka_unit_test(files_say_what_they_are),
        cmocka_unit_test(texts_are_kept),
        cmocka_unit_test(small_texts_give_their_values),
        cmocka_unit_test(two_scrapes_give_rates),
        cmocka_unit_test(nothing_between_two_scrapes),
        cmocka_unit_test(times_put_scrapes_in_order),
        cmocka_unit_test(a_line_of_seconds_is_the_time),
        cmocka_unit_test(a_reset_counts_from_zero),
        cmocka_unit_test(targets_are_told_apart),
        cmocka_unit_test(the_host_is_seen),
        cmocka_unit_test(parts_keep_their_rows),
        cmocka_unit_test(what_is_unknown_is_said),
        cmocka_unit_test(nothing_served_is_no_load),
        cmocka_unit_test(texts_are_bounded),
    };
    return cmocka_run_group_tests(tests, observe_kit_open, observe_kit_close);
}
