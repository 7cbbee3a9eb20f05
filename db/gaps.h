/*
 * gaps.h - counts what was asked and ended in "no record".
 *
 * Purpose: a plan or a query that nobody's measurement answers is counted under a stable key (model
 *          x part x engine x metric x range), with the first and the last time; so is a stated gap
 *          that a plan touches.
 * Units:   times in seconds since 1970 (UTC); tokens; sequences; widths as ln(high/low).
 * Ownership: a struct gaps owns its table, its thread and its connection; keys are read, not kept.
 * Errors:  none on the way of a request: what the bounded tables cannot hold is counted as dropped,
 *          what the file cannot take stays in memory and is tried again; the log hears of it once.
 *          Asked keys let go of those asked least; a flood of them takes no room of stated gaps.
 * Threads: gaps_open/gaps_close on one thread; everything else on any. Stated gaps are counted and
 *          read without a lock.
 */
#ifndef REGIME_GAPS_H
#define REGIME_GAPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "compiler.h"

struct gaps;

/* What was asked. NULL or "" = any; NAN = any. */
struct gap_key {
    const char *model_id, *hardware_id, *engine_id;
    const char *metric;  /* "ttft_ms", "tpot_ms", "output_tok_s", ... */
    double input_tokens; /* asked length, the lower end of an asked range; counted by powers of 2 */
    double concurrency;  /* the same */
};

/* An id is "model~part~engine~metric~in-32768~conc-8"; "any" where nothing was asked, a range is
 * named by its lower end and reaches to its double. Stated gaps have ids without '~'. */
#define GAP_ID_MAX 192

struct gap_count {
    char id[GAP_ID_MAX];
    uint64_t asked;
    uint64_t asked_before; /* before the minute of the last question: stands still within it */
    int64_t first_asked_s, last_asked_s; /* 0 = never */
    double width_sum;                    /* of the questions' widths, to a millionth */
    uint64_t unweighed;                  /* questions of `asked` whose width is not in the sum */
    bool answered;                       /* of an asked key: there is an anchor that answers it */
    char answered_by[GAP_ID_MAX];        /* its id; "" = none */
};

/* Whether a measurement answers the key, and the id of it. Called without a lock of the counters,
 * on any thread. */
typedef bool gap_answered_fn(void *ctx, const struct gap_key *key, char ret_by[GAP_ID_MAX]);

struct gaps_options {
    const char *path;          /* the store's file; NULL counts in memory alone */
    FILE *log;                 /* one line when the file cannot be written; NULL = silent */
    double flush_seconds;      /* between two writes; 0 = 5 s */
    gap_answered_fn *answered; /* NULL: no key is */
    void *answered_ctx;
};

/* Reads the counters of the file and starts writing them in the background. NULL = no memory. */
struct gaps *gaps_open(const struct gaps_options *options);

/* Writes what is not yet written and stops; NULL is allowed. */
void gaps_close(struct gaps *gaps);

/* Counts one question, and by how much an answer would narrow it (0 for what is no number above
 * it, GAP_WIDTH_MAX at most); gaps NULL counts nothing. */
#define GAP_WIDTH_MAX 20.0
void gaps_ask(struct gaps *gaps, const struct gap_key *key, double width);

/* Counts a stated gap that a plan touches, and what its answer would narrow there. Costs a hash and
 * four atomic stores. */
void gaps_ask_stated(struct gaps *gaps, const char *gap_id, double width);

/* The id of a key; false, and an empty id, when it is longer than GAP_ID_MAX - 1. */
bool gap_key_id(const struct gap_key *key, char ret_id[GAP_ID_MAX]);

/* The key of an id, its texts in `memory`; ranges are their lower ends. False for a stated gap's id
 * and for what no key gives. */
bool gap_key_parse(const char *id, char memory[GAP_ID_MAX], struct gap_key *ret_key);

/* Asks again of every asked key that nothing answered yet: after a measurement was added. Returns
 * how many are answered now. */
size_t gaps_recheck(struct gaps *gaps, gap_answered_fn *answered, void *ctx);

/* The count of one id; false, with zeroes, when it was never asked. */
bool gaps_count(struct gaps *gaps, const char *id, struct gap_count *ret_count);

/* Every id that was asked, at most `max`, in no order; returns how many there are. */
size_t gaps_snapshot(struct gaps *gaps, struct gap_count *ret_counts, size_t max);

/* Questions that the full tables could not take or keep. */
uint64_t gaps_dropped(const struct gaps *gaps);

#endif
