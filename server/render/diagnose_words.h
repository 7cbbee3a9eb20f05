/*
 * diagnose_words.h - the evidence of a diagnosis as sentences.
 *
 * Threads: pure.
 */
#ifndef REGIME_DIAGNOSE_WORDS_H
#define REGIME_DIAGNOSE_WORDS_H

#include "diagnose.h"
#include "phrase.h"

/* A sign as it was seen: its text with its figures, or in plain words where there are none. */
void diagnose_sign_words(enum sign_id id, const struct sign *sign, struct phrase *phrase);

/* A rule that holds: what was seen, and what it means. */
void diagnose_finding_words(const struct finding *finding, const struct symptoms *symptoms,
                            struct phrase *phrase);

/* What a cause rests on: how its heaviest evidence was gained. */
enum basis diagnose_basis(const struct ranked_cause *cause, const struct symptoms *symptoms);

#endif
