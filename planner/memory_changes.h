/*
 * memory_changes.h - the smallest changes with which a deployment fits its devices.
 *
 * Purpose: every row of a table of flags is turned one notch after the other until the memory holds
 *          what it must; where no single one does, two together. What costs nothing comes first,
 *          then shorter contexts, fewer bits, more devices.
 * Units:   bytes of one device; tokens and sequences of one engine core.
 * Ownership: plain data; texts are static or the library's.
 * Threads: pure.
 */
#ifndef REGIME_MEMORY_CHANGES_H
#define REGIME_MEMORY_CHANGES_H

#include "memory.h"
#include "plan.h"

/* Finds at most MEMORY_CHANGES_MAX changes, the smallest first; returns their number, 0 when the
 * memory fits over its whole range or nothing makes it fit. */
int memory_changes_find(const struct problem *problem, const struct memory_plan *memory,
                        struct memory_change *ret_changes);

#endif
