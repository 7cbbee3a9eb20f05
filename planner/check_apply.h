/*
 * check_apply.h - puts a change of memory_changes.h into a trial.
 *
 * Purpose: the changes with which a memory fits are noted by their leaves; a trial of the checks
 *          needs the deployment that has them.
 * Threads: pure.
 */
#ifndef REGIME_CHECK_APPLY_H
#define REGIME_CHECK_APPLY_H

#include "cure_table.h"

/* Applies the change to the trial and notes its leaves; false when it sets a leaf that the table
 * does not have. */
bool check_apply_memory(const struct memory_change *change, struct trial *trial);

/* A title for it, "A shorter longest request". */
const char *check_apply_title(const struct memory_change *change);

#endif
