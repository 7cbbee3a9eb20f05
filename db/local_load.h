/*
 * local_load.h - the local engines' constants out of the rows of a store.
 */
#ifndef REGIME_LOCAL_LOAD_H
#define REGIME_LOCAL_LOAD_H

#include <sqlite3.h>
#include <stdbool.h>

#include "block.h"
#include "library.h"

/* Fills lib->local_fits, sorted, into `block`; the library's parts and engines are there. False
 * when the rows cannot be read, the connection says why. */
bool local_fits_load(sqlite3 *db, struct block *block, struct library *lib);

#endif
