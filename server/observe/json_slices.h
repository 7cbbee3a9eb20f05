/*
 * json_slices.h - members of a JSON object, one after another, without a tree.
 *
 * Purpose: an event of a trace has a dozen members of which five are wanted; a tree of all of them
 *          costs more than everything else that is done with it.
 * Ownership: slices of the text that is walked.
 * Errors:  a walk ends where the text is no object any more; nothing is read beyond its end.
 */
#ifndef REGIME_JSON_SLICES_H
#define REGIME_JSON_SLICES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct slice {
    const char *text;
    size_t length;
};

struct slice_member {
    struct slice name;  /* between its quotes, escapes as they stand */
    struct slice value; /* a string with its quotes, everything else as it stands */
};

/* Starts a walk: *ret_at behind the brace; false when text is no object. */
bool slice_members(struct slice object, const char **ret_at);

/* The next member; false behind the last one. */
bool slice_member_next(const char **at, const char *end, struct slice_member *ret_member);

/* The next element of an array walk that begins behind its bracket; false behind the last one. */
bool slice_element_next(const char **at, const char *end, struct slice *ret_value);

bool slice_is(struct slice slice, const char *text);

/* The text of a string value, escapes decoded into room[0..size), cut there; {NULL, 0} for what is
 * no string. It points into the value where nothing had to be decoded. */
struct slice slice_string(struct slice value, char *room, size_t size);

/* A number, or a number in a string; NAN for anything else. */
double slice_number(struct slice value);

/* Microseconds as written, "1428625731896.179", in nanoseconds: a double would lose the last digit.
 * False for what is no number or beyond 2^62. */
bool slice_us_to_ns(struct slice value, int64_t *ret_ns);

#endif
