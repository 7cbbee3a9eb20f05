/* Errors of a store of four runs against a computation by hand; GET /v1/backtest as whole requests.
 */
#include "backtest.h"

#include <setjmp.h>
#include <sqlite3.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#include "app_kit.h"
#include "backtest_report.h"
#include "compiler.h"

#define TARGET_MAX 900
#define TOLERANCE 1e-5

/* ---- a store of four runs ---- */

/*
 * Four runs of Llama 3.1 70B in fp8 on vLLM, tp 2, 1,024 tokens in and out: A and B on a B200 with
 * 4 and 8 requests in flight, C and D on an H100 with 8 and 16. Predicted over measured of their
 * time per token: 1.1, 0.8, 1.5, 1.0; with the cell left out 1.2, 0.9, 2.0, 0.8; with the model
 * left out the same, none of D. Only A has a time to the first token, 1.25 of the measured one.
 * Every interval is 0.75 to 1.1 times the prediction.
 */
static const struct {
    const char *id;
    double tpot, cell, model, ttft; /* of what was measured; 0 = none */
} RUNS[] = {
    {"2026_04_06_llama_3_1_70b_b200_sxm_vllm_fp8_agg_1024x1024_c4_tp2_ep1_714", 1.1, 1.2, 1.2,
     1.25},
    {"2026_04_06_llama_3_1_70b_b200_sxm_vllm_fp8_agg_1024x1024_c8_tp2_ep1_686", 0.8, 0.9, 0.9, 0},
    {"2026_04_06_llama_3_1_70b_h100_sxm_vllm_fp8_agg_1024x1024_c8_tp2_ep1_630", 1.5, 2.0, 2.0, 0},
    {"2026_04_06_llama_3_1_70b_h100_sxm_vllm_fp8_agg_1024x1024_c16_tp2_ep1_918", 1.0, 0.8, 0, 0},
};

static const char PUT[] =
    "INSERT INTO predictions SELECT '%s', %.9g * t.value, nullif(%.9g * t.value, 0), nullif(%.9g * "
    "t.value, 0), nullif(%.9g * f.value, 0), NULL, NULL FROM anchor_metrics t JOIN anchor_metrics "
    "f "
    "ON f.anchor_id = t.anchor_id AND f.metric = 'ttft_ms' AND f.statistic = 'mean' WHERE "
    "t.anchor_id = '%s' AND t.metric = 'tpot_ms' AND t.statistic = 'mean'";

struct small {
    char path[64];
    struct store *store;
    const struct catalogue *catalogue;
    struct backtest *backtest;
    struct arena *arena;
    unsigned char *keep;
};

static void run_sql(sqlite3 *db, const char *sql)
{
    if (sqlite3_exec(db, sql, NULL, NULL, NULL) != SQLITE_OK)
        fail_msg("%s: %s", sqlite3_errmsg(db), sql);
}

static void shrink(const char *path)
{
    sqlite3 *db = NULL;
    char sql[1000];
    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    run_sql(db, "DELETE FROM predictions; DELETE FROM residual_notes;"
                "UPDATE intervals SET low = 0.75, high = 1.1;"
                "UPDATE host_costs SET value = 0 WHERE calibration_id LIKE '%-model_correlation'");
    for (size_t i = 0; i < ARRAY_LEN(RUNS); i++) {
        snprintf(sql, sizeof(sql), PUT, RUNS[i].id, RUNS[i].tpot, RUNS[i].cell, RUNS[i].model,
                 RUNS[i].ttft, RUNS[i].id);
        run_sql(db, sql);
    }
    snprintf(sql, sizeof(sql),
             "INSERT INTO residual_notes VALUES ('%s', 'tpot_ms', 'known', 'it is made up', NULL, "
             "NULL)",
             RUNS[2].id);
    run_sql(db, sql);
    assert_int_equal(sqlite3_close(db), SQLITE_OK);
}

static int small_setup(void **state)
{
    static struct small small = {.path = "/tmp/regime-backtest-XXXXXX"};
    char error[STORE_ERROR_MAX] = "";
    int file = mkstemp(small.path);
    assert_true(file >= 0 && close(file) == 0 && unlink(small.path) == 0);
    if (!store_open(small.path, &small.store, error))
        fail_msg("%s", error);
    store_close(small.store);
    shrink(small.path);
    if (!store_open(small.path, &small.store, error))
        fail_msg("%s", error);
    small.catalogue = store_catalogue(small.store);
    small.backtest = backtest_new(small.store, small.catalogue);
    small.arena = arena_new((size_t)8 << 20);
    assert_non_null(small.backtest);
    small.keep = calloc((size_t)small.backtest->n, 1);
    *state = &small;
    return 0;
}

static int small_teardown(void **state)
{
    struct small *small = *state;
    char path[80];
    free(small->keep);
    backtest_free(small->backtest);
    arena_free(small->arena);
    store_release(small->store, small->catalogue);
    store_close(small->store);
    for (size_t i = 0; i < 3; i++) {
        snprintf(path, sizeof(path), "%s%s", small->path, (const char *[]){"", "-wal", "-shm"}[i]);
        unlink(path);
    }
    return 0;
}

static struct backtest_choice everything(void)
{
    struct backtest_choice choice = {.set = SET_CALIBRATED, .metric = ANCHOR_METRIC_COUNT};
    for (int i = 0; i < DIMENSION_COUNT; i++)
        choice.value[i] = -1;
    return choice;
}

static void check_errors(const struct backtest_errors *got, const struct backtest_errors *wanted,
                         const char *what)
{
    const double pairs[][2] = {{got->median, wanted->median},
                               {got->p90, wanted->p90},
                               {got->bias, wanted->bias},
                               {got->inside, wanted->inside},
                               {got->covered, wanted->covered}};
    if (got->n != wanted->n)
        fail_msg("%s: %d rows, not %d", what, got->n, wanted->n);
    for (size_t i = 0; i < ARRAY_LEN(pairs); i++)
        if (isnan(pairs[i][0]) != isnan(pairs[i][1]) || fabs(pairs[i][0] - pairs[i][1]) > TOLERANCE)
            fail_msg("%s, figure %zu: %.9g, not %.9g", what, i, pairs[i][0], pairs[i][1]);
}

/*
 * Nothing left out: errors 0.1, -0.2, 0.5, 0: sizes 0, 0.1, 0.2, 0.5; the least that half of four
 * do not exceed is the second, that nine tenths do not the fourth; with signs -0.2, 0, 0.1, 0.5.
 *
 * Run left out: the only run near A is B, at distance |log2(8/4)|/2, and 1/4 more because nothing
 * is stated of its version: a weight of w = exp(-3/4) = 0.472367; k = w / (w + 1/2) = 0.485791, so
 * A is corrected by 0.8^-k = 1.114495 to 1.225944, B by 1.1^-k = 0.954754 to 0.763804, C by 1
 * to 1.5, D by 1.5^-k = 0.821214. Measured over predicted is 0.816, 1.309, 0.667, 1.218: A alone
 * lies within 0.75 to 1.1. Drawn without the own cell: for A and B from 0.667 to 1.218 (A in, B
 * out), for C and D from 0.816 to 1.309 (C out, D in).
 *
 * Cell left out: errors 0.2, -0.1, 1.0, -0.2; measured over predicted 0.833, 1.111, 0.5, 1.25: A
 * alone within 0.75 to 1.1; A and B within 0.5 to 1.25, C and D outside of 0.833 to 1.111.
 *
 * Model left out: the same without D; A and B outside of 0.5 to 0.5, C of 0.833 to 1.111.
 */
static void errors_by_hand(void **state)
{
    static const struct backtest_errors WANTED[HOLDOUT_COUNT] = {
        [HOLDOUT_NONE] = {4, 0.1, 0.5, 0.0, NAN, NAN},
        [HOLDOUT_RUN] = {4, 0.225944, 0.5, -0.178786, 0.25, 0.5},
        [HOLDOUT_CELL] = {4, 0.2, 1.0, -0.1, 0.25, 0.5},
        [HOLDOUT_MODEL] = {3, 0.2, 1.0, 0.2, 1.0 / 3.0, 0.0},
    };
    struct small *small = *state;
    const struct backtest_choice choice = everything();
    int n = 0;
    assert_int_equal(backtest_choose(small->backtest, &choice, small->keep), 5);
    const struct backtest_group *groups =
        backtest_groups(small->backtest, small->keep, BY_ALL, small->arena, &n);
    assert_int_equal(n, 2);
    assert_int_equal(groups[0].metric, METRIC_TPOT);
    for (int i = 0; i < HOLDOUT_COUNT; i++)
        check_errors(&groups[0].errors[i], &WANTED[i], holdout_name((enum holdout)i));
    assert_int_equal(groups[1].metric, METRIC_TTFT);
    check_errors(&groups[1].errors[HOLDOUT_NONE],
                 &(struct backtest_errors){1, 0.25, 0.25, 0.25, NAN, NAN}, "first token");
}

static void groups_of_parts_and_loads(void **state)
{
    struct small *small = *state;
    struct backtest_choice choice = everything();
    int n = 0;
    choice.metric = METRIC_TPOT;
    assert_int_equal(backtest_choose(small->backtest, &choice, small->keep), 4);
    const struct backtest_group *groups =
        backtest_groups(small->backtest, small->keep, BY_HARDWARE, small->arena, &n);
    assert_int_equal(n, 2);
    for (int i = 0; i < n; i++) {
        const char *part =
            backtest_value_name(small->backtest, small->catalogue, BY_HARDWARE, groups[i].value);
        bool b200 = strcmp(part, "b200-sxm") == 0;
        assert_true(b200 || strcmp(part, "h100-sxm") == 0);
        /* of two rows the first is the median, the second the 90th percentile */
        check_errors(&groups[i].errors[HOLDOUT_NONE],
                     b200 ? &(struct backtest_errors){2, 0.1, 0.2, -0.2, NAN, NAN}
                          : &(struct backtest_errors){2, 0.0, 0.5, 0.0, NAN, NAN},
                     part);
    }
    /* three of the four have at most 8 in flight */
    groups = backtest_groups(small->backtest, small->keep, BY_CONCURRENCY, small->arena, &n);
    assert_int_equal(n, 2);
    assert_int_equal(groups[0].n, 3);
    assert_string_equal(
        backtest_value_name(small->backtest, small->catalogue, BY_CONCURRENCY, groups[0].value),
        "1-8");
    choice.value[BY_HARDWARE] = groups[0].value + 1000;
    assert_int_equal(backtest_choose(small->backtest, &choice, small->keep), 0);
}

/* By factor with the cell left out: C is off by 2, D by 1.25, A by 1.2, B by 1.11. */
static void farthest_off_first(void **state)
{
    static const int ORDER[] = {2, 3, 0, 1};
    const struct small *small = *state;
    const struct backtest *backtest = small->backtest;
    int at = 0;
    for (int i = 0; i < backtest->n_predicted[HOLDOUT_CELL]; i++) {
        const struct backtest_row *row = &backtest->rows[backtest->by_factor[HOLDOUT_CELL][i]];
        assert_true(at < (int)ARRAY_LEN(ORDER));
        assert_string_equal(small->catalogue->anchors.ids[row->anchor], RUNS[ORDER[at++]].id);
        assert_int_equal(row->note >= 0, at == 1);
    }
    assert_int_equal(at, (int)ARRAY_LEN(ORDER));
    assert_string_equal(backtest->notes[0].why, "it is made up");
}

/* ---- whole requests, of the bundled records ---- */

static double error_of(const cJSON *row, const char *left_out)
{
    char path[64];
    snprintf(path, sizeof(path), "left_out/%s/error", left_out);
    return app_kit_number(row, path);
}

/* Every row of a metric once, the farthest off first. */
static void pages_join(void **state)
{
    struct app_kit *kit = *state;
    char target[TARGET_MAX] = "/v1/backtest?metric=tpot_ms&limit=500";
    double before = INFINITY, total = 0;
    int n = 0;
    for (bool more = true; more;) {
        cJSON *page = app_kit_json(kit, target, 200);
        const cJSON *row = NULL;
        cJSON_ArrayForEach(row, app_kit_at(page, "items"))
        {
            double factor = fabs(log1p(error_of(row, "cell")));
            assert_true(factor <= before + 1e-4);
            assert_string_equal(app_kit_text(row, "metric"), "tpot_ms");
            before = factor;
            n++;
        }
        total = app_kit_number(page, "total");
        more = cJSON_IsString(app_kit_at(page, "next_cursor"));
        snprintf(target, sizeof(target), "/v1/backtest?metric=tpot_ms&limit=500&cursor=%s",
                 app_kit_text(page, "next_cursor"));
        cJSON_Delete(page);
    }
    assert_true(n > 1000 && n == (int)total);
}

static void filters_hold(void **state)
{
    static const struct {
        const char *query, *path, *value;
    } ROWS[] = {
        {"engine=trtllm", "conditions/engine", "tensorrt-llm"},
        {"hardware=NVIDIA%20H200%20141GB", "conditions/hardware", "h200-sxm"},
        {"model=openai%2Fgpt-oss-120b", "conditions/model", "gpt-oss-120b"},
        {"weights=nvfp4", "conditions/weights", "nvfp4"},
        {"metric=ttft_ms", "metric", "ttft_ms"},
        {"sort=id", "metric", NULL},
        {"nearness=anchored", "left_out/run/tier", "anchored"},
        {"set=other&metric=e2e_ms", "metric", "e2e_ms"},
        {"set=local&engine=mlx&metric=decode_tok_s", "conditions/engine", "mlx"},
    };

    for (size_t i = 0; i < ARRAY_LEN(ROWS); i++) {
        char target[TARGET_MAX];
        const cJSON *row = NULL;
        snprintf(target, sizeof(target), "/v1/backtest?limit=200&%s", ROWS[i].query);
        cJSON *page = app_kit_json(*state, target, 200);
        assert_true(cJSON_GetArraySize(app_kit_at(page, "items")) > 20);
        cJSON_ArrayForEach(row, app_kit_at(page, "items"))
        {
            if (ROWS[i].value != NULL)
                assert_string_equal(app_kit_text(row, ROWS[i].path), ROWS[i].value);
        }
        cJSON_Delete(page);
    }
}

static void rows_are_chosen_by_their_errors(void **state)
{
    const cJSON *row = NULL;
    cJSON *page = app_kit_json(
        *state, "/v1/backtest?left_out=run&min_error=0.3&inside=false&sort=id&limit=1000", 200);
    assert_true(cJSON_GetArraySize(app_kit_at(page, "items")) > 10);
    cJSON_ArrayForEach(row, app_kit_at(page, "items"))
    {
        double low = app_kit_number(row, "left_out/run/low");
        double high = app_kit_number(row, "left_out/run/high");
        double measured = app_kit_number(row, "measured");
        assert_true(fabs(error_of(row, "run")) >= 0.3 - 1e-4);
        assert_true(cJSON_IsFalse(app_kit_at(row, "left_out/run/inside")));
        assert_true(measured <= low * 1.0001 || measured >= high * 0.9999);
    }
    cJSON_Delete(page);
}

/* A link to a plan is answered under the row's own conditions, one to an anchor by that anchor. */
static void links_are_answered(void **state)
{
    struct app_kit *kit = *state;
    static const char *const TARGETS[] = {
        "/v1/backtest?limit=12", "/v1/backtest?set=other&limit=12&sort=id",
        "/v1/backtest?set=local&limit=30", "/v1/backtest?set=local&sort=id&limit=30",
        "/v1/backtest?engine=sglang&sort=id&limit=3"};
    for (size_t i = 0; i < ARRAY_LEN(TARGETS); i++) {
        cJSON *page = app_kit_json(kit, TARGETS[i], 200);
        const cJSON *row = NULL;
        cJSON_ArrayForEach(row, app_kit_at(page, "items"))
        {
            cJSON *plan = app_kit_json(kit, app_kit_text(row, "links/plan"), 200);
            cJSON *anchor = app_kit_json(kit, app_kit_text(row, "links/anchor"), 200);
            assert_string_equal(app_kit_text(plan, "request/model"),
                                app_kit_text(row, "conditions/model"));
            if (app_kit_number(row, "conditions/depth") != app_kit_number(row, "conditions/depth"))
                assert_true(app_kit_number(plan, "request/workload/input_tokens") ==
                            app_kit_number(row, "conditions/input_tokens"));
            assert_string_equal(app_kit_text(anchor, "id"), app_kit_text(row, "anchor"));
            assert_true(strncmp(app_kit_text(row, "source/url"), "http", 4) == 0);
            cJSON_Delete(plan);
            cJSON_Delete(anchor);
        }
        cJSON_Delete(page);
    }
}

static void wrong_arguments_are_named(void **state)
{
    static const struct {
        const char *query, *pointer, *suggestion;
    } ROWS[] = {
        {"metrc=tpot_ms", "?metrc", "metric"},
        {"metric=tpot", "?metric", NULL},
        {"metric=kernel_us", "?metric", NULL},
        {"set=all", "?set", NULL},
        {"left_out=cells", "?left_out", "cell"},
        {"set=other&left_out=cell", "?left_out", "run"},
        {"set=local&left_out=run", "?left_out", "nothing"},
        {"model=llama-3.1-8", "?model", "llama-3.1-8b"},
        {"min_error=-1", "?min_error", NULL},
        {"min_error=nan", "?min_error", NULL},
        {"inside=maybe", "?inside", NULL},
        {"cursor=00", "?cursor", NULL},
        {"cursor=61", "?cursor", NULL},
        {"q=x", "?q", NULL},
        {"limit=0", "?limit", NULL},
        {"sort=worst&sort=id", "?sort", NULL},
    };

    for (size_t i = 0; i < ARRAY_LEN(ROWS); i++) {
        char target[TARGET_MAX];
        snprintf(target, sizeof(target), "/v1/backtest?%s", ROWS[i].query);
        cJSON *problem = app_kit_json(*state, target, 422);
        const cJSON *fault = cJSON_GetArrayItem(app_kit_at(problem, "errors"), 0);
        assert_string_equal(app_kit_text(fault, "pointer"), ROWS[i].pointer);
        if (ROWS[i].suggestion != NULL)
            assert_string_equal(app_kit_text(fault, "suggestion"), ROWS[i].suggestion);
        cJSON_Delete(problem);
    }
}

/* At most 100 columns, the farthest off among them; a table has a line per row. */
static void reports_and_tables(void **state)
{
    int status = 0, column = 0, blank = 0, lines = 0;
    const char *text = app_kit_get(*state, "/v1/backtest?format=text", &status);
    assert_int_equal(status, 200);
    for (const char *at = text; *at != '\0'; at++) {
        bool continues = ((unsigned char)*at & 0xc0) == 0x80;
        column = *at == '\n' ? 0 : column + !continues;
        blank = *at == ' ' ? column : column ? blank : 0;
        /* an id alone behind its number may be longer */
        if (column > 100 && blank > 4)
            fail_msg("a line is longer than 100 columns: %.120s", at - 100);
    }
    assert_non_null(strstr(text, "cell left out"));
    assert_non_null(strstr(text, "OTHER SETS"));
    const char *table = app_kit_get(*state, "/v1/backtest?format=csv&limit=30", &status);
    for (const char *at = table; *at != '\0'; at++)
        lines += *at == '\n';
    assert_int_equal(lines, 31);
    assert_true(strncmp(table, "anchor,metric,set,engine,", 25) == 0);
}

/* Of each figure the twenty that are farthest off say why, or that nobody knows. */
static void the_worst_are_explained(void **state)
{
    static const char *const METRICS[] = {"tpot_ms", "ttft_ms"};
    int n_silent = 0;
    for (size_t i = 0; i < ARRAY_LEN(METRICS); i++) {
        char target[TARGET_MAX];
        const cJSON *row = NULL;
        snprintf(target, sizeof(target), "/v1/backtest?limit=20&metric=%s", METRICS[i]);
        cJSON *page = app_kit_json(*state, target, 200);
        cJSON_ArrayForEach(row, app_kit_at(page, "items"))
        {
            if (strlen(app_kit_text(row, "explanation/why")) < 20) {
                print_error("no explanation in db/records/calibration/explained.json: %s, %s\n",
                            app_kit_text(row, "anchor"), METRICS[i]);
                n_silent++;
            }
        }
        cJSON_Delete(page);
    }
    assert_int_equal(n_silent, 0);
}

int main(void)
{
    const struct CMUnitTest small[] = {
        cmocka_unit_test(errors_by_hand),
        cmocka_unit_test(groups_of_parts_and_loads),
        cmocka_unit_test(farthest_off_first),
    };
    const struct CMUnitTest whole[] = {
        cmocka_unit_test(pages_join),
        cmocka_unit_test(filters_hold),
        cmocka_unit_test(rows_are_chosen_by_their_errors),
        cmocka_unit_test(links_are_answered),
        cmocka_unit_test(wrong_arguments_are_named),
        cmocka_unit_test(reports_and_tables),
        cmocka_unit_test(the_worst_are_explained),
    };
    int failed = cmocka_run_group_tests_name("four runs", small, small_setup, small_teardown);
    return failed + cmocka_run_group_tests_name("records", whole, app_kit_setup, app_kit_teardown);
}
