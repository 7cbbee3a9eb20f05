#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cjson/cJSON.h>
#include <cmocka.h>

#include "json_check.h"

#define NESTING 8
#define VALUES 100

/* RFC 8259; most of them are what lenient parsers take. */
static const char *const GOOD[] = {
    "{}",
    "[]",
    "0",
    "-0",
    "1.5e-3",
    "\"x\"",
    "null",
    "true",
    "false",
    " \t\r\n[1 , 2]\n",
    "{\"a\":{\"b\":[1,{\"c\":null}]}}",
    "\"\\u00e9\\n\\\\ \\ud83d\\ude00\"",
    "\"caf\xc3\xa9\"",
    "[[[[[[[[]]]]]]]]",
    "1e308",
    "-1E+308",
    "1e-999",
    "{\"a\":1,\"a\":2}", /* a name twice is for the reader of the tree to refuse */
};

static const struct {
    const char *text;
    size_t offset;
} BAD[] = {
    {"", 0},
    {"   ", 3},
    {"{} x", 3},
    {"{}{}", 2},
    {"truefalse", 4},
    {"[1,]", 3},
    {"[1 2]", 3},
    {"[", 1},
    {"{\"a\"}", 4},
    {"{\"a\":}", 5},
    {"{\"a\":1,}", 7},
    {"{a:1}", 1},
    {"{'a':1}", 1},
    {"[1}", 2},
    {"{\"a\":1]", 6},
    {"]", 0},
    {"01", 1},
    {"1.", 2},
    {".5", 0},
    {"+1", 0},
    {"-", 1},
    {"1e", 2},
    {"0x10", 1},
    {"1-2", 1},
    {"NaN", 0},
    {"Infinity", 0},
    {"1e400", 5},
    {"-1e400", 6},
    {"nul", 0},
    {"\"a", 2},
    {"\"a\tb\"", 2},
    {"\"a\nb\"", 2},
    {"\"\\x\"", 2},
    {"\"\\u12\"", 5},
    {"\"\\u0000\"", 7},
    {"\"\\ud800\"", 7},
    {"\"\\ud800\\n\"", 8},
    {"\"\\udc00\"", 7},
    {"\"\\ud800\\ud800\"", 13},
    {"\"\xff\"", 1},
    {"\"\xc0\xaf\"", 1},
    {"\xef\xbb\xbf{}", 0},
    {"[1] // comment", 4},
    {"[[[[[[[[[]]]]]]]]]", 8},
};

static void good_json_passes_and_cjson_agrees(void **state)
{
    struct json_fault fault;

    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(GOOD); i++) {
        if (!json_check(GOOD[i], strlen(GOOD[i]), NESTING, VALUES, &fault))
            fail_msg("%s: %s at %zu", GOOD[i], fault.what, fault.offset);
        cJSON *tree = cJSON_ParseWithOpts(GOOD[i], NULL, 1);
        assert_non_null(tree);
        cJSON_Delete(tree);
    }
}

static void bad_json_is_refused_where_it_is_bad(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(BAD); i++) {
        struct json_fault fault = {0};
        if (json_check(BAD[i].text, strlen(BAD[i].text), NESTING, VALUES, &fault))
            fail_msg("\"%s\" passes", BAD[i].text);
        assert_non_null(fault.what);
        if (fault.offset != BAD[i].offset)
            fail_msg("\"%s\": %s at %zu, expected %zu", BAD[i].text, fault.what, fault.offset,
                     BAD[i].offset);
    }
}

static void a_nul_inside_the_text_is_refused(void **state)
{
    struct json_fault fault;

    (void)state;
    assert_false(json_check("{}\0", 3, NESTING, VALUES, &fault));
    assert_false(json_check("\"a\0b\"", 5, NESTING, VALUES, &fault));
    assert_false(json_check("\0{}", 3, NESTING, VALUES, &fault));
}

static void lines_and_columns_are_counted(void **state)
{
    static const char TEXT[] = "{\n  \"a\": 1,\n  \"b\" 2\n}";
    struct json_fault fault;

    (void)state;
    assert_false(json_check(TEXT, sizeof(TEXT) - 1, NESTING, VALUES, &fault));
    assert_int_equal(fault.line, 3);
    assert_int_equal(fault.column, 7);
}

static void values_are_counted(void **state)
{
    struct json_fault fault;

    (void)state;
    /* an array of two is three values */
    assert_true(json_check("[1,2]", 5, NESTING, 3, &fault));
    assert_false(json_check("[1,2]", 5, NESTING, 2, &fault));
    assert_string_equal(fault.what, "too many values");
}

/* Long numbers: 400 digits are beyond a double, 400 decimals are not, 1001 characters are refused.
 */
static void long_numbers_stay_within_a_double(void **state)
{
    struct json_fault fault;
    char text[1200];

    (void)state;
    memset(text, '9', sizeof(text));
    assert_true(json_check(text, 300, NESTING, VALUES, &fault));
    assert_false(json_check(text, 400, NESTING, VALUES, &fault));
    text[1] = '.';
    assert_true(json_check(text, 400, NESTING, VALUES, &fault));
    assert_false(json_check(text, 1001, NESTING, VALUES, &fault));
}

/* Whatever is cut off or changed in one byte must not read past the end (a test for the
 * sanitizers). */
static void no_input_reads_past_its_end(void **state)
{
    static const char TEXT[] = "{\"k\":[1.5e3,\"\\ud83d\\ude00\xc3\xa9\",true,null,{}]}";
    struct json_fault fault;

    (void)state;
    for (size_t cut = 0; cut < sizeof(TEXT); cut++)
        for (int byte = 0; byte < 256; byte += 5) {
            char *copy = malloc(cut + 1);
            assert_non_null(copy);
            memcpy(copy, TEXT, cut);
            copy[cut] = (char)byte;
            bool good = json_check(copy, cut + 1, NESTING, VALUES, &fault);
            assert_true(good || fault.offset <= cut + 1);
            free(copy);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(good_json_passes_and_cjson_agrees),
        cmocka_unit_test(bad_json_is_refused_where_it_is_bad),
        cmocka_unit_test(a_nul_inside_the_text_is_refused),
        cmocka_unit_test(lines_and_columns_are_counted),
        cmocka_unit_test(values_are_counted),
        cmocka_unit_test(long_numbers_stay_within_a_double),
        cmocka_unit_test(no_input_reads_past_its_end),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
