/* Fits of measured kernels: known constants are found again, and the bundled tables give the
 * bundled fits. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../db/scratch.h"
#include "../figures.h"
#include "../files.h"
#include "compiler.h"
#include "kernel_fit.h"
#include "kernel_tables.h"

#define ROW_STEPS 14

/* H100: 3,350 GB/s, 989.5 Tflop/s of 16 bits, twice that of 8. */
#define BYTES_US 3350e3
#define FP8_FLOPS_US (2 * 989.5e6)

static struct kernel_cell fp8_cell(double rows, double columns, double depth)
{
    return (struct kernel_cell){
        .rows = rows,
        .memory_us = (columns * depth + rows * depth + 2 * rows * columns) / BYTES_US,
        .compute_us = 2 * rows * columns * depth / FP8_FLOPS_US,
    };
}

/* Five matrices of Llama and DeepSeek at 1 to 8,192 rows, timed by exact constants; `noise` spoils
 * every seventh cell by that factor. */
static int synthetic(const struct kernel_constants *truth, double noise, struct kernel_cell *cells)
{
    static const double WIDTHS[][2] = {
        {4096, 4096}, {2048, 7168}, {8192, 8192}, {16384, 8192}, {7168, 2048}};
    int n = 0;
    for (int shape = 0; shape < (int)ARRAY_LEN(WIDTHS); shape++)
        for (int step = 0; step < ROW_STEPS; step++) {
            cells[n] = fp8_cell(ldexp(1, step), WIDTHS[shape][0], WIDTHS[shape][1]);
            cells[n].shape = shape;
            cells[n].measured_us = kernel_time_us(truth, &cells[n]) * (n % 7 == 3 ? noise : 1);
            n++;
        }
    return n;
}

static const struct {
    struct kernel_constants truth;
    double noise, tolerance;
} TRUTHS[] = {
    {{0.83, 0.57, 6.5, 3.6}, 1, 0.001},
    {{0.55, 0.9, 16, 1.3}, 1, 0.001},
    {{0.95, 0.45, 3, 1}, 1, 0.001}, /* q at its bound */
    /* one cell in seven is off by half: Huber's norm lets it pull a little */
    {{0.83, 0.57, 6.5, 3.6}, 1.5, 0.08},
};

static void known_constants_are_found(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(TRUTHS); i++) {
        struct kernel_cell cells[KERNEL_CELLS_MAX];
        const struct kernel_constants *truth = &TRUTHS[i].truth;
        double near = TRUTHS[i].tolerance;
        int n = synthetic(truth, TRUTHS[i].noise, cells);
        struct kernel_constants found = kernel_fit_start();
        kernel_fit(cells, n, -1, &found);
        assert_near(found.e_m / truth->e_m, 1, near);
        assert_near(found.e_c / truth->e_c, 1, near);
        assert_near(found.t0_us / truth->t0_us, 1, near);
        if (TRUTHS[i].noise == 1)
            assert_near(found.q / truth->q, 1, near);
    }
}

/* What is left out does not count: the third matrix is ten times slower, and nobody notices. */
static void a_matrix_is_left_out(void **state)
{
    struct kernel_cell cells[KERNEL_CELLS_MAX];
    const struct kernel_constants *truth = &TRUTHS[0].truth;
    int n = synthetic(truth, 1, cells);
    (void)state;
    for (int i = 0; i < n; i++)
        cells[i].measured_us *= cells[i].shape == 2 ? 10 : 1;
    struct kernel_constants found = kernel_fit_start();
    kernel_fit(cells, n, 2, &found);
    assert_near(found.e_m / truth->e_m, 1, 0.001);
    assert_near(found.q / truth->q, 1, 0.001);
}

/*
 * H100, vLLM 0.24.0, fp8, 8,192 x 8,192 (db/records/kernels/gemm.csv): 256 rows took 37.72 us.
 * 73,400,320 B over 0.8297 x 3,350 GB/s are 26.408 us, 34.360 Gflop over 0.5728 x 1,979 Tflop/s are
 * 30.311 us; their 3.595-norm 34.600 + 6.527 = 41.127 us: 9.0 % over. The plain fit (0.895, 0.503,
 * 7.36, q = 1) adds 24.481 + 34.517 + 7.36 = 66.358 us: 75.9 % over.
 */
static void a_measured_kernel(void **state)
{
    static const struct kernel_constants SHAPES = {0.8297, 0.5728, 6.527, 3.595};
    static const struct kernel_constants PLAIN = {0.895, 0.503, 7.36, 1.0};
    struct kernel_cell cell = fp8_cell(256, 8192, 8192);
    cell.measured_us = 37.72;
    (void)state;
    assert_near(kernel_time_us(&SHAPES, &cell), 41.1268095, 1e-6);
    assert_near(kernel_cell_error(&SHAPES, &cell), 0.0903, 1e-4);
    assert_near(kernel_time_us(&PLAIN, &cell), 66.3582945, 1e-6);
    assert_near(kernel_cell_error(&PLAIN, &cell), 0.7592, 1e-4);
}

/* Errors of five cells: |error| 1, 2, 3, 4, 10 %, the median 3, the ninth tenth 10; by rows -2 of
 * {-4, -2, 3} (1 to 32 rows) and 1 of {1, 10} (the lower of two); no cell has more rows. */
static void errors_are_summed_up_by_rows(void **state)
{
    static const struct kernel_cell CELLS[] = {
        {.rows = 1}, {.rows = 32}, {.rows = 64}, {.rows = 8}, {.rows = 2048}};
    static const double ERRORS[] = {-0.02, 0.03, 0.01, -0.04, 0.1};
    struct kernel_error sum = kernel_error_of(CELLS, ERRORS, (int)ARRAY_LEN(CELLS));
    (void)state;
    assert_figure(sum.median_abs, 0.03);
    assert_figure(sum.p90_abs, 0.1);
    assert_figure(sum.bias[ROWS_FEW], -0.02);
    assert_figure(sum.bias[ROWS_MANY], 0.01);
    assert_true(isnan(sum.bias[ROWS_MOST]));
}

/* Whether two cells are the same text, or numbers that differ in the last figure that is written.
 */
static bool same_cell(const char *a, size_t n_a, const char *b, size_t n_b)
{
    if (n_a == n_b && memcmp(a, b, n_a) == 0)
        return true;
    char *end_a, *end_b;
    double x = strtod(a, &end_a), y = strtod(b, &end_b);
    return end_a == a + n_a && end_b == b + n_b && fabs(x - y) <= 0.0015;
}

/* The fits of the bundle are what the program writes from its tables, but for the rounding of a
 * machine whose pow() differs in its last bit. */
static void the_bundled_fits_are_those_of_the_tables(void **state)
{
    char path[SCRATCH_PATH_MAX];
    struct scratch scratch = scratch_new();
    FILE *report = tmpfile();
    (void)state;
    assert_non_null(report);
    assert_true(kernel_tables_fit(SOURCE_DIR "/db/records/kernels", scratch.folder, report));
    assert_true(ftell(report) > 1000);
    fclose(report);
    char *written = read_file(scratch_path(&scratch, "gemm-shapes.csv", path));
    char *bundled = read_file(SOURCE_DIR "/db/records/fits/gemm-shapes.csv");
    const char *a = written, *b = bundled;
    for (int line = 1; *a && *b;) {
        size_t n_a = strcspn(a, ",\n"), n_b = strcspn(b, ",\n");
        if (!same_cell(a, n_a, b, n_b) || a[n_a] != b[n_b])
            fail_msg("line %d: %.*s where the bundle has %.*s (regimed fit-kernels)", line,
                     (int)n_a, a, (int)n_b, b);
        line += a[n_a] == '\n';
        a += n_a + (a[n_a] != '\0');
        b += n_b + (b[n_b] != '\0');
    }
    assert_int_equal(*a, *b);
    free(written);
    free(bundled);
    scratch_remove(&scratch);
}

#define HEADER "hardware,engine,engine_version,dtype,n,k,m1,m2\n"

/* What no table may hold; the part's fits are missing for all of them. */
static const char *const BAD_TABLES[] = {
    HEADER,
    HEADER "part,vllm,0.24.0,fp8,4096,4096,20.5\n",
    HEADER "part,vllm,0.24.0,fp9,4096,4096,20.5,21\n",
    HEADER "part,vllm,0.24.0,fp8,4096,-1,20.5,21\n",
    HEADER "part,vllm,0.24.0,fp8,4096,4096,20.5,nan\n",
    HEADER "part,vllm,0.24.0,fp8,4096,4096,20.5,21\n",
    HEADER "a-part-whose-name-goes-on-and-on-and-on-and-on,vllm,0.24.0,fp8,4096,4096,20.5,21\n",
};

static void bad_tables_are_refused(void **state)
{
    char path[SCRATCH_PATH_MAX];
    struct scratch scratch = scratch_new();
    FILE *report = tmpfile();
    (void)state;
    assert_non_null(report);
    assert_false(kernel_tables_fit(scratch.folder, NULL, report));
    for (size_t i = 0; i < ARRAY_LEN(BAD_TABLES); i++) {
        scratch_write(scratch_path(&scratch, "gemm.csv", path), BAD_TABLES[i],
                      strlen(BAD_TABLES[i]));
        assert_false(kernel_tables_fit(scratch.folder, NULL, report));
    }
    /* The tables are fine, the folder to write into is not there. */
    assert_false(kernel_tables_fit(SOURCE_DIR "/db/records/kernels",
                                   scratch_path(&scratch, "no-folder", path), report));
    fclose(report);
    scratch_remove(&scratch);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(known_constants_are_found),
        cmocka_unit_test(a_matrix_is_left_out),
        cmocka_unit_test(a_measured_kernel),
        cmocka_unit_test(errors_are_summed_up_by_rows),
        cmocka_unit_test(the_bundled_fits_are_those_of_the_tables),
        cmocka_unit_test(bad_tables_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
