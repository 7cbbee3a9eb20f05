/* Gaps over the API: stated and asked, their order, filters, pages and words. */
#include "gaps.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "app_kit.h"
#include "gaps_text.h"
#include "sql.h"

#define N_STATED 23

/* Answered by gaudi3-vllm-0001: 1868.2 tokens in, 64 in flight, a mean TPOT. */
static const struct gap_key GAUDI = {"llama-3.1-8b", "gaudi3", "vllm", "tpot_ms", 2000, NAN};
static const struct gap_key TPU = {"qwen3-8b", "tpu-v5e", "vllm", "ttft_ms", 40000, 16};

#define WIDE 1.5
#define NARROW 0.25

/* Asks three times for one key and once or twice for others, as plans and queries do. */
static int ask(void **state)
{
    if (app_kit_setup(state) != 0) {
        return -1;
    }
    struct gaps *gaps = app_gaps(((const struct app_kit *)*state)->app);
    for (int i = 0; i < 3; i++) {
        gaps_ask(gaps, &GAUDI, WIDE);
    }
    gaps_ask(gaps, &TPU, WIDE);
    gaps_ask_stated(gaps, "deepep-cpu-sync-latency", NARROW);
    gaps_ask_stated(gaps, "deepep-cpu-sync-latency", 2 * NARROW);
    return 0;
}

/* Asked * width, 0 of what is answered: one question of 1.5 stands before two of 0.375 and before
 * three that an anchor answers. */
static void the_most_asked_and_widest_come_first(void **state)
{
    static const char *const IDS[] = {
        "qwen3-8b~tpu-v5e~vllm~ttft_ms~in-32768~conc-16", "deepep-cpu-sync-latency",
        "llama-3.1-8b~gaudi3~vllm~tpot_ms~in-1024~conc-any", "32-slot-control-rows"};
    static const double WIDTHS[] = {1.5, 0.375, 1.5}, RANKS[] = {1.5, 0.75, 0, 0};
    cJSON *list = app_kit_json(*state, "/v1/gaps?limit=1000", 200);
    const cJSON *items = app_kit_at(list, "items");
    assert_int_equal((int)app_kit_number(list, "total"), N_STATED + 2);
    assert_int_equal(cJSON_GetArraySize(items), N_STATED + 2);
    assert_true(cJSON_IsNull(app_kit_at(list, "next_cursor")));
    for (int i = 0; i < (int)(sizeof(IDS) / sizeof(IDS[0])); i++) {
        const cJSON *item = cJSON_GetArrayItem(items, i);
        assert_string_equal(app_kit_text(item, "id"), IDS[i]);
        assert_true(app_kit_number(item, "rank") == RANKS[i]);
        assert_true(i == 3 ? cJSON_IsNull(app_kit_at(item, "width"))
                           : app_kit_number(item, "width") == WIDTHS[i]);
    }
    assert_non_null(strstr(app_kit_text(list, "rank_formula"), "asked * width"));
    cJSON_Delete(list);
}

static void pages_join_to_the_list(void **state)
{
    cJSON *whole = app_kit_json(*state, "/v1/gaps?limit=1000", 200);
    const cJSON *expected = cJSON_GetArrayItem(app_kit_at(whole, "items"), 0);
    char target[600] = "/v1/gaps?limit=4";
    for (int pages = 0; *target && pages < N_STATED; pages++) {
        cJSON *page = app_kit_json(*state, target, 200);
        const cJSON *item = NULL;
        cJSON_ArrayForEach(item, app_kit_at(page, "items"))
        {
            assert_non_null(expected);
            assert_string_equal(app_kit_text(item, "id"), app_kit_text(expected, "id"));
            expected = expected->next;
        }
        const char *next = app_kit_text(page, "next_cursor");
        assert_true(text_print(target, sizeof(target), "%s%s",
                               *next ? "/v1/gaps?limit=4&cursor=" : "", next));
        cJSON_Delete(page);
    }
    assert_null(expected);
    cJSON_Delete(whole);
}

static void filters_leave_what_they_say(void **state)
{
    static const struct {
        const char *target;
        int total;
    } ROWS[] = {
        {"/v1/gaps?kind=stated", N_STATED},
        {"/v1/gaps?kind=asked", 2},
        {"/v1/gaps?status=answered", 4},
        {"/v1/gaps?status=answered&kind=asked", 1},
        {"/v1/gaps?status=no%20record&kind=asked", 1},
        {"/v1/gaps?model=meta-llama%2FLlama-3.1-8B-Instruct", 1},
        {"/v1/gaps?hardware=tpu-v5e", 1},
        {"/v1/gaps?engine=vllm", 2},
        {"/v1/gaps?engine=sglang", 0},
        {"/v1/gaps?metric=ttft_ms&kind=asked", 1},
        {"/v1/gaps?metric=ttft_ms&kind=stated", 4},
        {"/v1/gaps?q=Gaudi3%20OUTPUT", 1},
        {"/v1/gaps?q=deepep", 1},
        {"/v1/gaps?q=retrieval%20reranking", 1},
    };

    for (size_t i = 0; i < sizeof(ROWS) / sizeof(ROWS[0]); i++) {
        cJSON *list = app_kit_json(*state, ROWS[i].target, 200);
        if ((int)app_kit_number(list, "total") != ROWS[i].total) {
            fail_msg("%s: %g", ROWS[i].target, app_kit_number(list, "total"));
        }
        cJSON_Delete(list);
    }
}

static void wrong_arguments_are_refused(void **state)
{
    static const struct {
        const char *target;
        int status;
    } ROWS[] = {
        {"/v1/gaps?status=open", 422},
        {"/v1/gaps?kind=both", 422},
        {"/v1/gaps?model=nobody", 422},
        {"/v1/gaps?metric=speed", 422},
        {"/v1/gaps?cursor=3030303638", 422}, /* "00068" of another list */
        {"/v1/gaps?cursor=zz", 422},
        {"/v1/gaps?cursor=333a61", 422}, /* "3:a" has no count */
        {"/v1/gaps?cursor=333a34", 422}, /* "3:4" has no id */
        {"/v1/gaps?limit=0", 422},
        {"/v1/gaps?nothing=1", 422},
        {"/v1/gaps/nothing", 404},
        {"/v1/gaps/a~b", 404},
        {"/v1/gaps/llama-3.1-8b~gaudi3~vllm~tpot_ms~in-4096~conc-any", 404},
        {"/v1/gaps/llama-3.1-8b~gaudi3~vllm~tpot_ms~in-1024~conc-any?x=1", 422},
        {"/v1/gaps/rag-ttft-with-retrieval?x=1", 422},
    };

    for (size_t i = 0; i < sizeof(ROWS) / sizeof(ROWS[0]); i++) {
        cJSON_Delete(app_kit_json(*state, ROWS[i].target, ROWS[i].status));
    }
}

static void an_asked_gap_says_what_was_asked(void **state)
{
    cJSON *gap =
        app_kit_json(*state, "/v1/gaps/qwen3-8b~tpu-v5e~vllm~ttft_ms~in-32768~conc-16", 200);
    assert_string_equal(app_kit_text(gap, "kind"), "asked");
    assert_string_equal(app_kit_text(gap, "status"), "no record");
    assert_string_equal(app_kit_text(gap, "question"),
                        "What is the time to first token of qwen3-8b on tpu-v5e with vllm, 32768 "
                        "to 65535 input tokens, 16 to 31 in flight?");
    assert_string_equal(app_kit_text(gap, "key/model"), "qwen3-8b");
    assert_string_equal(app_kit_text(gap, "key/metric"), "ttft_ms");
    assert_int_equal((int)app_kit_number(gap, "key/input_tokens/max"), 65535);
    assert_int_equal((int)app_kit_number(gap, "key/concurrency/min"), 16);
    assert_int_equal((int)app_kit_number(gap, "asked"), 1);
    assert_int_equal(strlen(app_kit_text(gap, "first_asked")), strlen("2026-11-29T17:52:26Z"));
    cJSON_Delete(gap);
}

static void a_measured_one_is_answered(void **state)
{
    cJSON *gap =
        app_kit_json(*state, "/v1/gaps/llama-3.1-8b~gaudi3~vllm~tpot_ms~in-1024~conc-any", 200);
    assert_string_equal(app_kit_text(gap, "kind"), "asked");
    assert_string_equal(app_kit_text(gap, "status"), "answered");
    cJSON_Delete(gap);
    /* Nothing is measured at such a tp, and yet the gap that it falls into is answered. */
    gap = app_kit_json(*state,
                       "/v1/anchors?model=llama-3.1-8b&hardware=gaudi3&engine=vllm&metric=tpot_ms&"
                       "input_tokens=1500&tp=512",
                       200);
    assert_string_equal(app_kit_text(gap, "status"), "no record");
    assert_string_equal(app_kit_text(gap, "gap/status"), "answered");
    cJSON_Delete(gap);
}

static void a_stated_gap_says_what_would_answer_it(void **state)
{
    cJSON *gap = app_kit_json(*state, "/v1/gaps/deepep-cpu-sync-latency", 200);
    assert_string_equal(app_kit_text(gap, "kind"), "stated");
    assert_int_equal((int)app_kit_number(gap, "asked"), 2);
    assert_true(*app_kit_text(gap, "answer/conditions"));
    assert_true(cJSON_GetArraySize(app_kit_at(gap, "provenance")) > 0);
    cJSON_Delete(gap);
    gap = app_kit_json(*state, "/v1/gaps/parts-without-kernel-fit", 200);
    assert_true(cJSON_GetArraySize(app_kit_at(gap, "subjects/ids")) > 10);
    cJSON_Delete(gap);
}

static void the_table_has_a_line_per_gap(void **state)
{
    int status = 0;
    const char *csv = app_kit_get(*state, "/v1/gaps?format=csv&kind=asked", &status);
    assert_int_equal(status, 200);
    assert_non_null(strstr(csv,
                           "id,kind,status,asked,width,rank,first_asked,last_asked,question\r\n"
                           "qwen3-8b~tpu-v5e~vllm~ttft_ms~in-32768~conc-16,asked,no "
                           "record,1,1.5,1.5,"));
    assert_non_null(strstr(csv, "~conc-any,asked,answered,4,"));
    csv = app_kit_get(*state, "/v1/gaps?format=csv&q=32-slot", &status);
    assert_non_null(strstr(csv, "\r\n32-slot-control-rows,stated,no record,0,,0,,,"));
}

static void words_and_times(void **state)
{
    static const struct {
        struct gap_key key;
        const char *question;
    } ROWS[] = {
        {{NULL, NULL, NULL, NULL, NAN, NAN},
         "What is any figure of any model on any part with any engine?"},
        {{"m", "p", "e", "tpot_ms", NAN, 1},
         "What is the time per output token of m on p with e, 1 in flight?"},
        {{"m", "p", "e", "gpu_power_w", 2, NAN},
         "What is gpu_power_w of m on p with e, 2 to 3 input tokens?"},
    };
    const struct app_kit *kit = *state;
    for (size_t i = 0; i < sizeof(ROWS) / sizeof(ROWS[0]); i++) {
        assert_string_equal(gap_question(kit->arena, &ROWS[i].key), ROWS[i].question);
    }
    assert_null(gap_time(kit->arena, 0));
    assert_string_equal(gap_time(kit->arena, 951782400), "2000-02-29T00:00:00Z");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_most_asked_and_widest_come_first),
        cmocka_unit_test(pages_join_to_the_list),
        cmocka_unit_test(filters_leave_what_they_say),
        cmocka_unit_test(wrong_arguments_are_refused),
        cmocka_unit_test(an_asked_gap_says_what_was_asked),
        cmocka_unit_test(a_stated_gap_says_what_would_answer_it),
        cmocka_unit_test(a_measured_one_is_answered),
        cmocka_unit_test(the_table_has_a_line_per_gap),
        cmocka_unit_test(words_and_times),
    };
    return cmocka_run_group_tests(tests, ask, app_kit_teardown);
}
