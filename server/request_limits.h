/*
 * request_limits.h - every limit on what a client controls, in one place, each with its reason.
 */
#ifndef REGIME_REQUEST_LIMITS_H
#define REGIME_REQUEST_LIMITS_H

#include <stddef.h>

#define KIB ((size_t)1024)
#define MIB (KIB * KIB)

/* A plan with an inline model or a long command line is a few kB; configurations of published
 * models reach 80 kB. */
#define BODY_MAX_BYTES (256 * KIB)

/* The results that a load generator writes: figures, and at times every request's. */
#define ANCHOR_BODY_MAX_BYTES (4 * MIB)

/* Symptoms: sixteen scrapes of some 100 kB each, a log, what tools print. */
#define DIAGNOSE_BODY_MAX_BYTES (4 * MIB)

/* The header of a GGUF file is mostly its vocabulary: 6 MB for 150,000 tokens, 16 MB for 262,000.
 * It is not kept. */
#define GGUF_BODY_MAX_BYTES (64 * MIB)

/* A profile of some seconds with every call: 500 MB. It is not kept. */
#define PROFILE_BODY_MAX_BYTES ((size_t)1024 * MIB)

/* Who sends a long body that is not kept has a second more for each of so many bytes. */
#define SUNK_BYTES_PER_S MIB

/* One request's memory: a body of the largest size as a tree, the plan, the reply. */
#define REQUEST_ARENA_MAX (32 * MIB)
#define REPLY_MAX_BYTES (8 * MIB)

/* A request nests 4 deep, a model's configuration 8. */
#define JSON_NESTING_MAX 24
/* A value costs 64 bytes and more in the tree. */
#define JSON_VALUES_MAX 50000

/* With a longer one the connection is closed after the refusal instead of reading it to its end: a
 * client that is still sending then may not see why. Beyond 1 MiB curl asks before it sends. */
#define DISCARD_MAX_BYTES MIB

#define REQUEST_ID_MAX 128

/* Points of one sweep: a minute of one core when nothing is replayed is far beyond it. A replay
 * takes some hundred microseconds: beyond the first limit it must be asked for. */
#define SWEEP_POINTS_MAX 1000000
#define SWEEP_REPLAY_POINTS 2000
#define SWEEP_REPLAY_POINTS_MAX 100000
/* Points of a sweep that is answered in one piece, within a few milliseconds. */
#define SWEEP_SMALL_POINTS 512
/* Values that a columnar reply keeps: four numbers of each of a million points. What is more is
 * computed in further passes. */
#define SWEEP_KEPT_BYTES (32 * MIB)
/* Candidates of one search: some ten seconds of one core. */
#define SEARCH_CANDIDATES_MAX 1000000
/* Candidates of a search that is answered in one piece. */
#define SEARCH_SMALL_CANDIDATES 256
/* Results of one search: each is a plan of 35 kB while it is ranked. */
#define SEARCH_ITEMS_MAX 100
/* Sweeps and searches at a time; each uses all cores. */
#define SWEEPS_MAX 4
/* Reasons and texts of one block of points. */
#define SWEEP_ARENA_MAX (4 * MIB)

/* Per connection: request line and headers, and the buffer that bodies arrive through. */
#define CONNECTION_MEMORY_BYTES (16 * KIB)

/* Until a reply, or the next piece of one that is made while it is sent, must be taken: 8 MiB at
 * 28 kB/s. */
#define REPLY_TIMEOUT_S 300u

/* Seconds that a client should wait after a 429 or 503. */
#define RETRY_AFTER_S "2"

#endif
