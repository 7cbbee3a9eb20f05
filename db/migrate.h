/*
 * migrate.h - brings a database to the schema of this program, or refuses it.
 *
 * Purpose: apply what is missing, each migration in one transaction, and notice what was tampered
 * with. Errors:  false and one sentence that names the file.
 */
#ifndef REGIME_MIGRATE_H
#define REGIME_MIGRATE_H

#include <sqlite3.h>
#include <stdbool.h>

#include "compiler.h"
#include "embedded.h"
#include "store.h"

/* PRAGMA application_id of a store: "RGME". */
#define REGIME_APPLICATION_ID 0x52474d45

/* A list of migrations; the program's own is {MIGRATIONS, N_MIGRATIONS}. */
struct migrations {
    const struct migration *items;
    int n;
};

/*
 * Whether the open database is a store that this program knows: its application id, the checksum of
 * every applied migration, none missing, none newer. *ret_version is the newest one applied.
 */
MUST_USE bool migrate_check(sqlite3 *db, const char *name, const struct migrations *known,
                            int *ret_version, char ret_error[STORE_ERROR_MAX]);

/*
 * Applies the migrations after `version`, each in one BEGIN IMMEDIATE transaction that ends with
 * PRAGMA foreign_key_check. Another process that was faster is noticed. Stops at the first failure,
 * which leaves the database at the version reached.
 */
MUST_USE bool migrate_apply(sqlite3 *db, const char *name, const struct migrations *known,
                            char ret_error[STORE_ERROR_MAX]);

/* Copies the database to PATH.before-NNNN, NNNN being the first migration that is going to be
 * applied; an existing copy is kept and the new one numbered. */
MUST_USE bool migrate_copy_aside(sqlite3 *db, const char *path, int next,
                                 char ret_error[STORE_ERROR_MAX]);

#endif
