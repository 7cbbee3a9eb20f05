#include "sweep_route.h"

#include <string.h>

#include "negotiate.h"
#include "problem.h"
#include "query_switch.h"
#include "request_limits.h"
#include "stream_reply.h"
#include "sweep_stream.h"

/* Replayed points that are answered in one piece. */
#define SMALL_DEEP_POINTS 16

static const char *const OWN[] = {"format", "progress"};

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
    if (stream) {
        stream_reply_whole(ctx, stream);
        return;
    }
    struct stream_hold *hold = stream_hold_begin(ctx);
    if (!hold)
        return;
    options.threads = stream_threads();
    stream_reply_send(ctx, hold, sweep_stream_new(grid, &options), "sweep");
}
