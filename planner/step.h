/*
 * step.h - one step of the engine: its classes, its critical path, its parts.
 *
 * Rules: device = sum of device and link classes; launches overlap with the device always, the
 * other host classes only when the engine schedules asynchronously: async:  exposed = max(0, host -
 * device); serial: exposed = host work + max(0, launches - device). step = device + exposed host; a
 * host class's share is its part of the exposed time. With pipeline stages the step is that of all
 * stages, its classes those of one rank.
 */
#ifndef REGIME_STEP_H
#define REGIME_STEP_H

#include "costs.h"

/* The decode step of `sequences` on one rank, each at that context. */
void step_decode(const struct prepared *prep, double sequences, double context_tokens,
                 struct step *ret_step);

/* The prefill of one request alone: new_tokens after cached_tokens, in the deployment's chunks,
 * summed. */
void step_prefill(const struct prepared *prep, double new_tokens, double cached_tokens,
                  struct step *ret_step);

/* Prefills of one deployment, by what they depend on. */
#define PREFILL_PLACES 512

struct prefill_key {
    double new_tokens, cached_tokens, output_tokens, cached_prefix_tokens;
    enum load_generator load_generator;
};

/* Zeroed, it holds none; a prefill is that of its deployment, which count names. */
struct prefill_store {
    long deployment; /* from 1 */

    struct prefill_place {
        long deployment;
        struct prefill_key key;
        struct step step;
    } places[PREFILL_PLACES];
};

/* The class that carries most of a part; the part with the most time. */
struct dominant step_dominant(const struct step *step, enum phase phase, enum part part);

/* Part that a class's scaling time belongs to in this step. */
enum part class_part(enum class_id id, const struct class_cost *cost);

/* The largest part; ties within 2 % go to the earlier regime in the table. PART_REST never wins. */
enum part step_largest_part(const struct step *step, enum phase phase);

#endif
