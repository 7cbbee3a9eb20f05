#include "log.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "json_out.h"

#define SENTENCE_MAX 1000
#define PATH_SHOWN_MAX 200
#define TIME_TEXT_MAX 40
#define LINE_START_BYTES 1024
#define LINE_MAX_BYTES ((size_t)8 * 1024)
#define NS_PER_US 1000

/* RFC 3339, UTC, with microseconds. */
static void write_time(struct json_out *out)
{
    char day[TIME_TEXT_MAX], text[TIME_TEXT_MAX + 20];
    struct timespec now;
    struct tm utc;

    clock_gettime(CLOCK_REALTIME, &now);
    if (!gmtime_r(&now.tv_sec, &utc) || !strftime(day, sizeof(day), "%Y-%m-%dT%H:%M:%S", &utc))
        return;
    snprintf(text, sizeof(text), "%s.%06ldZ", day, now.tv_nsec / NS_PER_US);
    json_put_text(out, "time", text);
}

static void begin_line(struct json_out *out, struct arena *arena, enum log_level level)
{
    static const char *const LEVELS[] = {"info", "error"};

    json_out_init(out, arena, LINE_START_BYTES, LINE_MAX_BYTES);
    json_begin_object(out);
    write_time(out);
    json_put_text(out, "level", LEVELS[level]);
}

static void end_line(struct json_out *out)
{
    json_end_object(out);
    out_text(out, "\n");
    if (json_out_ok(out))
        fwrite(out->text, 1, out->length, stderr);
}

void log_say(enum log_format format, enum log_level level, const char *sentence, ...)
{
    char text[SENTENCE_MAX];
    va_list arguments;

    va_start(arguments, sentence);
    vsnprintf(text, sizeof(text), sentence, arguments);
    va_end(arguments);
    struct arena *arena = format == LOG_JSON ? arena_new(LINE_MAX_BYTES * 4) : NULL;
    if (!arena) {
        fprintf(stderr, "regimed: %s\n", text);
        return;
    }
    struct json_out out;
    begin_line(&out, arena, level);
    json_put_text(&out, "message", text);
    end_line(&out);
    arena_free(arena);
}

static const char *method_name(enum method method)
{
    static const char *const NAMES[] = {"GET", "HEAD", "POST", "OPTIONS", "other"};

    return NAMES[method];
}

static void show_path(const struct request *request, char ret_path[PATH_SHOWN_MAX + 1])
{
    size_t n = 0;

    for (const char *at = request->raw_path; *at && n < PATH_SHOWN_MAX; at++, n++) {
        bool plain = *at > ' ' && *at < 0x7f && *at != '"' && *at != '\\';
        ret_path[n] = '?';
        if (plain)
            ret_path[n] = *at;
    }
    ret_path[n] = '\0';
}

static void write_text(const struct log_request *entry, const char *path)
{
    char status[8] = "-";

    if (entry->reply->status)
        snprintf(status, sizeof(status), "%d", entry->reply->status);
    fprintf(stderr, "%s %s %s %s %ju B %ju us%s\n", entry->request->peer,
            method_name(entry->request->method), path, status, (uintmax_t)entry->reply_bytes,
            (uintmax_t)entry->duration_us, entry->aborted ? " aborted" : "");
}

/* The caller's trace, or a new one, and the span that this request is. */
static void write_trace(struct json_out *out, const struct request *request)
{
    struct trace trace = {.flags = "00"};
    char span_id[SPAN_ID_LENGTH + 1];

    if ((!trace_read(request->traceparent, &trace) &&
         !random_id(trace.trace_id, TRACE_ID_LENGTH)) ||
        !random_id(span_id, SPAN_ID_LENGTH))
        return;
    json_put_text(out, "trace_id", trace.trace_id);
    json_put_text(out, "span_id", span_id);
    if (*trace.parent_id)
        json_put_text(out, "parent_span_id", trace.parent_id);
    json_put_text(out, "trace_flags", trace.flags);
}

static void write_json(const struct log_request *entry, const char *path)
{
    const struct request *request = entry->request;
    const struct reply *reply = entry->reply;
    struct json_out out;

    begin_line(&out, request->arena, reply->status >= 500 ? LOG_LEVEL_ERROR : LOG_LEVEL_INFO);
    json_put_text(&out, "message", "request");
    json_put_text(&out, "peer", request->peer);
    json_put_text(&out, "method", method_name(request->method));
    json_put_text(&out, "path", path);
    json_put_text(&out, "route", reply->route);
    if (reply->status)
        json_put_number(&out, "status", reply->status);
    else
        json_put_null(&out, "status");
    json_put_number(&out, "request_bytes", (double)request->body_length);
    json_put_number(&out, "reply_bytes", (double)entry->reply_bytes);
    json_put_number(&out, "duration_us", (double)entry->duration_us);
    json_put_bool(&out, "aborted", entry->aborted);
    json_put_text(&out, "request_id",
                  request_id_ok(request->request_id) ? request->request_id : NULL);
    write_trace(&out, request);
    end_line(&out);
}

void log_write_request(enum log_format format, const struct log_request *entry)
{
    char path[PATH_SHOWN_MAX + 1];

    show_path(entry->request, path);
    if (format == LOG_JSON)
        write_json(entry, path);
    else
        write_text(entry, path);
}
