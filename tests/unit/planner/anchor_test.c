/* The vocabulary of measurements, and distances added up by hand from the formula in anchor.h. */
#include "anchor.h"

#include <string.h>

#include "check.h"
#include "sample_library.h"

static void names_are_read_back(void **state)
{
    (void)state;
    for (int i = 0; i < ANCHOR_METRIC_COUNT; i++) {
        enum anchor_metric metric = (enum anchor_metric)i;
        assert_int_equal(metric_parse(metric_info(metric)->name), i);
        assert_true(strlen(metric_info(metric)->unit) > 0);
    }
    for (int i = 0; i < CONDITION_COUNT; i++) {
        assert_int_equal(condition_parse(condition_info((enum anchor_condition)i)->name), i);
        assert_int_equal(anchor_text_parse(condition_info((enum anchor_condition)i)->name),
                         ANCHOR_TEXT_COUNT);
    }
    for (int i = 0; i < STATISTIC_COUNT; i++) {
        assert_int_equal(statistic_parse(statistic_name((enum statistic)i)), i);
    }
    for (int i = 0; i < ANCHOR_KIND_COUNT; i++) {
        assert_int_equal(anchor_kind_parse(anchor_kind_name((enum anchor_kind)i)), i);
    }
    for (int i = 0; i < LOAD_PROFILE_COUNT; i++) {
        assert_int_equal(load_profile_parse(load_profile_name((enum load_profile)i)), i);
    }
    for (int i = 0; i < ANCHOR_TEXT_COUNT; i++) {
        assert_int_equal(anchor_text_parse(anchor_text_name((enum anchor_text)i)), i);
    }
    assert_int_equal(metric_parse("ttft"), ANCHOR_METRIC_COUNT);
    assert_int_equal(condition_parse(""), CONDITION_COUNT);
}

/* A change to the anchor of a problem (Llama-3.1-8B on H100, vLLM 0.24.0, bf16, one user, 1,024 in,
 * 256 out) and the distance it makes. */
typedef void change_fn(struct anchor_point *point, const struct sample *sample);

static void nothing(struct anchor_point *point, const struct sample *sample)
{
    (void)point;
    (void)sample;
}

static void four_users(struct anchor_point *point, const struct sample *sample)
{
    (void)sample;
    point->log_concurrency = 2;
}

static void eighth_of_input(struct anchor_point *point, const struct sample *sample)
{
    (void)sample;
    point->log_input = 7;
}

static void twice_the_output(struct anchor_point *point, const struct sample *sample)
{
    (void)sample;
    point->log_output = 9;
}

static void two_devices(struct anchor_point *point, const struct sample *sample)
{
    (void)sample;
    point->log_tp = 1;
}

static void unstated_load(struct anchor_point *point, const struct sample *sample)
{
    (void)sample;
    point->log_concurrency = NAN;
    point->log_input = NAN;
}

static void unstated_layout(struct anchor_point *point, const struct sample *sample)
{
    (void)sample;
    point->log_tp = point->log_pp = point->log_dp = point->log_ep = NAN;
}

static void fp8_weights(struct anchor_point *point, const struct sample *sample)
{
    point->weights = SAMPLE_FP8;
    point->log_weight_bytes = log2(sample->weights[SAMPLE_FP8].bytes[ROLE_DENSE_FFN]);
}

static void unstated_formats(struct anchor_point *point, const struct sample *sample)
{
    (void)sample;
    point->weights = point->kv_cache = -1;
    point->log_weight_bytes = point->log_kv_bytes = NAN;
}

static void other_engine(struct anchor_point *point, const struct sample *sample)
{
    (void)sample;
    point->engine = SAMPLE_LLAMACPP;
}

static void five_minors_before(struct anchor_point *point, const struct sample *sample)
{
    (void)sample;
    point->version[1] = 19;
}

static void long_before(struct anchor_point *point, const struct sample *sample)
{
    (void)sample;
    point->version[1] = 2;
}

static void other_part(struct anchor_point *point, const struct sample *sample)
{
    point->hardware = SAMPLE_H200;
    point->log_bandwidth = log2(sample->hardware[SAMPLE_H200].bw_bytes_us);
}

static void other_model(struct anchor_point *point, const struct sample *sample)
{
    point->model = SAMPLE_LLAMA_70B;
    point->log_active = log2(sample->models[SAMPLE_LLAMA_70B].params_active);
}

static void drafting(struct anchor_point *point, const struct sample *sample)
{
    (void)sample;
    point->speculative = true;
    point->disaggregated = true;
}

static const struct distance_row {
    change_fn *change;
    double distance;
    bool exact;
} DISTANCES[] = {
    {nothing, 0, true},
    {four_users, 0.5 * 2, false},
    {eighth_of_input, 0.5 * 3, false},
    {twice_the_output, 0.25, false},
    {two_devices, 1, false},
    {unstated_load, 1 + 1, false},
    {unstated_layout, 0.5, false},
    {fp8_weights, 1 + 1, false}, /* half the bytes: one doubling */
    {unstated_formats, 1 + 0.5, false},
    {other_engine, 1, false},
    {five_minors_before, 5 * 0.02, true}, /* the version alone does not make it another question */
    {long_before, 0.3, true},
    {other_part, 4 + 0.51889, false},  /* log2(4800 / 3350) */
    {other_model, 8 + 3.13520, false}, /* log2(70.553706496e9 / 8.030261248e9) */
    {drafting, 2 + 1, false},
};

static void distances_add_up(void **state)
{
    struct sample *sample = sample_new();
    struct problem problem = sample_problem(sample, SAMPLE_LLAMA_8B, SAMPLE_H100);
    struct anchor_point asked = anchor_point_of(&problem);
    (void)state;
    assert_int_equal(asked.model, SAMPLE_LLAMA_8B);
    for (size_t i = 0; i < ARRAY_LEN(DISTANCES); i++) {
        struct anchor_point anchor = asked;
        DISTANCES[i].change(&anchor, sample);
        assert_near(anchor_distance(&asked, &anchor), DISTANCES[i].distance, 1e-5);
        assert_int_equal(anchor_is_exact(&asked, &anchor), DISTANCES[i].exact);
    }
    free(sample);
}

/* Another model and another part, 8 and 4, and 1 for the size that nobody knows. */
static void unknown_subjects_are_other_ones(void **state)
{
    struct sample *sample = sample_new();
    struct problem problem = sample_problem(sample, SAMPLE_LLAMA_8B, SAMPLE_H100);
    struct anchor_point asked = anchor_point_of(&problem);
    struct anchor_point anchor = asked;
    (void)state;
    anchor.model = -1;
    anchor.log_active = NAN;
    assert_near(anchor_distance(&asked, &anchor), 9, 1e-12);
    asked.model = -1; /* one that came with the request is not the unknown one */
    assert_near(anchor_distance(&asked, &anchor), 9, 1e-12);
    asked = anchor = anchor_point_of(&problem);
    anchor.hardware = -1;
    anchor.log_bandwidth = NAN;
    assert_near(anchor_distance(&asked, &anchor), 5, 1e-12);
    assert_false(anchor_is_exact(&asked, &anchor));
    free(sample);
}

/* What is not asked costs nothing; a model that came with the request is no record's. */
static void unasked_terms_are_free(void **state)
{
    struct sample *sample = sample_new();
    struct problem problem = sample_problem(sample, SAMPLE_LLAMA_8B, SAMPLE_H100);
    struct model inline_model = *problem.model;
    struct anchor_point anchor = anchor_point_of(&problem);
    struct anchor_point asked = anchor;
    (void)state;
    asked.log_concurrency = asked.log_input = asked.log_output = NAN;
    asked.log_tp = asked.log_pp = asked.log_dp = asked.log_ep = NAN;
    asked.log_weight_bytes = asked.log_kv_bytes = asked.log_bandwidth = asked.log_active = NAN;
    asked.model = asked.hardware = asked.engine = asked.weights = asked.kv_cache = -1;
    asked.version[0] = asked.version[1] = asked.version[2] = 0;
    assert_near(anchor_distance(&asked, &anchor), 0, 1e-12);
    problem.model = &inline_model;
    asked = anchor_point_of(&problem);
    assert_int_equal(asked.model, -1);
    assert_near(anchor_distance(&asked, &anchor), 8, 1e-12);
    problem.load.request_rate = 3;
    asked = anchor_point_of(&problem);
    assert_true(isnan(asked.log_concurrency));
    free(sample);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_are_read_back),
        cmocka_unit_test(distances_add_up),
        cmocka_unit_test(unknown_subjects_are_other_ones),
        cmocka_unit_test(unasked_terms_are_free),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
