#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "compiler.h"
#include "utf8.h"

/* RFC 3629 section 4; the offset is that of the first byte which is not UTF-8. */
static const struct {
    const char *text;
    size_t length, offset;
} ROWS[] = {
    {"", 0, 0},
    {"plain ascii, longer than eight", 30, 30},
    {"a\0b", 3, 3},
    {"\xc2\x80", 2, 2},
    {"\xdf\xbf", 2, 2},
    {"\xe0\xa0\x80", 3, 3},
    {"\xed\x9f\xbf", 3, 3},
    {"\xef\xbf\xbf", 3, 3},
    {"\xf0\x90\x80\x80", 4, 4},
    {"\xf4\x8f\xbf\xbf", 4, 4},
    {"12345678\xff", 9, 8},
    {"\x80", 1, 0},
    {"\xc0\xaf", 2, 0},
    {"\xc1\xbf", 2, 0},
    {"\xe0\x9f\xbf", 3, 0},
    {"\xed\xa0\x80", 3, 0},
    {"\xf0\x8f\xbf\xbf", 4, 0},
    {"\xf4\x90\x80\x80", 4, 0},
    {"\xf5\x80\x80\x80", 4, 0},
    {"ab\xe2\x82", 4, 2},
    {"ab\xe2\x82x", 5, 2},
    {"\xf0\x90\x80x", 4, 0},
};

static void the_first_bad_byte_is_found(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(ROWS); i++)
        assert_int_equal(utf8_check(ROWS[i].text, ROWS[i].length), ROWS[i].offset);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(the_first_bad_byte_is_found)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
