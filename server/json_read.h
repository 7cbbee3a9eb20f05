/*
 * json_read.h - the text of a request as a tree of cJSON nodes, strictly.
 *
 * Purpose: the grammar of RFC 8259 to the letter, UTF-8, no byte order mark, no control characters,
 * no \u0000, no lone surrogates, nothing behind the value, bounded nesting and number of values,
 *          numbers within the range of a double. cJSON's own parser is lenient in all of these, and
 *          takes several times as long; its functions that read a tree work on this one.
 *
 * Ownership: nodes and texts lie in the arena; cJSON_Delete() must not see them.
 *
 * Errors:  one fault with its place; *ret_fault is written only when the result is NULL.
 */
#ifndef REGIME_JSON_READ_H
#define REGIME_JSON_READ_H

#include <stddef.h>

#include "arena.h"
#include "compiler.h"

struct cJSON;

#define JSON_READ_DEPTH_MAX 64

struct json_limits {
    int nesting; /* at most JSON_READ_DEPTH_MAX */
    long values;
};

struct json_fault {
    const char *what;    /* static, "a control character in a string" */
    size_t offset;       /* bytes */
    size_t line, column; /* from 1, columns in bytes */
    bool no_memory;      /* the arena is full: the text may be fine */
};

/* The tree of text[0..length); names given twice are kept, as cJSON does. */
MUST_USE struct cJSON *json_read(const char *text, size_t length, struct json_limits limits,
                                 struct arena *arena, struct json_fault *ret_fault);

#endif
