/* The regimes: the named cases, and the rules that choose. */
#include "check.h"
#include "cures.h"
#include "moves.h"
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

static void expect_regime(struct problem problem, enum regime_id want)
{
    struct core core = core_of(problem);
    if (core.regime != want) {
        print_error("got %s through %s, want %s\n", regime_name(core.regime),
                    class_name(core.dominant.class), regime_name(want));
        for (int i = 0; i < PART_COUNT; i++)
            print_error("part %d: decode %.1f us, prefill %.1f us\n", i, core.decode.parts_us[i],
                        core.prefill.parts_us[i]);
        print_error("decode %.0f us prefill %.0f us cycle\n", core.cycle.decode_us,
                    core.cycle.prefill_us);
        fail();
    }
}

/* llama-server, RTX 5090, Qwen2.5-7B F16, 512 in 128 out: 705.9 tok/s with 32 slots, 1,045.8 with
 * device sampling (+48 %); GPU busy 41 %. One slot: 100.1 tok/s, bandwidth. */
static void host_bound_batch(void **state)
{
    (void)state;
    struct problem problem = sample_llama_server(sample, SAMPLE_QWEN25_7B, SAMPLE_RTX5090, 32);
    problem.load.input_tokens = 512;
    problem.load.output_tokens = 128;
    expect_regime(problem, REGIME_HOST_BOUND_BATCH);
    struct core core = core_of(problem);
    assert_int_equal(core.dominant.class, CLASS_HOST_SAMPLING);
    assert_near(core.cycle.requests_us * 128 * US_PER_S, 705.9, 0.15);
    struct cure_result results[CURES_MAX];
    int n = cures_find(&problem, &core, results);
    assert_true(n > 0);
    assert_string_equal(cure_info(results[0].cure)->id, "device_sampling");
    assert_near(results[0].output_tok_s, 0.4815, 0.25);
    problem = sample_llama_server(sample, SAMPLE_QWEN25_7B, SAMPLE_RTX5090, 1);
    problem.load.input_tokens = 512;
    problem.load.output_tokens = 128;
    expect_regime(problem, REGIME_WEIGHT_BANDWIDTH);
}

static void small_model_host(void **state)
{
    (void)state;
    expect_regime(sample_problem(sample, SAMPLE_QWEN3_06B, SAMPLE_H100), REGIME_SMALL_MODEL_HOST);
    expect_regime(sample_problem(sample, SAMPLE_LLAMA_8B, SAMPLE_H100), REGIME_WEIGHT_BANDWIDTH);
}

/* 32k in: 1.24 s of prefill against 64 x 7.9 ms; against 1,024 x 7.9 ms it is decode. */
static void prefill_compute(void **state)
{
    (void)state;
    struct problem problem = sample_problem(sample, SAMPLE_LLAMA_8B, SAMPLE_H100);
    problem.load.input_tokens = 32768;
    problem.load.output_tokens = 64;
    expect_regime(problem, REGIME_PREFILL_COMPUTE);
    problem.load.output_tokens = 1024;
    assert_int_not_equal(core_of(problem).regime, REGIME_PREFILL_COMPUTE);
}

/* 256 x 1.5k tokens of KV are 51.5 GB against 15 GB of weights. */
static void kv_bandwidth(void **state)
{
    (void)state;
    struct problem problem = sample_problem(sample, SAMPLE_LLAMA_8B, SAMPLE_H200);
    problem.load.concurrency = 256;
    problem.load.input_tokens = problem.load.output_tokens = 1024;
    expect_regime(problem, REGIME_KV_BANDWIDTH);
    assert_int_equal(core_of(problem).dominant.class, CLASS_DECODE_ATTENTION);
}

static void experts(void **state)
{
    (void)state;
    struct problem problem = sample_problem(sample, SAMPLE_DEEPSEEK_V3, SAMPLE_H200);
    problem.dep.weights = &sample->weights[SAMPLE_FP8_BLOCK];
    problem.dep.tp = 8;
    problem.load.concurrency = 64;
    expect_regime(problem, REGIME_WEIGHT_BANDWIDTH);
    assert_int_equal(core_of(problem).dominant.class, CLASS_MOE_EXPERT_GEMM);
}

/* 70B in fp8: 512 x (8k + 256) tokens need 10 times the pool of two H100. */
static void capacity(void **state)
{
    (void)state;
    struct problem problem = sample_problem(sample, SAMPLE_LLAMA_70B, SAMPLE_H100);
    problem.dep.weights = &sample->weights[SAMPLE_FP8];
    problem.dep.tp = 2;
    problem.load.concurrency = 512;
    problem.load.input_tokens = 8192;
    expect_regime(problem, REGIME_CAPACITY);
    /* Weights that do not fit at all: 141 GB of bf16 on one part. */
    problem = sample_problem(sample, SAMPLE_LLAMA_70B, SAMPLE_H100);
    expect_regime(problem, REGIME_CAPACITY);
    assert_false(core_of(problem).memory.fits);
}

/* A prefix hit takes prefill away and leaves decode as it was. */
static void prefix_leaves_decode(void **state)
{
    (void)state;
    struct problem problem = sample_problem(sample, SAMPLE_LLAMA_8B, SAMPLE_H100);
    problem.load.input_tokens = 8192;
    struct core before = core_of(problem);
    problem.load.cached_prefix_tokens = 6144;
    struct core after = core_of(problem);
    assert_near(after.decode.time_us, before.decode.time_us, 0);
    assert_true(after.prefill.time_us < 0.5 * before.prefill.time_us);
    /* The new quarter still attends to the cached part: 2,048 x 6,144 + 2,048^2 / 2 pairs. */
    assert_near(after.prefill.attention_flops,
                4.0 * 32 * 128 * 32 * (2048.0 * 6144 + 2048.0 * 1024), 1e-9);
    problem.dep.prefix_caching = false;
    assert_near(core_of(problem).prefill.time_us, before.prefill.time_us, 1e-9);
}

/* Shares are parts of the critical path: they sum to one, host classes by their exposed part. */
static void shares_sum_to_one(void **state)
{
    (void)state;
    struct problem problems[] = {
        sample_problem(sample, SAMPLE_LLAMA_8B, SAMPLE_H100),
        sample_problem(sample, SAMPLE_QWEN3_06B, SAMPLE_H100),
        sample_llama_server(sample, SAMPLE_QWEN25_7B, SAMPLE_RTX5090, 32),
        sample_problem(sample, SAMPLE_DEEPSEEK_V3, SAMPLE_H200),
    };
    problems[1].load.concurrency = 256;
    problems[1].dep.cuda_graphs = false;
    problems[3].dep.dp = problems[3].dep.ep = 8;
    for (size_t i = 0; i < ARRAY_LEN(problems); i++) {
        struct core core = core_of(problems[i]);
        double decode = 0, prefill = 0, parts = 0;
        for (int j = 0; j < CLASS_COUNT; j++) {
            decode += core.decode.classes[j].share;
            prefill += core.prefill.classes[j].share;
            assert_true(core.decode.classes[j].time_us >= core.decode.classes[j].floor_us);
            assert_true(core.decode.classes[j].time_us >= core.decode.classes[j].fixed_us);
        }
        for (int j = 0; j < PART_COUNT; j++)
            parts += core.decode.parts_us[j];
        assert_near(decode, 1, 1e-9);
        assert_near(prefill, 1, 1e-9);
        assert_near(parts, core.decode.device_us + core.decode.exposed_host_us, 1e-9);
    }
}

/* Asynchronous scheduling hides host work behind a longer device step; serial scheduling adds it.
 */
static void host_exposure(void **state)
{
    (void)state;
    struct problem problem = sample_problem(sample, SAMPLE_LLAMA_8B, SAMPLE_H100);
    problem.load.concurrency = 64;
    struct core hidden = core_of(problem);
    assert_near(hidden.decode.exposed_host_us, 0, 0);
    problem.dep.async_scheduling = false;
    struct core added = core_of(problem);
    /* 150 us and 64 x 8.65 us. */
    assert_near(added.decode.exposed_host_us, 150 + 64 * 8.65, 1e-9);
    assert_near(added.decode.time_us, hidden.decode.time_us + 150 + 64 * 8.65, 1e-9);
}

static struct move find_move(const struct move *moves, int n, const char *axis, bool upward)
{
    for (int i = 0; i < n; i++)
        if (strcmp(moves[i].axis, axis) == 0 && moves[i].upward == upward)
            return moves[i];
    fail_msg("no move along %s", axis);
    return moves[0];
}

/* Where a move says the regime changes, it has changed there and not just before. */
static void moves_hold(void **state)
{
    (void)state;
    struct problem problem = sample_problem(sample, SAMPLE_LLAMA_8B, SAMPLE_H200);
    problem.load.input_tokens = 4096;
    problem.load.output_tokens = 1024;
    struct prepared prep;
    prepare(&problem, NULL, &prep);
    struct core core = core_of(problem);
    struct move moves[MOVES_MAX];
    int n = moves_find(&problem, &prep, &core, moves);
    struct move more = find_move(moves, n, "concurrency", true);
    assert_true(more.at > 0);
    struct problem there = problem;
    there.load.concurrency = more.at;
    assert_int_equal(core_of(there).regime, more.to_regime);
    assert_int_not_equal(core_of(there).regime, core.regime);
    there.load.concurrency = floor(more.at / 1.02) - 1;
    assert_int_equal(core_of(there).regime, core.regime);
    struct move longer = find_move(moves, n, "context", true);
    there = problem;
    there.load.input_tokens = longer.at;
    assert_int_equal(core_of(there).regime, longer.to_regime);
    /* One user cannot become fewer. */
    assert_true(isnan(find_move(moves, n, "concurrency", false).at));
    assert_true(find_move(moves, n, "sampler", true).to_text == NULL);
}

/* The seed's host-only controls are always listed, as cures or not. */
static void controls_are_listed(void **state)
{
    (void)state;
    struct problem problem = sample_llama_server(sample, SAMPLE_QWEN25_7B, SAMPLE_RTX5090, 32);
    problem.load.input_tokens = 512;
    problem.load.output_tokens = 128;
    struct core core = core_of(problem);
    struct cure_result results[CURES_MAX];
    int n = cures_find(&problem, &core, results);
    int controls = 0;
    for (int i = 0; i < n; i++) {
        const struct cure_info *info = cure_info(results[i].cure);
        controls += info->control ? 1 : 0;
        if (strcmp(info->id, "more_slots") == 0 || strcmp(info->id, "http_threads") == 0) {
            assert_false(results[i].is_cure);
            assert_near(results[i].output_tok_s, 0, 0);
        }
        assert_true(results[i].is_cure == (results[i].rank > 0));
    }
    assert_int_equal(controls, 4);
}

/* Half the weight bytes: the step shrinks by nearly half at one user, KV and fixed parts stay. */
static void fp8_halves_weights(void **state)
{
    (void)state;
    struct problem problem = sample_problem(sample, SAMPLE_LLAMA_8B, SAMPLE_H100);
    struct core core = core_of(problem);
    struct cure_result results[CURES_MAX];
    int n = cures_find(&problem, &core, results);
    for (int i = 0; i < n; i++)
        if (strcmp(cure_info(results[i].cure)->id, "fp8_weights") == 0) {
            assert_true(results[i].is_cure);
            assert_in_range((uintmax_t)(-results[i].tpot * 100), 25, 50);
            assert_true(results[i].memory < -0.3);
            return;
        }
    fail_msg("fp8_weights is not listed");
}

/* Open loop: N = rate x cycle; past the largest batch it is saturated. */
static void open_loop(void **state)
{
    (void)state;
    struct problem problem = sample_problem(sample, SAMPLE_LLAMA_8B, SAMPLE_H100);
    problem.load.request_rate = 2;
    struct core core = core_of(problem);
    assert_false(core.cycle.saturated);
    assert_near(core.cycle.concurrency, 2 * core.cycle.cycle_us / US_PER_S, 0.02);
    problem.load.request_rate = 1e6;
    assert_true(core_of(problem).cycle.saturated);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(host_bound_batch),
        cmocka_unit_test(small_model_host),
        cmocka_unit_test(prefill_compute),
        cmocka_unit_test(kv_bandwidth),
        cmocka_unit_test(experts),
        cmocka_unit_test(capacity),
        cmocka_unit_test(prefix_leaves_decode),
        cmocka_unit_test(shares_sum_to_one),
        cmocka_unit_test(host_exposure),
        cmocka_unit_test(moves_hold),
        cmocka_unit_test(controls_are_listed),
        cmocka_unit_test(fp8_halves_weights),
        cmocka_unit_test(open_loop),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
