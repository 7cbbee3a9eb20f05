/*
 * Signs out of figures: each threshold from both sides, series, what logs say, and the figures
 * beside a budget. Thresholds are those that symptoms_observed.c and symptoms_plan.c state; budgets
 * are the plan's own for the sample library.
 */
#include "symptoms_read.h"

#include <string.h>

#include "check.h"
#include "sample_rig.h"

/* Large: outside the stack of a test. */
static struct symptoms symptoms;
static struct observed observed;
static struct plan plan;

static void clear(void)
{
    memset(&symptoms, 0, sizeof(symptoms));
    observed_init(&observed);
}

static bool seen(enum sign_id id)
{
    return symptoms.signs[id].strength > 0;
}

static const struct {
    enum observed_id id;
    double value;
    enum sign_id sign;
    double other; /* a value that does not show it */
} ROWS[] = {
    {OBS_GPU_UTILIZATION, 0.2, SIGN_GPU_UNDERUSED, 0.8},
    {OBS_GPU_UTILIZATION, 0.97, SIGN_GPU_BUSY, 0.8},
    {OBS_GPU_SM_ACTIVE, 0.1, SIGN_GPU_UNDERUSED, 0.5},
    {OBS_CPU_UTILIZATION, 1.0, SIGN_CPU_SATURATED, 0.5},
    {OBS_CPU_UTILIZATION, 0.1, SIGN_CPU_IDLE, 0.5},
    {OBS_CPU_CORES, 1.0, SIGN_CPU_SATURATED, 0.5},
    {OBS_CPU_CORES, 0.1, SIGN_CPU_IDLE, 0.5},
    {OBS_CPU_CORES_TOTAL, 2, SIGN_FEW_CORES, 64},
    {OBS_KV_USAGE, 0.99, SIGN_KV_FULL, 0.7},
    {OBS_KV_USAGE, 0.1, SIGN_KV_FREE, 0.7},
    {OBS_KV_USAGE_MAX, 0.99, SIGN_KV_FULL, 0.7},
    {OBS_PREFIX_HIT_RATE, 0.05, SIGN_PREFIX_MISSES, 0.4},
    {OBS_PREFIX_HIT_RATE, 0.9, SIGN_PREFIX_HITS, 0.4},
    {OBS_GPU_TEMPERATURE_C, 92, SIGN_HOT, 60},
    {OBS_SPEC_ACCEPTANCE, 0.3, SIGN_ACCEPTANCE_LOW, 0.8},
    {OBS_GRAPH_SHARE, 0.5, SIGN_GRAPHS_PARTLY, 1.0},
    {OBS_EVENT_LOOP_LAG_MS, 80, SIGN_API_CPU_GROWS, 1},
    {OBS_GC_FULL_PER_S, 1, SIGN_GC_SEEN, 0.01},
    {OBS_TTFT_MEAN_MS, 271200, SIGN_TTFT_HUGE, 400},
    {OBS_TTFT_P50_MS, 12000, SIGN_TTFT_HUGE, 400},
    {OBS_PREEMPTIONS, 2, SIGN_PREEMPTED, 0},
    {OBS_PREEMPTIONS, 0, SIGN_NO_PREEMPTION, 2},
    {OBS_PREEMPTIONS_PER_S, 0.1, SIGN_PREEMPTED, 0},
    {OBS_WAITING_CAPACITY, 3, SIGN_KV_FULL, 0},
    {OBS_WAITING, 740, SIGN_WAITING, 0},
    {OBS_WAITING, 0, SIGN_NOBODY_WAITS, 3},
    {OBS_RUNNING, 128, SIGN_LARGE_BATCH, 8},
    {OBS_RUNNING, 1, SIGN_SINGLE_STREAM, 8},
    {OBS_INPUT_TOKENS_MEAN, 20000, SIGN_LONG_PROMPTS, 900},
};

static void each_quantity_shows_its_sign(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(ROWS); i++) {
        clear();
        assert_true(observed_state(&observed, ROWS[i].id, ROWS[i].value));
        symptoms_of_observed(&observed, &symptoms);
        if (!seen(ROWS[i].sign))
            fail_msg("row %zu: %s is not seen", i, sign_name(ROWS[i].sign));
        clear();
        assert_true(observed_state(&observed, ROWS[i].id, ROWS[i].other));
        symptoms_of_observed(&observed, &symptoms);
        if (seen(ROWS[i].sign))
            fail_msg("row %zu: %s is seen", i, sign_name(ROWS[i].sign));
    }
}

/* Signs of two quantities. */
static const struct {
    enum observed_id a, b;
    double of_a, of_b;
    enum sign_id sign;
} PAIRS[] = {
    {OBS_RUNNING, OBS_MAX_RUNNING, 247, 256, SIGN_RUNNING_AT_CAP},
    {OBS_RUNNING, OBS_CONCURRENCY, 34, 384, SIGN_RUNNING_BELOW_ASKED},
    {OBS_STEP_HOST_MEAN_MS, OBS_STEP_DECODE_MEAN_MS, 6, 12, SIGN_GPU_GAPS},
    {OBS_ITL_P50_MS, OBS_ITL_P99_MS, 20, 900, SIGN_ITL_SPIKES},
    {OBS_ITL_P50_MS, OBS_ITL_P90_MS, 87, 114, SIGN_ITL_SPIKES},
    {OBS_TPOT_MEAN_MS, OBS_TPOT_P99_MS, 20, 900, SIGN_ITL_SPIKES},
    {OBS_TTFT_MEAN_MS, OBS_QUEUE_MEAN_MS, 4000, 3600, SIGN_WAITING},
    {OBS_TTFT_MEAN_MS, OBS_TRANSFER_MEAN_MS, 4000, 1800, SIGN_TRANSFER},
    {OBS_GPU_POWER_W, OBS_GPU_POWER_CAP_W, 120, 700, SIGN_POWER_LOW},
    {OBS_GPU_SM_CLOCK_MHZ, OBS_GPU_SM_CLOCK_MAX_MHZ, 628, 1560, SIGN_CLOCKS_LOW},
    {OBS_GPU_PCIE_WIDTH, OBS_GPU_PCIE_WIDTH_MAX, 4, 16, SIGN_HOST_LINK_BUSY},
    {OBS_GPU_LAYERS, OBS_MODEL_LAYERS, 42, 43, SIGN_LAYERS_ON_CPU},
};

static void two_quantities_show_a_sign(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(PAIRS); i++) {
        clear();
        assert_true(observed_state(&observed, PAIRS[i].a, PAIRS[i].of_a));
        assert_true(observed_state(&observed, PAIRS[i].b, PAIRS[i].of_b));
        symptoms_of_observed(&observed, &symptoms);
        if (!seen(PAIRS[i].sign))
            fail_msg("row %zu: %s is not seen", i, sign_name(PAIRS[i].sign));
    }
    /* At its limit and below its clock. */
    clear();
    (void)observed_state(&observed, OBS_GPU_POWER_W, 100);
    (void)observed_state(&observed, OBS_GPU_POWER_CAP_W, 100);
    (void)observed_state(&observed, OBS_GPU_POWER_DEFAULT_W, 140);
    symptoms_of_observed(&observed, &symptoms);
    assert_true(seen(SIGN_POWER_CAPPED));
    /* Clients are there, the engine has nothing. */
    clear();
    (void)observed_state(&observed, OBS_RUNNING, 0);
    (void)observed_state(&observed, OBS_WAITING, 0);
    (void)observed_state(&observed, OBS_CONCURRENCY, 64);
    symptoms_of_observed(&observed, &symptoms);
    assert_true(seen(SIGN_TEXT_ENGINE_IDLE));
}

static void tools_and_logs_show_signs(void **state)
{
    (void)state;
    clear();
    struct observed_gpu *gpu = observed_gpu_row(&observed, 0, NULL);
    gpu->throttle = THROTTLE_POWER_CAP | THROTTLE_HW_THERMAL;
    observed.link_best = LINK_PHB;
    observed_sign(&observed, SIGNAL_OUT_OF_MEMORY, FROM_LOG, "CUDA out of memory", NULL);
    observed_sign(&observed, SIGNAL_LORA_ON, FROM_LOG, "lora", NULL);
    (void)observed_set(&observed, OBS_KV_USAGE,
                       (struct observation){.value = 0.99, .from = FROM_LOG, .over = OVER_LINES});
    (void)observed_set(
        &observed, OBS_WAITING,
        (struct observation){.value = 9, .from = FROM_METRICS, .over = OVER_INSTANT});
    (void)observed_state(&observed, OBS_LORA_RUNNING, 2);
    (void)observed_state(&observed, OBS_SPEC_DRAFTED, 2);
    symptoms_of_observed(&observed, &symptoms);
    assert_true(seen(SIGN_POWER_CAPPED) && seen(SIGN_HOT) && seen(SIGN_NO_FABRIC));
    assert_true(seen(SIGN_OOM) && symptoms.topics[TOPIC_LORA].use > 0);
    assert_true(symptoms.topics[TOPIC_DRAFT].use > 0);
    assert_int_equal(symptoms.signs[SIGN_KV_FULL].origin, ORIGIN_LOG);
    assert_int_equal(symptoms.signs[SIGN_WAITING].origin, ORIGIN_METRICS);
    clear();
    observed.link_best = LINK_NVLINK;
    symptoms_of_observed(&observed, &symptoms);
    assert_true(seen(SIGN_FABRIC));
}

/* What an idle scrape says of now is no sign of a load; what is counted since the start is. */
static void an_idle_scrape_shows_no_load(void **state)
{
    const struct observation now = {.value = 0, .from = FROM_METRICS, .over = OVER_INSTANT};
    const struct observation life = {.value = 0, .from = FROM_METRICS, .over = OVER_LIFETIME};

    (void)state;
    for (int idle = 0; idle < 2; idle++) {
        clear();
        observed.idle = idle;
        (void)observed_set(&observed, OBS_KV_USAGE, now);
        (void)observed_set(&observed, OBS_WAITING, now);
        (void)observed_set(&observed, OBS_PREEMPTIONS, life);
        symptoms_of_observed(&observed, &symptoms);
        assert_int_equal(seen(SIGN_KV_FREE), !idle);
        assert_int_equal(seen(SIGN_NOBODY_WAITS), !idle);
        assert_true(seen(SIGN_NO_PREEMPTION));
    }
    observed.never_used = true;
    memset(&symptoms, 0, sizeof(symptoms));
    symptoms_of_observed(&observed, &symptoms);
    assert_false(seen(SIGN_NO_PREEMPTION));
}

/* Time per token 3 times at twice the load; throughput that stands and then falls. */
static void series_show_signs(void **state)
{
    (void)state;
    clear();
    (void)observed_add_point(&observed, SERIES_TPOT_MS, 8, 10);
    (void)observed_add_point(&observed, SERIES_TPOT_MS, 16, 30);
    (void)observed_add_point(&observed, SERIES_TTFT_MS, 8, 100);
    (void)observed_add_point(&observed, SERIES_TTFT_MS, 16, 4000);
    (void)observed_add_point(&observed, SERIES_OUTPUT_TOK_S, 8, 800);
    (void)observed_add_point(&observed, SERIES_OUTPUT_TOK_S, 16, 810);
    (void)observed_add_point(&observed, SERIES_OUTPUT_TOK_S, 32, 500);
    symptoms_of_observed(&observed, &symptoms);
    assert_true(seen(SIGN_TPOT_SUPERLINEAR) && seen(SIGN_TTFT_GROWS));
    assert_true(seen(SIGN_THROUGHPUT_FLAT) && seen(SIGN_THROUGHPUT_FALLS));
    clear();
    (void)observed_add_point(&observed, SERIES_TPOT_MS, 8, 10);
    (void)observed_add_point(&observed, SERIES_TPOT_MS, 16, 12);
    (void)observed_add_point(&observed, SERIES_OUTPUT_TOK_S, 8, 800);
    (void)observed_add_point(&observed, SERIES_OUTPUT_TOK_S, 16, 1300);
    symptoms_of_observed(&observed, &symptoms);
    assert_false(seen(SIGN_TPOT_SUPERLINEAR) || seen(SIGN_THROUGHPUT_FLAT));
    assert_false(seen(SIGN_THROUGHPUT_FALLS));
}

/* Nothing observed sets nothing. */
static void absence_shows_nothing(void **state)
{
    (void)state;
    clear();
    symptoms_of_observed(&observed, &symptoms);
    assert_false(symptoms_any(&symptoms));
}

static struct setup unknown_setup(void)
{
    return (struct setup){.devices = 1,
                          .concurrency = NAN,
                          .max_num_seqs = NAN,
                          .step_tokens = NAN,
                          .input_tokens = NAN,
                          .output_tokens = NAN,
                          .tp = NAN,
                          .gpu_layers = NAN,
                          .spec_tokens = NAN,
                          .logprobs = NAN};
}

static void a_setup_is_known_without_a_budget(void **state)
{
    const struct rig *rig = *state;
    struct setup setup = unknown_setup();
    clear();
    symptoms_of_setup(&setup, &observed, &symptoms);
    for (int i = 0; i < SIGN_COUNT; i++)
        assert_false(seen((enum sign_id)i));
    setup.max_num_seqs = 10;
    setup.concurrency = 100;
    setup.step_tokens = 700;
    setup.input_tokens = 30000;
    setup.tp = 2;
    setup.devices = 2;
    setup.hw = &rig->sample->hardware[SAMPLE_RTX5090];
    setup.engine = &rig->sample->engines[SAMPLE_VLLM];
    setup.spec_tokens = 3;
    setup.logprobs = 5;
    setup.graphs_off = setup.graphs_on = setup.serial_host = setup.lockstep = true;
    setup.guided = setup.penalties = setup.sorting = setup.adapters = true;
    symptoms_of_setup(&setup, &observed, &symptoms);
    assert_true(seen(SIGN_SEQS_CAPPED) && seen(SIGN_OFF_STRIDE) && seen(SIGN_NO_FABRIC));
    assert_true(seen(SIGN_CONSUMER_PART) && seen(SIGN_LONG_PROMPTS) && seen(SIGN_LONG_CONTEXT));
    assert_true(seen(SIGN_GRAPHS_OFF) && seen(SIGN_SERIAL_HOST) && seen(SIGN_LOCKSTEP));
    assert_true(seen(SIGN_DEVICE_SAMPLER));
    assert_false(symptoms_any(&symptoms)); /* none of it is a symptom */

    static const enum topic_id USED[] = {TOPIC_GUIDED, TOPIC_PENALTIES, TOPIC_SORTING,
                                         TOPIC_LORA,   TOPIC_LOGPROBS,  TOPIC_DRAFT,
                                         TOPIC_TP,     TOPIC_GRAPHS};

    for (size_t i = 0; i < ARRAY_LEN(USED); i++)
        assert_true(symptoms.topics[USED[i]].use > 0);
    clear();
    setup.hw = &rig->sample->hardware[SAMPLE_H100];
    setup.host_sampler = true;
    setup.max_num_seqs = 1;
    setup.step_tokens = 8224;
    symptoms_of_setup(&setup, &observed, &symptoms);
    assert_true(seen(SIGN_FABRIC) && seen(SIGN_HOST_SAMPLER) && seen(SIGN_LARGE_STEP));
    assert_true(seen(SIGN_SINGLE_STREAM));
    clear();
    setup.max_num_seqs = setup.concurrency = 300;
    symptoms_of_setup(&setup, &observed, &symptoms);
    assert_true(seen(SIGN_LARGE_BATCH) && seen(SIGN_OFF_STRIDE));
}

/* The setup of a plan with everything stated that the plan states. */
static struct setup planned(struct problem problem)
{
    struct setup setup = unknown_setup();
    plan_compute(&problem, PLAN_FULL, &plan);
    setup.plan = &plan;
    setup.engine = problem.dep.engine;
    setup.hw = problem.hw;
    setup.concurrency = problem.load.concurrency;
    setup.input_tokens = problem.load.input_tokens;
    return setup;
}

static void see_tpot(const struct setup *setup, double factor)
{
    clear();
    (void)observed_state(&observed, OBS_TPOT_MEAN_MS, plan.tpot_ms.expected * factor);
    symptoms_of_setup(setup, &observed, &symptoms);
}

static void figures_stand_beside_the_budget(void **state)
{
    const struct setup setup = planned(rig_llama(*state));
    see_tpot(&setup, 1.05);
    assert_true(seen(SIGN_TPOT_AT_BUDGET) && !seen(SIGN_TPOT_HIGH));
    assert_true(seen(SIGN_WEIGHT_SHARE));
    see_tpot(&setup, 4.0);
    assert_true(seen(SIGN_TPOT_HIGH) && !seen(SIGN_TPOT_AT_BUDGET));
    assert_near(symptoms.signs[SIGN_TPOT_HIGH].b, 4.0, 1e-9);
    clear();
    (void)observed_state(&observed, OBS_TPOT_P50_MS, plan.tpot_ms.floor * 1.1);
    symptoms_of_setup(&setup, &observed, &symptoms);
    assert_true(seen(SIGN_TPOT_AT_FLOOR));
    /* The same out of a throughput: one request, its time per token the rate's inverse. */
    clear();
    (void)observed_state(&observed, OBS_OUTPUT_TOK_S, 1e3 / plan.tpot_ms.expected / 4.0);
    symptoms_of_setup(&setup, &observed, &symptoms);
    assert_true(seen(SIGN_TPOT_HIGH));
    clear();
    (void)observed_state(&observed, OBS_OUTPUT_TOK_S_PER_USER, 1e3 / plan.tpot_ms.expected);
    symptoms_of_setup(&setup, &observed, &symptoms);
    assert_true(seen(SIGN_TPOT_AT_BUDGET));
    clear();
    (void)observed_state(&observed, OBS_TTFT_MEAN_MS, plan.ttft_ms.expected * 5);
    symptoms_of_setup(&setup, &observed, &symptoms);
    assert_true(seen(SIGN_TTFT_HIGH));
    clear();
    (void)observed_state(&observed, OBS_TTFT_P50_MS, plan.ttft_ms.expected);
    symptoms_of_setup(&setup, &observed, &symptoms);
    assert_true(seen(SIGN_TTFT_AT_BUDGET) && !seen(SIGN_TTFT_HIGH));
}

/* What a step takes without graphs, without overlap and with a host sampler is recognised. */
static void another_assumption_explains_a_time(void **state)
{
    const struct problem problem = rig_llama(*state);
    struct setup setup = planned(problem);
    struct problem other = problem;
    struct plan alone;
    other.dep.cuda_graphs = false;
    plan_compute(&other, PLAN_BARE, &alone);
    clear();
    (void)observed_state(&observed, OBS_TPOT_MEAN_MS, alone.tpot_ms.expected);
    symptoms_of_setup(&setup, &observed, &symptoms);
    assert_true(seen(SIGN_EAGER_FITS) || seen(SIGN_TPOT_AT_BUDGET));
    other = problem;
    other.load.concurrency = 64;
    setup = planned(other);
    other.dep.sampler = SAMPLER_HOST;
    plan_compute(&other, PLAN_BARE, &alone);
    clear();
    (void)observed_state(&observed, OBS_TPOT_MEAN_MS, alone.tpot_ms.expected);
    symptoms_of_setup(&setup, &observed, &symptoms);
    assert_true(seen(SIGN_HOST_SAMPLER_FITS));
}

static void a_pool_is_held_against_the_load(void **state)
{
    struct problem problem = rig_llama(*state);
    problem.load.concurrency = 5000;
    problem.load.input_tokens = 8000;
    struct setup setup = planned(problem);
    clear();
    symptoms_of_setup(&setup, &observed, &symptoms);
    assert_true(seen(SIGN_KV_CANNOT_HOLD));
    problem.load.concurrency = 4;
    problem.load.request_rate = 1e6;
    setup = planned(problem);
    clear();
    symptoms_of_setup(&setup, &observed, &symptoms);
    assert_true(seen(SIGN_KV_HOLDS) && seen(SIGN_SATURATED));
}

static void a_model_says_what_it_is(void **state)
{
    const struct rig *rig = *state;
    struct problem problem = rig_llama(rig);
    struct setup setup;
    problem.model = &rig->models[SHAPE_MIXTRAL];
    setup = planned(problem);
    clear();
    symptoms_of_setup(&setup, &observed, &symptoms);
    assert_true(seen(SIGN_MOE_MODEL) && seen(SIGN_TOO_LARGE) && !seen(SIGN_HYBRID_MODEL));
    problem.model = &rig->models[SHAPE_MISTRAL];
    problem.dep.weights = &rig->sample->weights[SAMPLE_AWQ];
    setup = planned(problem);
    clear();
    symptoms_of_setup(&setup, &observed, &symptoms);
    assert_true(seen(SIGN_HYBRID_MODEL) && seen(SIGN_WEIGHT_ONLY) && !seen(SIGN_MOE_MODEL));
    problem = rig_llama(rig);
    problem.model = &rig->sample->models[SAMPLE_QWEN3_06B];
    problem.hw = &rig->parts[RIG_A100];
    problem.dep.weights = &rig->sample->weights[SAMPLE_FP8];
    setup = planned(problem);
    clear();
    (void)observed_state(&observed, OBS_TPOT_MEAN_MS, plan.tpot_ms.floor * 9);
    (void)observed_state(&observed, OBS_TTFT_MEAN_MS, plan.ttft_ms.floor * 9);
    symptoms_of_setup(&setup, &observed, &symptoms);
    assert_true(seen(SIGN_SMALL_MODEL) && seen(SIGN_NO_NATIVE_PATH));
    assert_true(seen(SIGN_TPOT_HIGH) && seen(SIGN_TTFT_HIGH)); /* above the floor: no record here */
    problem = rig_llama(rig);
    problem.model = &rig->sample->models[SAMPLE_DEEPSEEK_V3];
    problem.dep.tp = 8;
    setup = planned(problem);
    clear();
    symptoms_of_setup(&setup, &observed, &symptoms);
    assert_true(seen(SIGN_LATENT_MODEL));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_quantity_shows_its_sign),
        cmocka_unit_test(two_quantities_show_a_sign),
        cmocka_unit_test(tools_and_logs_show_signs),
        cmocka_unit_test(an_idle_scrape_shows_no_load),
        cmocka_unit_test(series_show_signs),
        cmocka_unit_test(absence_shows_nothing),
        cmocka_unit_test(a_setup_is_known_without_a_budget),
        cmocka_unit_test(figures_stand_beside_the_budget),
        cmocka_unit_test(another_assumption_explains_a_time),
        cmocka_unit_test(a_pool_is_held_against_the_load),
        cmocka_unit_test(a_model_says_what_it_is),
    };

    return cmocka_run_group_tests(tests, rig_setup, rig_teardown);
}
