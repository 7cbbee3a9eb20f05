/*
 * memory_rules.h - constants of the engines' memory accounting, by version and part.
 *
 * Purpose: what was read in an engine's source or fitted to its logs is a record (db/records/
 * memory-rules.json), not code: a constant with the range of versions and parts that it holds for.
 * Units:   in the list below.
 * Ownership: plain data; strings are borrowed from the catalogue.
 * Threads: read-only after memory_constants_index().
 */
#ifndef REGIME_MEMORY_RULES_H
#define REGIME_MEMORY_RULES_H

#include <stdbool.h>

#include "basis.h"
#include "engine.h"
#include "hardware.h"

struct deployment;

/* Name and unit. Append only; the formulas that they enter stand in the engine's own file. */
#define MEMORY_CONSTANT_LIST(X)                                                                    \
    X(RULE_FORWARD_FFN_COPIES, "forward_ffn_copies", "rows of the dense FFN's width")              \
    X(RULE_FORWARD_HIDDEN_COPIES, "forward_hidden_copies", "rows of the hidden width")             \
    X(RULE_SAMPLER_BYTES, "sampler_bytes_per_logit", "bytes")                                      \
    X(RULE_ENCODER_PEAK, "encoder_peak_bytes", "bytes")                                            \
    X(RULE_NON_TORCH, "non_torch_bytes", "bytes")                                                  \
    X(RULE_GRAPH_FIXED, "graph_fixed_bytes", "bytes")                                              \
    X(RULE_GRAPH_EACH, "graph_bytes_per_size", "bytes")                                            \
    X(RULE_GRAPHS_IN_BUDGET, "graphs_in_budget", "share")                                          \
    X(RULE_OTHERS_IN_BUDGET, "other_processes_in_budget", "share")                                 \
    X(RULE_LONG_CHUNK, "chunk_beyond_32k", "tokens")                                               \
    X(RULE_HYBRID_GROUPS, "hybrid_groups", "0 or 1")                                               \
    X(RULE_GROUP_SPREAD, "group_spread", "most over fewest layers")                                \
    X(RULE_CHUNKED_AS_FULL, "chunked_as_full", "0 or 1")                                           \
    X(RULE_LOOKAHEAD_STEPS, "lookahead_steps", "steps")                                            \
    X(RULE_TOKENS_BY_CONCURRENCY, "tokens_by_concurrency", "0 or 1")                               \
    X(RULE_STATE_SPARE_SLOTS, "state_spare_slots", "pages")                                        \
    X(RULE_MLA_PER_HEAD, "latent_as_heads", "width of a head")                                     \
    X(RULE_EXPERT_PAD, "expert_pad", "elements")                                                   \
    X(RULE_RESERVE, "reserve_bytes", "bytes")                                                      \
    X(RULE_NON_TORCH_DOUBLING, "non_torch_bytes_per_doubling", "bytes")                            \
    X(RULE_POOL_SHARE, "pool_share", "share")                                                      \
    X(RULE_STATE_MEMORY_RATIO, "state_memory_ratio", "states over tokens")                         \
    X(RULE_WINDOW_RATIO, "window_ratio", "tokens of windowed layers over all")                     \
    X(RULE_WINDOW_KEEPS_BATCH, "window_keeps_batch", "0 or 1")                                     \
    X(RULE_EXPERT_PAD_INNER, "expert_pad_inner", "elements of an expert's own width")              \
    X(RULE_EXPERT_SCALE_COPIES, "expert_scale_copies", "copies of the blocks' scales besides")
#define X(ID, NAME, UNIT) ID,

enum memory_constant_id { MEMORY_CONSTANT_LIST(X) MEMORY_CONSTANT_COUNT };

#undef X

/* NAN or zeros where a condition is open. */
struct memory_constant {
    const char *id, *formula;
    int position;            /* among the records: of those that hold the first is taken */
    enum memory_rule engine; /* of the engines that account by that rule */
    enum memory_constant_id constant;
    int version_min[3], version_max[3]; /* inclusive; zeros = open */
    const char *arch;                   /* of the part; NULL = any */
    enum hardware_class class;          /* of the part; HW_CLASS_COUNT = any */
    int fabric;                         /* parts joined by one: 1, by PCIe: 0, any: -1 */
    double tp_min, tp_max, pp_min, pp_max;
    double value, low, high;
    enum basis basis;
};

struct memory_constants {
    const struct memory_constant *rows; /* of one engine and constant together, by preference */
    int n;
    int first[MEMORY_RULE_COUNT][MEMORY_CONSTANT_COUNT];
    int count[MEMORY_RULE_COUNT][MEMORY_CONSTANT_COUNT];
};

/* Fills `first` and `count` from the rows, which memory_constant_order() has sorted. */
void memory_constants_index(struct memory_constants *constants);

/* qsort comparator: by engine, constant and position. */
int memory_constant_order(const void *a, const void *b);

/* The first row that holds for the deployment on the part; a row of zeros, without an id and with
 * BASIS_NO_RECORD, when there is none. Never NULL. */
const struct memory_constant *memory_constant(const struct memory_constants *constants,
                                              enum memory_constant_id id,
                                              const struct deployment *dep,
                                              const struct hardware *hw);

/* The record's names, and back (the COUNT when unknown). */
const char *memory_constant_name(enum memory_constant_id id);
const char *memory_constant_unit(enum memory_constant_id id);
enum memory_constant_id memory_constant_parse(const char *name);

#endif
