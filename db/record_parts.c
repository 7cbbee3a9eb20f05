#include "record_parts.h"

#include <stdlib.h>
#include <string.h>

#include "sql.h"

#define NUMBER_MAX 40
/* Records of a kind, in the order in which they were read. */
#define RECORDS(KIND) "SELECT id, doc FROM records WHERE kind = '" KIND "' ORDER BY rowid"
#define CALIBRATIONS(TYPE)                                                                         \
    "SELECT r.id, r.doc FROM records r JOIN calibrations c ON c.id = r.id WHERE r.kind = "         \
    "'calibration' AND c.type = '" TYPE "'"

/* Of an alias `a` of the record `r`: the record's text does not name it. */
#define IS_FURTHER                                                                                 \
    "a.alias <> a.record_id AND a.alias NOT IN (SELECT value FROM json_each(r.doc, '$.aliases')) " \
    "AND a.alias IS NOT json_extract(r.doc, '$.name') AND a.alias IS NOT json_extract(r.doc, "     \
    "'$.hf_repo')"

static const char *const LOCAL[] = {"constant",       "backend",     "engine", "family",
                                    "format",         "hardware",    "value",  "n",
                                    "median_abs_err", "p90_abs_err", NULL};

static const char *const PREDICTION[] = {
    "anchor",  "tpot_ms",          "tpot_ms_cell_out",  "tpot_ms_model_out",
    "ttft_ms", "ttft_ms_cell_out", "ttft_ms_model_out", NULL};

static const char *column_text(sqlite3_stmt *row, int column)
{
    return (const char *)sqlite3_column_text(row, column);
}

/* The text of the tree, which is let go. */
static char *print_tree(cJSON *tree)
{
    char *text = cJSON_PrintUnformatted(tree);
    cJSON_Delete(tree);
    return text;
}

/* ---- rows that are no record ---- */

/* The shortest digits that give the number back. */
static bool put_number(cJSON *object, const char *name, double value)
{
    char text[NUMBER_MAX] = "";
    for (int digits = 1; digits <= 17; digits++) {
        (void)text_print(text, sizeof(text), "%.*g", digits, value);
        if (strtod(text, NULL) == value) {
            break;
        }
    }
    return cJSON_AddRawToObject(object, name, text) != NULL;
}

/* An object of the row's columns from `first` on, those that are not NULL. */
static cJSON *row_object(sqlite3_stmt *row, int first)
{
    cJSON *object = cJSON_CreateObject();
    for (int i = first; object && i < sqlite3_column_count(row); i++) {
        const char *name = sqlite3_column_name(row, i);
        int type = sqlite3_column_type(row, i);
        if (type == SQLITE_TEXT) {
            cJSON_AddStringToObject(object, name, column_text(row, i));
        } else if (type != SQLITE_NULL) {
            (void)put_number(object, name, sqlite3_column_double(row, i));
        }
    }
    return object;
}

static char *make_plain(sqlite3_stmt *detail, sqlite3_stmt *row)
{
    (void)detail;
    return print_tree(row_object(row, 1));
}

/* A note on a residual: (id, anchor, metric, cause, why, title, url). */
static char *make_explained(sqlite3_stmt *detail, sqlite3_stmt *row)
{
    cJSON *note = row_object(row, 1);
    cJSON *title = cJSON_DetachItemFromObject(note, "title");
    cJSON *url = cJSON_DetachItemFromObject(note, "url");
    (void)detail;
    if (title || url) {
        cJSON *source = cJSON_AddObjectToObject(note, "source");
        if (title) {
            cJSON_AddItemToObject(source, "title", title);
        }
        if (url) {
            cJSON_AddItemToObject(source, "url", url);
        }
    }
    return print_tree(note);
}

/* Further names of a record: (id, kind, record_id). */
static char *make_aliases(sqlite3_stmt *names, sqlite3_stmt *row)
{
    cJSON *object = cJSON_CreateObject();
    cJSON_AddStringToObject(object, "kind", column_text(row, 1));
    cJSON_AddStringToObject(object, "id", column_text(row, 2));
    cJSON *list = cJSON_AddArrayToObject(object, "aliases");
    if (sqlite3_bind_text(names, 1, column_text(row, 1), -1, SQLITE_STATIC) == SQLITE_OK &&
        sqlite3_bind_text(names, 2, column_text(row, 2), -1, SQLITE_STATIC) == SQLITE_OK) {
        while (sqlite3_step(names) == SQLITE_ROW) {
            cJSON_AddItemToArray(list, cJSON_CreateString(column_text(names, 0)));
        }
    }
    return print_tree(object);
}

/* ---- anchors ---- */

static void put_sources(sqlite3_stmt *sources, cJSON *object, const char *id)
{
    cJSON *list = cJSON_AddArrayToObject(object, "sources");
    if (sqlite3_bind_text(sources, 1, id, -1, SQLITE_STATIC) == SQLITE_OK) {
        while (sqlite3_step(sources) == SQLITE_ROW) {
            cJSON_AddItemToArray(list, row_object(sources, 1));
        }
    }
}

/* [{"metric", "statistic", "value"}] as {"metric.statistic": value}. */
static void put_metrics(cJSON *object, const cJSON *metrics)
{
    const cJSON *metric = NULL;
    cJSON *figures = cJSON_AddObjectToObject(object, "metrics");
    cJSON_ArrayForEach(metric, metrics)
    {
        char name[120];
        const cJSON *value = cJSON_GetObjectItemCaseSensitive(metric, "value");
        (void)text_print(
            name, sizeof(name), "%s.%s",
            cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(metric, "metric")),
            cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(metric, "statistic")));
        cJSON_AddItemToObject(figures, name, cJSON_Duplicate(value, 1));
    }
}

/* Moves a member of the shown text into the record, under the name that files have for it. */
static void move_member(cJSON *doc, const char *from, cJSON *record, const char *to)
{
    cJSON *item = cJSON_DetachItemFromObjectCaseSensitive(doc, from);
    if (item && !cJSON_IsNull(item)) {
        cJSON_AddItemToObject(record, to, item);
    } else {
        cJSON_Delete(item);
    }
}

/* A measurement, (id, doc, title, notes), in the language of files: less what follows from it. */
static char *make_anchor(sqlite3_stmt *sources, sqlite3_stmt *row)
{
    static const char *const BEFORE[][2] = {{"kind", "kind"},
                                            {"title", "title"},
                                            {"model", "model"},
                                            {"model_id", "model_id"},
                                            {"hardware", "hardware"},
                                            {"hardware_id", "hardware_id"},
                                            {"engine", "engine"},
                                            {"engine_version", "engine_version"},
                                            {"backend", "backend"},
                                            {"weights", "weights"},
                                            {"kv_cache", "kv_cache"},
                                            {"measured_on", "measured"},
                                            {"conditions", "conditions"}};
    static const char *const BEHIND[] = {"shares", "disputed", "flag", "notes"};
    cJSON *doc = cJSON_Parse(column_text(row, 1));
    cJSON *record = doc ? cJSON_CreateObject() : NULL;
    if (!record) {
        cJSON_Delete(doc);
        return NULL;
    }
    cJSON_AddStringToObject(doc, "title", column_text(row, 2));
    if (*column_text(row, 3)) {
        cJSON_AddStringToObject(doc, "notes", column_text(row, 3));
    }
    cJSON_AddStringToObject(record, "id", column_text(row, 0));
    for (size_t i = 0; i < ARRAY_LEN(BEFORE); i++) {
        move_member(doc, BEFORE[i][0], record, BEFORE[i][1]);
    }
    put_metrics(record, cJSON_GetObjectItemCaseSensitive(doc, "metrics"));
    for (size_t i = 0; i < ARRAY_LEN(BEHIND); i++) {
        move_member(doc, BEHIND[i], record, BEHIND[i]);
    }
    put_sources(sources, record, column_text(row, 0));
    cJSON_Delete(doc);
    return print_tree(record);
}

/* ---- the parts, in the order of their import ---- */

static const struct record_part PARTS[] = {
    {"source", "sources.json", PART_ARRAY, .optional = true,
     .sql = "SELECT id, doc FROM records r WHERE kind = 'source' AND NOT EXISTS (SELECT 1 FROM "
            "provenance p WHERE p.source_id = r.id) ORDER BY id"},
    {"model", "models/models.json", PART_ARRAY, .sql = RECORDS("model")},
    {"hardware", "hardware/hardware.json", PART_ARRAY, .sql = RECORDS("hardware")},
    {"weight_format", "formats/weights.json", PART_ARRAY, .sql = RECORDS("weight_format")},
    {"kv_format", "formats/kv.json", PART_ARRAY, .sql = RECORDS("kv_format")},
    {"engine", "engines/*.json", PART_BY_ID, .sql = RECORDS("engine")},
    {"host_cost", "host-costs.json", PART_ARRAY,
     .sql = CALIBRATIONS("host_cost") " AND json_extract(r.doc, '$.n') IS NULL ORDER BY "
                                      "r.rowid"},
    {"engine_constant", "calibration/engine-constants.json", PART_ARRAY,
     .sql = CALIBRATIONS("host_cost") " AND json_extract(r.doc, '$.n') IS NOT NULL ORDER BY "
                                      "r.rowid"},
    {"interval", "calibration/intervals.json", PART_ARRAY,
     .sql = CALIBRATIONS("interval") " ORDER BY r.rowid"},
    {"alias", "aliases.json", PART_ARRAY, .make = make_aliases,
     .detail = "SELECT a.alias FROM aliases a JOIN records r ON r.kind = a.kind AND r.id = "
               "a.record_id WHERE a.kind = ?1 AND a.record_id = ?2 AND " IS_FURTHER " ORDER BY "
               "a.alias",
     .sql = "SELECT DISTINCT a.kind || ' ' || a.record_id, a.kind, a.record_id FROM aliases a JOIN "
            "records r ON r.kind = a.kind AND r.id = a.record_id WHERE a.kind <> 'source' "
            "AND " IS_FURTHER " ORDER BY 1"},
    {"launch", "launches.json", PART_ARRAY, .sql = RECORDS("launch")},
    {"memory_rule", "memory-rules.json", PART_ARRAY, .sql = RECORDS("memory_rule")},
    {"capacity", "capacity/capacity.json", PART_ARRAY, .sql = RECORDS("capacity")},
    {"price", "prices/prices.json", PART_ARRAY, .sql = RECORDS("price")},
    {"anchor", "anchors/anchors-*.json", PART_NUMBERED, .make = make_anchor,
     .detail = "SELECT p.position, p.field, s.title, s.source_kind AS kind, s.url, s.date, "
               "s.license FROM provenance p JOIN sources s ON s.id = p.source_id WHERE p.kind = "
               "'anchor' AND p.record_id = ?1 ORDER BY p.position",
     .sql = "SELECT id, doc, title, notes FROM records WHERE kind = 'anchor' ORDER BY rowid"},
    {"claim", "claims.json", PART_ARRAY, .sql = RECORDS("claim")},
    {"gap", "gaps.json", PART_ARRAY, .sql = RECORDS("gap")},
    {"explanation", "calibration/explained.json", PART_ARRAY, .make = make_explained,
     .sql = "SELECT anchor_id || ' ' || metric, anchor_id AS anchor, metric, cause, why, "
            "source_title AS title, source_url AS url FROM residual_notes ORDER BY anchor_id, "
            "metric"},
    {"op_fit", "fits/fits-*.csv", PART_TABLES, .sql = CALIBRATIONS("op_fit") " ORDER BY r.rowid"},
    {"collective_fit", "fits/collectives.csv", PART_TABLE,
     .sql = CALIBRATIONS("collective_fit") " ORDER BY r.rowid"},
    {"local_fit", "calibration/local.csv", PART_TABLE, .columns = LOCAL,
     .sql = CALIBRATIONS("local_fit") " ORDER BY r.rowid"},
    {"prediction", "calibration/predictions.csv", PART_TABLE, .columns = PREDICTION,
     .make = make_plain,
     .sql = "SELECT anchor_id, anchor_id AS anchor, tpot_ms, tpot_ms_cell_out, "
            "tpot_ms_model_out, ttft_ms, ttft_ms_cell_out, ttft_ms_model_out "
            "FROM predictions ORDER BY anchor_id"},
    {"dispute", "disputes.json", PART_ARRAY, .optional = true, .make = make_plain,
     .sql = "SELECT d.kind || ' ' || d.record_id || ' ' || d.position, d.kind, d.record_id AS id, "
            "d.field, d.value_a, d.source_a, d.value_b, d.source_b, d.why FROM disputes d JOIN "
            "records r ON r.kind = d.kind AND r.id = d.record_id WHERE d.position >= "
            "coalesce(json_array_length(r.doc, '$.disputes'), 0) ORDER BY d.kind, d.record_id, "
            "d.position"},
};

const struct record_part *record_parts(int *ret_n)
{
    *ret_n = (int)ARRAY_LEN(PARTS);
    return PARTS;
}

bool record_part_walk(sqlite3 *db, const struct record_part *part, part_row_fn *take, void *ctx)
{
    sqlite3_stmt *row = NULL;
    sqlite3_stmt *detail = NULL;
    int rc = sqlite3_prepare_v2(db, part->sql, -1, &row, NULL);
    if (rc == SQLITE_OK && part->detail) {
        rc = sqlite3_prepare_v2(db, part->detail, -1, &detail, NULL);
    }
    bool good = rc == SQLITE_OK;
    while (good && (rc = sqlite3_step(row)) == SQLITE_ROW) {
        char *made = part->make ? part->make(detail, row) : NULL;
        (void)sqlite3_reset(detail);
        good = (made || !part->make) &&
               take(ctx, column_text(row, 0), made ? made : column_text(row, 1));
        free(made);
    }
    sqlite3_finalize(detail);
    sqlite3_finalize(row);
    return good && rc == SQLITE_DONE;
}
