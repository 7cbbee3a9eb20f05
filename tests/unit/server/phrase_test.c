#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>
#include <math.h>

#include "compiler.h"
#include "phrase.h"

typedef void put_fn(struct phrase *phrase, double value);

static void three_digits(struct phrase *phrase, double value)
{
    phrase_number(phrase, value, 3);
}

static void plain_four(struct phrase *phrase, double value)
{
    phrase_plain(phrase, value, 4);
}

static void one_decimal(struct phrase *phrase, double value)
{
    phrase_fixed(phrase, value, 1);
}

/* Expected by the rules of the header, worked out by hand. */
static const struct {
    put_fn *put;
    double value;
    const char *text;
} ROWS[] = {
    {three_digits, 0, "0"},
    {three_digits, 1, "1"},
    {three_digits, 12.345, "12.3"},
    {three_digits, 99.96, "100"},
    {three_digits, 99.94, "99.9"},
    {three_digits, 0.01234, "0.0123"},
    {three_digits, 0.00012345, "1.23e-4"},
    {three_digits, 53248, "53,248"},
    {three_digits, 999999.7, "1,000,000"},
    {three_digits, 6979321856.0, "6.98e9"},
    {three_digits, 9.9999e9, "1e10"},
    {three_digits, -4.25, "-4.25"},
    {three_digits, NAN, "no record"},
    {three_digits, INFINITY, "unbounded"},
    {plain_four, 0.7, "0.7"},
    {plain_four, 7.616, "7.616"},
    {plain_four, 1200, "1,200"},
    {plain_four, 2.5e9, "2.5e9"},
    {one_decimal, 163.28, "163.3"},
    {one_decimal, 0.04, "0.0"},
    {phrase_whole, 1234567.4, "1,234,567"},
    {phrase_whole, 12, "12"},
    {phrase_bytes, 16060522496.0, "16.1 GB"},
    {phrase_bytes, 131072, "131 kB"},
    {phrase_bytes, 999.6e6, "1.00 GB"},
    {phrase_bytes, 2, "2 B"},
    {phrase_bytes, 1.5e12, "1.50 TB"},
    {phrase_time, 4880, "4.88 ms"},
    {phrase_time, 25, "25 us"},
    {phrase_time, 1.2e6, "1.20 s"},
    {phrase_flops, 13.9586e9, "14.0 GFLOP"},
    {phrase_flops, 738.9e12, "739 TFLOP"},
    {phrase_percent, 0.869, "87 %"},
    {phrase_percent, 0.0576, "5.8 %"},
    {phrase_percent, 0, "0 %"},
    {phrase_change, -0.43, "-43 %"},
    {phrase_change, 0.071, "+7.1 %"},
    {phrase_change, 0.0001, "0 %"},
    {phrase_change, NAN, "no record"},
};

static void figures_read_as_people_write_them(void **state)
{
    struct phrase phrase;

    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(ROWS); i++) {
        phrase_begin(&phrase);
        ROWS[i].put(&phrase, ROWS[i].value);
        if (strcmp(phrase_text(&phrase), ROWS[i].text) != 0)
            fail_msg("%.17g is \"%s\", not \"%s\"", ROWS[i].value, phrase_text(&phrase),
                     ROWS[i].text);
    }
}

static void no_value_breaks_a_phrase(void **state)
{
    static const double VALUES[] = {1e-320, 1e-30,   1e15,   1e16,      1e30,       1e40,
                                    1e300,  1.7e308, -1e300, 0.9999999, 9.9999995e5};
    static put_fn *const PUTS[] = {three_digits, plain_four,     one_decimal,
                                   phrase_whole, phrase_bytes,   phrase_time,
                                   phrase_flops, phrase_percent, phrase_change};
    struct phrase phrase;

    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(VALUES); i++) {
        for (size_t j = 0; j < ARRAY_LEN(PUTS); j++) {
            phrase_begin(&phrase);
            PUTS[j](&phrase, VALUES[i]);
            assert_in_range(phrase.length, 1, 40);
        }
    }
}

static void templates_take_figures_by_letter(void **state)
{
    struct phrase phrase;
    struct figures figures;

    (void)state;
    memset(&figures, 0, sizeof(figures));
    figure_set(&figures, 'B', 32);
    figure_set(&figures, 'x', 268435456);
    figure_name(&figures, 'k', "K and V");
    phrase_begin(&phrase);
    phrase_fill(&phrase, "{wB} x {bx} of {sk}{s", &figures);
    assert_string_equal(phrase_text(&phrase), "32 x 268 MB of K and V{s");
    phrase_begin(&phrase);
    phrase_fill(&phrase, "{sz}, {p!} and {}", &figures);
    assert_string_equal(phrase_text(&phrase), "no record, {p!} and {}");
}

static void a_full_phrase_ends_between_characters(void **state)
{
    struct phrase phrase;

    (void)state;
    phrase_begin(&phrase);
    for (int i = 0; i < PHRASE_MAX; i++)
        phrase_add(&phrase, "\u20ac");
    assert_int_equal(phrase.length, (PHRASE_MAX - 1) / 3 * 3);
    assert_int_equal(strlen(phrase_text(&phrase)), phrase.length);
    int version[3] = {0, 19, 1};
    phrase_begin(&phrase);
    phrase_version(&phrase, version);
    assert_string_equal(phrase_text(&phrase), "0.19.1");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(figures_read_as_people_write_them),
        cmocka_unit_test(no_value_breaks_a_phrase),
        cmocka_unit_test(templates_take_figures_by_letter),
        cmocka_unit_test(a_full_phrase_ends_between_characters),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
