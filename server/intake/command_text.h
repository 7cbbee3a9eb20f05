/*
 * command_text.h - places in a shell's text.
 */
#ifndef REGIME_COMMAND_TEXT_H
#define REGIME_COMMAND_TEXT_H

#include <stddef.h>

/* The bracket that closes the one before `from`, where `open` and `close` are its two forms and a
 * backslash hides the next character; NULL when none does. */
const char *command_closing(const char *from, char open, char close);

/* Characters of a variable's name at the start of the text that ends at `end`. */
size_t command_name_length(const char *text, const char *end);

#endif
