/*
 * memory_measured.h - what an engine's log printed, and for how long it stands.
 *
 * Purpose: a figure of a log is of the deployment that the log is of: a change to what it depends
 *          on (tp, formats, tokens of a step) leaves the computed one in its place.
 * Units:   bytes of one device.
 * Threads: pure.
 */
#ifndef REGIME_MEMORY_MEASURED_H
#define REGIME_MEMORY_MEASURED_H

#include "deployment.h"

/* Notes that what is measured is of this deployment as it stands. */
void memory_measured_settle(struct deployment *dep);

/* The figures that hold for the deployment as it is now; NAN in the place of the others. Those of a
 * deployment that was never settled hold. The pool's holds for the same budget. */
struct measured_memory memory_measured(const struct deployment *dep);

/*
 * The activation peak that a log leaves which prints weights and pool and no peak: A = u T - KV -
 * the rest of what the budget is charged with, where u is the share that the log is of; at least 0.
 * `usable` is u T under the deployment as it is, `others` the rest. NAN when the log does not tell.
 */
double memory_measured_activation(const struct deployment *dep, double usable, double others);

#endif
