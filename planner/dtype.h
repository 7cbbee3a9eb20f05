/*
 * dtype.h - number types that a part computes in, and the roles of a tensor.
 *
 * Purpose: one list of compute types (peaks are given by them), one of tensor roles (a weight
 *          format gives bytes by them).
 */
#ifndef REGIME_DTYPE_H
#define REGIME_DTYPE_H

/* Compute types, as `peak_dense_tflops` names them. Append only. */
#define DTYPE_LIST(X)                                                                              \
    X(DTYPE_FP32, "fp32")                                                                          \
    X(DTYPE_TF32, "tf32")                                                                          \
    X(DTYPE_FP16, "fp16")                                                                          \
    X(DTYPE_BF16, "bf16")                                                                          \
    X(DTYPE_INT8, "int8")                                                                          \
    X(DTYPE_FP8, "fp8")                                                                            \
    X(DTYPE_INT4, "int4")                                                                          \
    X(DTYPE_FP4, "fp4")

#define X(ID, NAME) ID,

enum dtype { DTYPE_LIST(X) DTYPE_COUNT };

#undef X

/* What a tensor is for; a format may store each role differently. Append only. */
#define ROLE_LIST(X)                                                                               \
    X(ROLE_ATTENTION, "attention")         /* every projection of a mixer */                       \
    X(ROLE_DENSE_FFN, "dense_ffn")         /* the matrices of a dense FFN */                       \
    X(ROLE_SHARED_EXPERT, "shared_expert") /* experts that every token meets */                    \
    X(ROLE_EXPERT, "expert")               /* routed experts */                                    \
    X(ROLE_ROUTER, "router")                                                                       \
    X(ROLE_NORM, "norm") /* norms, biases, sinks, gates: small vectors */                          \
    X(ROLE_EMBEDDING, "embedding")                                                                 \
    X(ROLE_LM_HEAD, "lm_head")                                                                     \
    X(ROLE_OTHER, "other")   /* parameters without a formula that a step reads */                  \
    X(ROLE_LOOKUP, "lookup") /* tables that are gathered, not read */                              \
    X(ROLE_MTP, "mtp")       /* multi-token-prediction layers */                                   \
    X(ROLE_VISION, "vision")

#define X(ID, NAME) ID,

enum role { ROLE_LIST(X) ROLE_COUNT };

#undef X

/* The published name of a compute type ("bf16"). */
const char *dtype_name(enum dtype dtype);

/* The compute type of that name, or DTYPE_COUNT. */
enum dtype dtype_parse(const char *name);

/* The published name of a tensor role ("dense_ffn"). */
const char *role_name(enum role role);

/* The role of that name, or ROLE_COUNT. */
enum role role_parse(const char *name);

#endif
