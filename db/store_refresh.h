/*
 * store_refresh.h - brings the bundled records of a file up to those that the program carries.
 */
#ifndef REGIME_STORE_REFRESH_H
#define REGIME_STORE_REFRESH_H

#include <sqlite3.h>
#include <stdbool.h>

#include "compiler.h"
#include "store.h"

/* Opens a connection to the embedded database; it reads the binary's own memory. NULL on failure.
 */
sqlite3 *embedded_open(void);

/* Attaches the embedded database as "bundled". */
MUST_USE bool embedded_attach(sqlite3 *db);

/* Statements around the rows that belong to records. */
struct rows_replacement {
    const char *before;  /* fills temp.refreshed (kind, id), and writes the trail */
    const char *records; /* brings the records themselves */
    const char *after;   /* drops temp.refreshed */
};

/* Begins a transaction and puts the rows of the attached "bundled" in the place of those in "main",
 * for the records of temp.refreshed; foreign keys have to be off and are checked at the end. The
 * caller commits, or gives it up when this is false. */
MUST_USE bool store_rows_replace(sqlite3 *db, const struct rows_replacement *replacement);

/* Deletes what belongs to one record, and its own row; foreign keys have to be deferred. */
MUST_USE bool store_rows_delete(sqlite3 *db, const char *kind, const char *id);

/*
 * When the embedded records are another bundle than the file was filled from, and not an older one,
 * replaces every bundled record that nobody added by hand; changed ones get a revision that keeps
 * the text before. A bundled record that the bundle no longer has stays, as one of the user's. One
 * transaction; false and a sentence on failure, with the file as it was.
 */
MUST_USE bool store_refresh(sqlite3 *db, const char *name, char ret_error[STORE_ERROR_MAX]);

#endif
