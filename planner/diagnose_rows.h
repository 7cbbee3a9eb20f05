/*
 * diagnose_rows.h - short names for rows of the tables of rules; only their sources include it.
 */
#ifndef REGIME_DIAGNOSE_ROWS_H
#define REGIME_DIAGNOSE_ROWS_H

#include "compiler.h"
#include "diagnose.h"

#define S(ID) WHEN_SIGN, SIGN_##ID    /* the sign was seen */
#define N(ID) WHEN_ABSENT, SIGN_##ID  /* it was not */
#define U(ID) WHEN_USES, TOPIC_##ID   /* the topic is in use */
#define W(ID) WHEN_WORSE, TOPIC_##ID  /* slower with it */
#define B(ID) WHEN_BETTER, TOPIC_##ID /* faster with it */
#define E(ID) WHEN_SAME, TOPIC_##ID   /* as fast with it */

/* A rule of one, two or three conditions. */
#define R1(CAUSE, WEIGHT, A, BECAUSE, SOURCE)                                                      \
    {                                                                                              \
        CAUSE_##CAUSE, WEIGHT, {{A}}, BECAUSE, SOURCE                                              \
    }
#define R2(CAUSE, WEIGHT, A, B, BECAUSE, SOURCE)                                                   \
    {                                                                                              \
        CAUSE_##CAUSE, WEIGHT, {{A}, {B}}, BECAUSE, SOURCE                                         \
    }
#define R3(CAUSE, WEIGHT, A, B, C, BECAUSE, SOURCE)                                                \
    {                                                                                              \
        CAUSE_##CAUSE, WEIGHT, {{A}, {B}, {C}}, BECAUSE, SOURCE                                    \
    }

#define VLLM(PATH) "https://github.com/vllm-project/vllm/" PATH
#define SGLANG(PATH) "https://github.com/sgl-project/sglang/" PATH
#define LLAMA(PATH) "https://github.com/ggml-org/llama.cpp/" PATH
#define PHYSICS(WHAT) "physics: " WHAT

extern const struct rule RULES_CAPACITY[], RULES_DEVICE[], RULES_HOST[];
extern const int N_RULES_CAPACITY, N_RULES_DEVICE, N_RULES_HOST;

/* What words alone are worth when all of them fit. */
#define TOLD_WEIGHT 2.0

#endif
