/*
 * hf_regex.h - the regular expressions of quantisation configurations.
 *
 * Purpose: literals, '.', classes, groups, alternatives, * + ?, anchors, look-ahead, as Python's
 *          re.match() takes them; matched by simulating every path at once (Thompson 1968), so that
 *          no pattern takes exponential time.
 * Ownership: a program lies in the arena.
 * Errors:  compiling gives NULL for what is not supported (back references, counts, look-behind)
 *          and for a pattern that is too long.
 * Threads: a program is constant.
 */
#ifndef REGIME_HF_REGEX_H
#define REGIME_HF_REGEX_H

#include <stdbool.h>

#include "arena.h"

struct hf_regex;

const struct hf_regex *hf_regex_compile(struct arena *arena, const char *pattern);

/* Whether the pattern matches from the start of the text on (not necessarily to its end). */
bool hf_regex_matches(const struct hf_regex *regex, const char *text);

/* Steps of the program: the work of a match per character, at most. */
int hf_regex_steps(const struct hf_regex *regex);

#endif
