/* Kernel names of public sources and profiles against the class that a reader gave each: most are
 * told rightly, by their number and by their time. */
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "compiler.h"
#include "kernel_names.h"

#define LINE_MAX_BYTES 8192
#define RIGHT_TIME 0.98
#define PROFILES_MIN 12

/* Cuts line at its first tab and returns what stands behind it. */
static char *next_cell(char *line)
{
    char *tab = strchr(line, '\t');

    assert_non_null(tab);
    *tab = '\0';
    return tab + 1;
}

static FILE *open_golden(const char *path)
{
    FILE *file = fopen(path, "r");

    assert_non_null(file);
    return file;
}

/* The next line that is no comment, without its end. */
static bool read_line(FILE *file, char line[LINE_MAX_BYTES])
{
    do {
        if (!fgets(line, LINE_MAX_BYTES, file)) {
            return false;
        }
        assert_non_null(strchr(line, '\n'));
        *strchr(line, '\n') = '\0';
    } while (*line == '#');
    return true;
}

static bool is_right(const char *name, const char *class)
{
    return strcmp(kernel_class_name(kernel_class_of(name, strlen(name)).class), class) == 0;
}

/* The second file holds names that the table was not made from. */
static void by_name(void **state)
{
    (void)state;

    static const struct {
        const char *path;
        int least;
        double right;
    } ROWS[] = {
        {TESTS_DIR "/golden/kernel-names.tsv", 800, 0.95},
        {TESTS_DIR "/golden/kernel-names-apart.tsv", 400, 0.92},
    };

    static char line[LINE_MAX_BYTES];

    for (size_t i = 0; i < ARRAY_LEN(ROWS); i++) {
        FILE *file = open_golden(ROWS[i].path);
        int n = 0;
        int right = 0;

        while (read_line(file, line)) {
            char *name = next_cell(line);
            (void)next_cell(name);
            n++;
            right += is_right(name, line);
        }
        (void)fclose(file);
        assert_true(n >= ROWS[i].least);
        if (right < ROWS[i].right * n) {
            fail_msg("%s: %d of %d names are told rightly", ROWS[i].path, right, n);
        }
    }
}

static void check_profile(const char *address, double known, double right)
{
    if (right < RIGHT_TIME * known) {
        fail_msg("%s: %.2f %% of %.2f %% are told rightly", address, right, known);
    }
}

static void by_time(void **state)
{
    (void)state;
    static char line[LINE_MAX_BYTES];
    char address[LINE_MAX_BYTES] = "";
    FILE *file = open_golden(TESTS_DIR "/golden/kernel-times.tsv");
    double known = 0;
    double right = 0;
    int profiles = 0;

    while (read_line(file, line)) {
        char *percent = next_cell(line);
        char *name = next_cell(percent);
        if (strcmp(line, "profile") == 0) {
            check_profile(address, known, right);
            memcpy(address, name, strlen(name) + 1);
            known = right = 0;
            profiles++;
            continue;
        }
        double part = strtod(percent, NULL);
        known += part;
        right += is_right(name, line) ? part : 0;
    }
    (void)fclose(file);
    check_profile(address, known, right);
    assert_true(profiles >= PROFILES_MIN);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(by_name), cmocka_unit_test(by_time)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
