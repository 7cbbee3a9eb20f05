/*
 * import.c - walks db/records/, hands each record to the reader of its kind, and closes the bundle.
 *
 * Files are read in the order of their names, so that the same records give the same database.
 */
#include "import.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "csv_text.h"
#include "import_files.h"
#include "json_text.h"
#include "sql.h"

#define FILES_MAX 512
#define FAULT_TEXT_MAX 1000
#define PATH_TEXT_MAX 4096

/* Which files hold which kind of record, in the order of import: what is referred to comes first.
 */
static const struct kind_files {
    const char *folder, *name; /* folder below db/records; name NULL = every *.json in it */
    import_fn *read;
} KINDS[] = {
    {"", "sources.json", import_source},
    {"models", NULL, import_model},
    {"hardware", NULL, import_hardware},
    {"formats", "weights.json", import_weight_format},
    {"formats", "kv.json", import_kv_format},
    {"engines", "vllm.json", import_engine},
    {"engines", "sglang.json", import_engine},
    {"engines", "tensorrt-llm.json", import_engine},
    {"engines", "llama.cpp.json", import_engine},
    {"engines", "ik_llama.cpp.json", import_engine},
    {"engines", "ollama.json", import_engine},
    {"engines", "mlx.json", import_engine},
    {"engines", "tgi.json", import_engine},
    {"", "host-costs.json", import_host_cost},
    {"calibration", "engine-constants.json", import_host_cost},
    {"calibration", "intervals.json", import_interval},
    {"", "aliases.json", import_more_aliases},
    {"", "launches.json", import_launch},
    {"", "memory-rules.json", import_memory_rule},
    {"capacity", NULL, import_capacity},
    {"prices", NULL, import_price},
    {"anchors", NULL, import_anchor_json},
    {"", "claims.json", import_claim},
    {"", "gaps.json", import_gap},
    {"calibration", "explained.json", import_explained},
    {"", "disputes.json", import_more_disputes},
};

/* Files of what stands apart from its records: there need not be any. */
static const char *const OPTIONAL[] = {"sources.json", "disputes.json"};

PRINTF_LIKE(3, 0)

static void fault_add(struct import *import, const char *pointer, const char *format,
                      va_list values)
{
    char text[FAULT_TEXT_MAX];
    (void)vsnprintf(text, sizeof(text), format, values);
    import->faults++;
    if (import->log) {
        (void)fprintf(import->log, "%s: %s%s%s\n", import->file ? import->file : "records",
                      import->record ? import->record : "", import->record ? ": " : "", text);
    }
    if (import->sink) {
        import->sink(import->sink_ctx, pointer, text);
    }
}

void import_fault(struct import *import, const char *format, ...)
{
    va_list values;
    va_start(values, format);
    fault_add(import, import->at, format, values);
    va_end(values);
}

void import_fault_at(struct import *import, const char *member, const char *format, ...)
{
    char pointer[FAULT_TEXT_MAX];
    va_list values;
    (void)text_print(pointer, sizeof(pointer), "%s/%s", import->at, member);
    va_start(values, format);
    fault_add(import, pointer, format, values);
    va_end(values);
}

void import_step(struct import *import, const char *member)
{
    size_t used = strlen(import->at);
    if (!member) {
        import->at[0] = '\0';
    } else {
        (void)text_print(import->at + used, sizeof(import->at) - used, "/%s", member);
    }
}

void import_check(struct import *import, bool done, const char *what)
{
    if (!done) {
        import->broken =
            import->broken || (sqlite3_errcode(import->db) & 0xff) != SQLITE_CONSTRAINT;
        import_fault(import, "%s: %s", what, sqlite3_errmsg(import->db));
    }
}

/* Reads one element of a file's array. */
static void import_element(struct import *import, const struct kind_files *kind,
                           struct json_span span)
{
    char *doc = malloc(span.length + 1);
    if (!doc) {
        import_fault(import, "out of memory");
        return;
    }
    memcpy(doc, span.text, span.length);
    doc[json_text_compact(doc, span.length)] = '\0';
    cJSON *record = cJSON_Parse(doc);
    if (!record || !cJSON_IsObject(record)) {
        import_fault(import, "holds something that is not an object");
    } else {
        const cJSON *id = cJSON_GetObjectItemCaseSensitive(record, "id");
        import->record = id && cJSON_IsString(id) ? id->valuestring : NULL;
        kind->read(import, record, doc);
    }
    import->record = NULL;
    import->position++;
    cJSON_Delete(record);
    free(doc);
}

static void import_json_file(struct import *import, const struct kind_files *kind, const char *path)
{
    size_t length = 0;
    char *text = import_file_read(path, &length);
    import->file = path;
    if (!text) {
        import_fault(import, "%s", import_file_trouble(path));
        return;
    }
    const char *end = NULL;
    cJSON *whole = cJSON_ParseWithLengthOpts(text, length + 1, &end, 1);
    if (!whole || !cJSON_IsArray(whole)) {
        import_fault(import, "is not a JSON array (byte %ld)", end ? (long)(end - text) : 0L);
    } else {
        struct json_walk walk = json_walk_start(text, length);
        struct json_span span;
        while (json_walk_element(&walk, &span)) {
            import_element(import, kind, span);
        }
    }
    cJSON_Delete(whole);
    free(text);
}

static bool is_left_out(const char *name, const char *path)
{
    for (size_t i = 0; i < ARRAY_LEN(OPTIONAL); i++) {
        if (strcmp(OPTIONAL[i], name) == 0) {
            return access(path, F_OK) != 0;
        }
    }
    return false;
}

static void import_kind(struct import *import, const struct kind_files *kind, const char *folder)
{
    char path[PATH_TEXT_MAX];
    if (kind->name) {
        (void)text_print(path, sizeof(path), "%s/%s%s%s", folder, kind->folder,
                         *kind->folder ? "/" : "", kind->name);
        if (is_left_out(kind->name, path)) {
            return;
        }
        import_json_file(import, kind, path);
        import->file = NULL;
        return;
    }
    char *names[FILES_MAX];
    (void)text_print(path, sizeof(path), "%s/%s", folder, kind->folder);
    int n = import_files_list(path, ".json", names, FILES_MAX);
    if (n == 0 || n == FILES_MAX) {
        import->file = path;
        import_fault(import, n == 0 ? "holds no records" : "holds more files than are read");
        import->file = NULL;
    }
    for (int i = 0; i < n; i++) {
        import_json_file(import, kind, names[i]);
        free(names[i]);
    }
}

struct csv_reading {
    struct import *import;
    import_csv_fn *read;
};

static void import_csv_line(void *context, const char *const *names, const char *const *values,
                            int n)
{
    const struct csv_reading *reading = context;
    struct import *import = reading->import;
    if (values) {
        reading->read(import, names, values, n);
    } else {
        import_fault(import, "a line has not the %d cells of its header", n);
    }
    import->record = NULL;
    import->position++;
}

/* Reads a CSV file: comment lines, a header, then a record per line. */
static void import_csv_file(struct import *import, const char *path, import_csv_fn *read)
{
    struct csv_reading reading = {import, read};
    size_t length = 0;
    char *text = import_file_read(path, &length);
    import->file = path;
    if (!text) {
        import_fault(import, "%s", import_file_trouble(path));
        return;
    }
    csv_text_each(text, import_csv_line, &reading);
    free(text);
}

static void import_fits(struct import *import, const char *folder)
{
    char path[PATH_TEXT_MAX];
    char *names[FILES_MAX];
    (void)text_print(path, sizeof(path), "%s/fits", folder);
    int n = import_files_list(path, ".csv", names, FILES_MAX);
    for (int i = 0; i < n; i++) {
        bool collectives = strstr(names[i], "/collectives.csv") != NULL;
        import_csv_file(import, names[i], collectives ? import_collective_fit : import_op_fit);
        free(names[i]);
    }
    import->file = path;
    import_fits_settle(import);
    (void)text_print(path, sizeof(path), "%s/calibration/local.csv", folder);
    import_csv_file(import, path, import_local_fit);
}

/* Predictions are of anchors and come after them. */
static void import_predictions(struct import *import, const char *folder)
{
    char path[PATH_TEXT_MAX];
    (void)text_print(path, sizeof(path), "%s/calibration/predictions.csv", folder);
    import_csv_file(import, path, import_prediction);
}

/* What of the bundle is said about itself: its date and serial. */
static void import_bundle(struct import *import, const char *folder)
{
    char path[PATH_TEXT_MAX];
    char text[120];
    size_t length = 0;
    (void)text_print(path, sizeof(path), "%s/bundle.json", folder);
    char *json = import_file_read(path, &length);
    cJSON *bundle = json ? cJSON_Parse(json) : NULL;
    import->file = path;
    const char *date = field_text(import, bundle, "date");
    double serial = field_number(import, bundle, "serial", 1, 1e9);
    (void)text_print(text, sizeof(text), "records %s", date);
    import_check(
        import,
        sql_run(import->db, "INSERT INTO store_info VALUES ('records_text', ?1)", "t", text) &&
            sql_run(import->db,
                    "INSERT INTO store_info VALUES ('records_serial', CAST(?1 AS TEXT))", "i",
                    (int)serial),
        "store_info");
    /* The first revision of every record is its import, dated with the bundle. */
    import_check(import,
                 sql_run(import->db,
                         "INSERT INTO revisions (kind, record_id, revision, action, at, author, "
                         "digest) SELECT kind, id, 1, 'import', ?1, 'bundle', digest FROM records "
                         "ORDER BY kind, id",
                         "t", date),
                 "revisions");
    cJSON_Delete(bundle);
    free(json);
}

/* References that the schema cannot check before everything is there. */
static void import_check_references(struct import *import)
{
    static const struct reference {
        const char *what, *sql;
    } REFERENCES[] = {
        {"rows without what they refer to", "SELECT count(*) FROM pragma_foreign_key_check"},
        {"models in a format that no weight format has",
         "SELECT count(*) FROM models WHERE native_format NOT IN (SELECT id FROM weight_formats)"},
        {"names of one record that are the id of another",
         "SELECT count(*) FROM aliases a JOIN aliases b ON b.kind = a.kind AND b.key = a.key AND "
         "b.record_id <> a.record_id WHERE a.alias = a.record_id"},
        {"claims that name a model or part which is not there",
         "SELECT count(*) FROM claim_records c WHERE kind IN ('model', 'hardware') AND NOT EXISTS "
         "(SELECT 1 FROM records r WHERE r.kind = c.kind AND r.id = c.record_id)"},
        {"launches that name what no record is",
         "SELECT count(*) FROM launch_subjects s WHERE NOT CASE what WHEN 'models' THEN name IN "
         "(SELECT id FROM models) WHEN 'hardware' THEN name IN (SELECT id FROM hardware) WHEN "
         "'archs' THEN name IN (SELECT arch FROM hardware) ELSE name IN (SELECT id FROM "
         "weight_formats WHERE deployable) END"},
        {"launches with a KV cache format that is none",
         "SELECT count(*) FROM launch_flags WHERE flag = 'kv_cache' AND text NOT IN (SELECT id "
         "FROM kv_formats)"},
        {"records without a source",
         "SELECT count(*) FROM records r WHERE kind <> 'source' AND NOT EXISTS (SELECT 1 FROM "
         "provenance p WHERE p.kind = r.kind AND p.record_id = "
         "r.id)"},
    };

    import->file = "all records";
    for (size_t i = 0; i < sizeof(REFERENCES) / sizeof(REFERENCES[0]); i++) {
        long long n = sql_number(import->db, REFERENCES[i].sql, -1);
        if (n != 0) {
            import_fault(import, "%lld %s", n, REFERENCES[i].what);
        }
    }
}

bool import_records(sqlite3 *db, const char *folder, FILE *log)
{
    struct import import = {.db = db, .log = log};
    if (!sql_exec(db, "PRAGMA foreign_keys=OFF") || !sql_exec(db, "BEGIN IMMEDIATE")) {
        import_fault(&import, "%s", sqlite3_errmsg(db));
        return false;
    }
    const char *folder_before = NULL;
    for (size_t i = 0; i < sizeof(KINDS) / sizeof(KINDS[0]); i++) {
        bool same = folder_before && strcmp(folder_before, KINDS[i].folder) == 0 &&
                    KINDS[i].read == KINDS[i - 1].read;
        import.position = same ? import.position : 0;
        folder_before = KINDS[i].folder;
        import_kind(&import, &KINDS[i], folder);
    }
    import_fits(&import, folder);
    import_anchors(&import, folder);
    import_predictions(&import, folder);
    import.file = "planner";
    import_explanations(&import);
    import_bundle(&import, folder);
    import_check_references(&import);
    bool good = import.faults == 0 && sql_exec(db, "COMMIT");
    if (!good) {
        sql_rollback(db);
    }
    return sql_exec(db, "PRAGMA foreign_keys=ON") && good;
}
