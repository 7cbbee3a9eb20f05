#include "body.h"

#include <string.h>

#include <cjson/cJSON.h>

#include "field.h"
#include "json_check.h"
#include "negotiate.h"
#include "problem.h"
#include "request_limits.h"

static void refuse_syntax(struct context *ctx, const struct json_fault *fault)
{
    struct faults faults;

    faults_init(&faults, ctx->request->arena);
    fault_add(&faults, "", NULL, "%s at byte %zu (line %zu, column %zu)", fault->what,
              fault->offset, fault->line, fault->column);
    problem_reply(ctx, 400, "the body is not the JSON that can be read here", &faults);
}

struct cJSON *body_json(struct context *ctx)
{
    const struct request *request = ctx->request;
    struct json_fault fault;

    if (!json_check(request->body, request->body_length, JSON_NESTING_MAX, JSON_VALUES_MAX,
                    &fault)) {
        if (request->content_type)
            refuse_syntax(ctx, &fault);
        else
            refuse_media_type(ctx);
        return NULL;
    }
    const char *end = NULL;
    struct cJSON *tree =
        cJSON_ParseWithLengthOpts(request->body, request->body_length + 1, &end, 1);
    if (!tree)
        problem_status(ctx, 413, "the body needs more memory than one request may use");
    return tree;
}

static bool is_one_of(const char *name, const char *const *names, int n)
{
    for (int i = 0; i < n; i++)
        if (strcmp(name, names[i]) == 0)
            return true;
    return false;
}

void body_refuse_members(struct arena *arena, struct faults *faults, const struct cJSON *object,
                         const char *place, const char *const *names, int n, const char *detail)
{
    for (const cJSON *item = object->child; item; item = item->next) {
        if (is_one_of(item->string, names, n))
            continue;
        const char *pointer = arena_printf(arena, "%s/%s", place, field_quote(arena, item->string));
        fault_add(faults, pointer ? pointer : place, fault_nearest(item->string, names, n), "%s",
                  detail);
    }
}

void reply_begin(struct context *ctx, struct json_out *ret_out)
{
    json_out_init(ret_out, ctx->request->arena, 8 * KIB, REPLY_MAX_BYTES);
}

void reply_write(struct context *ctx, int status, struct json_out *out)
{
    struct reply *reply = ctx->reply;

    if (out->length && out->text[out->length - 1] != '\n')
        out_text(out, "\n");
    if (!json_out_ok(out)) {
        problem_status(ctx, 422, "the reply would be larger than one reply may be: ask for less");
        return;
    }
    reply->status = status;
    reply->content_type = content_type_of(ctx->format);
    reply->body = out->text;
    reply->body_length = out->length;
}
