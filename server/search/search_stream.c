#include "search_stream.h"

#include <stdlib.h>
#include <string.h>

#include "crew.h"
#include "negotiate.h"
#include "request_limits.h"
#include "search_answer.h"

/* Candidates of a block: a millisecond of one core or so. */
#define BLOCK 128
#define PROGRESS_STEPS 100
#define ANSWER_ARENA_MAX (96 * MIB)
#define SCRATCH_ARENA_MAX (8 * MIB)

enum stage { STAGE_SCAN, STAGE_PLAN, STAGE_WRITE, STAGE_END };

struct stream {
    struct reply_stream base;
    const struct space *space;
    struct search_options options;
    enum stage stage;
    struct search_run *run;
    struct crew *crew;
    struct arena *arena, *scratch;
    struct search_answer *answer;
    struct stream_piece piece;
    long done; /* candidates */
    bool broken;
    char line[96];
};

/* The crew's work ------------------------------------------------------------------------------ */

static void *worker_new(void *ctx)
{
    struct stream *stream = ctx;

    return search_worker_new(stream->run);
}

static void worker_free(void *worker)
{
    search_worker_free(worker);
}

static bool scan_block(void *ctx, void *worker, long block, struct json_out *out)
{
    struct stream *stream = ctx;
    long from = block * BLOCK, to = from + BLOCK;

    search_worker_scan(worker, from,
                       to < stream->space->n_candidates ? to : stream->space->n_candidates);
    return json_out_ok(out);
}

static bool start_crew(struct stream *stream)
{
    long blocks = (stream->space->n_candidates + BLOCK - 1) / BLOCK;
    const struct crew_work work = {stream, worker_new, worker_free, scan_block, blocks};

    stream->crew = crew_new(&work, stream->options.threads);
    return stream->crew;
}

/* Stages --------------------------------------------------------------------------------------- */

static bool is_lines(const struct stream *stream)
{
    return strcmp(stream->options.format, MEDIA_NDJSON) == 0;
}

static void send_piece(struct stream *stream, const struct json_out *out)
{
    stream->broken = stream->broken || !json_out_ok(out);
    stream->piece.text = out->text;
    stream->piece.length = out->length;
    stream->piece.at = 0;
}

/* How far it is; of JSON a blank, which a reader passes over: it keeps the connection alive and
 * tells when the client has left. */
static void send_progress(struct stream *stream, long before)
{
    long of = stream->space->n_candidates;
    struct json_out out;

    if (before * PROGRESS_STEPS / of == stream->done * PROGRESS_STEPS / of)
        return;
    if (!is_lines(stream) && strcmp(stream->options.format, MEDIA_JSON) != 0)
        return;
    arena_reset(stream->scratch);
    json_out_init(&out, stream->scratch, 128, 256);
    if (is_lines(stream)) {
        json_begin_object(&out);
        json_key(&out, "progress");
        json_begin_object(&out);
        json_put_number(&out, "done", (double)stream->done);
        json_put_number(&out, "of", (double)of);
        json_end_object(&out);
        json_end_object(&out);
        out_bytes(&out, "\n", 1);
    } else {
        out_bytes(&out, " ", 1);
    }
    send_piece(stream, &out);
}

static void scan_step(struct stream *stream)
{
    size_t length;
    bool broken, more = crew_take(stream->crew, &length, &broken);
    long before = stream->done;

    stream->broken = stream->broken || broken;
    if (more) {
        stream->done += BLOCK;
        if (stream->done > stream->space->n_candidates)
            stream->done = stream->space->n_candidates;
        send_progress(stream, before);
        return;
    }
    crew_free(stream->crew); /* the workers hand in what they found */
    stream->crew = NULL;
    stream->answer = search_answer_begin(stream->space, search_run_found(stream->run),
                                         stream->arena, stream->scratch);
    stream->broken = stream->broken || !stream->answer;
    stream->stage = STAGE_PLAN;
}

static void write_step(struct stream *stream)
{
    const char *format = stream->options.format;
    struct json_out out;

    json_out_init(&out, stream->arena, 64 * KIB, REPLY_MAX_BYTES);
    if (is_lines(stream)) {
        json_begin_object(&out);
        json_key(&out, "result");
    }
    if (strcmp(format, MEDIA_TEXT) == 0)
        search_text_write(&out, stream->answer);
    else if (strcmp(format, MEDIA_CSV) == 0)
        search_csv_write(&out, stream->answer);
    else
        search_json_write(&out, stream->answer);
    if (is_lines(stream))
        json_end_object(&out);
    if (strcmp(format, MEDIA_JSON) == 0 || is_lines(stream))
        out_bytes(&out, "\n", 1);
    send_piece(stream, &out);
    stream->stage = STAGE_END;
}

static void step(struct stream *stream)
{
    switch (stream->stage) {
    case STAGE_SCAN:
        scan_step(stream);
        break;
    case STAGE_PLAN:
        if (!search_answer_step(stream->answer))
            stream->stage = STAGE_WRITE;
        break;
    case STAGE_WRITE:
        write_step(stream);
        break;
    case STAGE_END:
        break;
    }
}

/* The stream ----------------------------------------------------------------------------------- */

static long stream_read(struct reply_stream *base, char *buffer, size_t size)
{
    struct stream *stream = (struct stream *)(void *)base;

    if (stream->piece.at == stream->piece.length && !stream->broken) {
        if (stream->stage == STAGE_END)
            return STREAM_END;
        step(stream);
    }
    if (stream->broken)
        return STREAM_BROKEN;
    return stream_piece_take(&stream->piece, buffer, size);
}

static void stream_free(struct stream *stream)
{
    crew_free(stream->crew);
    search_run_free(stream->run);
    arena_free(stream->arena);
    arena_free(stream->scratch);
    free(stream);
}

static void stream_end(struct reply_stream *base)
{
    stream_free((struct stream *)(void *)base);
}

struct reply_stream *search_stream_new(const struct space *space,
                                       const struct search_options *options)
{
    struct stream *stream = calloc(1, sizeof(*stream));

    if (!stream)
        return NULL;
    stream->base = (struct reply_stream){.read = stream_read, .end = stream_end};
    stream->space = space;
    stream->options = *options;
    stream->run = search_run_new(space);
    stream->arena = arena_new(ANSWER_ARENA_MAX);
    stream->scratch = arena_new(SCRATCH_ARENA_MAX);
    if (stream->run && stream->arena && stream->scratch && start_crew(stream))
        return &stream->base;
    stream_free(stream);
    return NULL;
}
