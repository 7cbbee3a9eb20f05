/* Every status, method and header convention, against the real daemon over libcurl. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cjson/cJSON.h>
#include <cmocka.h>
#include <curl/curl.h>

#include "harness.h"

#define JSON_TYPE "Content-Type: application/json"

/* One request and what its reply must be. */
struct row {
    const char *method, *target;
    const char *header, *body;
    long status;
    const char *content_type; /* NULL = a problem document */
};

#define PLAN_QUERY "/v1/plan?model=llama-3.1-8b&hardware=h100-sxm"

static const struct row ROWS[] = {
    {"GET", "/healthz", NULL, NULL, 200, "application/json"},
    {"GET", "/readyz", NULL, NULL, 200, "application/json"},
    {"GET", "/version", NULL, NULL, 200, "application/json"},
    {"GET", "/metrics", NULL, NULL, 200, "text/plain; version=0.0.4; charset=utf-8"},
    {"GET", "/v1", NULL, NULL, 200, "application/json"},
    {"GET", "/", NULL, NULL, 200, "text/html; charset=utf-8"},
    {"GET", "/healthz?format=text", NULL, NULL, 200, "text/plain; charset=utf-8"},
    {"GET", "/healthz", "Accept: text/plain", NULL, 200, "text/plain; charset=utf-8"},
    {"GET", "/healthz?format=json", "Accept: text/plain", NULL, 200, "application/json"},
    {"GET", "/metrics",
     "Accept: application/openmetrics-text;version=1.0.0,text/plain;version=0.0.4;q=0.5", NULL, 200,
     "text/plain; version=0.0.4; charset=utf-8"},
    {"POST", "/v1/plan", JSON_TYPE, PLAN_BODY, 200, "application/json"},
    {"POST", "/v1/plan", "Content-Type: application/json; charset=utf-8", PLAN_BODY, 200,
     "application/json"},
    {"POST", "/v1/plan", "Content-Type:", PLAN_BODY, 200,
     "application/json"}, /* none, and it is JSON */
    {"GET", "/v1/plan?model=llama-3.1-8b&hardware=h100-sxm", NULL, NULL, 200, "application/json"},
    {"POST", "/v1/plan", JSON_TYPE, "{\"model\":", 400, NULL},
    {"POST", "/v1/plan", JSON_TYPE, "", 400, NULL},
    {"POST", "/v1/plan", JSON_TYPE, PLAN_BODY " x", 400, NULL},
    {"POST", "/v1/plan", JSON_TYPE, "\xef\xbb\xbf" PLAN_BODY, 400, NULL},
    {"POST", "/v1/plan", JSON_TYPE,
     "[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]", 400, NULL},
    {"GET", "/v1/plan?model=%zz", NULL, NULL, 400, NULL},
    {"GET", "/v1/plan?model=a%00b", NULL, NULL, 400, NULL},
    {"GET", "/a%00b", NULL, NULL, 400, NULL},
    {"GET", "/v1/plam", NULL, NULL, 404, NULL},
    {"GET", "/healthz/", NULL, NULL, 404, NULL},
    {"GET", "//healthz", NULL, NULL, 404, NULL},
    {"GET", "/v1/../healthz", NULL, NULL, 404, NULL},
    {"GET", "/v1%2Fplan", NULL, NULL, 404, NULL},
    {"DELETE", "/v1/plan", NULL, NULL, 405, NULL},
    {"POST", "/healthz", JSON_TYPE, "{}", 405, NULL},
    {"get", "/healthz", NULL, NULL, 405, NULL},
    {"GET", "/healthz?format=csv", NULL, NULL, 406, NULL},
    {"GET", "/healthz?format=nonsense", NULL, NULL, 406, NULL},
    {"GET", "/healthz", "Accept: image/png", NULL, 406, NULL},
    {"GET", "/healthz", JSON_TYPE, "{}", 413, NULL}, /* a GET takes no body */
    {"POST", "/v1/plan", "Content-Type: application/x-www-form-urlencoded", PLAN_BODY, 415, NULL},
    {"POST", "/v1/plan", "Content-Type: text/plain", PLAN_BODY, 415, NULL},
    {"POST", "/v1/plan", "Content-Type:", "model=llama", 415, NULL}, /* none, and it is no JSON */
    {"POST", "/v1/plan", JSON_TYPE, "[]", 422, NULL},
    {"POST", "/v1/plan", JSON_TYPE, "{}", 422, NULL},
    {"GET", PLAN_QUERY "&format=text&ascii=yes", NULL, NULL, 200, "text/plain; charset=utf-8"},
    {"GET", PLAN_QUERY "&format=text&ascii=banana", NULL, NULL, 422, NULL},
    {"GET", PLAN_QUERY "&ascii=1&ascii=1", NULL, NULL, 422, NULL},
    {"GET", PLAN_QUERY "&view=full&view=full", NULL, NULL, 422, NULL},
    {"GET", PLAN_QUERY "&format=json&format=text", NULL, NULL, 422, NULL},
    {"POST", "/v1/plan?view=summary&view=full", JSON_TYPE, PLAN_BODY, 422, NULL},
    {"GET", "/healthz?format=json&format=text", NULL, NULL, 422, NULL},
    {"GET", "/v1/models/llama-3.1-8b?format=json&format=json", NULL, NULL, 422, NULL},
};

static void every_status_is_as_promised(void **state)
{
    for (size_t i = 0; i < sizeof(ROWS) / sizeof(ROWS[0]); i++) {
        const struct row *row = &ROWS[i];
        const char *headers[] = {row->header, NULL};
        struct http_reply reply;
        http_request(*state, row->method, row->target, headers, row->body, &reply);
        if (reply.status != row->status)
            fail_msg("%s %s %s: %ld, expected %ld: %s", row->method, row->target,
                     row->header ? row->header : "", reply.status, row->status, reply.body);
        assert_string_equal(reply_value(&reply, "Access-Control-Allow-Origin"), "*");
        assert_non_null(strstr(reply_value(&reply, "Access-Control-Expose-Headers"), "ETag"));
        if (row->content_type)
            assert_string_equal(reply_value(&reply, "Content-Type"), row->content_type);
        else
            assert_problem(&reply, row->status);
        assert_true(reply.body_length > 0 && reply.body[reply.body_length - 1] == '\n');
        reply_done(&reply);
    }
}

static void a_wrong_method_is_told_the_right_ones(void **state)
{
    struct http_reply reply;

    http_request(*state, "DELETE", "/healthz", NULL, NULL, &reply);
    assert_problem(&reply, 405);
    assert_string_equal(reply_value(&reply, "Allow"), "GET, HEAD, OPTIONS");
    reply_done(&reply);
    http_request(*state, "PUT", "/v1/plan", NULL, NULL, &reply);
    assert_string_equal(reply_value(&reply, "Allow"), "GET, HEAD, POST, OPTIONS");
    reply_done(&reply);
}

static void a_wrong_path_is_told_the_nearest(void **state)
{
    static const char *const PATHS[][2] = {{"/v1/plam", "/v1/plan"},
                                           {"/plan", "/v1/plan"},
                                           {"/health", "/healthz"},
                                           {"/v1/readyz", "/readyz"},
                                           {"/v1/plan/", "/v1/plan"}};

    for (size_t i = 0; i < sizeof(PATHS) / sizeof(PATHS[0]); i++) {
        struct http_reply reply;
        http_get(*state, PATHS[i][0], &reply);
        assert_problem(&reply, 404);
        cJSON *problem = cJSON_Parse(reply.body);
        const cJSON *errors = cJSON_GetObjectItemCaseSensitive(problem, "errors");
        const cJSON *suggestion =
            cJSON_GetObjectItemCaseSensitive(cJSON_GetArrayItem(errors, 0), "suggestion");
        if (!cJSON_IsString(suggestion))
            fail_msg("%s: %s", PATHS[i][0], reply.body);
        assert_string_equal(suggestion->valuestring, PATHS[i][1]);
        cJSON_Delete(problem);
        reply_done(&reply);
    }
}

static void head_is_a_get_without_a_body(void **state)
{
    struct http_reply get, head;
    char length[32];

    http_get(*state, "/version", &get);
    http_request(*state, "HEAD", "/version", NULL, NULL, &head);
    assert_int_equal(head.status, 200);
    assert_int_equal(head.body_length, 0);
    snprintf(length, sizeof(length), "%zu", get.body_length);
    assert_string_equal(reply_value(&head, "Content-Length"), length);
    char tag[100];
    snprintf(tag, sizeof(tag), "%s", reply_value(&get, "ETag"));
    assert_string_equal(reply_value(&head, "ETag"), tag);
    reply_done(&get);
    reply_done(&head);
}

static void options_answer_preflights(void **state)
{
    static const char *const HEADERS[] = {"Origin: http://localhost:3000",
                                          "Access-Control-Request-Method: POST",
                                          "Access-Control-Request-Headers: content-type", NULL};
    struct http_reply reply;

    http_request(*state, "OPTIONS", "/v1/plan", HEADERS, NULL, &reply);
    assert_int_equal(reply.status, 204);
    assert_int_equal(reply.body_length, 0);
    assert_string_equal(reply_value(&reply, "Allow"), "GET, HEAD, POST, OPTIONS");
    assert_string_equal(reply_value(&reply, "Access-Control-Allow-Origin"), "*");
    assert_non_null(strstr(reply_value(&reply, "Access-Control-Allow-Methods"), "POST"));
    assert_non_null(strstr(reply_value(&reply, "Access-Control-Allow-Headers"), "Content-Type"));
    assert_non_null(reply_value(&reply, "Access-Control-Max-Age"));
    reply_done(&reply);
    http_request(*state, "OPTIONS", "/nope", HEADERS, NULL, &reply);
    assert_problem(&reply, 404);
    reply_done(&reply);
}

static long status_with(void *daemon, const char *method, const char *target, const char *header)
{
    const char *headers[] = {header, NULL};
    struct http_reply reply;

    http_request(daemon, method, target, headers, NULL, &reply);
    long status = reply.status;
    if (status == 304) {
        assert_int_equal(reply.body_length, 0);
        assert_non_null(reply_value(&reply, "ETag"));
        assert_string_equal(reply_value(&reply, "Cache-Control"), "no-cache");
        assert_string_equal(reply_value(&reply, "Vary"), "Accept");
    }
    reply_done(&reply);
    return status;
}

static void validators_follow_the_rules(void **state)
{
    struct http_reply reply;
    char tag[64], header[200];

    http_get(*state, "/version", &reply);
    snprintf(tag, sizeof(tag), "%s", reply_value(&reply, "ETag"));
    assert_true(tag[0] == '"' && tag[strlen(tag) - 1] == '"');
    assert_string_equal(reply_value(&reply, "Vary"), "Accept");
    assert_string_equal(reply_value(&reply, "Cache-Control"), "no-cache");
    reply_done(&reply);

    static const char *const MATCHING[] = {"If-None-Match: %s", "If-None-Match: W/%s",
                                           "If-None-Match: \"x\", %s",
                                           "If-None-Match: W/\"a,b\" ,W/%s", "If-None-Match: *"};
    for (size_t i = 0; i < sizeof(MATCHING) / sizeof(MATCHING[0]); i++) {
        const char *hole = strstr(MATCHING[i], "%s");
        snprintf(header, sizeof(header), "%.*s%s", (int)(hole ? hole - MATCHING[i] : 100),
                 MATCHING[i], hole ? tag : "");
        assert_int_equal(status_with(*state, "GET", "/version", header), 304);
        assert_int_equal(status_with(*state, "HEAD", "/version", header), 304);
    }
    assert_int_equal(status_with(*state, "GET", "/version", "If-None-Match: \"other\""), 200);
    assert_int_equal(status_with(*state, "GET", "/version", "If-None-Match: nonsense"), 200);
    /* another media type, another target: another tag */
    snprintf(header, sizeof(header), "If-None-Match: %s", tag);
    assert_int_equal(status_with(*state, "GET", "/version?format=text", header), 200);
    assert_int_equal(status_with(*state, "GET", "/v1", header), 200);
    /* what is not there has no validator, not even for "*" */
    assert_int_equal(status_with(*state, "GET", "/nope", "If-None-Match: *"), 404);
}

static void a_form_is_told_the_curl_line(void **state)
{
    static const char *const HEADERS[] = {"Host: plans.example:81", NULL};
    struct http_reply reply;

    http_request(*state, "POST", "/v1/plan", HEADERS, "model=x", &reply);
    assert_problem(&reply, 415);
    assert_string_equal(reply_value(&reply, "Accept"),
                        "application/json, text/plain, application/yaml, application/x-yaml, "
                        "text/yaml, text/x-yaml");
    assert_non_null(
        strstr(reply.body, "curl --json @request.json http://plans.example:81/v1/plan"));
    reply_done(&reply);
}

static void a_compressed_body_is_refused(void **state)
{
    static const char *const HEADERS[] = {JSON_TYPE, "Content-Encoding: gzip", NULL};
    struct http_reply reply;

    http_request(*state, "POST", "/v1/plan", HEADERS, PLAN_BODY, &reply);
    assert_problem(&reply, 415);
    assert_string_equal(reply_value(&reply, "Accept-Encoding"), "identity");
    reply_done(&reply);
}

static void request_ids_come_back_when_sane(void **state)
{
    static const struct {
        const char *header, *back;
    } IDS[] = {
        {"X-Request-Id: abc-123_4.5~6+7/8=", "abc-123_4.5~6+7/8="},
        {"X-Request-Id: a b", NULL},
        {"X-Request-Id: <script>", NULL},
        {"X-Request-Id: "
         "01234567890123456789012345678901234567890123456789012345678901234567890123456789012345678"
         "90123456789012345678901234567890123456789",
         NULL},
    };

    for (size_t i = 0; i < sizeof(IDS) / sizeof(IDS[0]); i++) {
        const char *headers[] = {IDS[i].header, NULL};
        struct http_reply reply;
        http_request(*state, "GET", "/healthz", headers, NULL, &reply);
        const char *back = reply_value(&reply, "X-Request-Id");
        if (IDS[i].back)
            assert_string_equal(back, IDS[i].back);
        else
            assert_null(back);
        reply_done(&reply);
    }
}

static void a_syntax_error_names_its_place(void **state)
{
    static const char *const HEADERS[] = {JSON_TYPE, NULL};
    struct http_reply reply;

    http_request(*state, "POST", "/v1/plan", HEADERS, "{\n \"model\" \"x\"}", &reply);
    assert_problem(&reply, 400);
    assert_non_null(strstr(reply.body, "at byte 11 (line 2, column 10)"));
    reply_done(&reply);
}

/* Every row of the index answers OPTIONS, and its methods are those of Allow. */
static void the_index_is_true(void **state)
{
    struct http_reply reply;

    http_get(*state, "/v1", &reply);
    cJSON *index = cJSON_Parse(reply.body);
    const cJSON *items = cJSON_GetObjectItemCaseSensitive(index, "items"), *item;
    assert_true(cJSON_GetArraySize(items) > 5);
    cJSON_ArrayForEach(item, items)
    {
        const char *path = cJSON_GetObjectItemCaseSensitive(item, "path")->valuestring;
        const char *methods = cJSON_GetObjectItemCaseSensitive(item, "methods")->valuestring;
        char target[200];
        struct http_reply options;
        size_t length = strcspn(path, "{");
        snprintf(target, sizeof(target), "%.*s%s", (int)length, path,
                 path[length] ? "some-id" : "");
        http_request(*state, "OPTIONS", target, NULL, NULL, &options);
        assert_int_equal(options.status, 204);
        assert_string_equal(reply_value(&options, "Allow"), methods);
        reply_done(&options);
    }
    cJSON_Delete(index);
    reply_done(&reply);
}

static void metrics_count_what_was_asked(void **state)
{
    struct http_reply reply;

    for (int i = 0; i < 3; i++) {
        http_get(*state, "/no/such/path", &reply);
        reply_done(&reply);
    }
    http_get(*state, "/metrics", &reply);
    static const char *const LINES[] = {
        "\nregime_build_info{version=\"",
        "# TYPE regime_http_requests_total counter\n",
        "\nregime_http_requests_total{route=\"unmatched\",method=\"GET\",status=\"4xx\"} ",
        "\nregime_http_request_duration_seconds_bucket{route=\"/healthz\",le=\"+Inf\"} ",
        "\nregime_http_request_duration_seconds_count{route=\"/healthz\"} ",
        "\nregime_http_requests_in_flight 1\n",
        "\nregime_http_connections ",
        "\nregime_catalogue_records{kind=\"models\"} ",
        "\nprocess_resident_memory_bytes ",
        "\nprocess_open_fds ",
        "\nprocess_cpu_seconds_total ",
    };
    for (size_t i = 0; i < sizeof(LINES) / sizeof(LINES[0]); i++)
        if (!strstr(reply.body, LINES[i]))
            fail_msg("no \"%s\" in %s", LINES[i] + 1, reply.body);
    assert_null(strstr(reply.body, "/no/such/path"));
    reply_done(&reply);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_status_is_as_promised),
        cmocka_unit_test(a_wrong_method_is_told_the_right_ones),
        cmocka_unit_test(a_wrong_path_is_told_the_nearest),
        cmocka_unit_test(head_is_a_get_without_a_body),
        cmocka_unit_test(options_answer_preflights),
        cmocka_unit_test(validators_follow_the_rules),
        cmocka_unit_test(a_form_is_told_the_curl_line),
        cmocka_unit_test(a_compressed_body_is_refused),
        cmocka_unit_test(request_ids_come_back_when_sane),
        cmocka_unit_test(a_syntax_error_names_its_place),
        cmocka_unit_test(the_index_is_true),
        cmocka_unit_test(metrics_count_what_was_asked),
    };

    return cmocka_run_group_tests(tests, daemon_setup, daemon_teardown);
}
