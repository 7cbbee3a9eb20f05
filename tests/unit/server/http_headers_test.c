#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "http_headers.h"

#define LINES_MAX 4

struct header {
    const char *name, *value;
};

/* RFC 9110 sections 5.1 and 5.6.2, RFC 9112 section 6. */
static const struct {
    struct header headers[LINES_MAX];
    int status; /* 0 = fine */
    enum framing framing;
    size_t length;
} ROWS[] = {
    {{{"Host", "x"}}, 0, FRAMING_NONE, 0},
    {{{"Content-Length", "12"}}, 0, FRAMING_LENGTH, 12},
    {{{"content-length", "0"}}, 0, FRAMING_LENGTH, 0},
    {{{"Transfer-Encoding", "Chunked"}}, 0, FRAMING_CHUNKED, 0},
    {{{"Expect", "100-Continue"}, {"Content-Length", "5"}}, 0, FRAMING_LENGTH, 5},
    {{{"Content-Length ", "5"}}, 400, FRAMING_NONE, 0},
    {{{"X Y", "5"}}, 400, FRAMING_NONE, 0},
    {{{"", "5"}}, 400, FRAMING_NONE, 0},
    {{{"X\x80", "5"}}, 400, FRAMING_NONE, 0},
    {{{"Content-Length", "5"}, {"Content-Length", "5"}}, 400, FRAMING_LENGTH, 5},
    {{{"Host", "a"}, {"HOST", "b"}}, 400, FRAMING_NONE, 0},
    {{{"Transfer-Encoding", "chunked"}, {"Transfer-Encoding", "chunked"}}, 400, FRAMING_CHUNKED, 0},
    {{{"Transfer-Encoding", "chunked"}, {"Content-Length", "5"}}, 400, FRAMING_CHUNKED, 0},
    {{{"Transfer-Encoding", "gzip"}}, 501, FRAMING_CHUNKED, 0},
    {{{"Transfer-Encoding", "gzip, chunked"}}, 501, FRAMING_CHUNKED, 0},
    {{{"Content-Length", "+5"}}, 400, FRAMING_LENGTH, 0},
    {{{"Content-Length", "5, 5"}}, 400, FRAMING_LENGTH, 0},
    {{{"Content-Length", ""}}, 400, FRAMING_LENGTH, 0},
    {{{"Content-Length", "99999999999999999999999"}}, 400, FRAMING_LENGTH, 0},
    {{{"Expect", "magic"}}, 417, FRAMING_NONE, 0},
    {{{"Authorization", "a"}, {"Authorization", "b"}}, 400, FRAMING_NONE, 0},
    {{{"X-Unknown", "a"}, {"X-Unknown", "b"}}, 0, FRAMING_NONE, 0},
};

static void framing_is_judged(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(ROWS); i++) {
        struct arena *arena = arena_new(10000);
        struct request request = {.arena = arena};
        struct header_state headers = {.request = &request};
        size_t length = 99;
        for (int k = 0; k < LINES_MAX && ROWS[i].headers[k].name; k++)
            header_take(&headers, ROWS[i].headers[k].name, strlen(ROWS[i].headers[k].name),
                        ROWS[i].headers[k].value);
        enum framing framing = header_framing(&headers, &length);
        if (request.refusal_status != ROWS[i].status)
            fail_msg("row %zu: %d %s", i, request.refusal_status,
                     request.refusal ? request.refusal : "");
        assert_int_equal(framing, ROWS[i].framing);
        if (!ROWS[i].status)
            assert_int_equal(length, ROWS[i].length);
        arena_free(arena);
    }
}

static void lists_are_joined(void **state)
{
    struct arena *arena = arena_new(10000);
    struct request request = {.arena = arena};
    struct header_state headers = {.request = &request};

    (void)state;
    header_take(&headers, "accept", 6, "text/csv");
    header_take(&headers, "Accept", 6, "text/plain");
    header_take(&headers, "If-None-Match", 13, "\"a\"");
    assert_string_equal(request.accept, "text/csv, text/plain");
    assert_string_equal(request.if_none_match, "\"a\"");
    /* RFC 9110 section 5.5 */
    header_take(&headers, "Authorization", 13, "Bearer x \t ");
    assert_string_equal(request.authorization, "Bearer x");
    header_take(&headers, "Origin", 6, "  ");
    assert_string_equal(request.origin, "");
    assert_null(request.refusal);
    arena_free(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(framing_is_judged),
        cmocka_unit_test(lists_are_joined),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
