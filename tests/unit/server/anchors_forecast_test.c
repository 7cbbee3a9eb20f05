/* Predictions beside the figures of measured runs, in the list, the record and the table. */
#include "anchors_forecast.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "app_kit.h"

#define STORED "2026_04_06_llama_3_1_70b_b200_sxm_vllm_fp8_agg_1024x1024_c4_tp2_ep1_714"

/* The figure of a metric and statistic; NULL. */
static const cJSON *figure(const cJSON *anchor, const char *metric, const char *statistic)
{
    const cJSON *item = NULL;
    cJSON_ArrayForEach(item, app_kit_at(anchor, "metrics"))
    {
        if (strcmp(app_kit_text(item, "metric"), metric) == 0 &&
            strcmp(app_kit_text(item, "statistic"), statistic) == 0)
            return item;
    }
    return NULL;
}

/* A residual is measured/predicted - 1, and it is beyond the interval when the figure is. */
static void check_figure(const cJSON *item, const char *how)
{
    double measured = app_kit_number(item, "value"), low = app_kit_number(item, "low");
    double high = app_kit_number(item, "high");
    assert_non_null(item);
    assert_string_equal(app_kit_text(item, "prediction"), how);
    assert_true(fabs(app_kit_number(item, "residual") -
                     (measured / app_kit_number(item, "predicted") - 1.0)) < 1e-3);
    assert_true(low < high);
    assert_int_equal(cJSON_IsTrue(app_kit_at(item, "beyond_interval")),
                     measured < low || measured > high);
}

static void stored_ones_are_shown(void **state)
{
    cJSON *anchor = app_kit_json(*state, "/v1/anchors/" STORED, 200);
    check_figure(figure(anchor, "tpot_ms", "mean"), "stored");
    check_figure(figure(anchor, "ttft_ms", "mean"), "stored");
    cJSON_Delete(anchor);
}

/* What the backtest shows with the run left out is what the anchor shows. */
static void backtest_and_anchor_agree(void **state)
{
    const cJSON *row = NULL;
    cJSON *page = app_kit_json(*state, "/v1/backtest?left_out=run&limit=20", 200);
    cJSON_ArrayForEach(row, app_kit_at(page, "items"))
    {
        cJSON *anchor = app_kit_json(*state, app_kit_text(row, "links/anchor"), 200);
        const cJSON *item = figure(anchor, app_kit_text(row, "metric"), "mean");
        assert_true(app_kit_number(item, "value") == app_kit_number(row, "measured"));
        assert_true(
            fabs(app_kit_number(item, "predicted") / app_kit_number(row, "left_out/run/predicted") -
                 1.0) < 1e-4);
        cJSON_Delete(anchor);
    }
    cJSON_Delete(page);
}

/* Runs of a source that no fit rests on: means are predicted, percentiles are not. */
static void others_are_computed(void **state)
{
    const cJSON *anchor = NULL;
    int n = 0;
    cJSON *list = app_kit_json(
        *state, "/v1/anchors?q=dstack&engine=vllm&hardware=h100-sxm&metric=tpot_ms&limit=50", 200);
    cJSON_ArrayForEach(anchor, app_kit_at(list, "items"))
    {
        const cJSON *mean = figure(anchor, "tpot_ms", "mean");
        const cJSON *worst = figure(anchor, "tpot_ms", "p99");
        assert_true(worst == NULL || app_kit_at(worst, "predicted") == NULL);
        if (app_kit_at(mean, "predicted") == NULL)
            continue;
        check_figure(mean, "computed");
        n++;
    }
    assert_true(n > 10);
    cJSON_Delete(list);
}

/* Kinds that are no server under load have no prediction, and their record stays as it is. */
static void other_kinds_have_none(void **state)
{
    const cJSON *anchor = NULL, *item = NULL;
    cJSON *list = app_kit_json(*state, "/v1/anchors?kind=capacity&limit=20", 200);
    assert_int_equal(cJSON_GetArraySize(app_kit_at(list, "items")), 20);
    cJSON_ArrayForEach(anchor, app_kit_at(list, "items"))
    {
        assert_true(cJSON_IsString(app_kit_at(anchor, "model")));
        assert_non_null(app_kit_at(anchor, "disputed"));
        cJSON_ArrayForEach(item, app_kit_at(anchor, "metrics"))
        {
            assert_null(app_kit_at(item, "predicted"));
        }
    }
    cJSON_Delete(list);
}

static int cells(const char *line)
{
    int n = 1;
    bool quoted = false;
    for (; *line != '\0' && *line != '\r'; line++) {
        quoted = *line == '"' ? !quoted : quoted;
        n += *line == ',' && !quoted;
    }
    return n;
}

/* Every line of a table has the cells of its header, with a prediction or without. */
static void tables_have_their_columns(void **state)
{
    int status = 0, n_predicted = 0, n_lines = 0;
    const char *table = app_kit_get(
        *state, "/v1/anchors?format=csv&limit=200&model=llama-3.1-70b&hardware=b200-sxm", &status);
    int columns = cells(table);
    assert_non_null(strstr(table, ",beyond_interval,prediction\r\n"));
    for (const char *line = table; (line = strchr(line, '\n')) != NULL && *++line != '\0';) {
        assert_int_equal(cells(line), columns);
        n_lines++;
    }
    for (const char *at = table; (at = strstr(at, ",stored\r\n")) != NULL; at++)
        n_predicted++;
    assert_true(n_lines > 200 && n_predicted > 100);
}

/* A record's text keeps every member and every byte outside of its figures. */
static void members_are_kept(void **state)
{
    static const char DOC[] =
        "{\"a\":\"x,}\\\"\",\"metrics\":[{\"metric\":\"tpot_ms\",\"statistic\":"
        "\"mean\",\"value\":8}, {\"metric\":\"tpot_ms\",\"statistic\":\"p99\","
        "\"value\":8}],\"b\":null}";
    static const char WANTED[] =
        "{\"id\":1,\"a\":\"x,}\\\"\",\"metrics\":[{\"metric\":\"tpot_ms\",\"statistic\":\"mean\","
        "\"value\":8,\"predicted\":10,\"low\":9,\"high\":null,\"residual\":-0.2,\"beyond_"
        "interval\":"
        "null,\"prediction\":\"computed\"},{\"metric\":\"tpot_ms\",\"statistic\":\"p99\",\"value\":"
        "8}],"
        "\"b\":null}";
    struct app_kit *kit = *state;
    struct forecast forecast = {.n = 1};
    struct json_out out;
    forecast.figures[0] =
        (struct forecast_figure){.metric = METRIC_TPOT, .measured = 8, .origin = ORIGIN_PLANNED};
    forecast.figures[0].by[HOLDOUT_RUN] = (struct forecast_value){10, 9, NAN, TIER_MODEL};
    arena_reset(kit->arena);
    json_out_init(&out, kit->arena, 1024, 4096);
    json_begin_object(&out);
    json_put_number(&out, "id", 1);
    assert_true(anchor_put_members(&out, DOC, sizeof(DOC) - 1, &forecast));
    json_end_object(&out);
    assert_true(json_out_ok(&out));
    assert_int_equal(out.length, sizeof(WANTED) - 1);
    assert_memory_equal(out.text, WANTED, out.length);
    assert_false(anchor_put_members(&out, "{}", 2, &forecast));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stored_ones_are_shown),     cmocka_unit_test(backtest_and_anchor_agree),
        cmocka_unit_test(others_are_computed),       cmocka_unit_test(other_kinds_have_none),
        cmocka_unit_test(tables_have_their_columns), cmocka_unit_test(members_are_kept),
    };
    return cmocka_run_group_tests(tests, app_kit_setup, app_kit_teardown);
}
