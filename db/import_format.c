/*
 * import_format.c - records of weight and KV formats.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "dtype.h"
#include "fit.h"
#include "import.h"
#include "sql.h"

#define BYTES_MIN 0.01
#define BYTES_MAX 8.0

static void import_format_fits(struct import *import, const cJSON *record, const char *kind,
                               const char *use, const char *member)
{
    const cJSON *fit = NULL;
    int position = 0;
    cJSON_ArrayForEach(fit, cJSON_GetObjectItemCaseSensitive(record, member))
    {
        if (!cJSON_IsString(fit) || fit_dtype_parse(fit->valuestring) == FIT_DTYPE_COUNT) {
            import_fault(import, "'%s' names a kernel type that no fit has", member);
            continue;
        }
        import_check(import,
                     sql_run(import->db, "INSERT INTO format_fits VALUES (?1, ?2, ?3, ?4, ?5)",
                             "tttit", kind, import->record, use, position++, fit->valuestring),
                     "format fits");
    }
}

static void import_roles(struct import *import, const cJSON *record, const char *id)
{
    const cJSON *roles = cJSON_GetObjectItemCaseSensitive(record, "bytes_per_weight");
    const cJSON *role = NULL;
    int n = 0;
    cJSON_ArrayForEach(role, roles)
    {
        double value = cJSON_IsNumber(role) ? role->valuedouble : (double)NAN;
        if (role_parse(role->string) == ROLE_COUNT) {
            import_fault(import, "bytes_per_weight: '%s' is no tensor role", role->string);
        } else if (!(value >= BYTES_MIN && value <= BYTES_MAX)) {
            import_fault(import, "bytes_per_weight: '%s' is not within %g to %g", role->string,
                         BYTES_MIN, BYTES_MAX);
        } else {
            n++;
            import_check(import,
                         sql_run(import->db, "INSERT INTO weight_format_roles VALUES (?1, ?2, ?3)",
                                 "ttd", id, role->string, value),
                         "role");
        }
    }
    if (field_bool(import, record, "deployable") && n != ROLE_COUNT) {
        import_fault(import, "bytes_per_weight has %d of the %d tensor roles", n, ROLE_COUNT);
    }
}

static void import_recipe(struct import *import, const cJSON *record, const char *id)
{
    const cJSON *tensor = NULL;
    const cJSON *type = NULL;
    cJSON_ArrayForEach(tensor, cJSON_GetObjectItemCaseSensitive(record, "recipe"))
    {
        cJSON_ArrayForEach(type, tensor)
        {
            import_check(import,
                         sql_run(import->db,
                                 "INSERT INTO weight_format_recipes VALUES (?1, ?2, ?3, ?4)",
                                 "tttd", id, tensor->string, type->string,
                                 field_number(import, tensor, type->string, 1, 1000)),
                         "recipe");
        }
    }
}

static void check_compute(struct import *import, const char *dtype)
{
    if (dtype_parse(dtype) == DTYPE_COUNT) {
        import_fault(import, "'%s' is no compute type", dtype);
    }
}

void import_weight_format(struct import *import, const cJSON *record, const char *doc)
{
    static const char *const KNOWN[] = {"id",
                                        "title",
                                        "use",
                                        "family",
                                        "aliases",
                                        "deployable",
                                        "block_elems",
                                        "block_bytes",
                                        "bits_per_weight",
                                        "layout",
                                        "multiply",
                                        "weight_only",
                                        "activation_bytes",
                                        "quantized",
                                        "gguf",
                                        "gemm_fits",
                                        "moe_fits",
                                        "bytes_per_weight",
                                        "moe_rest_bytes",
                                        "recipe",
                                        "measured",
                                        "compute",
                                        "native_hardware",
                                        "row_meta_bytes",
                                        "status",
                                        "notes",
                                        "sources",
                                        NULL};
    const char *id = field_text(import, record, "id");
    const char *title = field_text(import, record, "title");
    const char *multiply = field_text(import, record, "multiply");
    field_known(import, record, KNOWN);
    check_compute(import, multiply);
    import_record(import, "weight_format", id, title, record, doc);
    import_check(
        import,
        sql_run(import->db,
                "INSERT INTO weight_formats (id, position, title, family, deployable, block_elems, "
                "block_bytes, bits_per_weight, multiply, weight_only, activation_bytes, quantized, "
                "gguf, moe_rest_bytes) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, "
                "?13, ?14)",
                "tittidddtidiid", id, import->position, title, field_text(import, record, "family"),
                field_bool(import, record, "deployable"),
                field_number_or_nan(import, record, "block_elems", 1, 1e6),
                field_number_or_nan(import, record, "block_bytes", 0, 1e6),
                field_number_or_nan(import, record, "bits_per_weight", 0.1, 64), multiply,
                field_bool(import, record, "weight_only"),
                field_number(import, record, "activation_bytes", 1, 4),
                field_bool(import, record, "quantized"), field_bool(import, record, "gguf"),
                field_number_or_nan(import, record, "moe_rest_bytes", BYTES_MIN, BYTES_MAX)),
        "weight format");
    import_roles(import, record, id);
    import_recipe(import, record, id);
    import_format_fits(import, record, "weight_format", "gemm", "gemm_fits");
    import_format_fits(import, record, "weight_format", "moe", "moe_fits");
}

void import_kv_format(struct import *import, const cJSON *record, const char *doc)
{
    static const char *const KNOWN[] = {
        "id",   "title",   "use",    "family", "aliases", "bytes_per_element", "compute",
        "fits", "engines", "status", "notes",  "sources", "head_scale_bytes",  NULL};
    const char *id = field_text(import, record, "id");
    const char *title = field_text(import, record, "title");
    const char *compute = field_text(import, record, "compute");
    double scale = field_number_or_nan(import, record, "head_scale_bytes", 0, BYTES_MAX);
    field_known(import, record, KNOWN);
    check_compute(import, compute);
    import_record(import, "kv_format", id, title, record, doc);
    import_check(import,
                 sql_run(import->db,
                         "INSERT INTO kv_formats (id, position, title, bytes_per_element, compute, "
                         "head_scale_bytes) VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
                         "titdtd", id, import->position, title,
                         field_number(import, record, "bytes_per_element", BYTES_MIN, BYTES_MAX),
                         compute, isnan(scale) ? 0.0 : scale),
                 "KV format");
    import_format_fits(import, record, "kv_format", "kv", "fits");
}
