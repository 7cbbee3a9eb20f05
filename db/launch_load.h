/*
 * launch_load.h - launches of a store into a library.
 */
#ifndef REGIME_LAUNCH_LOAD_H
#define REGIME_LAUNCH_LOAD_H

#include <sqlite3.h>

#include "block.h"
#include "compiler.h"
#include "library.h"

/*
 * Reads the launches in launch_order into the block; formats and engines of `lib` must be there
 * already. A launch of an engine that the library has not is left out. False when the store cannot
 * be read or there is no memory.
 */
MUST_USE bool launches_load(sqlite3 *db, struct block *block, struct library *lib);

#endif
