/*
 * store_command.h - "regimed backup", "restore" and "verify": an operator's hands on the file.
 *
 * Errors:  false, with one sentence on stderr.
 */
#ifndef REGIME_STORE_COMMAND_H
#define REGIME_STORE_COMMAND_H

#include <stdbool.h>
#include <stdio.h>

#include "compiler.h"

/* Each prints one line of what it did; `db` is the store, `file` the copy. */
MUST_USE bool backup_command(const char *db, const char *file, FILE *out);
MUST_USE bool restore_command(const char *db, const char *file, FILE *out);
MUST_USE bool verify_command(const char *db, FILE *out);

#endif
