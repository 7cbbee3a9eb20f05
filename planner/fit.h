/*
 * fit.h - the smooth roofline fitted to measured kernels, and the collectives'.
 *
 * Purpose: t = ((bytes/(e_m BW))^q + (flops/(e_c peak))^q)^(1/q) + n t0, one row per part, engine,
 *          version, op and type; t = ((f bytes/bus)^q + t0^q)^(1/q) for a collective. Some ops have
 *          a form of their own (enum fit_form).
 * Units:   microseconds, bytes per microsecond.
 * Source:  db/records/fits (fitted to the kernel database of NVIDIA's aiconfigurator).
 */
#ifndef REGIME_FIT_H
#define REGIME_FIT_H

#include <stdbool.h>

/* What was measured. Append only; the names are those of the records. */
#define FIT_OP_LIST(X)                                                                             \
    X(FIT_GEMM, "gemm")                                                                            \
    X(FIT_MOE_BALANCED, "moe_balanced")                                                            \
    X(FIT_MOE_SKEW_101, "moe_skew1.01")                                                            \
    X(FIT_MOE_SKEW_120, "moe_skew1.2")                                                             \
    X(FIT_DECODE_ATTENTION, "decode_attention")                                                    \
    X(FIT_PREFILL_ATTENTION, "prefill_attention")                                                  \
    X(FIT_DECODE_MLA, "decode_mla")                                                                \
    X(FIT_PREFILL_MLA, "prefill_mla")                                                              \
    X(FIT_DELTA_DECODE, "gdn_decode")                                                              \
    X(FIT_DELTA_PREFILL, "gdn_prefill")

#define X(ID, NAME) ID,

enum fit_op { FIT_OP_LIST(X) FIT_OP_COUNT };

#undef X

/*
 * How a kernel's bytes and flops become time; append only, the names are those of the records.
 * roofline: as above.
 * moe-pad-ep: the same of experts pad_columns wider, their flops times ep^ep_gamma.
 * shapes: the roofline, fitted to the matrices, and to the heads, that layers of models have
 * instead of to all sizes. gdn-state: t = state bytes read and written/(e_m BW) + t0. gdn-scan-sum:
 * t = t0 + us_per_token_of_longest L + us_per_token_head T heads, of a batch of T prompt tokens
 * whose longest sequence has L; gdn-scan-max4: the last two as a 4-norm.
 */
#define FIT_FORM_LIST(X)                                                                           \
    X(FIT_FORM_ROOFLINE, "roofline")                                                               \
    X(FIT_FORM_PADDED_EXPERTS, "moe-pad-ep")                                                       \
    X(FIT_FORM_STATE, "gdn-state")                                                                 \
    X(FIT_FORM_SCAN_SUM, "gdn-scan-sum")                                                           \
    X(FIT_FORM_SCAN_MAX4, "gdn-scan-max4")                                                         \
    X(FIT_FORM_SHAPES, "shapes")

#define X(ID, NAME) ID,

enum fit_form { FIT_FORM_LIST(X) FIT_FORM_COUNT };

#undef X

#define FIT_DTYPE_LIST(X)                                                                          \
    X(FIT_BF16, "bfloat16")                                                                        \
    X(FIT_FP8, "fp8")                                                                              \
    X(FIT_FP8_BLOCK, "fp8_block")                                                                  \
    X(FIT_NVFP4, "nvfp4")                                                                          \
    X(FIT_INT4_WO, "int4_wo")                                                                      \
    X(FIT_INT8_WO, "int8_wo")                                                                      \
    X(FIT_SQ, "sq")                                                                                \
    X(FIT_W4A16_MXFP4, "w4a16_mxfp4")                                                              \
    X(FIT_W4A8_MXFP4, "w4a8_mxfp4_mxfp8")                                                          \
    X(FIT_KV_BF16, "kv_bfloat16")                                                                  \
    X(FIT_KV_FP8, "kv_fp8")

#define X(ID, NAME) ID,

enum fit_dtype { FIT_DTYPE_LIST(X) FIT_DTYPE_COUNT };

#undef X

/* used: judged sound; fallback: chosen only where its engine has no used fit of the part and type;
 * rejected: kept for the record and never chosen. */
#define FIT_STATUS_LIST(X)                                                                         \
    X(FIT_USED, "used")                                                                            \
    X(FIT_FALLBACK, "fallback")                                                                    \
    X(FIT_REJECTED, "rejected")

#define X(ID, NAME) ID,

enum fit_status { FIT_STATUS_LIST(X) FIT_STATUS_COUNT };

#undef X

struct op_fit {
    int id;             /* row id of the record, for the reply */
    const char *record; /* id of its calibration record */
    int hardware;       /* index in the library */
    int engine;         /* index in the library */
    int version[3];     /* major, minor, patch of the engine measured */
    enum fit_op op;
    enum fit_dtype dtype;
    enum fit_form form;
    double e_m, e_c, t0_us, q;
    double pad_columns, ep_gamma;                      /* of padded experts; else 0 */
    double us_per_token_of_longest, us_per_token_head; /* of a scan; else 0 */
    double n, median_abs_err, p90_abs_err;
    enum fit_status status; /* rejected fits stay in the table and are never chosen */
    const char *reason;     /* why it is rejected, a fallback or clamped; NULL */
};

/* Collectives that were measured. Append only; an all-reduce is also what a record without one of
 * these names is. */
#define COMM_OP_LIST(X)                                                                            \
    X(COMM_ALL_REDUCE, "all_reduce")                                                               \
    X(COMM_ALL_GATHER, "nccl_all_gather")                                                          \
    X(COMM_REDUCE_SCATTER, "nccl_reduce_scatter")                                                  \
    X(COMM_ALL_TO_ALL, "nccl_alltoall")

#define X(ID, NAME) ID,

enum comm_op { COMM_OP_LIST(X) COMM_OP_COUNT };

#undef X

struct comm_fit {
    int id, hardware;
    enum comm_op op;
    const char *record; /* id of its calibration record */
    int engine;         /* index, or -1 for the vendor library (NCCL, oneCCL) */
    int version[3];
    double devices;
    bool graph; /* measured inside a captured graph */
    double bus_bytes_us, t0_us, q, n, median_abs_err, max_bytes;
};

const char *fit_op_name(enum fit_op op);
enum fit_op fit_op_parse(const char *name);
const char *fit_form_name(enum fit_form form);
enum fit_form fit_form_parse(const char *name);
const char *fit_dtype_name(enum fit_dtype dtype);
enum fit_dtype fit_dtype_parse(const char *name);

/* How many times the 16-bit peak a fitted type's own peak is: the scale its e_c is fitted against.
 */
double fit_peak_factor(enum fit_dtype type);

const char *fit_status_name(enum fit_status status);

/* The collective that a record's op names: "nccl", "oneccl" and "custom_all_reduce" are
 * all-reduces. */
enum comm_op comm_op_parse(const char *name);

/*
 * Judges a fit. Rejected: a median error over 45 %; t0 over 40 us (not the MoE layer, a chain of
 * kernels whose t0 is its own); e_m over 1.1, more than the memory delivers (not moe_skew and not
 * padded experts, where fewer bytes are touched than the form counts, nor a state that stays in the
 * cache); e_m under 0.2 (0.1 for MLA; of padded experts counted per byte that is there, 1,536
 * columns wide); a prefill MLA with e_c under 0.25, the kernel of latents and not the one that
 * serves. A prefill attention with e_m under 0.2 is a fallback: it is compute-bound. An attention
 * fit with e_c over 1 is used with e_c = 1. Writes status and reason, and clamps e_c.
 */
void fit_judge(struct op_fit *fit);

#endif
