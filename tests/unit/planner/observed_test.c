/* What was observed: origins, merging, rows of parts. */
#include "observed.h"

#include <string.h>

#include "check.h"
#include "compiler.h"

static void every_quantity_has_a_name_of_its_own(void **state)
{
    (void)state;
    for (int id = 0; id < OBSERVED_COUNT; id++) {
        const struct observed_quantity *quantity = observed_quantity((enum observed_id)id);
        assert_non_null(quantity->name);
        assert_true(quantity->meaning[0] != '\0');
        assert_int_equal(observed_find(quantity->name), id);
    }
    assert_int_equal(observed_find("nothing"), OBSERVED_COUNT);
    for (int i = 0; i < SIGNAL_COUNT; i++)
        assert_true(observed_signal_row((enum observed_signal)i)->name[0] != '\0' &&
                    observed_signal_row((enum observed_signal)i)->meaning[0] != '\0');
    for (int i = 0; i < OBSERVED_GPU_COLUMNS; i++)
        assert_true(observed_gpu_column_name((enum observed_gpu_column)i)[0] != '\0');
}

static void names_are_those_of_the_api(void **state)
{
    const char *name = NULL;

    (void)state;
    assert_string_equal(observed_quantity(OBS_TTFT_P99_MS)->name, "ttft_p99_ms");
    assert_int_equal(observed_statistic(OBS_ITL_COUNT, LATENCY_MEAN), OBS_ITL_MEAN_MS);
    assert_int_equal(observed_statistic(OBS_ITL_COUNT, LATENCY_BOUND), OBS_ITL_BOUND_MS);
    assert_string_equal(observed_from_name(FROM_METRICS), "metrics");
    assert_string_equal(observed_over_name(OVER_LIFETIME), "lifetime");
    assert_string_equal(observed_series_name(SERIES_TPOT_MS), "tpot_ms");
    assert_string_equal(observed_link_name(LINK_PHB), "PHB");
    assert_int_equal(observed_throttle_at(2, &name), THROTTLE_POWER_CAP);
    assert_string_equal(name, "sw_power_cap");
    assert_int_equal(observed_throttle_at(99, &name), 0);
    assert_int_equal(observed_throttle_at(-1, &name), 0);
}

static struct observation of(double value, enum observed_from from, enum observed_over over)
{
    return (struct observation){value, from, over, NULL, 1};
}

static void nothing_is_not_zero(void **state)
{
    static struct observed observed;

    (void)state;
    observed_init(&observed);
    for (int id = 0; id < OBSERVED_COUNT; id++)
        assert_false(observed_has(&observed, (enum observed_id)id));
    assert_true(isnan(observed.window_s));
    assert_false(observed_set(&observed, OBS_RUNNING, of(NAN, FROM_LOG, OVER_LINES)));
    assert_false(observed_set(&observed, OBS_RUNNING, of(INFINITY, FROM_LOG, OVER_LINES)));
    assert_false(observed_has(&observed, OBS_RUNNING));
}

static void the_better_origin_is_kept(void **state)
{
    static struct observed observed;

    (void)state;
    observed_init(&observed);
    assert_true(observed_set(&observed, OBS_RUNNING, of(3, FROM_LOG, OVER_LINES)));
    assert_true(observed_set(&observed, OBS_RUNNING, of(4, FROM_METRICS, OVER_LIFETIME)));
    assert_true(observed_set(&observed, OBS_RUNNING, of(5, FROM_METRICS, OVER_INSTANT)));
    assert_false(observed_set(&observed, OBS_RUNNING, of(6, FROM_METRICS, OVER_LIFETIME)));
    assert_true(observed_state(&observed, OBS_RUNNING, 7));
    assert_false(observed_set(&observed, OBS_RUNNING, of(8, FROM_SMI, OVER_LINES)));
    assert_near(observed_value(&observed, OBS_RUNNING), 7, 1e-12);
}

static void points_come_in_order(void **state)
{
    static struct observed observed;

    (void)state;
    observed_init(&observed);
    assert_true(observed_add_point(&observed, SERIES_TPOT_MS, 32, 20));
    assert_true(observed_add_point(&observed, SERIES_TPOT_MS, 1, 8));
    assert_true(observed_add_point(&observed, SERIES_TPOT_MS, 8, 11));
    assert_false(observed_add_point(&observed, SERIES_TPOT_MS, NAN, 11));
    assert_int_equal(observed.n_series[SERIES_TPOT_MS], 3);
    assert_near(observed.series[SERIES_TPOT_MS][0].value, 8, 1e-12);
    assert_near(observed.series[SERIES_TPOT_MS][2].concurrency, 32, 1e-12);
    for (int i = 3; i < OBSERVED_POINTS_MAX; i++)
        assert_true(observed_add_point(&observed, SERIES_TPOT_MS, i, 1));
    assert_false(observed_add_point(&observed, SERIES_TPOT_MS, 1, 1));
}

static void a_series_says_what_is_seen_at_a_load(void **state)
{
    static struct observed observed;

    (void)state;
    observed_init(&observed);
    assert_true(isnan(observed_at_load(&observed, NAN)));
    assert_true(observed_add_point(&observed, SERIES_TPOT_MS, 1, 8));
    assert_true(observed_add_point(&observed, SERIES_TPOT_MS, 60, 38));
    assert_true(observed_add_point(&observed, SERIES_OUTPUT_TOK_S, 32, 900));
    assert_near(observed_at_load(&observed, 4), 4, 1e-12);
    assert_false(observed_has(&observed, OBS_TPOT_MEAN_MS));
    assert_near(observed_at_load(&observed, 64), 64, 1e-12); /* 60 is within a tenth of it */
    assert_near(observed_value(&observed, OBS_TPOT_MEAN_MS), 38, 1e-12);
    assert_false(observed_has(&observed, OBS_OUTPUT_TOK_S));
    assert_near(observed_at_load(&observed, NAN), 60, 1e-12);
    assert_near(observed_at_load(&observed, 32), 32, 1e-12);
    assert_near(observed_value(&observed, OBS_OUTPUT_TOK_S), 900, 1e-12);
}

/* Two parts: 90 and 30 % busy, 300 and 500 W (of two samples each), 1,980 and 1,200 MHz. */
static void parts_come_to_one_figure(void **state)
{
    static struct observed observed;

    (void)state;
    observed_init(&observed);
    observed_gpu_summarize(&observed, FROM_SMI);
    assert_false(observed_has(&observed, OBS_GPUS));
    struct observed_gpu *first = observed_gpu_row(&observed, 0, "GPU-a");
    struct observed_gpu *second = observed_gpu_row(&observed, 1, NULL);
    observed_gpu_add(first, OBS_GPU_ROW_UTILIZATION, 0.9);
    observed_gpu_add(second, OBS_GPU_ROW_UTILIZATION, 0.3);
    observed_gpu_add(second, OBS_GPU_ROW_UTILIZATION, NAN);
    observed_gpu_add(first, OBS_GPU_ROW_POWER_W, 200);
    observed_gpu_add(first, OBS_GPU_ROW_POWER_W, 400);
    observed_gpu_add(second, OBS_GPU_ROW_POWER_W, 500);
    observed_gpu_add(first, OBS_GPU_ROW_SM_CLOCK_MHZ, 1980);
    observed_gpu_add(second, OBS_GPU_ROW_SM_CLOCK_MHZ, 1200);
    observed_gpu_add(first, OBS_GPU_ROW_TEMPERATURE_C, 60);
    observed_gpu_add(second, OBS_GPU_ROW_TEMPERATURE_C, 81);
    assert_ptr_equal(observed_gpu_row(&observed, 7, "GPU-a"), first);
    assert_ptr_equal(observed_gpu_row(&observed, 1, NULL), second);
    observed_gpu_summarize(&observed, FROM_SMI);
    assert_near(observed_value(&observed, OBS_GPUS), 2, 1e-12);
    assert_near(observed_value(&observed, OBS_GPU_UTILIZATION), 0.6, 1e-12);
    assert_near(observed_value(&observed, OBS_GPU_UTILIZATION_MIN), 0.3, 1e-12);
    assert_near(observed_value(&observed, OBS_GPU_POWER_W), 400, 1e-12);
    assert_near(observed_value(&observed, OBS_GPU_SM_CLOCK_MHZ), 1200, 1e-12);
    assert_near(observed_value(&observed, OBS_GPU_TEMPERATURE_C), 81, 1e-12);
    for (int i = 2; i < OBSERVED_GPUS_MAX; i++)
        assert_non_null(observed_gpu_row(&observed, i, NULL));
    assert_null(observed_gpu_row(&observed, OBSERVED_GPUS_MAX, NULL));
}

static void merging_keeps_both_sides(void **state)
{
    static struct observed into, from;

    (void)state;
    observed_init(&into);
    observed_init(&from);
    assert_true(observed_set(&into, OBS_RUNNING, of(8, FROM_METRICS, OVER_INSTANT)));
    assert_true(observed_set(&from, OBS_RUNNING, of(20, FROM_LOG, OVER_LINES)));
    assert_true(observed_set(&from, OBS_WAITING, of(2, FROM_LOG, OVER_LINES)));
    from.engine = "vllm";
    into.engine_version = "0.8 (V1)";
    into.version_guessed = true;
    from.engine_version = "0.8.5";
    from.never_used = true;
    from.window_s = 10;
    from.link_worst = LINK_PHB;
    from.spec_position[0] = 0.7;
    observed_sign(&into, SIGNAL_PREEMPTED, FROM_LOG, "a", "b");
    observed_sign(&from, SIGNAL_PREEMPTED, FROM_LOG, "c", "d");
    observed_sign(&from, SIGNAL_LORA_ON, FROM_LOG, "e", "f");
    observed_note(&from, "idle", "no load");
    from.readings[from.n_readings++] = (struct observed_reading){.from = FROM_LOG, .lines = 3};
    observed_gpu_add(observed_gpu_row(&into, 0, NULL), OBS_GPU_ROW_POWER_W, 300);
    observed_gpu_add(observed_gpu_row(&from, 0, "GPU-a"), OBS_GPU_ROW_SM_CLOCK_MHZ, 1500);
    assert_true(observed_add_point(&from, SERIES_TTFT_MS, 1, 100));
    observed_merge(&into, &from);

    assert_near(observed_value(&into, OBS_RUNNING), 8, 1e-12);
    assert_near(observed_value(&into, OBS_WAITING), 2, 1e-12);
    assert_string_equal(into.engine, "vllm");
    assert_string_equal(into.engine_version, "0.8.5");
    assert_false(into.version_guessed);
    assert_true(into.never_used);
    assert_near(into.window_s, 10, 1e-12);
    assert_int_equal(into.link_worst, LINK_PHB);
    assert_near(into.spec_position[0], 0.7, 1e-12);
    assert_int_equal(into.signs[SIGNAL_PREEMPTED].count, 2);
    assert_string_equal(into.signs[SIGNAL_PREEMPTED].line, "a");
    assert_true(observed_says(&into, SIGNAL_LORA_ON));
    assert_int_equal(into.n_readings, 1);
    assert_int_equal(into.n_gpus, 1);
    assert_near(into.gpus[0].values[OBS_GPU_ROW_SM_CLOCK_MHZ], 1500, 1e-12);
    assert_string_equal(into.gpus[0].uuid, "GPU-a");
    assert_int_equal(into.n_series[SERIES_TTFT_MS], 1);
    /* 8 against 20 is a contradiction and is said. */
    assert_int_equal(into.n_notes, 2);
    assert_string_equal(into.notes[0].code, "differs");
    assert_ptr_equal(into.notes[0].text, observed_quantity(OBS_RUNNING)->differs);
}

/* A scrape after the load, a log of it: the log's 8 running count, in either order. */
static void an_idle_scrape_goes_behind_a_log(void **state)
{
    static struct observed scrape, log, both;

    (void)state;
    observed_init(&scrape);
    observed_init(&log);
    assert_true(observed_set(&scrape, OBS_RUNNING, of(0, FROM_METRICS, OVER_INSTANT)));
    assert_true(observed_set(&scrape, OBS_OUTPUT_TOKENS, of(900, FROM_METRICS, OVER_LIFETIME)));
    scrape.idle = true;
    assert_true(observed_idle_gauge(&scrape, OBS_RUNNING));
    assert_false(observed_idle_gauge(&scrape, OBS_OUTPUT_TOKENS));
    assert_true(observed_set(&log, OBS_RUNNING, of(8, FROM_LOG, OVER_LINES)));
    for (int order = 0; order < 2; order++) {
        observed_init(&both);
        observed_merge(&both, order ? &scrape : &log);
        assert_int_equal(both.idle, order);
        observed_merge(&both, order ? &log : &scrape);
        assert_near(observed_value(&both, OBS_RUNNING), 8, 1e-12);
        assert_near(observed_value(&both, OBS_OUTPUT_TOKENS), 900, 1e-12);
        assert_false(both.idle);
        assert_int_equal(both.n_notes, 0);
    }
}

static void notes_are_bounded(void **state)
{
    static struct observed observed;
    static const char TEXTS[OBSERVED_NOTES_MAX + 2][1 + 1] = {""};

    (void)state;
    observed_init(&observed);
    observed_note(&observed, "a", "b");
    observed_note(&observed, "a", "b");
    assert_int_equal(observed.n_notes, 1);
    for (int i = 0; i < OBSERVED_NOTES_MAX; i++) {
        static char codes[OBSERVED_NOTES_MAX][3];
        codes[i][0] = (char)('A' + i / 26);
        codes[i][1] = (char)('a' + i % 26);
        observed_note(&observed, codes[i], TEXTS[i]);
    }
    assert_int_equal(observed.n_notes, OBSERVED_NOTES_MAX);
    assert_int_equal(observed.notes_dropped, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_quantity_has_a_name_of_its_own),
        cmocka_unit_test(names_are_those_of_the_api),
        cmocka_unit_test(nothing_is_not_zero),
        cmocka_unit_test(the_better_origin_is_kept),
        cmocka_unit_test(points_come_in_order),
        cmocka_unit_test(a_series_says_what_is_seen_at_a_load),
        cmocka_unit_test(parts_come_to_one_figure),
        cmocka_unit_test(merging_keeps_both_sides),
        cmocka_unit_test(an_idle_scrape_goes_behind_a_log),
        cmocka_unit_test(notes_are_bounded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
