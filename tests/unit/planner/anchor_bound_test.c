/*
 * What no machine can beat, worked out by hand for Llama-3.1-8B (6,979,321,856 parameters in
 * matrices of the layers, 525,336,576 in the head, 131,072 bytes of KV per token in bf16) on an
 * H100 of 3,350 GB/s and 989.5 TFLOP/s.
 */
#include "anchor_bound.h"

#include "check.h"
#include "sample_library.h"

#define TOKEN_MS_2K 4.565  /* 15.294 GB in the step at 2,048 tokens over 3,350 GB/s */
#define FIRST_MS_32K 746.8 /* (2 x 6.979e9 x 32768 + 2 x 32 x 4096 x 32768^2) / 989.5e12 */
#define OUTPUT_RATE_MAX                                                                            \
    65919 /* 989.5e12 / (2 x 7.5047e9): every row multiplies every matrix once */

struct setting_kit {
    struct sample *sample;
    double conditions[CONDITION_COUNT];
    struct anchor_setting setting;
};

static struct setting_kit *kit_new(void)
{
    struct setting_kit *kit = calloc(1, sizeof(*kit));
    assert_non_null(kit);
    kit->sample = sample_new();
    for (int i = 0; i < CONDITION_COUNT; i++) {
        kit->conditions[i] = NAN;
    }
    kit->setting = (struct anchor_setting){
        .lib = &kit->sample->lib,
        .model = &kit->sample->models[SAMPLE_LLAMA_8B],
        .hw = &kit->sample->hardware[SAMPLE_H100],
        .weights = &kit->sample->weights[SAMPLE_BF16],
        .kv_cache = &kit->sample->kv[0],
        .conditions = kit->conditions,
    };
    kit->conditions[CONDITION_N_DEVICES] = 1;
    kit->conditions[CONDITION_TP] = 1;
    kit->conditions[CONDITION_CONCURRENCY] = 1;
    kit->conditions[CONDITION_INPUT_TOKENS] = 2048;
    kit->conditions[CONDITION_OUTPUT_TOKENS] = 128;
    return kit;
}

static void kit_free(struct setting_kit *kit)
{
    free(kit->sample);
    free(kit);
}

static struct anchor_bounds bounds_of(const struct setting_kit *kit)
{
    struct anchor_bounds bounds;
    assert_true(anchor_bounds_compute(&kit->setting, &bounds));
    return bounds;
}

static void a_token_streams_the_weights(void **state)
{
    struct setting_kit *kit = kit_new();
    struct anchor_bounds bounds = bounds_of(kit);
    (void)state;
    assert_near(anchor_bound(&bounds, METRIC_TPOT), TOKEN_MS_2K, 0.01);
    assert_near(anchor_bound(&bounds, METRIC_USER_RATE), 1000 / TOKEN_MS_2K, 0.01);
    assert_near(anchor_bound(&bounds, METRIC_DECODE_RATE), 1000 / TOKEN_MS_2K, 0.01);
    assert_true(isnan(anchor_bound(&bounds, METRIC_POWER)));
    /* Three draft tokens that are all accepted: four tokens a step. */
    kit->conditions[CONDITION_SPECULATIVE_TOKENS] = 3;
    bounds = bounds_of(kit);
    assert_near(anchor_bound(&bounds, METRIC_TPOT), TOKEN_MS_2K / 4, 0.01);
    kit_free(kit);
}

static void a_prompt_needs_its_multiplications(void **state)
{
    struct setting_kit *kit = kit_new();
    (void)state;
    kit->conditions[CONDITION_INPUT_TOKENS] = 32768;
    struct anchor_bounds bounds = bounds_of(kit);
    assert_near(anchor_bound(&bounds, METRIC_TTFT), FIRST_MS_32K, 0.02);
    assert_near(anchor_bound(&bounds, METRIC_PREFILL_RATE), 32768 / FIRST_MS_32K * 1000, 0.02);
    /* An answered prompt waits for its prefill and for every further token. */
    assert_true(anchor_bound(&bounds, METRIC_E2E) > FIRST_MS_32K * 0.98 + 127 * TOKEN_MS_2K);
    /* A cache may hold any of it. */
    kit->setting.prefix_cached = true;
    bounds = bounds_of(kit);
    assert_true(isnan(anchor_bound(&bounds, METRIC_TTFT)));
    kit_free(kit);
}

/* What is not stated counts for the anchor. */
static void the_unstated_is_in_favour(void **state)
{
    struct setting_kit *kit = kit_new();
    (void)state;
    /* Of 64 sent at once one may run alone; of 64 in a closed loop all do. */
    kit->conditions[CONDITION_CONCURRENCY] = 64;
    kit->setting.load = LOAD_ALL_AT_ONCE;
    struct anchor_bounds alone = bounds_of(kit);
    assert_near(anchor_bound(&alone, METRIC_TPOT), TOKEN_MS_2K, 0.01);
    kit->setting.load = LOAD_CLOSED_LOOP;
    struct anchor_bounds all = bounds_of(kit);
    /* 63 more contexts of 2,048 tokens: 16.9 GB. */
    assert_near(anchor_bound(&all, METRIC_TPOT), TOKEN_MS_2K + 63 * 268.435456e6 / 3350e6, 0.02);
    /* No load at all: what the multiplications allow. */
    kit->conditions[CONDITION_CONCURRENCY] = NAN;
    struct anchor_bounds any = bounds_of(kit);
    assert_near(anchor_bound(&any, METRIC_OUTPUT_RATE), OUTPUT_RATE_MAX, 0.1);
    /* Two devices of unknown layout: either halves the latency or doubles the rate. */
    kit->conditions[CONDITION_CONCURRENCY] = 1;
    kit->conditions[CONDITION_N_DEVICES] = 2;
    kit->conditions[CONDITION_TP] = NAN;
    struct anchor_bounds two = bounds_of(kit);
    assert_near(anchor_bound(&two, METRIC_TPOT), TOKEN_MS_2K / 2, 0.02);
    assert_near(anchor_bound(&two, METRIC_OUTPUT_RATE_DEVICE),
                anchor_bound(&two, METRIC_OUTPUT_RATE) / 2, 1e-9);
    kit_free(kit);
}

static void impossible_is_beyond_the_tolerance(void **state)
{
    struct setting_kit *kit = kit_new();
    struct anchor_bounds bounds = bounds_of(kit);
    double least = anchor_bound(&bounds, METRIC_TPOT);
    double most = anchor_bound(&bounds, METRIC_OUTPUT_RATE);
    (void)state;
    assert_false(anchor_is_impossible(&bounds, METRIC_TPOT, least));
    assert_false(anchor_is_impossible(&bounds, METRIC_TPOT, least * 0.98));
    assert_true(anchor_is_impossible(&bounds, METRIC_TPOT, least * 0.96));
    assert_false(anchor_is_impossible(&bounds, METRIC_OUTPUT_RATE, most * 1.02));
    assert_true(anchor_is_impossible(&bounds, METRIC_OUTPUT_RATE, most * 1.04));
    assert_false(anchor_is_impossible(&bounds, METRIC_POWER, 0));
    kit_free(kit);
}

/* Every metric's bound is finite or none, whatever is missing. */
static void nothing_stated_is_no_fault(void **state)
{
    struct setting_kit *kit = kit_new();
    (void)state;
    for (int i = 0; i < CONDITION_COUNT; i++) {
        kit->conditions[i] = NAN;
    }
    kit->setting.kv_cache = NULL;
    kit->setting.engine = NULL;
    kit->setting.disaggregated = kit->setting.speculative = true;
    struct anchor_bounds bounds = bounds_of(kit);
    for (int i = 0; i < ANCHOR_METRIC_COUNT; i++) {
        double bound = anchor_bound(&bounds, (enum anchor_metric)i);
        assert_true(isnan(bound) || bound > 0);
    }
    kit_free(kit);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_token_streams_the_weights),
        cmocka_unit_test(a_prompt_needs_its_multiplications),
        cmocka_unit_test(the_unstated_is_in_favour),
        cmocka_unit_test(impossible_is_beyond_the_tolerance),
        cmocka_unit_test(nothing_stated_is_no_fault),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
