/*
 * Rows of measured kernels against the fits that the catalogue serves for them.
 *
 * Source: aiconfigurator's kernel database (Apache-2.0), commit 095f58a: gemm_perf,
 * context_attention_perf and generation_attention_perf of <part>/<engine>/<version>, nccl_perf of
 * NCCL 2.29.2 and the engines' custom_allreduce_perf.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "catalogue.h"
#include "compiler.h"
#include "roofline.h"
#include "store.h"
#include "units.h"

static int open_store(void **state)
{
    char error[STORE_ERROR_MAX];
    struct store *store = NULL;
    if (!store_open(NULL, &store, error)) {
        print_error("%s\n", error);
        return -1;
    }
    *state = store;
    return 0;
}

static int close_store(void **state)
{
    store_close(*state);
    return 0;
}

/* A GEMM of K x N at M rows. */
static const struct gemm_row {
    const char *part, *engine;
    enum fit_dtype dtype;
    double bytes_per_weight, peak_factor, n, k, m;
    double us;
} GEMM_ROWS[] = {
    {"h100-sxm", "vllm", FIT_BF16, 2, 1, 4096, 12288, 1, 37.28},
    {"h100-sxm", "vllm", FIT_BF16, 2, 1, 4096, 12288, 64, 40.11},
    {"h100-sxm", "vllm", FIT_BF16, 2, 1, 4096, 12288, 8192, 1094.21},
    {"h100-sxm", "vllm", FIT_BF16, 2, 1, 2048, 7168, 1, 13.57},
    {"h100-sxm", "vllm", FIT_FP8, 1, 2, 4096, 12288, 1, 27.77},
    {"h100-sxm", "vllm", FIT_FP8, 1, 2, 4096, 12288, 1024, 105.88},
    {"h100-sxm", "vllm", FIT_FP8, 1, 2, 4096, 12288, 8192, 707.21},
    {"h100-sxm", "tensorrt-llm", FIT_FP8, 1, 2, 4096, 12288, 1, 32.43},
    {"h100-sxm", "tensorrt-llm", FIT_FP8, 1, 2, 4096, 12288, 8192, 782.99},
    {"h200-sxm", "vllm", FIT_BF16, 2, 1, 5120, 5120, 64, 17.94},
    {"h200-sxm", "vllm", FIT_FP8, 1, 2, 4096, 12288, 1024, 92.71},
    {"h200-sxm", "tensorrt-llm", FIT_BF16, 2, 1, 4096, 4096, 8192, 385.06},
    {"b200-sxm", "vllm", FIT_BF16, 2, 1, 4096, 12288, 1, 20.32},
    {"b200-sxm", "vllm", FIT_BF16, 2, 1, 4096, 12288, 8192, 538.2},
    {"b200-sxm", "vllm", FIT_NVFP4, 0.5625, 4, 4096, 12288, 64, 14.94},
    {"b200-sxm", "vllm", FIT_NVFP4, 0.5625, 4, 4096, 12288, 8192, 211.9},
    {"b200-sxm", "tensorrt-llm", FIT_FP8, 1, 2, 4096, 12288, 1, 24.95},
    {"b200-sxm", "tensorrt-llm", FIT_NVFP4, 0.5625, 4, 4096, 12288, 8192, 241.3},
};

/* Attention of 64 query and 8 KV heads, 128 wide, one layer. */
static const struct attention_row {
    const char *part, *engine;
    enum fit_op op;
    enum fit_dtype dtype;
    double kv_bytes, sequences, tokens;
    double us;
} ATTENTION_ROWS[] = {
    {"h100-sxm", "vllm", FIT_DECODE_ATTENTION, FIT_KV_BF16, 2, 8, 1024, 18.57},
    {"h100-sxm", "vllm", FIT_DECODE_ATTENTION, FIT_KV_BF16, 2, 8, 8192, 100.62},
    {"h100-sxm", "vllm", FIT_DECODE_ATTENTION, FIT_KV_FP8, 1, 64, 1024, 75.94},
    {"h200-sxm", "tensorrt-llm", FIT_DECODE_ATTENTION, FIT_KV_FP8, 1, 8, 1024, 15.42},
    {"b200-sxm", "vllm", FIT_DECODE_ATTENTION, FIT_KV_BF16, 2, 64, 1024, 48.94},
    {"b200-sxm", "tensorrt-llm", FIT_DECODE_ATTENTION, FIT_KV_FP8, 1, 8, 8192, 33.58},
    {"h100-sxm", "vllm", FIT_PREFILL_ATTENTION, FIT_KV_BF16, 2, 1, 1024, 56.7},
    {"h100-sxm", "vllm", FIT_PREFILL_ATTENTION, FIT_KV_BF16, 2, 1, 8192, 1834.7},
    {"h100-sxm", "tensorrt-llm", FIT_PREFILL_ATTENTION, FIT_KV_BF16, 2, 1, 8192, 2165.3},
    {"h200-sxm", "vllm", FIT_PREFILL_ATTENTION, FIT_KV_BF16, 2, 1, 16384, 6767.0},
    {"b200-sxm", "vllm", FIT_PREFILL_ATTENTION, FIT_KV_BF16, 2, 1, 8192, 931.6},
};

/* A collective of that many 2-byte elements; sent is f of t = ((f bytes/bus)^q + t0^q)^(1/q). */
static const struct collective_row {
    const char *part, *engine;
    enum comm_op op;
    double devices, sent, elements;
    double us;
} COLLECTIVE_ROWS[] = {
    {"h100-sxm", "tensorrt-llm", COMM_ALL_REDUCE, 8, 7.0 / 4, 1048576, 35.49},
    {"h100-sxm", "tensorrt-llm", COMM_ALL_REDUCE, 8, 7.0 / 4, 4096, 3.54},
    {"h100-sxm", "vllm", COMM_ALL_REDUCE, 2, 1, 262144, 6.32},
    {"b200-sxm", "vllm", COMM_ALL_REDUCE, 4, 3.0 / 2, 8388608, 68.01},
    {"h100-sxm", "vllm", COMM_ALL_GATHER, 8, 7.0 / 8, 65536, 13.6},
    {"h100-sxm", "vllm", COMM_ALL_GATHER, 8, 7.0 / 8, 1048576, 22.2},
    {"h100-sxm", "vllm", COMM_REDUCE_SCATTER, 8, 7.0 / 8, 4194304, 43.8},
    {"b200-sxm", "sglang", COMM_REDUCE_SCATTER, 8, 7.0 / 8, 1048576, 21.0},
    {"h200-sxm", "tensorrt-llm", COMM_ALL_TO_ALL, 8, 7.0 / 8, 16777216, 124.1},
};

static const struct op_fit *fit_for(const struct library *lib, const char *part, const char *engine,
                                    enum fit_op op, enum fit_dtype dtype)
{
    const struct engine *row = library_engine(lib, engine);
    const struct fit_query query = {op, &dtype, 1, true};
    enum fit_match match = FIT_NONE;
    const struct op_fit *fit =
        library_op_fit(lib, library_hardware(lib, part), row, row->latest, &query, &match);
    assert_non_null(fit);
    assert_int_equal(fit->engine, row->index);
    assert_true(match == FIT_EXACT || match == FIT_OTHER_VERSION);
    return fit;
}

static double fitted_us(const struct library *lib, const char *part, const struct op_fit *fit,
                        double peak_factor, double bytes, double flops)
{
    const struct hardware *hw = library_hardware(lib, part);
    struct roof roof =
        roof_from_fit(hw->bw_bytes_us, hw->peak_flops_us[DTYPE_BF16] * peak_factor, fit, FIT_EXACT);
    return roof_eval(&roof, bytes, bytes, flops).time_us + roof.t0_us;
}

/* How often a fit was off by more than the error allowed. */
struct misses {
    size_t n, rows;
};

static void compare(const char *what, double got, double want, double error, struct misses *misses)
{
    double off = fabs(got / want - 1);
    misses->rows++;
    misses->n += off > error;
    if (!(off <= 2 * error)) {
        fail_msg("%s: %g, measured %g, %.0f %% is its p90 error", what, got, want, 100 * error);
    }
}

static void nine_of_ten(const struct misses *misses)
{
    if (misses->n > (misses->rows + 9) / 10) {
        fail_msg("%zu of %zu rows are off by more than their p90 error", misses->n, misses->rows);
    }
}

/* Nine of ten measured kernels lie within the fit's own p90 error, and none of these at twice that.
 * Bytes as fitted: N K w + M K a + 2 M N, a = 2 for 16-bit inputs and 1 for quantised ones. */
static void gemms_are_met(void **state)
{
    const struct catalogue *cat = store_catalogue(*state);
    struct misses misses = {0, 0};
    for (size_t i = 0; i < ARRAY_LEN(GEMM_ROWS); i++) {
        const struct gemm_row *row = &GEMM_ROWS[i];
        const struct op_fit *fit = fit_for(&cat->lib, row->part, row->engine, FIT_GEMM, row->dtype);
        double input = row->dtype == FIT_BF16 ? 2 : 1;
        double bytes =
            row->n * row->k * row->bytes_per_weight + row->m * row->k * input + 2 * row->m * row->n;
        double us = fitted_us(&cat->lib, row->part, fit, row->peak_factor, bytes,
                              2 * row->m * row->n * row->k);
        compare(fit->record, us, row->us, fit->p90_abs_err, &misses);
    }
    nine_of_ten(&misses);
    store_release(*state, cat);
}

static void attention_is_met(void **state)
{
    const struct catalogue *cat = store_catalogue(*state);
    struct misses misses = {0, 0};
    for (size_t i = 0; i < ARRAY_LEN(ATTENTION_ROWS); i++) {
        const struct attention_row *row = &ATTENTION_ROWS[i];
        const struct op_fit *fit = fit_for(&cat->lib, row->part, row->engine, row->op, row->dtype);
        bool decode = row->op == FIT_DECODE_ATTENTION;
        double queries = decode ? row->sequences : row->tokens;
        double pairs = decode ? row->sequences * row->tokens : row->tokens * row->tokens / 2;
        double bytes =
            2 * row->sequences * row->tokens * 8 * 128 * row->kv_bytes + 4 * queries * 64 * 128;
        double us = fitted_us(&cat->lib, row->part, fit, 1, bytes, 4 * 64 * 128 * pairs);
        compare(fit->record, us, row->us, fit->p90_abs_err, &misses);
    }
    nine_of_ten(&misses);
    store_release(*state, cat);
}

/* A collective's record has its median error alone: three times that, 15 % at least, stands for its
 * p90. */
static void collectives_are_met(void **state)
{
    const struct catalogue *cat = store_catalogue(*state);
    struct misses misses = {0, 0};
    for (size_t i = 0; i < ARRAY_LEN(COLLECTIVE_ROWS); i++) {
        const struct collective_row *row = &COLLECTIVE_ROWS[i];
        const struct engine *engine = library_engine(&cat->lib, row->engine);
        enum fit_match match = FIT_NONE;
        const struct comm_fit *fit =
            library_comm_fit(&cat->lib, library_hardware(&cat->lib, row->part), engine, row->op,
                             row->devices, true, &match);
        assert_non_null(fit);
        assert_int_equal(match, FIT_EXACT);
        assert_int_equal(fit->op, row->op);
        double wire = 2 * row->elements * row->sent / fit->bus_bytes_us;
        double us = pow(pow(wire, fit->q) + pow(fit->t0_us, fit->q), 1 / fit->q);
        compare(fit->record, us, row->us, fmax(3 * fit->median_abs_err, 0.15), &misses);
    }
    nine_of_ten(&misses);
    store_release(*state, cat);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gemms_are_met),
        cmocka_unit_test(attention_is_met),
        cmocka_unit_test(collectives_are_met),
    };
    return cmocka_run_group_tests(tests, open_store, close_store);
}
