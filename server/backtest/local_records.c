/*
 * local_records.c - the constants of local engines as lines of db/records/calibration/local.csv.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "local_report.h"
#include "regression.h"

#define LINES_START 512

/* Scopes that a constant is written for: every field that its effects depend on, known or not. */
static const unsigned SCOPES[] = {
    0,
    FIELD_OF_ENGINE,
    FIELD_OF_ENGINE | FIELD_OF_FAMILY,
    FIELD_OF_ENGINE | FIELD_OF_FORMAT,
    FIELD_OF_ENGINE | FIELD_OF_FAMILY | FIELD_OF_FORMAT,
    FIELD_OF_ENGINE | FIELD_OF_FAMILY | FIELD_OF_PART,
    FIELD_OF_ENGINE | FIELD_OF_FAMILY | FIELD_OF_FORMAT | FIELD_OF_PART,
};

struct lines {
    struct local_fit *items;
    int n, max;
    double *errors, *weights; /* workspace, one element per run */
};

static bool is_written(const struct lines *lines, const struct local_fit *fit)
{
    for (int i = 0; i < lines->n; i++)
        if (lines->items[i].constant == fit->constant &&
            local_scope_equal(&lines->items[i].scope, &fit->scope))
            return true;
    return false;
}

static bool add_line(struct lines *lines, const struct local_fit *fit)
{
    if (lines->n == lines->max) {
        int room = lines->max > 0 ? 2 * lines->max : LINES_START;
        struct local_fit *grown = realloc(lines->items, (size_t)room * sizeof(*grown));
        if (grown == NULL)
            return false;
        lines->items = grown;
        lines->max = room;
    }
    lines->items[lines->n++] = *fit;
    return true;
}

/* The runs of a line, and the errors of their predictions with the source left out. */
static void count(const struct local_folds *folds, const struct local_constant_spec *spec,
                  unsigned fields, struct lines *lines, struct local_fit *fit)
{
    const struct local_runs *runs = folds->runs;
    int n = 0;
    for (int i = 0; i < runs->n; i++) {
        const struct local_run *run = &runs->items[i];
        struct local_scope scope = local_scope_keep(&run->scope, fields);
        if (!local_spec_concerns(spec, run) || !local_scope_equal(&scope, &fit->scope))
            continue;
        fit->n += 1.0;
        if (isnan(folds->left_us[i]))
            continue;
        lines->errors[n] = exp(fabs(log(run->measured_us / folds->left_us[i]))) - 1.0;
        lines->weights[n++] = 1.0;
    }
    fit->median_abs_err = fit->p90_abs_err = (double)NAN;
    if (n == 0)
        return;
    fit->median_abs_err = weighted_quantile(lines->errors, lines->weights, n, 0.5);
    fit->p90_abs_err = weighted_quantile(lines->errors, lines->weights, n, 0.9);
}

/* What a constant may depend on; of a part's factor the part is always said. */
static unsigned depends_on(const struct local_constant_spec *spec)
{
    unsigned fields = FIELD_OF_ENGINE;
    for (int i = 0; i < LOCAL_LEVELS_MAX && spec->levels[i].fields != 0; i++)
        fields |= spec->levels[i].fields;
    return fields;
}

static bool add_scopes(const struct local_folds *folds, const struct local_constant_spec *spec,
                       const struct local_run *run, struct lines *lines)
{
    const struct local_part_fit *part = &folds->fits[run->scope.backend][run->phase];
    unsigned fields = depends_on(spec);
    bool of_part = (fields & FIELD_OF_PART) != 0;
    for (size_t i = 0; i < ARRAY_LEN(SCOPES); i++) {
        if ((SCOPES[i] & ~fields) != 0 || of_part != ((SCOPES[i] & FIELD_OF_PART) != 0))
            continue;
        struct local_fit fit = {.constant = spec->constant,
                                .scope = local_scope_keep(&run->scope, SCOPES[i])};
        if (is_written(lines, &fit))
            continue;
        fit.value = local_model_value(&part->model, part->values, spec, &run->scope, SCOPES[i]);
        count(folds, spec, SCOPES[i], lines, &fit);
        if (!add_line(lines, &fit))
            return false;
    }
    return true;
}

/* A band's two ends. */
static bool add_band(const struct local_band *band, int backend, int low, int high,
                     struct lines *lines)
{
    const int constants[] = {low, high};
    const double ends[] = {band->low, band->high};
    for (size_t i = 0; band->n > 0 && i < ARRAY_LEN(ends); i++) {
        struct local_fit fit = {.constant = (enum local_constant)constants[i],
                                .scope = {backend, LOCAL_ANY, LOCAL_ANY, LOCAL_ANY, LOCAL_ANY},
                                .value = ends[i],
                                .n = band->n,
                                .median_abs_err = (double)NAN,
                                .p90_abs_err = (double)NAN};
        if (!add_line(lines, &fit))
            return false;
    }
    return true;
}

static bool add_bands(const struct local_bands *bands, struct lines *lines)
{
    static const int LOW[] = {LOCAL_DECODE_LOW_PART_FORMAT, LOCAL_PREFILL_LOW_PART_FORMAT};
    for (int i = 0; i <= BACKEND_COUNT; i++)
        for (int j = 0; j < 2; j++)
            for (int k = LOCAL_NONE + 1; k < LOCAL_TIER_COUNT; k++)
                if (!add_band(&bands->of[i][j][k], i < BACKEND_COUNT ? i : LOCAL_ANY,
                              LOW[j] + k - 1, LOW[j] + LOCAL_TIER_COUNT + k - 2, lines))
                    return false;
    return add_band(&bands->batch, LOCAL_ANY, LOCAL_BATCH_LOW, LOCAL_BATCH_HIGH, lines);
}

static void print_number(double value, FILE *out)
{
    if (isnan(value))
        fputc(',', out);
    else
        fprintf(out, ",%.3f", value);
}

static void print_line(const struct library *lib, const struct local_fit *fit, FILE *out)
{
    const struct local_scope *scope = &fit->scope;
    fprintf(out, "%s,%s,%s,%s,%s,%s,%.4g,%.0f", local_constant_name(fit->constant),
            scope->backend >= 0 ? backend_name((enum backend)scope->backend) : "",
            scope->engine >= 0 ? lib->engines[scope->engine].id : "",
            scope->family >= 0 ? local_family_name((enum local_family)scope->family) : "",
            scope->format >= 0 ? local_format_name((enum local_format)scope->format) : "",
            scope->part >= 0 ? lib->hardware[scope->part].id : "", fit->value, fit->n);
    print_number(fit->median_abs_err, out);
    print_number(fit->p90_abs_err, out);
    fputc('\n', out);
}

bool local_records_write(const struct library *lib, const struct local_folds *folds,
                         const struct local_bands *bands, FILE *out)
{
    const struct local_runs *runs = folds->runs;
    size_t size = ((size_t)runs->n + 1) * sizeof(double);
    struct lines lines = {.errors = malloc(size), .weights = malloc(size)};
    int n_specs;
    const struct local_constant_spec *specs = local_specs(&n_specs);
    bool done = lines.errors != NULL && lines.weights != NULL;
    for (int i = 0; done && i < runs->n; i++)
        for (int j = 0; done && j < n_specs; j++)
            if (local_spec_concerns(&specs[j], &runs->items[i]))
                done = add_scopes(folds, &specs[j], &runs->items[i], &lines);
    done = done && add_bands(bands, &lines);
    if (done) {
        local_fits_sort(lines.items, lines.n);
        fputs(
            "# Constants of the speed model of llama.cpp, ik_llama.cpp and MLX (planner/local.h "
            "has "
            "the equations), fitted together by regimed calibrate to anchors/local-*.csv: use them "
            "together.\n# An empty cell is \"any\". n measurements stand behind a row; the errors "
            "are of their predictions with the source left out.\n"
            "constant,backend,engine,family,format,hardware,value,n,median_abs_err,p90_abs_err\n",
            out);
        for (int i = 0; i < lines.n; i++)
            print_line(lib, &lines.items[i], out);
    }
    free(lines.items);
    free(lines.errors);
    free(lines.weights);
    return done && !ferror(out);
}
