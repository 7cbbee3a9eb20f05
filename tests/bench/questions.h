/*
 * questions.h - the requests that the benchmarks ask, no two alike.
 *
 * Purpose: a mix of plans as people ask them: dense, MoE with MLA, windowed, hybrid, local.
 */
#ifndef REGIME_QUESTIONS_H
#define REGIME_QUESTIONS_H

#include <stddef.h>

#define QUESTION_MAX 1024

/* How many kinds of question there are; question i is of kind i % question_kinds(). */
unsigned question_kinds(void);

/* What kind i is, for a table's head. */
const char *question_kind(unsigned kind);

/* Writes the body of POST /v1/plan number i, NUL-terminated; returns its length. Two i below a
 * million give two different workloads. */
size_t question_write(unsigned i, char ret_body[QUESTION_MAX]);

#endif
