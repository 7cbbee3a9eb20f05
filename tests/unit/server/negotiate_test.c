#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "negotiate.h"

static const char *const AVAILABLE[] = {MEDIA_JSON, MEDIA_TEXT, MEDIA_CSV, NULL};

/* RFC 9110 section 12.5.1. */
static const struct {
    const char *accept, *chosen;
} ROWS[] = {
    {NULL, MEDIA_JSON},
    {"*/*", MEDIA_JSON},
    {"", MEDIA_JSON},
    {"text/plain", MEDIA_TEXT},
    {"TEXT/CSV", MEDIA_CSV},
    {"text/*", MEDIA_TEXT},
    {"application/*", MEDIA_JSON},
    {"text/csv;q=0.5, text/plain;q=0.4", MEDIA_CSV},
    {"text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8", MEDIA_JSON}, /* a browser */
    {"application/openmetrics-text;version=1.0.0;q=0.75,text/plain;version=0.0.4;q=0.5,*/*;q=0.1",
     MEDIA_TEXT},
    {"*/*;q=0.1, text/csv", MEDIA_CSV},
    {"application/json;q=0, */*", MEDIA_TEXT}, /* the most specific range decides: none of JSON */
    {"text/*;q=0.9, text/plain;q=0.1, application/json;q=0.5", MEDIA_CSV},
    {"text/plain ; q=0.3 , text/csv ; Q=0.7", MEDIA_CSV},
    {"text/plain;charset=\"a,b;q=0\", image/png", MEDIA_TEXT}, /* a quoted comma and semicolon */
    {"text/csv;q=1.000", MEDIA_CSV},
    {"text/html", NULL},
    {"image/*", NULL},
    {"application/json;q=0", NULL},
    {"*/*;q=0", NULL},
    {"text", MEDIA_JSON},                     /* nothing readable: as if absent */
    {"text/csv;q=2, text/plain", MEDIA_TEXT}, /* a range with a bad q is ignored */
    {"text/csv;q=0.1234, text/plain;q=0.1", MEDIA_TEXT},
    {",,,text/csv,,", MEDIA_CSV},
};

static void the_best_liked_type_is_chosen(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(ROWS); i++) {
        const char *chosen = negotiate_accept(ROWS[i].accept, AVAILABLE);
        const char *shown = ROWS[i].accept ? ROWS[i].accept : "(none)";
        const char *expected = ROWS[i].chosen ? ROWS[i].chosen : "nothing";
        if (strcmp(chosen ? chosen : "nothing", expected) != 0)
            fail_msg("Accept \"%s\" gives %s, expected %s", shown, chosen ? chosen : "nothing",
                     expected);
    }
}

static void format_words_name_media_types(void **state)
{
    (void)state;
    assert_string_equal(negotiate_format("json"), MEDIA_JSON);
    assert_string_equal(negotiate_format("ndjson"), MEDIA_NDJSON);
    assert_null(negotiate_format("xml"));
    assert_null(negotiate_format(""));
    assert_string_equal(content_type_of(MEDIA_TEXT), "text/plain; charset=utf-8");
    assert_string_equal(content_type_of(MEDIA_JSON), "application/json");
    assert_string_equal(content_type_of("image/png"), "image/png");
}

static const struct {
    const char *type;
    bool json;
} TYPES[] = {
    {"application/json", true},
    {"Application/JSON; charset=utf-8", true},
    {" application/json ;x", true},
    {"application/vnd.regime+json", true},
    {"application/problem+json;v=1", true},
    {"application/x-www-form-urlencoded", false},
    {"text/json", false},
    {"text/x+json", false},
    {"application/jsonx", false},
    {"application/+json", false},
    {"", false},
};

static void json_types_are_recognised(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(TYPES); i++)
        if (is_json_type(TYPES[i].type) != TYPES[i].json)
            fail_msg("\"%s\" is taken wrongly", TYPES[i].type);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_best_liked_type_is_chosen),
        cmocka_unit_test(format_words_name_media_types),
        cmocka_unit_test(json_types_are_recognised),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
