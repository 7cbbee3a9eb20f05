/*
 * import_local.c - constants of the speed model of local engines, one CSV line each.
 *
 * An empty cell is "any". The unit follows from the constant; its name ends in it.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "import.h"
#include "local_fit.h"
#include "sql.h"

#define TEXT_MAX 240
#define DOC_MAX 1024

enum column {
    COLUMN_CONSTANT,
    COLUMN_BACKEND,
    COLUMN_ENGINE,
    COLUMN_FAMILY,
    COLUMN_FORMAT,
    COLUMN_HARDWARE,
    COLUMN_VALUE,
    COLUMN_N,
    COLUMN_MEDIAN,
    COLUMN_P90,
    COLUMNS
};

static const char *const NAMES[COLUMNS] = {"constant",       "backend",    "engine", "family",
                                           "format",         "hardware",   "value",  "n",
                                           "median_abs_err", "p90_abs_err"};

static const char SOURCE[] =
    "{\"sources\":[{\"field\":\"value\",\"title\":\"fitted by this project to the measurements of "
    "llama.cpp, ik_llama.cpp and MLX among the anchors\",\"kind\":\"derived\",\"date\":"
    "\"2026-11\"}]}";

static const char *unit_of(const char *constant)
{
    static const struct {
        const char *ending, *unit;
    } UNITS[] = {{"_us", "us"}, {"_ns", "ns"}, {"_ms", "ms"}};

    size_t length = strlen(constant);
    for (size_t i = 0; i < ARRAY_LEN(UNITS); i++) {
        size_t end = strlen(UNITS[i].ending);
        if (length > end && strcmp(constant + length - end, UNITS[i].ending) == 0) {
            return UNITS[i].unit;
        }
    }
    return "ratio";
}

static double number(struct import *import, const char *text, enum column column)
{
    char *end = NULL;
    double value = strtod(text, &end);
    if (end == text || *end != '\0' || !isfinite(value) || value < 0) {
        import_fault(import, "'%s' is '%s', not a number", NAMES[column], text);
        return 0;
    }
    return value;
}

static double number_or_nan(struct import *import, const char *text, enum column column)
{
    return *text ? number(import, text, column) : (double)NAN;
}

static const char *or_null(const char *text)
{
    return *text ? text : NULL;
}

/* "local-decode_f_w-cuda-llama.cpp-ada-q4_0", with the scope's named parts alone. */
static void make_id(const char *const *values, char ret_id[TEXT_MAX])
{
    (void)text_print(ret_id, TEXT_MAX, "local-%s", values[COLUMN_CONSTANT]);
    for (int i = COLUMN_BACKEND; i <= COLUMN_HARDWARE; i++) {
        size_t used = strlen(ret_id);
        if (*values[i]) {
            (void)text_print(ret_id + used, TEXT_MAX - used, "-%s", values[i]);
        }
    }
}

static void make_doc(struct import *import, const char *id, const char *const *values,
                     char ret_doc[DOC_MAX])
{
    bool fits = text_print(ret_doc, DOC_MAX, "{\"id\":\"%s\"", id);
    for (int i = 0; i < COLUMNS && fits; i++) {
        size_t used = strlen(ret_doc);
        if (*values[i]) {
            fits =
                text_print(ret_doc + used, DOC_MAX - used,
                           i < COLUMN_VALUE ? ",\"%s\":\"%s\"" : ",\"%s\":%s", NAMES[i], values[i]);
        }
    }
    size_t used = strlen(ret_doc);
    if (!fits || !text_print(ret_doc + used, DOC_MAX - used, "}")) {
        import_fault(import, "the line is too long");
    }
}

static bool is_known(struct import *import, const char *const *names, const char *const *values,
                     int n)
{
    for (int i = 0; i < COLUMNS; i++) {
        if (n != COLUMNS || strcmp(names[i], NAMES[i]) != 0) {
            import_fault(import, "the columns must be constant,backend,engine,family,format,"
                                 "hardware,value,n,median_abs_err,p90_abs_err");
            return false;
        }
    }
    const char *family = values[COLUMN_FAMILY];
    const char *format = values[COLUMN_FORMAT];
    bool known =
        local_constant_parse(values[COLUMN_CONSTANT]) != LOCAL_CONSTANT_COUNT &&
        (!*values[COLUMN_BACKEND] || backend_parse(values[COLUMN_BACKEND]) != BACKEND_COUNT) &&
        (!*family || local_family_parse(family) != LOCAL_FAMILY_COUNT) &&
        (!*format || local_format_parse(format) != LOCAL_FORMAT_COUNT);
    if (!known) {
        import_fault(import, "constant, backend, family or format is unknown");
    }
    return known;
}

void import_local_fit(struct import *import, const char *const *names, const char *const *values,
                      int n)
{
    char id[TEXT_MAX];
    char title[TEXT_MAX];
    char doc[DOC_MAX];
    if (!is_known(import, names, values, n)) {
        return;
    }
    const char *constant = values[COLUMN_CONSTANT];
    make_id(values, id);
    import->record = id;
    make_doc(import, id, values, doc);
    (void)text_print(title, sizeof(title), "%s of %s on %s %s %s %s", constant,
                     *values[COLUMN_ENGINE] ? values[COLUMN_ENGINE] : "any engine",
                     values[COLUMN_BACKEND], values[COLUMN_FAMILY], values[COLUMN_FORMAT],
                     values[COLUMN_HARDWARE]);
    cJSON *sources = cJSON_Parse(SOURCE);
    if (sources) {
        import_record(import, "calibration", id, title, sources, doc);
    } else {
        import_fault(import, "out of memory");
    }
    cJSON_Delete(sources);
    import_check(
        import,
        sql_run(import->db,
                "INSERT INTO calibrations (id, type, hardware_id, engine_id, op, dtype, status) "
                "VALUES (?1, 'local_fit', ?2, ?3, ?4, ?5, 'used')",
                "ttttt", id, or_null(values[COLUMN_HARDWARE]), or_null(values[COLUMN_ENGINE]),
                constant, or_null(values[COLUMN_FORMAT])) &&
            sql_run(
                import->db, "INSERT INTO local_fits VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)",
                "ttttdtddd", id, or_null(values[COLUMN_BACKEND]), or_null(values[COLUMN_FAMILY]),
                or_null(values[COLUMN_FORMAT]), number(import, values[COLUMN_VALUE], COLUMN_VALUE),
                unit_of(constant), number(import, values[COLUMN_N], COLUMN_N),
                number_or_nan(import, values[COLUMN_MEDIAN], COLUMN_MEDIAN),
                number_or_nan(import, values[COLUMN_P90], COLUMN_P90)),
        "local fit");
}
