#include "sweep_route.h"

#include <string.h>
#include <unistd.h>

#include "body.h"
#include "negotiate.h"
#include "problem.h"
#include "query_switch.h"
#include "request_limits.h"
#include "store.h"
#include "sweep_stream.h"

#define PIECE_BYTES (16 * KIB)
/* Replayed points that are answered in one piece. */
#define SMALL_DEEP_POINTS 16

static const char *const OWN[] = {"format", "progress"};

/* What a stream holds until it ends. */
struct holding {
    struct app *app;
    const struct catalogue *catalogue;
};

static void let_go(void *ctx)
{
    const struct holding *holding = ctx;

    store_release(app_store(holding->app), holding->catalogue);
    app_sweep_end(holding->app);
}

/* Reads a stream to its end into the reply's body. */
static void reply_whole(struct context *ctx, struct reply_stream *stream)
{
    char *piece = arena_alloc_raw(ctx->request->arena, PIECE_BYTES);
    struct json_out out;
    long n = STREAM_BROKEN;

    reply_begin(ctx, &out);
    while (piece && (n = stream->read(stream, piece, PIECE_BYTES)) > 0)
        out_bytes(&out, piece, (size_t)n);
    stream->end(stream);
    if (n == STREAM_BROKEN || !json_out_ok(&out)) {
        problem_status(ctx, 413, "the table needs more memory than one request may use");
        return;
    }
    ctx->reply->status = 200;
    ctx->reply->content_type = content_type_of(ctx->format);
    ctx->reply->body = out.text;
    ctx->reply->body_length = out.length;
}

static void reply_streamed(struct context *ctx, const struct grid *grid,
                           struct sweep_options *options)
{
    struct holding *holding = arena_alloc(ctx->request->arena, sizeof(*holding));
    long cores = sysconf(_SC_NPROCESSORS_ONLN);

    if (!app_sweep_begin(ctx->app)) {
        problem_status(ctx, 503, "as many sweeps as this server computes at a time are under way");
        return;
    }
    options->threads = cores > 1 ? (int)cores - 1 : 0;
    options->ended = let_go;
    options->ended_ctx = holding;
    struct reply_stream *stream = holding ? sweep_stream_new(grid, options) : NULL;
    if (!stream) {
        app_sweep_end(ctx->app);
        problem_status(ctx, 413, "the sweep needs more memory than there is");
        return;
    }
    *holding = (struct holding){ctx->app, store_catalogue(app_store(ctx->app))};
    ctx->reply->status = 200;
    ctx->reply->content_type = content_type_of(ctx->format);
    ctx->reply->stream = stream;
}

void sweep_handler(struct context *ctx)
{
    struct grid *grid = arena_alloc(ctx->request->arena, sizeof(*grid));
    struct sweep_options options = {.format = ctx->format, .kept_bytes_max = SWEEP_KEPT_BYTES};
    struct faults faults;

    if (!grid) {
        problem_status(ctx, 413, "the request needs more memory than one request may use");
        return;
    }
    faults_init(&faults, ctx->request->arena);
    options.progress = query_switch(ctx->request, &faults, "progress");
    if (options.progress && strcmp(ctx->format, MEDIA_NDJSON) != 0)
        fault_add(&faults, "?progress", NULL, "lines of progress are for format=ndjson");
    if (!grid_read(ctx, &faults, OWN, (int)ARRAY_LEN(OWN), grid))
        return;
    bool small =
        grid->n_points <= (grid->depth == PLAN_BARE ? SWEEP_SMALL_POINTS : SMALL_DEEP_POINTS);
    struct reply_stream *stream = small ? sweep_stream_new(grid, &options) : NULL;
    if (stream)
        reply_whole(ctx, stream);
    else
        reply_streamed(ctx, grid, &options);
}
