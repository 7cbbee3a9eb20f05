#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "trace.h"

#define TRACE "4bf92f3577b34da6a3ce929d0e0e4736"
#define SPAN "00f067aa0ba902b7"

/* https://www.w3.org/TR/trace-context/ sections 3.2.2 (its own example) and 3.2.4. */
static const struct {
    const char *sent, *flags; /* flags NULL: it is none */
} ROWS[] = {
    {"00-" TRACE "-" SPAN "-01", "01"},
    {"00-" TRACE "-" SPAN "-00", "00"},
    {"00-" TRACE "-" SPAN "-ff", "ff"},
    {"01-" TRACE "-" SPAN "-01", "01"},
    {"cc-" TRACE "-" SPAN "-01-what-comes-later", "01"},
    {"cc-" TRACE "-" SPAN "-01.later", NULL},
    {"00-" TRACE "-" SPAN "-01-later", NULL},
    {"00-" TRACE "-" SPAN "-01 ", NULL},
    {"00-" TRACE "-" SPAN "-1", NULL},
    {"00-" TRACE "-" SPAN "-", NULL},
    {"00-" TRACE "-" SPAN, NULL},
    {"ff-" TRACE "-" SPAN "-01", NULL},
    {"0-" TRACE "-" SPAN "-01", NULL},
    {"00-00000000000000000000000000000000-" SPAN "-01", NULL},
    {"00-" TRACE "-0000000000000000-01", NULL},
    {"00-4BF92F3577B34DA6A3CE929D0E0E4736-" SPAN "-01", NULL},
    {"00-" TRACE "0-" SPAN "-01", NULL},
    {"00_" TRACE "_" SPAN "_01", NULL},
    {"00-" TRACE "-" SPAN "-01, 00-" TRACE "-" SPAN "-01", NULL},
    {"", NULL},
    {"00", NULL},
    {NULL, NULL},
};

static void traceparent_is_read_by_its_grammar(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(ROWS); i++) {
        struct trace trace = {.flags = "no"};
        bool read = trace_read(ROWS[i].sent, &trace);
        if (read != (ROWS[i].flags != NULL))
            fail_msg("row %zu: %s", i, ROWS[i].sent);
        assert_string_equal(trace.flags, read ? ROWS[i].flags : "no");
        assert_string_equal(trace.trace_id, read ? TRACE : "");
        assert_string_equal(trace.parent_id, read ? SPAN : "");
    }
}

static void request_ids_are_short_and_harmless(void **state)
{
    char id[130];

    (void)state;
    assert_true(request_id_ok("abc-123_4.5~6+7/8=:@"));
    assert_false(request_id_ok(NULL));
    assert_false(request_id_ok(""));
    assert_false(request_id_ok("a b"));
    assert_false(request_id_ok("a\"b"));
    assert_false(request_id_ok("a\nb"));
    memset(id, 'a', sizeof(id));
    id[128] = '\0';
    assert_true(request_id_ok(id));
    id[128] = 'a';
    id[129] = '\0';
    assert_false(request_id_ok(id));
}

static void random_ids_differ_and_keep_their_length(void **state)
{
    char one[TRACE_ID_LENGTH + 1], other[TRACE_ID_LENGTH + 1], span[SPAN_ID_LENGTH + 1];

    (void)state;
    assert_true(random_id(one, TRACE_ID_LENGTH));
    assert_true(random_id(other, TRACE_ID_LENGTH));
    assert_true(random_id(span, SPAN_ID_LENGTH));
    assert_int_equal(strspn(one, "0123456789abcdef"), TRACE_ID_LENGTH);
    assert_int_equal(strlen(one), TRACE_ID_LENGTH);
    assert_int_equal(strlen(span), SPAN_ID_LENGTH);
    assert_string_not_equal(one, other);
    assert_false(random_id(one, 0));
    assert_false(random_id(one, TRACE_ID_LENGTH + 2));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(traceparent_is_read_by_its_grammar),
        cmocka_unit_test(request_ids_are_short_and_harmless),
        cmocka_unit_test(random_ids_differ_and_keep_their_length),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
