/*
 * catalogue_data.h - the inside of a snapshot: what catalogue.c looks up and catalogue_build.c
 * fills.
 */
#ifndef REGIME_CATALOGUE_DATA_H
#define REGIME_CATALOGUE_DATA_H

#include <sqlite3.h>
#include <stdbool.h>

#include "block.h"
#include "catalogue.h"
#include "name_table.h"
#include "store.h"

/* Kinds that have names. */
enum name_kind { NAMES_MODEL, NAMES_HARDWARE, NAMES_WEIGHTS, NAMES_KV, NAMES_ENGINE, NAMES_COUNT };

struct name_list {
    const char **items;
    int n;
};

struct catalogue_data {
    struct catalogue shown; /* first: a struct catalogue * is a struct catalogue_data * */
    void *holder;           /* the snapshot that the store counts readers of */
    struct block block;
    struct name_table names[NAMES_COUNT];
    struct name_table squeezed[NAMES_COUNT];
    struct name_table dashed;          /* models, '.' read as '-' */
    struct name_table words;           /* parts, by name_words() */
    struct name_list ids[NAMES_COUNT]; /* models and parts: ids; formats and engines: every name */
};

/* Reads a snapshot; NULL and a sentence on failure. */
struct catalogue_data *catalogue_build(sqlite3 *db, char ret_error[STORE_ERROR_MAX]);
void catalogue_free(struct catalogue_data *data);

/* Fills `dashed` and `words` from `names`; false when out of memory. */
MUST_USE bool catalogue_forms_build(struct catalogue_data *data);

/* Fills in what changes with every write: the bundle and the newest revision. */
void catalogue_revision_read(sqlite3 *db, struct catalogue_data *data);

#endif
