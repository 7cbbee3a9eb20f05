#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "uri.h"

static int make_arena(void **state)
{
    *state = arena_new(1 << 20);
    return *state ? 0 : -1;
}

static int drop_arena(void **state)
{
    arena_free(*state);
    return 0;
}

static struct request parse(struct arena *arena, const char *target)
{
    struct request request = {.arena = arena};

    uri_parse(arena_copy(arena, target, strlen(target)), &request);
    return request;
}

/* RFC 3986 sections 3.3 and 2.1; segments joined by '|'. */
static const struct {
    const char *target, *raw_path, *segments;
} PATHS[] = {
    {"/", "/", ""},
    {"/v1/plan", "/v1/plan", "v1|plan"},
    {"/v1/plan/", "/v1/plan/", "v1|plan|"},
    {"//", "//", "|"},
    {"/a/../b", "/a/../b", "a|..|b"},
    {"/v1/models/meta-llama%2FLlama-3.1-8B", "/v1/models/meta-llama%2FLlama-3.1-8B",
     "v1|models|meta-llama/Llama-3.1-8B"},
    {"/caf%C3%A9+x?q", "/caf%C3%A9+x", "caf\xc3\xa9+x"},
    {"http://host:80/v1", "/v1", "v1"},
    {"http://host", "/", ""},
    {"http://host?x=1", "/", ""},
    {"*", "*", ""},
};

static void paths_are_split_and_decoded(void **state)
{
    for (size_t i = 0; i < ARRAY_LEN(PATHS); i++) {
        struct request request = parse(*state, PATHS[i].target);
        char joined[100] = "";
        size_t n = 0;
        for (int k = 0; k < request.n_segments; k++)
            n += (size_t)snprintf(joined + n, sizeof(joined) - n, "%s%s", k ? "|" : "",
                                  request.segments[k]);
        assert_null(request.refusal);
        assert_string_equal(request.raw_path, PATHS[i].raw_path);
        assert_string_equal(joined, PATHS[i].segments);
    }
}

static void too_many_segments_are_marked(void **state)
{
    assert_int_equal(parse(*state, "/1/2/3/4/5/6/7/8").n_segments, 8);
    assert_int_equal(parse(*state, "/1/2/3/4/5/6/7/8/9").n_segments, -1);
}

static void arguments_are_decoded_in_order(void **state)
{
    struct request request =
        parse(*state, "/v1/plan?model=a%26b&flag&&x=&q=a+b%2B&=v&model=second&");

    assert_null(request.refusal);
    assert_int_equal(request.n_arguments, 6);
    assert_string_equal(request.arguments[0].name, "model");
    assert_string_equal(request.arguments[0].value, "a&b");
    assert_string_equal(request.arguments[1].name, "flag");
    assert_string_equal(request.arguments[1].value, "");
    assert_string_equal(request.arguments[2].value, "");
    assert_string_equal(request.arguments[3].value, "a b+");
    assert_string_equal(request.arguments[4].name, "");
    assert_string_equal(request_argument(&request, "model"), "a&b");
    assert_null(request_argument(&request, "absent"));
}

static const struct {
    const char *target;
    int status;
} REFUSALS[] = {
    {"/a%", 400},      {"/a%2", 400},    {"/a%zz", 400},    {"/a%00b", 400},
    {"/%ff", 400},     {"/x?a=%0", 400}, {"/x?a=%00", 400}, {"/x?%c3=1", 400},
    {"relative", 400}, {"?a=1", 400},    {"", 400},         {"/x?a=%C0%AF", 400},
};

static void what_cannot_be_read_is_refused(void **state)
{
    for (size_t i = 0; i < ARRAY_LEN(REFUSALS); i++) {
        struct request request = parse(*state, REFUSALS[i].target);
        assert_non_null(request.refusal);
        assert_int_equal(request.refusal_status, REFUSALS[i].status);
    }
}

static void arguments_are_bounded(void **state)
{
    char target[4000] = "/x?";
    size_t n = 3;

    for (int i = 0; i < ARGUMENTS_MAX; i++)
        n += (size_t)snprintf(target + n, sizeof(target) - n, "a%d=%d&", i, i);
    struct request request = parse(*state, target);
    assert_null(request.refusal);
    assert_int_equal(request.n_arguments, ARGUMENTS_MAX);
    snprintf(target + n, sizeof(target) - n, "last");
    request = parse(*state, target);
    assert_int_equal(request.refusal_status, 414);
}

int main(void)
{
#define WITH_ARENA(test) cmocka_unit_test_setup_teardown(test, make_arena, drop_arena)
    const struct CMUnitTest tests[] = {
        WITH_ARENA(paths_are_split_and_decoded),    WITH_ARENA(too_many_segments_are_marked),
        WITH_ARENA(arguments_are_decoded_in_order), WITH_ARENA(what_cannot_be_read_is_refused),
        WITH_ARENA(arguments_are_bounded),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
