/*
 * import_capacity.c - what engines printed about memory, and the deployment that printed it.
 */
#include <string.h>

#include "import.h"
#include "json_member.h"
#include "sql.h"

/* Why a log cannot be compared with a plan of its flags; "usable" can. */
static const char *const STATUSES[] = {
    "usable",        "no_part",        "no_model",      "format_unstated", "draft_unknown",
    "patched_build", "engine_unknown", "process_total", "estimate",        "runtime"};

#define N_STATUSES (sizeof(STATUSES) / sizeof(STATUSES[0]))

static const char *text_of(const cJSON *object, const char *name)
{
    const cJSON *item = json_member(object, name);
    return item && cJSON_IsString(item) ? item->valuestring : NULL;
}

static void check_status(struct import *import, const cJSON *record, const char *status)
{
    size_t i = 0;
    while (i < N_STATUSES && strcmp(STATUSES[i], status) != 0) {
        i++;
    }
    if (i == N_STATUSES) {
        import_fault(import, "status '%s' is unknown", status);
    }
    if ((i == 0) != (field_text_or_null(import, record, "status_reason") == NULL)) {
        import_fault(import, "a log says why it is not usable, and only then");
    }
    if (i == 0 && !cJSON_IsObject(json_member(record, "request"))) {
        import_fault(import, "a usable log has a request");
    }
}

/* Figures as printed; at_len goes with the concurrency that it is of. */
static bool check_observed(struct import *import, const cJSON *observed)
{
    const cJSON *item = NULL;
    if (!cJSON_IsObject(observed)) {
        import_fault(import, "'observed' must be an object");
        return false;
    }
    cJSON_ArrayForEach(item, observed)
    {
        if (!cJSON_IsNumber(item) && !cJSON_IsBool(item) && !cJSON_IsString(item)) {
            import_fault(import, "observed '%s' is no figure", item->string);
        }
    }
    return field_bool(import, observed, "oom");
}

void import_capacity(struct import *import, const cJSON *record, const char *doc)
{
    static const char *const KNOWN[] = {
        "id",       "title",    "engine", "engine_version", "model",
        "hardware", "devices",  "status", "status_reason",  "command",
        "request",  "observed", "notes",  "sources",        "disputes",
        NULL};
    static const char *const KNOWN_REQUEST[] = {"model", "hardware", "deployment", "workload",
                                                NULL};
    const char *id = field_text(import, record, "id");
    const char *status = field_text(import, record, "status");
    const cJSON *request = json_member(record, "request");
    field_known(import, record, KNOWN);
    field_known(import, request, KNOWN_REQUEST);
    (void)field_text(import, record, "engine");
    (void)field_text_or_null(import, record, "engine_version");
    (void)field_text(import, record, "model");
    (void)field_text(import, record, "hardware");
    (void)field_number_or_nan(import, record, "devices", 1, 1e4);
    (void)field_text_or_null(import, record, "command");
    check_status(import, record, status);
    import_record(import, "capacity", id, field_text(import, record, "title"), record, doc);
    bool oom = check_observed(import, json_member(record, "observed"));
    import_check(import,
                 sql_run(import->db,
                         "INSERT INTO capacity (id, engine_id, model_id, hardware_id, status, oom) "
                         "VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
                         "ttttti", id, text_of(json_member(request, "deployment"), "engine"),
                         text_of(request, "model"), text_of(request, "hardware"), status, (int)oom),
                 "capacity");
}
