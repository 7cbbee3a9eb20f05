/*
 * fit.c - names of fitted ops and types, and the rules a fit must pass to be used.
 *
 * The kernels were timed from the host. Where a fit's t0 is large the collection measured the
 * host's launch gap, where e_m is tiny or above 1 the form absorbed something that is not memory;
 * such a fit says little about the kernel in a captured step and is kept for the record only.
 */
#include "fit.h"

#include <stddef.h>
#include <string.h>

#define X(ID, NAME) [ID] = NAME,
static const char *const OP_NAMES[] = {FIT_OP_LIST(X)};
static const char *const FORM_NAMES[] = {FIT_FORM_LIST(X)};
static const char *const DTYPE_NAMES[] = {FIT_DTYPE_LIST(X)};
static const char *const STATUS_NAMES[] = {FIT_STATUS_LIST(X)};
static const char *const COMM_OP_NAMES[] = {COMM_OP_LIST(X)};
#undef X

/* What an op may show. A chain of kernels (the MoE layer) has a t0 of its own that no launch gap
 * explains; in a compute-bound op (prefill attention) e_m carries almost nothing. */
struct fit_rule {
    double t0_max_us;        /* 0 = no limit */
    double e_m_min, e_m_max; /* 0 = no limit */
    double e_c_min;
    bool low_e_m_is_fallback;
    bool clamp_e_c;
};

#define ERROR_MAX 0.45
#define T0_MAX_US 40.0
#define E_M_MIN 0.2
#define E_M_MAX 1.1
/* Expanded heads multiply 320 elements a pair (DeepSeek-V3), latents 1,088: a kernel of latents
 * that is counted as one of heads reaches under a third of its e_c. Serving expands them in
 * prefill. */
#define EXPANDED_E_C_MIN 0.25
/* A common width of an expert: padded columns count against it. */
#define COMMON_EXPERT_COLUMNS 1536.0

static const struct fit_rule RULES[FIT_OP_COUNT] = {
    [FIT_GEMM] = {.t0_max_us = T0_MAX_US, .e_m_min = E_M_MIN, .e_m_max = E_M_MAX},
    [FIT_MOE_BALANCED] = {.e_m_min = E_M_MIN, .e_m_max = E_M_MAX},
    [FIT_MOE_SKEW_101] = {.e_m_min = E_M_MIN},
    [FIT_MOE_SKEW_120] = {.e_m_min = E_M_MIN},
    [FIT_DECODE_ATTENTION] = {.t0_max_us = T0_MAX_US,
                              .e_m_min = E_M_MIN,
                              .e_m_max = E_M_MAX,
                              .clamp_e_c = true},
    [FIT_PREFILL_ATTENTION] = {.t0_max_us = T0_MAX_US,
                               .e_m_min = E_M_MIN,
                               .e_m_max = E_M_MAX,
                               .low_e_m_is_fallback = true,
                               .clamp_e_c = true},
    [FIT_DECODE_MLA] = {.t0_max_us = T0_MAX_US,
                        .e_m_min = 0.1,
                        .e_m_max = E_M_MAX,
                        .clamp_e_c = true},
    [FIT_PREFILL_MLA] = {.t0_max_us = T0_MAX_US,
                         .e_m_min = 0.1,
                         .e_m_max = E_M_MAX,
                         .e_c_min = EXPANDED_E_C_MIN,
                         .clamp_e_c = true},
    [FIT_DELTA_DECODE] = {.t0_max_us = T0_MAX_US, .e_m_min = E_M_MIN},
    [FIT_DELTA_PREFILL] = {.t0_max_us = T0_MAX_US},
};

static const struct fit_rule PADDED_RULE = {.e_m_min = E_M_MIN};

static int name_index(const char *const *names, int n, const char *name)
{
    for (int i = 0; name && i < n; i++) {
        if (strcmp(names[i], name) == 0) {
            return i;
        }
    }
    return n;
}

const char *fit_op_name(enum fit_op op)
{
    return op < FIT_OP_COUNT ? OP_NAMES[op] : NULL;
}

enum fit_op fit_op_parse(const char *name)
{
    return (enum fit_op)name_index(OP_NAMES, FIT_OP_COUNT, name);
}

const char *fit_form_name(enum fit_form form)
{
    return form < FIT_FORM_COUNT ? FORM_NAMES[form] : NULL;
}

enum fit_form fit_form_parse(const char *name)
{
    return (enum fit_form)name_index(FORM_NAMES, FIT_FORM_COUNT, name);
}

const char *fit_dtype_name(enum fit_dtype dtype)
{
    return dtype < FIT_DTYPE_COUNT ? DTYPE_NAMES[dtype] : NULL;
}

enum fit_dtype fit_dtype_parse(const char *name)
{
    return (enum fit_dtype)name_index(DTYPE_NAMES, FIT_DTYPE_COUNT, name);
}

double fit_peak_factor(enum fit_dtype type)
{
    switch (type) {
    case FIT_FP8:
    case FIT_FP8_BLOCK:
    case FIT_SQ:
        return 2.0;
    case FIT_NVFP4:
    case FIT_W4A8_MXFP4:
        return 4.0;
    case FIT_BF16:
    case FIT_INT4_WO:
    case FIT_INT8_WO:
    case FIT_W4A16_MXFP4:
    case FIT_KV_BF16:
    case FIT_KV_FP8:
    case FIT_DTYPE_COUNT:
        break;
    }
    return 1.0;
}

const char *fit_status_name(enum fit_status status)
{
    return status < FIT_STATUS_COUNT ? STATUS_NAMES[status] : NULL;
}

enum comm_op comm_op_parse(const char *name)
{
    int op = name_index(COMM_OP_NAMES, COMM_OP_COUNT, name);
    return op < COMM_OP_COUNT ? (enum comm_op)op : COMM_ALL_REDUCE;
}

static void fit_set(struct op_fit *fit, enum fit_status status, const char *reason)
{
    fit->status = status;
    fit->reason = reason;
}

void fit_judge(struct op_fit *fit)
{
    bool padded = fit->form == FIT_FORM_PADDED_EXPERTS;
    const struct fit_rule *rule = padded ? &PADDED_RULE : &RULES[fit->op];
    double e_m = fit->e_m * COMMON_EXPERT_COLUMNS / (COMMON_EXPERT_COLUMNS + fit->pad_columns);
    fit_set(fit, FIT_USED, NULL);
    if (rule->clamp_e_c && fit->e_c > 1) {
        fit->e_c = 1;
        fit_set(fit, FIT_USED,
                "e_c above 1 is an artefact of the form in a memory-bound op: 1 is used");
    }
    if (fit->median_abs_err > ERROR_MAX) {
        fit_set(fit, FIT_REJECTED,
                "median error over 45 %: the form does not describe this kernel");
    } else if (rule->t0_max_us > 0 && fit->t0_us > rule->t0_max_us) {
        fit_set(fit, FIT_REJECTED,
                "t0 over 40 us: the collection measured the host, not the kernel");
    } else if (fit->e_c < rule->e_c_min) {
        fit_set(fit, FIT_REJECTED,
                "e_c under 0.25: the kernel multiplied latents, serving does not");
    } else if (rule->e_m_max > 0 && e_m > rule->e_m_max) {
        fit_set(fit, FIT_REJECTED, "e_m over 1.1: more than the memory can deliver");
    } else if (e_m < rule->e_m_min && rule->low_e_m_is_fallback) {
        fit_set(fit, FIT_FALLBACK,
                "e_m under 0.2 in a compute-bound op: kept where its engine has no better one");
    } else if (e_m < rule->e_m_min) {
        fit_set(fit, FIT_REJECTED, "e_m under the least that a memory-bound kernel reaches");
    }
}
