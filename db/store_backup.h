/*
 * store_backup.h - copies of a store: made beside a running daemon, proved sound, put back.
 *
 * Purpose: what an operator does with the file while nobody, or somebody else, serves it.
 * Units:   bytes.
 * Ownership: no store is opened; paths are read, not kept.
 * Errors:  false and one sentence that names the file; then nothing has changed.
 * Threads: any.
 */
#ifndef REGIME_STORE_BACKUP_H
#define REGIME_STORE_BACKUP_H

#include <stdbool.h>

#include "compiler.h"
#include "store.h"

#define STORE_ASIDE_MAX 4200

struct store_state {
    int version;     /* of the schema */
    long long bytes; /* of the file */
};

/* Whether the file is a store of this program or an older one, and whole: SQLite's integrity check
 * and every reference. Changes nothing, also beside a running daemon. */
MUST_USE bool store_verify(const char *path, struct store_state *ret_state,
                           char ret_error[STORE_ERROR_MAX]);

/*
 * Copies the store at `from` to the new file `to`, as of one moment, while others read and write
 * it; a file that is there stays as it is. The copy is one file without a log beside it, on the
 * disk when this returns, and verified before it has its name.
 */
MUST_USE bool store_backup(const char *from, const char *to, struct store_state *ret_state,
                           char ret_error[STORE_ERROR_MAX]);

/*
 * Puts the copy at `from` in the place of the store at `to`, which nobody may have open. What was
 * there is kept beside it, with its log: PATH.replaced-N, "" where nothing was there. The copy
 * stays.
 */
MUST_USE bool store_restore(const char *from, const char *to, struct store_state *ret_state,
                            char ret_aside[STORE_ASIDE_MAX], char ret_error[STORE_ERROR_MAX]);

#endif
