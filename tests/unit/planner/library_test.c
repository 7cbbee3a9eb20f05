/* Which fit is taken, in a small library where every row's e_m tells it apart. */
#include "library.h"

#include <stdlib.h>

#include "check.h"
#include "compiler.h"

enum { VLLM, SGLANG, TRTLLM };

static const struct hardware PARTS[] = {{.id = "a", .index = 0}, {.id = "b", .index = 1}};
static const struct engine ENGINES[] = {{.id = "vllm", .index = VLLM},
                                        {.id = "sglang", .index = SGLANG},
                                        {.id = "trtllm", .index = TRTLLM}};
static const struct hardware INLINE_PART = {.index = -1};

static struct library sample(struct op_fit *fits, int n, struct comm_fit *comms, int n_comms)
{
    if (fits) {
        qsort(fits, (size_t)n, sizeof(*fits), fit_order);
    }
    if (comms) {
        qsort(comms, (size_t)n_comms, sizeof(*comms), comm_order);
    }
    return (struct library){.hardware = PARTS,
                            .n_hardware = (int)ARRAY_LEN(PARTS),
                            .engines = ENGINES,
                            .n_engines = (int)ARRAY_LEN(ENGINES),
                            .op_fits = fits,
                            .n_op_fits = n,
                            .comm_fits = comms,
                            .n_comm_fits = n_comms};
}

#define FIT(HW, ENGINE, MAJOR, OP, TYPE, NAME, STATUS)                                             \
    {                                                                                              \
        .hardware = (HW), .engine = (ENGINE), .version = {0, (MAJOR), 0}, .op = (OP),              \
        .dtype = (TYPE), .e_m = (NAME), .status = (STATUS)                                         \
    }

static const struct look_up {
    int part, engine, minor;
    enum fit_op op;
    enum fit_dtype types[2];
    double e_m; /* the fit wanted; 0 = none */
    enum fit_match match;
} LOOK_UPS[] = {
    {0, VLLM, 24, FIT_GEMM, {FIT_BF16, FIT_DTYPE_COUNT}, 1, FIT_EXACT},
    /* 0.20 lies nearer to 0.24 than to 0.14 */
    {0, VLLM, 20, FIT_GEMM, {FIT_BF16, FIT_DTYPE_COUNT}, 1, FIT_OTHER_VERSION},
    {0, VLLM, 12, FIT_GEMM, {FIT_BF16, FIT_DTYPE_COUNT}, 2, FIT_OTHER_VERSION},
    {0, TRTLLM, 0, FIT_GEMM, {FIT_BF16, FIT_DTYPE_COUNT}, 1, FIT_OTHER_ENGINE},
    /* its own fit is rejected: another engine's */
    {0, VLLM, 24, FIT_GEMM, {FIT_FP8_BLOCK, FIT_FP8}, 3, FIT_OTHER_ENGINE},
    /* nothing of the first type on this part: the second */
    {1, VLLM, 24, FIT_GEMM, {FIT_FP8_BLOCK, FIT_FP8}, 5, FIT_EXACT},
    /* a used fit of another engine goes before the own fallback, a fallback before nothing */
    {0, VLLM, 24, FIT_PREFILL_ATTENTION, {FIT_KV_BF16, FIT_DTYPE_COUNT}, 7, FIT_OTHER_ENGINE},
    {1, VLLM, 24, FIT_PREFILL_ATTENTION, {FIT_KV_BF16, FIT_DTYPE_COUNT}, 8, FIT_EXACT},
    {1, VLLM, 24, FIT_DECODE_MLA, {FIT_KV_BF16, FIT_DTYPE_COUNT}, 0, FIT_NONE},
};

static void fits_are_found_in_order(void **state)
{
    struct op_fit fits[] = {
        FIT(0, VLLM, 24, FIT_GEMM, FIT_BF16, 1, FIT_USED),
        FIT(0, VLLM, 14, FIT_GEMM, FIT_BF16, 2, FIT_USED),
        FIT(0, SGLANG, 5, FIT_GEMM, FIT_FP8_BLOCK, 3, FIT_USED),
        FIT(0, VLLM, 24, FIT_GEMM, FIT_FP8_BLOCK, 4, FIT_REJECTED),
        FIT(1, VLLM, 24, FIT_GEMM, FIT_FP8, 5, FIT_USED),
        FIT(0, VLLM, 24, FIT_PREFILL_ATTENTION, FIT_KV_BF16, 6, FIT_FALLBACK),
        FIT(0, SGLANG, 5, FIT_PREFILL_ATTENTION, FIT_KV_BF16, 7, FIT_USED),
        FIT(1, VLLM, 24, FIT_PREFILL_ATTENTION, FIT_KV_BF16, 8, FIT_FALLBACK),
    };
    const struct library lib = sample(fits, (int)ARRAY_LEN(fits), NULL, 0);
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(LOOK_UPS); i++) {
        const struct look_up *row = &LOOK_UPS[i];
        const int version[3] = {0, row->minor, 0};
        enum fit_match match = FIT_EXACT;
        const struct op_fit *fit = library_op_fit(&lib, &PARTS[row->part], &ENGINES[row->engine],
                                                  version, row->op, row->types, 2, &match);
        assert_near(fit ? fit->e_m : 0, row->e_m, 0);
        assert_int_equal(match, row->match);
    }
    const enum fit_dtype bf16 = FIT_BF16;
    const int version[3] = {0, 24, 0};
    enum fit_match match = FIT_EXACT;
    assert_null(
        library_op_fit(&lib, &INLINE_PART, &ENGINES[VLLM], version, FIT_GEMM, &bf16, 1, &match));
    assert_int_equal(match, FIT_NONE);
}

#define COMM(HW, ENGINE, DEVICES, GRAPH, NAME)                                                     \
    {                                                                                              \
        .hardware = (HW), .engine = (ENGINE), .devices = (DEVICES), .graph = (GRAPH),              \
        .t0_us = (NAME)                                                                            \
    }

static const struct comm_row {
    int part, engine;
    double devices;
    bool graph;
    double t0_us;
    enum fit_match match;
} COMM_ROWS[] = {
    {0, VLLM, 2, true, 1, FIT_EXACT},          {0, VLLM, 2, false, 2, FIT_EXACT},
    {0, VLLM, 3, true, 3, FIT_OTHER_VERSION}, /* four devices stand for three */
    {0, VLLM, 4, false, 3, FIT_EXACT},        /* the only variant there is */
    {0, VLLM, 8, true, 5, FIT_OTHER_ENGINE},  /* the vendor's library reaches eight */
    {0, SGLANG, 2, true, 4, FIT_OTHER_ENGINE}, {0, VLLM, 16, true, 0, FIT_NONE},
    {1, VLLM, 2, true, 0, FIT_NONE},
};

static void collectives_are_found_in_order(void **state)
{
    struct comm_fit comms[] = {
        COMM(0, VLLM, 2, true, 1), COMM(0, VLLM, 2, false, 2), COMM(0, VLLM, 4, true, 3),
        COMM(0, -1, 2, false, 4),  COMM(0, -1, 8, false, 5),
    };
    const struct library lib = sample(NULL, 0, comms, (int)ARRAY_LEN(comms));
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(COMM_ROWS); i++) {
        const struct comm_row *row = &COMM_ROWS[i];
        enum fit_match match = FIT_EXACT;
        const struct comm_fit *fit = library_comm_fit(
            &lib, &PARTS[row->part], &ENGINES[row->engine], row->devices, row->graph, &match);
        assert_near(fit ? fit->t0_us : 0, row->t0_us, 0);
        assert_int_equal(match, row->match);
    }
    enum fit_match match = FIT_EXACT;
    assert_null(library_comm_fit(&lib, &INLINE_PART, &ENGINES[VLLM], 2, true, &match));
}

static void records_are_found_by_id(void **state)
{
    static const struct model MODELS[] = {{.id = "m"}};
    static const struct weight_format WEIGHTS[] = {{.id = "bf16"}};
    static const struct kv_format KV[] = {{.id = "fp8"}};
    const struct library lib = {.models = MODELS,
                                .n_models = 1,
                                .hardware = PARTS,
                                .n_hardware = 2,
                                .weight_formats = WEIGHTS,
                                .n_weight_formats = 1,
                                .kv_formats = KV,
                                .n_kv_formats = 1,
                                .engines = ENGINES,
                                .n_engines = 3};
    (void)state;
    assert_ptr_equal(library_model(&lib, "m"), &MODELS[0]);
    assert_ptr_equal(library_hardware(&lib, "b"), &PARTS[1]);
    assert_ptr_equal(library_weight_format(&lib, "bf16"), &WEIGHTS[0]);
    assert_ptr_equal(library_kv_format(&lib, "fp8"), &KV[0]);
    assert_ptr_equal(library_engine(&lib, "trtllm"), &ENGINES[TRTLLM]);
    assert_null(library_model(&lib, "x"));
    assert_null(library_hardware(&lib, "x"));
    assert_null(library_weight_format(&lib, "x"));
    assert_null(library_kv_format(&lib, "x"));
    assert_null(library_engine(&lib, "x"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fits_are_found_in_order),
        cmocka_unit_test(collectives_are_found_in_order),
        cmocka_unit_test(records_are_found_by_id),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
