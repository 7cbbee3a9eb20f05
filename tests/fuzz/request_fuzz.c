/*
 * request_fuzz - a whole request from any bytes: first line "METHOD TARGET", the rest is the body.
 *
 * Properties: no crash, no 5xx, a refusal says why, JSON replies are JSON, and the same request
 * twice gives the same reply.
 */
#include <cjson/cJSON.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "app.h"
#include "request_limits.h"
#include "store.h"
#include "uri.h"

#define TARGET_MAX 4096

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* libFuzzer hands no context to its targets: these two live as long as the process. */
static struct app *app;
static struct arena *arenas[2];

static void require(int condition)
{
    if (!condition)
        abort();
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    struct store *store = NULL;
    char error[STORE_ERROR_MAX];
    (void)argc;
    (void)argv;
    require(store_open(NULL, &store, error));
    app = app_new(&(struct app_options){.store = store});
    arenas[0] = arena_new(REQUEST_ARENA_MAX);
    arenas[1] = arena_new(REQUEST_ARENA_MAX);
    require(app && arenas[0] && arenas[1]);
    return 0;
}

static enum method method_of(const char *line)
{
    static const char *const NAMES[] = {
        [METHOD_GET] = "GET ",
        [METHOD_HEAD] = "HEAD ",
        [METHOD_POST] = "POST ",
        [METHOD_OPTIONS] = "OPTIONS ",
    };
    for (int i = 0; i < METHOD_OTHER; i++) {
        if (strncmp(line, NAMES[i], strlen(NAMES[i])) == 0)
            return (enum method)i;
    }
    return METHOD_OTHER;
}

static void answer(struct arena *arena, const char *line, const char *body, size_t body_length,
                   struct reply *ret_reply)
{
    arena_reset(arena);
    struct request request = {.method = method_of(line),
                              .content_type = "application/json",
                              .host = "localhost",
                              .peer = "",
                              .arena = arena};
    const char *space = strchr(line, ' ');
    const char *target = space ? space + 1 : line;
    char *copy = arena_copy(arena, target, strlen(target));

    require(copy != NULL);
    uri_parse(copy, &request);
    if (request.method == METHOD_POST) {
        request.body = arena_copy(arena, body, body_length);
        request.body_length = body_length;
    }
    *ret_reply = (struct reply){0};
    app_handle(app, &request, ret_reply);
}

static void check(const struct reply *reply)
{
    require(reply->status >= 200 && reply->status < 500);
    require(reply->status < 400 || reply->body_length > 0);
    if (reply->body_length > 0 && strstr(reply->content_type, "json")) {
        cJSON *tree = cJSON_ParseWithLength(reply->body, reply->body_length);
        require(tree != NULL);
        cJSON_Delete(tree);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *text = (const char *)data;
    const char *end = size > 0 ? memchr(text, '\n', size) : NULL;
    size_t line_length = end ? (size_t)(end - text) : size;
    size_t body_length = end ? size - line_length - 1 : 0;
    char line[TARGET_MAX + 1];
    struct reply replies[2];

    /* The HTTP layer hands on neither longer bodies nor a NUL in the target. */
    if (line_length > TARGET_MAX || body_length > BODY_MAX_BYTES)
        return -1;
    memcpy(line, text, line_length);
    line[line_length] = '\0';
    for (int i = 0; i < 2; i++) {
        answer(arenas[i], line, end ? end + 1 : "", body_length, &replies[i]);
        check(&replies[i]);
    }
    require(replies[0].status == replies[1].status);
    /* These count how often they were asked. */
    if (!strstr(line, "/metrics") && !strstr(line, "/anchors") && !strstr(line, "/gaps")) {
        require(replies[0].body_length == replies[1].body_length);
        require(replies[0].body_length == 0 ||
                memcmp(replies[0].body, replies[1].body, replies[0].body_length) == 0);
    }
    return 0;
}
