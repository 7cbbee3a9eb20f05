/*
 * app_kit.h - whole requests against the bundled records for unit tests; include after cmocka.h.
 */
#ifndef REGIME_APP_KIT_H
#define REGIME_APP_KIT_H

#include <cjson/cJSON.h>
#include <math.h>
#include <string.h>

#include "app.h"
#include "reply_stream.h"
#include "store.h"
#include "uri.h"

#define APP_KIT_ARENA_MAX ((size_t)64 << 20)

struct app_kit {
    struct store *store;
    struct app *app;
    struct arena *arena;
};

static inline int app_kit_setup(void **state)
{
    static struct app_kit kit;
    char error[STORE_ERROR_MAX] = "";
    if (!store_open(NULL, &kit.store, error)) {
        print_error("%s\n", error);
        return -1;
    }
    kit.app = app_new(&(struct app_options){.store = kit.store});
    kit.arena = arena_new(APP_KIT_ARENA_MAX);
    *state = &kit;
    return kit.app && kit.arena ? 0 : -1;
}

static inline int app_kit_teardown(void **state)
{
    const struct app_kit *kit = *state;
    arena_free(kit->arena);
    app_free(kit->app);
    store_close(kit->store);
    return 0;
}

/* Sends a request whose method, headers and body are set; the arena is emptied before. */
static inline void app_kit_send(const struct app_kit *kit, const char *target,
                                struct request *request, struct reply *ret_reply)
{
    *ret_reply = (struct reply){0};
    arena_reset(kit->arena);
    request->arena = kit->arena;
    request->host = "localhost";
    request->peer = "test";
    char *copy = arena_copy(kit->arena, target, strlen(target));
    assert_non_null(copy);
    uri_parse(copy, request);
    app_handle(kit->app, request, ret_reply);
}

/* The body of GET target, NUL-terminated, until the next one; the status goes to *ret_status. */
static inline const char *app_kit_get(const struct app_kit *kit, const char *target,
                                      int *ret_status)
{
    struct request request = {.method = METHOD_GET};
    struct reply reply;
    app_kit_send(kit, target, &request, &reply);
    *ret_status = reply.status;
    return arena_copy(kit->arena, reply.body ? reply.body : "", reply.body_length);
}

/* The same for a POST of JSON. A stream is read to its end. */
static inline const char *app_kit_post(const struct app_kit *kit, const char *target,
                                       const char *body, int *ret_status)
{
    static char text[1 << 22];
    struct request request = {.method = METHOD_POST,
                              .content_type = "application/json",
                              .body = body,
                              .body_length = strlen(body)};
    struct reply reply;
    size_t length = 0;
    long n;
    app_kit_send(kit, target, &request, &reply);
    *ret_status = reply.status;
    if (!reply.stream)
        return arena_copy(kit->arena, reply.body ? reply.body : "", reply.body_length);
    while ((n = reply.stream->read(reply.stream, text + length, sizeof(text) - 1 - length)) >= 0)
        length += (size_t)n;
    assert_int_equal(n, STREAM_END);
    reply_stream_end(reply.stream);
    text[length] = '\0';
    return text;
}

/* The reply as a tree of the caller's; fails the test unless its status is `status`. */
static inline cJSON *app_kit_json(const struct app_kit *kit, const char *target, int status)
{
    int got = 0;
    const char *body = app_kit_get(kit, target, &got);
    cJSON *tree = cJSON_Parse(body);
    if (got != status || !tree) {
        fail_msg("%s: %d %.300s", target, got, body);
    }
    return tree;
}

/* A member by its path of names, "key/metric"; NULL when it is not there. */
static inline const cJSON *app_kit_at(const cJSON *tree, const char *path)
{
    char name[64];
    while (tree && *path) {
        size_t length = strcspn(path, "/");
        assert_true(length < sizeof(name));
        memcpy(name, path, length);
        name[length] = '\0';
        tree = cJSON_GetObjectItemCaseSensitive(tree, name);
        path += length;
        path += *path == '/';
    }
    return tree;
}

static inline double app_kit_number(const cJSON *tree, const char *path)
{
    const cJSON *item = app_kit_at(tree, path);
    return item && cJSON_IsNumber(item) ? item->valuedouble : (double)NAN;
}

static inline const char *app_kit_text(const cJSON *tree, const char *path)
{
    const cJSON *item = app_kit_at(tree, path);
    return item && cJSON_IsString(item) ? item->valuestring : "";
}

#endif
