/*
 * json_check.h - is this text one JSON value, and a harmless one?
 *
 * Purpose: the strictness that cJSON lacks: the grammar of RFC 8259 to the letter, UTF-8, no byte
 *          order mark, no control characters, no NUL escapes, no lone surrogates, nothing behind
 *          the value, bounded nesting and number of values, numbers within the range of a double.
 *          One pass, no memory.
 */
#ifndef REGIME_JSON_CHECK_H
#define REGIME_JSON_CHECK_H

#include <stdbool.h>
#include <stddef.h>

#include "compiler.h"

#define JSON_CHECK_DEPTH_MAX 64

struct json_fault {
    const char *what;    /* static, "a control character in a string" */
    size_t offset;       /* bytes */
    size_t line, column; /* from 1, columns in bytes */
};

/* nesting_max is at most JSON_CHECK_DEPTH_MAX. Writes *ret_fault only when the result is false. */
MUST_USE bool json_check(const char *text, size_t length, int nesting_max, long values_max,
                         struct json_fault *ret_fault);

#endif
