/*
 * compiler.h - the compiler attributes used in this tree, behind names.
 *
 * Purpose: keep gcc and clang extensions in one place; C17 has no [[attributes]].
 */
#ifndef REGIME_COMPILER_H
#define REGIME_COMPILER_H

/* The result of the call must be looked at. */
#define MUST_USE __attribute__((warn_unused_result))
/* The function reads like printf: FMT is the index of its format, ARGS of its first argument. */
#define PRINTF_LIKE(FMT, ARGS) __attribute__((format(printf, FMT, ARGS)))

#define ARRAY_LEN(A) (sizeof(A) / sizeof((A)[0]))

#endif
