/*
 * command_arithmetic.h - the $(( ... )) of a shell.
 *
 * Purpose: scripts compute ranks and sizes: $((LWS_GROUP_SIZE * 8)). Whole numbers, names, $NAME,
 *          ${NAME}, ${NAME:-word}, + - * / % and parentheses.
 * Errors:  false for anything else, an unknown name, a division by zero or an overflow.
 */
#ifndef REGIME_COMMAND_ARITHMETIC_H
#define REGIME_COMMAND_ARITHMETIC_H

#include <stdbool.h>
#include <stddef.h>

#include "arena.h"
#include "compiler.h"

/* The value of the variable name[0..length), NULL when it is unknown. */
typedef const char *arithmetic_value_fn(const void *context, const char *name, size_t length);

/* Computes text[0..length). */
MUST_USE bool command_arithmetic(const char *text, size_t length, arithmetic_value_fn *value,
                                 const void *context, long *ret_number);

/* The same for "((...))" as it stands behind the dollar sign, as a text of the arena; NULL for
 * anything else. */
const char *command_sum(struct arena *arena, const char *text, size_t length,
                        arithmetic_value_fn *value, const void *context);

#endif
