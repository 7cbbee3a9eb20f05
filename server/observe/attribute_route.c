#include "attribute_route.h"

#include <string.h>

#include "attribute_reply.h"
#include "attribute_work.h"
#include "body.h"
#include "negotiate.h"
#include "problem.h"
#include "profile_formats.h"
#include "profile_stream.h"

static void *open_stream(struct arena *arena)
{
    return profile_stream_open(arena);
}

static void feed_stream(void *state, const char *piece, size_t size)
{
    profile_stream_feed(state, piece, size);
}

const struct body_sink PROFILE_SINK = {open_stream, feed_stream};

/* The profile, from what the sink took or from a body that came whole; NULL when out of memory. */
static struct profile *read_profile(const struct request *request)
{
    struct profile_stream *stream = request->sunk;

    if (!stream) {
        stream = profile_stream_open(request->arena);
        if (stream)
            profile_stream_feed(stream, request->body, request->body_length);
    }
    return stream ? profile_stream_close(stream) : NULL;
}

/* The formats that are read, for who sent another. */
static const char *format_names(struct arena *arena)
{
    const char *names = NULL;

    for (int i = 0; i < N_PROFILE_FORMATS; i++)
        names = names ? arena_printf(arena, "%s, %s", names, PROFILE_FORMATS[i].name)
                      : PROFILE_FORMATS[i].name;
    return names ? names : "";
}

static void refuse_file(const struct profile *profile, struct faults *faults)
{
    if (profile->format)
        fault_add(faults, "", NULL, "%s", profile->error);
    else
        fault_add(faults, "", NULL, "%s: %s", profile->error, format_names(faults->arena));
}

static void write_reply(struct context *ctx, const struct attribute_reply *reply)
{
    struct json_out out;

    reply_begin(ctx, &out);
    if (strcmp(ctx->format, MEDIA_TEXT) == 0)
        attribute_text_write(&out, reply);
    else if (strcmp(ctx->format, MEDIA_CSV) == 0)
        attribute_csv_write(&out, reply);
    else
        attribute_json_write(&out, reply);
    reply_write(ctx, 200, &out);
}

bool attribute_read(struct context *ctx, bool keeps, struct faults *ret_faults,
                    struct attribute_work *ret_work)
{
    struct arena *arena = ctx->request->arena;
    struct profile *profile = read_profile(ctx->request);
    struct attribute_query query;

    faults_init(ret_faults, arena);
    attribute_query_read(ctx->request, ret_faults, &query);
    query.keeps = keeps;
    if (profile && profile->error)
        refuse_file(profile, ret_faults);
    struct attribution *attribution =
        profile ? attribution_new(arena, profile, &query.asked) : NULL;
    if (!attribution) {
        problem_status(ctx, 413, "the request needs more memory than one request may use");
        return false;
    }
    run_read(ctx, ret_faults, &query, profile, attribution, &ret_work->run);
    ret_work->attribution = attribution;
    ret_work->ascii = query.ascii;
    return true;
}

void attribute_handler(struct context *ctx)
{
    struct attribute_work work;
    struct faults faults;

    if (!attribute_read(ctx, false, &faults, &work))
        return;
    if (faults.n > 0) {
        problem_faults(ctx, &faults);
        return;
    }
    const struct attribution_budget *budget =
        attribution_budget_new(ctx->request->arena, work.attribution, &work.run);
    if (!budget) {
        problem_status(ctx, 413, "the request needs more memory than one request may use");
        return;
    }
    write_reply(ctx, &(struct attribute_reply){work.attribution, budget, &work.run, work.ascii});
}
