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

/* Whether an undisputed anchor of the catalogue answers the key: of what the key names everything,
 * its lengths and its load in the key's ranges (from the power of 2 named to its double). */
bool gap_is_answered(const struct catalogue *catalogue, const struct gap_key *key);

#endif
