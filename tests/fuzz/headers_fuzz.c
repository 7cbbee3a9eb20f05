/*
 * headers_fuzz - Accept, If-None-Match and the cursor of a list, one line each, of any bytes.
 *
 * Properties: no crash; Accept gives one of the types on offer or none; "*" and the tag itself
 * match, and what matches names the tag; a cursor is refused with a fault or gives a page whose
 * records stand behind it; the same request twice gives the same reply.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "app.h"
#include "etag.h"
#include "negotiate.h"
#include "request_limits.h"
#include "store.h"
#include "uri.h"

#define LINES 3
#define LINE_MAX_BYTES 2000

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* libFuzzer hands no context to its targets: these live as long as the process. */
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

/* Cuts the input into lines; the HTTP layer hands on no NUL and no line end inside a header. */
static bool cut(const uint8_t *data, size_t size, char lines[LINES][LINE_MAX_BYTES + 1])
{
    for (int i = 0; i < LINES; i++) {
        const uint8_t *end = size ? memchr(data, '\n', size) : NULL;
        size_t length = end ? (size_t)(end - data) : size;
        if (length > LINE_MAX_BYTES || (length && memchr(data, '\0', length)))
            return false;
        if (length)
            memcpy(lines[i], data, length);
        lines[i][length] = '\0';
        data += end ? length + 1 : length;
        size -= end ? length + 1 : length;
    }
    return true;
}

static void check_accept(const char *accept)
{
    static const char *const AVAILABLE[] = {MEDIA_JSON, MEDIA_TEXT, MEDIA_CSV, NULL};
    const char *chosen = negotiate_accept(accept, AVAILABLE);
    require(chosen == negotiate_accept(accept, AVAILABLE));
    require(!chosen || chosen == AVAILABLE[0] || chosen == AVAILABLE[1] || chosen == AVAILABLE[2]);
}

static void check_tag(const char *if_none_match)
{
    static const char TAG[] = "\"0123456789abcdef\"";
    require(etag_listed(TAG, TAG));
    require(!etag_listed(if_none_match, TAG) || strstr(if_none_match, TAG));
    require(etag_is_any(if_none_match) == (strcmp(if_none_match, "*") == 0));
}

static void answer(int which, char lines[LINES][LINE_MAX_BYTES + 1], struct reply *ret_reply)
{
    struct argument arguments[] = {{"cursor", lines[2]}, {"limit", "2"}};
    struct request request = {
        .method = METHOD_GET,
        .accept = lines[0],
        .if_none_match = lines[1],
        .host = "localhost",
        .peer = "fuzz",
        .arena = arenas[which],
    };
    arena_reset(arenas[which]);
    char *target = arena_copy(arenas[which], "/v1/classes", sizeof("/v1/classes") - 1);
    require(target != NULL);
    uri_parse(target, &request);
    request.arguments = arguments;
    request.n_arguments = 2;
    *ret_reply = (struct reply){0};
    app_handle(app, &request, ret_reply);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static char lines[LINES][LINE_MAX_BYTES + 1];
    struct reply replies[2];
    if (!cut(data, size, lines))
        return -1;
    check_accept(lines[0]);
    check_tag(lines[1]);
    for (int i = 0; i < 2; i++) {
        answer(i, lines, &replies[i]);
        const struct reply *reply = &replies[i];
        require(reply->status == 200 || reply->status == 304 || reply->status == 406 ||
                reply->status == 422);
        require(reply->status != 422 || strstr(reply->body, "\"errors\":["));
    }
    require(replies[0].status == replies[1].status);
    require(replies[0].body_length == replies[1].body_length);
    require(replies[0].body_length == 0 ||
            memcmp(replies[0].body, replies[1].body, replies[0].body_length) == 0);
    return 0;
}
