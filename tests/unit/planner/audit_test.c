/*
 * The worked example and the recomputed figures of the claims that the planner can produce. Every
 * expectation is computed by hand from the published config.json and data sheets.
 */
#include "check.h"
#include "sample_library.h"

static struct sample *sample;

static int setup(void **state)
{
    (void)state;
    sample = sample_new();
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    free(sample);
    return 0;
}

static struct core core_of(struct problem problem)
{
    struct core core;
    core_compute(&problem, NULL, &core);
    return core;
}

static struct step decode_at(struct problem problem, double batch, double context)
{
    struct prepared prep;
    struct step step;
    prepare(&problem, NULL, &prep);
    step_decode(&prep, batch, context, &step);
    return step;
}

static struct step prefill_of(struct problem problem, double tokens, double cached)
{
    struct prepared prep;
    struct step step;
    prepare(&problem, NULL, &prep);
    step_prefill(&prep, tokens, cached, &step);
    return step;
}

/* P = 32 x 218,103,808 + 2 x 525,336,576 + 65 x 4096 = 8,030,261,248; resident 16.0605 GB; streamed
 * without the embedding 2 (P - V d) = 15.0098 GB. */
static void streamed_and_resident(void **state)
{
    (void)state;
    struct problem problem = sample_problem(sample, SAMPLE_LLAMA_8B, SAMPLE_H100);
    struct step step = decode_at(problem, 1, 2048);
    assert_near(sample->models[SAMPLE_LLAMA_8B].params_total, 8030261248.0, 0);
    assert_near(step.weight_read_bytes, 2 * (8030261248.0 - 128256.0 * 4096), 1e-9);
    assert_near(step.weight_read_bytes, 15.010e9, 1e-4);
    assert_near(core_of(problem).memory.terms[TERM_WEIGHTS].bytes, 16060522496.0, 1e-9);
}

/* KV read 131,072 B x L: 268.4 MB at 2k, 4.295 GB at 32k: 22 % of the step, 26.7 % of the weights.
 */
static void kv_read(void **state)
{
    (void)state;
    struct problem problem = sample_problem(sample, SAMPLE_LLAMA_8B, SAMPLE_H100);
    struct step short_step = decode_at(problem, 1, 2048), long_step = decode_at(problem, 1, 32768);
    assert_near(short_step.classes[CLASS_DECODE_ATTENTION].bytes, 268435456.0, 1e-9);
    assert_near(long_step.classes[CLASS_DECODE_ATTENTION].bytes, 4294967296.0, 1e-9);
    assert_near(long_step.classes[CLASS_DECODE_ATTENTION].bytes / long_step.bytes, 0.2223, 2e-3);
    assert_near(4294967296.0 / core_of(problem).memory.terms[TERM_WEIGHTS].bytes, 0.2674, 1e-3);
    /* One token's write: 131,072 B. */
    assert_near(short_step.classes[CLASS_KV_WRITE].bytes, 131072.0, 0);
}

/* The H100 floor of the corrected table: 15.294 GB in 4.565 ms at 2k, 19.320 GB in 5.767 ms at 32k,
 * unfused activations (11 MB) and sampler passes included; they are left out of the floor here. */
static void decode_floor(void **state)
{
    (void)state;
    struct problem problem = sample_problem(sample, SAMPLE_LLAMA_8B, SAMPLE_H100);
    assert_near(decode_at(problem, 1, 2048).floor_us, 4565, 3e-3);
    assert_near(decode_at(problem, 1, 32768).floor_us, 5767, 3e-3);
    assert_near(decode_at(problem, 1, 2048).bytes, 15.294e9, 1e-3);
    assert_near(decode_at(problem, 1, 32768).bytes, 19.320e9, 1e-3);
}

/* 32k prefill: linears 2 x 6,979,321,856 x 32,768 = 457.4 TFLOP, attention of all 32 layers
 * 4 x 32 x 128 x 32,768^2 / 2 x 32 = 281.5 TFLOP: 38.1 %. The head meets one token. */
static void prefill_flops(void **state)
{
    (void)state;
    struct step step = prefill_of(sample_problem(sample, SAMPLE_LLAMA_8B, SAMPLE_H100), 32768, 0);
    assert_near(step.linear_flops, 457.4e12, 1e-3);
    assert_near(step.attention_flops, 281.5e12, 1e-3);
    assert_near(step.attention_flops / (step.attention_flops + step.linear_flops), 0.381, 1e-3);
    assert_near(step.classes[CLASS_LM_HEAD].flops, 2.0 * 128256 * 4096, 1e-9);
    assert_near(step.kv_write_bytes, 4294967296.0, 1e-9);
    /* The write alone takes 1.282 ms at 3,350 GB/s. */
    assert_near(step.classes[CLASS_KV_WRITE].floor_us, 1282, 1e-3);
}

/* Llama-70B at 32k: attention is 1,407 TFLOP, 23.9 %; Llama-2-7B 39.9 %. */
static void prefill_attention_share(void **state)
{
    (void)state;
    struct step big = prefill_of(sample_problem(sample, SAMPLE_LLAMA_70B, SAMPLE_H100), 32768, 0);
    assert_near(big.attention_flops, 1407e12, 1e-3);
    assert_near(big.attention_flops / (big.attention_flops + big.linear_flops), 0.239, 2e-3);
    struct step old = prefill_of(sample_problem(sample, SAMPLE_LLAMA2_7B, SAMPLE_H100), 32768, 0);
    assert_near(old.attention_flops / (old.attention_flops + old.linear_flops), 0.399, 2e-3);
}

/* L* = 218,103,808 / 4,096 = 53,248; 70B 855,638,016 / 8,192 = 104,448; Llama-2-7B 49,408 (its
 * layer has 4 x 4096^2 + 3 x 4096 x 11008 = 202,375,168). */
static void crossover(void **state)
{
    (void)state;
    assert_near(
        prefill_of(sample_problem(sample, SAMPLE_LLAMA_8B, SAMPLE_H100), 100, 0).crossover_tokens,
        53248, 0);
    assert_near(
        prefill_of(sample_problem(sample, SAMPLE_LLAMA_70B, SAMPLE_H100), 100, 0).crossover_tokens,
        104448, 0);
    assert_near(
        prefill_of(sample_problem(sample, SAMPLE_LLAMA2_7B, SAMPLE_H100), 100, 0).crossover_tokens,
        49408, 0);
}

/* Ridge 989.5e12 / 3.35e12 = 295.37. Prefill attention leaves the memory roof at 2 (g + 1) ridge /
 * g: 738 at g = 4, 665 at g = 8, 1,181 for MHA; 148, 74 and 591 when K and V alone are counted. */
static void ridges(void **state)
{
    (void)state;

    static const struct {
        int model;
        double with_io, kv_only;
    } ROWS[] = {{SAMPLE_LLAMA_8B, 738, 147.7},
                {SAMPLE_LLAMA_70B, 665, 73.8},
                {SAMPLE_LLAMA2_7B, 1181, 590.7}};

    for (size_t i = 0; i < ARRAY_LEN(ROWS); i++) {
        struct step step = prefill_of(sample_problem(sample, ROWS[i].model, SAMPLE_H100), 100, 0);
        assert_near(step.attention_ridge_tokens, ROWS[i].with_io, 1e-3);
        assert_near(step.attention_ridge_kv_only_tokens, ROWS[i].kv_only, 1e-3);
        assert_near(step.ridge, 295.37, 1e-4);
    }
}

/* Decode attention intensity: g = 4 for the 8B, whatever the batch; absorbed MLA
 * 2 x 128 x (2 x 512 + 64) / (2 x 576) = 241.8. */
static void attention_intensity(void **state)
{
    (void)state;
    struct step gqa = decode_at(sample_problem(sample, SAMPLE_LLAMA_8B, SAMPLE_H100), 16, 4096);
    const struct class_cost *cost = &gqa.classes[CLASS_DECODE_ATTENTION];
    assert_near(cost->flops / cost->bytes, 4, 1e-9);
    struct step mla = decode_at(sample_problem(sample, SAMPLE_DEEPSEEK_V3, SAMPLE_H200), 3, 1000);
    cost = &mla.classes[CLASS_DECODE_ATTENTION];
    assert_near(cost->flops / cost->bytes, 241.8, 1e-3);
}

/* DeepSeek-V3, 32 rows: 256 (1 - (248/256)^32) = 163.3 experts in each of 58 layers;
 * one row 8 experts. fp8: 1 byte and the block scale. */
static void expert_coverage(void **state)
{
    (void)state;
    struct problem problem = sample_problem(sample, SAMPLE_DEEPSEEK_V3, SAMPLE_H200);
    problem.dep.weights = &sample->weights[SAMPLE_FP8_BLOCK];
    double expert = 3.0 * 7168 * 2048 * (1 + 4.0 / 16384);
    struct step step = decode_at(problem, 32, 1000);
    assert_near(step.classes[CLASS_MOE_EXPERT_GEMM].weight_bytes / (58 * expert), 163.3, 1e-3);
    /* With attention 11.4, shared 2.6, dense 1.2 and head 0.93 billion: 433.3 billion, the head at
     * 2 B. */
    assert_near(step.weight_read_bytes, 433.3e9 + 0.93e9, 2e-3);
    step = decode_at(problem, 1, 1000);
    assert_near(step.classes[CLASS_MOE_EXPERT_GEMM].weight_bytes / (58 * expert), 8, 1e-9);
    /* The floor counts k experts at any batch: all rows may agree. */
    step = decode_at(problem, 32, 1000);
    assert_near(step.classes[CLASS_MOE_EXPERT_GEMM].floor_us, 58 * 8 * expert / 4.8e6, 1e-9);
}

/* All-to-all dispatch at 32 rows: 32 x 8 x 7,168 x 2 = 3.67 MB each way and layer, 425.7 MB in 58.
 */
static void expert_dispatch(void **state)
{
    (void)state;
    struct problem problem = sample_problem(sample, SAMPLE_DEEPSEEK_V3, SAMPLE_H200);
    problem.dep.dp = 8;
    problem.dep.ep = 8;
    problem.dep.ep_backend = EP_BACKEND_ALL_TO_ALL;
    struct step step = decode_at(problem, 32, 1000);
    assert_near(step.link_bytes, 425.7e6, 1e-3);
}

/* A logits row of Qwen2.5-7B: 152,064 x 4 = 608,256 B; of the 8B 513,024 B (501.0 KiB). 32 rows at
 * 2.84 ns per entry: 13.8 ms. */
static void host_sampler(void **state)
{
    (void)state;
    struct step one =
        decode_at(sample_llama_server(sample, SAMPLE_QWEN25_7B, SAMPLE_RTX5090, 1), 1, 576);
    assert_near(one.classes[CLASS_HOST_SAMPLING].host_bytes, 608256, 0);
    struct step many =
        decode_at(sample_llama_server(sample, SAMPLE_QWEN25_7B, SAMPLE_RTX5090, 32), 32, 576);
    double copy_us = many.classes[CLASS_HOST_SAMPLING].host_bytes /
                     sample->hardware[SAMPLE_RTX5090].host_bytes_us;
    assert_near(many.classes[CLASS_HOST_SAMPLING].time_us - copy_us, 13800, 5e-3);
    assert_false(many.classes[CLASS_SAMPLING].present);
}

/* min_p: five passes over V fp32 entries, 20 V = 2.565 MB; penalties upload 200 x 30 x 8 = 48 KB,
 * and 12,000 x 128 elements cost 80 ms at 52 ns each. */
static void logit_processors(void **state)
{
    (void)state;
    struct problem problem = sample_problem(sample, SAMPLE_LLAMA_8B, SAMPLE_H100);
    problem.dep.logit_processors = PROCESSOR_MIN_P;
    assert_near(decode_at(problem, 1, 2048).classes[CLASS_PROCESSORS_DEVICE].bytes, 20 * 128256.0,
                1e-9);
    problem.dep.logit_processors = PROCESSOR_PENALTIES;
    problem.load.output_tokens = 200;
    assert_near(decode_at(problem, 30, 2048).classes[CLASS_PROCESSORS_HOST].host_bytes, 48000,
                1e-9);
    problem.load.output_tokens = 12000;
    assert_near(decode_at(problem, 128, 2048).classes[CLASS_PROCESSORS_HOST].time_us, 80000, 0.01);
}

/* KV passes the streamed weights at B x L = 15.0098e9 / 131,072 = 114,516 tokens. */
static void kv_passes_weights(void **state)
{
    (void)state;
    struct problem problem = sample_problem(sample, SAMPLE_LLAMA_8B, SAMPLE_H100);
    struct step below = decode_at(problem, 1, 114000), above = decode_at(problem, 1, 115000);
    assert_true(below.classes[CLASS_DECODE_ATTENTION].bytes < below.weight_read_bytes);
    assert_true(above.classes[CLASS_DECODE_ATTENTION].bytes > above.weight_read_bytes);
    /* Of KV and weights together: 8.6 GB or 36 % at B = 32 and 2k, 70 % at B = 256 and 1k. */
    struct step step = decode_at(problem, 32, 2048);
    double kv = step.classes[CLASS_DECODE_ATTENTION].bytes;
    assert_near(kv / (kv + step.weight_read_bytes), 0.364, 2e-3);
    step = decode_at(problem, 256, 1024);
    kv = step.classes[CLASS_DECODE_ATTENTION].bytes;
    assert_near(kv / (kv + step.weight_read_bytes), 0.696, 2e-3);
}

/* Qwen3-0.6B: 1.192 GB with the tied table read as the head, 356 us at 3,350 GB/s. */
static void small_model_floor(void **state)
{
    (void)state;
    struct step step = decode_at(sample_problem(sample, SAMPLE_QWEN3_06B, SAMPLE_H100), 1, 1);
    assert_near(step.weight_read_bytes, 1.192e9, 1e-3);
    assert_near(step.weight_read_bytes / 3.35e6, 356, 1e-3);
}

/* Measured on H100 with vLLM: 6.53 ms a step at 2k, 7.87 ms at 32k; 70 and 73 % of the peak. */
static void measured_decode(void **state)
{
    (void)state;
    struct problem problem = sample_problem(sample, SAMPLE_LLAMA_8B, SAMPLE_H100);
    assert_near(decode_at(problem, 1, 2048).expected_us, 6530, 0.12);
    assert_near(decode_at(problem, 1, 32768).expected_us, 7870, 0.12);
}

/* Measured TTFT of the same: 10k 265 ms, 30k 1,098 ms, 50k 2,291 ms, 100k 6,852 ms. */
static void measured_prefill(void **state)
{
    (void)state;
    static const double ROWS[][2] = {{10000, 265}, {30000, 1098}, {50000, 2291}, {100000, 6852}};
    struct problem problem = sample_problem(sample, SAMPLE_LLAMA_8B, SAMPLE_H100);
    for (size_t i = 0; i < ARRAY_LEN(ROWS); i++)
        assert_near(prefill_of(problem, ROWS[i][0], 0).expected_us, ROWS[i][1] * US_PER_MS, 0.15);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(streamed_and_resident),
        cmocka_unit_test(kv_read),
        cmocka_unit_test(decode_floor),
        cmocka_unit_test(prefill_flops),
        cmocka_unit_test(prefill_attention_share),
        cmocka_unit_test(crossover),
        cmocka_unit_test(ridges),
        cmocka_unit_test(attention_intensity),
        cmocka_unit_test(expert_coverage),
        cmocka_unit_test(expert_dispatch),
        cmocka_unit_test(host_sampler),
        cmocka_unit_test(logit_processors),
        cmocka_unit_test(kv_passes_weights),
        cmocka_unit_test(small_model_floor),
        cmocka_unit_test(measured_decode),
        cmocka_unit_test(measured_prefill),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
