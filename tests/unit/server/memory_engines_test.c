/*
 * The memory rules of SGLang, TensorRT-LLM, TGI, llama.cpp and Ollama against figures that engines
 * printed, or that follow by hand from the rule in their source.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "app_kit.h"

#define MIB 1048576.0

static double figure(const struct app_kit *kit, const char *query, const char *member)
{
    char target[1000];
    int status = 0;
    (void)snprintf(target, sizeof(target), "/v1/plan?%s", query);
    const char *body = app_kit_get(kit, target, &status);
    if (status != 200)
        fail_msg("%s: %s", query, body);
    cJSON *plan = cJSON_Parse(body);
    const cJSON *memory = cJSON_GetObjectItemCaseSensitive(plan, "memory");
    const cJSON *device = cJSON_GetObjectItemCaseSensitive(memory, "per_device");
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(memory, member);
    if (item == NULL)
        item = cJSON_GetObjectItemCaseSensitive(device, member);
    assert_non_null(item);
    double value = item->valuedouble;
    cJSON_Delete(plan);
    return value;
}

static const struct row {
    const char *query, *member;
    double expected, within;
} ROWS[] = {
    /* github.com/sgl-project/sglang/issues/13466: 61 x 576 x 2 B = 70,272 B a token; 8,050 tokens
     * print as 0.53 GB. */
    {"model=kimi-k2&hardware=h200-sxm&engine=sglang&engine_version=0.5.5&tp=8&weights=fp8_block&"
     "measured_memory.kv_bytes=565689600",
     "kv_token_capacity", 8050, 0},
    /* Gemma 3 27B: 52 layers with a window of 1,024 and 10 without, 16 KV heads of 128 in 16 bits:
     * 8,192 B a layer; 10 x 8192 + 0.8 x 52 x 8192 = 422,707 B a token; 2^30 / 422707.2 = 2,540;
     * 10 x 8192 + 0.1 x 52 x 8192 = 124,518.4: 8,623. */
    {"model=gemma-3-27b&hardware=h100-sxm&engine=sglang&engine_version=0.5.6&measured_memory.kv_"
     "bytes=1073741824",
     "kv_token_capacity", 2540, 0},
    {"model=gemma-3-27b&hardware=h100-sxm&engine=sglang&engine_version=0.5.6&swa_full_tokens_ratio="
     "0.1&measured_memory.kv_bytes=1073741824",
     "kv_token_capacity", 8623, 0},
    /* DeepSeek V3.2: 61 layers of 576 x 2 B and 132 B of an indexer's key: 78,324 B a token. */
    {"model=deepseek-v3.2&hardware=h200-sxm&engine=sglang&tp=8&kv_cache=bf16&measured_memory.kv_"
     "bytes=78324000",
     "kv_token_capacity", 1000, 0},
    /* In fp8 a latent takes 512 + 4 x 4 + 64 x 2 = 656 B: 61 x (656 + 132) = 48,068 B. */
    {"model=deepseek-v3.2&hardware=h200-sxm&engine=sglang&tp=8&kv_cache=fp8&measured_memory.kv_"
     "bytes=48068000",
     "kv_token_capacity", 1000, 0},
    /* A cap on tokens. */
    {"model=llama-3.1-8b&hardware=h100-sxm&engine=sglang&kv_cache_tokens=4096", "kv_token_capacity",
     4096, 0},
    /* github.com/NVIDIA/TensorRT-LLM/issues/2268: 0.9 x 21.89 GiB over 512 KiB a token in blocks of
     * 64: 631 blocks, rounded up. */
    {"model=qwen1.5-7b&hardware=a100-sxm-40gb&engine=trtllm&engine_version=0.13.0&block_size=64&"
     "measured_memory.kv_bytes=21153677082",
     "kv_token_capacity", 40384, 0},
    /* f (T - W - A - N): 0.9 x (39.39 - 14.38 - 2 - 1.12) GiB = 19.701 GiB. */
    {"model=qwen1.5-7b&hardware=a100-sxm-40gb&engine=trtllm&engine_version=0.13.0&memory_"
     "utilization=0.9&measured_memory.total_bytes=42294690939&measured_memory.weights_bytes="
     "15440407429&measured_memory.activation_bytes=2147483648&measured_memory.non_torch_bytes="
     "1202590843",
     "kv_bytes", 21153788117, 100},
    /* TGI 2: 0.95 x (79.15 - 65.7 - 7.2 - 1.2 - P) + P GiB, P = 10,064 tokens (629 blocks of 16)
     * of 160 KiB = 1.535645 GiB: 4.874282 GiB = 31,944 tokens of 163,840 B, in blocks 31,936;
     * github.com/huggingface/text-generation-inference/issues/2744 prints 30,816. */
    {"model=llama-3.1-70b&hardware=a100-sxm-80gb&engine=tgi&engine_version=2.0&tp=2&chunked_"
     "prefill_"
     "tokens=10049&block_size=16&measured_memory.total_bytes=84986665370&measured_memory.weights_"
     "bytes=70544838042&measured_memory.activation_bytes=7730941133&measured_memory.non_torch_"
     "bytes="
     "1288490189",
     "kv_token_capacity", 31936, 0},
    /* max_batch_total_tokens below that is what is allocated. */
    {"model=llama-3.1-8b&hardware=h100-sxm&engine=tgi&kv_cache_tokens=16000", "kv_token_capacity",
     16000, 0},
    /* github.com/ggml-org/llama.cpp/discussions/15297 (gpt-oss-20b, n_ctx 16384): 384 MiB in 12
     * full layers of 8 heads of 64; the 12 windowed ones keep 128 + 2,048 tokens, padded 2,304: 54
     * MiB; buffer 398.38 MiB = 512 x 4 x (201,088 + 2,880). */
    {"model=gpt-oss-20b&hardware=rtx-3090&engine=llama.cpp&engine_version=b6150&max_model_len="
     "16384&"
     "max_num_seqs=1&kv_cache=f16&flash_attention=true",
     "kv_bytes", 438 * MIB, 0},
    {"model=gpt-oss-20b&hardware=rtx-3090&engine=llama.cpp&engine_version=b6150&max_model_len="
     "16384&"
     "max_num_seqs=1&kv_cache=f16&flash_attention=true",
     "activation_bytes", 398.375 * MIB, 0},
    /* From late 2025 windows keep a micro-batch ahead: 128 + 512, padded 768: 18 MiB. */
    {"model=gpt-oss-20b&hardware=rtx-3090&engine=llama.cpp&engine_version=b7500&max_model_len="
     "16384&"
     "max_num_seqs=1&kv_cache=f16&flash_attention=true",
     "kv_bytes", 402 * MIB, 0},
    /* Four slots of their own: four times; four that share one context: 4 x 128 + 512 = 1,024. */
    {"model=gpt-oss-20b&hardware=rtx-3090&engine=llama.cpp&engine_version=b7500&max_model_len="
     "16384&"
     "max_num_seqs=4&kv_cache=f16",
     "kv_bytes", 4 * 402 * MIB, 0},
    {"model=gpt-oss-20b&hardware=rtx-3090&engine=llama.cpp&engine_version=b7500&max_model_len="
     "16384&"
     "max_num_seqs=4&kv_cache=f16&kv_unified=true",
     "kv_bytes", 408 * MIB, 0},
    {"model=gpt-oss-20b&hardware=rtx-3090&engine=llama.cpp&engine_version=b7500&max_model_len="
     "16384&"
     "max_num_seqs=1&kv_cache=f16&swa_full=true",
     "kv_bytes", 768 * MIB, 0},
    /* github.com/ollama/ollama/issues/13552 (phi-4, n_ctx 4096, no flash attention): 800 MiB. */
    {"model=phi-4&hardware=rtx-3090&engine=ollama&engine_version=0.13&max_model_len=4096&max_num_"
     "seqs=1&kv_cache=f16&weights=q4_k_m&flash_attention=false",
     "kv_bytes", 800 * MIB, 0},
    {"model=phi-4&hardware=rtx-3090&engine=ollama&engine_version=0.13&max_model_len=4096&max_num_"
     "seqs=1&kv_cache=f16&weights=q4_k_m&flash_attention=false",
     "activation_bytes", 353.01 * MIB, 0.1 * MIB},
    /* github.com/ollama/ollama/issues/8447 (DeepSeek 671B, one layer on the GPU, n_ctx 2048):
     * (24,576 + 16,384) x 2,048 x 2 B = 160 MiB. */
    {"model=deepseek-r1&hardware=h200-sxm&engine=ollama&engine_version=0.5.7&max_model_len=2048&"
     "max_"
     "num_seqs=1&kv_cache=f16&weights=q4_k_m&gpu_layers=1",
     "kv_bytes", 160 * MIB, 0},
    /* github.com/ikawrakow/ik_llama.cpp/pull/259: 61 x 576 x 32,768 x 34/32 B = 1,166.62 MiB. */
    {"model=deepseek-r1&hardware=h200-sxm&engine=ik_llama.cpp&max_model_len=32768&max_num_seqs=1&"
     "kv_"
     "cache=q8_0&weights=q4_k_m&cpu_moe_layers=61",
     "kv_bytes", 1166.625 * MIB, 0.01 * MIB},
    /* Two cards: of phi-4's 40 layers and the output 21 and 20; the output matrix is lighter than
     * two layers and heavier than one, so the second with 19 layers has the least room. */
    {"model=phi-4&hardware=rtx-3090&engine=llama.cpp&tp=2&max_model_len=4096&max_num_seqs=1&kv_"
     "cache="
     "f16&weights=q4_k_m",
     "kv_bytes", 380 * MIB, 0},
};

static void engines_print_what_is_planned(void **state)
{
    const struct app_kit *kit = *state;
    for (size_t i = 0; i < sizeof(ROWS) / sizeof(ROWS[0]); i++) {
        double value = figure(kit, ROWS[i].query, ROWS[i].member);
        if (!(fabs(value - ROWS[i].expected) <= ROWS[i].within))
            fail_msg("%s: %s is %.10g, not %.10g", ROWS[i].query, ROWS[i].member, value,
                     ROWS[i].expected);
    }
}

/* github.com/noonghunna/club-3090/pull/1331: Qwen3.8-27B on two RTX 3090, 10 slots for states leave
 * 182,901 tokens and 21 leave 158,116: 2,253.2 tokens a slot, 48 layers of 24 x 128 x 128 x 2 + 3 x
 * 5,120 x 2 B over 17 x 1,024 B. */
static void a_slot_costs_what_its_state_takes(void **state)
{
    const struct app_kit *kit = *state;
    static const char QUERY[] =
        "model=qwen3.8-27b&hardware=rtx-3090&engine=sglang&weights=fp8_block"
        "&tp=2&memory_utilization=0.92&kv_cache=fp8&max_num_seqs=1&state_"
        "dtype=bf16&speculative.method=mtp&max_state_slots=%d";
    char query[400];
    (void)snprintf(query, sizeof(query), QUERY, 10);
    double few = figure(kit, query, "kv_token_capacity");
    (void)snprintf(query, sizeof(query), QUERY, 21);
    double many = figure(kit, query, "kv_token_capacity");
    assert_true(fabs(few - many - (182901 - 158116)) <= 1.0);
    assert_true(fabs(few / 182901 - 1.0) < 0.1);
}

/* The fraction that SGLang starts with: logged 0.911 on MI355X (github.com/sgl-project/sglang/pull/
 * 18263: (294912 - 512 - 1.5 x 16384 - 128 - 2 x 512) / 294912); the others by hand from
 * server_args.py. T of an H100 is 79.19 GiB = 81,090.6 MiB here. */
static void fractions_follow_the_part(void **state)
{
    const struct app_kit *kit = *state;

    static const struct {
        const char *query;
        double expected;
    } FRACTIONS[] = {
        {"model=qwen3-30b-a3b&hardware=mi355x&engine=sglang&engine_version=0.5.9", 0.911},
        /* 512 + 12288 + 128 + 512 = 13440 */
        {"model=llama-3.1-8b&hardware=h100-sxm&engine=sglang&engine_version=0.5.6", 0.834},
        /* tp 8: 512 + 12288 + 1024 + 1024 = 14848 */
        {"model=llama-3.1-70b&hardware=h100-sxm&engine=sglang&engine_version=0.5.6&tp=8", 0.817},
        /* 9.5 + 4 GiB */
        {"model=llama-3.1-70b&hardware=h100-sxm&engine=sglang&engine_version=0.5.0&tp=8", 0.83},
        {"model=llama-3.1-70b&hardware=h100-sxm&engine=sglang&engine_version=0.4.5&tp=8", 0.81},
        /* A stated one stands. */
        {"model=llama-3.1-8b&hardware=h100-sxm&engine=sglang&memory_utilization=0.7", 0.7},
    };

    for (size_t i = 0; i < sizeof(FRACTIONS) / sizeof(FRACTIONS[0]); i++) {
        char target[400];
        int status = 0;
        (void)snprintf(target, sizeof(target), "/v1/plan?%s", FRACTIONS[i].query);
        cJSON *plan = cJSON_Parse(app_kit_get(kit, target, &status));
        const cJSON *request = cJSON_GetObjectItemCaseSensitive(plan, "request");
        const cJSON *dep = cJSON_GetObjectItemCaseSensitive(request, "deployment");
        const cJSON *item = cJSON_GetObjectItemCaseSensitive(dep, "memory_utilization");
        assert_non_null(item);
        if (fabs(item->valuedouble - FRACTIONS[i].expected) > 1e-9)
            fail_msg("%s: %g, not %g", FRACTIONS[i].query, item->valuedouble,
                     FRACTIONS[i].expected);
        cJSON_Delete(plan);
    }
}

static bool fits(const struct app_kit *kit, const char *query)
{
    char target[600];
    int status = 0;
    (void)snprintf(target, sizeof(target), "/v1/plan?%s", query);
    cJSON *plan = cJSON_Parse(app_kit_get(kit, target, &status));
    const cJSON *memory = cJSON_GetObjectItemCaseSensitive(plan, "memory");
    bool value = cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(memory, "fits"));
    cJSON_Delete(plan);
    return value;
}

/* Layers on the host make room; a context of 128 Ki cells of 128 KiB is 16 GiB. */
static void local_engines_allocate_what_is_asked(void **state)
{
    const struct app_kit *kit = *state;
    static const char LONG[] = "model=llama-3.1-8b&hardware=rtx-3090&engine=llama.cpp&weights=f16&"
                               "max_model_len=131072&max_num_seqs=1&kv_cache=f16";
    static const char HALF[] = "model=llama-3.1-8b&hardware=rtx-3090&engine=llama.cpp&weights=f16&"
                               "max_model_len=131072&max_num_seqs=1&kv_cache=f16&gpu_layers=16";
    static const char BUSY[] =
        "model=llama-3.1-8b&hardware=rtx-3090&engine=llama.cpp&weights=f16&"
        "max_model_len=8192&max_num_seqs=1&other_processes_bytes=12000000000";
    static const char FREE[] = "model=llama-3.1-8b&hardware=rtx-3090&engine=llama.cpp&weights=f16&"
                               "max_model_len=8192&max_num_seqs=1";
    assert_false(fits(kit, LONG));
    assert_true(fits(kit, HALF));
    assert_false(fits(kit, BUSY));
    assert_true(fits(kit, FREE));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(engines_print_what_is_planned),
        cmocka_unit_test(a_slot_costs_what_its_state_takes),
        cmocka_unit_test(fractions_follow_the_part),
        cmocka_unit_test(local_engines_allocate_what_is_asked),
    };
    return cmocka_run_group_tests(tests, app_kit_setup, app_kit_teardown);
}
