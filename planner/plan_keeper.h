/*
 * plan_keeper.h - plans of many loads on one deployment, one after the other.
 *
 * Purpose: what a deployment has at every load is computed once: its kernels, the layout of its
 *          memory, and prefills of lengths that come again. The plans are those of plan_compute(),
 *          to the bit.
 * Ownership: plain data, some megabytes; zeroed, it keeps nothing. It borrows what the problem
 *          borrows, and compares texts by where they lie: where such a text ends, holds = false
 *          forgets.
 * Threads: a keeper belongs to one thread.
 */
#ifndef REGIME_PLAN_KEEPER_H
#define REGIME_PLAN_KEEPER_H

#include "prepare.h"
#include "step.h"

struct plan_keeper {
    bool holds;
    long deployment; /* counts them */
    struct problem problem;
    struct prepared prep;
    struct memory_plan memory; /* before any load */
    struct prefill_store prefills;
};

/* Turns to the deployment of a problem; true when it is that of the problem before. */
bool plan_keeper_turn(struct plan_keeper *keeper, const struct problem *problem);

/* plan_compute() of a problem that the keeper turned to last. */
void plan_compute_kept(struct plan_keeper *keeper, const struct problem *problem,
                       enum plan_depth depth, struct plan *ret_plan);

#endif
