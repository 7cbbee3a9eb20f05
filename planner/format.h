/*
 * format.h - weight and KV formats: bytes by tensor role, and what they compute in.
 *
 * Units:   bytes per element, scales and zero points included.
 * Ownership: plain data; strings are borrowed from the catalogue.
 * Source:  db/records/formats (elements and bytes per block).
 */
#ifndef REGIME_FORMAT_H
#define REGIME_FORMAT_H

#include <stdbool.h>

#include "dtype.h"
#include "fit.h"

struct weight_format {
    const char *id, *title;
    int index;
    /* Bytes per weight by role: the linear roles in the format, the rest as the recipe keeps them.
     */
    double bytes[ROLE_COUNT];
    /* Bytes per weight of the matrices beside the routed experts in a model that has some, where
     * the format keeps them finer than in dense models; 0 = as in `bytes`. */
    double moe_rest_bytes;
    enum dtype compute;      /* the type of the multiply on a part that has it */
    bool weight_only;        /* dequantised: the multiply stays 16-bit whatever the part has */
    double activation_bytes; /* an activation as the GEMM reads it: 2, or 1 when quantised */
    bool is_quantized;       /* fewer than 16 bits: a cure cannot quantise it "to fp8" again */
    bool gguf;
    enum fit_dtype gemm_fits[3]; /* fit types of its GEMM, best first; FIT_DTYPE_COUNT ends */
    enum fit_dtype moe_fits[4];  /* of its expert GEMM, best first */
};

struct kv_format {
    const char *id, *title;
    int index;
    double bytes_per_element; /* scales included, for heads of 128 */
    enum dtype compute;
    enum fit_dtype fits[2]; /* kv_bfloat16 or kv_fp8 */
    /* Of an element, bytes of scale per head and token, for K and for V each: a wider head has no
     * more of them. */
    double head_scale_bytes;
};

#endif
