/*
 * core.h - one evaluation: memory, both steps, the cycle, the regime.
 *
 * Purpose: what a plan, a cure and a move have in common; cheap enough to run hundreds of times.
 * Threads: pure.
 */
#ifndef REGIME_CORE_H
#define REGIME_CORE_H

#include "load.h"

struct core {
    struct memory_plan memory;
    struct step decode, prefill;
    struct cycle cycle;
    enum regime_id regime;
    struct dominant dominant;
};

/* Evaluates a prepared problem. */
void core_evaluate(const struct prepared *prep, struct core *ret_core);

/* The same where core->memory is there already. */
void core_run(const struct prepared *prep, struct core *core);

/* Prepares and evaluates. */
void core_compute(const struct problem *problem, const struct scale *scale, struct core *ret_core);

/*
 * The regime, in this order: capacity when the weights do not fit or the pool holds fewer sequences
 * than are in flight; else the phase that takes more of the cycle, and in it the largest part.
 */
void core_regime(const struct problem *problem, struct core *core);

#endif
