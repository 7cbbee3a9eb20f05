/* GET /v1/anchors as whole requests: filters, ranges, full text, pages, no record, one anchor. */
#include "anchors.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "app_kit.h"
#include "compiler.h"

#define TARGET_MAX 400

static cJSON *get_json(void **state, const char *target, int status)
{
    int got = 0;
    const char *body = app_kit_get(*state, target, &got);
    cJSON *tree = cJSON_Parse(body);
    if (got != status || !tree) {
        fail_msg("%s: %d %.400s", target, got, body);
    }
    return tree;
}

static const cJSON *member(const cJSON *object, const char *name)
{
    return cJSON_GetObjectItemCaseSensitive(object, name);
}

static double number(const cJSON *object, const char *name)
{
    const cJSON *item = member(object, name);
    return item && cJSON_IsNumber(item) ? item->valuedouble : (double)NAN;
}

static const char *text(const cJSON *object, const char *name)
{
    const cJSON *item = member(object, name);
    return item && cJSON_IsString(item) ? item->valuestring : "";
}

/* A metric of an anchor, any statistic. */
static double metric(const cJSON *anchor, const char *name)
{
    const cJSON *row = NULL;
    cJSON_ArrayForEach(row, member(anchor, "metrics"))
    {
        if (strcmp(text(row, "metric"), name) == 0) {
            return number(row, "value");
        }
    }
    return NAN;
}

/* Filters and what every item of their list must show. */
static const struct filter_row {
    const char *query, *member, *value;
    double at_least; /* items in all */
} FILTERS[] = {
    {"model=meta-llama%2FLlama-3.1-8B-Instruct", "model_id", "llama-3.1-8b", 500},
    {"hardware=NVIDIA%20H100%2080GB%20HBM3", "hardware_id", "h100-sxm", 1000},
    {"engine=trtllm", "engine_id", "tensorrt-llm", 1000},
    {"kind=capacity", "kind", "capacity", 131},
    {"kind=attribution", "kind", "attribution", 40},
    {"weights=q4_k_m", "weights_id", "q4_k_m", 500},
    {"kv_cache=fp8_e4m3", "kv_cache_id", "fp8", 100},
    {"backend=metal", "backend", "metal", 400},
    {"q=mlperf", "kind", "serving", 273},
    /* a whole id, as the list prints it */
    {"q=2026_04_06_llama_3_1_70b_h100_sxm_vllm_fp8_agg_1024x8192_c64_tp2_ep1_327", "id",
     "2026_04_06_llama_3_1_70b_h100_sxm_vllm_fp8_agg_1024x8192_c64_tp2_ep1_327", 1},
};

static void filters_hold(void **state)
{
    for (size_t i = 0; i < ARRAY_LEN(FILTERS); i++) {
        char target[TARGET_MAX];
        const cJSON *item = NULL;
        (void)snprintf(target, sizeof(target), "/v1/anchors?limit=200&%s", FILTERS[i].query);
        cJSON *tree = get_json(state, target, 200);
        if (number(tree, "total") < FILTERS[i].at_least) {
            fail_msg("%s: total %g", target, number(tree, "total"));
        }
        cJSON_ArrayForEach(item, member(tree, "items"))
        {
            assert_string_equal(text(item, FILTERS[i].member), FILTERS[i].value);
        }
        cJSON_Delete(tree);
    }
}

/* 32k prompts of Llama-3.1-8B on H100: between 30,000 (1,098 ms) and 49,152 tokens. */
static void ranges_hold_at_both_ends(void **state)
{
    const cJSON *item = NULL;
    cJSON *tree = get_json(state,
                           "/v1/anchors?model=llama-3.1-8b&hardware=h100-sxm&metric=ttft_ms&"
                           "input_tokens_min=30000&input_tokens_max=40000&concurrency=1",
                           200);
    bool found = false;
    assert_true(number(tree, "total") >= 4);
    cJSON_ArrayForEach(item, member(tree, "items"))
    {
        double input = number(member(item, "conditions"), "input_tokens");
        assert_true(input >= 30000 && input <= 40000);
        assert_true(metric(item, "ttft_ms") > 0);
        found = found || (input == 30000 && metric(item, "ttft_ms") == 1098);
        assert_int_equal(cJSON_GetArraySize(member(item, "provenance")), 1);
    }
    assert_true(found);
    cJSON_Delete(tree);
}

static void disputed_ones_say_why(void **state)
{
    const cJSON *item = NULL;
    cJSON *all = get_json(state, "/v1/anchors?limit=1", 200);
    cJSON *good = get_json(state, "/v1/anchors?limit=1&disputed=false", 200);
    cJSON *bad = get_json(state, "/v1/anchors?limit=1000&disputed=true", 200);
    assert_true(number(all, "total") == number(good, "total") + number(bad, "total"));
    assert_true(number(all, "total") >= 10000);
    assert_int_equal(cJSON_GetArraySize(member(bad, "items")), (int)number(bad, "total"));
    cJSON_ArrayForEach(item, member(bad, "items"))
    {
        assert_true(strlen(text(item, "disputed")) > 5);
        assert_true(strlen(text(item, "flag")) > 2);
    }
    cJSON *odd = get_json(state, "/v1/anchors?limit=1000&flag=odd", 200);
    assert_true(number(odd, "total") > 0 && number(odd, "total") < number(bad, "total"));
    cJSON_ArrayForEach(item, member(odd, "items"))
    {
        assert_string_equal(text(item, "flag"), "odd");
    }
    cJSON_Delete(odd);
    cJSON_Delete(all);
    cJSON_Delete(good);
    cJSON_Delete(bad);
}

/* Pages of a list, one behind the other, are the list. */
static void pages_join(void **state)
{
    char target[TARGET_MAX] = "/v1/anchors?kind=capacity&limit=50";
    char last[TARGET_MAX] = "";
    int n = 0;
    for (int page = 0; page < 4; page++) {
        const cJSON *item = NULL;
        cJSON *tree = get_json(state, target, 200);
        assert_true(number(tree, "total") == 131);
        cJSON_ArrayForEach(item, member(tree, "items"))
        {
            assert_true(strcmp(last, text(item, "id")) < 0);
            (void)snprintf(last, sizeof(last), "%s", text(item, "id"));
            n++;
        }
        (void)snprintf(target, sizeof(target), "/v1/anchors?kind=capacity&limit=50&cursor=%s",
                       text(tree, "next_cursor"));
        bool end = cJSON_IsNull(member(tree, "next_cursor"));
        cJSON_Delete(tree);
        if (end) {
            assert_int_equal(page, 2);
            break;
        }
    }
    assert_int_equal(n, 131);
}

static void no_record_shows_the_nearest_and_counts(void **state)
{
    static const char TARGET[] = "/v1/anchors?model=llama-3.1-8b&hardware=gaudi3&metric=ttft_ms&"
                                 "input_tokens_min=32768";
    const cJSON *item = NULL;
    double before = 0;
    cJSON *first = get_json(state, TARGET, 200);
    cJSON *second = get_json(state, TARGET, 200);
    assert_string_equal(text(first, "status"), "no record");
    assert_int_equal(cJSON_GetArraySize(member(first, "items")), 0);
    assert_true(cJSON_GetArraySize(member(first, "nearest")) > 0);
    cJSON_ArrayForEach(item, member(first, "nearest"))
    {
        assert_true(number(item, "distance") >= before);
        before = number(item, "distance");
        assert_true(metric(item, "ttft_ms") > 0);
    }
    const cJSON *gap = member(first, "gap");
    assert_string_equal(text(gap, "id"), "llama-3.1-8b~gaudi3~any~ttft_ms~in-32768~conc-any");
    assert_string_equal(text(gap, "status"), "no record");
    assert_true(strlen(text(gap, "question")) > 20);
    assert_true(number(member(second, "gap"), "asked") == number(gap, "asked") + 1);
    cJSON_Delete(first);
    cJSON_Delete(second);
}

/* Questions that nothing answers, and a metric that the nearest still has ("" = nothing has it). */
static const struct near_row {
    const char *target, *metric;
} NEAR_ROWS[] = {
    /* no kind of anchor that a plan is compared with measures memory or the host */
    {"/v1/anchors?metric=kv_token_capacity&model=qwen3-0.6b&hardware=m4-max-40c",
     "kv_token_capacity"},
    {"/v1/anchors?metric=host_us&model=qwen3-0.6b", "host_us"},
    {"/v1/anchors?metric=dispatch_us&hardware=rtx-3060-12gb", "dispatch_us"},
    {"/v1/anchors?metric=launch_us&model=grok-2&hardware=tpu-v5p", "launch_us"},
    /* nothing at all was measured of that model on that part */
    {"/v1/anchors?metric=ttft_ms&model=opt-125m&hardware=m4-max-40c", "ttft_ms"},
    {"/v1/anchors?model=opt-125m&hardware=tpu-v5p&tp=4096", ""},
    {"/v1/anchors?metric=tpot_ms&statistic=p99&model=grok-1&engine=mlx", "tpot_ms"},
};

static void something_is_always_near(void **state)
{
    for (size_t i = 0; i < ARRAY_LEN(NEAR_ROWS); i++) {
        const cJSON *item = NULL;
        cJSON *tree = get_json(state, NEAR_ROWS[i].target, 200);
        double before = 0;
        assert_string_equal(text(tree, "status"), "no record");
        if (cJSON_GetArraySize(member(tree, "nearest")) == 0) {
            fail_msg("nothing is near %s", NEAR_ROWS[i].target);
        }
        cJSON_ArrayForEach(item, member(tree, "nearest"))
        {
            assert_true(number(item, "distance") >= before);
            before = number(item, "distance");
            assert_true(cJSON_IsNull(member(item, "disputed")));
            if (NEAR_ROWS[i].metric[0]) {
                assert_true(metric(item, NEAR_ROWS[i].metric) >= 0);
            }
        }
        cJSON_Delete(tree);
    }
}

static const struct refusal_row {
    const char *target, *words;
    int status;
} REFUSALS[] = {
    {"/v1/anchors?modle=x", "\"suggestion\":\"model\"", 422},
    {"/v1/anchors?input_token_min=1", "\"suggestion\":\"input_tokens_min\"", 422},
    {"/v1/anchors?input_tokens_min=many", "must be a number", 422},
    {"/v1/anchors?input_tokens=", "must be a number", 422},
    {"/v1/anchors?input_tokens=inf", "must be a number", 422},
    {"/v1/anchors?metric=ttft", "\"suggestion\":\"ttft_ms\"", 422},
    {"/v1/anchors?kind=servings", "\"suggestion\":\"serving\"", 422},
    {"/v1/anchors?statistic=p5", "\"suggestion\":\"p50\"", 422},
    {"/v1/anchors?disputed=maybe", "true or false", 422},
    {"/v1/anchors?flag=speculative", "\"suggestion\":\"speculative_suspected\"", 422},
    {"/v1/anchors?source=src-0", "see /v1/sources", 422},
    {"/v1/anchors?model=lama-3.1-8b", "\"suggestion\":\"llama-3.1-8b\"", 422},
    {"/v1/anchors?hardware=h1000-sxm", "no part is called", 422},
    {"/v1/anchors?weights=fp88", "no weight format", 422},
    {"/v1/anchors?limit=0", "from 1 to 1000", 422},
    {"/v1/anchors?cursor=zz", "next_cursor", 422},
    {"/v1/anchors?tp=1&tp=2", "stands twice", 422},
    {"/v1/anchors/llamacpp-27050-32slot-host-samplin",
     "\"suggestion\":\"llamacpp-27050-32slot-host-sampling\"", 404},
    {"/v1/anchors/%00", "", 400},
    {"/v1/anchors/x?limit=3", "unknown argument of a record", 422},
};

static void wrong_arguments_are_named(void **state)
{
    for (size_t i = 0; i < ARRAY_LEN(REFUSALS); i++) {
        int status = 0;
        const char *body = app_kit_get(*state, REFUSALS[i].target, &status);
        if (status != REFUSALS[i].status || !strstr(body, REFUSALS[i].words)) {
            fail_msg("%s: %d %.300s", REFUSALS[i].target, status, body);
        }
    }
}

static void studies_and_rows_name_each_other(void **state)
{
    cJSON *study = get_json(state, "/v1/anchors/vllm-h100-llama31-8b-ttft-vs-length", 200);
    cJSON *row = get_json(state, "/v1/anchors/vllm-h100-llama31-8b-ttft-vs-length-row-11", 200);
    const cJSON *rows = member(study, "rows");
    assert_int_equal(cJSON_GetArraySize(rows), 11);
    assert_string_equal(cJSON_GetArrayItem(rows, 10)->valuestring, text(row, "id"));
    assert_string_equal(text(row, "study"), text(study, "id"));
    assert_true(metric(row, "ttft_ms") == 6852);
    assert_true(number(row, "revision") == 1);
    cJSON_Delete(study);
    cJSON_Delete(row);
}

/* A run that two files list is one anchor under both ids. */
static void further_ids_lead_to_the_same_anchor(void **state)
{
    cJSON *tree =
        get_json(state, "/v1/anchors/aic-infx-qwen3.5-397b-a17b-b300-sxm-sglang-0003", 200);
    assert_string_equal(text(tree, "id"), "qwen3_5_b300_sglang_fp4_agg_1024x1024_c128_cfg736");
    assert_int_equal(cJSON_GetArraySize(member(tree, "aliases")), 1);
    cJSON_Delete(tree);
}

/* Published decode-step attributions whose model and part are in the catalogue: the planner puts
 * the most time where it was measured. */
static const char *const ATTRIBUTIONS[] = {
    "llmservingsim-op-profile-rtx4090-llama31-8b-row-1",
    "llmservingsim-op-profile-rtx4090-llama31-8b-row-6",
    "llmservingsim-op-profile-rtx4090-llama31-8b-row-5",
    "llmservingsim-op-profile-rtxpro6000-row-1",
    "llmservingsim-op-profile-rtxpro6000-row-7",
    "vllm-h100-llama31-8b-itl-ttft-fp8kv-row-17",
    "vllm-b200-llama31-8b-itl-ttft-row-19",
    "imp-1507-attention-share-row-1",
    "imp-1507-attention-share-row-3",
};

static void attributions_agree(void **state)
{
    for (size_t i = 0; i < ARRAY_LEN(ATTRIBUTIONS); i++) {
        char target[TARGET_MAX];
        const cJSON *part = NULL;
        double planned = 0;
        (void)snprintf(target, sizeof(target), "/v1/anchors/%s", ATTRIBUTIONS[i]);
        cJSON *tree = get_json(state, target, 200);
        const cJSON *plan = member(tree, "planned");
        if (!plan || !cJSON_IsTrue(member(plan, "agrees"))) {
            fail_msg("%s does not agree", ATTRIBUTIONS[i]);
        }
        cJSON_ArrayForEach(part, member(plan, "parts"))
        {
            planned += number(part, "planned");
        }
        assert_true(planned > 0.9 && planned < 1.0001);
        cJSON_Delete(tree);
    }
}

static void tables_have_a_line_per_metric(void **state)
{
    int status = 0;
    const char *body = app_kit_get(
        *state,
        "/v1/anchors?format=csv&model=gpt-oss-120b&hardware=h100-sxm&metric=tpot_ms&limit=3",
        &status);
    int lines = 0;
    assert_int_equal(status, 200);
    assert_int_equal(strncmp(body, "id,kind,model_id,model,", 23), 0);
    for (const char *at = body; (at = strstr(at, "\r\n")) != NULL; at += 2) {
        lines++;
    }
    assert_int_equal(lines, 4);
    assert_non_null(strstr(body, ",tpot_ms,mean,"));
    assert_null(strstr(body, ",ttft_ms,"));
}

static struct problem plan_problem(const struct catalogue *cat)
{
    const struct library *lib = &cat->lib;
    struct problem problem = {.lib = lib,
                              .model = library_model(lib, "llama-3.1-8b"),
                              .hw = library_hardware(lib, "h100-sxm")};
    problem.dep.engine = library_engine(lib, "vllm");
    problem.dep.weights = library_weight_format(lib, "bf16");
    problem.dep.kv_cache = library_kv_format(lib, "bf16");
    problem.dep.tp = problem.dep.pp = problem.dep.dp = problem.dep.ep = 1;
    problem.load = (struct workload){
        .concurrency = 8, .input_tokens = 20000, .output_tokens = 2000, .request_rate = NAN};
    return problem;
}

static double measured_ttft(const struct catalogue *cat, const struct problem *problem,
                            const char **ret_id)
{
    struct anchor_measured figure = {.metric = METRIC_TTFT};
    anchors_measured(cat, problem, &figure, 1);
    *ret_id = figure.anchor;
    return figure.value;
}

/* The published load test: 20,000 in, 2,000 out, 8 at once: a median TTFT of 763.6 ms. */
static void plans_show_their_nearest(void **state)
{
    struct app_kit *kit = *state;
    const struct catalogue *cat = store_catalogue(kit->store);
    struct problem problem = plan_problem(cat);
    struct json_out out;
    const char *id = NULL;
    arena_reset(kit->arena);
    json_out_init(&out, kit->arena, 4096, 65536);
    anchors_render(&out, cat, &problem);
    assert_true(json_out_ok(&out));
    cJSON *tree = cJSON_ParseWithLength(out.text, out.length);
    assert_int_equal(cJSON_GetArraySize(tree), PLAN_ANCHORS_MAX);
    const cJSON *first = cJSON_GetArrayItem(tree, 0);
    assert_true(cJSON_IsTrue(member(first, "exact")));
    assert_true(number(member(first, "metrics"), "ttft_ms_p50") == 763.6);
    assert_true(number(member(first, "conditions"), "input_tokens") == 20000);
    cJSON_Delete(tree);
    /* A median is not the mean that a plan states; the sweep of prompts is. */
    assert_true(isnan(measured_ttft(cat, &problem, &id)));
    problem.load = (struct workload){
        .concurrency = 1, .input_tokens = 30000, .output_tokens = 1, .request_rate = NAN};
    assert_true(measured_ttft(cat, &problem, &id) == 1098);
    assert_string_equal(id, "vllm-h100-llama31-8b-ttft-vs-length-row-4");
    problem.load.concurrency = 3;
    assert_true(isnan(measured_ttft(cat, &problem, &id)));
    assert_null(id);
    store_release(kit->store, cat);
}

static void reports_fit_a_terminal(void **state)
{
    struct app_kit *kit = *state;
    const struct catalogue *cat = store_catalogue(kit->store);
    struct problem problem = plan_problem(cat);
    struct json_out out;
    int column = 0;
    arena_reset(kit->arena);
    json_out_init(&out, kit->arena, 4096, 65536);
    assert_int_equal(anchors_render_text(&out, cat, &problem), PLAN_ANCHORS_MAX);
    for (size_t i = 0; i < out.length; i++) {
        column = out.text[i] == '\n' ? 0 : column + 1;
        assert_true(column <= 100);
    }
    store_release(kit->store, cat);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(filters_hold),
        cmocka_unit_test(ranges_hold_at_both_ends),
        cmocka_unit_test(disputed_ones_say_why),
        cmocka_unit_test(pages_join),
        cmocka_unit_test(no_record_shows_the_nearest_and_counts),
        cmocka_unit_test(something_is_always_near),
        cmocka_unit_test(wrong_arguments_are_named),
        cmocka_unit_test(studies_and_rows_name_each_other),
        cmocka_unit_test(further_ids_lead_to_the_same_anchor),
        cmocka_unit_test(attributions_agree),
        cmocka_unit_test(tables_have_a_line_per_metric),
        cmocka_unit_test(plans_show_their_nearest),
        cmocka_unit_test(reports_fit_a_terminal),
    };
    return cmocka_run_group_tests(tests, app_kit_setup, app_kit_teardown);
}
