/*
 * backup_folder.h - a folder of backups: each named by its time, the oldest go.
 *
 * Units:   seconds, bytes.
 * Errors:  false and one sentence.
 * Threads: any.
 */
#ifndef REGIME_BACKUP_FOLDER_H
#define REGIME_BACKUP_FOLDER_H

#include <stdbool.h>

#include "compiler.h"
#include "store_backup.h"

#define BACKUP_NAME_MAX 40

struct backup_made {
    char name[BACKUP_NAME_MAX]; /* "regime-20261130T091500.123Z.db", UTC */
    struct store_state state;
    double seconds; /* that it took */
    int removed;    /* older ones, beyond those that are kept */
};

/* Backs the store at `db` up into the folder; of files so named the newest `keep` stay (0 = all).
 * Nothing is removed unless the new one is whole. */
MUST_USE bool backup_folder_add(const char *folder, long keep, const char *db,
                                struct backup_made *ret_made, char ret_error[STORE_ERROR_MAX]);

#endif
