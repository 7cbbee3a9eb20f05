#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "fault.h"

static const char *const NAMES[] = {"concurrency", "input_tokens", "output_tokens", "tp",
                                    "pp",          "dp",           "h100-sxm"};

static const struct {
    const char *word, *nearest;
} ROWS[] = {
    {"concurrency", "concurrency"},
    {"concurency", "concurrency"},   /* one letter lost */
    {"CONCURRENCY", "concurrency"},  /* case costs nothing */
    {"cocnurrency", "concurrency"},  /* two neighbours swapped: distance 1 */
    {"inputtokens", "input_tokens"}, /* one letter lost */
    {"h100sxm", "h100-sxm"},
    {"pt", "tp"}, /* swapped: 1, as far as "pp" is, and first */
    {"t", "tp"},
    {"max_model_len", NULL},
    {"completely different", NULL},
    /* three of eleven letters wrong are 3 of the 3 allowed; four are too many */
    {"xyzcurrency", "concurrency"},
    {"xyzwurrency", NULL},
    {"ocnucrrency", "concurrency"}, /* two swaps */
    {"", NULL},
};

static void the_nearest_name_is_a_typing_slip_away(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(ROWS); i++) {
        const char *nearest = fault_nearest(ROWS[i].word, NAMES, ARRAY_LEN(NAMES));
        if (!ROWS[i].nearest && nearest)
            fail_msg("\"%s\" is near \"%s\"", ROWS[i].word, nearest);
        if (ROWS[i].nearest) {
            assert_non_null(nearest);
            assert_string_equal(nearest, ROWS[i].nearest);
        }
    }
}

static void a_long_word_is_near_nothing(void **state)
{
    char word[5000];
    const char *const names[] = {word};

    (void)state;
    memset(word, 'a', sizeof(word) - 1);
    word[sizeof(word) - 1] = '\0';
    assert_null(fault_nearest(word, names, 1));
    assert_null(fault_nearest("aaa", names, 1));
}

static void faults_are_collected_and_counted_past_the_maximum(void **state)
{
    struct arena *arena = arena_new(1 << 20);
    struct faults faults;
    char suggestion[] = "tp";

    (void)state;
    faults_init(&faults, arena);
    fault_add(&faults, "/deployment/pt", suggestion, "\"%s\" is not a field", "pt");
    suggestion[0] = 'x';
    for (int i = 0; i < FAULTS_MAX + 4; i++)
        fault_add(&faults, "", NULL, "fault %d", i);
    assert_int_equal(faults.n, FAULTS_MAX);
    assert_int_equal(faults.dropped, 5);
    assert_string_equal(faults.items[0].pointer, "/deployment/pt");
    assert_string_equal(faults.items[0].detail, "\"pt\" is not a field");
    assert_string_equal(faults.items[0].suggestion, "tp");
    assert_null(faults.items[1].suggestion);
    arena_free(arena);
}

static void a_fault_survives_an_arena_that_is_full(void **state)
{
    struct arena *arena = arena_new(16);
    struct faults faults;

    (void)state;
    faults_init(&faults, arena);
    fault_add(&faults, "/a/long/pointer/that/does/not/fit", NULL,
              "a detail that does not fit either");
    assert_int_equal(faults.n, 1);
    assert_string_equal(faults.items[0].pointer, "");
    assert_non_null(faults.items[0].detail);
    arena_free(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_nearest_name_is_a_typing_slip_away),
        cmocka_unit_test(a_long_word_is_near_nothing),
        cmocka_unit_test(faults_are_collected_and_counted_past_the_maximum),
        cmocka_unit_test(a_fault_survives_an_arena_that_is_full),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
