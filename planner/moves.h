/*
 * moves.h - where the regime changes along each axis.
 *
 * Purpose: for each axis and direction, the value nearest to the present one at which the regime
 *          changes, searched within 1/64 .. 64 times: doublings until it differs, then bisection to
 *          one per cent (whole numbers for counts), never past what a request may ask.
 * Units:   concurrency in requests, context in input tokens, model size in billions of parameters,
 *          bandwidth in GB/s.
 */
#ifndef REGIME_MOVES_H
#define REGIME_MOVES_H

#include "core.h"

/* Fills moves[0..MOVES_MAX) and returns their number. `here` is the core of `problem`. */
int moves_find(const struct problem *problem, const struct prepared *prep, const struct core *here,
               struct move *ret_moves);

#endif
