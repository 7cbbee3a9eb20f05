/* Engine logs as records, as requests and as a comparison: GET /v1/capacity, ?set=memory. */
#include "capacity.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "app_kit.h"

/* Logs of the bundle. */
#define LOGS 131

static cJSON *get(const struct app_kit *kit, const char *target)
{
    int status = 0;
    const char *body = app_kit_get(kit, target, &status);
    assert_int_equal(status, 200);
    cJSON *json = cJSON_Parse(body);
    assert_non_null(json);
    return json;
}

static double number(const cJSON *object, const char *name)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, name);
    return item && cJSON_IsNumber(item) ? item->valuedouble : (double)NAN;
}

static void the_logs_are_records(void **state)
{
    const struct app_kit *kit = *state;
    cJSON *list = get(kit, "/v1/capacity?engine=trtllm&limit=100");
    assert_int_equal((int)number(list, "total"), 13);
    cJSON_Delete(list);
    /* https://github.com/vllm-project/vllm/issues/10517: 1952 blocks of 16 tokens */
    cJSON *item = get(kit, "/v1/capacity/vllm-10517-llama31-8b-3090-20k");
    const cJSON *observed = cJSON_GetObjectItemCaseSensitive(item, "observed");
    assert_int_equal((int)number(observed, "kv_tokens"), 31232);
    cJSON_Delete(item);
}

/* A log is planned, or it says why not; every usable one is planned. */
static void every_usable_log_is_planned(void **state)
{
    const struct app_kit *kit = *state;
    const struct catalogue *catalogue = store_catalogue(kit->store);
    struct arena *arena = arena_new((size_t)64 << 20);
    const struct capacity_score *score = capacity_score_new(kit->store, catalogue, arena);
    assert_non_null(score);
    assert_int_equal(score->n_cases, LOGS);
    for (int i = 0; i < score->n_cases; i++) {
        const struct capacity_case *one = &score->cases[i];
        assert_true(one->status_reason != NULL || strcmp(one->status, "usable") == 0);
        if (one->fault != NULL && strcmp(one->status, "usable") == 0)
            fail_msg("%s: %s", one->id, one->fault);
    }
    arena_free(arena);
    store_release(kit->store, catalogue);
}

/* A score made by hand: four rows of one figure, two engines. */
static void groups_count_errors(void **state)
{
    (void)state;
    struct arena *arena = arena_new((size_t)1 << 20);
    struct capacity_case cases[] = {
        {.id = "a",
         .engine = "vllm",
         .kind = CAPACITY_DENSE,
         .is_judged = true,
         .seen = CAPACITY_FAILS,
         .said = CAPACITY_FAILS},
        {.id = "b",
         .engine = "vllm",
         .kind = CAPACITY_MLA,
         .is_judged = true,
         .seen = CAPACITY_FAILS,
         .said = CAPACITY_UNKNOWN,
         .fits = true},
        {.id = "c",
         .engine = "tgi",
         .kind = CAPACITY_DENSE,
         .seen = CAPACITY_FITS,
         .said = CAPACITY_FAILS},
    };
    struct capacity_row rows[] = {
        {0, CAPACITY_TOKENS, 100, 100, 0.0},
        {1, CAPACITY_TOKENS, 100, 104, 0.04},
        {2, CAPACITY_TOKENS, 100, 50, -0.5},
    };
    const struct capacity_score score = {cases, 3, rows, 3};
    int n = 0, counts[3][3];
    const struct capacity_group *groups = capacity_groups(&score, arena, &n);
    assert_int_equal(n, 6); /* all; vllm, its dense, its mla; tgi, its dense */
    assert_int_equal(groups[0].n, 3);
    assert_int_equal(groups[0].within_1, 1);
    assert_int_equal(groups[0].within_5, 2);
    assert_true(groups[0].median == 0.04);
    assert_true(groups[0].p90 == 0.5);
    capacity_verdicts(&score, NULL, counts);
    assert_int_equal(counts[CAPACITY_FAILS][CAPACITY_FAILS], 1);
    assert_int_equal(counts[CAPACITY_FAILS][CAPACITY_UNKNOWN], 1);
    assert_int_equal(counts[CAPACITY_FITS][CAPACITY_FAILS], 0); /* not judged */
    assert_int_equal(capacity_not_fitting(&score, NULL, CAPACITY_FAILS),
                     1); /* b fits, if tightly */
    assert_int_equal(capacity_not_fitting(&score, "tgi", CAPACITY_FITS), 0);
    assert_int_equal(capacity_worst(&score, arena)[0], 2);
    arena_free(arena);
}

static void the_comparison_is_served(void **state)
{
    const struct app_kit *kit = *state;
    int status = 0;
    cJSON *json = get(kit, "/v1/backtest?set=memory");
    assert_int_equal((int)number(json, "total"), LOGS);
    assert_true(cJSON_GetArraySize(cJSON_GetObjectItemCaseSensitive(json, "groups")) > 10);
    cJSON_Delete(json);
    const char *text = app_kit_get(kit, "/v1/backtest?set=memory&format=text", &status);
    assert_int_equal(status, 200);
    assert_non_null(strstr(text, "OUT OF MEMORY AT START"));
    const char *page = app_kit_get(kit, "/backtest", &status);
    assert_int_equal(status, 200);
    assert_non_null(strstr(page, "Memory against engine logs"));
    const char *csv = app_kit_get(kit, "/v1/backtest?set=memory&format=csv", &status);
    assert_int_equal(status, 200);
    assert_int_equal(strncmp(csv, "log,engine,kind,figure,", 23), 0);
    (void)app_kit_get(kit, "/v1/backtest?set=memory&metric=tpot_ms", &status);
    assert_int_equal(status, 422);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_logs_are_records),
        cmocka_unit_test(every_usable_log_is_planned),
        cmocka_unit_test(groups_count_errors),
        cmocka_unit_test(the_comparison_is_served),
    };
    return cmocka_run_group_tests(tests, app_kit_setup, app_kit_teardown);
}
