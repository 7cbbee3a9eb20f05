/*
 * query_words.h - the words of ?q= in texts that no full-text index holds.
 */
#ifndef REGIME_QUERY_WORDS_H
#define REGIME_QUERY_WORDS_H

#include <stdbool.h>

/* Whether every word of `words` (NULL = none) stands somewhere in the text, in any case. */
bool text_holds_words(const char *text, const char *words);

#endif
