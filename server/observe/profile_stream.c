#include "profile_stream.h"

#include <string.h>
#define ZLIB_CONST /* input is not written to */
#include <zlib.h>

#include "profile_formats.h"
#include "trace_reader.h"

#define GZIP_WINDOW (15 + 16) /* the largest, with gzip's head */
#define PLAIN_BYTES 32768

enum packing { PACKING_UNKNOWN, PACKING_NONE, PACKING_GZIP, PACKING_ENDED };

struct profile_stream {
    struct profile *profile;
    struct lines_state lines;
    struct trace_reader *trace;
    const struct profile_format *format;
    enum packing packing;
    z_stream zlib;
    double packed_bytes, plain_bytes;
    size_t head_length, line_length;
    unsigned char first; /* of a stream whose second byte is not there yet */
    bool has_first;
    char head[PROFILE_HEAD_BYTES], line[PROFILE_LINE_BYTES];
    unsigned char plain[PLAIN_BYTES];
};

static void *zlib_alloc(void *arena, unsigned items, unsigned size)
{
    return arena_alloc(arena, (size_t)items * size);
}

/* The arena has it until the request ends. */
static void zlib_free(void *arena, void *memory)
{
    (void)arena;
    (void)memory;
}

struct profile_stream *profile_stream_open(struct arena *arena)
{
    struct profile_stream *stream = arena_alloc_raw(arena, sizeof(*stream));
    struct profile *profile = profile_new(arena);

    if (!stream || !profile)
        return NULL;
    memset(stream, 0, offsetof(struct profile_stream, head));
    stream->profile = profile;
    stream->lines.profile = profile;
    stream->lines.waiting = -1;
    return stream;
}

static void end_line(struct profile_stream *stream)
{
    stream->format->line(&stream->lines, (struct slice){stream->line, stream->line_length});
    stream->line_length = 0;
}

/* Cuts text into lines; of one that is too long the beginning is kept. */
static void feed_lines(struct profile_stream *stream, const char *piece, size_t size)
{
    while (size > 0) {
        const char *stop = memchr(piece, '\n', size);
        size_t length = stop ? (size_t)(stop - piece) : size;
        size_t room = PROFILE_LINE_BYTES - stream->line_length;
        size_t kept = length < room ? length : room;
        memcpy(stream->line + stream->line_length, piece, kept);
        stream->line_length += kept;
        size_t used = length + (stop ? 1 : 0);
        piece += used;
        size -= used;
        if (stop)
            end_line(stream);
    }
}

static void feed_format(struct profile_stream *stream, const char *piece, size_t size)
{
    if (stream->profile->error)
        return;
    if (stream->trace)
        trace_reader_feed(stream->trace, piece, size);
    else
        feed_lines(stream, piece, size);
}

/* The head is complete: its format takes it. */
static void choose_format(struct profile_stream *stream)
{
    struct slice head = {stream->head, stream->head_length};
    static const char MARK[] = "\xef\xbb\xbf"; /* of UTF-8, as some spreadsheets write it */

    if (head.length >= 3 && memcmp(head.text, MARK, 3) == 0)
        head = (struct slice){head.text + 3, head.length - 3};
    stream->format = profile_format_of(head);
    if (!stream->format) {
        profile_fail(stream->profile, "it is in none of the formats that are read");
        return;
    }
    stream->profile->format = stream->format->name;
    if (!stream->format->line) {
        stream->trace = trace_reader_new(stream->profile);
        if (!stream->trace)
            profile_fail(stream->profile, "out of memory");
    }
    feed_format(stream, head.text, head.length);
}

static void feed_plain(struct profile_stream *stream, const char *piece, size_t size)
{
    stream->plain_bytes += (double)size;
    if (stream->plain_bytes > PROFILE_PLAIN_MAX)
        profile_fail(stream->profile, "it unpacks to more than 4 GB");
    if (stream->packing == PACKING_GZIP && stream->plain_bytes > PROFILE_RATIO_FROM &&
        stream->plain_bytes > PROFILE_RATIO_MAX * stream->packed_bytes)
        profile_fail(stream->profile, "it unpacks to more than 200 times its size");
    if (stream->profile->error)
        return;
    if (!stream->format) {
        size_t room = PROFILE_HEAD_BYTES - stream->head_length;
        size_t kept = size < room ? size : room;
        memcpy(stream->head + stream->head_length, piece, kept);
        stream->head_length += kept;
        piece += kept;
        size -= kept;
        if (stream->head_length < PROFILE_HEAD_BYTES)
            return;
        choose_format(stream);
    }
    feed_format(stream, piece, size);
}

static void begin_gzip(struct profile_stream *stream)
{
    stream->zlib.zalloc = zlib_alloc;
    stream->zlib.zfree = zlib_free;
    stream->zlib.opaque = stream->profile->arena;
    stream->packing = PACKING_GZIP;
    if (inflateInit2(&stream->zlib, GZIP_WINDOW) != Z_OK)
        profile_fail(stream->profile, "out of memory");
}

/* One member of a gzip file may follow another. */
static void feed_gzip(struct profile_stream *stream, const unsigned char *piece, size_t size)
{
    z_stream *zlib = &stream->zlib;

    zlib->next_in = piece;
    zlib->avail_in = (unsigned)size;
    while (zlib->avail_in > 0 && !stream->profile->error) {
        if (stream->packing == PACKING_ENDED) {
            if (inflateReset(zlib) != Z_OK)
                profile_fail(stream->profile, "the gzip stream is damaged");
            stream->packing = PACKING_GZIP;
        }
        zlib->next_out = stream->plain;
        zlib->avail_out = sizeof(stream->plain);
        int result = inflate(zlib, Z_NO_FLUSH);
        if (result != Z_OK && result != Z_STREAM_END && result != Z_BUF_ERROR) {
            profile_fail(stream->profile, "the gzip stream is damaged");
            return;
        }
        feed_plain(stream, (const char *)stream->plain, sizeof(stream->plain) - zlib->avail_out);
        if (result == Z_STREAM_END)
            stream->packing = PACKING_ENDED;
    }
}

/* The first two bytes tell gzip from text. */
static void tell_packing(struct profile_stream *stream, unsigned char first, unsigned char second)
{
    if (first == 0x1f && second == 0x8b)
        begin_gzip(stream);
    else
        stream->packing = PACKING_NONE;
}

void profile_stream_feed(struct profile_stream *stream, const char *piece, size_t size)
{
    const unsigned char *bytes = (const unsigned char *)piece;
    bool held = stream->has_first;

    if (size == 0 || stream->profile->error)
        return;
    stream->packed_bytes += (double)size;
    if (stream->packing == PACKING_UNKNOWN) {
        if (!held && size == 1) {
            stream->first = bytes[0];
            stream->has_first = true;
            return;
        }
        tell_packing(stream, held ? stream->first : bytes[0], held ? bytes[0] : bytes[1]);
        stream->has_first = false;
        if (held)
            profile_stream_feed(stream, (const char *)&stream->first, 1);
    }
    if (stream->packing == PACKING_NONE)
        feed_plain(stream, piece, size);
    else
        feed_gzip(stream, bytes, size);
}

struct profile *profile_stream_close(struct profile_stream *stream)
{
    struct profile *profile = stream->profile;

    if (stream->packing == PACKING_GZIP) {
        profile->is_cut = true;
        profile_warn(profile, "the gzip stream is cut: what is there was read");
    }
    if (stream->plain_bytes == 0 && !profile->error)
        profile_fail(profile, "it is empty");
    if (!stream->format && !profile->error)
        choose_format(stream);
    if (profile->error)
        return profile;
    if (stream->trace) {
        trace_reader_end(stream->trace);
        return profile;
    }
    if (stream->line_length > 0)
        end_line(stream);
    if (stream->format->end)
        stream->format->end(&stream->lines);
    return profile;
}
