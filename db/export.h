/*
 * export.h - writes the catalogue of a store as the files that db/records/ consists of.
 *
 * Purpose: a folder that import_records() reads back to the same records; the same records give the
 *          same bytes.
 * Errors:  false and a sentence; what was written so far is the caller's to remove.
 */
#ifndef REGIME_EXPORT_H
#define REGIME_EXPORT_H

#include <sqlite3.h>
#include <stdbool.h>

#include "compiler.h"
#include "store.h"

struct export_count {
    int files, records;
};

/* Writes into `folder`, which is there and empty. */
MUST_USE bool export_records(sqlite3 *db, const char *folder, struct export_count *ret_count,
                             char ret_error[STORE_ERROR_MAX]);

#endif
