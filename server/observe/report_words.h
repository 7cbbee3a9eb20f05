/*
 * report_words.h - how far the words of a report, as a whole, fit each cause.
 *
 * Purpose: the weakest evidence there is, for reports that say much and measure little: nobody
 *          can list all phrases, but reports of one cause speak of the same few things.
 * Ownership: the arena's.
 * Threads: pure; the table is constant.
 */
#ifndef REGIME_REPORT_WORDS_H
#define REGIME_REPORT_WORDS_H

#include "symptoms.h"
#include "words.h"

void report_words_read(struct arena *arena, const char *text, struct symptoms *symptoms);

#endif
