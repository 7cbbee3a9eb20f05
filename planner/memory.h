/*
 * memory.h - what of a device's memory is left for caches, and what it holds.
 *
 * Rules:   an engine's file memory_<engine>.c has its formulas, db/records/memory-rules.json the
 *          constants that they take, by version and part.
 * Units:   bytes, tokens; per device.
 * Threads: pure.
 */
#ifndef REGIME_MEMORY_H
#define REGIME_MEMORY_H

#include "prepare.h"

/* Memory of one device under the problem, `held_sequences` at its workload's lengths; the weights
 * are `weights_scale` times the model's (1, but for a model of another size). */
void memory_compute(const struct problem *problem, double weights_scale,
                    struct memory_plan *ret_memory);

/* The same in two parts: what no load changes, and what it makes of that. */
void memory_lay_out(const struct problem *problem, double weights_scale,
                    struct memory_plan *ret_memory);
void memory_load(const struct problem *problem, struct memory_plan *memory);

/* Tokens that one sequence is admitted with: input + the reserved share of the output (at least
 * half, the mean), in whole blocks. */
double memory_held_tokens(const struct problem *problem, double input_tokens, double output_tokens);

/* Sequences of that many tokens that the pool of one rank holds: whole ones, and with their
 * fraction; INFINITY when a sequence takes nothing. */
double memory_held(const struct problem *problem, const struct memory_plan *memory,
                   double input_tokens, double output_tokens);
double memory_sequences(const struct problem *problem, const struct memory_plan *memory,
                        double tokens);

/* The longest context of which the pool holds one sequence, up to what the model states (or to 2^30
 * tokens where it states nothing); 0 when it holds none. */
double memory_longest_context(const struct problem *problem, const struct memory_plan *memory);

/* The formula of a term under the deployment's engine, NULL when it has no such term; and of the
 * pool. */
const char *memory_term_formula(const struct deployment *dep, enum memory_term_id id);
const char *memory_pool_formula(const struct deployment *dep);

#endif
