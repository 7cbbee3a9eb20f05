/*
 * import_fit.c - fitted kernels and collectives, one CSV line each.
 *
 * A file is named after its part, or has a column for it; columns that only a form of its own needs
 * (padded experts, delta-net scans) are 0 elsewhere.
 * An engine name is an alias of its record; the vendor's own library (NCCL, oneCCL) is no engine.
 * Two collectives measured with the same bytes in 8 and 16 bits are one curve: the 16-bit one is
 * used.
 */
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "csv_text.h"
#include "fit.h"
#include "import.h"
#include "name_key.h"
#include "sql.h"

#define ID_MAX 200
#define TITLE_MAX 240
#define DOC_MAX 2048
#define COLLECTIVE_ERROR_MAX 0.45

static const char SOURCE[] =
    "[{\"field\":\"%s\",\"title\":\"aiconfigurator kernel database (systems/data/<part>/<op>/"
    "<engine>/<version>), fitted by this project\",\"kind\":\"derived\",\"url\":"
    "\"https://github.com/ai-dynamo/aiconfigurator/tree/"
    "095f58a51c4ca8e61b66ec108d86f223f8d559ce\",\"date\":\"2026-11\",\"license\":\"Apache-2.0\"}]";

static bool is_number(const char *text)
{
    char *end = NULL;
    double value = strtod(text, &end);
    return end != text && *end == '\0' && isfinite(value);
}

/* The line as an object: numbers as they were written, everything else as a text. */
static void line_doc(struct import *import, const char *id, const char *hardware,
                     const char *const *names, const char *const *values, int n,
                     char ret_doc[DOC_MAX])
{
    size_t used = 0;
    bool fits = text_print(ret_doc, DOC_MAX,
                           hardware ? "{\"id\":\"%s\",\"hardware\":\"%s\"" : "{\"id\":\"%s\"", id,
                           hardware);
    for (int i = 0; i <= n && fits; i++) {
        used = strlen(ret_doc);
        if (i == n) {
            fits = text_print(ret_doc + used, DOC_MAX - used, "}");
            break;
        }
        bool number = is_number(values[i]) && strcmp(names[i], "engine_version") != 0;
        fits = text_print(ret_doc + used, DOC_MAX - used, number ? ",\"%s\":%s" : ",\"%s\":\"%s\"",
                          names[i], values[i]);
    }
    if (!fits) {
        import_fault(import, "the line is too long");
    }
}

static const char *cell(struct import *import, const char *const *names, const char *const *values,
                        int n, const char *name)
{
    const char *text = csv_cell_or(names, values, n, name, NULL);
    if (!text) {
        import_fault(import, "column '%s' is missing", name);
        return "";
    }
    return text;
}

static double cell_number(struct import *import, const char *const *names,
                          const char *const *values, int n, const char *name)
{
    const char *text = cell(import, names, values, n, name);
    if (!is_number(text)) {
        import_fault(import, "'%s' is '%s', not a number", name, text);
        return 0;
    }
    return strtod(text, NULL);
}

/* The record that a name of an engine means; "" when there is none. */
static void engine_of(struct import *import, const char *name, char ret_id[ID_MAX])
{
    sqlite3_stmt *statement = NULL;
    ret_id[0] = '\0';
    if (sqlite3_prepare_v2(import->db,
                           "SELECT record_id FROM aliases WHERE kind = 'engine' AND key = ?1", -1,
                           &statement, NULL) == SQLITE_OK &&
        sqlite3_bind_text(statement, 1, name, -1, SQLITE_STATIC) == SQLITE_OK &&
        sqlite3_step(statement) == SQLITE_ROW) {
        (void)text_print(ret_id, ID_MAX, "%s", (const char *)sqlite3_column_text(statement, 0));
    }
    sqlite3_finalize(statement);
}

/* The record of the calibration: its line, and the database it was fitted to as its source. */
static void import_line(struct import *import, const char *id, const char *title, const char *field,
                        const char *doc)
{
    char sources[DOC_MAX];
    cJSON *object = cJSON_CreateObject();
    (void)text_print(sources, sizeof(sources), SOURCE, field);
    cJSON *list = cJSON_Parse(sources);
    if (!object || !list || !cJSON_AddItemToObject(object, "sources", list)) {
        import_fault(import, "out of memory");
    } else {
        import_record(import, "calibration", id, title, object, doc);
    }
    cJSON_Delete(object);
}

/* The part that a file of fits is named after. */
static void part_of_file(const char *path, char ret_id[ID_MAX])
{
    const char *slash = strrchr(path, '/');
    (void)text_print(ret_id, ID_MAX, "%s", slash ? slash + 1 : path);
    char *dot = strrchr(ret_id, '.');
    if (dot) {
        *dot = '\0';
    }
}

static void lower(char *text)
{
    for (; *text; text++) {
        bool separator = *text == ' ' || *text == '_';
        *text = (char)(separator ? '-' : tolower((unsigned char)*text));
    }
}

#define TEXT(NAME) cell(import, names, values, n, NAME)
#define NUMBER(NAME) cell_number(import, names, values, n, NAME)
#define NUMBER_OR_0(NAME) strtod(csv_cell_or(names, values, n, NAME, "0"), NULL)

/* The figures that a form has beside e_m, e_c, t0 and q. */
static void read_form(struct import *import, const char *const *names, const char *const *values,
                      int n, struct op_fit *fit)
{
    const char *form = csv_cell_or(names, values, n, "form", fit_form_name(FIT_FORM_ROOFLINE));
    fit->form = fit_form_parse(form);
    fit->pad_columns = NUMBER_OR_0("pad_columns");
    fit->ep_gamma = NUMBER_OR_0("ep_gamma");
    fit->us_per_token_of_longest = NUMBER_OR_0("us_per_token_of_longest");
    fit->us_per_token_head = NUMBER_OR_0("us_per_token_head");
    if (fit->form == FIT_FORM_COUNT) {
        import_fault(import, "form '%s' is unknown", form);
    }
}

/* "part-engine-version-op-type", and the form where it is not the plain one. */
static void op_fit_id(struct import *import, const char *const *names, const char *const *values,
                      int n, const char *part, const char *engine, char ret_id[ID_MAX])
{
    const char *form = csv_cell_or(names, values, n, "form", "");
    (void)text_print(ret_id, ID_MAX, "%s-%s-%s-%s-%s%s%s", part, engine, TEXT("engine_version"),
                     TEXT("op"), TEXT("dtype"), *form ? "-" : "", form);
    lower(ret_id);
}

static void insert_op_fit(struct import *import, const char *const *names,
                          const char *const *values, int n, const char *id,
                          const struct op_fit *fit)
{
    import_check(import,
                 sql_run(import->db,
                         "INSERT INTO op_fits VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, "
                         "?11, ?12, ?13, ?14, ?15)",
                         "tdddddddddtdddd", id, fit->e_m, NUMBER("e_c"), fit->t0_us, NUMBER("q"),
                         NUMBER("n"), fit->median_abs_err, NUMBER("p90_abs_err"),
                         NUMBER("fit_bw_gbps"), NUMBER("fit_peak_bf16_tflops"),
                         fit_form_name(fit->form), fit->pad_columns, fit->ep_gamma,
                         fit->us_per_token_of_longest, fit->us_per_token_head),
                 "op fit");
}

void import_op_fit(struct import *import, const char *const *names, const char *const *values,
                   int n)
{
    char part[ID_MAX];
    char engine[ID_MAX];
    char id[ID_MAX];
    char title[TITLE_MAX];
    char doc[DOC_MAX];
    const char *hardware = csv_cell_or(names, values, n, "hardware", NULL);
    struct op_fit fit = {.op = fit_op_parse(TEXT("op")),
                         .dtype = fit_dtype_parse(TEXT("dtype")),
                         .e_m = NUMBER("e_m"),
                         .e_c = NUMBER("e_c"),
                         .t0_us = NUMBER("t0_us"),
                         .median_abs_err = NUMBER("median_abs_err")};
    part_of_file(hardware ? hardware : import->file, part);
    engine_of(import, TEXT("engine"), engine);
    op_fit_id(import, names, values, n, part, engine, id);
    import->record = id;
    read_form(import, names, values, n, &fit);
    if (fit.op == FIT_OP_COUNT || fit.dtype == FIT_DTYPE_COUNT || !*engine) {
        import_fault(import, "op, type or engine is unknown");
        return;
    }
    fit_judge(&fit);
    (void)text_print(title, sizeof(title), "%s %s on %s, %s %s", TEXT("op"), TEXT("dtype"), part,
                     engine, TEXT("engine_version"));
    line_doc(import, id, hardware ? NULL : part, names, values, n, doc);
    import_line(import, id, title, "e_m,e_c,t0_us,q", doc);
    import_check(import,
                 sql_run(import->db,
                         "INSERT INTO calibrations (id, type, hardware_id, engine_id, "
                         "engine_version, op, dtype, status, reason) VALUES (?1, 'op_fit', ?2, ?3, "
                         "?4, ?5, ?6, ?7, ?8)",
                         "tttttttt", id, part, engine, TEXT("engine_version"), TEXT("op"),
                         TEXT("dtype"), fit_status_name(fit.status), fit.reason),
                 "calibration");
    insert_op_fit(import, names, values, n, id, &fit);
}

void import_fits_settle(struct import *import)
{
    import_check(
        import,
        sql_run(import->db,
                "UPDATE calibrations SET status = ?1, reason = ?2 FROM (SELECT p.id FROM "
                "calibrations p JOIN op_fits f ON f.calibration_id = p.id WHERE p.status = ?3 AND "
                "f.form = ?4 AND EXISTS (SELECT 1 FROM calibrations o JOIN op_fits g ON "
                "g.calibration_id = o.id WHERE o.status = ?3 AND g.form <> ?4 AND o.hardware_id = "
                "p.hardware_id AND o.engine_id = p.engine_id AND o.op = p.op AND o.dtype = "
                "p.dtype)) AS plain WHERE calibrations.id = plain.id",
                "tttt", fit_status_name(FIT_FALLBACK),
                "a fit of its own form stands for this kernel: chosen only without that one",
                fit_status_name(FIT_USED), fit_form_name(FIT_FORM_ROOFLINE)),
        "plain fits beside others");
}

/* Why a collective is not used, or NULL. */
static const char *collective_reason(double error, const char *dtype, const char **ret_status)
{
    if (error > COLLECTIVE_ERROR_MAX) {
        *ret_status = fit_status_name(FIT_REJECTED);
        return "median error over 45 %: the form does not describe this collective";
    }
    if (strcmp(dtype, "int8") == 0) {
        *ret_status = fit_status_name(FIT_FALLBACK);
        return "the same bytes were measured in 16 bits: that curve is used";
    }
    *ret_status = fit_status_name(FIT_USED);
    return NULL;
}

void import_collective_fit(struct import *import, const char *const *names,
                           const char *const *values, int n)
{
    char engine[ID_MAX];
    char id[ID_MAX];
    char title[TITLE_MAX];
    char doc[DOC_MAX];
    const char *part = TEXT("hardware");
    const char *variant = TEXT("variant");
    bool vendor = strncmp(TEXT("op"), "nccl", strlen("nccl")) == 0;
    /* TensorRT-LLM's kernel was measured once and serves captured steps as well. */
    bool graph = strstr(variant, "graph") != NULL || strcmp(variant, "TRTLLM") == 0;
    const char *status = NULL;
    const char *reason = collective_reason(NUMBER("median_abs_err"), TEXT("dtype"), &status);
    engine_of(import, TEXT("engine"), engine);
    (void)text_print(id, sizeof(id), "%s-%s-%s-%s-%sx-%s", part, TEXT("engine"),
                     TEXT("engine_version"), variant, TEXT("devices"), TEXT("dtype"));
    lower(id);
    import->record = id;
    (void)text_print(title, sizeof(title), "%s of %s devices on %s, %s %s",
                     comm_op_parse(TEXT("op")) == COMM_ALL_REDUCE ? "all-reduce" : TEXT("op"),
                     TEXT("devices"), part, variant, TEXT("engine_version"));
    line_doc(import, id, NULL, names, values, n, doc);
    import_line(import, id, title, "bus_gbps,t0_us,q", doc);
    import_check(import,
                 sql_run(import->db,
                         "INSERT INTO calibrations (id, type, hardware_id, engine_id, "
                         "engine_version, op, dtype, status, reason) VALUES (?1, 'collective_fit', "
                         "?2, ?3, ?4, ?5, ?6, ?7, ?8)",
                         "tttttttt", id, part, *engine ? engine : NULL, TEXT("engine_version"),
                         TEXT("op"), TEXT("dtype"), status, reason) &&
                     sql_run(import->db,
                             "INSERT INTO collective_fits VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, "
                             "?9, ?10, ?11)",
                             "tdtiidddddd", id, NUMBER("devices"), variant, graph, vendor,
                             NUMBER("bus_gbps"), NUMBER("t0_us"), NUMBER("q"), NUMBER("n"),
                             NUMBER("median_abs_err"), NUMBER("max_bytes")),
                 "collective fit");
}

#undef TEXT
#undef NUMBER
#undef NUMBER_OR_0
