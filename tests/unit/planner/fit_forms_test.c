/* Forms of their own: padded experts and delta nets against hand computations. */
#include "check.h"
#include "sample_rig.h"

/* H200, vLLM 0.24.0, fp8_block experts (db/records/fits/moe-experts.csv); the sample's fp8 format
 * has exactly one byte a weight. */
static const struct op_fit PADDED = {.id = 1,
                                     .record = "padded",
                                     .hardware = SAMPLE_H200,
                                     .engine = SAMPLE_VLLM,
                                     .version = {0, 24, 0},
                                     .op = FIT_MOE_SKEW_101,
                                     .dtype = FIT_FP8,
                                     .form = FIT_FORM_PADDED_EXPERTS,
                                     .e_m = 1.011,
                                     .e_c = 0.317,
                                     .t0_us = 36.58,
                                     .q = 1.217,
                                     .pad_columns = 128.9,
                                     .ep_gamma = 0.398};

static struct problem deepseek(const struct rig *rig, struct library *lib, const struct op_fit *fit)
{
    struct problem problem = sample_problem(rig->sample, SAMPLE_DEEPSEEK_V3, SAMPLE_H200);
    *lib = rig->sample->lib;
    lib->op_fits = fit;
    lib->n_op_fits = 1;
    problem.lib = lib;
    problem.dep.weights = &rig->sample->weights[SAMPLE_FP8];
    return problem;
}

/*
 * DeepSeek-V3, h = 7,168, 256 experts of 2,048, top 8, 58 layers.
 * One token, tp 8 (shards of 256 columns): 8 x 3 x 7168 x (256 + 128.9) + 8 x (14,336 + 768) x 2
 * = 66,456,781 B over 1.011 x 4.8e6 B/us are 13.695 us; 6 x 7168 x 384.9 x 8 = 132.43 Mflop over
 * 0.317 x 1,979e6 are 0.2111 us; their 1.217-norm 13.765 + 36.58 = 50.345 us a layer.
 * 64 tokens, tp 8, ep 8 (whole experts, 32 on a rank): 32 (1 - (248/256)^64) = 27.805 experts in
 * the mean, on the busiest of 8 ranks sqrt(2 ln 8 x 27.805 (1 - 27.805/32)) = 3.893 more; 64 x 8/8
 * = 64 rows, on the busiest 15.261 more: 1,486,502,528 B are 306.319 us, 6 x 7168 x 2176.9 x 79.261
 * x 8^0.398 = 16,977.6 Mflop are 27.063 us; their 1.217-norm 319.393 + 36.58 us a layer.
 */
static void padded_experts(void **state)
{
    struct rig *rig = *state;
    struct library lib;
    struct problem problem = deepseek(rig, &lib, &PADDED);
    problem.dep.tp = 8;
    struct step step = rig_decode(problem, 1, 1000);
    const struct class_cost *cost = &step.classes[CLASS_MOE_EXPERT_GEMM];
    assert_near(cost->time_us, 58 * 50.34462527, 1e-7);
    assert_near(cost->fixed_us, 58 * 36.58, 1e-9);
    /* What is reported is what is there: 8 shards of 3 x 7168 x 256, and the floor reads them. */
    assert_near(cost->bytes, 58 * 8 * 3 * 7168.0 * 256, 1e-9);
    assert_near(cost->flops, 58 * 8 * 6 * 7168.0 * 256, 1e-9);
    assert_near(cost->floor_us, cost->bytes / 4.8e6, 1e-9);
    assert_int_equal(cost->match, FIT_EXACT);
    assert_int_equal(cost->basis, BASIS_CALIBRATED);
    problem.dep.ep = 8;
    step = rig_decode(problem, 64, 1000);
    cost = &step.classes[CLASS_MOE_EXPERT_GEMM];
    assert_near(cost->time_us, 58 * 355.97292213, 1e-7);
    assert_near(cost->flops, 58 * 64 * 6 * 7168.0 * 2048, 1e-9);
    /* The plain form of the same figures: no padding, no measured imbalance. */
    struct op_fit plain = PADDED;
    plain.form = FIT_FORM_ROOFLINE;
    plain.pad_columns = plain.ep_gamma = 0;
    problem = deepseek(rig, &lib, &plain);
    problem.dep.tp = problem.dep.ep = 8;
    step = rig_decode(problem, 64, 1000);
    /* 31.6987 x 3 x 7168 x 2048 + 64 x (14,336 + 6,144) x 2 = 1,398,638,009 B are 288.213 us, flops
     * 6,981.3 M are 11.128 us: (288.213^1.217 + 11.128^1.217)^(1/1.217) = 292.718. */
    assert_near(step.classes[CLASS_MOE_EXPERT_GEMM].time_us, 58 * (292.717929 + 36.58), 1e-7);
}

/* A step's weakest record: another part's experts are a tenth of it or more. */
static void weakest_record(void **state)
{
    struct rig *rig = *state;
    struct problem problem = rig_llama(rig);
    assert_int_equal(rig_decode(problem, 1, 1000).weakest_match, FIT_EXACT);
    problem.dep.version[1] = 19;
    assert_int_equal(rig_decode(problem, 1, 1000).weakest_match, FIT_OTHER_VERSION);
    /* fp8 KV has no fit among the sample's: 1 % of a step at 2,000 tokens, 5 % at 10,000. */
    problem.dep.kv_cache = &rig->sample->kv[1];
    assert_int_equal(rig_decode(problem, 1, 2000).weakest_match, FIT_OTHER_VERSION);
    assert_int_equal(rig_decode(problem, 1, 10000).weakest_match, FIT_NONE);
    problem.hw = &rig->parts[RIG_A100];
    assert_int_equal(rig_decode(problem, 1, 1000).weakest_match, FIT_NONE);
    /* A neighbour's kernels, in shares of this part's bandwidth: 3,350 against 4,800 GB/s. */
    struct neighbours near[] = {{.n = 0}, {.n = 0}, {{SAMPLE_H100}, 1}};
    struct library lib = rig->sample->lib;
    lib.neighbours = near;
    problem = sample_problem(rig->sample, SAMPLE_LLAMA_8B, SAMPLE_RTX5090);
    problem.lib = &lib;
    struct step step = rig_decode(problem, 1, 1000);
    assert_int_equal(step.weakest_match, FIT_OTHER_PART);
    assert_true(!isnan(step.expected_us));
    struct step own = rig_decode(rig_llama(rig), 1, 1000);
    assert_near(step.classes[CLASS_DENSE_GEMM].memory_us / own.classes[CLASS_DENSE_GEMM].memory_us,
                3350.0 / 1792, 1e-9);
    assert_near(step.classes[CLASS_DENSE_GEMM].fixed_us, own.classes[CLASS_DENSE_GEMM].fixed_us,
                1e-9);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(padded_experts),
        cmocka_unit_test(weakest_record),
    };
    return cmocka_run_group_tests(tests, rig_setup, rig_teardown);
}
