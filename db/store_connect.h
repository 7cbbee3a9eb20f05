/*
 * store_connect.h - a connection to a store's file, however it can be had.
 *
 * Ownership: the connection is the caller's; sqlite3_close() it.
 * Errors:  NULL or false, and one sentence that names the file.
 */
#ifndef REGIME_STORE_CONNECT_H
#define REGIME_STORE_CONNECT_H

#include <sqlite3.h>
#include <stdbool.h>

#include "compiler.h"
#include "store.h"

#define STORE_PATH_MAX 4096

/*
 * Opens the file that is there for writing, or for reading where it cannot be written. One in a
 * place where not even a lock file can be made is opened as one that nobody changes. ret_uri is how
 * further readers open it.
 */
MUST_USE sqlite3 *store_connect(const char *path, bool *ret_writable, char ret_uri[STORE_PATH_MAX],
                                char ret_error[STORE_ERROR_MAX]);

/* Copies an open database into a new file at `path`, page by page and as of one moment, while
 * others go on writing. What is there half after a failure is the caller's to remove. */
MUST_USE bool store_copy(sqlite3 *from, const char *path, char ret_error[STORE_ERROR_MAX]);

/* "path: why" as the error; always false. */
bool store_refuse(char ret_error[STORE_ERROR_MAX], const char *path, const char *why);

#endif
