/* The pages with charts: one document for all their paths, and files that never change. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "app_kit.h"
#include "assets.h"
#include "compiler.h"

static struct reply get(const struct app_kit *kit, const char *target, const char *accept_encoding)
{
    struct request request = {
        .method = METHOD_GET, .accept = "text/html,*/*;q=0.8", .accept_encoding = accept_encoding};
    struct reply reply;

    app_kit_send(kit, target, &request, &reply);
    return reply;
}

static const char *header(const struct reply *reply, const char *name)
{
    for (int i = 0; i < reply->n_headers; i++)
        if (strcmp(reply->headers[i].name, name) == 0)
            return reply->headers[i].value;
    return "";
}

/* A bundled file whose gzipped form is shorter; skips the test in a program without pages. */
static const struct asset *any_script(void)
{
    for (size_t i = 0; i < N_ASSETS; i++)
        if (strstr(ASSETS[i].name, ".js") && ASSETS[i].gzip_length < ASSETS[i].length)
            return &ASSETS[i];
    skip();
    return NULL;
}

static void every_page_is_the_same_document(void **state)
{
    static const char *const PATHS[] = {"/map",      "/compare", "/search",        "/profile",
                                        "/diagnose", "/records", "/records/models"};
    const struct app_kit *kit = *state;

    for (size_t i = 0; i < ARRAY_LEN(PATHS); i++) {
        struct reply reply = get(kit, PATHS[i], NULL);
        if (reply.status != (N_ASSETS ? 200 : 404))
            fail_msg("%s: %d", PATHS[i], reply.status);
        if (!N_ASSETS)
            continue;
        const char *policy = header(&reply, "Content-Security-Policy");
        assert_string_equal(reply.content_type, "text/html; charset=utf-8");
        assert_non_null(strstr(policy, "script-src 'self'"));
        assert_non_null(strstr(policy, "frame-ancestors 'none'"));
        assert_null(strstr(policy, "unsafe"));
    }
}

static void without_the_bundle_the_front_is_the_plain_page(void **state)
{
    struct reply reply = get(*state, "/", NULL);

    assert_int_equal(reply.status, 200);
    assert_int_equal(
        !strstr(arena_copy(((struct app_kit *)*state)->arena, reply.body, reply.body_length),
                "<form"),
        N_ASSETS != 0);
}

static void only_an_embedded_chart_may_be_framed(void **state)
{
    static const struct {
        const char *target;
        const char *ancestors;
    } ROWS[] = {
        {"/map?embed=1", "frame-ancestors *"},
        {"/map?embed=0", "frame-ancestors 'none'"},
        {"/map?embed=", "frame-ancestors 'none'"},
    };

    (void)any_script();
    for (size_t i = 0; i < ARRAY_LEN(ROWS); i++) {
        struct reply reply = get(*state, ROWS[i].target, NULL);
        if (!strstr(header(&reply, "Content-Security-Policy"), ROWS[i].ancestors))
            fail_msg("%s: %s", ROWS[i].target, header(&reply, "Content-Security-Policy"));
    }
}

/* RFC 9110 section 12.5.3: a coding with a q of 0 is excluded. */
static void files_are_gzipped_for_those_who_take_it(void **state)
{
    static const struct {
        const char *accept_encoding;
        bool gzip;
    } ROWS[] = {
        {NULL, false},           {"", false},
        {"br", false},           {"gzip", true},
        {"GZIP", true},          {"deflate, gzip;q=0.5, br", true},
        {"gzip;q=0", false},     {"gzip;q=0.000, br", false},
        {"gzip; q=0.001", true}, {"xgzip, gzipx", false},
        {"br,gzip", true},
    };
    const struct asset *script = any_script();
    char target[200];

    snprintf(target, sizeof(target), "/assets/%s", script->name);
    for (size_t i = 0; i < ARRAY_LEN(ROWS); i++) {
        struct reply reply = get(*state, target, ROWS[i].accept_encoding);
        assert_int_equal(reply.status, 200);
        assert_non_null(strstr(header(&reply, "Cache-Control"), "immutable"));
        bool gzip = strcmp(header(&reply, "Content-Encoding"), "gzip") == 0;
        if (gzip != ROWS[i].gzip ||
            reply.body_length != (gzip ? script->gzip_length : script->length))
            fail_msg("Accept-Encoding: %s", ROWS[i].accept_encoding ? ROWS[i].accept_encoding : "");
        /* RFC 1952: the first two bytes */
        assert_int_equal(memcmp(reply.body, "\x1f\x8b", 2) == 0, gzip);
    }
}

static void other_files_are_not_there(void **state)
{
    static const char *const TARGETS[] = {"/assets/app.js", "/assets/index.html",
                                          "/assets/..%2Findex.html", "/assets/"};

    for (size_t i = 0; i < ARRAY_LEN(TARGETS); i++) {
        struct reply reply = get(*state, TARGETS[i], "gzip");
        if (reply.status != 404)
            fail_msg("%s: %d", TARGETS[i], reply.status);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_page_is_the_same_document),
        cmocka_unit_test(without_the_bundle_the_front_is_the_plain_page),
        cmocka_unit_test(only_an_embedded_chart_may_be_framed),
        cmocka_unit_test(files_are_gzipped_for_those_who_take_it),
        cmocka_unit_test(other_files_are_not_there),
    };

    return cmocka_run_group_tests(tests, app_kit_setup, app_kit_teardown);
}
