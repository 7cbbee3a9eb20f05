/*
 * calibrate_posted.h - which of the measurements that were added take part in a calibration.
 *
 * Purpose: who posts a run to have it counted is told when it is not, and what it lacks.
 */
#ifndef REGIME_CALIBRATE_POSTED_H
#define REGIME_CALIBRATE_POSTED_H

#include <stdio.h>

#include "catalogue.h"
#include "compiler.h"
#include "store.h"

/* Prints how many of the serving runs with a mean time per token that are not of the bundle the fit
 * takes, and why it leaves others out; nothing where none was added. False without memory, and when
 * the store cannot be read. */
MUST_USE bool posted_runs_print(struct store *store, const struct catalogue *catalogue,
                                FILE *report);

#endif
