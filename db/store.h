/*
 * store.h - the SQLite file: open, migrate, read records, hand out the catalogue.
 *
 * Purpose: the only door to SQLite. Planning never comes here; record endpoints read texts here.
 * Ownership: a store owns its connections and the current catalogue.
 * Errors:  every function that can fail returns false and writes one clear sentence.
 * Threads: store_open/close on one thread; store_catalogue() and the read functions on any.
 */
#ifndef REGIME_STORE_H
#define REGIME_STORE_H

#include <stdbool.h>
#include <stddef.h>

#include "catalogue.h"
#include "compiler.h"

struct store;
struct sqlite3;
struct sqlite3_stmt;

#define STORE_ERROR_MAX 400

/*
 * Opens the store. path NULL serves the embedded records from memory, read-only. A path that does
 * not exist is created from the embedded records; an older file is copied aside to PATH.before-NNNN
 * and migrated; a foreign, newer or tampered one is refused. Writes a sentence into ret_error on
 * failure.
 */
MUST_USE bool store_open(const char *path, struct store **ret_store,
                         char ret_error[STORE_ERROR_MAX]);
void store_close(struct store *store);

/* The current snapshot, valid until store_release(). Never NULL on an open store. */
const struct catalogue *store_catalogue(struct store *store);
void store_release(struct store *store, const struct catalogue *catalogue);

/* Swaps a snapshot in that was read of the writer's connection, and takes it; false when out of
 * memory: then it is freed and the old one stays. */
struct catalogue_data;
MUST_USE bool store_publish(struct store *store, struct catalogue_data *data);

/* Reads the records again and swaps the new snapshot in; the old one lives on until its readers let
 * go. One caller at a time. */
MUST_USE bool store_reload(struct store *store, char ret_error[STORE_ERROR_MAX]);

/*
 * The connection that writes, for this thread alone until store_writer_unlock(), also in front of
 * store_reload(). NULL and a sentence when the records are embedded or the file cannot be written.
 * store_writer_try() is NULL without waiting when somebody else writes, here or in another process.
 */
struct sqlite3 *store_writer_lock(struct store *store, char ret_error[STORE_ERROR_MAX]);
struct sqlite3 *store_writer_try(struct store *store);
void store_writer_unlock(struct store *store);

/* Why the file can be served no longer (removed, replaced, cut), NULL when all is well. Cheap
 * enough to ask again and again. */
const char *store_trouble(struct store *store);

/* Path of the file, or NULL for the embedded records; schema version; text for /readyz. */
const char *store_path(const struct store *store);
int store_schema_version(const struct store *store);

/*
 * A prepared read statement on this thread's connection: a row of one static table of statements.
 * store_read() resets and clears it, binds nothing, and returns it ready to bind; store_done() must
 * follow on every path. NULL on failure (the reply is 503).
 */
struct sqlite3_stmt *store_read(struct store *store, const char *sql);
void store_done(struct sqlite3_stmt *statement);

#endif
