#include "kernel_tables.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "csv_text.h"
#include "fit.h"
#include "import_files.h"
#include "kernel_fit.h"
#include "sql.h"
#include "units.h"

#define PATH_MAX_BYTES 4096
#define TABLES_MAX 256
#define KEY_MAX 40

enum key { KEY_HARDWARE, KEY_ENGINE, KEY_VERSION, KEY_DTYPE, KEY_COUNT };

static const char *const KEYS[KEY_COUNT] = {
    [KEY_HARDWARE] = "hardware",
    [KEY_ENGINE] = "engine",
    [KEY_VERSION] = "engine_version",
    [KEY_DTYPE] = "dtype",
};

/* What a type stores, scales included; int4 in groups of 64 as the fits of the kernel database
 * count it. */
static const struct gemm_type {
    enum fit_dtype dtype;
    double weight_bytes, input_bytes;
} TYPES[] = {
    {FIT_BF16, 2.0, 2.0},        {FIT_FP8, 1.0, 1.0}, {FIT_FP8_BLOCK, 1.0, 1.0},
    {FIT_NVFP4, 0.5625, 1.0},    {FIT_SQ, 1.0, 1.0},  {FIT_INT8_WO, 1.0, 2.0},
    {FIT_INT4_WO, 0.53125, 2.0},
};

#define OUTPUT_BYTES 2.0

/* The least and the greatest that was measured. */
struct span {
    double least, greatest;
};

/* The kernels of one part, engine, version and type. */
struct gemm_table {
    char key[KEY_COUNT][KEY_MAX];
    const struct gemm_type *type;
    double bw_gbps, peak_tflops; /* 0 = the part has no fits */
    struct kernel_constants plain, shapes;
    bool has_plain;
    struct span width, rows;
    struct kernel_cell cells[KERNEL_CELLS_MAX];
    int n, n_matrices;
    double error[KERNEL_CELLS_MAX];
    struct kernel_error of_plain, of_shapes, left_out;
};

struct gemm_tables {
    struct gemm_table *items;
    int n;
    int faults;
};

static void fault(struct gemm_tables *tables, const char *what, const char *about)
{
    fprintf(stderr, "regimed: gemm.csv: %s %s\n", what, about);
    tables->faults++;
}

static double number(struct gemm_tables *tables, const char *text)
{
    char *end = NULL;
    double value = strtod(text, &end);
    if (end == text || *end != '\0' || !isfinite(value) || value <= 0.0)
        fault(tables, "no size or time:", text);
    return value;
}

static void span_take(struct span *span, double value)
{
    span->least = span->greatest > 0.0 ? fmin(span->least, value) : value;
    span->greatest = fmax(span->greatest, value);
}

static const struct gemm_type *type_of(const char *dtype)
{
    for (size_t i = 0; i < ARRAY_LEN(TYPES); i++)
        if (TYPES[i].dtype == fit_dtype_parse(dtype))
            return &TYPES[i];
    return NULL;
}

/* Whether a line is of a table; its columns have the names of the keys. */
static bool same_key(const struct gemm_table *table, enum key from, const char *const *names,
                     const char *const *values, int n)
{
    for (int key = (int)from; key < KEY_COUNT; key++)
        if (strcmp(table->key[key], csv_cell_or(names, values, n, KEYS[key], "")) != 0)
            return false;
    return true;
}

/* The table of a line, which may be its first; NULL after a fault. */
static struct gemm_table *table_of(struct gemm_tables *tables, const char *const *names,
                                   const char *const *values, int n)
{
    if (tables->n > 0 && same_key(&tables->items[tables->n - 1], KEY_HARDWARE, names, values, n))
        return &tables->items[tables->n - 1];
    const char *dtype = csv_cell_or(names, values, n, KEYS[KEY_DTYPE], "");
    if (tables->n == TABLES_MAX || type_of(dtype) == NULL) {
        fault(tables, "too many tables, or an unknown type:", dtype);
        return NULL;
    }
    struct gemm_table *table = &tables->items[tables->n++];
    table->type = type_of(dtype);
    for (int key = 0; key < KEY_COUNT; key++)
        if (!text_print(table->key[key], KEY_MAX, "%s",
                        csv_cell_or(names, values, n, KEYS[key], "")))
            fault(tables, "a name is too long in", KEYS[key]);
    return table;
}

/* A line is a matrix; memory and compute are counted in bytes and flops until the part's bandwidth
 * and peak are known. */
static void take_matrix(void *context, const char *const *names, const char *const *values, int n)
{
    struct gemm_tables *tables = context;
    struct gemm_table *table = values != NULL ? table_of(tables, names, values, n) : NULL;
    if (table == NULL || table->n + n > KERNEL_CELLS_MAX) {
        fault(tables, "a line that is not like its header, or one too many:",
              values != NULL ? values[0] : "");
        return;
    }
    double columns = number(tables, csv_cell_or(names, values, n, "n", ""));
    double depth = number(tables, csv_cell_or(names, values, n, "k", ""));
    span_take(&table->width, columns);
    span_take(&table->width, depth);
    for (int i = 0; i < n; i++) {
        if (names[i][0] != 'm')
            continue;
        double rows = number(tables, names[i] + 1);
        span_take(&table->rows, rows);
        table->cells[table->n++] = (struct kernel_cell){
            .rows = rows,
            .memory_us = columns * depth * table->type->weight_bytes +
                         rows * depth * table->type->input_bytes + OUTPUT_BYTES * rows * columns,
            .compute_us = 2.0 * rows * columns * depth,
            .measured_us = number(tables, values[i]),
            .shape = table->n_matrices,
        };
    }
    table->n_matrices++;
}

struct plain_reading {
    struct gemm_tables *tables;
    const char *hardware;
};

/* A line of a part's plain fits: what it counts in holds for the tables of the part, the rest for
 * the table of its engine, version and type. */
static void take_plain(void *context, const char *const *names, const char *const *values, int n)
{
    const struct plain_reading *reading = context;
    if (values == NULL || strcmp(csv_cell_or(names, values, n, "op", ""), "gemm") != 0)
        return;
#define FIGURE(NAME) strtod(csv_cell_or(names, values, n, NAME, "0"), NULL)
    for (int i = 0; i < reading->tables->n; i++) {
        struct gemm_table *table = &reading->tables->items[i];
        if (strcmp(table->key[KEY_HARDWARE], reading->hardware) != 0)
            continue;
        table->bw_gbps = FIGURE("fit_bw_gbps");
        table->peak_tflops = FIGURE("fit_peak_bf16_tflops");
        if (!same_key(table, KEY_ENGINE, names, values, n))
            continue;
        table->plain =
            (struct kernel_constants){FIGURE("e_m"), FIGURE("e_c"), FIGURE("t0_us"), FIGURE("q")};
        table->has_plain = true;
    }
#undef FIGURE
}

static bool read_text(const char *folder, const char *name, char **ret_text)
{
    char path[PATH_MAX_BYTES];
    size_t length = 0;
    *ret_text = text_print(path, sizeof(path), "%s/%s", folder, name)
                    ? import_file_read(path, &length)
                    : NULL;
    if (*ret_text == NULL)
        fprintf(stderr, "regimed: %s/%s cannot be read\n", folder, name);
    return *ret_text != NULL;
}

/* Reads the plain fits of the part of table `first`, and turns its cells' bytes and flops to times.
 */
static bool read_plain(struct gemm_tables *tables, int first, const char *folder)
{
    char name[PATH_MAX_BYTES], *text;
    struct plain_reading reading = {tables, tables->items[first].key[KEY_HARDWARE]};
    (void)text_print(name, sizeof(name), "../fits/%s.csv", reading.hardware);
    if (!read_text(folder, name, &text))
        return false;
    csv_text_each(text, take_plain, &reading);
    free(text);
    for (int i = first; i < tables->n; i++) {
        struct gemm_table *table = &tables->items[i];
        if (strcmp(table->key[KEY_HARDWARE], reading.hardware) != 0)
            continue;
        if (!(table->bw_gbps > 0.0 && table->peak_tflops > 0.0)) {
            fault(tables, "no bandwidth and peak of fits are known for", reading.hardware);
            return false;
        }
        double flops_us =
            table->peak_tflops * FLOPS_PER_US_PER_TFLOPS * fit_peak_factor(table->type->dtype);
        for (int j = 0; j < table->n; j++) {
            table->cells[j].memory_us /= table->bw_gbps * BYTES_PER_US_PER_GBPS;
            table->cells[j].compute_us /= flops_us;
        }
    }
    return true;
}

static bool read_tables(struct gemm_tables *tables, const char *folder)
{
    char *text;
    if (!read_text(folder, "gemm.csv", &text))
        return false;
    csv_text_each(text, take_matrix, tables);
    free(text);
    for (int i = 0; i < tables->n && tables->faults == 0; i++)
        if (tables->items[i].bw_gbps == 0.0 && !read_plain(tables, i, folder))
            return false;
    return tables->faults == 0 && tables->n > 0;
}

static double rounded(double value, double unit)
{
    return round(value * unit) / unit;
}

/* The errors of constants over a table; they stay in table->error. */
static struct kernel_error errors_of(struct gemm_table *table,
                                     const struct kernel_constants *constants)
{
    for (int i = 0; i < table->n; i++)
        table->error[i] = kernel_cell_error(constants, &table->cells[i]);
    return kernel_error_of(table->cells, table->error, table->n);
}

/* Fits a table, all of it and each matrix left out. Errors are those of the figures as written. */
static void fit_table(struct gemm_table *table)
{
    struct kernel_constants found = kernel_fit_start();
    kernel_fit(table->cells, table->n, -1, &found);
    table->shapes = (struct kernel_constants){rounded(found.e_m, 1e4), rounded(found.e_c, 1e4),
                                              rounded(found.t0_us, 1e3), rounded(found.q, 1e3)};
    if (table->has_plain)
        table->of_plain = errors_of(table, &table->plain);
    table->of_shapes = errors_of(table, &table->shapes);
    for (int matrix = 0; matrix < table->n_matrices; matrix++) {
        struct kernel_constants without = found;
        kernel_fit(table->cells, table->n, matrix, &without);
        for (int i = 0; i < table->n; i++)
            if (table->cells[i].shape == matrix)
                table->error[i] = kernel_cell_error(&without, &table->cells[i]);
    }
    table->left_out = kernel_error_of(table->cells, table->error, table->n);
}

static void print_error(FILE *report, const struct kernel_error *error)
{
    fprintf(report, " | %6.1f %6.1f  %+6.1f %+6.1f %+6.1f", 100.0 * error->median_abs,
            100.0 * error->p90_abs, 100.0 * error->bias[ROWS_FEW], 100.0 * error->bias[ROWS_MANY],
            100.0 * error->bias[ROWS_MOST]);
}

static void print_report(const struct gemm_tables *tables, FILE *report)
{
    static const struct kernel_error NONE = {NAN, NAN, {NAN, NAN, NAN}};
    fprintf(report,
            "GEMM kernels, errors in %%: median and p90 of |error|, then the median error of 1-32, "
            "64-2048 and more rows\n%-20s %-7s %-10s %-10s |%-35s |%-35s | a matrix left out\n",
            "part", "engine", "version", "type", " plain fit", " fit of these shapes");
    for (int i = 0; i < tables->n; i++) {
        const struct gemm_table *table = &tables->items[i];
        fprintf(report, "%-20s %-7s %-10s %-10s", table->key[KEY_HARDWARE], table->key[KEY_ENGINE],
                table->key[KEY_VERSION], table->key[KEY_DTYPE]);
        print_error(report, table->has_plain ? &table->of_plain : &NONE);
        print_error(report, &table->of_shapes);
        fprintf(report, " | %6.1f %6.1f\n", 100.0 * table->left_out.median_abs,
                100.0 * table->left_out.p90_abs);
    }
}

static const char HEAD[] =
    "# Smooth roofline t = ((bytes/(e_m BW))^q + (flops/(e_c peak))^q)^(1/q) + t0 of matrix "
    "products "
    "as layers of models have them; form shapes, preferred over the plain fit of all sizes.\n"
    "# Written by `regimed fit-kernels` from db/records/kernels/gemm.csv (the kernel database of "
    "NVIDIA's aiconfigurator, Apache-2.0, https://github.com/ai-dynamo/aiconfigurator commit "
    "095f58a).\n"
    "# bytes = n k w + m k a + 2 m n (a = 2 for 16-bit, 1 for quantised inputs), flops = 2 m n k, "
    "peak = that of bfloat16 times 2 (8 bits) or 4 (nvfp4); Huber's norm of log residuals, 1 <= q "
    "<= 8.\n"
    "# Measured for m rows up to rows_max and n, k from width_min to width_max. bias_*: median of "
    "predicted/measured - 1 by rows; *_matrix_out: errors with each matrix left out of its fit.\n"
    "hardware,op,form,engine,engine_version,dtype,e_m,e_c,t0_us,q,n,median_abs_err,p90_abs_err,"
    "median_abs_err_matrix_out,p90_abs_err_matrix_out,bias_1_32,bias_64_2048,bias_4096_up,rows_max,"
    "width_min,width_max,fit_bw_gbps,fit_peak_bf16_tflops\n";

static void write_row(FILE *file, const struct gemm_table *table)
{
    fprintf(file, "%s,%s,%s,%s,%s,%s", table->key[KEY_HARDWARE], fit_op_name(FIT_GEMM),
            fit_form_name(FIT_FORM_SHAPES), table->key[KEY_ENGINE], table->key[KEY_VERSION],
            table->key[KEY_DTYPE]);
    fprintf(file, ",%.4f,%.4f,%.3f,%.3f,%d", table->shapes.e_m, table->shapes.e_c,
            table->shapes.t0_us, table->shapes.q, table->n);
    fprintf(file, ",%.3f,%.3f,%.3f,%.3f", table->of_shapes.median_abs, table->of_shapes.p90_abs,
            table->left_out.median_abs, table->left_out.p90_abs);
    for (int class = 0; class < ROWS_CLASS_COUNT; class ++)
        if (isnan(table->of_shapes.bias[class]))
            fputs(",", file);
        else
            fprintf(file, ",%.3f", table->of_shapes.bias[class]);
    fprintf(file, ",%g,%g,%g,%g,%g\n", table->rows.greatest, table->width.least,
            table->width.greatest, table->bw_gbps, table->peak_tflops);
}

static bool write_fits(const struct gemm_tables *tables, const char *out)
{
    char path[PATH_MAX_BYTES];
    FILE *file =
        text_print(path, sizeof(path), "%s/gemm-shapes.csv", out) ? fopen(path, "w") : NULL;
    if (file == NULL) {
        fprintf(stderr, "regimed: cannot write into %s\n", out);
        return false;
    }
    fputs(HEAD, file);
    for (int i = 0; i < tables->n; i++)
        write_row(file, &tables->items[i]);
    bool written = ferror(file) == 0;
    return fclose(file) == 0 && written;
}

bool kernel_tables_fit(const char *folder, const char *out, FILE *report)
{
    struct gemm_tables tables = {.items = calloc(TABLES_MAX, sizeof(*tables.items))};
    bool done = tables.items != NULL && read_tables(&tables, folder);
    for (int i = 0; i < tables.n && done; i++)
        fit_table(&tables.items[i]);
    if (done)
        print_report(&tables, report);
    if (done && out != NULL)
        done = write_fits(&tables, out);
    free(tables.items);
    return done;
}
