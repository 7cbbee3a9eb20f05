/*
 * log.h - what the daemon says on stderr: a line per event, as text or as a JSON object.
 *
 * Purpose: the life of the daemon and, when asked for, every request. One write per line, so that
 *          lines of threads do not mix.
 * Units:   microseconds (_us), bytes.
 * Errors:  a line that cannot be made is left out.
 * Threads: any.
 */
#ifndef REGIME_LOG_H
#define REGIME_LOG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "app.h"
#include "compiler.h"
#include "trace.h"

/* In the order of the words of --log-format. */
enum log_format { LOG_TEXT, LOG_JSON };

enum log_level { LOG_LEVEL_INFO, LOG_LEVEL_ERROR };

/* Says one sentence: "regimed: SENTENCE", or an object with time, level and message. */
void log_say(enum log_format format, enum log_level level, const char *sentence, ...)
    PRINTF_LIKE(3, 4);

/* One request, when its reply is sent or nobody takes it any more. */
struct log_request {
    const struct request *request;
    const struct reply *reply; /* status 0: it got none */
    uint64_t duration_us;      /* from the request line to the last byte of the reply */
    uint64_t reply_bytes;      /* of the body, handed over to be sent */
    bool aborted;              /* the connection ended before the reply did */
};

/*
 * A line of a request. Text: who, method, path, status, bytes, time. JSON has also the route's
 * template, the request id and, by the names of OpenTelemetry, trace_id, span_id and trace_flags
 * (parent_span_id: the caller's; a trace begins here where the caller sent no valid traceparent).
 * The path is as it was sent, without its query; what is not printable is hidden.
 */
void log_write_request(enum log_format format, const struct log_request *entry);

#endif
