/* Which fits are sound: rows of (figures, verdict), the figures from the records of measured
 * kernels. */
#include "fit.h"

#include "check.h"
#include "compiler.h"

struct verdict {
    const char *what;
    enum fit_op op;
    double e_m, e_c, t0_us, error;
    enum fit_status status;
    double e_c_after;
};

/* Figures of db/records/fits: part, engine, type. */
static const struct verdict VERDICTS[] = {
    {"H100 SGLang bf16 GEMM", FIT_GEMM, 0.835, 0.754, 3.72, 0.068, FIT_USED, 0.754},
    {"H100 vLLM fp8_block GEMM: host-bound", FIT_GEMM, 1.3, 0.679, 72.88, 0.164, FIT_REJECTED,
     0.679},
    {"B200 vLLM fp8_block GEMM: at the bound", FIT_GEMM, 0.162, 0.647, 120, 0.307, FIT_REJECTED,
     0.647},
    {"H100 vLLM fp8_block GEMM, shapes: host-bound", FIT_GEMM, 2, 0.742, 58.5, 0.117, FIT_REJECTED,
     0.742},
    {"RTX PRO 6000 TRT-LLM fp8 GEMM, shapes: e_m", FIT_GEMM, 1.253, 0.757, 9.88, 0.131,
     FIT_REJECTED, 0.757},
    {"GEMM over its memory", FIT_GEMM, 1.2, 0.6, 5, 0.1, FIT_REJECTED, 0.6},
    {"H100 vLLM fp8 MoE: e_m", FIT_MOE_BALANCED, 0.177, 0.133, 49.11, 0.166, FIT_REJECTED, 0.133},
    {"H100 vLLM bf16 MoE keeps its t0", FIT_MOE_BALANCED, 0.89, 0.517, 59.41, 0.188, FIT_USED,
     0.517},
    {"Arc skewed MoE: t0 of a chain", FIT_MOE_SKEW_101, 0.706, 0.539, 120, 0.168, FIT_USED, 0.539},
    {"skewed routing touches fewer experts", FIT_MOE_SKEW_101, 1.3, 0.151, 108.8, 0.218, FIT_USED,
     0.151},
    {"the same balanced", FIT_MOE_BALANCED, 1.3, 0.151, 20, 0.218, FIT_REJECTED, 0.151},
    {"H100 vLLM decode attention", FIT_DECODE_ATTENTION, 0.78, 1.17, 12.72, 0.136, FIT_USED, 1},
    {"Arc decode attention: host-bound", FIT_DECODE_ATTENTION, 1.05, 1.194, 64.3, 0.099,
     FIT_REJECTED, 1},
    {"B200 vLLM prefill attention", FIT_PREFILL_ATTENTION, 0.177, 0.418, 11.7, 0.204, FIT_FALLBACK,
     0.418},
    {"L40S SGLang prefill attention", FIT_PREFILL_ATTENTION, 1.3, 0.476, 5.81, 0.219, FIT_REJECTED,
     0.476},
    {"H100 vLLM MLA", FIT_DECODE_MLA, 0.931, 1.2, 120, 0.205, FIT_REJECTED, 1},
    {"H100 SGLang fp8 MLA", FIT_DECODE_MLA, 0.086, 0.129, 17.21, 0.07, FIT_REJECTED, 0.129},
    {"A100 TRT-LLM fp8 MLA", FIT_DECODE_MLA, 0.129, 0.161, 16.25, 0.407, FIT_USED, 0.161},
    {"RTX PRO 6000 TRT-LLM MLA: error", FIT_DECODE_MLA, 0.531, 0.139, 12.51, 0.509, FIT_REJECTED,
     0.139},
    {"H100 SGLang prefill MLA: latents", FIT_PREFILL_MLA, 0.374, 0.183, 12.75, 0.062, FIT_REJECTED,
     0.183},
    {"B200 SGLang prefill MLA", FIT_PREFILL_MLA, 0.409, 0.526, 15.25, 0.149, FIT_USED, 0.526},
    {"H100 TRT-LLM delta net in the cache", FIT_DELTA_DECODE, 1.174, 0, 2.93, 0.028, FIT_USED, 0},
    {"B200 SGLang delta net, prompts", FIT_DELTA_PREFILL, 0, 0, 31.5, 0.098, FIT_USED, 0},
};

static void fits_are_judged(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(VERDICTS); i++) {
        const struct verdict *row = &VERDICTS[i];
        struct op_fit fit = {.op = row->op,
                             .e_m = row->e_m,
                             .e_c = row->e_c,
                             .t0_us = row->t0_us,
                             .median_abs_err = row->error};
        fit_judge(&fit);
        if (fit.status != row->status) {
            fail_msg("%s: %s", row->what, fit_status_name(fit.status));
        }
        assert_near(fit.e_c, row->e_c_after, 1e-12);
        assert_true(fit.status == FIT_USED || fit.reason != NULL);
    }
}

/* Padded experts: more than the memory when tiles go unread is kept; of the fp8 whose plain form is
 * rejected 0.211 x 1,536/(1,536 + 93.2) = 0.199 of the memory remains. */
static void padded_experts_are_judged(void **state)
{
    static const struct {
        double e_m, error, pad_columns;
        enum fit_status status;
    } ROWS[] = {
        {1.142, 0.121, 467.8, FIT_USED},     /* H200 TRT-LLM fp8_block, balanced */
        {1.6, 0.137, 403.5, FIT_USED},       /* B200 SGLang nvfp4, skewed */
        {0.211, 0.108, 93.2, FIT_REJECTED},  /* H100 vLLM fp8, skewed */
        {0.142, 0.149, 111.1, FIT_REJECTED}, /* H200 vLLM fp8, balanced */
        {0.232, 0.152, 0.1, FIT_USED},       /* H100 SGLang mxfp4, balanced */
        {0.9, 0.46, 10, FIT_REJECTED},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(ROWS); i++) {
        struct op_fit fit = {.op = FIT_MOE_BALANCED,
                             .form = FIT_FORM_PADDED_EXPERTS,
                             .e_m = ROWS[i].e_m,
                             .e_c = 0.4,
                             .t0_us = 60,
                             .pad_columns = ROWS[i].pad_columns,
                             .median_abs_err = ROWS[i].error};
        fit_judge(&fit);
        assert_int_equal(fit.status, ROWS[i].status);
    }
}

static void names_are_read_back(void **state)
{
    (void)state;
    for (int i = 0; i < FIT_OP_COUNT; i++) {
        assert_int_equal(fit_op_parse(fit_op_name((enum fit_op)i)), i);
    }
    for (int i = 0; i < FIT_DTYPE_COUNT; i++) {
        assert_int_equal(fit_dtype_parse(fit_dtype_name((enum fit_dtype)i)), i);
    }
    for (int i = 0; i < FIT_FORM_COUNT; i++) {
        assert_int_equal(fit_form_parse(fit_form_name((enum fit_form)i)), i);
    }
    assert_int_equal(fit_form_parse("no such form"), FIT_FORM_COUNT);
    assert_null(fit_form_name(FIT_FORM_COUNT));
    assert_int_equal(fit_op_parse("no such op"), FIT_OP_COUNT);
    assert_int_equal(fit_op_parse(NULL), FIT_OP_COUNT);
    assert_int_equal(fit_dtype_parse(""), FIT_DTYPE_COUNT);
    assert_null(fit_op_name(FIT_OP_COUNT));
    assert_null(fit_dtype_name(FIT_DTYPE_COUNT));
    assert_null(fit_status_name(FIT_STATUS_COUNT));
    assert_string_equal(fit_status_name(FIT_REJECTED), "rejected");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fits_are_judged),
        cmocka_unit_test(padded_experts_are_judged),
        cmocka_unit_test(names_are_read_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
