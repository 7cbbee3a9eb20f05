/* A search's results are plans, in order, and their commands start them: each is asked again of
 * /v1/plan by its link and by its command. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "app_kit.h"
#include "reply_stream.h"

#define BODY_ROOM 4096

static cJSON *post_json(const struct app_kit *kit, const char *target, const char *body, int status)
{
    int got = 0;
    const char *text = app_kit_post(kit, target, body, &got);
    cJSON *tree = cJSON_Parse(text);

    if (got != status || !tree)
        fail_msg("%s: %d %.400s", body, got, text);
    return tree;
}

static cJSON *search(const struct app_kit *kit, const char *body)
{
    return post_json(kit, "/v1/search", body, 200);
}

static const cJSON *member(const cJSON *object, const char *name)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, name);

    if (!item)
        fail_msg("no member %s", name);
    return item;
}

/* What is read back ---------------------------------------------------------------------------- */

static void assert_same_latency(const cJSON *item, const cJSON *plan, const char *what)
{
    if (cJSON_Compare(member(item, "latency"), member(plan, "latency"), 1))
        return;
    fail_msg("%s: TPOT %.9g, planned %.9g", what, app_kit_number(item, "latency/tpot_ms/expected"),
             app_kit_number(plan, "latency/tpot_ms/expected"));
}

/* The command with the hardware, the load and the replicas beside it, as a plan's request. */
static cJSON *plan_of_command(const struct app_kit *kit, const cJSON *item, const char *workload)
{
    cJSON *body = cJSON_CreateObject();

    cJSON_AddStringToObject(body, "command", member(item, "command")->valuestring);
    cJSON_AddStringToObject(body, "hardware", member(item, "hardware")->valuestring);
    cJSON_AddItemToObject(body, "workload", cJSON_Parse(workload));
    cJSON *deployment = cJSON_AddObjectToObject(body, "deployment");
    cJSON_AddNumberToObject(deployment, "replicas", app_kit_number(item, "deployment/replicas"));
    char *text = cJSON_PrintUnformatted(body);
    cJSON_Delete(body);
    cJSON *plan = post_json(kit, "/v1/plan", text, 200);
    free(text);
    return plan;
}

/* Searches whose results are read back; `engine` is one that must be among those that need nothing
 * beside their command. */
static const struct row {
    const char *engine, *models, *hardware, *space, *workload;
} ROWS[] = {
    {"vllm", "\"llama-3.1-70b\"", "\"h100-sxm\"",
     "{\"devices\":[4,8],\"engine\":[\"vllm\"],\"weights\":[\"bf16\",\"fp8\"]}",
     "{\"concurrency\":64,\"input_tokens\":2048,\"output_tokens\":256}"},
    {"vllm", "\"llama-3.1-8b\"", "\"h100-sxm\"",
     "{\"devices\":[1,2],\"engine\":[\"vllm\"],\"chunked_prefill_tokens\":[2048,4096],"
     "\"max_num_seqs\":[128],\"speculative\":[null,{\"method\":\"eagle3\",\"tokens\":3}]}",
     "{\"concurrency\":16,\"input_tokens\":1024,\"output_tokens\":128}"},
    {"vllm", "\"qwen3-235b-a22b\"", "\"b200-sxm\"",
     "{\"devices\":[8],\"engine\":[\"vllm\"],\"weights\":[\"bf16\",\"fp8\"],\"replicas\":[1]}",
     "{\"concurrency\":64,\"input_tokens\":2048,\"output_tokens\":256}"},
    {"sglang", "\"qwen3-235b-a22b\"", "\"b200-sxm\"",
     "{\"devices\":[8],\"engine\":[\"sglang\"],\"weights\":[\"bf16\",\"fp8\"],\"dp\":[1,4,8]}",
     "{\"concurrency\":64,\"input_tokens\":2048,\"output_tokens\":256}"},
    {"sglang", "\"llama-3.1-8b\"", "\"h100-sxm\"",
     "{\"devices\":[1,2],\"engine\":[\"sglang\"],\"chunked_prefill_tokens\":[2048],"
     "\"max_num_seqs\":[128,256],\"speculative\":[null,{\"method\":\"eagle3\"}]}",
     "{\"concurrency\":16,\"input_tokens\":1024,\"output_tokens\":128}"},
    {"tensorrt-llm", "\"llama-3.1-8b\"", "\"h100-sxm\"",
     "{\"devices\":[1,2],\"engine\":[\"tensorrt-llm\"],\"max_num_seqs\":[128]}",
     "{\"concurrency\":16,\"input_tokens\":1024,\"output_tokens\":128}"},
    {"tgi", "\"llama-3.1-8b\"", "\"h100-sxm\"",
     "{\"devices\":[1,2],\"engine\":[\"tgi\"],\"weights\":[\"bf16\",\"fp8\"]}",
     "{\"concurrency\":16,\"input_tokens\":1024,\"output_tokens\":128}"},
    {"llama.cpp", "\"llama-3.1-8b\"", "\"rtx-4090\"",
     "{\"devices\":[1,2],\"engine\":[\"llama.cpp\"]}",
     "{\"concurrency\":4,\"input_tokens\":1024,\"output_tokens\":128}"},
    {"mlx", "\"llama-3.1-8b\"", "\"m2-ultra\"", "{\"devices\":[1],\"engine\":[\"mlx\"]}",
     "{\"concurrency\":1,\"input_tokens\":1024,\"output_tokens\":128}"},
    /* one pool for all lengths does not hold the model's own limit: the command says a shorter */
    {"vllm", "\"llama-3.1-70b\"", "\"h100-sxm\"",
     "{\"devices\":[2],\"engine\":[\"vllm\"],\"weights\":[\"fp8\"],\"kv_cache\":[\"bf16\"],"
     "\"tp\":[2]}",
     "{\"concurrency\":8,\"input_tokens\":1024,\"output_tokens\":128}"},
};

static void results_are_plans_and_commands_start_them(void **state)
{
    for (size_t i = 0; i < sizeof(ROWS) / sizeof(ROWS[0]); i++) {
        const struct row *row = &ROWS[i];
        const cJSON *item;
        char body[BODY_ROOM];
        int complete = 0;
        snprintf(body, sizeof(body),
                 "{\"model\":%s,\"hardware\":%s,\"space\":%s,\"workload\":%s,"
                 "\"objective\":\"throughput\",\"limit\":6}",
                 row->models, row->hardware, row->space, row->workload);
        cJSON *reply = search(*state, body);
        cJSON_ArrayForEach(item, member(reply, "items"))
        {
            const char *link = member(item, "plan")->valuestring;
            cJSON *plan = app_kit_json(*state, link, 200);
            assert_same_latency(item, plan, link);
            cJSON_Delete(plan);
            if (member(item, "not_in_command")->child)
                continue;
            plan = plan_of_command(*state, item, row->workload);
            assert_same_latency(item, plan, member(item, "command")->valuestring);
            cJSON_Delete(plan);
            assert_string_equal(member(item, "engine")->valuestring, row->engine);
            complete++;
        }
        if (complete == 0)
            fail_msg("no command of row %zu says all", i);
        cJSON_Delete(reply);
    }
}

/* Ranking -------------------------------------------------------------------------------------- */

/* The best of six layouts is the one that six plans say. */
static void the_first_is_the_best_of_all_plans(void **state)
{
    static const char *const WEIGHTS[] = {"bf16", "fp8"};
    static const int TP[] = {1, 2, 4};
    double best = 0, best_tp = 0;
    cJSON *reply = search(*state, "{\"model\":\"llama-3.1-8b\",\"hardware\":\"h100-sxm\","
                                  "\"deployment\":{\"engine\":\"vllm\",\"kv_cache\":\"bf16\"},"
                                  "\"workload\":{\"concurrency\":32,\"input_tokens\":1024,"
                                  "\"output_tokens\":256},\"space\":{\"weights\":[\"bf16\","
                                  "\"fp8\"],\"tp\":[1,2,4],\"replicas\":[1]},"
                                  "\"objective\":\"throughput\"}");

    for (int i = 0; i < 6; i++) {
        const int tp = TP[i / 2];
        char target[300];
        snprintf(target, sizeof(target),
                 "/v1/plan?model=llama-3.1-8b&hardware=h100-sxm&engine=vllm&kv_cache=bf16&weights="
                 "%s&tp=%d&concurrency=32&input_tokens=1024&output_tokens=256&view=summary",
                 WEIGHTS[i % 2], tp);
        cJSON *plan = app_kit_json(*state, target, 200);
        double output = app_kit_number(plan, "throughput/output_tok_s/expected");
        best_tp = output > best ? tp : best_tp;
        best = output > best ? output : best;
        cJSON_Delete(plan);
    }
    const cJSON *first = member(reply, "items")->child;
    assert_int_equal(cJSON_GetArraySize(member(reply, "items")), 6);
    assert_true(app_kit_number(first, "throughput/output_tok_s/expected") == best);
    assert_true(app_kit_number(first, "deployment/tp") == best_tp);
    cJSON_Delete(reply);
}

/* Cost is price x devices over output; items come by it, and each says why it is behind. */
static void items_come_by_cost_and_say_why(void **state)
{
    cJSON *reply =
        search(*state, "{\"model\":\"llama-3.1-8b\",\"hardware\":[\"h100-sxm\",\"l4\"],"
                       "\"workload\":{\"concurrency\":32},\"space\":{\"devices\":{\"max\":4},"
                       "\"engine\":[\"vllm\"]},\"prices\":{\"h100-sxm\":2.5}}");
    const cJSON *item;
    double before = 0;

    cJSON_ArrayForEach(item, member(reply, "items"))
    {
        double devices = app_kit_number(item, "devices");
        double hour = app_kit_number(item, "cost/usd_per_hour");
        double output = app_kit_number(item, "throughput/output_tok_s/expected");
        double cost = app_kit_number(item, "cost/usd_per_million_output_tokens");
        bool given = strcmp(member(item, "hardware")->valuestring, "h100-sxm") == 0;
        assert_true(fabs(cost - hour / (output * 0.0036)) < 1e-6 * cost);
        assert_true(!given || fabs(hour - 2.5 * devices) < 1e-9);
        assert_string_equal(member(member(item, "cost"), "basis")->valuestring,
                            given ? "given" : "list prices");
        assert_true(cost >= before);
        assert_true(cJSON_IsString(member(item, "lost_by")) == (before > 0));
        before = cost;
    }
    assert_true(before > 0);
    cJSON_Delete(reply);
}

/* Nobody recorded a price of this part: no cost, and the last by cost. */
static void what_has_no_price_is_last(void **state)
{
    cJSON *reply =
        search(*state, "{\"model\":\"llama-3.1-8b\",\"hardware\":[\"m2-ultra\",\"rtx-4090\"],"
                       "\"space\":{\"devices\":[1],\"engine\":[\"llama.cpp\"],"
                       "\"weights\":[\"q8_0\"]}}");
    const cJSON *items = member(reply, "items");
    const cJSON *last = cJSON_GetArrayItem(items, cJSON_GetArraySize(items) - 1);

    assert_int_equal(cJSON_GetArraySize(items), 2);
    assert_string_equal(member(last, "hardware")->valuestring, "m2-ultra");
    assert_true(cJSON_IsNull(member(member(last, "cost"), "usd_per_hour")));
    assert_string_equal(member(member(last, "cost"), "basis")->valuestring, "no record");
    cJSON_Delete(reply);
}

/* Slots beyond the load change nothing: one item stands for three. */
static void knobs_without_an_effect_are_one_item(void **state)
{
    cJSON *reply = search(*state, "{\"model\":\"llama-3.1-8b\",\"hardware\":\"h100-sxm\","
                                  "\"workload\":{\"concurrency\":8},\"space\":{\"devices\":[1],"
                                  "\"engine\":[\"vllm\"],\"weights\":[\"bf16\"],"
                                  "\"kv_cache\":[\"bf16\"],\"max_num_seqs\":[64,128,256]}}");

    assert_int_equal(cJSON_GetArraySize(member(reply, "items")), 1);
    assert_int_equal(app_kit_number(member(reply, "items")->child, "equals"), 3);
    cJSON_Delete(reply);
}

/* What stands in the way ------------------------------------------------------------------------
 */

/* 70e9 parameters of 16 bits are 141 GB: not on one device of 80 GB; 1 ms per token is out of reach
 * of any. */
static void what_binds_is_named(void **state)
{
    cJSON *reply = search(*state, "{\"model\":\"llama-3.1-70b\",\"hardware\":\"h100-sxm\","
                                  "\"slo\":{\"tpot_ms\":1},\"space\":{\"devices\":[1,4],"
                                  "\"engine\":[\"vllm\"],\"weights\":[\"bf16\"]}}");

    assert_int_equal(cJSON_GetArraySize(member(reply, "items")), 0);
    assert_string_equal(member(member(reply, "infeasible"), "binding")->valuestring, "tpot_ms");
    double expected = app_kit_number(reply, "infeasible/nearest/latency/tpot_ms/expected");
    assert_true(fabs(app_kit_number(reply, "infeasible/nearest/by") - (expected - 1)) < 1e-6);
    assert_true(app_kit_number(reply, "candidates/filtered/weights_exceed_memory") > 0);
    cJSON_Delete(reply);
}

static void every_fault_is_listed(void **state)
{
    static const char *const POINTERS[] = {
        "/space/wieghts", "/space/devices", "/space/tp/0", "/space/weights/0",
        "/prices/h1000",  "/objective",     "/limit"};
    cJSON *reply = post_json(*state, "/v1/search",
                             "{\"model\":\"llama-3.1-8b\",\"hardware\":\"h100-sxm\",\"space\":{"
                             "\"wieghts\":[1],\"devices\":{\"max\":0},\"tp\":[0],\"weights\":["
                             "\"fq8\"]},\"prices\":{\"h1000\":1},\"objective\":\"speed\","
                             "\"limit\":0}",
                             422);
    const cJSON *errors = member(reply, "errors"), *error;

    for (size_t i = 0; i < sizeof(POINTERS) / sizeof(POINTERS[0]); i++) {
        bool found = false;
        cJSON_ArrayForEach(error, errors) found =
            found || strcmp(member(error, "pointer")->valuestring, POINTERS[i]) == 0;
        if (!found)
            fail_msg("no fault at %s", POINTERS[i]);
    }
    assert_int_equal(cJSON_GetArraySize(errors), sizeof(POINTERS) / sizeof(POINTERS[0]));
    cJSON_Delete(reply);
}

/* 10 x 10 x 13 x 20 x 100 layouts and knobs are too many; the fault says how many. */
static void too_many_candidates_are_a_fault(void **state)
{
    char body[BODY_ROOM] = "{\"model\":\"llama-3.1-8b\",\"hardware\":\"h100-sxm\",\"space\":{"
                           "\"devices\":{\"max\":100000}";
    static const char *const LISTS[] = {"tp", "pp", "replicas", "max_num_seqs",
                                        "chunked_prefill_tokens"};
    size_t at = strlen(body);

    for (int i = 0; i < 5; i++) {
        at += (size_t)snprintf(body + at, sizeof(body) - at, ",\"%s\":[1", LISTS[i]);
        for (int k = 2; k <= 20; k++)
            at += (size_t)snprintf(body + at, sizeof(body) - at, ",%d", k);
        at += (size_t)snprintf(body + at, sizeof(body) - at, "]");
    }
    snprintf(body + at, sizeof(body) - at, "}}");
    cJSON *reply = post_json(*state, "/v1/search", body, 422);
    assert_non_null(strstr(member(member(reply, "errors")->child, "detail")->valuestring,
                           "the 1000000 of one search"));
    cJSON_Delete(reply);
}

/* Six lists of 200 values are 6.4e13 layouts: refused without looking at each, whether or not the
 * devices allow any. */
static void lists_that_multiply_are_refused_at_once(void **state)
{
    static const char *const LISTS[] = {"tp", "pp", "dp", "ep", "replicas", "prefill_devices"};
    static const char *const DEVICES[] = {"[1]", "[7,11,13]", "{\"max\":100000}"};

    for (int d = 0; d < 3; d++) {
        static char body[16384];
        size_t at = (size_t)snprintf(body, sizeof(body),
                                     "{\"model\":\"llama-3.1-8b\",\"hardware\":\"h100-sxm\","
                                     "\"space\":{\"devices\":%s",
                                     DEVICES[d]);
        for (int i = 0; i < 6; i++) {
            at += (size_t)snprintf(body + at, sizeof(body) - at, ",\"%s\":[1", LISTS[i]);
            for (int k = 2; k <= 200; k++)
                at += (size_t)snprintf(body + at, sizeof(body) - at, ",%d", k);
            at += (size_t)snprintf(body + at, sizeof(body) - at, "]");
        }
        snprintf(body + at, sizeof(body) - at, "}}");
        cJSON_Delete(post_json(*state, "/v1/search", body, 422));
    }
}

/* Formats -------------------------------------------------------------------------------------- */

#define BODY                                                                                       \
    "{\"model\":\"llama-3.1-8b\",\"hardware\":\"h100-sxm\",\"space\":{\"devices\":[1,2],"          \
    "\"engine\":[\"vllm\"]},\"limit\":3}"

static void formats_say_the_same(void **state)
{
    int status = 0;
    cJSON *reply = search(*state, BODY);
    char command[400];
    snprintf(command, sizeof(command), "%s",
             member(member(reply, "items")->child, "command")->valuestring);
    const char *text = app_kit_post(*state, "/v1/search?format=csv", BODY, &status);

    assert_int_equal(status, 200);
    int lines = 0;
    for (const char *at = text; *at; at++)
        lines += *at == '\n';
    assert_int_equal(lines, 4);
    assert_non_null(strstr(text, command));
    text = app_kit_post(*state, "/v1/search?format=text", BODY, &status);
    assert_non_null(strstr(text, "$ vllm serve"));
    assert_non_null(strstr(text, "PRICES"));
    text = app_kit_post(*state, "/v1/search?format=ndjson", BODY, &status);
    const char *last = strstr(text, "{\"result\":");
    assert_non_null(last);
    cJSON *line = cJSON_Parse(last);
    assert_true(cJSON_Compare(member(line, "result"), reply, 1));
    cJSON_Delete(line);
    cJSON_Delete(reply);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(results_are_plans_and_commands_start_them),
        cmocka_unit_test(the_first_is_the_best_of_all_plans),
        cmocka_unit_test(items_come_by_cost_and_say_why),
        cmocka_unit_test(what_has_no_price_is_last),
        cmocka_unit_test(knobs_without_an_effect_are_one_item),
        cmocka_unit_test(what_binds_is_named),
        cmocka_unit_test(every_fault_is_listed),
        cmocka_unit_test(too_many_candidates_are_a_fault),
        cmocka_unit_test(lists_that_multiply_are_refused_at_once),
        cmocka_unit_test(formats_say_the_same),
    };
    return cmocka_run_group_tests(tests, app_kit_setup, app_kit_teardown);
}
