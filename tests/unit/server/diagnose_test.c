/*
 * Diagnoses of real threads, each as a request that holds only what the person saw, and the faults,
 * notes and negatives of the route.
 *
 * tests/golden/diagnosis-cases.json: the expected classes are the causes that the threads
 * established (url in each row).
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "app_kit.h"
#include "compiler.h"

#define CASES TESTS_DIR "/golden/diagnosis-cases.json"
#define CASES_MAX_BYTES ((size_t)1 << 20)

static cJSON *read_cases(void)
{
    static char text[CASES_MAX_BYTES];
    FILE *file = fopen(CASES, "r");
    assert_non_null(file);
    size_t length = fread(text, 1, sizeof(text) - 1, file);
    fclose(file);
    text[length] = '\0';
    cJSON *cases = cJSON_Parse(text);
    assert_non_null(cases);
    return cases;
}

static cJSON *post(const struct app_kit *kit, const char *body, int status)
{
    int got = 0;
    const char *text = app_kit_post(kit, "/v1/diagnose", body, &got);
    cJSON *tree = cJSON_Parse(text);
    if (got != status || !tree)
        fail_msg("%.200s: %d %.300s", body, got, text);
    return tree;
}

static bool lists(const cJSON *list, const char *class)
{
    const cJSON *item;

    cJSON_ArrayForEach(item, list)
    {
        if (strcmp(app_kit_text(item, "class"), class) == 0)
            return true;
    }
    return false;
}

/* The place of the first expected class, counted from 1; 0 when none is there. */
static int rank_of(const cJSON *causes, const cJSON *expected)
{
    const cJSON *cause, *name;
    int rank = 1;

    cJSON_ArrayForEach(cause, causes)
    {
        cJSON_ArrayForEach(name, expected)
        {
            if (strcmp(app_kit_text(cause, "class"), name->valuestring) == 0)
                return rank;
        }
        rank++;
    }
    return 0;
}

/* The rank of a case's cause; one that was ruled out counts as first when the reply rules it out.
 */
static int rank_of_case(const struct app_kit *kit, const cJSON *row)
{
    const cJSON *ruled_out = app_kit_at(row, "ruled_out");
    char *body = cJSON_PrintUnformatted(app_kit_at(row, "request"));
    cJSON *reply = post(kit, body, 200);
    int rank = ruled_out ? lists(app_kit_at(reply, "ruled_out"), ruled_out->valuestring) &&
                               !lists(app_kit_at(reply, "causes"), ruled_out->valuestring)
                         : rank_of(app_kit_at(reply, "causes"), app_kit_at(row, "expected"));

    cJSON_Delete(reply);
    cJSON_free(body);
    return rank;
}

/* The class of a reply's first cause, "" without one. */
static const char *first_cause(const cJSON *reply)
{
    const cJSON *cause = cJSON_GetArrayItem(app_kit_at(reply, "causes"), 0);
    return cause ? app_kit_text(cause, "class") : "";
}

/* How many of a set of cases come where. */
struct tally {
    int n, first, three;
};

static void count_case(struct tally *tally, int rank)
{
    tally->n++;
    tally->first += rank == 1;
    tally->three += rank >= 1 && rank <= 3;
}

/* Those whose cause the thread established, and those looked up later, with causes as the threads
 * suggest them: of these three quarters must come first. The mechanical ones are reports whose
 * members were put into a request by a rule, without a reader: figures' names as they were, the
 * rest as features. */
static void real_threads_get_their_causes(void **state)
{
    cJSON *cases = read_cases();
    struct tally established = {0}, later = {0}, mechanical = {0};
    const cJSON *row;

    cJSON_ArrayForEach(row, cases)
    {
        const char *confidence = app_kit_text(row, "confidence");
        int rank = rank_of_case(*state, row);
        if (strcmp(confidence, "established") == 0)
            count_case(&established, rank);
        if (strcmp(confidence, "later") == 0)
            count_case(&later, rank);
        if (strcmp(confidence, "mechanical") == 0)
            count_case(&mechanical, rank);
        if (rank != 1)
            print_message("%s: place %d\n", app_kit_text(row, "id"), rank);
    }
    cJSON_Delete(cases);
    assert_true(established.n >= 30 && later.n >= 30);
    assert_true(established.first >= 0.8 * established.n);
    assert_true(established.three >= 0.95 * established.n);
    assert_true(later.first >= 0.75 * later.n);
    assert_true(mechanical.first >= 0.9 * mechanical.n && mechanical.n >= 40);
}

#define DEPLOYED                                                                                   \
    "{\"model\":\"llama-3.1-8b\",\"hardware\":\"h100-sxm\",\"features\":\"lora, logprobs\"}"

static void nothing_seen_is_no_cause(void **state)
{
    static const char *const BODIES[] = {
        "{}",
        "{\"model\":\"llama-3.1-8b\",\"hardware\":\"h100-sxm\"}",
        DEPLOYED,
        "{\"observed\":{}}",
        "{\"title\":\"it is slow\"}",
    };

    for (size_t i = 0; i < ARRAY_LEN(BODIES); i++) {
        cJSON *reply = post(*state, BODIES[i], 200);
        assert_int_equal(cJSON_GetArraySize(app_kit_at(reply, "causes")), 0);
        assert_true(cJSON_GetArraySize(app_kit_at(reply, "not_enough")) >= 3);
        assert_false(cJSON_IsTrue(app_kit_at(reply, "healthy")));
        cJSON_Delete(reply);
    }
}

static void faults_name_their_place(void **state)
{
    static const struct {
        const char *body, *pointer;
    } ROWS[] = {
        {"[]", ""},
        {"{\"observed\":[]}", "/observed"},
        {"{\"observed\":{\"tpot_m\":3}}", "/observed/tpot_m"},
        {"{\"observed\":{\"tpot_ms\":\"slow\"}}", "/observed/tpot_ms"},
        {"{\"observed\":{\"tpot_ms\":-1}}", "/observed/tpot_ms"},
        {"{\"observed\":{\"tpot_ms\":[1]}}", "/observed/tpot_ms"},
        {"{\"observed\":{\"kv_usage\":101}}", "/observed/kv_usage"},
        {"{\"observed\":{\"other\":3}}", "/observed/other"},
        {"{\"observed\":{\"other\":{\"a\":[]}}}", "/observed/other/a"},
        {"{\"arms\":{}}", "/arms"},
        {"{\"arms\":[3]}", "/arms/0"},
        {"{\"arms\":[{\"name\":3}]}", "/arms/0/name"},
        {"{\"arms\":[{\"name\":\"a\",\"x\":[]}]}", "/arms/0/x"},
        {"{\"title\":3}", "/title"},
        {"{\"features\":[3]}", "/features"},
        {"{\"title\":\"a\",\"title\":\"b\"}", "/title"},
        {"{\"symptoms\":\"a\"}", "/symptoms"},
        {"{\"deployment\":{\"tpp\":[3]}}", "/deployment/tpp"},
        {"{\"hardwear\":\"h100\"}", "/hardwear"},
        {"{\"deployment\":{\"tp\":-3}}", "/deployment/tp"},
    };

    for (size_t i = 0; i < ARRAY_LEN(ROWS); i++) {
        cJSON *reply = post(*state, ROWS[i].body, 422);
        const cJSON *fault = cJSON_GetArrayItem(app_kit_at(reply, "errors"), 0);
        assert_non_null(fault);
        assert_string_equal(app_kit_text(fault, "pointer"), ROWS[i].pointer);
        cJSON_Delete(reply);
    }
}

/* Members of a deployment by the engine's own names, and texts in place of numbers, are words. */
static void members_are_read_loosely(void **state)
{
    static const struct {
        const char *body, *class;
    } ROWS[] = {
        {"{\"title\":\"42 tok/s instead of 155\",\"deployment\":{\"engine\":\"TGI 2.x\","
         "\"enforce_eager\":true,\"tp\":\"8 / 4\"}}",
         "eager-mode/unfused"},
        {"{\"title\":\"out of memory at the start\",\"deployment\":{\"engine\":\"sglang fork\","
         "\"attention_backend\":\"aiter\",\"mem_fraction_static\":0.911},"
         "\"hardware\":\"1x MI355X\"}",
         "kv-budget-workspace"},
        {"{\"title\":\"requests wait\",\"deployment\":{\"engine\":\"vllm V0\"},"
         "\"observed\":{\"other\":{\"kv_usage_pct\":\"40 -> 99\",\"waiting_reqs\":\"5-13\"}}}",
         "kv-capacity-queueing"},
        {"{\"title\":\"top-k 0 makes generation slow\",\"model\":\"llama-3.2-1b\","
         "\"hardware\":\"rtx-a6000\",\"deployment\":{\"engine\":\"llama-cli\"}}",
         "host-sampling-vocab-sort"},
    };

    for (size_t i = 0; i < ARRAY_LEN(ROWS); i++) {
        cJSON *reply = post(*state, ROWS[i].body, 200);
        if (strcmp(first_cause(reply), ROWS[i].class) != 0)
            fail_msg("%s: %s", ROWS[i].body, first_cause(reply));
        assert_true(cJSON_GetArraySize(app_kit_at(reply, "notes")) >= 1);
        cJSON_Delete(reply);
    }
}

static void unknown_names_are_notes(void **state)
{
    cJSON *reply = post(*state,
                        "{\"model\":\"no such model\",\"hardware\":\"abacus\",\"deployment\":{"
                        "\"engine\":\"an engine\"},\"observed\":{\"kv_usage\":99,\"waiting\":8}}",
                        200);

    assert_true(cJSON_GetArraySize(app_kit_at(reply, "notes")) >= 4);
    assert_true(cJSON_IsNull(app_kit_at(reply, "expected")));
    assert_true(cJSON_GetArraySize(app_kit_at(reply, "causes")) >= 1);
    cJSON_Delete(reply);
}

#define H100_8B                                                                                    \
    "{\"model\":\"llama-3.1-8b\",\"hardware\":\"h100-sxm\",\"deployment\":{\"engine\":\"vllm\"},"  \
    "\"workload\":{\"concurrency\":16,\"input_tokens\":1024,\"output_tokens\":256},\"observed\":{"

/* The budget of this deployment is about 8.6 ms a token. */
static void speeds_as_planned_are_healthy(void **state)
{
    cJSON *reply = post(*state, H100_8B "\"tpot_ms\":8.3,\"ttft_ms\":60,\"waiting\":0}}", 200);

    assert_true(cJSON_IsTrue(app_kit_at(reply, "healthy")));
    assert_true(fabs(app_kit_at(reply, "expected/gap_ms")->valuedouble) < 2.0);
    cJSON_Delete(reply);
    reply =
        post(*state, H100_8B "\"tpot_ms\":35,\"gpu_utilization\":0.2,\"cpu_utilization\":1}}", 200);
    assert_false(cJSON_IsTrue(app_kit_at(reply, "healthy")));
    assert_string_equal(first_cause(reply), "host-scheduler-overhead");
    cJSON_Delete(reply);
}

static double score_of(const cJSON *reply, const char *class)
{
    const cJSON *cause;

    cJSON_ArrayForEach(cause, app_kit_at(reply, "causes"))
    {
        if (strcmp(app_kit_text(cause, "class"), class) == 0)
            return app_kit_at(cause, "score")->valuedouble;
    }
    return 0.0;
}

/* What speaks against a cause lowers it, and a contrary figure outweighs words. */
static void contradictions_are_weighed(void **state)
{
    static const struct {
        const char *with, *against, *class;
    } ROWS[] = {
        {"{\"observed\":{\"waiting\":50,\"running\":64,\"kv_usage\":0.99}}",
         "{\"observed\":{\"waiting\":50,\"running\":64,\"kv_usage\":0.1}}", "kv-capacity-queueing"},
        {"{\"observed\":{\"gpu_utilization\":0.3,\"cpu_utilization\":1}}",
         "{\"observed\":{\"gpu_utilization\":0.99,\"cpu_utilization\":1}}",
         "host-scheduler-overhead"},
        {"{\"title\":\"requests are preempted\"}",
         "{\"title\":\"requests are preempted\",\"observed\":{\"preemptions\":0}}",
         "kv-preemption"},
        {"{\"arms\":[{\"name\":\"lora\",\"tok_s\":50},{\"name\":\"base\",\"tok_s\":100}]}",
         "{\"arms\":[{\"name\":\"lora\",\"tok_s\":100},{\"name\":\"base\",\"tok_s\":100}]}",
         "lora-kernel"},
    };

    for (size_t i = 0; i < ARRAY_LEN(ROWS); i++) {
        cJSON *with = post(*state, ROWS[i].with, 200),
              *against = post(*state, ROWS[i].against, 200);
        assert_true(score_of(with, ROWS[i].class) > 2.0 * score_of(against, ROWS[i].class));
        cJSON_Delete(with);
        cJSON_Delete(against);
    }
}

/* One sign: a cause of 0.6 at most, and what would settle it. */
static void a_single_sign_wants_more(void **state)
{
    cJSON *reply = post(*state, "{\"observed\":{\"gpu_utilization\":20}}", 200);

    assert_true(
        app_kit_at(cJSON_GetArrayItem(app_kit_at(reply, "causes"), 0), "score")->valuedouble <=
        0.6);
    assert_true(cJSON_GetArraySize(app_kit_at(reply, "not_enough")) >= 1);
    assert_true(cJSON_GetArraySize(app_kit_at(reply, "notes")) >= 1); /* 20 is read as percent */
    cJSON_Delete(reply);
}

/* Texts of tools: a scrape of vLLM 0.8, a line of its log, nvidia-smi's query. */
static void tools_are_read(void **state)
{
    cJSON *reply = post(*state,
                        "{\"metrics\":[\"vllm:num_requests_running{model_name=\\\"m\\\"} 247\\n"
                        "vllm:num_requests_waiting{model_name=\\\"m\\\"} 740\\n"
                        "vllm:gpu_cache_usage_perc{model_name=\\\"m\\\"} 0.999\\n\"],"
                        "\"log\":\"WARNING Sequence group 147 is preempted by "
                        "PreemptionMode.RECOMPUTE mode because "
                        "there is not enough KV cache space.\","
                        "\"smi\":\"utilization.gpu [%], power.draw [W]\\n20 %, 130.00 W\\n\"}",
                        200);

    assert_true(score_of(reply, "kv-preemption") > 0.5);
    assert_true(score_of(reply, "kv-capacity-queueing") > 0.5);
    cJSON_Delete(reply);
}

/* Points at rising load, and figures that nobody uses. */
static void points_and_leftovers(void **state)
{
    cJSON *reply = post(*state,
                        "{\"observed\":{\"output_tok_s\":[{\"concurrency\":8,\"value\":800},"
                        "{\"concurrency\":32,\"value\":810}],\"tpot_ms\":[{\"concurrency\":4,"
                        "\"value\":9}],\"gpu_utilization\":\"50-70\",\"itl_ms\":null,"
                        "\"other\":{\"colour\":3,\"flag\":false}}}",
                        200);
    const cJSON *left = cJSON_GetArrayItem(app_kit_at(reply, "not_used"), 0);

    assert_non_null(left);
    assert_string_equal(left->valuestring, "colour");
    assert_true(score_of(reply, "host-scheduler-overhead") > 0.0);
    cJSON_Delete(reply);
}

static void the_report_reads_like_a_colleague(void **state)
{
    static const char *const PARTS[] = {"   for:     ", "   run:     ", "   change:  ",
                                        "The budget: ", "To tell the first two apart: "};
    int status = 0;
    const char *text = app_kit_post(*state, "/v1/diagnose?format=text",
                                    H100_8B "\"tpot_ms\":35,\"gpu_utilization\":0.2,"
                                            "\"cpu_utilization\":1,\"kv_usage\":0.99}}",
                                    &status);

    assert_int_equal(status, 200);
    for (size_t i = 0; i < ARRAY_LEN(PARTS); i++)
        if (!strstr(text, PARTS[i]))
            fail_msg("no \"%s\" in %s", PARTS[i], text);
    text = app_kit_post(*state, "/v1/diagnose?format=text", "{}", &status);
    assert_non_null(strstr(text, "Nothing that was said points to a cause."));
}

/* A floor of some 4.5 ms (8.03e9 parameters of 2 bytes at 3.35 TB/s): 0.024 is seconds, no speed.
 */
static void a_time_below_its_floor_is_doubted(void **state)
{
    int status = 0;
    const char *text =
        app_kit_post(*state, "/v1/diagnose?format=text", H100_8B "\"tpot_ms\":0.024}}", &status);

    assert_int_equal(status, 200);
    assert_non_null(strstr(text, "speculation"));
    assert_null(strstr(text, "nothing is left"));
    assert_non_null(strstr(text, "(16 at"));
    assert_null(strstr(text, "assumed"));
    text = app_kit_post(*state, "/v1/diagnose?format=text",
                        "{\"model\":\"llama-3.1-8b\",\"hardware\":\"h100-sxm\"}", &status);
    assert_non_null(strstr(text, "assumed"));
}

static void the_table_has_every_cause(void **state)
{
    cJSON *reply = app_kit_json(*state, "/v1/causes", 200);
    const cJSON *cause;

    assert_true(app_kit_at(reply, "total")->valuedouble ==
                cJSON_GetArraySize(app_kit_at(reply, "items")));
    cJSON_ArrayForEach(cause, app_kit_at(reply, "items"))
    {
        assert_true(cJSON_GetArraySize(app_kit_at(cause, "signs")) >= 2);
    }
    cJSON_Delete(reply);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(real_threads_get_their_causes),
        cmocka_unit_test(nothing_seen_is_no_cause),
        cmocka_unit_test(faults_name_their_place),
        cmocka_unit_test(members_are_read_loosely),
        cmocka_unit_test(unknown_names_are_notes),
        cmocka_unit_test(speeds_as_planned_are_healthy),
        cmocka_unit_test(contradictions_are_weighed),
        cmocka_unit_test(a_single_sign_wants_more),
        cmocka_unit_test(tools_are_read),
        cmocka_unit_test(points_and_leftovers),
        cmocka_unit_test(the_report_reads_like_a_colleague),
        cmocka_unit_test(a_time_below_its_floor_is_doubted),
        cmocka_unit_test(the_table_has_every_cause),
    };

    return cmocka_run_group_tests(tests, app_kit_setup, app_kit_teardown);
}
