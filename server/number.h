/*
 * number.h - text of a number, without a locale and without printf.
 *
 * Purpose: integers below 2^53 exactly, everything else to 9 significant digits, the same digits on
 *          every machine.
 */
#ifndef REGIME_NUMBER_H
#define REGIME_NUMBER_H

#include <stddef.h>

#define NUMBER_TEXT_MAX 32

/* Writes `value` into ret_text (at least NUMBER_TEXT_MAX bytes), no NUL; returns the length.
 * A non-finite value is written as "null". Shape: as "%.9g" would, but 1e+21 and the like stay valid
 * JSON and integers with |value| < 2^53 come out whole. */
size_t number_write(double value, char *ret_text);

#endif
