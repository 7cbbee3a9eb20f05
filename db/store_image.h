/*
 * store_image.h - a store's file or a folder of records as a database in memory.
 *
 * Purpose: look at what is in it, in this program's schema, and leave it alone; an older store is
 *          migrated in memory.
 * Ownership: the connection is the caller's; sqlite3_close() it.
 * Errors:  NULL and one sentence; the faults of records in a folder go to `log`, one line each.
 */
#ifndef REGIME_STORE_IMAGE_H
#define REGIME_STORE_IMAGE_H

#include <sqlite3.h>
#include <stdio.h>

#include "compiler.h"
#include "store.h"

MUST_USE sqlite3 *store_image_open(const char *path, FILE *log, char ret_error[STORE_ERROR_MAX]);

#endif
