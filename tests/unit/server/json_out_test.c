#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cjson/cJSON.h>
#include <cmocka.h>

#include "json_out.h"

static int make_arena(void **state)
{
    *state = arena_new(1 << 20);
    return *state ? 0 : -1;
}

static int drop_arena(void **state)
{
    arena_free(*state);
    return 0;
}

static void assert_written(const struct json_out *out, const char *expected)
{
    assert_true(json_out_ok(out));
    assert_int_equal(out->length, strlen(expected));
    assert_memory_equal(out->text, expected, out->length);
}

static void commas_and_nesting_are_handled(void **state)
{
    struct json_out out;

    json_out_init(&out, *state, 0, 1000);
    json_begin_object(&out);
    json_put_text(&out, "id", "h100-sxm");
    json_put_number(&out, "hbm_gbps", 3350);
    json_key(&out, "list");
    json_begin_array(&out);
    json_number(&out, 0.5);
    json_begin_object(&out);
    json_end_object(&out);
    json_begin_array(&out);
    json_end_array(&out);
    json_raw(&out, "{\"a\":1}", 7);
    json_end_array(&out);
    json_put_bool(&out, "yes", true);
    json_put_bool(&out, "no", false);
    json_put_null(&out, "nothing");
    json_put_text(&out, "none", NULL);
    json_put_number(&out, "nan", NAN);
    json_end_object(&out);
    assert_written(
        &out, "{\"id\":\"h100-sxm\",\"hbm_gbps\":3350,\"list\":[0.5,{},[],{\"a\":1}],\"yes\":true,"
              "\"no\":false,\"nothing\":null,\"none\":null,\"nan\":null}");
}

static const struct {
    const char *text, *json;
} ESCAPES[] = {
    {"plain", "\"plain\""},
    {"", "\"\""},
    {"a\"b\\c/d", "\"a\\\"b\\\\c/d\""},
    {"\b\t\n\f\r", "\"\\b\\t\\n\\f\\r\""},
    {"\x01\x1f", "\"\\u0001\\u001f\""},
    {"caf\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80", "\"caf\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80\""},
    {"\xff", "\"\xef\xbf\xbd\""},                                 /* no UTF-8 at all */
    {"a\xc3", "\"a\xef\xbf\xbd\""},                               /* cut off */
    {"\xed\xa0\x80", "\"\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\""}, /* a surrogate */
    {"\xc0\xaf", "\"\xef\xbf\xbd\xef\xbf\xbd\""},                 /* an overlong slash */
};

static void strings_are_escaped(void **state)
{
    for (size_t i = 0; i < ARRAY_LEN(ESCAPES); i++) {
        struct json_out out;
        json_out_init(&out, *state, 0, 1000);
        json_text(&out, ESCAPES[i].text);
        assert_written(&out, ESCAPES[i].json);
    }
}

/* cJSON reads back every string of bytes 1 to 127 as it was. */
static void strings_survive_a_parser(void **state)
{
    char text[128];
    struct json_out out;

    for (int i = 0; i < 127; i++)
        text[i] = (char)(i + 1);
    text[127] = '\0';
    json_out_init(&out, *state, 1, 10000);
    for (int i = 0; i < 50; i++) {
        out.length = 0;
        out.needs_comma[0] = false;
        json_text_n(&out, text + i, (size_t)(127 - i));
        cJSON *read = cJSON_ParseWithLength(out.text, out.length);
        assert_non_null(read);
        assert_string_equal(read->valuestring, text + i);
        cJSON_Delete(read);
    }
}

static void the_maximum_is_never_passed_and_the_error_sticks(void **state)
{
    for (size_t max = 0; max < 80; max++) {
        struct json_out out;
        json_out_init(&out, *state, 10, max);
        json_begin_array(&out);
        json_text(&out, "twelve bytes");
        json_number(&out, 1e300);
        out_printf(&out, "%s", "plain text");
        json_end_array(&out);
        assert_true(out.length <= max);
        assert_true(out.length <= out.capacity);
        if (!json_out_ok(&out)) {
            size_t length = out.length;
            json_null(&out);
            out_text(&out, "x");
            out_printf(&out, "%d", 1);
            assert_false(json_out_ok(&out));
            assert_int_equal(out.length, length);
        }
    }
}

static void a_writer_grows_while_others_allocate(void **state)
{
    struct json_out out;

    json_out_init(&out, *state, 0, 100000);
    json_begin_array(&out);
    for (int i = 0; i < 5000; i++) {
        json_number(&out, i % 10);
        if (i % 100 == 0)
            assert_non_null(arena_alloc(*state, 16));
    }
    json_end_array(&out);
    assert_true(json_out_ok(&out));
    assert_int_equal(out.length, 5000 * 2 + 1);
    for (int i = 0; i < 5000; i++)
        assert_int_equal(out.text[1 + 2 * i], '0' + i % 10);
}

static void depth_is_bounded(void **state)
{
    struct json_out out;

    json_out_init(&out, *state, 0, 1000);
    for (int i = 0; i < JSON_DEPTH_MAX + 5; i++)
        json_begin_array(&out);
    assert_false(json_out_ok(&out));
    json_out_init(&out, *state, 0, 1000);
    json_end_array(&out);
    assert_false(json_out_ok(&out));
}

static void plain_text_shares_the_buffer(void **state)
{
    struct json_out out;

    json_out_init(&out, *state, 0, 10000);
    out_text(&out, "a,b\n");
    out_printf(&out, "%d,%s\n", 12, "x");
    for (int i = 0; i < 100; i++)
        out_printf(&out, "%s", "0123456789");
    assert_true(json_out_ok(&out));
    assert_int_equal(out.length, 4 + 5 + 1000);
    assert_memory_equal(out.text, "a,b\n12,x\n0123456789", 19);
}

int main(void)
{
#define WITH_ARENA(test) cmocka_unit_test_setup_teardown(test, make_arena, drop_arena)
    const struct CMUnitTest tests[] = {
        WITH_ARENA(commas_and_nesting_are_handled),
        WITH_ARENA(strings_are_escaped),
        WITH_ARENA(strings_survive_a_parser),
        WITH_ARENA(the_maximum_is_never_passed_and_the_error_sticks),
        WITH_ARENA(a_writer_grows_while_others_allocate),
        WITH_ARENA(depth_is_bounded),
        WITH_ARENA(plain_text_shares_the_buffer),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
