/*
 * model_record.h - a model record (db/records/models) as JSON, into a struct model and back.
 *
 * Purpose: the one reader of the record language; the importer and the catalogue loader call it.
 * Units:   as the record's field names say; counts are parameters, elements or tokens.
 * Ownership: groups and strings are copied through the caller's allocator and live as long as its
 *          memory; the cJSON tree may be deleted afterwards.
 * Errors:  false, and one text that names every fault found by its path in the record
 *          ("/groups/1/mixers/0/n_heads must be positive; ..."), as far as the buffer reaches.
 * Threads: pure functions.
 */
#ifndef REGIME_MODEL_RECORD_H
#define REGIME_MODEL_RECORD_H

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stddef.h>

#include "compiler.h"
#include "model.h"
#include "store.h"

/* Memory for a model's groups and strings, aligned for any object; NULL when there is none left. */
typedef void *model_alloc_fn(void *ctx, size_t size);

/*
 * Reads the geometry of `record` (an object of the language in db/records/models/README.md) and
 * derives it: *ret_model is complete, as after model_derive(). Fields the geometry has no use for
 * (aliases, notes, sources, ...) are left to the caller; a field the language does not know, a
 * wrong type, a number that is not finite, negative or absurd, and a geometry that its mixer kind
 * has no formula for are faults. *ret_model is written only on success.
 */
MUST_USE bool model_record_parse(const cJSON *record, model_alloc_fn *alloc, void *alloc_ctx,
                                 struct model *ret_model, char ret_error[STORE_ERROR_MAX]);

/*
 * The group in the record language (given fields that differ from their default) with the derived
 * figures of one layer beside them: an entry of the API's `layer_groups`. The caller deletes it.
 * NULL when out of memory.
 */
MUST_USE cJSON *model_group_to_json(const struct layer_group *group);

#endif
