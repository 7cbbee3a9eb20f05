/*
 * hf_regex.h - the regular expressions of quantisation configurations.
 *
 * Purpose: literals, '.', classes, groups, alternatives, * + ?, anchors, look-ahead, as Python's
 *          re.match() takes them; matched by simulating every path at once (Thompson 1968), and
 * given up where look-aheads inside one another take too long. Ownership: a program lies in the
 * arena. Errors:  compiling gives NULL for what is not supported (back references, counts,
 * look-behind) and for a pattern that is too long. Threads: a program is constant.
 */
#ifndef REGIME_HF_REGEX_H
#define REGIME_HF_REGEX_H

#include <stdbool.h>

#include "arena.h"

struct hf_regex;

const struct hf_regex *hf_regex_compile(struct arena *arena, const char *pattern);

/* Steps that one match may visit, some milliseconds: only look-aheads inside one another come
 * there.
 */
#define HF_REGEX_VISITS_MAX 500000

/*
 * Whether the pattern matches from the start of the text on (not necessarily to its end). Adds the
 * steps it took to *visits; beyond HF_REGEX_VISITS_MAX it gives up, and the answer is no.
 */
bool hf_regex_matches(const struct hf_regex *regex, const char *text, long *visits);

#endif
