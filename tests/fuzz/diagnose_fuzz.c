/*
 * diagnose_fuzz - what people say of a slow deployment, out of any bytes.
 *
 * The first byte chooses how the rest is read: as the body of POST /v1/diagnose, or as the words of
 * its texts and of a figure's name. Properties: no crash, no 5xx, scores from 0 to 1 and falling,
 * strengths of signs from 0 to 1, and the same bytes twice give the same reply.
 */
#include <cjson/cJSON.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "app.h"
#include "diagnose.h"
#include "free_figures.h"
#include "phrases.h"
#include "report_words.h"
#include "request_limits.h"
#include "store.h"
#include "uri.h"

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

static void post(struct arena *arena, const char *body, size_t length, struct reply *ret_reply)
{
    char target[] = "/v1/diagnose";
    struct request request = {.method = METHOD_POST,
                              .content_type = "application/json",
                              .host = "localhost",
                              .peer = "",
                              .arena = arena};

    arena_reset(arena);
    uri_parse(target, &request);
    request.body = arena_copy(arena, body, length);
    request.body_length = length;
    *ret_reply = (struct reply){0};
    app_handle(app, &request, ret_reply);
}

static void check_scores(const struct reply *reply)
{
    cJSON *tree = cJSON_ParseWithLength(reply->body, reply->body_length);
    const cJSON *cause;
    double last = 1.0;

    require(tree != NULL);
    cJSON_ArrayForEach(cause, cJSON_GetObjectItemCaseSensitive(tree, "causes"))
    {
        double score = cJSON_GetObjectItemCaseSensitive(cause, "score")->valuedouble;
        require(score >= 0.0 && score <= 1.0);
        last = score;
    }
    require(last >= 0.0);
    cJSON_Delete(tree);
}

static void read_body(const char *body, size_t length)
{
    struct reply replies[2];

    for (int i = 0; i < 2; i++) {
        post(arenas[i], body, length, &replies[i]);
        require(replies[i].status >= 200 && replies[i].status < 500);
    }
    require(replies[0].status == replies[1].status);
    require(replies[0].body_length == replies[1].body_length);
    require(memcmp(replies[0].body, replies[1].body, replies[0].body_length) == 0);
    if (replies[0].status == 200)
        check_scores(&replies[0]);
}

static void read_words(const char *bytes, size_t length)
{
    static struct symptoms symptoms;
    static struct free_figures figures;
    static struct diagnosis diagnosis;

    arena_reset(arenas[0]);
    char *text = arena_copy(arenas[0], bytes, length);
    require(text != NULL);
    memset(&symptoms, 0, sizeof(symptoms));
    memset(&figures, 0, sizeof(figures));
    (void)phrases_read(arenas[0], text, CHANNEL_STATEMENT, &symptoms);
    (void)phrases_read(arenas[0], text, CHANNEL_SETUP, &symptoms);
    report_words_read(arenas[0], text, &symptoms);
    (void)figures_add(arenas[0], &figures, text, NULL, 3.0, NULL);
    (void)figures_add(arenas[0], &figures, "tok_s", text, 2.0, text);
    figures_compare(arenas[0], &figures, &symptoms);
    for (int i = 0; i < SIGN_COUNT; i++)
        require(symptoms.signs[i].strength >= 0.0 && symptoms.signs[i].strength <= 1.0);
    for (int i = 0; i < CAUSE_COUNT; i++)
        require(symptoms.told[i] >= 0.0 && symptoms.told[i] <= 1.0);
    diagnose(&symptoms, &diagnosis);
    for (int i = 0; i < diagnosis.n; i++)
        require(diagnosis.causes[i].score > 0.0 && diagnosis.causes[i].score < 1.0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 1 || size > BODY_MAX_BYTES)
        return -1;
    if (data[0] & 1)
        read_words((const char *)data + 1, size - 1);
    else
        read_body((const char *)data + 1, size - 1);
    return 0;
}
