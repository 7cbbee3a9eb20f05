/*
 * engine_log_rows.h - what the lines of engines' logs say: numbers and signals, as tables.
 *
 * Purpose: a new line of an engine is a new row here.
 * Threads: constant.
 */
#ifndef REGIME_ENGINE_LOG_ROWS_H
#define REGIME_ENGINE_LOG_ROWS_H

#include <stdbool.h>
#include <stddef.h>

#include "observed.h"

/* Sums that only lead to others; ids behind the last observed one. */
enum engine_log_extra {
    SUM_PROMPT_MS = OBSERVED_COUNT, /* of one request each */
    SUM_PROMPT_COUNT,
    SUM_EVAL_MS,
    SUM_EVAL_COUNT,
    SUM_NEW_TOKENS,
    SUM_CACHED_TOKENS,
    SUM_GRAPH, /* 1 for a step that ran as a graph, else 0 */
    SUM_BLOCKS_USED,
    SUM_PREFILL_RUNNING, /* where no decode line says it */
    SUM_PREFILL_WAITING,
    ENGINE_LOG_SLOTS,
};

/* Which of several lines counts. */
enum engine_log_take { TAKE_ALL_MEAN, TAKE_NEWEST, TAKE_LARGEST, TAKE_SUM };

enum engine_log_form {
    FORM_NUMBER,
    FORM_PERCENT,  /* "95.9%": a fraction */
    FORM_DURATION, /* "1m2.5s", "23.4ms": milliseconds */
    FORM_TRUTH,    /* "True", "False" */
    FORM_SECOND,   /* of "20/33" the second */
};

struct engine_log_row {
    const char *engine;  /* id of the catalogue */
    const char *line;    /* the line has this ... */
    const char *without; /* ... and not this; NULL = whatever it has */
    const char *name;    /* behind which the number stands, from `line` on; NULL = behind `line` */
    int target;          /* enum observed_id or enum engine_log_extra */
    enum engine_log_take take;
    enum engine_log_form form;
    double scale;
};

/* A number that a signal asks for, behind its phrase. */
enum engine_log_if { IF_THERE, IF_NOT, IF_ABOVE, IF_NUMBER };

struct engine_log_signal {
    const char *engine; /* NULL = several */
    const char *phrase;
    const char *also; /* NULL, or what must stand in the line as well */
    enum observed_signal signal;
    enum engine_log_if when;
    double than;
    const char *source; /* the file of the engine that prints it */
};

/* A word behind a phrase that names something. */
enum engine_log_text { TEXT_ATTENTION, TEXT_VERSION, TEXT_KV_DTYPE, TEXT_MODEL };

struct engine_log_word {
    const char *engine, *phrase;
    enum engine_log_text what;
};

const struct engine_log_row *engine_log_row_at(size_t index);       /* NULL behind the last */
const struct engine_log_signal *engine_log_signal_at(size_t index); /* NULL behind the last */
const struct engine_log_word *engine_log_word_at(size_t index);     /* NULL behind the last */

#endif
