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

/*
 * Writes `value` into ret_text (at least NUMBER_TEXT_MAX bytes), no NUL; returns the length.
 * Integers with |value| < 2^53 come out whole, everything else as "%.9g" prints it in the C locale
 * (correctly rounded, ties to even). Minus zero is "0", a non-finite value "null": all valid JSON.
 */
size_t number_write(double value, char *ret_text);

/* The nearest decimal of five significant digits: what a figure kept in single precision means. */
double number_short(double value);

#endif
