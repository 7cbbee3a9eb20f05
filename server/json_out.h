/*
 * json_out.h - a bounded writer of JSON (and plain text) with a sticky error.
 *
 * Purpose: build a reply in one buffer of the request's arena, commas and nesting handled, no tree.
 * Units:   numbers are written as given; a non-finite one becomes null.
 * Ownership: the buffer belongs to the arena.
 * Errors:  sticky: past the maximum every call is a no-op and json_out_ok() is false.
 */
#ifndef REGIME_JSON_OUT_H
#define REGIME_JSON_OUT_H

#include <stdbool.h>
#include <stddef.h>

#include "arena.h"

#define JSON_DEPTH_MAX 32

struct json_out {
    char *text;
    size_t length, capacity, max;
    struct arena *arena;
    bool failed;
    int depth;
    bool needs_comma[JSON_DEPTH_MAX];
};

/* Starts a writer that grows in the arena from `start` up to `max` bytes. */
void json_out_init(struct json_out *out, struct arena *arena, size_t start, size_t max);
bool json_out_ok(const struct json_out *out);

void json_begin_object(struct json_out *out);
void json_end_object(struct json_out *out);
void json_begin_array(struct json_out *out);
void json_end_array(struct json_out *out);

/* A member's name; the value must follow. `name` is a literal of ours: it is not escaped. */
void json_key(struct json_out *out, const char *name);

/* Values. json_text() escapes and accepts NULL as null. */
void json_text(struct json_out *out, const char *value);
void json_text_n(struct json_out *out, const char *value, size_t length);
void json_number(struct json_out *out, double value);
void json_bool(struct json_out *out, bool value);
void json_null(struct json_out *out);
/* A ready piece of JSON, written as it is. */
void json_raw(struct json_out *out, const char *json, size_t length);

/* Name and value in one call. */
void json_put_text(struct json_out *out, const char *name, const char *value);
void json_put_number(struct json_out *out, const char *name, double value);
void json_put_bool(struct json_out *out, const char *name, bool value);
void json_put_null(struct json_out *out, const char *name);

/* Plain text into the same buffer (reports, CSV, metrics); no commas, no escaping. */
void out_text(struct json_out *out, const char *text);
void out_number(struct json_out *out, double value);
void out_bytes(struct json_out *out, const char *text, size_t length);
void out_printf(struct json_out *out, const char *format, ...) PRINTF_LIKE(2, 3);

#endif
