/*
 * anchor_load.h - reads the anchors of a store into a snapshot.
 */
#ifndef REGIME_ANCHOR_LOAD_H
#define REGIME_ANCHOR_LOAD_H

#include <sqlite3.h>

#include "anchor_index.h"
#include "block.h"
#include "compiler.h"

/* Reads the anchors of a store; `lib` must hold everything else. False and the reason in *ret_why.
 */
MUST_USE bool anchor_index_build(sqlite3 *db, const struct library *lib, struct block *block,
                                 struct anchor_index *ret_index, const char **ret_why);

#endif
