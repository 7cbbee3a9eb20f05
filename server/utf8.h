/*
 * utf8.h - which bytes are UTF-8.
 *
 * Purpose: one definition of well-formed text for what comes in and what goes out
 *          (RFC 3629: no overlong forms, no surrogates, nothing above U+10FFFF).
 */
#ifndef REGIME_UTF8_H
#define REGIME_UTF8_H

#include <stddef.h>

/* Length of the well-formed character at text[0..length), 1 to 4; 0 when it is not one. */
size_t utf8_character(const char *text, size_t length);

/* Offset of the first byte that is not part of a well-formed character; `length` when all are. */
size_t utf8_check(const char *text, size_t length);

#endif
