/*
 * trace.h - what tells one request from another: X-Request-Id and W3C traceparent.
 *
 * Purpose: judge what a client sent, make ids where it sent none.
 * Ownership: texts are copied into what the caller holds.
 * Errors:  false when the text is none or no randomness is to be had; the output is untouched then.
 * Threads: any.
 */
#ifndef REGIME_TRACE_H
#define REGIME_TRACE_H

#include <stdbool.h>

#include "compiler.h"

#define TRACE_ID_LENGTH 32
#define SPAN_ID_LENGTH 16
#define TRACE_FLAGS_LENGTH 2

/* Where a request stands in a trace; lower-case hexadecimal digits. */
struct trace {
    char trace_id[TRACE_ID_LENGTH + 1];
    char parent_id[SPAN_ID_LENGTH + 1]; /* the span of the caller; "" where we begin the trace */
    char flags[TRACE_FLAGS_LENGTH + 1]; /* "01" = the caller keeps it */
};

/*
 * Reads a traceparent by the grammar of https://www.w3.org/TR/trace-context/ section 3.2: version
 * 00 has exactly four parts, a later one may have more behind them; ids of zeroes and version ff
 * are none. NULL is none.
 */
MUST_USE bool trace_read(const char *traceparent, struct trace *ret_trace);

/* Whether a request id may be echoed and logged: 1 to REQUEST_ID_MAX harmless characters; NULL is
 * none. */
bool request_id_ok(const char *id);

/* Writes `length` (even, at most TRACE_ID_LENGTH) random hexadecimal digits, not all of them zero,
 * and a NUL. */
MUST_USE bool random_id(char *ret_id, unsigned length);

#endif
