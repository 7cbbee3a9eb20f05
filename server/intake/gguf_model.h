/*
 * gguf_model.h - a GGUF header as a model that a plan takes.
 *
 * Purpose: the metadata become the fields of a config.json, the tensor table the exact bytes:
 *          {"hf_config": {...}, "checkpoint": {"format", "bytes", "bytes_by_role"}}.
 * Ownership: texts lie in the arena of the writer.
 * Errors:  faults: an architecture that is not known, with the key that decided; what is missing.
 * Source:  keys: github.com/ggml-org/llama.cpp, src/llama-arch.cpp and conversion from the
 *          transformers library in convert_hf_to_gguf.py; general.file_type: include/llama.h.
 */
#ifndef REGIME_GGUF_MODEL_H
#define REGIME_GGUF_MODEL_H

#include "catalogue.h"
#include "fault.h"
#include "gguf.h"
#include "json_out.h"

/* Writes the object; false, with faults, when the header does not describe a known model. */
bool gguf_model_write(struct json_out *out, const struct catalogue *catalogue,
                      const struct gguf_facts *facts, struct faults *faults);

/* The weight format of the file: as it says, else that of most of its bytes; NULL when the
 * catalogue has no such format. */
const struct weight_format *gguf_model_format(const struct catalogue *catalogue,
                                              const struct gguf_facts *facts);

/* The file is one of several that make the model: its tensors are not all. */
bool gguf_model_is_part(const struct gguf_facts *facts);

#endif
