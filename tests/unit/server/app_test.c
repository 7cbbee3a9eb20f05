/* Whole requests through app_handle(), over the embedded records, without a socket. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "app_kit.h"
#include "assets.h"
#include "negotiate.h"
#include "request_limits.h"
#include "routes.h"
#include "shell.h"

/* A request of that target; the caller adds headers and a body. */
static struct request request_of(const struct app_kit *fixture, enum method method,
                                 const char *target)
{
    arena_reset(fixture->arena);
    struct request request = {.method = method, .peer = "", .arena = fixture->arena};
    uri_parse(arena_copy(fixture->arena, target, strlen(target)), &request);
    return request;
}

static const char *header_of(const struct reply *reply, const char *name)
{
    for (int i = 0; i < reply->n_headers; i++)
        if (strcmp(reply->headers[i].name, name) == 0)
            return reply->headers[i].value;
    return NULL;
}

static struct reply ask(const struct app_kit *fixture, enum method method, const char *target)
{
    struct request request = request_of(fixture, method, target);
    struct reply reply;

    app_handle(fixture->app, &request, &reply);
    return reply;
}

static struct reply post(const struct app_kit *fixture, const char *target, const char *type,
                         const char *body)
{
    struct request request = request_of(fixture, METHOD_POST, target);
    struct reply reply;

    request.content_type = type;
    request.body = body;
    request.body_length = body ? strlen(body) : 0;
    app_handle(fixture->app, &request, &reply);
    return reply;
}

/* Every route answers GET with 200 or, when it needs arguments or a record, with a clear refusal.
 */
static void every_route_answers(void **state)
{
    for (size_t i = 0; i < N_ROUTES; i++) {
        struct reply reply = ask(*state, METHOD_GET, ROUTES[i].path);
        if (!(ROUTES[i].methods & 1u << METHOD_GET))
            assert_int_equal(reply.status, 405);
        else if (reply.status != 200 && reply.status != 404 && reply.status != 422)
            fail_msg("%s: %d", ROUTES[i].path, reply.status);
        assert_non_null(reply.content_type);
        assert_true(reply.body_length > 0);
        assert_int_equal(reply.body[reply.body_length - 1], '\n');
        assert_string_equal(header_of(&reply, "Access-Control-Allow-Origin"), "*");
    }
}

/* Each media type that a row promises is the one that ?format= and Accept get; rows that want a
 * deployment have tests of their own. */
static void every_promised_format_is_given(void **state)
{
    static const char *const WORDS[] = {"json", "text", "csv", "html", "ndjson"};

    for (size_t i = 0; i < N_ROUTES; i++) {
        bool is_built = ROUTES[i].handler != shell_handler || N_ASSETS > 0;
        bool is_read = ROUTES[i].methods & 1u << METHOD_GET;
        if (strchr(ROUTES[i].path, '{') || ROUTES[i].body_max_bytes > 0 || !is_built || !is_read)
            continue;
        for (size_t k = 0; ROUTES[i].media_types[k]; k++) {
            const char *type = ROUTES[i].media_types[k];
            struct app_kit *fixture = *state;
            struct request request = request_of(fixture, METHOD_GET, ROUTES[i].path);
            struct reply reply;
            request.accept = type;
            app_handle(fixture->app, &request, &reply);
            assert_int_equal(reply.status, 200);
            assert_int_equal(strncmp(reply.content_type, type, strlen(type)), 0);
            for (size_t w = 0; w < ARRAY_LEN(WORDS); w++) {
                if (strcmp(negotiate_format(WORDS[w]), type) != 0)
                    continue;
                char target[100];
                snprintf(target, sizeof(target), "%s?format=%s", ROUTES[i].path, WORDS[w]);
                reply = ask(fixture, METHOD_GET, target);
                assert_int_equal(reply.status, 200);
                assert_int_equal(strncmp(reply.content_type, type, strlen(type)), 0);
            }
        }
    }
}

static void a_refusal_of_the_http_layer_closes(void **state)
{
    struct app_kit *fixture = *state;
    struct request request = request_of(fixture, METHOD_GET, "/healthz");
    struct reply reply;

    request.refusal_status = 501;
    request.refusal = "a reason";
    app_handle(fixture->app, &request, &reply);
    assert_int_equal(reply.status, 501);
    assert_true(reply.close);
    assert_non_null(strstr(reply.body, "\"detail\":\"a reason\""));
}

static void bodies_are_judged_in_order(void **state)
{
    static char long_body[BODY_MAX_BYTES + 2];

    static const struct {
        const char *target, *type, *body;
        int status;
    } ROWS[] = {
        {"/nope", MEDIA_JSON, "{}", 404},
        {"/healthz", MEDIA_JSON, "{}", 405},
        {"/v1/plan?format=html", MEDIA_JSON, "{}", 406},
        {"/v1/plan", MEDIA_JSON, NULL, 411},
        {"/v1/plan", MEDIA_HTML, long_body, 413},
        {"/v1/plan", MEDIA_TEXT, "{}", 415},
        {"/v1/plan", MEDIA_XML, "<a/>", 415},
        {"/v1/compare", MEDIA_TEXT, "vllm serve x", 415},
        {"/v1/plan", MEDIA_TEXT, "a\xff", 400},
        {"/v1/plan", MEDIA_TEXT, "", 422},
        {"/v1/plan", "text/plain; charset=utf-8", "ls -l", 422},
        {"/v1/plan", NULL, "model=x", 415},
        {"/v1/plan", MEDIA_JSON, "model=x", 400},
        {"/v1/plan", MEDIA_JSON, "{}", 422},
        {"/v1/plan", NULL, "{}", 422},
    };

    memset(long_body, ' ', sizeof(long_body) - 1);
    for (size_t i = 0; i < ARRAY_LEN(ROWS); i++) {
        struct reply reply = post(*state, ROWS[i].target, ROWS[i].type, ROWS[i].body);
        if (reply.status != ROWS[i].status)
            fail_msg("row %zu: %d", i, reply.status);
        assert_string_equal(reply.content_type, "application/problem+json");
        assert_false(reply.close);
    }
}

static size_t admitted(struct app_kit *fixture, const char *target, size_t announced,
                       int *ret_status)
{
    struct request request = request_of(fixture, METHOD_POST, target);
    struct reply reply;

    request.content_type = MEDIA_JSON;
    size_t limit = app_admit(fixture->app, &request, announced, &reply);
    *ret_status = limit ? 0 : reply.status;
    return limit;
}

static void bodies_are_admitted_by_their_headers(void **state)
{
    int status;

    assert_int_equal(admitted(*state, "/v1/plan", 100, &status), BODY_MAX_BYTES);
    assert_int_equal(admitted(*state, "/v1/plan", BODY_UNKNOWN, &status), BODY_MAX_BYTES);
    assert_int_equal(admitted(*state, "/v1/plan", BODY_MAX_BYTES, &status), BODY_MAX_BYTES);
    assert_int_equal(admitted(*state, "/v1/plan", BODY_MAX_BYTES + 1, &status), 0);
    assert_int_equal(status, 413);
    assert_int_equal(admitted(*state, "/healthz", 1, &status), 0);
    assert_int_equal(status, 405);
    assert_int_equal(admitted(*state, "/nope", 1, &status), 0);
    assert_int_equal(status, 404);
}

static void tags_follow_target_and_format(void **state)
{
    static const char *const TARGETS[] = {"/version", "/version?format=text", "/version?x=1",
                                          "/v1"};
    char tags[ARRAY_LEN(TARGETS)][40];

    for (size_t i = 0; i < ARRAY_LEN(TARGETS); i++) {
        struct reply reply = ask(*state, METHOD_GET, TARGETS[i]);
        const char *tag = header_of(&reply, "ETag");
        assert_non_null(tag);
        memset(tags[i], 0, sizeof(tags[i]));
        memcpy(tags[i], tag, strlen(tag));
        struct reply again = ask(*state, METHOD_HEAD, TARGETS[i]);
        assert_string_equal(header_of(&again, "ETag"), tags[i]);
        for (size_t k = 0; k < i; k++)
            assert_string_not_equal(tags[i], tags[k]);
    }
    struct reply reply = ask(*state, METHOD_GET, "/healthz");
    assert_null(header_of(&reply, "ETag"));
    reply = post(*state, "/v1/plan", MEDIA_JSON,
                 "{\"model\":\"llama-3.1-8b\",\"hardware\":\"h100-sxm\"}");
    assert_int_equal(reply.status, 200);
    assert_null(header_of(&reply, "ETag"));
}

/* The same request twice gives the same bytes. */
static void replies_are_repeatable(void **state)
{
    static const char TARGET[] = "/v1/plan?model=llama-3.1-8b&hardware=h100-sxm";
    static char first[MIB];
    struct reply reply = ask(*state, METHOD_GET, TARGET);
    size_t length = reply.body_length;

    assert_int_equal(reply.status, 200);
    assert_true(length < sizeof(first));
    memcpy(first, reply.body, length);
    reply = ask(*state, METHOD_GET, TARGET);
    assert_int_equal(reply.body_length, length);
    assert_memory_equal(reply.body, first, length);
}

/* With hardly any memory a request still gets a reply. */
static void a_full_arena_is_answered(void **state)
{
    struct app_kit *fixture = *state;
    static const char BODY[] = "{\"model\":\"llama-3.1-8b\",\"hardware\":\"h100-sxm\"}";

    for (size_t bytes = 64; bytes < 200000; bytes = bytes * 5 / 4) {
        struct arena *arena = arena_new(bytes);
        struct request request = {.method = METHOD_POST,
                                  .peer = "",
                                  .arena = arena,
                                  .content_type = MEDIA_JSON,
                                  .body = BODY,
                                  .body_length = sizeof(BODY) - 1};
        char target[] = "/v1/plan";
        struct reply reply;
        uri_parse(target, &request);
        app_handle(fixture->app, &request, &reply);
        assert_true(reply.status == 200 || (reply.status >= 400 && reply.status < 500));
        assert_true(reply.body_length > 0);
        arena_free(arena);
    }
}

static void draining_shows_in_every_reply(void **state)
{
    struct app_kit *fixture = *state;

    assert_int_equal(ask(fixture, METHOD_GET, "/readyz").status, 200);
    app_drain(fixture->app);
    struct reply reply = ask(fixture, METHOD_GET, "/readyz");
    assert_int_equal(reply.status, 503);
    assert_non_null(header_of(&reply, "Retry-After"));
    assert_true(reply.close);
    reply = ask(fixture, METHOD_GET, "/healthz");
    assert_int_equal(reply.status, 200);
    assert_true(reply.close);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_route_answers),
        cmocka_unit_test(every_promised_format_is_given),
        cmocka_unit_test(a_refusal_of_the_http_layer_closes),
        cmocka_unit_test(bodies_are_judged_in_order),
        cmocka_unit_test(bodies_are_admitted_by_their_headers),
        cmocka_unit_test(tags_follow_target_and_format),
        cmocka_unit_test(replies_are_repeatable),
        cmocka_unit_test(a_full_arena_is_answered),
        cmocka_unit_test(draining_shows_in_every_reply),
    };

    return cmocka_run_group_tests(tests, app_kit_setup, app_kit_teardown);
}
