/*
 * name_words.h - a part's name as the words that tell it from other parts, in any order.
 *
 * Purpose: "H100 80GB SXM5", "HGX H100" and "NVIDIA H100 SXM" are one part: makers, families and
 *          words that name nothing are dropped, a stated memory size is taken out.
 * Ownership: none.
 * Threads: pure.
 */
#ifndef REGIME_NAME_WORDS_H
#define REGIME_NAME_WORDS_H

#include <stdbool.h>

#include "name_key.h"

/*
 * The words of a name in ascending order, '-' between; digits and letters are words of their own
 * ("7900xtx" is "7900" and "xtx"). *ret_memory_gb takes a size such as "80GB", "80 GB" or "80G", 0
 * without one. False when no word is left, or there are too many.
 */
bool name_words(const char *name, char ret_words[NAME_KEY_MAX], double *ret_memory_gb);

#endif
