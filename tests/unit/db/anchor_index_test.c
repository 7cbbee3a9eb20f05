/* The anchors of the bundle as the snapshot holds them. */
#include "anchor_index.h"

#include <math.h>
#include <setjmp.h>
#include <sqlite3.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "anchor_bound.h"
#include "catalogue.h"
#include "compiler.h"
#include "store.h"

#define NEAR_MAX 8

static int open_store(void **state)
{
    char error[STORE_ERROR_MAX];
    struct store *store = NULL;
    if (!store_open(NULL, &store, error)) {
        print_error("%s\n", error);
        return -1;
    }
    *state = store;
    return 0;
}

static int close_store(void **state)
{
    store_close(*state);
    return 0;
}

/* One user of Llama-3.1-8B in bf16 on an H100 under vLLM 0.19.1. */
static struct problem problem_of(const struct catalogue *cat, double input, double output)
{
    const struct library *lib = &cat->lib;
    struct problem problem = {.lib = lib,
                              .model = library_model(lib, "llama-3.1-8b"),
                              .hw = library_hardware(lib, "h100-sxm")};
    problem.dep.engine = library_engine(lib, "vllm");
    problem.dep.version[1] = 19;
    problem.dep.version[2] = 1;
    problem.dep.weights = library_weight_format(lib, "bf16");
    problem.dep.kv_cache = library_kv_format(lib, "bf16");
    problem.dep.tp = problem.dep.pp = problem.dep.dp = problem.dep.ep = 1;
    problem.load = (struct workload){
        .concurrency = 1, .input_tokens = input, .output_tokens = output, .request_rate = NAN};
    return problem;
}

static void every_anchor_is_there(void **state)
{
    const struct catalogue *cat = store_catalogue(*state);
    const struct anchor_index *index = &cat->anchors;
    assert_true(index->n >= 10000);
    for (int i = 0; i < index->n; i++) {
        assert_true(i == 0 || strcmp(index->ids[i - 1], index->ids[i]) < 0);
        assert_int_equal(anchor_find(index, index->ids[i]), i);
        assert_true(index->condition_start[i] <= index->condition_start[i + 1]);
        assert_true(index->metric_start[i] <= index->metric_start[i + 1]);
    }
    assert_int_equal(anchor_find(index, "no such anchor"), -1);
    assert_int_equal(anchor_find(index, ""), -1);
    for (int i = 0; i < index->n; i++) {
        int anchor = anchor_of_number(index, index->numbers[i]);
        assert_true(anchor >= 0 && anchor < index->n);
        assert_true(i == 0 || index->numbers[i - 1] < index->numbers[i]);
    }
    assert_int_equal(anchor_of_number(index, -1), -1);
    store_release(*state, cat);
}

/* Rows of aiconfigurator's silicon_sample.csv as it writes them: InferenceX asks ten requests per
 * user, of lengths from 0.8 to 1 of the nominal ones; engine_bench asks for the very lengths. */
static const struct serving_row {
    const char *id, *generator, *gemm, *moe, *measured;
    double tp, dp, ep, requests, ratio; /* NAN = not stated */
    enum anchor_doubt doubt;
} SERVING_ROWS[] = {
    {"2026_03_25_deepseek_r1_b200_sxm_sglang_fp4_agg_1024x1024_c8_tp8_0_ep8_0_248", "inferencex",
     "nvfp4", "nvfp4", "2026-03-25", 8, 1, 8, 80, 0.8, DOUBT_NONE},
    {"nvidia_deepseek_r1_nvfp4_nvidia_deepseek_r1_nvfp4_b200_sxm_trtllm_agg_4000x1000_c224_tp4_"
     "epnone_1",
     "engine_bench", "nvfp4", "nvfp4", "2026-03-17", 4, 1, 4, NAN, 1, DOUBT_ODD},
    {"2026_03_25_qwen3_5_397b_b300_sxm_sglang_fp8_agg_8192x1024_c16_tp4_0_ep1_0_17", "inferencex",
     "fp8", "fp8_block", "2026-04-03", 4, 1, 1, 160, 0.8, DOUBT_SPECULATIVE},
};

static void serving_runs_say_how_they_were_made(void **state)
{
    const struct catalogue *cat = store_catalogue(*state);
    const struct anchor_index *index = &cat->anchors;
    for (size_t i = 0; i < ARRAY_LEN(SERVING_ROWS); i++) {
        const struct serving_row *row = &SERVING_ROWS[i];
        double numbers[CONDITION_COUNT];
        int at = anchor_find(index, row->id);
        if (at < 0) {
            fail_msg("%s is not there", row->id);
        }
        anchor_numbers(index, at, numbers);
        assert_string_equal(index->generators[at], row->generator);
        assert_string_equal(index->gemm_quants[at], row->gemm);
        assert_string_equal(index->moe_quants[at], row->moe);
        assert_string_equal(index->measured[at], row->measured);
        assert_int_equal(index->loads[at], LOAD_CLOSED_LOOP);
        assert_int_equal(index->doubts[at], row->doubt);
        assert_true(numbers[CONDITION_TP] == row->tp && numbers[CONDITION_DP] == row->dp &&
                    numbers[CONDITION_EP] == row->ep);
        assert_true(numbers[CONDITION_LENGTH_RATIO] == row->ratio);
        assert_true(isnan(row->requests) ? isnan(numbers[CONDITION_REQUESTS])
                                         : numbers[CONDITION_REQUESTS] == row->requests);
    }
    store_release(*state, cat);
}

/* What is disputed has a flag and is compared with nothing. */
static void flagged_anchors_are_no_evidence(void **state)
{
    const struct catalogue *cat = store_catalogue(*state);
    const struct anchor_index *index = &cat->anchors;
    int counts[ANCHOR_DOUBT_COUNT] = {0};
    for (int i = 0; i < index->n; i++) {
        assert_int_equal(index->doubts[i] != DOUBT_NONE, (index->flags[i] & ANCHOR_DISPUTED) != 0);
        counts[index->doubts[i]]++;
    }
    for (int i = 0; i < index->n_compared; i++) {
        assert_int_equal(index->doubts[index->by_model[i]], DOUBT_NONE);
    }
    for (int i = 0; i < ANCHOR_DOUBT_COUNT; i++) {
        assert_true(counts[i] > 0);
    }
    store_release(*state, cat);
}

/* The blog post's sweep: eleven prompts from 1,000 to 100,000 tokens; 1,098 ms at 30,000. */
static void a_table_is_an_anchor_per_row(void **state)
{
    const struct catalogue *cat = store_catalogue(*state);
    const struct anchor_index *index = &cat->anchors;
    int rows = 0;
    for (int i = 0; i < index->n; i++) {
        rows += strncmp(index->ids[i], "vllm-h100-llama31-8b-ttft-vs-length-row-", 40) == 0;
    }
    assert_int_equal(rows, 11);
    int anchor = anchor_find(index, "vllm-h100-llama31-8b-ttft-vs-length-row-4");
    assert_true(anchor >= 0);
    assert_true(anchor_number(index, anchor, CONDITION_INPUT_TOKENS) == 30000);
    assert_true(anchor_figure(index, anchor, METRIC_TTFT) == 1098);
    assert_true(isnan(anchor_figure(index, anchor, METRIC_TPOT)));
    assert_true(isnan(anchor_number(index, anchor, CONDITION_BATCH)));
    store_release(*state, cat);
}

/* What cures, host costs and claims rest on exists. */
static void cited_anchors_exist(void **state)
{
    static const char SQL[] =
        "SELECT anchor_id FROM cure_evidence UNION SELECT anchor_id FROM host_costs WHERE "
        "anchor_id IS NOT NULL UNION SELECT record_id FROM claim_records WHERE kind = 'anchor'";
    const struct catalogue *cat = store_catalogue(*state);
    sqlite3_stmt *row = store_read(*state, SQL);
    int n = 0;
    assert_non_null(row);
    for (; sqlite3_step(row) == SQLITE_ROW; n++) {
        const char *id = (const char *)sqlite3_column_text(row, 0);
        if (anchor_find(&cat->anchors, id) < 0) {
            fail_msg("%s is cited and is no anchor", id);
        }
    }
    store_done(row);
    assert_true(n > 10);
    store_release(*state, cat);
}

static void the_same_question_is_exact(void **state)
{
    const struct catalogue *cat = store_catalogue(*state);
    struct problem problem = problem_of(cat, 32768, 128);
    struct anchor_near near[NEAR_MAX];
    int n = anchors_nearest(&cat->anchors, &problem, near, NEAR_MAX);
    assert_int_equal(n, NEAR_MAX);
    assert_string_equal(cat->anchors.ids[near[0].anchor],
                        "vllm-h100-llama31-8b-itl-ttft-fp8kv-row-1");
    assert_true(near[0].exact);
    assert_true(near[0].distance < 1e-9);
    for (int i = 1; i < n; i++) {
        assert_true(near[i].distance >= near[i - 1].distance);
        assert_false(cat->anchors.flags[near[i].anchor] & ANCHOR_DISPUTED);
    }
    store_release(*state, cat);
}

/* Nobody measured it on this part: the model elsewhere and other models on it come instead. */
static void other_parts_and_models_follow(void **state)
{
    const struct catalogue *cat = store_catalogue(*state);
    struct problem problem = problem_of(cat, 1024, 256);
    struct anchor_near near[NEAR_MAX];
    problem.hw = library_hardware(&cat->lib, "gaudi3");
    assert_non_null(problem.hw);
    int n = anchors_nearest(&cat->anchors, &problem, near, NEAR_MAX);
    assert_int_equal(n, NEAR_MAX);
    for (int i = 0; i < n; i++) {
        const struct anchor_point *point = &cat->anchors.points[near[i].anchor];
        assert_true(point->hardware == problem.hw->index ||
                    strcmp(cat->lib.models[point->model].id, "llama-3.1-8b") == 0);
        assert_false(near[i].exact);
    }
    assert_int_equal(anchors_nearest(&cat->anchors, &problem, near, 0), 0);
    store_release(*state, cat);
}

static struct anchor_setting setting_of(const struct catalogue *cat, int anchor,
                                        const double *numbers)
{
    const struct anchor_index *index = &cat->anchors;
    const struct anchor_point *point = &index->points[anchor];
    const struct library *lib = &cat->lib;
    return (struct anchor_setting){
        .lib = lib,
        .model = &lib->models[point->model],
        .hw = &lib->hardware[point->hardware],
        .engine = point->engine >= 0 ? &lib->engines[point->engine] : NULL,
        .weights = &lib->weight_formats[point->weights],
        .kv_cache = point->kv_cache >= 0 ? &lib->kv_formats[point->kv_cache] : NULL,
        .conditions = numbers,
        .load = (enum load_profile)index->loads[anchor],
        .speculative = point->speculative,
        .disaggregated = point->disaggregated,
        .prefix_cached = index->flags[anchor] & ANCHOR_PREFIX_CACHED,
    };
}

/* What is used beats no physical bound, as the snapshot's planner computes it now. */
static void nothing_used_beats_physics(void **state)
{
    const struct catalogue *cat = store_catalogue(*state);
    const struct anchor_index *index = &cat->anchors;
    int judged = 0;
    for (int i = 0; i < index->n; i++) {
        const struct anchor_point *point = &index->points[i];
        double numbers[CONDITION_COUNT];
        struct anchor_bounds bounds;
        if ((index->flags[i] & ANCHOR_DISPUTED) || point->model < 0 || point->hardware < 0 ||
            point->weights < 0) {
            continue;
        }
        anchor_numbers(index, i, numbers);
        struct anchor_setting setting = setting_of(cat, i, numbers);
        assert_true(anchor_bounds_compute(&setting, &bounds));
        for (int m = index->metric_start[i]; m < index->metric_start[i + 1]; m++) {
            enum anchor_metric metric = (enum anchor_metric)index->metric_what[m];
            if (index->metric_statistic[m] != STATISTIC_STDDEV &&
                anchor_is_impossible(&bounds, metric, index->metric_value[m])) {
                fail_msg("%s: %s %g", index->ids[i], metric_info(metric)->name,
                         index->metric_value[m]);
            }
        }
        judged++;
    }
    assert_true(judged > 7000);
    store_release(*state, cat);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_anchor_is_there),
        cmocka_unit_test(a_table_is_an_anchor_per_row),
        cmocka_unit_test(cited_anchors_exist),
        cmocka_unit_test(serving_runs_say_how_they_were_made),
        cmocka_unit_test(flagged_anchors_are_no_evidence),
        cmocka_unit_test(the_same_question_is_exact),
        cmocka_unit_test(other_parts_and_models_follow),
        cmocka_unit_test(nothing_used_beats_physics),
    };
    return cmocka_run_group_tests(tests, open_store, close_store);
}
