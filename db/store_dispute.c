#include "store_dispute.h"

#include <stdlib.h>
#include <string.h>

#include "anchor.h"
#include "sql.h"

#define SOURCE_TEXT_MAX 1200

bool store_record_read(sqlite3 *db, const char *kind, const char *id, char **ret_doc,
                       int *ret_revision)
{
    sqlite3_stmt *row = NULL;
    bool found = sqlite3_prepare_v2(db,
                                    "SELECT doc, revision FROM records WHERE kind = ?1 AND id = "
                                    "?2",
                                    -1, &row, NULL) == SQLITE_OK &&
                 sqlite3_bind_text(row, 1, kind, -1, SQLITE_STATIC) == SQLITE_OK &&
                 sqlite3_bind_text(row, 2, id, -1, SQLITE_STATIC) == SQLITE_OK &&
                 sqlite3_step(row) == SQLITE_ROW;
    if (found) {
        *ret_doc = strdup((const char *)sqlite3_column_text(row, 0));
        *ret_revision = sqlite3_column_int(row, 1);
    }
    sqlite3_finalize(row);
    return found;
}

static void member_set(cJSON *doc, const struct doc_member *member)
{
    cJSON *value = member->list ? cJSON_CreateStringArray(&member->value, 1)
                                : cJSON_CreateString(member->value);
    if (cJSON_HasObjectItem(doc, member->name)) {
        cJSON_ReplaceItemInObjectCaseSensitive(doc, member->name, value);
    } else {
        cJSON_AddItemToObject(doc, member->name, value);
    }
}

bool store_doc_change(sqlite3 *db, const char *kind, const char *id,
                      const struct doc_member *members, size_t n)
{
    char digest[DIGEST_HEX_MAX];
    char *before = NULL;
    int revision = 0;
    if (!store_record_read(db, kind, id, &before, &revision)) {
        return false;
    }
    cJSON *doc = before ? cJSON_Parse(before) : NULL;
    for (size_t i = 0; doc && i < n; i++) {
        member_set(doc, &members[i]);
    }
    char *text = doc ? cJSON_PrintUnformatted(doc) : NULL;
    digest_text(text ? text : "", text ? strlen(text) : 0, digest);
    bool done = text && sql_run(db,
                                "UPDATE records SET doc = ?3, digest = ?4, bundled = 0 WHERE kind "
                                "= ?1 AND id = ?2",
                                "tttt", kind, id, text, digest);
    cJSON_Delete(doc);
    free(before);
    free(text);
    return done;
}

/* Ends the use of an anchor as evidence. */
static bool anchor_flag(sqlite3 *db, const char *id, const char *why, const char *flag)
{
    const struct doc_member members[] = {{"disputed", why, false}, {"flag", flag, false}};
    return sql_run(db, "UPDATE anchors SET disputed = ?2, flag = ?3 WHERE id = ?1", "ttt", id, why,
                   flag) &&
           store_doc_change(db, "anchor", id, members, ARRAY_LEN(members));
}

/* The flag of an anchor that is to be used no more; NULL = none. */
static const char *flag_of(struct import *import, const cJSON *record, const char *kind)
{
    const char *flag = field_text_or_null(import, record, "flag");
    enum anchor_doubt doubt = flag ? anchor_doubt_parse(flag) : DOUBT_NONE;
    if (flag && strcmp(kind, "anchor") != 0) {
        import_fault_at(import, "flag", "only an anchor is flagged");
    } else if (flag && (doubt == DOUBT_NONE || doubt == ANCHOR_DOUBT_COUNT)) {
        import_fault_at(import, "flag",
                        "'%s' is none of odd, speculative_suspected, same_run, beyond_bound, "
                        "inconsistent, incomplete",
                        flag);
    }
    return flag;
}

/* What a record says of a field, or that it says nothing; to be freed. */
static char *value_now(const char *doc, const char *field)
{
    cJSON *record = cJSON_Parse(doc);
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(record, field);
    char *text = item && cJSON_IsString(item) ? strdup(item->valuestring)
                 : item                       ? cJSON_PrintUnformatted(item)
                                              : strdup("not stated");
    cJSON_Delete(record);
    return text;
}

/* A value as text: a string without its quotes. */
static char *value_text(const cJSON *value)
{
    return value && cJSON_IsString(value) ? strdup(value->valuestring)
           : value                        ? cJSON_PrintUnformatted(value)
                                          : NULL;
}

/* The source of the other value, "title, url"; a fault when it has no title. */
static bool source_text(struct import *import, const cJSON *record, char ret_text[SOURCE_TEXT_MAX])
{
    static const char *const KNOWN[] = {"title", "kind", "url", "date", "license", NULL};
    const cJSON *source = cJSON_GetObjectItemCaseSensitive(record, "source");
    if (!source || !cJSON_IsObject(source)) {
        import_fault_at(import, "source", "'source' is missing: title, kind, url, date");
        return false;
    }
    import_step(import, "source");
    field_known(import, source, KNOWN);
    const char *title = field_text(import, source, "title");
    const char *url = field_text_or_null(import, source, "url");
    import_step(import, NULL);
    return text_print(ret_text, SOURCE_TEXT_MAX, "%s%s%s", title, url ? ", " : "", url ? url : "");
}

/* What the caller says, checked. */
struct dispute {
    const char *kind, *id, *field, *why, *flag;
    char *value; /* to be freed */
    char source[SOURCE_TEXT_MAX];
};

static void dispute_read(struct import *import, const cJSON *record, struct dispute *ret_dispute)
{
    static const char *const KNOWN[] = {"kind",   "id",  "field", "value",
                                        "source", "why", "flag",  NULL};
    field_known(import, record, KNOWN);
    *ret_dispute = (struct dispute){
        .kind = field_text(import, record, "kind"),
        .id = field_text(import, record, "id"),
        .field = field_text(import, record, "field"),
        .why = field_text(import, record, "why"),
        .value = value_text(cJSON_GetObjectItemCaseSensitive(record, "value")),
    };
    if (!ret_dispute->value) {
        import_fault_at(import, "value", "'value' is missing: what the field should be");
    }
    (void)source_text(import, record, ret_dispute->source);
    ret_dispute->flag = flag_of(import, record, ret_dispute->kind);
}

static bool dispute_insert(sqlite3 *db, const struct dispute *dispute, const char *before)
{
    char *now = value_now(before, dispute->field);
    bool done =
        now &&
        sql_run(db,
                "INSERT INTO disputes SELECT ?1, ?2, (SELECT coalesce(max(position), -1) + 1 FROM "
                "disputes WHERE kind = ?1 AND record_id = ?2), ?3, ?4, coalesce((SELECT s.title "
                "FROM provenance p JOIN sources s ON s.id = p.source_id WHERE p.kind = ?1 AND "
                "p.record_id = ?2 ORDER BY p.field <> ?3, p.position LIMIT 1), 'the record'), ?5, "
                "?6, ?7",
                "ttttttt", dispute->kind, dispute->id, dispute->field, now, dispute->value,
                dispute->source, dispute->why) &&
        sql_run(db, "UPDATE records SET bundled = 0 WHERE kind = ?1 AND id = ?2", "tt",
                dispute->kind, dispute->id);
    free(now);
    return done;
}

enum write_verdict store_dispute_write(struct import *import, const struct write *write,
                                       struct write_outcome *out, char **ret_before)
{
    struct dispute dispute;
    enum write_verdict verdict = WRITE_ADDED;
    dispute_read(import, write->record, &dispute);
    (void)text_print(out->kind, WRITE_ID_MAX, "%s", dispute.kind);
    (void)text_print(out->id, WRITE_ID_MAX, "%s", dispute.id);
    if (import->faults) {
        verdict = WRITE_FAULTY;
    } else if (!store_record_read(import->db, dispute.kind, dispute.id, ret_before,
                                  &out->revision)) {
        verdict = WRITE_MISSING;
    } else if (write->revision && write->revision != out->revision) {
        verdict = WRITE_STALE;
    } else if (!dispute_insert(import->db, &dispute, *ret_before) ||
               (dispute.flag && !anchor_flag(import->db, dispute.id, dispute.why, dispute.flag))) {
        verdict = WRITE_FAILED;
    }
    free(dispute.value);
    return verdict;
}
