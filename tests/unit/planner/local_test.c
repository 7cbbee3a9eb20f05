/* The speed model of local engines against hand computations, its ladder of constants, its limits.
 *
 * Constants are sample_locals(): rows of llama.cpp on consumer Blackwell parts. Llama-3.1-8B has
 * 6,979,321,856 parameters in its layers and 525,336,576 in its head; a token of context costs
 * 32 x 2 x 8 x 128 elements. RTX 5090: 1,792 GB/s, half of 838 int8 TOPS = 419e6 flops per us.
 */
#include "check.h"
#include "core.h"
#include "local_step.h"
#include "plan.h"
#include "sample_library.h"

#define LAYER_PARAMS 6979321856.0
#define HEAD_PARAMS 525336576.0
#define BW 1792e3
#define PEAK 419e6

static int setup(void **state)
{
    *state = sample_new();
    return 0;
}

static int teardown(void **state)
{
    free(*state);
    return 0;
}

/* llama-bench: no sampler, no server. */
static struct problem bench(const struct sample *sample, int format)
{
    struct problem problem = sample_llama_server(sample, SAMPLE_LLAMA_8B, SAMPLE_RTX5090, 1);
    problem.dep.weights = &sample->weights[format];
    problem.dep.chunked_prefill_tokens = 512;
    problem.dep.backend = BACKEND_CUDA;
    problem.load.load_generator = LOAD_ENGINE_BENCH;
    return problem;
}

static struct step decode(const struct problem *problem, double batch, double context)
{
    struct prepared prep;
    struct step step;
    prepare(problem, NULL, &prep);
    step_decode(&prep, batch, context, &step);
    return step;
}

static struct step prefill(const struct problem *problem, double tokens)
{
    struct prepared prep;
    struct step step;
    prepare(problem, NULL, &prep);
    step_prefill(&prep, tokens, 0, &step);
    return step;
}

/*
 * bf16, one row at 320 tokens. f_w: the family's 0.92 times what the format does elsewhere, 0.95 /
 * 0.91, times the part's 1.02 = 0.97965. Weights 15,009,316,864 B / (0.97965 x 1,792e3) = 8,549.7;
 * KV 41,943,040 B / (0.475 x 1,792e3) = 49.3; layers 32 x 39.6 = 1,267.2; unpacking 10 x 2 x
 * 7.5047e9 / 419e6 = 358.2; step 95: 10,319.4 us.
 */
static void decode_by_hand(void **state)
{
    struct problem problem = bench(*state, SAMPLE_BF16);
    struct step step = decode(&problem, 1, 320);
    assert_near(step.time_us, 10319.43, 1e-6);
    assert_near(step.expected_us, 10319.43, 1e-6);
    assert_int_equal(step.basis, BASIS_CALIBRATED);
    const struct class_cost *dense = &step.classes[CLASS_DENSE_GEMM];
    assert_near(dense->memory_us, LAYER_PARAMS * 2 / (0.979648 * BW), 1e-6);
    assert_near(dense->compute_us, 10 * 2 * LAYER_PARAMS / PEAK, 1e-9);
    assert_int_equal(dense->tier, LOCAL_SAME_PART);
    assert_string_equal(dense->local->record, "local-sample");
    assert_near(step.classes[CLASS_NORM_ELEMENTWISE].fixed_us, 32 * 39.6 - 0.41, 2e-3);
    assert_near(step.classes[CLASS_SCHEDULER].time_us, 95, 1e-9);
    assert_int_equal(step.dominant.class, CLASS_DENSE_GEMM);
    /* Three more rows: three times 49.3 of KV, and 3 x 0.0146 x 8,375.7 = 366.9 to read for them.
     */
    step = decode(&problem, 4, 320);
    assert_near(step.time_us, 10834.11, 1e-6);
}

/* 4.9 bits in the layers, 16 in the head: 5,325,507,789 B / (0.88 x 1.02 x 1,792e3) = 3,310.9 and
 * 6 x 2 x 7.5047e9 / 419e6 = 214.9 of unpacking beside 49.3 + 1,267.2 + 95 = 4,937.3 us. */
static void a_format_of_its_own(void **state)
{
    struct problem problem = bench(*state, SAMPLE_Q4);
    assert_near(decode(&problem, 1, 320).time_us, 4937.26, 1e-6);
}

/*
 * 1,024 tokens in two chunks of 512: 14.2947e12 flops / (0.59 x 419e6) = 57,824; padding 0.58 x 128
 * x 6.9793e9 x 2 / 419e6 = 2,473; reading 1.2 x (2 x 13.9586e9 + 1.0507e9) / 1,792e3 = 19,398;
 * attention 274.9e9 / (0.3 x 419e6) = 2,187; layers 2 x 32 x 29.2 = 1,869; prompt 1,300: 85,051.
 */
static void prefill_by_hand(void **state)
{
    struct problem problem = bench(*state, SAMPLE_BF16);
    struct step step = prefill(&problem, 1024);
    assert_near(step.chunks, 2, 0);
    assert_near(step.time_us, 85051.13, 1e-6);
    assert_int_equal(step.basis, BASIS_CALIBRATED);
    assert_near(step.classes[CLASS_PREFILL_ATTENTION].time_us, 274877906944.0 / (0.3 * PEAK), 1e-9);
}

/* Without the fused kernel KV is read at 0.879 and scored at 0.57 of the rate. */
static void without_flash_attention(void **state)
{
    struct problem problem = bench(*state, SAMPLE_BF16);
    struct step with = decode(&problem, 1, 8192);
    struct step with_prefill = prefill(&problem, 4096);
    problem.dep.flash_attention = false;
    struct step without = decode(&problem, 1, 8192);
    struct step without_prefill = prefill(&problem, 4096);
    assert_near(without.classes[CLASS_DECODE_ATTENTION].time_us,
                with.classes[CLASS_DECODE_ATTENTION].time_us / 0.879, 1e-9);
    assert_near(without_prefill.classes[CLASS_PREFILL_ATTENTION].time_us,
                with_prefill.classes[CLASS_PREFILL_ATTENTION].time_us / 0.57, 1e-9);
}

/* A server adds its sampler and its loop to the same step. */
static void a_server_stands_on_top(void **state)
{
    struct problem problem = bench(*state, SAMPLE_BF16);
    double alone = decode(&problem, 1, 320).time_us;
    problem.load.load_generator = LOAD_STEADY;
    struct step step = decode(&problem, 1, 320);
    double served = step.classes[CLASS_HOST_SAMPLING].time_us +
                    step.classes[CLASS_SERVER_LOOP].time_us +
                    step.classes[CLASS_DETOKENIZATION].time_us;
    /* The sampler's chain over 128,256 entries and the copy of the logits; 300 us of loop. */
    assert_near(step.classes[CLASS_SERVER_LOOP].time_us, 300, 1e-9);
    assert_true(served > 128256 * 2.84e-3 + 300);
    assert_near(step.time_us, alone + served, 1e-9);
}

/* Two parts in a row: decode at 0.955 of one's rate; a prompt of two chunks in (1 + 1/2)/2 of its
 * time over 0.84, the head and the start of the prompt once. */
static void layer_split(void **state)
{
    struct problem problem = bench(*state, SAMPLE_BF16);
    double one = decode(&problem, 1, 320).time_us;
    double prompt = prefill(&problem, 1024).time_us;
    problem.dep.tp = 2;
    struct step step = decode(&problem, 1, 320);
    assert_near(step.time_us, (one - 95) / 0.955 + 95, 1e-3);
    double head = 2 * HEAD_PARAMS / (0.59 * PEAK) + 1.2 * 2 * HEAD_PARAMS / BW;
    assert_near(prefill(&problem, 1024).time_us,
                1300 + head / 0.84 + (prompt - 1300 - head) * 0.75 / 0.84, 1e-3);
}

/* Where nothing was measured, and where layers may have gone to the host, only the floor stands. */
static void no_record(void **state)
{
    struct sample *sample = *state;
    struct problem problem = bench(sample, SAMPLE_BF16);
    problem.dep.backend = BACKEND_VULKAN;
    assert_true(isnan(decode(&problem, 1, 320).expected_us));
    /* The record of a discrete part says nothing of its host's memory. */
    problem.dep.backend = BACKEND_CPU;
    assert_true(isnan(decode(&problem, 1, 320).expected_us));
    problem = bench(sample, SAMPLE_BF16);
    sample->hardware[SAMPLE_RTX5090].memory_bytes = 18e9;
    assert_true(isnan(decode(&problem, 1, 320).expected_us));
    assert_true(decode(&problem, 1, 320).time_us > 0);
    /* 16.06 GB of weights are 0.8 of 20.08 GB. */
    sample->hardware[SAMPLE_RTX5090].memory_bytes = 20.2e9;
    assert_true(decode(&problem, 1, 320).expected_us > 0);
}

/* A plan is large: it lives outside the stack of a test. */
static struct plan plan;

static bool warns(const struct problem *problem, enum warning_id id)
{
    plan_compute(problem, PLAN_SUMMARY, &plan);
    for (int i = 0; i < plan.n_warnings; i++)
        if (plan.warnings[i].id == id)
            return true;
    return false;
}

/* Said when layers may lie with the host, or when more rows step than were measured; three devices
 * share neither heads nor experts, so nothing has to divide. */
static void warnings(void **state)
{
    struct sample *sample = *state;
    struct problem problem = bench(sample, SAMPLE_BF16);
    assert_false(warns(&problem, WARN_NOT_RESIDENT) || warns(&problem, WARN_MANY_ROWS));
    problem.dep.tp = 3;
    assert_false(warns(&problem, WARN_TP_DOES_NOT_DIVIDE));
    problem = sample_llama_server(sample, SAMPLE_LLAMA_8B, SAMPLE_RTX5090, 8);
    problem.dep.backend = BACKEND_CUDA;
    assert_true(warns(&problem, WARN_MANY_ROWS));
    sample->hardware[SAMPLE_RTX5090].memory_bytes = 18e9;
    problem = bench(sample, SAMPLE_BF16);
    assert_true(warns(&problem, WARN_NOT_RESIDENT));
}

/* What is left to the host has no time on record: not half of the layers of llama.cpp, nor 8 GB of
 * a server's, which no step fetches faster than the host's link carries them. */
static void weights_of_the_host(void **state)
{
    struct sample *sample = *state;
    struct problem problem = bench(sample, SAMPLE_BF16);
    problem.dep.gpu_layers = 16;
    assert_true(warns(&problem, WARN_HOST_WEIGHTS));
    assert_true(isnan(plan.decode.expected_us));
    problem.dep.gpu_layers = 99;
    assert_false(warns(&problem, WARN_HOST_WEIGHTS));
    assert_true(isfinite(plan.decode.expected_us));
    problem = sample_problem(sample, SAMPLE_LLAMA_8B, SAMPLE_H100);
    sample->hardware[SAMPLE_H100].host_bytes_us = 50000; /* 50 GB/s */
    assert_false(warns(&problem, WARN_HOST_WEIGHTS));
    double before = plan.decode.floor_us;
    problem.dep.cpu_offload_bytes = 8e9;
    assert_true(warns(&problem, WARN_HOST_WEIGHTS));
    assert_near(plan.decode.floor_us - before, 160000, 1e-6); /* 8 GB at 50 GB/s */
    assert_true(isnan(plan.decode.expected_us));
}

static void tiers(void **state)
{
    struct sample *sample = *state;
    struct problem problem = bench(sample, SAMPLE_BF16);
    struct hardware other = *problem.hw;
    other.index = SAMPLE_H200;
    other.id = "rtx-5080";
    problem.hw = &other;
    assert_int_equal(decode(&problem, 1, 320).classes[CLASS_DENSE_GEMM].tier, LOCAL_SAME_FAMILY);
    other.arch = "ada";
    assert_int_equal(decode(&problem, 1, 320).classes[CLASS_DENSE_GEMM].tier, LOCAL_SAME_ENGINE);
}

/* f_w above 1 goes with its layers' time: no class is under its floor, the sum stays. */
static void floors_hold(void **state)
{
    struct sample *sample = *state;
    for (size_t i = 0; i < (size_t)sample->lib.n_local_fits; i++)
        if (sample->locals[i].constant == LOCAL_PART_MULT)
            sample->locals[i].value = 1.3;
    struct problem problem = bench(sample, SAMPLE_Q4);
    struct step step = decode(&problem, 1, 320);
    for (int i = 0; i < CLASS_COUNT; i++)
        assert_true(step.classes[i].time_us >= step.classes[i].floor_us * (1 - 1e-12));
    double read = (LAYER_PARAMS * 4.9 / 8 + HEAD_PARAMS * 2) / (0.88 * 1.3 * BW);
    double unpack = 6 * 2 * (LAYER_PARAMS + HEAD_PARAMS) / PEAK;
    assert_near(step.time_us, read + 41943040 / (0.475 * BW) + 32 * 39.6 + unpack + 95, 1e-6);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(decode_by_hand, setup, teardown),
        cmocka_unit_test_setup_teardown(a_format_of_its_own, setup, teardown),
        cmocka_unit_test_setup_teardown(prefill_by_hand, setup, teardown),
        cmocka_unit_test_setup_teardown(without_flash_attention, setup, teardown),
        cmocka_unit_test_setup_teardown(a_server_stands_on_top, setup, teardown),
        cmocka_unit_test_setup_teardown(layer_split, setup, teardown),
        cmocka_unit_test_setup_teardown(no_record, setup, teardown),
        cmocka_unit_test_setup_teardown(warnings, setup, teardown),
        cmocka_unit_test_setup_teardown(weights_of_the_host, setup, teardown),
        cmocka_unit_test_setup_teardown(tiers, setup, teardown),
        cmocka_unit_test_setup_teardown(floors_hold, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
