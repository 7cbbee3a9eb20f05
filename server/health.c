#include "health.h"

#include <string.h>

#include "body.h"
#include "json_out.h"
#include "metrics.h"
#include "negotiate.h"
#include "problem.h"
#include "store.h"

#define METRICS_CONTENT_TYPE "text/plain; version=0.0.4; charset=utf-8"

static bool wants_text(const struct context *ctx)
{
    return strcmp(ctx->format, MEDIA_TEXT) == 0;
}

void healthz_handler(struct context *ctx)
{
    static const char JSON[] = "{\"status\":\"ok\"}\n", TEXT[] = "ok\n";
    struct reply *reply = ctx->reply;
    bool text = wants_text(ctx);

    reply->status = 200;
    reply->content_type = content_type_of(ctx->format);
    reply->body = text ? TEXT : JSON;
    reply->body_length = text ? sizeof(TEXT) - 1 : sizeof(JSON) - 1;
}

/* Members that /readyz and /version share. */
static void write_store(struct context *ctx, struct json_out *out)
{
    struct store *store = app_store(ctx->app);
    const char *path = store_path(store);

    json_put_text(out, "store", path ? "file" : "embedded records");
    json_put_number(out, "schema_version", store_schema_version(store));
    json_put_text(out, "records", ctx->catalogue->records_text);
    json_put_text(out, "revision", ctx->catalogue->revision);
}

void readyz_handler(struct context *ctx)
{
    struct json_out out;

    if (app_draining(ctx->app)) {
        problem_status(ctx, 503,
                       "stopping: requests under way are answered, new ones belong elsewhere");
        return;
    }
    const char *trouble = store_trouble(app_store(ctx->app));
    if (trouble) {
        const char *detail =
            arena_printf(ctx->request->arena, "%s: put it back or start again", trouble);
        problem_status(ctx, 503, detail ? detail : trouble);
        return;
    }
    reply_begin(ctx, &out);
    if (wants_text(ctx)) {
        out_text(&out, "ready\n");
    } else {
        json_begin_object(&out);
        json_put_text(&out, "status", "ready");
        write_store(ctx, &out);
        json_end_object(&out);
    }
    reply_write(ctx, 200, &out);
}

void version_handler(struct context *ctx)
{
    struct json_out out;

    reply_begin(ctx, &out);
    if (wants_text(ctx)) {
        out_printf(&out, "regimed %s, %s, revision %s\n", REGIME_VERSION,
                   ctx->catalogue->records_text, ctx->catalogue->revision);
    } else {
        json_begin_object(&out);
        json_put_text(&out, "name", "regimed");
        json_put_text(&out, "version", REGIME_VERSION);
        json_put_text(&out, "api", "v1");
        json_put_text(&out, "compiler", __VERSION__);
        write_store(ctx, &out);
        json_end_object(&out);
    }
    reply_write(ctx, 200, &out);
}

void metrics_handler(struct context *ctx)
{
    struct json_out out;

    reply_begin(ctx, &out);
    metrics_write(app_metrics(ctx->app), ctx->catalogue, &out);
    reply_write(ctx, 200, &out);
    if (ctx->reply->status == 200)
        ctx->reply->content_type = METRICS_CONTENT_TYPE;
}
