/*
 * hf_config.h - a Hugging Face config.json into a struct model.
 *
 * Purpose: plan for a model that the catalogue does not hold. A table of architectures says how
 *          each reads its configuration; everything else is generic.
 * Ownership: the model lives in the request's arena and borrows nothing from the cJSON tree.
 * Errors:  false, with every fault found added: an unknown architecture (with the field that
 *          decided and the nearest known one), missing, absurd or contradictory numbers.
 * Threads: pure but for the arena and the faults.
 * Source:  the configuration classes of the transformers library
 *          (github.com/huggingface/transformers, src/transformers/models), the models' own code.
 */
#ifndef REGIME_HF_CONFIG_H
#define REGIME_HF_CONFIG_H

#include <cjson/cJSON.h>
#include <stdbool.h>

#include "arena.h"
#include "compiler.h"
#include "fault.h"
#include "model.h"

/*
 * Reads `config`, found at JSON pointer `pointer` of the request. *ret_model is complete, as after
 * model_derive(): id "hf_config", name its architecture, native_format a weight format's name.
 */
MUST_USE bool hf_config_model(const cJSON *config, struct arena *arena, struct faults *faults,
                              const char *pointer, struct model **ret_model);

#endif
