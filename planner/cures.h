/*
 * cures.h - counterfactuals: change the deployment, plan again, report the difference.
 *
 * Purpose: the table of cures; those whose best effect is at least 3 % are ranked by it, the others
 *          are non-cures with their figure.
 */
#ifndef REGIME_CURES_H
#define REGIME_CURES_H

#include "plan.h"
#include "serve.h"

/* Best effect from which a change is called a cure. */
#define CURE_THRESHOLD 0.03

/* Fills results[0..CURES_MAX): cures by rank, then non-cures; returns their number. */
int cures_find(const struct problem *problem, const struct core *here,
               struct cure_result *ret_results);

/*
 * Puts a brief replay's effect in place of the closed cycle's for the three best of n results,
 * where the load can be replayed as it is and as it would be.
 */
void cures_replay(const struct prepared *prep, const struct core *here, struct cure_result *results,
                  int n);

#endif
