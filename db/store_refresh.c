#include "store_refresh.h"

#include <stdlib.h>
#include <string.h>

#include "embedded.h"
#include "sql.h"
#include "store_pages.h"

/* Tables whose rows belong to a record: how a row names the record's kind and id. */
static const struct owned_table {
    const char *name, *kind, *key;
} OWNED[] = {
    {"aliases", "kind", "record_id"},
    {"sources", "kind", "id"},
    {"provenance", "kind", "record_id"},
    {"disputes", "kind", "record_id"},
    {"search", "kind", "record_id"},
    {"models", "kind", "id"},
    {"model_layer_groups", "'model'", "model_id"},
    {"model_extras", "'model'", "model_id"},
    {"hardware", "kind", "id"},
    {"hardware_peaks", "'hardware'", "hardware_id"},
    {"weight_formats", "kind", "id"},
    {"weight_format_roles", "'weight_format'", "format_id"},
    {"weight_format_recipes", "'weight_format'", "format_id"},
    {"format_fits", "kind", "format_id"},
    {"kv_formats", "kind", "id"},
    {"engines", "kind", "id"},
    {"engine_defaults", "'engine'", "engine_id"},
    {"launches", "kind", "id"},
    {"launch_subjects", "'launch'", "launch_id"},
    {"launch_flags", "'launch'", "launch_id"},
    {"capacity", "kind", "id"},
    {"prices", "kind", "id"},
    {"memory_rules", "kind", "id"},
    {"calibrations", "kind", "id"},
    {"op_fits", "'calibration'", "calibration_id"},
    {"collective_fits", "'calibration'", "calibration_id"},
    {"host_costs", "'calibration'", "calibration_id"},
    {"intervals", "'calibration'", "calibration_id"},
    {"local_fits", "'calibration'", "calibration_id"},
    {"classes", "kind", "id"},
    {"regimes", "kind", "id"},
    {"regime_signs", "'regime'", "regime_id"},
    {"cures", "kind", "id"},
    {"cure_evidence", "'cure'", "cure_id"},
    {"anchors", "kind", "id"},
    {"anchor_metrics", "'anchor'", "anchor_id"},
    {"anchor_shares", "'anchor'", "anchor_id"},
    {"predictions", "'anchor'", "anchor_id"},
    {"residual_notes", "'anchor'", "anchor_id"},
    {"claims", "kind", "id"},
    {"claim_records", "'claim'", "claim_id"},
    {"gaps", "kind", "id"},
};

/* BEGIN IMMEDIATE would lock the embedded database too, which cannot be written: a first write
 * locks the file alone. */
static const char BEGIN[] = "BEGIN; UPDATE main.store_info SET value = value;";

/* Records to replace, then the trail of what changes, in this order. */
static const struct rows_replacement REFRESH = {
    .before =
        "CREATE TEMP TABLE refreshed AS SELECT b.kind, b.id FROM bundled.records b LEFT JOIN "
        "main.records m ON m.kind = b.kind AND m.id = b.id WHERE m.id IS NULL OR m.bundled = 1;"
        "INSERT INTO main.revisions (kind, record_id, revision, action, at, author, digest, "
        "previous_doc) SELECT b.kind, b.id, coalesce(m.revision, 0) + 1, iif(m.id IS NULL, "
        "'import', "
        "'refresh'), strftime('%Y-%m-%dT%H:%M:%SZ', 'now'), 'bundle', b.digest, m.doc FROM "
        "temp.refreshed r JOIN bundled.records b ON b.kind = r.kind AND b.id = r.id LEFT JOIN "
        "main.records m ON m.kind = b.kind AND m.id = b.id WHERE m.digest IS NOT b.digest;"
        "INSERT INTO main.revisions (kind, record_id, revision, action, at, author, digest) SELECT "
        "kind, id, revision + 1, 'retire', strftime('%Y-%m-%dT%H:%M:%SZ', 'now'), 'bundle', digest "
        "FROM main.records WHERE bundled = 1 AND (kind, id) NOT IN (SELECT kind, id FROM "
        "temp.refreshed);"
        "UPDATE main.records SET bundled = 0, revision = revision + 1 WHERE bundled = 1 AND (kind, "
        "id) "
        "NOT IN (SELECT kind, id FROM temp.refreshed);",
    .records =
        "INSERT INTO main.records SELECT b.* FROM bundled.records b JOIN temp.refreshed r ON "
        "r.kind = "
        "b.kind AND r.id = b.id WHERE true ON CONFLICT (kind, id) DO UPDATE SET title = "
        "excluded.title, notes = excluded.notes, doc = excluded.doc, digest = excluded.digest, "
        "revision = records.revision + (records.digest <> excluded.digest);",
    .after = "INSERT INTO main.anchor_search(anchor_search) VALUES ('rebuild');"
             "INSERT OR REPLACE INTO main.store_info SELECT * FROM bundled.store_info;"
             "DROP TABLE temp.refreshed;",
};

/* Reads the embedded database in place. SQLite takes a pointer to what it may change; with READONLY
 * it never does. */
static bool deserialize(sqlite3 *db, const char *schema)
{
    const union {
        const unsigned char *embedded;
        unsigned char *taken;
    } image = {EMBEDDED_DATABASE};

    const sqlite3_int64 size = (sqlite3_int64)EMBEDDED_DATABASE_BYTES;
    return sqlite3_deserialize(db, schema, image.taken, size, size, SQLITE_DESERIALIZE_READONLY) ==
           SQLITE_OK;
}

sqlite3 *embedded_open(void)
{
    sqlite3 *db = NULL;
    const int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_MEMORY | SQLITE_OPEN_NOMUTEX;
    if (sqlite3_open_v2(":memory:", &db, flags, NULL) == SQLITE_OK && deserialize(db, "main") &&
        sql_configure(db)) {
        return db;
    }
    sqlite3_close(db);
    return NULL;
}

bool embedded_attach(sqlite3 *db)
{
    return sql_exec(db, "ATTACH ':memory:' AS bundled") && deserialize(db, "bundled");
}

/* Whether the attached bundle is another one than the file's, and not older. */
static bool bundle_is_due(sqlite3 *db)
{
    static const char SQL[] =
        "SELECT (SELECT value FROM bundled.store_info WHERE key = 'records_digest') IS NOT (SELECT "
        "value FROM main.store_info WHERE key = 'records_digest') AND CAST((SELECT value FROM "
        "bundled.store_info WHERE key = 'records_serial') AS INTEGER) >= coalesce(CAST((SELECT "
        "value FROM main.store_info WHERE key = 'records_serial') AS INTEGER), 0)";
    return sql_number(db, SQL, 0) != 0;
}

static bool owned_delete(sqlite3 *db, const struct owned_table *table)
{
    char sql[400];
    return text_print(sql, sizeof(sql),
                      "DELETE FROM main.%s WHERE (%s, %s) IN (SELECT kind, id FROM temp.refreshed)",
                      table->name, table->kind, table->key) &&
           sql_exec(db, sql);
}

bool store_rows_delete(sqlite3 *db, const char *kind, const char *id)
{
    bool good = sql_exec(db, "CREATE TEMP TABLE refreshed (kind TEXT, id TEXT)") &&
                sql_run(db, "INSERT INTO temp.refreshed VALUES (?1, ?2)", "tt", kind, id);
    for (size_t i = 0; good && i < ARRAY_LEN(OWNED); i++) {
        good = owned_delete(db, &OWNED[i]);
    }
    return good && sql_exec(db, "DROP TABLE temp.refreshed") &&
           sql_run(db, "DELETE FROM records WHERE kind = ?1 AND id = ?2", "tt", kind, id);
}

static bool owned_insert(sqlite3 *db, const struct owned_table *table)
{
    char sql[400];
    return text_print(
               sql, sizeof(sql),
               "INSERT INTO main.%s SELECT * FROM bundled.%s WHERE (%s, %s) IN (SELECT kind, "
               "id FROM temp.refreshed)",
               table->name, table->name, table->kind, table->key) &&
           sql_exec(db, sql);
}

bool store_rows_replace(sqlite3 *db, const struct rows_replacement *replacement)
{
    bool good = sql_exec(db, BEGIN) && sql_exec(db, replacement->before);
    for (size_t i = 0; good && i < ARRAY_LEN(OWNED); i++) {
        good = owned_delete(db, &OWNED[i]);
    }
    good = good && sql_exec(db, replacement->records);
    for (size_t i = 0; good && i < ARRAY_LEN(OWNED); i++) {
        good = owned_insert(db, &OWNED[i]);
    }
    return good && sql_exec(db, replacement->after) &&
           sql_number(db, "SELECT count(*) FROM pragma_foreign_key_check", -1) == 0;
}

bool store_refresh(sqlite3 *db, const char *name, char ret_error[STORE_ERROR_MAX])
{
    bool good = embedded_attach(db) && sql_exec(db, "PRAGMA foreign_keys=OFF");
    if (good && bundle_is_due(db)) {
        good = store_rows_replace(db, &REFRESH) && sql_exec(db, "COMMIT");
    }
    if (!good) {
        sql_explain(db, name, ret_error, STORE_ERROR_MAX);
        sql_rollback(db);
    }
    good = sql_exec(db, "DETACH bundled; PRAGMA foreign_keys=ON") && good;
    embedded_pages_drop();
    return good;
}
