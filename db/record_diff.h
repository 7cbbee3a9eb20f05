/*
 * record_diff.h - what differs between the catalogues of two stores, field by field.
 *
 * Purpose: compares the records that export.h would write; how numbers are written, the order of
 *          members and where a record stands in its file make no difference.
 * Ownership: texts and trees are lent for the time of the call.
 * Errors:  false when a database cannot be read or memory is short.
 */
#ifndef REGIME_RECORD_DIFF_H
#define REGIME_RECORD_DIFF_H

#include <cjson/cJSON.h>
#include <sqlite3.h>
#include <stdbool.h>

#include "compiler.h"

/* A record that only one side has (the other tree is NULL), or that both have and say otherwise. */
typedef void record_diff_fn(void *ctx, const char *kind, const char *id, const cJSON *a,
                            const cJSON *b);

/* A field that differs, by its JSON pointer; NULL where a side does not have it. */
typedef void field_diff_fn(void *ctx, const char *pointer, const cJSON *a, const cJSON *b);

/* Calls `take` for every record that differs, by kind and id. */
MUST_USE bool record_diff(sqlite3 *a, sqlite3 *b, record_diff_fn *take, void *ctx);

/* Calls `take` for every field in which two records differ; how many there are. */
int field_diff(const cJSON *a, const cJSON *b, field_diff_fn *take, void *ctx);

#endif
