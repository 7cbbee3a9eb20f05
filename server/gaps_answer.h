/*
 * gaps_answer.h - whether a measurement answers what was asked.
 *
 * Purpose: an asked key is no gap once an anchor has its model, part, engine, metric and ranges.
 * Threads: pure.
 */
#ifndef REGIME_GAPS_ANSWER_H
#define REGIME_GAPS_ANSWER_H

#include "catalogue.h"
#include "gaps.h"

/* The first undisputed anchor of the catalogue that answers the key: of what the key names
 * everything, its lengths and its load in the key's ranges (from the power of 2 named to its
 * double); -1 when none does. */
int gap_answer(const struct catalogue *catalogue, const struct gap_key *key);

/* Whether that anchor does. */
bool gap_is_answered_by(const struct catalogue *catalogue, const struct gap_key *key, int anchor);

#endif
