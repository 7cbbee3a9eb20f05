/*
 * log_parts.h - what the readers of logs share; for log_*.c and engine_log*.c only.
 */
#ifndef REGIME_LOG_PARTS_H
#define REGIME_LOG_PARTS_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>

#include "arena.h"
#include "compiler.h"

/* Numbers that logs print. Bytes where a unit stands behind them. */
enum log_slot {
    LOG_TOTAL,
    LOG_WEIGHTS,
    LOG_ACTIVATION,
    LOG_NON_TORCH,
    LOG_GRAPH,
    LOG_KV,
    LOG_K, /* keys and values apart */
    LOG_V,
    LOG_TOKENS,
    LOG_BLOCKS,
    LOG_BLOCK_SIZE,
    LOG_LONGEST, /* longest request */
    LOG_SEQUENCES,
    LOG_CHUNK,
    LOG_STATE_SLOTS,
    LOG_CONTEXT, /* cells of all sequences */
    LOG_BATCH,
    LOG_MICRO_BATCH,
    LOG_GPU_LAYERS,
    LOG_SLOT_COUNT
};

/* Engines in the order of the tables. */
enum log_engine {
    LOG_VLLM,
    LOG_SGLANG,
    LOG_TRTLLM,
    LOG_LLAMA,
    LOG_TGI,
    LOG_ENGINE_COUNT,
};

#define LOG_SETTINGS_MAX 256

/* One setting as printed: a name and a value without quotes. */
struct log_setting {
    const char *name, *value;
};

/* What a log said. */
struct log_facts {
    enum log_engine engine;         /* LOG_ENGINE_COUNT = none that is known */
    double numbers[LOG_SLOT_COUNT]; /* NAN = not said */
    const char *version, *model;
    const char *weights;       /* name of the weight format, or NULL */
    const char *out_of_memory; /* the words that say so, or NULL */
    const char **words;        /* the command that the settings come to */
    int n_words;
};

/* The number at the start of a text, blanks aside: "410,432", "14.99", "-0.22"; NAN when there is
 * none. *ret_end stands behind it. */
double log_number_at(const char *text, const char **ret_end);

/* Every blank, also line ends, as one space, without terminal colours; NULL when memory ran out. */
char *log_flatten(struct arena *arena, const char *text);

/* Reads the numbers of a flattened text. */
void log_numbers_read(const char *flat, struct log_facts *facts);

/* Sums of the buffers that llama.cpp prints by device: the largest one's. */
void log_buffers_read(const char *flat, struct log_facts *facts);

/* Reads versions, settings and the command that they come to. */
void log_settings_read(struct arena *arena, const char *flat, struct log_facts *facts);

/* Whether some phrase of the tables stands in the text; flat or not. */
bool log_has_phrase(const char *text);

#endif
