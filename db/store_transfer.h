/*
 * store_transfer.h - the whole catalogue of a store out to a folder of files, and back in.
 *
 * Purpose: what "regimed export" and "regimed import" do.
 * Errors:  false and one sentence; then neither the folder nor the store has changed. Faults of
 *          records go to `log`, one line each.
 */
#ifndef REGIME_STORE_TRANSFER_H
#define REGIME_STORE_TRANSFER_H

#include <stdbool.h>
#include <stdio.h>

#include "compiler.h"
#include "export.h"
#include "store.h"

/* Writes the catalogue of the file (NULL: of the embedded records) into `folder`, which must not be
 * there, or be empty. */
MUST_USE bool store_export(const char *path, const char *folder, struct export_count *ret_count,
                           char ret_error[STORE_ERROR_MAX]);

struct import_count {
    bool made; /* the file was not there: it has what the folder has, and nothing else */
    long long added, changed, same, kept; /* kept: records that the folder does not have */
};

/*
 * Brings the records of `folder` into the file, in one transaction. A file that is not there is
 * made of them. In one that is there they replace those of the same kind and id; what a changed one
 * said before stays in its revisions, and records that the folder does not have stay.
 */
MUST_USE bool store_import(const char *path, const char *folder, FILE *log,
                           struct import_count *ret_count, char ret_error[STORE_ERROR_MAX]);

#endif
