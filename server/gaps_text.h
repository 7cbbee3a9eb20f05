/*
 * gaps_text.h - words for a question that was asked and has no record.
 *
 * Ownership: texts lie in the arena given; NULL when it is full.
 */
#ifndef REGIME_GAPS_TEXT_H
#define REGIME_GAPS_TEXT_H

#include <stdint.h>

#include "arena.h"
#include "gaps.h"

/* "What is the time to first token of llama-3.1-8b on gaudi-3 with vllm, 1,024 to 2,047 input
 * tokens?" */
const char *gap_question(struct arena *arena, const struct gap_key *key);

/* What a measurement must state to answer it. */
const char *gap_conditions(struct arena *arena, const struct gap_key *key);

/* "2026-11-29T17:52:26Z"; NULL for 0. */
const char *gap_time(struct arena *arena, int64_t seconds);

#endif
