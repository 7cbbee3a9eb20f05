/*
 * exact_weights.h - what a model's own file says of the bytes of its weights.
 *
 * Purpose: a weight format gives bytes per weight by role; the file at hand may keep some layers
 *          or modules otherwise. Intake fills this from a quantization_config, a safetensors index
 *          or header, or a GGUF tensor table, and hangs it on the model; role_bytes() then answers
 *          with it, so memory, step times and reports agree.
 * Units:   bytes; bytes per weight, scales and zero points included.
 * Ownership: plain data in the memory of whoever made the model.
 * Threads: pure.
 */
#ifndef REGIME_EXACT_WEIGHTS_H
#define REGIME_EXACT_WEIGHTS_H

#include "deployment.h"

enum exact_source {
    EXACT_RECIPE, /* the configuration's list of modules and their formats */
    EXACT_TOTAL,  /* the bytes of all weights together */
    EXACT_TENSORS /* dtype and shape of each tensor */
};

struct exact_weights {
    const char *format; /* id of the weight format that the file is of: under another one these
                           figures say nothing */
    enum exact_source source;
    double bytes[ROLE_COUNT]; /* bytes per weight, mean over the role's weights */
};

/* The file's figures where they hold: the deployment keeps the file's own format. Else NULL. */
const struct exact_weights *exact_weights_of(const struct model *model,
                                             const struct deployment *dep);

#endif
