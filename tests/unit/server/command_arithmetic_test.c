/* command_arithmetic: sums of a shell, computed by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "command_arithmetic.h"
#include "compiler.h"

/* Of a shell where SIZE=2, LOCAL=8 and WORD=x are set. */
static const char *value(const void *context, const char *name, size_t length)
{
    static const char *const VARIABLES[][2] = {{"SIZE", "2"}, {"LOCAL", "8"}, {"WORD", "x"}};

    (void)context;
    for (size_t i = 0; i < ARRAY_LEN(VARIABLES); i++)
        if (strlen(VARIABLES[i][0]) == length && strncmp(VARIABLES[i][0], name, length) == 0)
            return VARIABLES[i][1];
    return NULL;
}

static const struct {
    const char *text;
    bool known;
    long number;
} ROWS[] = {
    {"1", true, 1},
    {"1 + 2 * 3", true, 7},
    {" (1+2)*3 ", true, 9},
    {"SIZE * LOCAL", true, 16},
    {"$SIZE*${LOCAL}", true, 16},
    {"${OTHER:-3} * LOCAL", true, 24},
    {"${SIZE:-3} - 5", true, -3},
    {"-SIZE + 10 % 4", true, 0},
    {"7 / 2", true, 3},
    {"8 / (SIZE - 2)", false, 0},
    {"8 % 0", false, 0},
    {"OTHER", false, 0},
    {"${OTHER}", false, 0},
    {"${SIZE", false, 0},
    {"WORD + 1", false, 0},
    {"1 +", false, 0},
    {"(1", false, 0},
    {"1 2", false, 0},
    {"1 << 2", false, 0},
    {"", false, 0},
    {"99999999999", false, 0},
    {"9999999999999999999999", false, 0},
    {"1000000 * 1000000", false, 0},
    {"1000000000 + 1", false, 0},
    {"((((((((((((((((((((1))))))))))))))))))))", false, 0},
    {"--------------------1", false, 0},
};

static void test_sums(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(ROWS); i++) {
        long number = 0;
        bool known = command_arithmetic(ROWS[i].text, strlen(ROWS[i].text), value, NULL, &number);
        if (known != ROWS[i].known || number != ROWS[i].number)
            fail_msg("\"%s\" is %ld", ROWS[i].text, known ? number : -1);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sums),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
