/*
 * calibrate_local.h - fits the constants of local engines to the measured speeds of a store.
 *
 * Purpose: every constant of local.h is a product of effects (back end, engine, family of parts,
 *          class of formats, part), each drawn to 1 unless rows say otherwise; back ends and phases
 *          are fitted apart. Each source is left out in turn and predicted by the others: those
 *          errors are the ones reported, and what the intervals are made of. Anyone can run it
 *          again: the same store gives the same file.
 * Errors:  a sentence on stderr, false.
 */
#ifndef REGIME_CALIBRATE_LOCAL_H
#define REGIME_CALIBRATE_LOCAL_H

#include <stdio.h>

#include "compiler.h"
#include "store.h"

/* Fits everything, prints the tables of errors to `report`, writes local.csv into the folder `out`
 * (NULL = only the report). */
MUST_USE bool calibrate_local(struct store *store, const char *out, FILE *report);

#endif
