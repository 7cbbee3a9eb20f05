/* The catalogue out of a served store, into another, and what differs, by the program itself. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cjson/cJSON.h>
#include <cmocka.h>

#include "json_look.h"
#include "writes_kit.h"

#define OUTPUT_MAX 4000

static int run(const char *const *arguments, char ret_output[OUTPUT_MAX])
{
    memset(ret_output, 0, OUTPUT_MAX);
    return run_program(arguments, ret_output, OUTPUT_MAX);
}

/* A daemon on the imported store answers as the one that it was exported from. */
static void an_imported_store_answers_the_same(void **state)
{
    static const char *const TARGETS[] = {
        "/v1/anchors?hardware=lab-card",
        "/v1/anchors?model=llama-3.1-8b&hardware=l4&input_tokens_min=5000&input_tokens_max=5000",
        "/v1/plan?model=llama-3.1-8b&hardware=l4&concurrency=6&input_tokens=5000",
        "/v1/hardware/l4",
        "/v1/sources?limit=20",
    };
    const struct world *world = *state;
    char body[ANCHOR_BODY_MAX], output[OUTPUT_MAX], db[100], folder[100], other[100];
    struct daemon imported;
    world_db(&world->daemon, db);
    snprintf(folder, sizeof(folder), "%s/out", world->daemon.folder);
    snprintf(other, sizeof(other), "%s/other.db", world->daemon.folder);
    world_anchor(6, 88.5, body);
    assert_int_equal(world_post_status(world, "/v1/anchors", NULL, body), 201);
    /* beside the running daemon */
    assert_int_equal(run((const char *[]){"export", folder, "--db", db, NULL}, output), 0);
    assert_non_null(strstr(output, " records in "));
    assert_int_equal(run((const char *[]){"import", folder, "--db", other, NULL}, output), 0);
    assert_non_null(strstr(output, "made of "));
    assert_int_equal(run((const char *[]){"diff", db, other, NULL}, output), 0);
    assert_string_equal(output, "0 added, 0 removed, 0 changed\n");
    daemon_start(&imported, (const char *[]){"--db", other, NULL});
    for (size_t i = 0; i < sizeof(TARGETS) / sizeof(TARGETS[0]); i++) {
        struct http_reply a, b;
        http_get(&world->daemon, TARGETS[i], &a);
        http_get(&imported, TARGETS[i], &b);
        assert_int_equal(a.status, b.status);
        assert_string_equal(a.body, b.body);
        reply_done(&a);
        reply_done(&b);
    }
    assert_int_equal(daemon_stop(&imported), 0);
}

/* Behind the first test: the daemon's store has a measurement more than a fresh one. */
static void a_difference_is_named_and_told_by_the_status(void **state)
{
    const struct world *world = *state;
    struct daemon fresh;
    char output[OUTPUT_MAX], db[100], bare[100];
    world_db(&world->daemon, db);
    daemon_start(&fresh, NULL);
    world_db(&fresh, bare);
    assert_int_equal(run((const char *[]){"diff", bare, db, NULL}, output), 1);
    assert_non_null(strstr(output, "+ anchor "));
    assert_non_null(strstr(output, "1 added, 0 removed, 0 changed"));
    assert_int_equal(run((const char *[]){"diff", db, bare, "--format", "json", NULL}, output), 1);
    cJSON *tree = cJSON_Parse(output);
    const cJSON *removed = cJSON_GetArrayItem(member(tree, "removed"), 0);
    assert_string_equal(text_of(removed, "kind"), "anchor");
    assert_int_equal(cJSON_GetArraySize(member(tree, "added")), 0);
    cJSON_Delete(tree);
    assert_int_equal(daemon_stop(&fresh), 0);
}

static void trouble_is_2(void **state)
{
    static const char *const ROWS[][5] = {
        {"diff", "/nonexistent", "/nonexistent", NULL},
        {"diff", "/nonexistent", NULL},
        {"diff", "/tmp", "/tmp", "--format=xml", NULL},
    };
    char output[OUTPUT_MAX];
    (void)state;
    for (size_t i = 0; i < sizeof(ROWS) / sizeof(ROWS[0]); i++) {
        assert_int_equal(run(ROWS[i], output), 2);
        assert_non_null(strstr(output, "regimed: "));
    }
    assert_int_equal(run((const char *[]){"import", "/tmp", NULL}, output), 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_imported_store_answers_the_same),
        cmocka_unit_test(a_difference_is_named_and_told_by_the_status),
        cmocka_unit_test(trouble_is_2),
    };
    return cmocka_run_group_tests(tests, world_setup, world_teardown);
}
