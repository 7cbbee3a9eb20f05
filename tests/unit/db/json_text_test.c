/* Walking JSON text: spans as they were written, and no step outside the text. */
#include "json_text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "compiler.h"

static void elements_come_as_written(void **state)
{
    static const char TEXT[] = " [ 1.50, {\"a\": [1, 2], \"b\": \"},\\\"\"} ,\n \"x,y\", [] ] ";
    static const char *const WANT[] = {"1.50", "{\"a\": [1, 2], \"b\": \"},\\\"\"}", "\"x,y\"",
                                       "[]"};
    struct json_walk walk = json_walk_start(TEXT, strlen(TEXT));
    struct json_span span = {NULL, 0};
    size_t n = 0;
    (void)state;
    while (n < ARRAY_LEN(WANT) && json_walk_element(&walk, &span)) {
        assert_true(json_span_is(span, WANT[n]));
        n++;
    }
    assert_int_equal(n, ARRAY_LEN(WANT));
    assert_false(json_walk_element(&walk, &span));
}

static void members_come_as_written(void **state)
{
    static const char TEXT[] = "{\"a\": 1e3 , \"b c\":{\"d\":null},\"e\":\"\\\\\"}";
    static const char *const NAMES[] = {"a", "b c", "e"};
    static const char *const VALUES[] = {"1e3", "{\"d\":null}", "\"\\\\\""};
    struct json_walk walk = json_walk_start(TEXT, strlen(TEXT));
    struct json_span name = {NULL, 0};
    struct json_span value = {NULL, 0};
    size_t n = 0;
    (void)state;
    while (n < ARRAY_LEN(NAMES) && json_walk_member(&walk, &name, &value)) {
        assert_true(json_span_is(name, NAMES[n]));
        assert_true(json_span_is(value, VALUES[n]));
        n++;
    }
    assert_int_equal(n, ARRAY_LEN(NAMES));
    assert_false(json_walk_member(&walk, &name, &value));
}

/* Every cut of a text, in memory of exactly that size: the address sanitizer watches the end. */
static void cut_texts_end_early(void **state)
{
    static const char TEXT[] = "{\"a\":[1,\"\\\"\",{}],\"b\":\"c\\";
    (void)state;
    for (size_t length = 0; length < sizeof(TEXT); length++) {
        char *cut = malloc(length + 1);
        struct json_span name = {NULL, 0};
        struct json_span value = {NULL, 0};
        assert_non_null(cut);
        memcpy(cut, TEXT, length);
        struct json_walk walk = json_walk_start(cut, length);
        for (int i = 0; i < 10 && json_walk_member(&walk, &name, &value); i++) {
            assert_true(value.text + value.length <= cut + length);
        }
        walk = json_walk_start(cut, length);
        for (int i = 0; i < 10 && json_walk_element(&walk, &value); i++) {
            assert_true(value.text + value.length <= cut + length);
        }
        assert_true(json_text_compact(cut, length) <= length);
        free(cut);
    }
}

static void space_goes_but_not_in_strings(void **state)
{
    char text[] = " { \"a b\" : [ 1 ,\t2 ] ,\r\n\"c\" : \" d \\\" e \" } ";
    size_t length = json_text_compact(text, strlen(text));
    (void)state;
    text[length] = '\0';
    assert_string_equal(text, "{\"a b\":[1,2],\"c\":\" d \\\" e \"}");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(elements_come_as_written),
        cmocka_unit_test(members_come_as_written),
        cmocka_unit_test(cut_texts_end_early),
        cmocka_unit_test(space_goes_but_not_in_strings),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
