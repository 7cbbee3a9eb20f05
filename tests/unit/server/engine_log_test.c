/* engine_log: lines in the form that each engine prints, values by hand. */
#include "observe_kit.h"

#define VLLM_STATS                                                                                 \
    "INFO 07-01 10:00:00 [loggers.py:116] Engine 000: Avg prompt throughput: 300.0 tokens/s, "     \
    "Avg generation throughput: 100.0 tokens/s, Running: 4 reqs, Waiting: 0 reqs, GPU KV cache "   \
    "usage: 10.0%, Prefix cache hit rate: 80.0%\n"                                                 \
    "\033[32mINFO\033[0m 07-01 10:00:10 [loggers.py:116] Engine 000: Avg prompt throughput: 0.0 "  \
    "tokens/s, Avg generation throughput: 300.0 tokens/s, Running: 12 reqs, Waiting: 2 reqs, GPU " \
    "KV cache usage: 30.0%, Prefix cache hit rate: 90.0%\r\n"                                      \
    "INFO 07-01 10:00:20 [loggers.py:116] Engine 000: Avg prompt throughput: 0.0 tokens/s, Avg "   \
    "generation throughput: 0.0 tokens/s, Running: 0 reqs, Waiting: 0 reqs, GPU KV cache usage: "  \
    "0.0%, Prefix cache hit rate: 90.0%\n"
#define VLLM_V0                                                                                    \
    "INFO 08-01 metrics.py:396] Avg prompt throughput: 10.0 tokens/s, Avg generation throughput: " \
    "50.0 tokens/s, Running: 3 reqs, Swapped: 1 reqs, Pending: 5 reqs, GPU KV cache usage: "       \
    "99.9%, "                                                                                      \
    "CPU KV cache usage: 25.0%.\n"                                                                 \
    "INFO 08-01 metrics.py:412] Prefix cache hit rate: GPU: 12.50%, CPU: 0.00%\n"
#define VLLM_SPEC                                                                                  \
    "INFO 09-04 [metrics.py:125] SpecDecoding metrics: Mean acceptance length: 2.50, Accepted "    \
    "throughput: 6.46 tokens/s, Drafted throughput: 7.77 tokens/s, Accepted: 300 tokens, "         \
    "Drafted: "                                                                                    \
    "400 tokens, Per-position acceptance rate: 0.900, 0.600, Avg Draft acceptance rate: 75.0%\n"
#define SGLANG                                                                                     \
    "[2025-08-13 14:21:00 TP0] Prefill batch. #new-seq: 5, #new-token: 1000, #cached-token: "      \
    "3000, token usage: 0.31, #running-req: 10, #queue-req: 4\n"                                   \
    "[2025-08-13 14:21:01 TP0] Decode batch. #running-req: 20, #token: 40000, token usage: 0.10, " \
    "cuda graph: True, gen throughput (token/s): 1000.0, #queue-req: 2\n"                          \
    "[2025-08-13 14:21:03 TP0] Decode batch. #running-req: 40, #token: 80000, token usage: 0.20, " \
    "cuda graph: False, gen throughput (token/s): 1400.0, #queue-req: 6\n"                         \
    "[2025-08-13 14:21:04 TP0] KV cache pool is full. Retract requests. #retracted_reqs: 3, "      \
    "#new_token_ratio: 0.71\n"
#define SGLANG_NEW                                                                                 \
    "[2026-10-06 01:00:00] Decode batch [77], #running-req: 41, #full token: 99, full token "      \
    "usage: 0.50, accept len: 4.80, accept rate: 0.76, #retracted-req: 0, cuda graph: True, gen "  \
    "throughput (token/s): 500.0, #queue-req: 1\n"
#define LLAMA                                                                                      \
    "slot print_timing: id  0 | task 5 | prompt eval time =     500.00 ms /  1000 tokens (    "    \
    "0.50 ms per token,  2000.00 tokens per second)\n"                                             \
    "       eval time =    4000.00 ms /   100 tokens (   40.00 ms per token,    25.00 tokens per " \
    "second)\n"                                                                                    \
    "prompt eval time =     100.00 ms /   200 tokens\n"                                            \
    "eval time =    2000.00 ms /   100 runs\n"                                                     \
    "load_tensors: offloaded 20/33 layers to GPU\n"                                                \
    "srv  load_model: initializing slots, n_slots = 4\n"                                           \
    "llama_context: n_ctx_per_seq = 8192\n"                                                        \
    "draft acceptance rate = 0.57576 (  171 accepted /   297 generated)\n"
#define TGI                                                                                        \
    "2024-09-03T04:36:57Z  INFO generate{max_new_tokens=Some(20)}: text_generation_router: "       \
    "total_time=\"1.5s\" validation_time=\"512.3µs\" queue_time=\"40.5ms\" "                      \
    "inference_time=\"1.4s\" time_per_token=\"23.4ms\" seed=\"None\"\n"
#define TRTLLM                                                                                     \
    "[TRT-LLM] [I] iter = 100, rank = 0, host_step_time = 12.5ms, prev_device_step_time = "        \
    "10.0ms, num_scheduled_requests: 8, states = {'num_ctx_requests': 0, 'num_ctx_tokens': 0, "    \
    "'num_generation_tokens': 8}\n"
#define TRTLLM_JSON                                                                                \
    "{\"iter\":5,\"iterLatencyMS\":20.0,\"inflightBatchingStats\":{\"numScheduledRequests\":6,"    \
    "\"numGenRequests\":5,\"numPausedRequests\":0},\"kvCacheStats\":{\"maxNumBlocks\":100,"        \
    "\"usedNumBlocks\":40,\"tokensPerBlock\":32,\"cacheHitRate\":0.25},\"numQueuedRequests\":3}\n"
#define OLLAMA                                                                                     \
    "[GIN] 2025/05/01 - 10:00:00 | 200 |  1m2.5s |  127.0.0.1 | POST     \"/api/chat\"\n"          \
    "time=2025 level=INFO source=memory.go msg=\"offload to cuda\" layers.requested=-1 "           \
    "layers.model=43 layers.offload=42\n"

static const struct observe_row ROWS[] = {
    /* (4 + 12) / 2; the line without load is left out; (100 + 300) / 2 over 8 requests */
    {VLLM_STATS, OBS_RUNNING, 8},
    {VLLM_STATS, OBS_RUNNING_MAX, 12},
    {VLLM_STATS, OBS_WAITING, 1},
    {VLLM_STATS, OBS_INPUT_TOK_S, 150},
    {VLLM_STATS, OBS_OUTPUT_TOK_S, 200},
    {VLLM_STATS, OBS_KV_USAGE, 0.2},
    {VLLM_STATS, OBS_KV_USAGE_MAX, 0.3},
    {VLLM_STATS, OBS_PREFIX_HIT_RATE, 0.9},
    {VLLM_STATS, OBS_OUTPUT_TOK_S_PER_USER, 25},
    {VLLM_STATS, OBS_ITL_MEAN_MS, 40},
    {VLLM_V0, OBS_WAITING, 5},
    {VLLM_V0, OBS_SWAPPED, 1},
    {VLLM_V0, OBS_KV_HOST_USAGE, 0.25},
    {VLLM_V0, OBS_PREFIX_HIT_RATE, 0.125},
    {VLLM_SPEC, OBS_SPEC_LENGTH, 2.5},
    {VLLM_SPEC, OBS_SPEC_ACCEPTANCE, 0.75},
    {VLLM_SPEC, OBS_SPEC_DRAFTED, 400},
    {"WARNING scheduler.py:1057] Sequence group 9 is preempted by PreemptionMode.RECOMPUTE mode "
     "because there is not enough KV cache space. total_num_cumulative_preemption=51\n",
     OBS_PREEMPTIONS, 51},
    {"GPU KV cache size: 530,081 tokens\n", OBS_KV_CAPACITY_TOKENS, 530081},
    /* 3000 / 4000; one of two decode lines as a graph; 1200 tokens/s of 30 requests */
    {SGLANG, OBS_RUNNING, 30},
    {SGLANG, OBS_WAITING, 4},
    {SGLANG, OBS_PREFIX_HIT_RATE, 0.75},
    {SGLANG, OBS_GRAPH_SHARE, 0.5},
    {SGLANG, OBS_KV_USAGE, 0.15},
    {SGLANG, OBS_PREEMPTIONS, 3},
    {SGLANG, OBS_ITL_MEAN_MS, 25},
    {SGLANG_NEW, OBS_KV_USAGE, 0.5},
    {SGLANG_NEW, OBS_KV_TOKENS, 99},
    {SGLANG_NEW, OBS_SPEC_LENGTH, 4.8},
    {SGLANG_NEW, OBS_ITL_MEAN_MS, NAN}, /* several tokens a step */
    /* 6000 ms / 200, 200 / 6 s, 1200 / 0.6 s */
    {LLAMA, OBS_ITL_MEAN_MS, 30},
    {LLAMA, OBS_OUTPUT_TOK_S_PER_USER, 33.33333},
    {LLAMA, OBS_INPUT_TOK_S, 2000},
    {LLAMA, OBS_PREFILL_MEAN_MS, 300},
    {LLAMA, OBS_REQUESTS, 2},
    {LLAMA, OBS_GPU_LAYERS, 20},
    {LLAMA, OBS_MODEL_LAYERS, 33},
    {LLAMA, OBS_MAX_RUNNING, 4},
    {LLAMA, OBS_MAX_MODEL_LEN, 8192},
    {LLAMA, OBS_SPEC_ACCEPTANCE, 0.57576},
    {TGI, OBS_TPOT_MEAN_MS, 23.4},
    {TGI, OBS_QUEUE_MEAN_MS, 40.5},
    {TGI, OBS_VALIDATION_MEAN_MS, 0.5123},
    {TGI, OBS_E2E_MEAN_MS, 1500},
    {TRTLLM, OBS_RUNNING, 8},
    {TRTLLM, OBS_ITL_MEAN_MS, 12.5},
    {TRTLLM, OBS_STEP_DECODE_MEAN_MS, 10},
    {"[TRT-LLM] iter = 12588, global_rank = 0, rank = 0, num_scheduled_requests = 18, "
     "kv_cache_util = 0.08, host_step_time = 29.9ms, prev_device_step_time = 28.6ms\n",
     OBS_KV_USAGE, 0.08},
    {TRTLLM_JSON, OBS_RUNNING, 6},
    {TRTLLM_JSON, OBS_WAITING, 3},
    {TRTLLM_JSON, OBS_KV_USAGE, 0.4},
    {TRTLLM_JSON, OBS_KV_CAPACITY_TOKENS, 3200},
    {TRTLLM_JSON, OBS_PREFIX_HIT_RATE, 0.25},
    {OLLAMA, OBS_E2E_MEAN_MS, 62500},
    {OLLAMA, OBS_GPU_LAYERS, 42},
    {"", OBS_RUNNING, NAN},
    {"Running: many reqs\nAvg generation throughput: fast\n", OBS_RUNNING, NAN},
};

static const struct observed *read_text(struct observe_kit *kit, const char *text)
{
    observe_begin(kit);
    assert_true(observe_log(kit->arena, text, strlen(text), &kit->observed));
    return &kit->observed;
}

static void lines_give_their_values(void **state)
{
    for (size_t i = 0; i < ARRAY_LEN(ROWS); i++)
        observe_check(read_text(*state, ROWS[i].text), ROWS[i].text, ROWS[i].id, ROWS[i].value);
}

/* 400 iterations in one line, of 10 and 30 ms in turn with 1 and 3 requests. */
static void a_long_list_is_read(void **state)
{
    struct observe_kit *kit = *state;

    observe_begin(kit);
    char *text = arena_alloc(kit->arena, 100000);
    size_t length = 0;
    for (int i = 0; i < 400; i++)
        length +=
            (size_t)snprintf(text + length, 100000 - length,
                             "%s{\"iter\":%d,\"iterLatencyMS\":%d.0,\"inflightBatchingStats\":"
                             "{\"numScheduledRequests\":%d}}",
                             i ? "," : "[", i, i % 2 ? 30 : 10, i % 2 ? 3 : 1);
    const struct observe_scrape scrape = {text, length, (double)NAN};
    assert_true(observe_scrapes(kit->arena, &scrape, 1, (double)NAN, &kit->observed));
    observe_check(&kit->observed, "iterations", OBS_ITL_MEAN_MS, 20);
    observe_check(&kit->observed, "iterations", OBS_RUNNING, 2);
    assert_int_equal(kit->observed.q[OBS_RUNNING].samples, 400);
    assert_string_equal(kit->observed.engine, "tensorrt-llm");
}

/* 18 to 21 running, 23 to 43 waiting, 88 to 98 %: https://github.com/vllm-project/vllm/issues/43295
 */
static void a_posted_log_is_read(void **state)
{
    struct observe_kit *kit = *state;

    observe_begin(kit);
    const char *text = observe_file(kit, "metrics", "vllm-2026-engine-log-kv-full.log");
    assert_true(observe_log(kit->arena, text, strlen(text), &kit->observed));
    const struct observed *observed = &kit->observed;
    observe_check(observed, "log", OBS_RUNNING, (18 + 18 + 18 + 21 + 20) / 5.0);
    observe_check(observed, "log", OBS_WAITING, (43 + 42 + 33 + 23 + 23) / 5.0);
    observe_check(observed, "log", OBS_KV_USAGE, (95.9 + 95.5 + 87.7 + 95.9 + 98.4) / 500);
    observe_check(observed, "log", OBS_KV_USAGE_MAX, 0.984);
    observe_check(observed, "log", OBS_OUTPUT_TOK_S,
                  (1055.3 + 1226.3 + 734.9 + 589.8 + 1242.7) / 5);
    assert_string_equal(observed->engine, "vllm");
    assert_int_equal(observed->readings[0].lines, 5);
    assert_int_equal(observed->readings[0].used, 5);
}

/* A signal that a line must give, or must not. */
static const struct {
    const char *line;
    enum observed_signal signal;
    bool given;
} SIGNALS[] = {
    {VLLM_SPEC, SIGNAL_SPEC_ON, true},
    {SGLANG, SIGNAL_GRAPH_MISSED, true},
    {SGLANG, SIGNAL_PREEMPTED, true},
    {SGLANG_NEW, SIGNAL_PREEMPTED, false},
    {LLAMA, SIGNAL_CPU_OFFLOAD, true},
    {OLLAMA, SIGNAL_CPU_OFFLOAD, true},
    {"offloaded 33/33 layers to GPU", SIGNAL_CPU_OFFLOAD, false},
    {"Cudagraph is disabled under eager mode", SIGNAL_GRAPHS_OFF, true},
    {"enforce_eager=True, kv_cache_dtype=auto", SIGNAL_GRAPHS_OFF, true},
    {"enforce_eager=False, kv_cache_dtype=auto", SIGNAL_GRAPHS_OFF, false},
    {"Graph capturing finished in 8 secs, took 0.50 GiB", SIGNAL_GRAPHS_ON, true},
    {"WARNING [fused_moe.py:886] Using default MoE config. Performance might be sub-optimal! "
     "Config file not found at /x/E=128,N=384,device_name=NVIDIA_L40S.json",
     SIGNAL_MOE_DEFAULT_CONFIG, true},
    {"Using default W8A8 Block FP8 kernel config. Performance might be sub-optimal!",
     SIGNAL_GEMM_DEFAULT_CONFIG, true},
    {"awq quantization is not fully optimized yet. The speed can be slower than non-quantized "
     "models.",
     SIGNAL_QUANT_SLOW_KERNEL, true},
    {"torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2 GiB", SIGNAL_OUT_OF_MEMORY,
     true},
    {"slot update_slots: id 0 | task 9 | forcing full prompt re-processing due to lack of cache "
     "data (likely due to SWA)",
     SIGNAL_PREFIX_LOST, true},
    {"n_swa = 1024, n_past = 0", SIGNAL_SWA, true},
    {"n_swa = 0, n_past = 0", SIGNAL_SWA, false},
    {"Custom allreduce is disabled because it's not supported on more than two PCIe-only GPUs",
     SIGNAL_ALLREDUCE_SLOW, true},
    {"NCCL INFO Channel 00/0 : 0[0] -> 1[0] [send] via NET/Socket/0", SIGNAL_NET_SOCKET, true},
    {"params: SamplingParams(n=1, presence_penalty=0.0, repetition_penalty=1.0, logprobs=None, "
     "prompt_logprobs=None)",
     SIGNAL_LOGPROBS, false},
    {"params: SamplingParams(n=1, presence_penalty=0.0, repetition_penalty=1.0, logprobs=5)",
     SIGNAL_LOGPROBS, true},
    {"params: SamplingParams(n=1, presence_penalty=0.0, repetition_penalty=1.0, logprobs=5)",
     SIGNAL_PENALTIES, false},
    {"params: SamplingParams(n=1, presence_penalty=0.0, repetition_penalty=1.1, logprobs=5)",
     SIGNAL_PENALTIES, true},
    {"xgrammar does not support advanced JSON schema features. Falling back to use outlines",
     SIGNAL_STRUCTURED_FALLBACK, true},
    {"disable_radix_cache=True, chunked_prefill_size=8192", SIGNAL_PREFIX_OFF, true},
    {"Reducing Torch parallelism from 56 threads to 1 to avoid", SIGNAL_THREADS, true},
    {"/proc/sys/kernel/numa_balancing is enabled, this has been observed to impair performance",
     SIGNAL_NUMA, true},
    {"cpu_offload_gb=0, other", SIGNAL_CPU_OFFLOAD, false},
    {"cpu_offload_gb=10.0, other", SIGNAL_CPU_OFFLOAD, true},
    {"warning: not compiled with GPU offload support", SIGNAL_CPU_ONLY, true},
    {"level=WARN msg=\"truncating input prompt\" limit=2048 prompt=4000", SIGNAL_CONTEXT_CUT, true},
};

static void lines_give_their_signals(void **state)
{
    for (size_t i = 0; i < ARRAY_LEN(SIGNALS); i++) {
        const struct observed *observed = read_text(*state, SIGNALS[i].line);
        if (observed_says(observed, SIGNALS[i].signal) != SIGNALS[i].given)
            fail_msg("\"%s\": %s", SIGNALS[i].line, observed_signal_row(SIGNALS[i].signal)->name);
    }
}

static void words_name_things(void **state)
{
    const struct observed *observed =
        read_text(*state, "INFO [cuda.py:291] Using Flash Attention backend on V1 engine.\n"
                          "INFO vLLM API server version 0.11.0rc2\nkv_cache_dtype=fp8_e4m3, "
                          "model='Qwen/Qwen3-32B', speculative_config=None\n");

    assert_string_equal(observed->attention_backend, "Flash");
    assert_string_equal(observed->engine_version, "0.11.0rc2");
    assert_string_equal(observed->kv_cache_dtype, "fp8_e4m3");
    assert_string_equal(observed->model, "Qwen/Qwen3-32B");
    observed = read_text(*state, VLLM_SPEC);
    assert_true(fabs(observed->spec_position[0] - 0.9) < 1e-9);
    assert_true(fabs(observed->spec_position[1] - 0.6) < 1e-9);
    assert_true(isnan(observed->spec_position[2]));
    observed = read_text(*state, OLLAMA LLAMA);
    assert_string_equal(observed->engine, "ollama");
}

static void an_idle_log_says_so(void **state)
{
    const struct observed *observed = read_text(
        *state, "Avg prompt throughput: 0.0 tokens/s, Avg generation throughput: 0.0 tokens/s, "
                "Running: 0 reqs, Waiting: 0 reqs, GPU KV cache usage: 0.0%\n");

    assert_true(observed->idle);
    observe_check(observed, "idle", OBS_RUNNING, 0);
    observe_check(observed, "idle", OBS_OUTPUT_TOK_S, NAN);
    assert_true(observe_noted(observed, "idle"));
}

static void what_is_unknown_is_said(void **state)
{
    struct observe_kit *kit = *state;

    observe_begin(kit);
    char *text = arena_alloc(kit->arena, 20000);
    memset(text, 'x', 10000);
    memcpy(text + 10000, "\n\n  \nHello\nRunning\n\xff\xfe", 22);
    assert_true(observe_log(kit->arena, text, 10021, &kit->observed));
    const struct observed_reading *reading = &kit->observed.readings[0];
    assert_int_equal(reading->lines, 5); /* the first one in two pieces */
    assert_int_equal(reading->unknown, 5);
    assert_int_equal(strlen(reading->unknown_names[0]), 60);
    assert_string_equal(reading->unknown_names[2], "Hello");
    assert_null(reading->format);
    assert_null(kit->observed.engine);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_give_their_values), cmocka_unit_test(a_posted_log_is_read),
        cmocka_unit_test(a_long_list_is_read),     cmocka_unit_test(lines_give_their_signals),
        cmocka_unit_test(words_name_things),       cmocka_unit_test(an_idle_log_says_so),
        cmocka_unit_test(what_is_unknown_is_said),
    };
    return cmocka_run_group_tests(tests, observe_kit_open, observe_kit_close);
}
