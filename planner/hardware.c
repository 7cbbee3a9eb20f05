/*
 * hardware.c - which peak a compute type runs at on a part.
 *
 * A part without the path converts the operands and multiplies in 16 bits (vLLM and SGLang run fp8
 * on Ampere and fp4 on Hopper through Marlin kernels that way), so a missing type falls back to the
 * 16-bit peaks and not to the next narrower one.
 */
#include "hardware.h"

#include <stddef.h>
#include <string.h>

#define X(ID, NAME) [ID] = NAME,
static const char *const CLASS_NAMES[] = {HARDWARE_CLASS_LIST(X)};
#undef X

#define FALLBACKS 4

static const enum dtype FALLBACK[DTYPE_COUNT][FALLBACKS] = {
    [DTYPE_FP32] = {DTYPE_FP32, DTYPE_TF32, DTYPE_BF16, DTYPE_FP16},
    [DTYPE_TF32] = {DTYPE_TF32, DTYPE_FP32, DTYPE_BF16, DTYPE_FP16},
    [DTYPE_FP16] = {DTYPE_FP16, DTYPE_BF16, DTYPE_FP32, DTYPE_FP32},
    [DTYPE_BF16] = {DTYPE_BF16, DTYPE_FP16, DTYPE_FP32, DTYPE_FP32},
    [DTYPE_INT8] = {DTYPE_INT8, DTYPE_BF16, DTYPE_FP16, DTYPE_FP32},
    [DTYPE_FP8] = {DTYPE_FP8, DTYPE_BF16, DTYPE_FP16, DTYPE_FP32},
    [DTYPE_INT4] = {DTYPE_INT4, DTYPE_BF16, DTYPE_FP16, DTYPE_FP32},
    [DTYPE_FP4] = {DTYPE_FP4, DTYPE_BF16, DTYPE_FP16, DTYPE_FP32},
};

double hardware_peak(const struct hardware *hw, enum dtype want, enum dtype *ret_used)
{
    for (int i = 0; i < FALLBACKS; i++) {
        enum dtype dtype = FALLBACK[want][i];
        if (hw->peak_flops_us[dtype] > 0) {
            *ret_used = dtype;
            return hw->peak_flops_us[dtype];
        }
    }
    *ret_used = want;
    return 0;
}

const char *hardware_class_name(enum hardware_class class)
{
    return class < HW_CLASS_COUNT ? CLASS_NAMES[class] : NULL;
}

enum hardware_class hardware_class_parse(const char *name)
{
    for (int i = 0; name && i < HW_CLASS_COUNT; i++) {
        if (strcmp(CLASS_NAMES[i], name) == 0) {
            return (enum hardware_class)i;
        }
    }
    return HW_CLASS_COUNT;
}
