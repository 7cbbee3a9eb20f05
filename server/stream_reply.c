#include "stream_reply.h"

#include <string.h>
#include <unistd.h>

#include "body.h"
#include "negotiate.h"
#include "problem.h"
#include "request_limits.h"
#include "store.h"

#define PIECE_BYTES (16 * KIB)

struct stream_hold {
    struct app *app;
    const struct catalogue *catalogue;
};

struct stream_hold *stream_hold_begin(struct context *ctx)
{
    struct stream_hold *hold = arena_alloc(ctx->request->arena, sizeof(*hold));

    if (!hold) {
        problem_status(ctx, 413, "the request needs more memory than one request may use");
        return NULL;
    }
    if (!app_sweep_begin(ctx->app)) {
        problem_status(ctx, 503,
                       "as many sweeps and searches as this server computes at a time are under "
                       "way");
        return NULL;
    }
    *hold = (struct stream_hold){ctx->app, store_catalogue(app_store(ctx->app))};
    return hold;
}

static void stream_hold_end(const struct stream_hold *hold)
{
    store_release(app_store(hold->app), hold->catalogue);
    app_sweep_end(hold->app);
}

void reply_stream_end(struct reply_stream *stream)
{
    const struct stream_hold *hold = stream->hold;

    stream->end(stream);
    if (hold)
        stream_hold_end(hold);
}

long stream_piece_take(struct stream_piece *piece, char *buffer, size_t size)
{
    size_t left = piece->length - piece->at;
    size_t n = left < size ? left : size;

    if (n > 0)
        memcpy(buffer, piece->text + piece->at, n);
    piece->at += n;
    return (long)n;
}

int stream_threads(void)
{
    long cores = sysconf(_SC_NPROCESSORS_ONLN);

    return cores > 1 ? (int)cores - 1 : 0;
}

void stream_reply_whole(struct context *ctx, struct reply_stream *stream)
{
    char *piece = arena_alloc_raw(ctx->request->arena, PIECE_BYTES);
    struct json_out out;
    long n = STREAM_BROKEN;

    reply_begin(ctx, &out);
    while (piece && (n = stream->read(stream, piece, PIECE_BYTES)) >= 0)
        out_bytes(&out, piece, (size_t)n);
    reply_stream_end(stream);
    if (n == STREAM_BROKEN || !json_out_ok(&out)) {
        problem_status(ctx, 413, "the answer needs more memory than one request may use");
        return;
    }
    ctx->reply->status = 200;
    ctx->reply->content_type = content_type_of(ctx->format);
    ctx->reply->body = out.text;
    ctx->reply->body_length = out.length;
}

void stream_reply_send(struct context *ctx, struct stream_hold *hold, struct reply_stream *stream,
                       const char *what)
{
    if (!stream) {
        const char *detail =
            arena_printf(ctx->request->arena, "the %s needs more memory than there is", what);
        stream_hold_end(hold);
        problem_status(ctx, 413, detail ? detail : "more memory is needed than there is");
        return;
    }
    stream->hold = hold;
    ctx->reply->status = 200;
    ctx->reply->content_type = content_type_of(ctx->format);
    ctx->reply->stream = stream;
}
