/*
 * sql.h - opening SQLite connections safely, and short statements.
 *
 * Purpose: every connection gets the same settings, every statement is reset and finalised.
 * Errors:  false or NULL; the caller reads sqlite3_errmsg().
 * Threads: a connection belongs to one thread at a time.
 */
#ifndef REGIME_SQL_H
#define REGIME_SQL_H

#include <sqlite3.h>
#include <stdbool.h>
#include <stddef.h>

#include "compiler.h"

#define SQL_BUSY_MS 5000

/* Settings that a connection forgets: no double-quoted strings, no schema edits, no functions from
 * the schema, foreign keys, busy timeout, memory for temporaries, limits. */
MUST_USE bool sql_configure(sqlite3 *db);

/* Lets the connection wait some SQL_BUSY_MS for a file that another one has locked. It asks every
 * millisecond: SQLite's own pauses grow to a tenth of a second, and who asks so seldom never comes
 * between the writes of a busy process. */
MUST_USE bool sql_wait_busy(sqlite3 *db);

/* Opens `path` (or ":memory:") with SQLITE_OPEN_x flags and configures it; NULL on failure. */
sqlite3 *sql_open(const char *path, int flags);

/* Runs statements without a result. */
MUST_USE bool sql_exec(sqlite3 *db, const char *sql);

/*
 * Runs one statement with bound values. `types` has a letter per value: t text (NULL is NULL),
 * d double (NaN is NULL), i int.
 */
MUST_USE bool sql_run(sqlite3 *db, const char *sql, const char *types, ...);

/* Gives a transaction up; there is nothing to do when even that fails. */
void sql_rollback(sqlite3 *db);

/* The first column of the first row as an integer; `fallback` when there is no row or it is NULL.
 */
long long sql_number(sqlite3 *db, const char *sql, long long fallback);

/* The first column of the first row as a text of the caller's (free() it); NULL when there is none.
 */
char *sql_text(sqlite3 *db, const char *sql);

/* Why the last call on `db` failed, as a sentence about the file: "my.db: is locked by ...". */
void sql_explain(sqlite3 *db, const char *name, char *ret_text, size_t max);

/* printf into a buffer; false when it did not fit, the text is cut then. */
bool text_print(char *to, size_t max, const char *format, ...) PRINTF_LIKE(3, 4);

#endif
