/*
 * weight_files.h - the bytes of a model's weights as its files state them.
 *
 * Purpose: a safetensors index gives the bytes of all tensors, headers of safetensors files and a
 *          GGUF tensor table those of each role. What they say replaces the bytes per weight that
 *          the model's format would give (model->exact).
 * Units:   bytes; doubles are exact below 2^53.
 * Ownership: what is made lies in the arena.
 * Errors:  a fault where a file contradicts itself or cannot be of this model.
 * Threads: pure but for the arena and the faults.
 * Source:  safetensors format (github.com/huggingface/safetensors, README: 8 bytes of length, a
 *          JSON header of dtype, shape, data_offsets); the index of sharded checkpoints
 *          (metadata.total_size, weight_map) of the transformers library.
 */
#ifndef REGIME_WEIGHT_FILES_H
#define REGIME_WEIGHT_FILES_H

#include <cjson/cJSON.h>
#include <stdbool.h>

#include "arena.h"
#include "catalogue.h"
#include "compiler.h"
#include "dtype.h"
#include "fault.h"
#include "model.h"

/* One reading: the model is changed in place. */
struct weight_files {
    const struct catalogue *catalogue;
    struct arena *arena;
    struct faults *faults;
    const char *pointer; /* of the object that is read */
    struct model *model;
};

/* {"metadata": {"total_size": bytes}, "weight_map": {"name": "file"}}; the map may be left out. */
MUST_USE bool weight_files_index(const struct weight_files *files, const cJSON *index);

/* The JSON header of one safetensors file, or a list with those of all files. */
MUST_USE bool weight_files_headers(const struct weight_files *files, const cJSON *headers);

/* {"format": "q4_k_m", "bytes": n, "bytes_by_role": {"attention": n, ...}}. */
MUST_USE bool weight_files_checkpoint(const struct weight_files *files, const cJSON *checkpoint);

/* The role of a tensor by the name that the transformers library gives it, in a model of that many
 * layers. */
enum role weight_files_role(const char *name, double n_layers);

#endif
