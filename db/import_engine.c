/*
 * import_engine.c - records of engines, their defaults by version, and their host constants.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine.h"
#include "import.h"
#include "sql.h"
#include "units.h"

static void check_version(struct import *import, const char *text)
{
    int version[3];
    if (text && !engine_version_parse(text, version)) {
        import_fault(import, "'%s' is no version", text);
    }
}

static void import_defaults(struct import *import, const cJSON *row, const char *id, int position)
{
    static const char *const KNOWN[] = {"version_min",
                                        "version_max",
                                        "min_memory_gib",
                                        "excluded_arch",
                                        "chunked_prefill_tokens",
                                        "max_num_seqs",
                                        "memory_utilization",
                                        "block_size",
                                        "stream_interval",
                                        "reserve_output_share",
                                        "async_scheduling",
                                        "cuda_graphs",
                                        "prefix_caching",
                                        "sampler_on_host",
                                        "prefill_priority",
                                        NULL};
    const char *from = field_text_or_null(import, row, "version_min");
    const char *to = field_text_or_null(import, row, "version_max");
    field_known(import, row, KNOWN);
    check_version(import, from);
    check_version(import, to);
    import_check(
        import,
        sql_run(import->db,
                "INSERT INTO engine_defaults VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, "
                "?12, ?13, ?14, ?15, ?16, ?17)",
                "tittdtddddddiiiii", id, position, from, to,
                field_number(import, row, "min_memory_gib", 0, 1e4) * BYTES_PER_GIB,
                field_text_or_null(import, row, "excluded_arch"),
                field_number(import, row, "chunked_prefill_tokens", 0, 1e7),
                field_number(import, row, "max_num_seqs", 1, 1e6),
                field_number(import, row, "memory_utilization", 0.1, 1),
                field_number(import, row, "block_size", 1, 4096),
                field_number(import, row, "stream_interval", 1, 1000),
                field_number(import, row, "reserve_output_share", 0, 1),
                field_bool(import, row, "async_scheduling"), field_bool(import, row, "cuda_graphs"),
                field_bool(import, row, "prefix_caching"),
                field_bool(import, row, "sampler_on_host"),
                field_bool(import, row, "prefill_priority")),
        "defaults");
}

static bool text_is(struct import *import, const cJSON *record, const char *name, const char *yes,
                    const char *no)
{
    const char *text = field_text(import, record, name);
    if (strcmp(text, yes) != 0 && strcmp(text, no) != 0) {
        import_fault(import, "'%s' must be %s or %s", name, yes, no);
    }
    return strcmp(text, yes) == 0;
}

void import_engine(struct import *import, const cJSON *record, const char *doc)
{
    static const char *const KNOWN[] = {"id",       "title",         "aliases",      "memory_rule",
                                        "latest",   "control_plane", "static_slots", "moe_fit",
                                        "defaults", "notes",         "sources",      NULL};
    const char *id = field_text(import, record, "id");
    const char *title = field_text(import, record, "title");
    const char *rule = field_text(import, record, "memory_rule");
    const cJSON *defaults = cJSON_GetObjectItemCaseSensitive(record, "defaults");
    const cJSON *row = NULL;
    int position = 0;
    field_known(import, record, KNOWN);
    check_version(import, field_text(import, record, "latest"));
    if (memory_rule_parse(rule) == MEMORY_RULE_COUNT) {
        import_fault(import, "memory rule '%s' is unknown", rule);
    }
    import_record(import, "engine", id, title, record, doc);
    import_check(import,
                 sql_run(import->db,
                         "INSERT INTO engines (id, position, title, memory_rule, latest, "
                         "python_control_plane, static_slots, moe_fit_balanced) VALUES (?1, ?2, "
                         "?3, ?4, ?5, ?6, ?7, ?8)",
                         "titttiii", id, import->position, title, rule,
                         field_text(import, record, "latest"),
                         text_is(import, record, "control_plane", "python", "native"),
                         field_bool(import, record, "static_slots"),
                         text_is(import, record, "moe_fit", "balanced", "skewed")),
                 "engine");
    cJSON_ArrayForEach(row, defaults)
    {
        import_defaults(import, row, id, position++);
    }
    if (position < 1 || position > ENGINE_DEFAULTS_MAX) {
        import_fault(import, "%d rows of defaults, 1 to %d are possible", position,
                     ENGINE_DEFAULTS_MAX);
    }
}

void import_host_cost(struct import *import, const cJSON *record, const char *doc)
{
    static const char *const KNOWN[] = {
        "id",         "engine", "constant",       "value",       "unit", "basis",   "anchor",
        "derivation", "n",      "median_abs_err", "p90_abs_err", "date", "sources", NULL};
    char title[200];
    const char *id = field_text(import, record, "id");
    const char *engine = field_text(import, record, "engine");
    const char *constant = field_text(import, record, "constant");
    field_known(import, record, KNOWN);
    if (host_cost_parse(constant) == HOST_COST_COUNT) {
        import_fault(import, "constant '%s' is unknown", constant);
    }
    (void)text_print(title, sizeof(title), "%s of %s", constant, engine);
    import_record(import, "calibration", id, title, record, doc);
    import_check(
        import,
        sql_run(import->db,
                "INSERT INTO calibrations (id, type, engine_id, op, status, reason) VALUES "
                "(?1, 'host_cost', ?2, ?3, 'used', ?4)",
                "tttt", id, engine, constant, field_text(import, record, "derivation")) &&
            sql_run(import->db, "INSERT INTO host_costs VALUES (?1, ?2, ?3, ?4, ?5)", "tdttt", id,
                    field_number(import, record, "value", 0, 1e6),
                    field_text(import, record, "unit"), field_text(import, record, "basis"),
                    field_text_or_null(import, record, "anchor")),
        "host cost");
}
