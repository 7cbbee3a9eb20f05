/*
 * inline_model.h - a model described in the request instead of named.
 *
 * Purpose: {"hf_config": {...}} and what lies beside a config.json: modelopt's
 * hf_quant_config.json, model.safetensors.index.json, headers of safetensors files, or the tensor
 * table of a GGUF file as POST /v1/models/gguf sums it up. They give the weights' exact bytes.
 * Ownership: the model lives in the arena; it borrows from the tree.
 * Errors:  faults below `pointer`.
 * Threads: pure but for the arena and the faults.
 */
#ifndef REGIME_INLINE_MODEL_H
#define REGIME_INLINE_MODEL_H

#include <cjson/cJSON.h>

#include "arena.h"
#include "catalogue.h"
#include "compiler.h"
#include "fault.h"
#include "json_out.h"
#include "model.h"

/* Reads the object; NULL when it has faults or memory ran out. */
MUST_USE const struct model *inline_model_read(const struct catalogue *catalogue,
                                               struct arena *arena, struct faults *faults,
                                               const char *pointer, const cJSON *object);

/* The member of the object's configuration whose weights no figure counts: a tower for pictures or
 * sound, whose shape is not read, where no file states the bytes. NULL when nothing is left out. */
const char *inline_model_uncounted(const cJSON *object);

/* The JSON Schema of the object. */
void inline_model_schema(struct json_out *out);

#endif
