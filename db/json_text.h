/*
 * json_text.h - walks the text of a JSON value that is known to be valid, without a tree.
 *
 * Purpose: take a record out of a file, or members out of a record, exactly as they were written.
 * Ownership: spans point into the text.
 * Errors:  on text that is not valid JSON the walk ends early; it never leaves the text.
 */
#ifndef REGIME_JSON_TEXT_H
#define REGIME_JSON_TEXT_H

#include <stdbool.h>
#include <stddef.h>

struct json_span {
    const char *text;
    size_t length;
};

struct json_walk {
    const char *at, *end;
};

/* Starts a walk over the elements of an array or the members of an object. */
struct json_walk json_walk_start(const char *text, size_t length);

/* The next element of an array; false at the end. */
bool json_walk_element(struct json_walk *walk, struct json_span *ret_value);

/* The next member of an object; the name comes without its quotes and undecoded. */
bool json_walk_member(struct json_walk *walk, struct json_span *ret_name,
                      struct json_span *ret_value);

/* Whether a span holds exactly `word`. */
bool json_span_is(struct json_span span, const char *word);

/* Takes the white space outside strings away, in place; returns the new length. */
size_t json_text_compact(char *text, size_t length);

#endif
