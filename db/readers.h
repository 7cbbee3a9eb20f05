/*
 * readers.h - read-only connections, one per thread, with their prepared statements.
 *
 * Purpose: a statement is prepared once per thread and reset on every use; a query that runs away
 * is stopped. Ownership: a pool owns its connections; a thread that ends leaves its connection to
 * the next. Threads: readers_statement() on any thread; init and done on one.
 */
#ifndef REGIME_READERS_H
#define REGIME_READERS_H

#include <pthread.h>
#include <sqlite3.h>
#include <stdbool.h>

#include "compiler.h"

/* Opens one more read-only connection of the pool; NULL on failure. */
typedef sqlite3 *reader_open_fn(void *ctx);

struct reader;

struct readers {
    reader_open_fn *open;
    void *ctx;
    pthread_mutex_t lock;
    pthread_key_t key;
    struct reader *all;
};

MUST_USE bool readers_init(struct readers *readers, reader_open_fn *open, void *ctx);

/* Closes every connection; no thread may be inside a statement. */
void readers_done(struct readers *readers);

/* The statement for `sql` on this thread's connection, reset and unbound; NULL on failure. */
sqlite3_stmt *readers_statement(struct readers *readers, const char *sql);

#endif
