#include "post_route.h"

#include <string.h>

#include <cjson/cJSON.h>

#include "anchor_post.h"
#include "benchmark.h"
#include "body.h"
#include "post.h"
#include "post_texts.h"
#include "problem.h"
#include "query_switch.h"

/* The body as an object without members that stand twice; NULL when the reply is written. */
static cJSON *read_object(struct context *ctx, struct faults *ret_faults)
{
    cJSON *body = body_json(ctx);

    faults_init(ret_faults, ctx->request->arena);
    if (!body)
        return NULL;
    if (!cJSON_IsObject(body)) {
        fault_add(ret_faults, "", NULL, "must be an object");
        problem_faults(ctx, ret_faults);
        return NULL;
    }
    query_refuse_others(ctx->request, ret_faults, NULL, 0, "unknown argument of a POST here");
    post_refuse_repeats(body, "", ret_faults);
    post_check_texts(body, ret_faults);
    return body;
}

/* Makes "source": {...} the "sources" of all fields. */
static void spread_source(cJSON *record, const char *field, struct faults *faults)
{
    cJSON *source = post_take(record, "source");

    if (!source)
        return;
    if (!cJSON_IsObject(source)) {
        fault_add(faults, "/source", NULL, "must be an object: title, kind, url, date");
        return;
    }
    if (cJSON_HasObjectItem(record, "sources")) {
        fault_add(faults, "/source", NULL, "stands beside \"sources\": give one of them");
        return;
    }
    cJSON *sources = cJSON_AddArrayToObject(record, "sources");
    cJSON_AddStringToObject(source, "field", field);
    cJSON_AddItemToArray(sources, source);
}

/* "/v1/models" holds models. */
static const char *kind_of_path(const char *path)
{
    static const struct {
        const char *path, *kind;
    } KINDS[] = {{"/v1/models", "model"}, {"/v1/hardware", "hardware"}, {"/v1/sources", "source"}};

    for (size_t i = 0; i < ARRAY_LEN(KINDS); i++)
        if (strcmp(KINDS[i].path, path) == 0)
            return KINDS[i].kind;
    return "";
}

/* "source" was spread into "sources". */
static const char *place_of_source(struct context *ctx, const struct post *post,
                                   const char *pointer)
{
    static const char SPREAD[] = "/sources/0";
    size_t length = sizeof(SPREAD) - 1;

    (void)post;
    if (strncmp(pointer, SPREAD, length) == 0)
        return arena_printf(ctx->request->arena, "/source%s", pointer + length);
    return arena_copy(ctx->request->arena, pointer, strlen(pointer));
}

void post_record_handler(struct context *ctx)
{
    struct faults faults;
    cJSON *record = read_object(ctx, &faults);

    if (!record)
        return;
    struct post post = {.kind = kind_of_path(ctx->route->path), .record = record, .body = record};
    post.of = post.kind;
    post.why = post_take_text(record, "why", &faults);
    post.id = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(record, "id"));
    if (strcmp(post.kind, "source") != 0) {
        if (cJSON_HasObjectItem(record, "source"))
            post.place = place_of_source;
        spread_source(record, "*", &faults);
    }
    post_write(ctx, &post, &faults);
}

void post_dispute_handler(struct context *ctx)
{
    struct faults faults;
    cJSON *record = read_object(ctx, &faults);

    if (!record)
        return;
    struct post post = {.kind = "dispute", .record = record, .body = record};
    const char *kind = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(record, "kind"));
    const char *why = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(record, "why"));
    post.of = kind ? kind : "";
    post.why = why;
    post.id = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(record, "id"));
    post_write(ctx, &post, &faults);
}

void post_anchor_handler(struct context *ctx)
{
    struct faults faults;
    cJSON *body = read_object(ctx, &faults);

    if (!body)
        return;
    if (benchmark_is(body)) {
        fault_add(&faults, "", NULL, "is the result file of a tool: POST /v1/benchmarks reads it");
        problem_faults(ctx, &faults);
        return;
    }
    struct post post = {.kind = "anchor", .of = "anchor", .body = body, .place = anchor_post_place};
    post.why = post_take_text(body, "why", &faults);
    anchor_post_read(ctx, body, &faults, &post);
    post_write(ctx, &post, &faults);
}
