/*
 * transfer_command.h - "regimed export", "import" and "diff": the catalogue as files, back in, and
 * what differs between two.
 *
 * Errors: messages go to stderr, results to `out`.
 */
#ifndef REGIME_TRANSFER_COMMAND_H
#define REGIME_TRANSFER_COMMAND_H

#include <stdbool.h>
#include <stdio.h>

#include "compiler.h"

/* `db` NULL: the embedded records. */
MUST_USE bool export_command(const char *db, const char *folder, FILE *out);
MUST_USE bool import_command(const char *db, const char *folder, FILE *out);

/* What diff(1) answers too: 0 the same, 1 different, 2 trouble. `format` is "text" or "json", NULL
 * = text. */
int diff_command(const char *a, const char *b, const char *format, FILE *out);

#endif
