/*
 * words.h - a text cut into words, and patterns of words looked for in it.
 *
 * Purpose: people say one thing in many ways. A text becomes lower-case words; a pattern is a few
 *          words that must stand near each other in any order.
 * Ownership: words point into a copy in the caller's arena.
 * Errors:  a text past WORDS_MAX words is cut; without memory it has none.
 * Threads: pure.
 */
#ifndef REGIME_WORDS_H
#define REGIME_WORDS_H

#include <stdbool.h>
#include <stddef.h>

#include "arena.h"

#define WORDS_MAX 600

struct words {
    const char *const *items;
    int n;
};

/*
 * Cuts a text: runs of letters and digits; '.' stays within numbers; '+' and '%' are words of
 * their own; everything else separates. The end of a sentence is the word ".".
 */
struct words words_read(struct arena *arena, const char *text);

/*
 * Where the pattern is found first, -1 when it is not. A pattern is words with blanks between, all
 * of which stand within a few words of each other, none behind a negation ("no", "without"): "idl*"
 * is a beginning, "tp#" letters with a number behind (or as the next word), "gpu|device"
 * alternatives, "kv_cache" words that follow each other, "@" a version.
 */
int words_find(const struct words *words, const char *pattern);

/* Whether a word is a version: "0.4.18", "v1.2.3", "b4338"; "@" in a pattern. */
bool words_is_version(const char *word);

/* Whether the word before that place says no. */
bool words_negated(const struct words *words, int at);

/* The number of "tp#" at a place: behind the letters or as the next word; NAN when there is none.
 */
double words_number(const struct words *words, int at);

#endif
