/*
 * hardware.c - which peak a compute type runs at on a part.
 *
 * A part without the path converts the operands and multiplies in 16 bits (vLLM and SGLang run fp8
 * on Ampere and fp4 on Hopper through Marlin kernels that way), so a missing type falls back to the
 * 16-bit peaks and not to the next narrower one.
 */
#include "hardware.h"

#include <ctype.h>
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

/* The length of a name in front of `mark`, or all of it. */
static size_t length_before(const char *name, const char *mark)
{
    const char *at = strstr(name, mark);
    return at ? (size_t)(at - name) : strlen(name);
}

/* The length of the letters that a name begins with: "GDDR6X" is GDDR. */
static size_t letters_length(const char *name)
{
    size_t n = 0;
    while (isalpha((unsigned char)name[n])) {
        n++;
    }
    return n;
}

static bool same_start(const char *a, size_t a_length, const char *b, size_t b_length)
{
    return a_length == b_length && strncmp(a, b, a_length) == 0;
}

static bool has_family(const struct hardware *hw)
{
    return hw->vendor && hw->arch && hw->memory_type && hw->class != HW_TPU && hw->class != HW_CPU;
}

bool hardware_same_family(const struct hardware *a, const struct hardware *b)
{
    static const char REFRESH[] = "-ultra";
    if (!has_family(a) || !has_family(b) || strcmp(a->vendor, b->vendor) != 0) {
        return false;
    }
    return same_start(a->arch, length_before(a->arch, REFRESH), b->arch,
                      length_before(b->arch, REFRESH)) &&
           same_start(a->memory_type, letters_length(a->memory_type), b->memory_type,
                      letters_length(b->memory_type));
}

bool hardware_same_link(const struct hardware *a, const struct hardware *b)
{
    static const char BRIDGE[] = "-bridge";
    if (!hardware_same_family(a, b) || !a->link_kind || !b->link_kind ||
        a->link_is_fabric != b->link_is_fabric || !(a->link_bytes_us > 0) ||
        !(b->link_bytes_us > 0)) {
        return false;
    }
    bool bridges = strstr(a->link_kind, BRIDGE) != NULL;
    return bridges == (strstr(b->link_kind, BRIDGE) != NULL) &&
           same_start(a->link_kind, letters_length(a->link_kind), b->link_kind,
                      letters_length(b->link_kind));
}
