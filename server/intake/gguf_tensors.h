/*
 * gguf_tensors.h - a GGUF file's tensors summed up: the inside of gguf.h.
 *
 * Purpose: each row of the tensor table is checked and added to the sums of its type and role; none
 *          is kept.
 * Units:   bytes, elements.
 * Ownership: a tally belongs to its reader.
 * Source:  names of tensors: github.com/ggml-org/llama.cpp, src/llama-arch.cpp.
 */
#ifndef REGIME_GGUF_TENSORS_H
#define REGIME_GGUF_TENSORS_H

#include "gguf.h"

struct gguf_tensor {
    const char *name;
    int n_dims;
    uint64_t dims[GGUF_DIMS_MAX]; /* 1 behind n_dims */
    uint32_t type;
    uint64_t offset; /* from the start of the data */
};

struct gguf_tally {
    struct gguf_facts *facts;
    double alignment;
    double draft_layer; /* the first layer that is a multi-token-prediction layer */
    double end;         /* of the tensors so far, from the start of the data */
};

/* Metadata are complete: facts->kept can be asked. */
void gguf_tally_begin(struct gguf_tally *tally, struct gguf_facts *facts, double alignment);

/* Adds a tensor; NULL, or what is wrong with it. */
const char *gguf_tally_add(struct gguf_tally *tally, struct arena *arena,
                           const struct gguf_tensor *tensor);

/* The header is complete: sizes of the data and of the file. */
void gguf_tally_end(const struct gguf_tally *tally, struct gguf_facts *facts);

/* The role of a tensor by its name; layers from `draft_layer` on are MTP layers. */
enum role gguf_role(const char *name, int n_dims, double draft_layer);

#endif
