/*
 * price_load.h - the prices of a snapshot.
 */
#ifndef REGIME_PRICE_LOAD_H
#define REGIME_PRICE_LOAD_H

#include <sqlite3.h>

#include "block.h"
#include "compiler.h"
#include "library.h"
#include "price.h"

/* Reads every price and settles one for each part of the library (its n_hardware elements lie in
 * the block). NULL when the store cannot be read or memory ran out. */
const struct part_price *prices_load(sqlite3 *db, struct block *block, const struct library *lib);

#endif
