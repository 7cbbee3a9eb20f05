/* Fields of records that differ, and records of two stores. */
#include "record_diff.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "sql.h"
#include "write_kit.h"

#define FOUND_MAX 2000

/* "pointer:a:b" a line. */
static void note_field(void *ctx, const char *pointer, const cJSON *a, const cJSON *b)
{
    char *found = ctx;
    char *left = a ? cJSON_PrintUnformatted(a) : NULL;
    char *right = b ? cJSON_PrintUnformatted(b) : NULL;
    size_t used = strlen(found);
    snprintf(found + used, FOUND_MAX - used, "%s:%s:%s\n", pointer, left ? left : "",
             right ? right : "");
    free(left);
    free(right);
}

static void fields_are_named_by_their_pointer(void **state)
{
    static const struct {
        const char *a, *b, *found;
    } ROWS[] = {
        {"{\"x\":1}", "{\"x\":1.0}", ""},
        {"{\"x\":1,\"y\":2}", "{\"y\":2,\"x\":1}", ""},
        {"{\"x\":1}", "{\"x\":2}", "/x:1:2\n"},
        {"{\"x\":1}", "{\"x\":\"1\"}", "/x:1:\"1\"\n"},
        {"{\"x\":1}", "{}", "/x:1:\n"},
        {"{}", "{\"x\":null}", "/x::null\n"},
        {"{\"a\":{\"b\":[1,2,3]}}", "{\"a\":{\"b\":[1,4]}}", "/a/b/1:2:4\n/a/b/2:3:\n"},
        {"{\"a\":[{\"t\":1}]}", "{\"a\":[{\"t\":1},{\"t\":2}]}", "/a/1::{\"t\":2}\n"},
        {"{\"a\":[1]}", "{\"a\":{\"b\":1}}", "/a:[1]:{\"b\":1}\n"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(ROWS) / sizeof(ROWS[0]); i++) {
        char found[FOUND_MAX] = "";
        cJSON *a = cJSON_Parse(ROWS[i].a);
        cJSON *b = cJSON_Parse(ROWS[i].b);
        int n = 0;
        for (const char *at = ROWS[i].found; *at; at++) {
            n += *at == '\n';
        }
        assert_int_equal(field_diff(a, b, note_field, found), n);
        assert_string_equal(found, ROWS[i].found);
        assert_int_equal(field_diff(a, b, NULL, NULL), n);
        cJSON_Delete(a);
        cJSON_Delete(b);
    }
}

/* "+kind id" a line. */
static void note_record(void *ctx, const char *kind, const char *id, const cJSON *a, const cJSON *b)
{
    char *found = ctx;
    size_t used = strlen(found);
    snprintf(found + used, FOUND_MAX - used, "%c%s %s\n", !a ? '+' : !b ? '-' : '~', kind, id);
}

static void records_are_named_by_kind_and_id(void **state)
{
    static const char CHANGES[] =
        "PRAGMA foreign_keys=OFF;"
        "UPDATE records SET doc = json_set(doc, '$.tdp_w', 1) WHERE kind = 'hardware' AND id = "
        "'l40s';"
        "DELETE FROM records WHERE kind = 'price' AND id = (SELECT min(id) FROM records WHERE kind "
        "= 'price');"
        "UPDATE predictions SET tpot_ms = 2 * tpot_ms WHERE anchor_id = (SELECT min(anchor_id) "
        "FROM predictions);"
        "INSERT INTO disputes VALUES ('hardware', 'l40s', 99, 'tdp_w', '1', 'a', '2', 'b', 'c');";
    char found[FOUND_MAX] = "", expected[FOUND_MAX];
    sqlite3 *a = bundle_copy();
    (void)state;
    assert_true(sql_exec(a, MOST_CUT));
    sqlite3 *b = memory_copy(a);
    assert_true(record_diff(a, b, note_record, found));
    assert_string_equal(found, "");
    char *price = sql_text(a, "SELECT min(id) FROM records WHERE kind = 'price'");
    char *anchor = sql_text(a, "SELECT min(anchor_id) FROM predictions");
    assert_true(sql_exec(b, CHANGES));
    assert_true(record_diff(a, b, note_record, found));
    snprintf(expected, sizeof(expected),
             "~hardware l40s\n-price %s\n~prediction %s\n+dispute hardware l40s 99\n", price,
             anchor);
    assert_string_equal(found, expected);
    free(price);
    free(anchor);
    sqlite3_close(a);
    sqlite3_close(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fields_are_named_by_their_pointer),
        cmocka_unit_test(records_are_named_by_kind_and_id),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
