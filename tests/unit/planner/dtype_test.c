#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "dtype.h"

static void names_read_back(void **state)
{
    (void)state;
    for (int i = 0; i < DTYPE_COUNT; i++) {
        assert_int_equal(dtype_parse(dtype_name((enum dtype)i)), i);
    }
    for (int i = 0; i < ROLE_COUNT; i++) {
        assert_int_equal(role_parse(role_name((enum role)i)), i);
    }
}

/* The names are those that records and replies use. */
static void names_are_the_published_ones(void **state)
{
    (void)state;
    assert_string_equal(dtype_name(DTYPE_BF16), "bf16");
    assert_string_equal(dtype_name(DTYPE_FP4), "fp4");
    assert_string_equal(role_name(ROLE_SHARED_EXPERT), "shared_expert");
    assert_string_equal(role_name(ROLE_VISION), "vision");
}

static void unknown_names_are_refused(void **state)
{
    (void)state;
    assert_int_equal(dtype_parse("BF16"), DTYPE_COUNT);
    assert_int_equal(dtype_parse(""), DTYPE_COUNT);
    assert_int_equal(role_parse("experts"), ROLE_COUNT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_read_back),
        cmocka_unit_test(names_are_the_published_ones),
        cmocka_unit_test(unknown_names_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
