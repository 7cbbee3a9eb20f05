/* The plan as a whole: depths, estimates against floors, warnings. */
#include "plan.h"

#include <string.h>

#include "check.h"
#include "sample_rig.h"

/* A plan is large: it lives outside the stack of a test. */
static struct plan plan;

static const struct plan *plan_of(struct problem problem, enum plan_depth depth)
{
    memset(&plan, 0xa5, sizeof(plan));
    plan_compute(&problem, depth, &plan);
    return &plan;
}

static const struct warning *warning_of(enum warning_id id, const char *name)
{
    for (int i = 0; i < plan.n_warnings; i++)
        if (plan.warnings[i].id == id &&
            (name == NULL || (plan.warnings[i].name && strcmp(plan.warnings[i].name, name) == 0)))
            return &plan.warnings[i];
    return NULL;
}

/* Bare has steps, memory, regime and estimates; summary adds cures and warnings, full the moves. */
static void depths(void **state)
{
    struct problem problem = rig_llama(*state);
    plan_of(problem, PLAN_BARE);
    assert_int_equal(plan.n_results + plan.n_moves + plan.n_warnings, 0);
    assert_true(isnan(plan.max_request_rate.expected));
    assert_int_equal(plan.max_request_rate.basis, BASIS_NO_RECORD);
    assert_int_equal(plan.regime, REGIME_WEIGHT_BANDWIDTH);
    double tpot = plan.tpot_ms.expected;
    plan_of(problem, PLAN_SUMMARY);
    assert_true(plan.n_results > 0);
    assert_int_equal(plan.n_moves, 0);
    assert_true(plan.max_request_rate.expected > 0);
    assert_near(plan.tpot_ms.expected, tpot, 0);
    plan_of(problem, PLAN_FULL);
    assert_int_equal(plan.n_moves, 13);
    assert_near(plan.tpot_ms.expected, tpot, 0);
    assert_ptr_equal(plan.problem.model, problem.model);
}

/* One user of the 8B: what the cycle says, in milliseconds and tokens a second. */
static void estimates(void **state)
{
    struct problem problem = rig_llama(*state);
    struct core core = rig_core(problem);
    plan_of(problem, PLAN_SUMMARY);
    assert_near(plan.ttft_ms.expected, core.prefill.time_us / 1e3, 1e-12);
    /* Over a life the mean context is that of the decode step, within a token. */
    assert_near(plan.e2e_ms.expected, (255 * core.decode.time_us + core.prefill.time_us) / 1e3,
                1e-4);
    assert_near(plan.e2e_ms.expected, plan.ttft_ms.expected + 255 * plan.tpot_ms.expected, 1e-12);
    assert_near(plan.requests_s.expected, 1e3 / plan.e2e_ms.expected, 1e-9);
    assert_near(plan.output_tok_s.expected, 256 * plan.requests_s.expected, 1e-12);
    assert_near(plan.per_user_tok_s.expected, 1e3 / plan.tpot_ms.expected, 1e-12);
    assert_int_equal(plan.ttft_ms.basis, BASIS_CALIBRATED);
    assert_true(isnan(plan.ttft_ms.low) && isnan(plan.ttft_ms.high));
    assert_near(plan.decode_cycle_us, 255 * core.decode.time_us, 1e-12);
    assert_near(plan.prefill_cycle_us, core.prefill.time_us, 1e-12);
    /* Two replicas of eight users each. */
    problem.load.concurrency = 16;
    problem.dep.replicas = 2;
    double pair = plan_of(problem, PLAN_BARE)->output_tok_s.expected;
    problem.load.concurrency = 8;
    problem.dep.replicas = 1;
    assert_near(pair, 2 * plan_of(problem, PLAN_BARE)->output_tok_s.expected, 1e-12);
}

/* A floor bounds: latency from below, rates from above. With speculation a step gains 2.533. */
static void floors(void **state)
{
    struct problem problem = rig_llama(*state);
    problem.load.concurrency = 64;
    for (int spec = 0; spec < 2; spec++) {
        problem.dep.spec_method = spec == 1 ? SPEC_EAGLE3 : SPEC_NONE;
        problem.dep.spec_tokens = 3;
        plan_of(problem, PLAN_SUMMARY);
        assert_true(plan.ttft_ms.floor <= plan.ttft_ms.expected);
        assert_true(plan.tpot_ms.floor <= plan.tpot_ms.expected);
        assert_true(plan.e2e_ms.floor <= plan.e2e_ms.expected);
        assert_true(plan.requests_s.floor >= plan.requests_s.expected);
        assert_true(plan.output_tok_s.floor >= plan.output_tok_s.expected);
        assert_true(plan.per_user_tok_s.floor >= plan.per_user_tok_s.expected);
        assert_true(plan.max_request_rate.floor >= plan.max_request_rate.expected);
        double gain = spec == 1 ? 2.533 : 1;
        assert_near(plan.tpot_ms.floor * 1e3 * gain, plan.decode.floor_us, 1e-9);
    }
}

/* No record: the floors stand alone and every figure that would be a prediction is none. */
static void without_records(void **state)
{
    struct problem problem = rig_llama(*state);
    problem.hw = &((struct rig *)*state)->parts[RIG_A100];
    plan_of(problem, PLAN_SUMMARY);
    const struct estimate *estimates[] = {
        &plan.ttft_ms,      &plan.tpot_ms,        &plan.e2e_ms,          &plan.requests_s,
        &plan.output_tok_s, &plan.per_user_tok_s, &plan.max_request_rate};
    for (size_t i = 0; i < ARRAY_LEN(estimates); i++) {
        assert_true(isnan(estimates[i]->expected));
        assert_int_equal(estimates[i]->basis, BASIS_NO_RECORD);
        assert_true(estimates[i]->floor > 0);
    }
    assert_non_null(warning_of(WARN_NO_FIT, "dense_gemm"));
    assert_non_null(warning_of(WARN_NO_FIT, "decode_attention"));
    assert_int_equal(plan.regime, REGIME_WEIGHT_BANDWIDTH);
}

/* Trap: latencies for something that does not fit. 141 GB of weights on one card: floors only. */
static void what_cannot_run(void **state)
{
    struct rig *rig = *state;
    plan_of(sample_problem(rig->sample, SAMPLE_LLAMA_70B, SAMPLE_H100), PLAN_SUMMARY);
    assert_false(plan.memory.fits);
    assert_int_equal(plan.regime, REGIME_CAPACITY);
    assert_true(isnan(plan.tpot_ms.expected) && isnan(plan.output_tok_s.expected));
    assert_true(isnan(plan.max_request_rate.expected));
    assert_non_null(warning_of(WARN_WEIGHTS_DO_NOT_FIT, NULL));
    /* The step itself is known all the same. */
    assert_true(plan.decode.expected_us > 0);
}

/* The largest rate is that of a full pool, and an open loop beyond it is saturated. */
static void saturation(void **state)
{
    struct problem problem = rig_llama(*state);
    plan_of(problem, PLAN_SUMMARY);
    double most = plan.max_request_rate.expected;
    problem.load.concurrency = 1e6;
    assert_near(plan_of(problem, PLAN_SUMMARY)->requests_s.expected, most, 1e-9);
    problem.load.request_rate = 2 * most;
    plan_of(problem, PLAN_SUMMARY);
    const struct warning *warning = warning_of(WARN_SATURATED, NULL);
    assert_non_null(warning);
    assert_near(warning->value[0], 2 * most, 1e-12);
    assert_near(warning->value[1], most, 1e-9);
    problem.load.request_rate = most / 2;
    plan_of(problem, PLAN_SUMMARY);
    assert_null(warning_of(WARN_SATURATED, NULL));
    assert_near(plan.requests_s.expected, most / 2, 1e-12);
}

struct warning_case {
    enum warning_id id;
    const char *name;
    double first, second;
};

static void expect_warning(struct problem problem, struct warning_case want)
{
    plan_of(problem, PLAN_SUMMARY);
    const struct warning *got = warning_of(want.id, want.name);
    if (got == NULL)
        fail_msg("no warning %d", (int)want.id);
    else if (!isnan(want.first)) {
        assert_near(got->value[0], want.first, 1e-3);
        assert_near(got->value[1], want.second, 1e-3);
    }
}

/* Every warning, by a deployment that earns it; the plain one earns none. */
static void memory_warnings(void **state)
{
    struct rig *rig = *state;
    struct problem problem = rig_llama(rig);
    assert_int_equal(plan_of(problem, PLAN_SUMMARY)->n_warnings, 0);
    problem.load.input_tokens = 500000;
    expect_warning(problem, (struct warning_case){WARN_REQUEST_DOES_NOT_FIT, NULL, 500256, 443872});
    expect_warning(problem, (struct warning_case){WARN_TOO_LONG, NULL, 500256, 131072});
    problem = rig_llama(rig);
    problem.load.concurrency = 1000;
    problem.load.input_tokens = 8192;
    problem.load.output_tokens = 1;
    /* 8,192.55 tokens are 513 blocks: 8,208 x 131,072 B of 58.18 GB: 54 sequences. */
    expect_warning(problem, (struct warning_case){WARN_QUEUEING, NULL, 54, 1000});
    assert_int_equal(plan.regime, REGIME_CAPACITY);
    problem = rig_llama(rig);
    problem.dep.max_num_seqs = 16;
    problem.load.concurrency = 20;
    expect_warning(problem, (struct warning_case){WARN_MAX_NUM_SEQS, NULL, 16, 20});
    assert_int_not_equal(plan.regime, REGIME_CAPACITY);
    problem = rig_llama(rig);
    problem.dep.memory_utilization = 0.1;
    /* 16.061 + 0.034 (rotary table) + 2.017 + 0.268 GB of 8.503. */
    expect_warning(problem, (struct warning_case){WARN_WEIGHTS_DO_NOT_FIT, NULL, 18.380, 8.503});
}

static void shape_warnings(void **state)
{
    struct rig *rig = *state;
    struct problem problem = rig_llama(rig);
    problem.dep.tp = 3;
    expect_warning(problem, (struct warning_case){WARN_TP_DOES_NOT_DIVIDE, NULL, 3, 32});
    problem.dep.tp = 16;
    expect_warning(problem, (struct warning_case){WARN_KV_HEADS_REPLICATED, NULL, 16, 8});
    expect_warning(problem, (struct warning_case){WARN_TP_OVER_FABRIC, NULL, 16, 8});
    problem.dep.tp = 1;
    problem.dep.pp = 5;
    expect_warning(problem, (struct warning_case){WARN_PP_DOES_NOT_DIVIDE, NULL, 5, 32});
    problem = sample_problem(rig->sample, SAMPLE_DEEPSEEK_V3, SAMPLE_H200);
    problem.dep.tp = 8;
    expect_warning(problem, (struct warning_case){WARN_MLA_REPLICATED, NULL, 8, 0});
    assert_null(warning_of(WARN_KV_HEADS_REPLICATED, NULL));
    problem.dep.ep = 6;
    expect_warning(problem, (struct warning_case){WARN_EP_DOES_NOT_DIVIDE, NULL, 6, 256});
    problem = rig_problem(rig, SHAPE_MAMBA);
    problem.dep.tp = 3;
    plan_of(problem, PLAN_SUMMARY);
    assert_null(warning_of(WARN_TP_DOES_NOT_DIVIDE, NULL));
}

static void record_warnings(void **state)
{
    struct rig *rig = *state;
    struct problem problem = rig_llama(rig);
    problem.hw = &rig->parts[RIG_A100];
    problem.dep.weights = &rig->sample->weights[SAMPLE_FP8];
    expect_warning(problem, (struct warning_case){WARN_EMULATED, "fp8", 0, 0});
    problem.hw = &rig->parts[RIG_NO_LINK];
    problem.dep.weights = &rig->sample->weights[SAMPLE_BF16];
    problem.dep.tp = 2;
    expect_warning(problem, (struct warning_case){WARN_NO_LINK, NULL, 0, 0});
    problem = rig_llama(rig);
    problem.lib = &rig->linked;
    problem.dep.tp = 2;
    problem.dep.chunked_prefill_tokens = 0;
    problem.load.input_tokens = 70000;
    expect_warning(problem, (struct warning_case){WARN_EXTRAPOLATED, "collective", 0, 0});
    problem = rig_llama(rig);
    problem.dep.spec_method = SPEC_EAGLE3;
    problem.dep.spec_tokens = 3;
    expect_warning(problem, (struct warning_case){WARN_SPECULATIVE_ASSUMED, NULL, 0.7, 0});
    problem = rig_llama(rig);
    struct hardware peakless = *problem.hw;
    for (int i = 0; i < DTYPE_COUNT; i++)
        peakless.peak_flops_us[i] = 0;
    problem.hw = &peakless;
    expect_warning(problem, (struct warning_case){WARN_NO_PEAK, NULL, 0, 0});
    problem = rig_llama(rig);
    problem.dep.shared_prefix_kernel = true;
    problem.dep.prefix_caching = false;
    expect_warning(problem, (struct warning_case){WARN_SHARED_PREFIX, NULL, 0, 0});
    problem.dep.kv_tier = KV_TIER_DISK;
    plan_of(problem, PLAN_SUMMARY);
    assert_null(warning_of(WARN_SHARED_PREFIX, NULL));
    assert_null(warning_of(WARN_NO_PEAK, NULL));
    struct op_fit fast = rig->sample->fits[0];
    struct library lib = rig->sample->lib;
    fast = (struct op_fit){.id = 1,
                           .hardware = SAMPLE_H100,
                           .engine = SAMPLE_VLLM,
                           .version = {0, 24, 0},
                           .op = FIT_GEMM,
                           .dtype = FIT_BF16,
                           .e_m = 1.1,
                           .e_c = 1,
                           .q = 12};
    lib.op_fits = &fast;
    lib.n_op_fits = 1;
    problem = rig_llama(rig);
    problem.lib = &lib;
    expect_warning(problem, (struct warning_case){WARN_CLAMPED, "a decode class", NAN, 0});
}

/* The table of warnings is full at most: the deployment that earns most of them. */
static void many_warnings(void **state)
{
    struct rig *rig = *state;
    struct problem problem = sample_problem(rig->sample, SAMPLE_DEEPSEEK_V3, SAMPLE_H100);
    problem.hw = &rig->parts[RIG_A100];
    problem.dep.weights = &rig->sample->weights[SAMPLE_FP8_BLOCK];
    problem.dep.tp = 3;
    problem.dep.dp = 5;
    problem.dep.pp = 7;
    problem.dep.ep = 7;
    problem.dep.max_num_seqs = 1;
    problem.dep.max_model_len = 10;
    problem.dep.spec_method = SPEC_MTP;
    problem.dep.spec_tokens = 3;
    problem.load.request_rate = 1e6;
    plan_of(problem, PLAN_SUMMARY);
    assert_true(plan.n_warnings > 8 && plan.n_warnings <= WARNINGS_MAX);
    for (int i = 0; i < plan.n_warnings; i++)
        for (int j = 0; j < i; j++)
            assert_false(plan.warnings[i].id == plan.warnings[j].id &&
                         plan.warnings[i].name == plan.warnings[j].name);
}

/* Trap: a prefix hit changes the prefill alone; the answer's steps stay. */
static void prefix(void **state)
{
    struct problem problem = rig_llama(*state);
    problem.load.input_tokens = 8192;
    double decode = plan_of(problem, PLAN_BARE)->decode.time_us, ttft = plan.ttft_ms.expected;
    problem.load.cached_prefix_tokens = 8000;
    assert_near(plan_of(problem, PLAN_BARE)->decode.time_us, decode, 0);
    assert_true(plan.ttft_ms.expected < 0.3 * ttft);
    /* A prompt that is cached whole still computes its last token. */
    problem.load.cached_prefix_tokens = 8192;
    assert_near(plan_of(problem, PLAN_BARE)->prefill.tokens, 1, 0);
    assert_near(plan.prefill.context_tokens, 8192, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(depths),          cmocka_unit_test(estimates),
        cmocka_unit_test(floors),          cmocka_unit_test(without_records),
        cmocka_unit_test(what_cannot_run), cmocka_unit_test(saturation),
        cmocka_unit_test(memory_warnings), cmocka_unit_test(shape_warnings),
        cmocka_unit_test(record_warnings), cmocka_unit_test(many_warnings),
        cmocka_unit_test(prefix),
    };
    return cmocka_run_group_tests(tests, rig_setup, rig_teardown);
}
