/*
 * import_memory_rule.c - records of the engines' memory accounting: a constant and what it holds
 * for.
 */
#include <math.h>
#include <string.h>

#include "import.h"
#include "memory_rules.h"
#include "plan.h"
#include "sql.h"

#define VALUE_MAX 1e15
#define RANKS_MAX 1e6

static bool is_basis(const char *name)
{
    for (int i = 0; i < BASIS_COUNT; i++) {
        if (strcmp(basis_name((enum basis)i), name) == 0) {
            return true;
        }
    }
    return false;
}

static const char *read_version(struct import *import, const cJSON *when, const char *name)
{
    int version[3];
    const char *text = field_text_or_null(import, when, name);
    if (text && !engine_version_parse(text, version)) {
        import_fault(import, "'%s' is no version", text);
    }
    return text;
}

/* NAN (any), 0 or 1. */
static double read_fabric(struct import *import, const cJSON *when)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(when, "fabric");
    return !item || cJSON_IsNull(item) ? (double)NAN : (double)field_bool(import, when, "fabric");
}

/* A bound of the value, which is the value itself where none is stated. */
static double read_bound(struct import *import, const cJSON *record, const char *name, double value)
{
    double bound = field_number_or_nan(import, record, name, -VALUE_MAX, VALUE_MAX);
    return isnan(bound) ? value : bound;
}

static void check_names(struct import *import, const char *engine, const char *constant,
                        const char *basis)
{
    if (memory_rule_parse(engine) == MEMORY_RULE_COUNT) {
        import_fault(import, "'%s' is no memory rule of engines", engine);
    }
    if (memory_constant_parse(constant) == MEMORY_CONSTANT_COUNT) {
        import_fault(import, "'%s' is no constant of a memory rule", constant);
    }
    if (!is_basis(basis)) {
        import_fault(import, "'%s' is no basis", basis);
    }
}

void import_memory_rule(struct import *import, const cJSON *record, const char *doc)
{
    static const char *const KNOWN[] = {"id",    "title",   "memory_rule", "constant", "when",
                                        "value", "low",     "high",        "basis",    "formula",
                                        "notes", "sources", "disputes",    NULL};
    static const char *const KNOWN_WHEN[] = {"version_min", "version_max", "arch",   "class",
                                             "fabric",      "tp_min",      "tp_max", "pp_min",
                                             "pp_max",      NULL};
    const char *id = field_text(import, record, "id");
    const cJSON *when = cJSON_GetObjectItemCaseSensitive(record, "when");
    const char *engine = field_text(import, record, "memory_rule");
    const char *constant = field_text(import, record, "constant");
    const char *basis = field_text(import, record, "basis");
    double value = field_number(import, record, "value", -VALUE_MAX, VALUE_MAX);
    double low = read_bound(import, record, "low", value);
    double high = read_bound(import, record, "high", value);
    const char *unit = memory_constant_unit(memory_constant_parse(constant));
    const char *class = field_text_or_null(import, when, "class");
    field_known(import, record, KNOWN);
    field_known(import, when, KNOWN_WHEN);
    check_names(import, engine, constant, basis);
    if (class && hardware_class_parse(class) == HW_CLASS_COUNT) {
        import_fault(import, "'%s' is no class of parts", class);
    }
    if (low > value || value > high) {
        import_fault(import, "%g does not lie within %g to %g", value, low, high);
    }
    import_record(import, "memory_rule", id, field_text(import, record, "title"), record, doc);
    import_check(
        import,
        sql_run(import->db,
                "INSERT INTO memory_rules (id, position, memory_rule, constant, "
                "version_min, version_max, arch, class, fabric, tp_min, tp_max, pp_min, pp_max, "
                "value, low, high, unit, basis, formula) VALUES (?1, ?2, ?3, ?4, ?5, ?6, "
                "?7, ?8, CAST(?9 AS INTEGER), ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, "
                "?18, ?19)",
                "tittttttddddddddttt", id, import->position, engine, constant,
                read_version(import, when, "version_min"),
                read_version(import, when, "version_max"), field_text_or_null(import, when, "arch"),
                class, read_fabric(import, when),
                field_number_or_nan(import, when, "tp_min", 1, RANKS_MAX),
                field_number_or_nan(import, when, "tp_max", 1, RANKS_MAX),
                field_number_or_nan(import, when, "pp_min", 1, RANKS_MAX),
                field_number_or_nan(import, when, "pp_max", 1, RANKS_MAX), value, low, high,
                unit ? unit : "", basis, field_text_or_null(import, record, "formula")),
        "memory rule");
}
