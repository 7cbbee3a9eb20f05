#include "search_route.h"

#include <string.h>

#include "negotiate.h"
#include "problem.h"
#include "request_limits.h"
#include "search_stream.h"
#include "stream_reply.h"

static const char *const OWN[] = {"format"};

void search_handler(struct context *ctx)
{
    struct space *space = arena_alloc(ctx->request->arena, sizeof(*space));
    struct search_options options = {.format = ctx->format};
    struct faults faults;

    if (!space) {
        problem_status(ctx, 413, "the request needs more memory than one request may use");
        return;
    }
    faults_init(&faults, ctx->request->arena);
    if (!space_read(ctx, &faults, OWN, (int)ARRAY_LEN(OWN), space))
        return;
    bool small = space->n_candidates <= SEARCH_SMALL_CANDIDATES;
    struct reply_stream *stream = small ? search_stream_new(space, &options) : NULL;
    if (stream) {
        stream_reply_whole(ctx, stream);
        return;
    }
    struct stream_hold *hold = stream_hold_begin(ctx);
    if (!hold)
        return;
    options.threads = stream_threads();
    stream_reply_send(ctx, hold, search_stream_new(space, &options), "search");
}
