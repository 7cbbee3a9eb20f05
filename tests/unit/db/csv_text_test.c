/* Tables of the record files: comments, a header, lines that fit it and lines that do not. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "compiler.h"
#include "csv_text.h"

#define SEEN_MAX 400

/* Writes "name=value,...;" of a line, "!;" of one that does not fit. */
static void note(void *context, const char *const *names, const char *const *values, int n)
{
    char *seen = context;
    for (int i = 0; values && i < n; i++) {
        size_t used = strlen(seen);
        snprintf(seen + used, SEEN_MAX - used, "%s%s=%s", i ? "," : "", names[i], values[i]);
    }
    size_t used = strlen(seen);
    snprintf(seen + used, SEEN_MAX - used, values ? ";" : "!;");
}

static const struct {
    const char *text, *seen;
} TEXTS[] = {
    {"", ""},
    {"# only a comment", ""},
    {"a,b\n", ""},
    {"# c\n\na,b\n1,2\n# c\n3,\n", "a=1,b=2;a=3,b=;"},
    {"a,b\n1,2", "a=1,b=2;"},
    {"a,b\n1\n1,2,3\n1,2\n", "!;!;a=1,b=2;"},
    {"a\n1\n", "a=1;"},
    /* 25 columns are more than there is room for */
    {"a,a,a,a,a,a,a,a,a,a,a,a,a,a,a,a,a,a,a,a,a,a,a,a,a\n"
     "1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1\n",
     "!;"},
};

static void lines_are_cut_into_cells(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(TEXTS); i++) {
        char text[SEEN_MAX];
        char seen[SEEN_MAX] = "";
        snprintf(text, sizeof(text), "%s", TEXTS[i].text);
        csv_text_each(text, note, seen);
        assert_string_equal(seen, TEXTS[i].seen);
    }
}

static void cells_are_found_by_name(void **state)
{
    static const char *const NAMES[] = {"op", "e_m"};
    static const char *const VALUES[] = {"gemm", "0.8"};
    (void)state;
    assert_string_equal(csv_cell_or(NAMES, VALUES, 2, "e_m", "-"), "0.8");
    assert_string_equal(csv_cell_or(NAMES, VALUES, 2, "q", "-"), "-");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_are_cut_into_cells),
        cmocka_unit_test(cells_are_found_by_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
