/*
 * member.h - members of a JSON object that are known before the request: names and commas in one
 * piece.
 *
 * Purpose: a reply repeats the same two dozen members for every cost class; written as ready
 * fragments they cost a copy each. The value of a number lies at an offset of a struct. Errors: the
 * writer's.
 */
#ifndef REGIME_MEMBER_H
#define REGIME_MEMBER_H

#include <stddef.h>

#include "json_out.h"

struct member {
    const char *fragment; /* ,"name": */
    size_t length;
    size_t offset; /* of a double */
};

/* A row for the double FIELD of struct TYPE under NAME, which is not the first member of its
 * object. */
#define MEMBER(NAME, TYPE, FIELD)                                                                  \
    {                                                                                              \
        ",\"" NAME "\":", sizeof(",\"" NAME "\":") - 1, offsetof(struct TYPE, FIELD)               \
    }

/* Writes the numbers of `base` by n rows, behind a member that is already there. */
void member_numbers(struct json_out *out, const struct member *members, size_t n, const void *base);

/* Writes a member whose text needs no escape: `fragment` is ,"name":" with the opening quote. */
void member_text(struct json_out *out, const char *fragment, size_t length, const char *text);

/* member_text() for a literal name, behind a member that is already there. */
#define MEMBER_TEXT(OUT, NAME, TEXT)                                                               \
    member_text((OUT), ",\"" NAME "\":\"", sizeof(",\"" NAME "\":\"") - 1, (TEXT))

#endif
