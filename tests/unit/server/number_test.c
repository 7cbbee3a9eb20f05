#include <inttypes.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "number.h"

#define RANDOM_VALUES 3000000

struct row {
    double value;
    const char *text;
};

/* The first rows follow from the rule by hand, the ties from "round half to even" (IEEE 754). */
static const struct row ROWS[] = {
    {0, "0"},
    {-0.0, "0"},
    {1, "1"},
    {-1, "-1"},
    {16060522496.0, "16060522496"},
    {9007199254740991.0, "9007199254740991"},
    {-9007199254740991.0, "-9007199254740991"},
    {9007199254740992.0, "9.00719925e+15"},
    {1e21, "1e+21"},
    {-1e300, "-1e+300"},
    {1e-300, "1e-300"},
    {0.1, "0.1"},
    {-2.5, "-2.5"},
    {1.0 / 3, "0.333333333"},
    {295.4, "295.4"},
    {0.0001, "0.0001"},
    {0.00001, "1e-05"},
    {0.000099999999999, "0.0001"}, /* the exponent counts after rounding */
    {123456789.5, "123456790"},    /* a tie, to even */
    {123456788.5, "123456788"},    /* a tie, to even */
    {12345678.25, "12345678.2"},   /* a tie, to even */
    {12345678.75, "12345678.8"},   /* a tie, to even */
    {999999999.6, "1e+09"},
    {99999999.96, "100000000"},
    {0.99999999996, "1"},
    {4.9406564584124654e-324, "4.94065646e-324"}, /* the smallest subnormal */
    {2.2250738585072014e-308, "2.22507386e-308"}, /* the smallest normal */
    {1.7976931348623157e308, "1.79769313e+308"},  /* the largest */
    {INFINITY, "null"},
    {-INFINITY, "null"},
    {NAN, "null"},
};

static void check(double value, const char *expected)
{
    char text[NUMBER_TEXT_MAX + 1];
    size_t length = number_write(value, text);

    assert_true(length < NUMBER_TEXT_MAX);
    text[length] = '\0';
    if (strcmp(text, expected) != 0)
        fail_msg("%.17g is \"%s\", expected \"%s\"", value, text, expected);
}

static void number_is_written_by_the_rule(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(ROWS) / sizeof(ROWS[0]); i++)
        check(ROWS[i].value, ROWS[i].text);
}

static uint64_t next_random(uint64_t *state)
{
    /* xorshift64*, Marsaglia 2003 and Vigna 2016 */
    *state ^= *state >> 12;
    *state ^= *state << 25;
    *state ^= *state >> 27;
    return *state * UINT64_C(2685821657736338717);
}

static void check_against_printf(double value)
{
    char expected[64];

    if (fabs(value) < 9007199254740992.0 && value == floor(value))
        return;
    snprintf(expected, sizeof(expected), "%.9g", value);
    check(value, expected);
}

/* Every bit pattern is as likely: exponents from the subnormals to 1e308. */
static void digits_are_those_of_printf_for_all_exponents(void **state)
{
    uint64_t seed = 88172645463325252u;

    (void)state;
    for (int i = 0; i < RANDOM_VALUES; i++) {
        uint64_t bits = next_random(&seed);
        double value;
        memcpy(&value, &bits, sizeof(value));
        if (isfinite(value))
            check_against_printf(value);
    }
}

/* Short decimals, where exact ties and near ties live: k / 2^n and k x 10^n. */
static void digits_are_those_of_printf_near_ties(void **state)
{
    uint64_t seed = 1234567;

    (void)state;
    for (int i = 0; i < RANDOM_VALUES; i++) {
        uint64_t random = next_random(&seed);
        double whole = (double)(random >> 24 & 0xffffffffffu);
        check_against_printf(ldexp(whole, -(int)(random & 31)));
        check_against_printf(whole * pow(10, (double)(random & 511) - 255));
        check_against_printf((double)(random >> 11) * 1024 + 5e15);
        check_against_printf(nextafter(whole + 0.5, random & 1 ? 0 : 1e300) / 1e6);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(number_is_written_by_the_rule),
        cmocka_unit_test(digits_are_those_of_printf_for_all_exponents),
        cmocka_unit_test(digits_are_those_of_printf_near_ties),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
