/* A sweep says of each point what a plan of that point says, in three formats, and lists every
 * fault of a question at once. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "app_kit.h"
#include "grid.h"
#include "json_memory.h"
#include "negotiate.h"
#include "reply_stream.h"
#include "sweep_stream.h"

#define POINTS_MAX 64

/* POST /v1/sweep?query: the body, until the next request. */
static const char *sweep(const struct app_kit *kit, const char *query, const char *body,
                         int *ret_status)
{
    char target[200];

    snprintf(target, sizeof(target), "/v1/sweep%s", query);
    return app_kit_post(kit, target, body, ret_status);
}

static cJSON *sweep_json(const struct app_kit *kit, const char *body)
{
    int status = 0;
    const char *text = sweep(kit, "", body, &status);
    cJSON *tree = cJSON_Parse(text);

    if (status != 200 || !tree)
        fail_msg("%d %.300s", status, text);
    return tree;
}

static const cJSON *cell(const cJSON *table, const char *column, int point)
{
    const cJSON *columns = cJSON_GetObjectItemCaseSensitive(table, "columns");
    const cJSON *list = cJSON_GetObjectItemCaseSensitive(columns, column);
    const cJSON *item = cJSON_GetArrayItem(list, point);

    if (!item)
        fail_msg("no value %d of %s", point, column);
    return item;
}

#define BASE "\"base\":{\"model\":\"llama-3.1-8b\",\"hardware\":\"h100-sxm\"}"

/* The last axis turns fastest, and every value is the one of GET /v1/plan at that point. */
static void points_are_plans(void **state)
{
    static const double CONCURRENCY[] = {1, 64}, TP[] = {1, 2}, INPUT[] = {512, 4096};
    cJSON *table = sweep_json(
        *state,
        "{" BASE ",\"axes\":{\"/workload/concurrency\":[1,64],\"/deployment/tp\":[1,2],"
        "\"/workload/input_tokens\":[512,4096]},\"columns\":[\"regime\",\"dominant_class\","
        "\"tpot_ms\",\"tpot_ms_low\",\"ttft_ms\",\"output_tok_s\",\"fits\",\"decode_bytes\","
        "\"dense_gemm_share\",\"first_cure\",\"max_request_rate\",\"kv_token_capacity\"]}");

    assert_int_equal(app_kit_number(table, "points"), 8);
    for (int i = 0; i < 8; i++) {
        char target[200];
        snprintf(target, sizeof(target),
                 "/v1/plan?model=llama-3.1-8b&hardware=h100-sxm&concurrency=%g&tp=%g"
                 "&input_tokens=%g",
                 CONCURRENCY[i / 4], TP[i / 2 % 2], INPUT[i % 2]);
        assert_true(cell(table, "/workload/concurrency", i)->valuedouble == CONCURRENCY[i / 4]);
        assert_true(cell(table, "/deployment/tp", i)->valuedouble == TP[i / 2 % 2]);
        assert_true(cell(table, "/workload/input_tokens", i)->valuedouble == INPUT[i % 2]);
        cJSON *plan = app_kit_json(*state, target, 200);
        static const char *const NUMBERS[][2] = {
            {"tpot_ms", "latency/tpot_ms/expected"},
            {"tpot_ms_low", "latency/tpot_ms/low"},
            {"ttft_ms", "latency/ttft_ms/expected"},
            {"output_tok_s", "throughput/output_tok_s/expected"},
            {"decode_bytes", "decode/bytes"},
            {"max_request_rate", "throughput/max_request_rate/expected"},
            {"kv_token_capacity", "memory/kv_token_capacity"},
        };
        for (size_t k = 0; k < sizeof(NUMBERS) / sizeof(NUMBERS[0]); k++) {
            double expected = app_kit_number(plan, NUMBERS[k][1]);
            double got = cell(table, NUMBERS[k][0], i)->valuedouble;
            if (!(fabs(got - expected) <= 1e-8 * fabs(expected)))
                fail_msg("%s: %s is %.9g, of the plan %.9g", target, NUMBERS[k][0], got, expected);
        }
        assert_string_equal(cell(table, "regime", i)->valuestring, app_kit_text(plan, "regime/id"));
        assert_string_equal(cell(table, "dominant_class", i)->valuestring,
                            app_kit_text(plan, "dominant/class"));
        assert_string_equal(cell(table, "first_cure", i)->valuestring,
                            app_kit_text(cJSON_GetArrayItem(app_kit_at(plan, "cures"), 0), "id"));
        assert_true(cJSON_IsTrue(cell(table, "fits", i)));
        assert_true(cJSON_IsNull(cell(table, "why", i)));
        cJSON_Delete(plan);
    }
    cJSON_Delete(table);
}

/* 32 query heads over 3 ranks: no engine starts that; ep 8 needs 8 devices. */
static void a_point_that_cannot_be_says_why(void **state)
{
    cJSON *table = sweep_json(
        *state, "{" BASE ",\"axes\":{\"/deployment/tp\":[1,3]},\"columns\":[\"tpot_ms\"]}");
    assert_true(cJSON_IsNumber(cell(table, "tpot_ms", 0)));
    assert_true(cJSON_IsNull(cell(table, "tpot_ms", 1)));
    assert_non_null(strstr(cell(table, "why", 1)->valuestring, "tp 3"));
    cJSON_Delete(table);
    table = sweep_json(*state, "{\"base\":{\"model\":\"deepseek-v3\",\"hardware\":\"h200-sxm\"},"
                               "\"axes\":{\"/deployment/tp\":[4,8],\"/deployment/ep\":[8]}}");
    assert_non_null(strstr(cell(table, "why", 0)->valuestring, "ep"));
    assert_true(cJSON_IsNull(cell(table, "why", 1)));
    cJSON_Delete(table);
}

/* 2^0 .. 2^6, and whole numbers that fall together once. */
static void ranges_are_lists(void **state)
{
    cJSON *table = sweep_json(
        *state, "{" BASE ",\"axes\":{\"/workload/concurrency\":{\"from\":1,\"to\":64,\"steps\":7,"
                "\"scale\":\"log\"}}}");
    for (int i = 0; i < 7; i++)
        assert_true(cell(table, "/workload/concurrency", i)->valuedouble == 1 << i);
    cJSON_Delete(table);
    table = sweep_json(*state, "{" BASE ",\"axes\":{\"/workload/concurrency\":{\"from\":1,"
                               "\"to\":3,\"steps\":9}}}");
    assert_int_equal(app_kit_number(table, "points"), 3);
    cJSON_Delete(table);
}

/* A name in an axis is quoted where CSV needs it, a null is empty, lines end in "\n". */
static void csv_and_lines_say_the_same(void **state)
{
    static const char BODY[] =
        "{" BASE ",\"axes\":{\"/deployment/kv_cache\":[\"fp8\",null],"
        "\"/workload/concurrency\":[1,8]},\"columns\":[\"regime\",\"output_tok_s\",\"fits\"]}";
    cJSON *table = sweep_json(*state, BODY);
    double values[4];
    int status = 0;

    for (int i = 0; i < 4; i++)
        values[i] = cell(table, "output_tok_s", i)->valuedouble;
    cJSON_Delete(table);
    const char *at = sweep(*state, "?format=csv", BODY, &status);
    assert_int_equal(status, 200);
    static const char HEAD[] =
        "/deployment/kv_cache,/workload/concurrency,regime,output_tok_s,fits,why\n";
    assert_int_equal(strncmp(at, HEAD, strlen(HEAD)), 0);
    at += strlen(HEAD);
    for (int i = 0; i < 4; i++) {
        char begin[60];
        snprintf(begin, sizeof(begin), "%s,%d,weight_bandwidth,%.9g,true,\n", i < 2 ? "fp8" : "",
                 i % 2 ? 8 : 1, values[i]);
        assert_int_equal(strncmp(at, begin, strlen(begin)), 0);
        at += strlen(begin);
    }
    assert_string_equal(at, "");
    at = sweep(*state, "?format=ndjson", BODY, &status);
    for (int i = 0; i < 4; i++) {
        const char *end = NULL;
        cJSON *line = cJSON_ParseWithOpts(at, &end, false);
        const cJSON *kv = cJSON_GetObjectItemCaseSensitive(line, "/deployment/kv_cache");
        assert_true(cJSON_GetObjectItem(line, "output_tok_s")->valuedouble == values[i]);
        assert_int_equal(cJSON_IsNull(kv), i >= 2);
        assert_int_equal(*end, '\n');
        cJSON_Delete(line);
        at = end + 1;
    }
    assert_string_equal(at, "");
}

/* Many points go through a crew of threads, block after block; so do lines of progress. */
static void a_long_table_is_streamed(void **state)
{
    static const char BODY[] =
        "{" BASE ",\"axes\":{\"/workload/concurrency\":{\"from\":1,\"to\":64,\"steps\":64},"
        "\"/workload/input_tokens\":{\"from\":128,\"to\":5000,\"steps\":40}},"
        "\"columns\":[\"tpot_ms\",\"regime\",\"fits\"]}";
    int status = 0, lines = 0, progress = 0;
    const char *at = sweep(*state, "?format=ndjson&progress=1", BODY, &status);
    cJSON *table;

    assert_int_equal(status, 200);
    for (; *at; at = strchr(at, '\n') + 1) {
        bool is_progress = strncmp(at, "{\"progress\"", 11) == 0;
        progress += is_progress;
        lines += !is_progress;
    }
    assert_int_equal(lines, 64 * 40);
    assert_in_range(progress, 10, 100);
    table = sweep_json(*state, BODY);
    assert_false(cJSON_IsTrue(app_kit_at(table, "replayed")));
    assert_string_equal(app_kit_text(cJSON_GetArrayItem(app_kit_at(table, "warnings"), 0), "id"),
                        "not_replayed");
    assert_int_equal(cJSON_GetArraySize(app_kit_at(table, "columns/regime")), 64 * 40);
    cJSON_Delete(table);
}

/* Whatever a columnar reply may keep, it says the same. */
static void passes_do_not_show(void **state)
{
    static const char BODY[] =
        "{" BASE ",\"axes\":{\"/workload/concurrency\":[1,2,4,8,16,32,64,128]},"
        "\"columns\":[\"tpot_ms\",\"regime\",\"fits\",\"ttft_ms\",\"decode_us\"]}";
    const struct app_kit *kit = *state;
    char texts[3][20000];

    for (int i = 0; i < 3; i++) {
        static const size_t KEPT[] = {1000, 30, 0};
        struct request request = {.method = METHOD_POST,
                                  .arena = kit->arena,
                                  .body = BODY,
                                  .body_length = sizeof(BODY) - 1};
        struct reply reply = {0};
        struct context ctx = {.app = kit->app,
                              .catalogue = store_catalogue(kit->store),
                              .request = &request,
                              .reply = &reply,
                              .format = MEDIA_JSON};
        struct faults faults;
        struct grid grid = {0};
        arena_reset(kit->arena);
        faults_init(&faults, kit->arena);
        json_memory_enter(kit->arena);
        bool good = grid_read(&ctx, &faults, NULL, 0, &grid);
        json_memory_leave();
        assert_true(good);
        struct reply_stream *stream = sweep_stream_new(
            &grid, &(struct sweep_options){.format = MEDIA_JSON, .kept_bytes_max = KEPT[i]});
        size_t length = 0;
        long n;
        while ((n = stream->read(stream, texts[i] + length, 7)) > 0)
            length += (size_t)n;
        assert_int_equal(n, STREAM_END);
        texts[i][length] = '\0';
        reply_stream_end(stream);
        store_release(kit->store, ctx.catalogue);
    }
    assert_string_equal(texts[0], texts[1]);
    assert_string_equal(texts[0], texts[2]);
}

/* Each question and the pointers of its faults, in order. */
static const struct {
    const char *query, *body;
    const char *pointers[6];
} FAULTY[] = {
    {"", "{}", {"/axes", "/base/model", "/base/hardware"}},
    {"", "[]", {""}},
    {"",
     "{\"base\":3,\"axes\":{\"/deployment/tp\":[]},\"colums\":[]}",
     {"/colums", "/axes/~1deployment~1tp", "/base"}},
    {"",
     "{" BASE ",\"axes\":{\"/deployment/tpp\":[1],\"/deployment/pp\":[0,\"x\",{}]}}",
     {"/axes/~1deployment~1tpp", "/axes/~1deployment~1pp/0", "/axes/~1deployment~1pp/1",
      "/axes/~1deployment~1pp/2"}},
    {"",
     "{" BASE ",\"axes\":{\"/deployment/tp\":[1]},\"columns\":[\"tpot\",\"regime\",\"regime\","
     "4]}",
     {"/columns/0", "/columns/2", "/columns/3"}},
    {"",
     "{" BASE ",\"axes\":{\"/workload/concurrency\":{\"from\":1,\"to\":1e5,\"steps\":5000},"
     "\"/workload/input_tokens\":{\"from\":1,\"to\":1e5,\"steps\":5000}}}",
     {"/axes"}},
    {"",
     "{" BASE ",\"axes\":{\"/workload/concurrency\":{\"from\":1,\"to\":8}}}",
     {"/axes/~1workload~1concurrency"}},
    {"",
     "{" BASE ",\"axes\":{\"/deployment/tp\":[1]},\"columns\":[\"first_cure\"],"
     "\"replay\":false}",
     {"/replay"}},
    {"?progress=1&tp=2", "{" BASE ",\"axes\":{\"/deployment/tp\":[1]}}", {"?progress", "?tp"}},
    {"",
     "{\"base\":{\"model\":\"llama-3.1-8b\",\"hardware\":\"h100-sxm\",\"deployment\":{"
     "\"tp\":0}},\"axes\":{\"/workload/concurrency\":[1]}}",
     {"/base/deployment/tp"}},
};

static void every_fault_is_listed(void **state)
{
    for (size_t i = 0; i < sizeof(FAULTY) / sizeof(FAULTY[0]); i++) {
        int status = 0;
        const char *text = sweep(*state, FAULTY[i].query, FAULTY[i].body, &status);
        cJSON *problem = cJSON_Parse(text);
        const cJSON *errors = app_kit_at(problem, "errors");
        assert_int_equal(status, 422);
        for (int k = 0; k < 6 && FAULTY[i].pointers[k]; k++) {
            const char *pointer = app_kit_text(cJSON_GetArrayItem(errors, k), "pointer");
            if (strcmp(pointer, FAULTY[i].pointers[k]) != 0)
                fail_msg("%s: fault %d points at \"%s\", expected \"%s\"", FAULTY[i].body, k,
                         pointer, FAULTY[i].pointers[k]);
        }
        cJSON_Delete(problem);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(points_are_plans),
        cmocka_unit_test(a_point_that_cannot_be_says_why),
        cmocka_unit_test(ranges_are_lists),
        cmocka_unit_test(csv_and_lines_say_the_same),
        cmocka_unit_test(a_long_table_is_streamed),
        cmocka_unit_test(passes_do_not_show),
        cmocka_unit_test(every_fault_is_listed),
    };
    return cmocka_run_group_tests(tests, app_kit_setup, app_kit_teardown);
}
