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

static void real_threads_get_their_causes(void **state)
{
    cJSON *cases = read_cases();
    const cJSON *row;
    int n = 0, first = 0, three = 0;

    cJSON_ArrayForEach(row, cases)
    {
        int rank = rank_of_case(*state, row);
        if (strcmp(app_kit_text(row, "confidence"), "established") != 0)
            continue;
        n++;
        first += rank == 1;
        three += rank >= 1 && rank <= 3;
        if (rank != 1)
            print_message("%s: place %d\n", app_kit_text(row, "id"), rank);
    }
    cJSON_Delete(cases);
    assert_true(n >= 30);
    assert_true(first >= 0.8 * n);
    assert_true(three >= 0.95 * n);
}

#define DEPLOYED                                                                                   \
    "{\"model\":\"llama-3.1-8b\",\"hardware\":\"h100-sxm\",\"deployment\":{\"tp\":2},"             \
    "\"features\":"                                                                                \
    "\"lora, logprobs\"}"

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
        {"{\"deployment\":{\"tpp\":3}}", "/deployment/tpp"},
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(real_threads_get_their_causes),
        cmocka_unit_test(nothing_seen_is_no_cause),
        cmocka_unit_test(faults_name_their_place),
        cmocka_unit_test(unknown_names_are_notes),
    };

    return cmocka_run_group_tests(tests, app_kit_setup, app_kit_teardown);
}
