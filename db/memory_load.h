/*
 * memory_load.h - the constants of the engines' memory accounting, out of a store.
 */
#ifndef REGIME_MEMORY_LOAD_H
#define REGIME_MEMORY_LOAD_H

#include <sqlite3.h>
#include <stdbool.h>

#include "block.h"
#include "library.h"

/* Reads memory_rules into the block and sets lib->memory_constants. False when the table cannot
 * be read or there is no memory. */
MUST_USE bool memory_rules_load(sqlite3 *db, struct block *block, struct library *lib);

#endif
