/*
 * gap_key.h - the hashes under which the counters of gaps are kept.
 *
 * Purpose: what db/gaps.c needs of keys and ids besides what db/gaps.h declares.
 * Threads: pure.
 */
#ifndef REGIME_GAP_KEY_H
#define REGIME_GAP_KEY_H

#include "gaps.h"

/* Of a key: the same as that of its id; never 0. */
uint64_t gap_key_hash(const struct gap_key *key);

/* Of the id of a stated gap or of a key; 0 for what is neither. */
uint64_t gap_id_hash(const char *id);

/* Whether it is the id of a stated gap. */
bool gap_id_is_stated(const char *id);

#endif
