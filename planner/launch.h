/*
 * launch.h - flags that runs are started with: what an absent field of a deployment stands for.
 *
 * Purpose: a launch says under which conditions (load generator, engine and version, model, part,
 *          weights, layout, load) which flags hold. Of the launches that match what is asked, the
 *          one with the most conditions gives each flag.
 * Units:   in the names.
 * Ownership: plain data; strings and arrays are borrowed from the catalogue.
 */
#ifndef REGIME_LAUNCH_H
#define REGIME_LAUNCH_H

#include <stdbool.h>

#include "engine.h"
#include "format.h"
#include "hardware.h"
#include "model.h"

/* Whose benchmark makes the load; the names are the API's and the records'. */
#define LOAD_GENERATOR_LIST(X)                                                                     \
    X(LOAD_STEADY, "")                                                                             \
    X(LOAD_INFERENCEX, "inferencex")                                                               \
    X(LOAD_ENGINE_BENCH, "engine_bench")

#define X(ID, NAME) ID,

enum load_generator { LOAD_GENERATOR_LIST(X) LOAD_GENERATOR_COUNT };

#undef X

/* What a launch may say. Append only: the name is that of the record's `flags`. */
#define LAUNCH_FLAG_LIST(X)                                                                        \
    X(LAUNCH_KV_CACHE, "kv_cache", 0)                                                              \
    X(LAUNCH_CHUNKED_PREFILL, "chunked_prefill_tokens", 1e8)                                       \
    X(LAUNCH_MAX_NUM_SEQS, "max_num_seqs", 1e6)                                                    \
    X(LAUNCH_MEMORY_UTILIZATION, "memory_utilization", 1)                                          \
    X(LAUNCH_STREAM_INTERVAL, "stream_interval", 1e6)                                              \
    X(LAUNCH_RECEIVE_INTERVAL, "receive_interval", 1e6)                                            \
    X(LAUNCH_BATCH_WAIT_STEPS, "batch_wait_steps", 1e6)                                            \
    X(LAUNCH_BATCH_WAIT_SHARE, "batch_wait_share", 1)                                              \
    X(LAUNCH_PREFIX_CACHING, "prefix_caching", 1)                                                  \
    X(LAUNCH_ASYNC_SCHEDULING, "async_scheduling", 1)                                              \
    X(LAUNCH_SPECULATIVE_METHOD, "speculative_method", 0)                                          \
    X(LAUNCH_SPECULATIVE_TOKENS, "speculative_tokens", 64)                                         \
    X(LAUNCH_REQUESTS, "requests", 1e9)                                                            \
    X(LAUNCH_LENGTH_RANGE_RATIO, "length_range_ratio", 1)

#define X(ID, NAME, MAX) ID,

/* LAUNCH_NOTHING is the flag of a field that no launch speaks of. */
enum launch_flag { LAUNCH_NOTHING, LAUNCH_FLAG_LIST(X) LAUNCH_FLAG_COUNT };

#undef X

/*
 * How a flag follows from the load: c requests in flight, n input tokens, d drafted tokens, r
 * attention data parallel ranks. ceil64 rounds up to a multiple of 64.
 */
#define LAUNCH_RULE_LIST(X)                                                                        \
    X(RULE_NUMBER, "")                                      /* as the record says */               \
    X(RULE_CONCURRENCY, "concurrency")                      /* c */                                \
    X(RULE_PER_RANK, "concurrency_per_rank")                /* c / r, whole */                     \
    X(RULE_AT_LEAST_128, "max_concurrency_128")             /* max(c, 128) */                      \
    X(RULE_10_CONCURRENCY, "10_concurrency")                /* 10 c */                             \
    X(RULE_2_INPUT, "2_input")                              /* 2 n */                              \
    X(RULE_CEIL64, "ceil64_concurrency_input")              /* ceil64(c + n + 64) */               \
    X(RULE_CEIL64_8192, "max8192_ceil64_concurrency_input") /* max(8192, ceil64(c + n + 64)) */    \
    X(RULE_CEIL64_DRAFT, "ceil64_draft_input")              /* ceil64((d + 1) c / r + n + 64) */   \
    X(RULE_30_FROM_16, "30_from_16_else_10")                /* 30 where c >= 16, else 10 */

#define X(ID, NAME) ID,

enum launch_rule { LAUNCH_RULE_LIST(X) LAUNCH_RULE_COUNT };

#undef X

/* Numbers of what is asked that a launch may be limited to; the names are those of the record, with
 * _min and _max behind. */
#define LAUNCH_RANGE_LIST(X)                                                                       \
    X(RANGE_TP, "tp")                                                                              \
    X(RANGE_DP, "dp")                                                                              \
    X(RANGE_INPUT_TOKENS, "input_tokens")                                                          \
    X(RANGE_OUTPUT_TOKENS, "output_tokens")                                                        \
    X(RANGE_CONCURRENCY, "concurrency")

#define X(ID, NAME) ID,

enum launch_range { LAUNCH_RANGE_LIST(X) LAUNCH_RANGE_COUNT };

#undef X

/* Lists of records that a launch may be limited to. */
#define LAUNCH_SUBJECT_LIST(X)                                                                     \
    X(SUBJECT_MODEL, "models")                                                                     \
    X(SUBJECT_HARDWARE, "hardware")                                                                \
    X(SUBJECT_ARCH, "archs")                                                                       \
    X(SUBJECT_WEIGHTS, "weights")

#define X(ID, NAME) ID,

enum launch_subject { LAUNCH_SUBJECT_LIST(X) LAUNCH_SUBJECT_COUNT };

#undef X

enum launch_drafts { DRAFTS_ANY, DRAFTS_NO, DRAFTS_YES };

struct launch_value {
    bool stated;
    enum launch_rule rule;
    double number;              /* RULE_NUMBER */
    const char *text;           /* LAUNCH_SPECULATIVE_METHOD: its name */
    const struct kv_format *kv; /* LAUNCH_KV_CACHE */
};

struct launch {
    const char *id;
    enum load_generator generator;      /* LOAD_STEADY = any */
    const struct engine *engine;        /* NULL = any */
    int version_min[3], version_max[3]; /* inclusive; zeros = open */
    const char *build;                  /* the engine's version as a whole; NULL = any */
    const char *const *subjects[LAUNCH_SUBJECT_COUNT];       /* ids, NULL ends; NULL = any */
    double min[LAUNCH_RANGE_COUNT], max[LAUNCH_RANGE_COUNT]; /* inclusive; NAN = open */
    enum launch_drafts drafts;
    int n_conditions;
    int position; /* among the records */
    struct launch_value values[LAUNCH_FLAG_COUNT];
};

/* What is asked, as far as launches look at it. */
struct launch_case {
    enum load_generator generator;
    const struct engine *engine;
    const int *version;
    const char *version_text; /* as given; NULL = none was */
    const struct model *model;
    const struct hardware *hw;
    const struct weight_format *weights;
    double
        range[LAUNCH_RANGE_COUNT]; /* NAN = not settled: no launch that is limited by it matches */
    bool drafts;
    double draft_tokens; /* NAN = not given: what the launch itself says */
};

/* The launch that gives a flag, and the value. */
struct launch_choice {
    const struct launch *launch; /* NULL = none speaks of it */
    double number;
    const char *text;
    const struct kv_format *kv;
};

/* Names of the records, and back (the COUNT when unknown). */
const char *load_generator_name(enum load_generator generator);
enum load_generator load_generator_parse(const char *name);
const char *launch_flag_name(enum launch_flag flag);
enum launch_flag launch_flag_parse(const char *name);
double launch_flag_max(enum launch_flag flag);
bool launch_flag_is_switch(enum launch_flag flag); /* on or off */
enum launch_rule launch_rule_parse(const char *name);
const char *launch_range_name(enum launch_range range);
const char *launch_subject_name(enum launch_subject subject);

/* Counts the conditions of a launch: what n_conditions is. */
int launch_conditions(const struct launch *launch);

/* qsort comparator: most conditions first, then as the records stand. */
int launch_order(const void *a, const void *b);

/* Whether the launch speaks of what is asked. */
bool launch_matches(const struct launch *launch, const struct launch_case *asked);

/* The value of a flag under that load; NAN when a number that its rule needs is not settled. */
double launch_number(const struct launch_value *value, const struct launch_case *asked);

/*
 * Gives each flag the value of the first launch that matches and states it; `launches` are in
 * launch_order. A flag whose value depends on what is not settled goes to the next one.
 */
void launch_choose(const struct launch *launches, int n, const struct launch_case *asked,
                   struct launch_choice ret_choices[LAUNCH_FLAG_COUNT]);

#endif
