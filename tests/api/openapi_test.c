/* The description of the API against live replies, and requests of every shape made from it. */
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

#include "described_operations.h"
#include "harness.h"
#include "json_look.h"
#include "schema_check.h"

#define JSON_TYPE "Content-Type: application/json"
#define TOO_LONG (5 * 1024 * 1024)

static bool is_post(const struct operation *operation)
{
    return strcmp(operation->it->string, "post") == 0;
}

static void append(char target[TARGET_MAX], const char *text)
{
    size_t length = strlen(target);
    snprintf(target + length, TARGET_MAX - length, "%s", text);
}

/* ---- what a reply must be ---- */

/* Fails unless the text, or each of its lines, fits the schema. */
static void check_json(const struct operation *operation, const struct http_reply *reply,
                       const cJSON *schema, bool lines, const char *what)
{
    char where[SCHEMA_WHERE_MAX];
    const char *at = reply->body;
    do {
        const char *end = NULL;
        cJSON *value = cJSON_ParseWithOpts(at, &end, false);
        assert_non_null(value);
        if (!schema_fits(operation->world->document, schema, value, where)) {
            fail_msg("%s %.500s: %ld%s", operation->it->string, what, reply->status, where);
        }
        if (reply->status == 422) {
            assert_true(cJSON_GetArraySize(member(value, "errors")) > 0);
        }
        cJSON_Delete(value);
        at = end + strspn(end, "\n");
    } while (lines && *at);
}

/* Fails unless the document lists the reply's status and media type and its body fits. */
static void check_reply(const struct operation *operation, const struct http_reply *reply,
                        const char *what)
{
    char status[8];
    char type[100] = "";
    const char *header = reply_value(reply, "Content-Type");
    snprintf(status, sizeof(status), "%ld", reply->status);
    snprintf(type, sizeof(type), "%.*s", header ? (int)strcspn(header, ";") : 0,
             header ? header : "");
    const cJSON *response = member(member(operation->it, "responses"), status);
    if (!response || reply->status >= 500) {
        fail_msg("%s %.500s: status %s, not described: %.300s", operation->it->string, what, status,
                 reply->body);
    }
    const cJSON *content = member(response, "content");
    if (!content) {
        assert_int_equal(reply->body_length, 0);
        return;
    }
    const cJSON *media = member(content, type);
    if (!media) {
        fail_msg("%s %.500s: %s as \"%s\", not described", operation->it->string, what, status,
                 type);
    }
    assert_true(reply->body_length > 0);
    if (strstr(type, "json")) {
        check_json(operation, reply, member(media, "schema"), strstr(type, "ndjson"), what);
    }
}

/* Sends a request, checks the reply against the document, and gives its status. */
static long ask(const struct operation *operation, const char *target, const char *const *headers,
                const char *body)
{
    struct http_reply reply;
    http_request(&operation->world->daemon, is_post(operation) ? "POST" : "GET", target, headers,
                 body, &reply);
    check_reply(operation, &reply, body && strlen(body) < 500 ? body : target);
    long status = reply.status;
    reply_done(&reply);
    return status;
}

/* ---- every status and media type ---- */

static void usual_target(const struct operation *operation, char ret_target[TARGET_MAX])
{
    fill_path(operation, NULL, ret_target);
    if (wants_model(operation)) {
        append(ret_target, "?model=llama-3.1-8b&hardware=h100-sxm");
    }
}

static void visit_media(const struct operation *operation)
{
    const cJSON *content = member(member(member(operation->it, "responses"), "200"), "content");
    const cJSON *media = NULL;
    char *body = is_post(operation) ? example_body(operation) : NULL;
    assert_true(cJSON_GetArraySize(content) > 0);
    cJSON_ArrayForEach(media, content)
    {
        char target[TARGET_MAX];
        char accept[100];
        struct http_reply reply;
        const char *const headers[] = {accept, JSON_TYPE, NULL};
        snprintf(accept, sizeof(accept), "Accept: %s", media->string);
        fill_path(operation, NULL, target);
        if (wants_model(operation) && strcmp(operation->path->string, "/") != 0) {
            usual_target(operation, target);
        }
        http_request(&operation->world->daemon, is_post(operation) ? "POST" : "GET", target,
                     headers, body, &reply);
        check_reply(operation, &reply, target);
        assert_int_equal(reply.status, 200);
        assert_int_equal(
            strncmp(reply_value(&reply, "Content-Type"), media->string, strlen(media->string)), 0);
        reply_done(&reply);
    }
    free(body);
}

static void every_media_type_is_as_described(void **state)
{
    visit_all(*state, visit_media);
}

/* How to get each status out of an operation; a NULL part leaves the usual one. */
static const struct provocation {
    const char *status;
    const char *header, *id, *query, *body;
    const char *post_query; /* of a POST */
} PROVOCATIONS[] = {
    {"304", "If-None-Match: *", NULL, NULL, NULL, NULL},
    {"400", JSON_TYPE, NULL, "x=%FF", "{\"model\":", NULL},
    {"404", NULL, "no-such-thing", NULL, NULL, NULL},
    {"406", "Accept: image/png", NULL, NULL, NULL, NULL},
    {"409", JSON_TYPE, NULL, "gate=1&tp=3",
     "{\"model\":\"llama-3.1-8b\",\"hardware\":\"h100-sxm\",\"deployment\":{\"tp\":3}}", "gate=1"},
    {"413", JSON_TYPE, NULL, NULL, "", NULL},
    {"415", "Content-Type: text/html", NULL, NULL, "model", NULL},
    {"422", JSON_TYPE, NULL, "no_such_argument=1", "{\"no_such_member\":1}", NULL},
};

static const struct provocation *provocation_of(const char *status)
{
    for (size_t i = 0; i < sizeof(PROVOCATIONS) / sizeof(PROVOCATIONS[0]); i++) {
        if (strcmp(PROVOCATIONS[i].status, status) == 0) {
            return &PROVOCATIONS[i];
        }
    }
    fail_msg("nobody knows how to get a %s", status);
    return NULL;
}

static void provoke(const struct operation *operation, const struct provocation *how,
                    const char *usual_body)
{
    static char too_long[TOO_LONG + 1];
    char target[TARGET_MAX];
    const char *const headers[] = {how->header ? how->header : JSON_TYPE, NULL};
    const char *body = is_post(operation) ? usual_body : NULL;
    usual_target(operation, target);
    if (how->id) {
        fill_path(operation, how->id, target);
    }
    const char *query = is_post(operation) ? how->post_query : how->query;
    if (query) {
        append(target, strchr(target, '?') ? "&" : "?");
        append(target, query);
    }
    /* the example of a comparison is a regression */
    bool usual = strcmp(how->status, "409") == 0 && strstr(operation->path->string, "compare");
    if (how->body && is_post(operation) && !usual) {
        body = how->body;
    }
    if (strcmp(how->status, "413") == 0) {
        body = memset(too_long, ' ', TOO_LONG);
    }
    long status = ask(operation, target, headers, body);
    if (status != strtol(how->status, NULL, 10)) {
        fail_msg("%s %s: %ld, expected %s", operation->it->string, target, status, how->status);
    }
}

/* What takes a token that is none: tokens_api_test.c; 503 only while stopping. */
static bool is_elsewhere(const char *status)
{
    static const char *const ELSEWHERE[] = {"200", "401", "403", "429", "503"};
    for (size_t i = 0; i < sizeof(ELSEWHERE) / sizeof(ELSEWHERE[0]); i++) {
        if (strcmp(ELSEWHERE[i], status) == 0) {
            return true;
        }
    }
    return false;
}

static void visit_refusals(const struct operation *operation)
{
    const cJSON *response = NULL;
    char *body = is_post(operation) ? example_body(operation) : NULL;
    cJSON_ArrayForEach(response, member(operation->it, "responses"))
    {
        if (!is_elsewhere(response->string)) {
            provoke(operation, provocation_of(response->string), body);
        }
    }
    free(body);
}

static void every_refusal_is_as_described(void **state)
{
    visit_all(*state, visit_refusals);
}

/* ---- every route, every record, plans of every kind ---- */

static void the_document_and_the_index_have_the_same_routes(void **state)
{
    struct world *world = *state;
    struct http_reply reply;
    const cJSON *item = NULL;
    http_get(&world->daemon, "/v1?format=json", &reply);
    cJSON *index = cJSON_Parse(reply.body);
    const cJSON *items = member(index, "items");
    cJSON_ArrayForEach(item, items)
    {
        const cJSON *path = member(member(world->document, "paths"), text_of(item, "path"));
        assert_non_null(path);
        assert_int_equal(strstr(text_of(item, "methods"), "POST") != NULL,
                         member(path, "post") != NULL);
        assert_int_equal(strstr(text_of(item, "methods"), "GET") != NULL,
                         member(path, "get") != NULL);
    }
    assert_int_equal(cJSON_GetArraySize(items),
                     cJSON_GetArraySize(member(world->document, "paths")));
    cJSON_Delete(index);
    reply_done(&reply);
}

static void operation_ids_are_unique(void **state)
{
    struct world *world = *state;
    const char *ids[200];
    const cJSON *path = NULL;
    const cJSON *it = NULL;
    int n = 0;
    cJSON_ArrayForEach(path, member(world->document, "paths"))
    {
        cJSON_ArrayForEach(it, path)
        {
            assert_true(n < 200);
            ids[n++] = text_of(it, "operationId");
            assert_true(ids[n - 1][0]);
            for (int i = 0; i < n - 1; i++) {
                assert_string_not_equal(ids[i], ids[n - 1]);
            }
        }
    }
}

/* Walks a list to its end by its cursors. */
static void visit_pages(const struct operation *operation)
{
    const char *path = operation->path->string;
    char target[TARGET_MAX];
    if (strncmp(path, "/v1/", 4) != 0 || strchr(path, '{') || wants_model(operation) ||
        is_post(operation)) {
        return;
    }
    snprintf(target, sizeof(target), "%s?limit=1000", path);
    for (int page = 0; target[0]; page++) {
        struct http_reply reply;
        assert_true(page < 100);
        http_get(&operation->world->daemon, target, &reply);
        check_reply(operation, &reply, target);
        cJSON *list = cJSON_Parse(reply.body);
        const char *cursor = text_of(list, "next_cursor");
        target[0] = '\0';
        if (cursor[0]) {
            snprintf(target, sizeof(target), "%s?limit=1000&cursor=%s", path, cursor);
        }
        cJSON_Delete(list);
        reply_done(&reply);
    }
}

static void every_record_is_as_described(void **state)
{
    visit_all(*state, visit_pages);
}

static void visit_plans(const struct operation *operation)
{
    static const char *const QUERIES[] = {
        "model=llama-3.1-8b&hardware=h100-sxm&view=summary",
        "model=deepseek-v3&hardware=h200-sxm&tp=8&ep=8&concurrency=64",
        "model=llama-3.1-70b&hardware=rtx-4090",
        "model=qwen2.5-7b&hardware=rtx-5090&concurrency=32&weights=f16&sampler=host",
        "model=llama-3.1-8b&hardware=h100-sxm&input_tokens=100000&concurrency=500",
        "model=llama-3.1-8b&hardware=mi300x&engine=sglang&speculative.method=eagle3",
        "model=llama-3.1-70b&hardware=h100-sxm&tp=3&kv_tier.kind=host",
        "model=llama-3.1-8b&hardware=h100-sxm&disaggregation.prefill_devices=2",
        "model=llama-3.1-8b&hardware=a100-sxm-80gb&logit_processors=penalties,min_p&logprobs=5",
    };
    bool plans = strcmp(operation->path->string, "/v1/plan") == 0;
    if ((!plans && strcmp(operation->path->string, "/v1/check") != 0) || is_post(operation)) {
        return;
    }
    /* the first asks for a view, which only a plan has */
    for (size_t i = plans ? 0 : 1; i < sizeof(QUERIES) / sizeof(QUERIES[0]); i++) {
        char target[TARGET_MAX];
        snprintf(target, sizeof(target), "%s?%s", operation->path->string, QUERIES[i]);
        assert_int_equal(ask(operation, target, NULL, NULL), 200);
    }
}

static void plans_of_every_kind_are_as_described(void **state)
{
    visit_all(*state, visit_plans);
}

/* ---- the walker: queries ---- */

/* Values that a parameter may meet, whatever it is. */
static const char *const TEXTS[] = {
    "",     "x",    "-1",      "0",   "1",          "0.5",          "1e308", "1e999",
    "nan",  "true", "null",    "%22", "%5B%5D",     "%7B%7D",       "a,b,c", "..%2F..",
    "0x10", "%20",  "%3Cb%3E", "%FF", "9999999999", "%F0%9F%98%80",
};

static void ask_argument(const struct operation *operation, const char *name, const char *value)
{
    char target[TARGET_MAX];
    size_t length;
    fill_path(operation, NULL, target);
    if (wants_model(operation)) {
        snprintf(target + strlen(target), TARGET_MAX - strlen(target), "?%s%s",
                 strcmp(name, "model") == 0 ? "" : "model=llama-3.1-8b&",
                 strcmp(name, "hardware") == 0 ? "" : "hardware=h100-sxm&");
    } else {
        append(target, "?");
    }
    length = strlen(target);
    snprintf(target + length, TARGET_MAX - length, "%s=%s", name, value);
    (void)ask(operation, target, NULL, NULL);
}

/* The ends of its range and beyond, and each of its names. */
static void ask_extremes(const struct operation *operation, const char *name, const cJSON *schema)
{
    const char *const ends[] = {"minimum", "maximum"};
    const cJSON *word = NULL;
    char value[64];
    for (int i = 0; i < 2; i++) {
        const cJSON *end = member(schema, ends[i]);
        if (end) {
            snprintf(value, sizeof(value), "%.17g", end->valuedouble);
            ask_argument(operation, name, value);
            snprintf(value, sizeof(value), "%.17g", end->valuedouble * 2 + (i ? 1 : -1));
            ask_argument(operation, name, value);
        }
    }
    cJSON_ArrayForEach(word, member(schema, "enum"))
    {
        ask_argument(operation, name, word->valuestring);
    }
}

static void visit_queries(const struct operation *operation)
{
    char long_text[1025];
    const cJSON *parameter = NULL;
    memset(long_text, 'a', sizeof(long_text) - 1);
    long_text[sizeof(long_text) - 1] = '\0';
    if (is_post(operation)) {
        return;
    }
    cJSON_ArrayForEach(parameter, member(operation->it, "parameters"))
    {
        const char *name = text_of(parameter, "name");
        if (strcmp(text_of(parameter, "in"), "path") == 0) {
            continue;
        }
        for (size_t i = 0; i < sizeof(TEXTS) / sizeof(TEXTS[0]); i++) {
            ask_argument(operation, name, TEXTS[i]);
        }
        ask_argument(operation, name, long_text);
        ask_extremes(operation, name, member(parameter, "schema"));
    }
    ask_argument(operation, "no_such_argument", "1");
    ask_argument(operation, "limit", "1&limit=2");
}

static void no_query_breaks_it(void **state)
{
    visit_all(*state, visit_queries);
}

static void visit_ids(const struct operation *operation)
{
    static const char *const IDS[] = {"x",   "-1",          "'",         "\"",  "%",
                                      "a/b", "..",          "~~",        " ",   "\xc3\xa9",
                                      "*",   "a~b~c~d~e~f", "no record", "\xff"};
    if (!strchr(operation->path->string, '{')) {
        return;
    }
    for (size_t i = 0; i < sizeof(IDS) / sizeof(IDS[0]); i++) {
        char target[TARGET_MAX];
        fill_path(operation, IDS[i], target);
        (void)ask(operation, target, NULL, NULL);
    }
}

static void no_id_breaks_it(void **state)
{
    visit_all(*state, visit_ids);
}

/* ---- the walker: bodies ---- */

static const char *const VALUES[] = {
    "null",   "true",
    "false",  "0",
    "-1",     "1",
    "0.5",    "1e308",
    "-1e308", "1e-9",
    "\"\"",   "\"x\"",
    "[]",     "{}",
    "[1]",    "[\"x\"]",
    "[[]]",   "{\"x\":1}",
    "\"7\"",  "1e15",
    "[null]", "9007199254740993",
};

/* A walk through the members of the request's schema. */
struct walk {
    const struct operation *operation;
    const cJSON *root; /* the whole schema */
    cJSON *body;
};

/* Sends the body; what the schema refuses must be refused. */
static void send_body(const struct walk *walk)
{
    static const char *const HEADERS[] = {JSON_TYPE, NULL};
    char where[SCHEMA_WHERE_MAX] = "";
    char *text = cJSON_PrintUnformatted(walk->body);
    bool fits = schema_fits(walk->operation->world->document, walk->root, walk->body, where);
    long status = ask(walk->operation, walk->operation->path->string, HEADERS, text);
    if (!fits && status != 422) {
        fail_msg("%s: %ld, although %s", text, status, where);
    }
    free(text);
}

/* Puts the value in the place of a member for one request. */
static void try_value(const struct walk *walk, cJSON *object, const char *name, cJSON *value)
{
    cJSON *before = cJSON_DetachItemFromObjectCaseSensitive(object, name);
    if (value) {
        cJSON_AddItemToObject(object, name, value);
    }
    send_body(walk);
    cJSON_DeleteItemFromObjectCaseSensitive(object, name);
    if (before) {
        cJSON_AddItemToObject(object, name, before);
    }
}

static void try_ends(const struct walk *walk, cJSON *object, const char *name, const cJSON *schema)
{
    const char *const ends[] = {"minimum", "maximum"};
    for (int i = 0; i < 2; i++) {
        const cJSON *end = member(schema, ends[i]);
        if (end) {
            try_value(walk, object, name, cJSON_CreateNumber(end->valuedouble));
            try_value(walk, object, name, cJSON_CreateNumber(end->valuedouble * 2 + (i ? 1 : -1)));
        }
    }
}

static void try_member(const struct walk *walk, cJSON *object, const char *name,
                       const cJSON *schema)
{
    const cJSON *word = NULL;
    for (size_t i = 0; i < sizeof(VALUES) / sizeof(VALUES[0]); i++) {
        try_value(walk, object, name, cJSON_Parse(VALUES[i]));
    }
    try_value(walk, object, name, NULL);
    try_ends(walk, object, name, schema);
    cJSON_ArrayForEach(word, member(schema, "enum"))
    {
        try_value(walk, object, name, cJSON_Duplicate(word, 1));
    }
    cJSON_ArrayForEach(word, member(member(schema, "items"), "enum"))
    {
        cJSON *list = cJSON_CreateArray();
        cJSON_AddItemToArray(list, cJSON_Duplicate(word, 1));
        cJSON_AddItemToArray(list, cJSON_Duplicate(word, 1));
        try_value(walk, object, name, list);
    }
}

/* Objects nest three deep; one that the body lacks is there while its members are tried. */
static void walk_object(const struct walk *walk, cJSON *object, const cJSON *schema)
{
    const cJSON *inner = NULL;
    try_value(walk, object, "no_such_member", cJSON_CreateNumber(1));
    cJSON_ArrayForEach(inner, member(schema, "properties"))
    {
        const cJSON *resolved = schema_resolve(walk->operation->world->document, inner);
        try_member(walk, object, inner->string, resolved);
        if (!schema_allows(resolved, "object")) {
            continue;
        }
        bool added = !member(object, inner->string);
        if (added) {
            cJSON_AddObjectToObject(object, inner->string);
        }
        walk_object(walk, cJSON_GetObjectItemCaseSensitive(object, inner->string), resolved);
        if (added) {
            cJSON_DeleteItemFromObjectCaseSensitive(object, inner->string);
        }
    }
}

static void visit_bodies(const struct operation *operation)
{
    const cJSON *content =
        member(member(member(operation->it, "requestBody"), "content"), "application/json");
    if (!content) {
        return;
    }
    const cJSON *schema = schema_resolve(operation->world->document, member(content, "schema"));
    struct walk walk = {operation, schema, cJSON_Duplicate(member(content, "example"), 1)};
    char where[SCHEMA_WHERE_MAX] = "";
    assert_true(schema_fits(operation->world->document, schema, walk.body, where));
    walk_object(&walk, walk.body, schema);
    cJSON_Delete(walk.body);
}

static void no_body_breaks_it(void **state)
{
    visit_all(*state, visit_bodies);
}

/* A part described in the request: every figure of it, wrong in every way. */
static void visit_parts(const struct operation *operation)
{
    static const char PART[] = "{\"name\":\"mine\",\"memory_gb\":80,\"mem_bw_gbps\":3350,"
                               "\"peak_dense_tflops\":{\"bf16\":989},\"interconnect\":{}}";
    const cJSON *content =
        member(member(member(operation->it, "requestBody"), "content"), "application/json");
    const cJSON *document = operation->world->document;
    if (!content) {
        return;
    }
    const cJSON *schema = schema_resolve(document, member(content, "schema"));
    struct walk walk = {operation, schema, cJSON_Duplicate(member(content, "example"), 1)};
    cJSON *part = cJSON_Parse(PART);
    assert_non_null(part);
    cJSON *base = cJSON_GetObjectItemCaseSensitive(walk.body, "base");
    if (base) { /* a sweep has the part there, and not on an axis */
        cJSON_DeleteItemFromObjectCaseSensitive(cJSON_GetObjectItem(walk.body, "axes"),
                                                "/hardware");
    }
    cJSON_DeleteItemFromObjectCaseSensitive(base ? base : walk.body, "hardware");
    cJSON_AddItemToObject(base ? base : walk.body, "hardware", part);
    walk_object(&walk, part,
                member(member(member(document, "components"), "schemas"), "InlinePart"));
    cJSON_Delete(walk.body);
}

static void no_described_part_breaks_it(void **state)
{
    visit_all(*state, visit_parts);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_document_and_the_index_have_the_same_routes),
        cmocka_unit_test(operation_ids_are_unique),
        cmocka_unit_test(every_media_type_is_as_described),
        cmocka_unit_test(every_refusal_is_as_described),
        cmocka_unit_test(every_record_is_as_described),
        cmocka_unit_test(plans_of_every_kind_are_as_described),
        cmocka_unit_test(no_query_breaks_it),
        cmocka_unit_test(no_id_breaks_it),
        cmocka_unit_test(no_body_breaks_it),
        cmocka_unit_test(no_described_part_breaks_it),
    };
    return cmocka_run_group_tests(tests, world_open, world_close);
}
