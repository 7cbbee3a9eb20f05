/*
 * import_record.c - fields of a record, and the rows that every kind of record has.
 */
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "digest.h"
#include "import.h"
#include "json_member.h"
#include "name_key.h"
#include "sql.h"

#define TEXT_MAX 8192
#define STEP_MAX 32

void field_known(struct import *import, const cJSON *object, const char *const *known)
{
    const cJSON *item = NULL;
    cJSON_ArrayForEach(item, object)
    {
        const char *const *name = known;
        while (*name && strcmp(*name, item->string) != 0) {
            name++;
        }
        if (!*name) {
            import_fault_at(import, item->string, "unknown field '%s'", item->string);
        }
    }
}

const char *field_text_or_null(struct import *import, const cJSON *object, const char *name)
{
    const cJSON *item = json_member(object, name);
    if (!item || cJSON_IsNull(item)) {
        return NULL;
    }
    if (!cJSON_IsString(item)) {
        import_fault_at(import, name, "'%s' must be a text", name);
        return NULL;
    }
    return item->valuestring;
}

const char *field_text(struct import *import, const cJSON *object, const char *name)
{
    const char *text = field_text_or_null(import, object, name);
    if (!text) {
        import_fault_at(import, name, "'%s' is missing", name);
        return "";
    }
    return text;
}

double field_number_or_nan(struct import *import, const cJSON *object, const char *name, double min,
                           double max)
{
    const cJSON *item = json_member(object, name);
    if (!item || cJSON_IsNull(item)) {
        return NAN;
    }
    if (!cJSON_IsNumber(item) || !isfinite(item->valuedouble)) {
        import_fault_at(import, name, "'%s' must be a finite number", name);
        return min;
    }
    if (item->valuedouble < min || item->valuedouble > max) {
        import_fault_at(import, name, "'%s' is %g, outside %g to %g", name, item->valuedouble, min,
                        max);
        return min;
    }
    return item->valuedouble;
}

double field_number(struct import *import, const cJSON *object, const char *name, double min,
                    double max)
{
    double value = field_number_or_nan(import, object, name, min, max);
    if (isnan(value)) {
        import_fault_at(import, name, "'%s' is missing", name);
        return min;
    }
    return value;
}

bool field_bool(struct import *import, const cJSON *object, const char *name)
{
    const cJSON *item = json_member(object, name);
    if (!item || !cJSON_IsBool(item)) {
        import_fault_at(import, name, "'%s' must be true or false", name);
        return false;
    }
    return cJSON_IsTrue(item) != 0;
}

void import_alias(struct import *import, const char *kind, const char *id, const char *alias)
{
    char key[NAME_KEY_MAX];
    if (!name_key(alias, strcmp(kind, "model") == 0, key)) {
        import_fault(import, "'%s' is no name", alias);
        return;
    }
    /* Spellings of one record that compare equal are one row. */
    import_check(import,
                 sql_run(import->db,
                         "INSERT OR IGNORE INTO aliases (kind, key, record_id, alias) VALUES (?1, "
                         "?2, ?3, ?4)",
                         "tttt", kind, key, id, alias),
                 alias);
}

/* Whether an earlier element of the array is the same text. */
static bool repeats(const cJSON *array, const cJSON *element)
{
    for (const cJSON *before = array->child; before != element; before = before->next) {
        if (cJSON_IsString(before) && strcmp(before->valuestring, element->valuestring) == 0) {
            return true;
        }
    }
    return false;
}

static void import_aliases(struct import *import, const char *kind, const char *id,
                           const cJSON *object)
{
    const cJSON *alias = NULL;
    import_alias(import, kind, id, id);
    cJSON_ArrayForEach(alias, json_member(object, "aliases"))
    {
        if (!cJSON_IsString(alias)) {
            import_fault(import, "'aliases' holds something that is not a text");
        } else if (repeats(json_member(object, "aliases"), alias)) {
            import_fault(import, "alias '%s' stands twice", alias->valuestring);
        } else {
            import_alias(import, kind, id, alias->valuestring);
        }
    }
    static const char *const NAMES[] = {"name", "hf_repo"};
    for (size_t i = 0; i < sizeof(NAMES) / sizeof(NAMES[0]); i++) {
        const char *name = field_text_or_null(import, object, NAMES[i]);
        if (name) {
            import_alias(import, kind, id, name);
        }
    }
}

/* What a source of that kind makes of a value. */
static const char *basis_of_kind(const char *kind)
{
    static const struct {
        const char *kind, *basis;
    } BASES[] = {
        {"recall", "assumed"},
        {"assumed", "assumed"},
        {"derived", "derived"},
        {"measurement", "measured"},
    };

    for (size_t i = 0; i < sizeof(BASES) / sizeof(BASES[0]); i++) {
        if (strcmp(BASES[i].kind, kind) == 0) {
            return BASES[i].basis;
        }
    }
    return "published";
}

/* The id of a source: the start of the digest of what names it. */
static void source_id(const char *title, const char *kind, const char *url, const char *date,
                      char ret_id[SOURCE_ID_MAX])
{
    struct digest digest;
    char hex[DIGEST_HEX_MAX];
    const char *parts[] = {title, kind, url ? url : "", date ? date : ""};
    digest_init(&digest);
    for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
        digest_add(&digest, parts[i], strlen(parts[i]) + 1);
    }
    digest_hex(&digest, hex);
    (void)text_print(ret_id, SOURCE_ID_MAX, "src-%.12s", hex);
}

/* Writes the source as a record of its own, once. */
static void source_write(struct import *import, const char *id, const cJSON *source)
{
    const char *title = field_text(import, source, "title");
    char key[NAME_KEY_MAX];
    cJSON *doc = cJSON_CreateObject();
    static const char *const MEMBERS[] = {"title", "kind", "url", "date", "license"};
    for (size_t i = 0; i < sizeof(MEMBERS) / sizeof(MEMBERS[0]); i++) {
        const cJSON *item = json_member(source, MEMBERS[i]);
        if (item) {
            cJSON_AddItemToObject(doc, MEMBERS[i], cJSON_Duplicate(item, 1));
        }
    }
    char *text = doc ? cJSON_PrintUnformatted(doc) : NULL;
    cJSON_Delete(doc);
    if (!text || !name_key(id, false, key)) {
        import_fault(import, "out of memory");
        free(text);
        return;
    }
    char digest[DIGEST_HEX_MAX];
    digest_text(text, strlen(text), digest);
    bool done =
        sql_run(import->db, "INSERT INTO records VALUES ('source', ?1, ?2, ?5, 1, ?3, '', ?4)",
                "tttti", id, title, digest, text, !import->posted) &&
        sql_run(import->db, "INSERT INTO aliases VALUES ('source', ?1, ?2, ?2)", "tt", key, id) &&
        sql_run(import->db,
                "INSERT INTO sources (id, title, source_kind, url, date, license) VALUES (?1, ?2, "
                "?3, ?4, ?5, ?6)",
                "tttttt", id, title, field_text(import, source, "kind"),
                field_text_or_null(import, source, "url"),
                field_text_or_null(import, source, "date"),
                field_text_or_null(import, source, "license")) &&
        sql_run(import->db, "INSERT INTO search VALUES ('source', ?1, ?2, '', ?2, ?3)", "ttt", id,
                title, field_text_or_null(import, source, "url"));
    import_check(import, done, "source");
    free(text);
}

static bool source_exists(struct import *import, const char *id)
{
    sqlite3_stmt *statement = NULL;
    bool exists = sqlite3_prepare_v2(import->db, "SELECT 1 FROM sources WHERE id = ?1", -1,
                                     &statement, NULL) == SQLITE_OK &&
                  sqlite3_bind_text(statement, 1, id, -1, SQLITE_STATIC) == SQLITE_OK &&
                  sqlite3_step(statement) == SQLITE_ROW;
    sqlite3_finalize(statement);
    return exists;
}

static void url_check(struct import *import, const char *url)
{
    /* RFC 3986, appendix C: what delimits a url stands in none */
    if (url && ((strncmp(url, "https://", 8) != 0 && strncmp(url, "http://", 7) != 0) ||
                url[strcspn(url, " \t\r\n<>\"")])) {
        import_fault_at(import, "url", "'%s' is not a url", url);
    }
}

static const char *text_of(const cJSON *object, const char *name)
{
    const char *text = cJSON_GetStringValue(json_member(object, name));
    return text ? text : "";
}

void import_source_id(const cJSON *source, char ret_id[SOURCE_ID_MAX])
{
    source_id(text_of(source, "title"), text_of(source, "kind"), text_of(source, "url"),
              text_of(source, "date"), ret_id);
}

void import_record_sources(struct import *import, const char *kind, const char *id,
                           const cJSON *object)
{
    static const char *const KNOWN[] = {"field", "title", "kind", "url", "date", "license", NULL};
    const cJSON *source = NULL;
    int position = 0;
    cJSON_ArrayForEach(source, json_member(object, "sources"))
    {
        char key[SOURCE_ID_MAX];
        char step[STEP_MAX];
        (void)text_print(step, sizeof(step), "sources/%d", position);
        import_step(import, step);
        field_known(import, source, KNOWN);
        const char *source_kind = field_text(import, source, "kind");
        const char *url = field_text_or_null(import, source, "url");
        url_check(import, url);
        source_id(field_text(import, source, "title"), source_kind, url,
                  field_text_or_null(import, source, "date"), key);
        if (!source_exists(import, key)) {
            source_write(import, key, source);
        }
        import_check(import,
                     sql_run(import->db, "INSERT INTO provenance VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
                             "ttittt", kind, id, position++, field_text(import, source, "field"),
                             key, basis_of_kind(source_kind)),
                     "provenance");
        import_step(import, NULL);
    }
}

void import_source(struct import *import, const cJSON *record, const char *doc)
{
    static const char *const KNOWN[] = {"title", "kind", "url", "date", "license", NULL};
    char key[SOURCE_ID_MAX];
    (void)doc;
    field_known(import, record, KNOWN);
    url_check(import, field_text_or_null(import, record, "url"));
    import_source_id(record, key);
    if (import->faults == 0) {
        source_write(import, key, record);
    }
}

/* The text of a JSON value: a string without its quotes, else as written. */
static void value_text(struct import *import, const cJSON *object, const char *name,
                       char ret_text[TEXT_MAX])
{
    const cJSON *item = json_member(object, name);
    ret_text[0] = '\0';
    if (!item) {
        import_fault(import, "a dispute has no '%s'", name);
    } else if (cJSON_IsString(item)) {
        (void)text_print(ret_text, TEXT_MAX, "%s", item->valuestring);
    } else {
        char *text = cJSON_PrintUnformatted(item);
        (void)text_print(ret_text, TEXT_MAX, "%s", text ? text : "");
        free(text);
    }
}

/* The dispute takes the record's next position. */
static void dispute_write(struct import *import, const char *kind, const char *id,
                          const cJSON *dispute)
{
    char a[TEXT_MAX];
    char b[TEXT_MAX];
    value_text(import, dispute, "value_a", a);
    value_text(import, dispute, "value_b", b);
    import_check(import,
                 sql_run(import->db,
                         "INSERT INTO disputes SELECT ?1, ?2, (SELECT coalesce(max(position), -1) "
                         "+ 1 FROM disputes WHERE kind = ?1 AND record_id = ?2), ?3, ?4, ?5, ?6, "
                         "?7, ?8",
                         "tttttttt", kind, id, field_text(import, dispute, "field"), a,
                         field_text(import, dispute, "source_a"), b,
                         field_text(import, dispute, "source_b"),
                         field_text(import, dispute, "why")),
                 "dispute");
}

static void import_disputes(struct import *import, const char *kind, const char *id,
                            const cJSON *object)
{
    static const char *const KNOWN[] = {"field",    "value_a", "source_a", "value_b",
                                        "source_b", "why",     NULL};
    const cJSON *dispute = NULL;
    cJSON_ArrayForEach(dispute, json_member(object, "disputes"))
    {
        field_known(import, dispute, KNOWN);
        dispute_write(import, kind, id, dispute);
    }
}

/* A dispute that stands apart from its record: it names it. */
void import_more_disputes(struct import *import, const cJSON *record, const char *doc)
{
    static const char *const KNOWN[] = {"kind",    "id",       "field", "value_a", "source_a",
                                        "value_b", "source_b", "why",   NULL};
    (void)doc;
    field_known(import, record, KNOWN);
    dispute_write(import, field_text(import, record, "kind"), field_text(import, record, "id"),
                  record);
}

/* The search row gathers what ?q= looks through. */
static void import_search(struct import *import, const char *kind, const char *id)
{
    import_check(
        import,
        sql_run(import->db,
                "INSERT INTO search SELECT r.kind, r.id, r.title || ' ' || (SELECT "
                "group_concat(alias, ' ') FROM aliases a WHERE a.kind = r.kind AND a.record_id = "
                "r.id), r.notes, (SELECT group_concat(DISTINCT s.title) FROM provenance p JOIN "
                "sources s ON s.id = p.source_id WHERE p.kind = r.kind AND p.record_id = r.id), "
                "(SELECT group_concat(DISTINCT s.url) FROM provenance p JOIN sources s ON s.id = "
                "p.source_id WHERE p.kind = r.kind AND p.record_id = r.id) FROM records r WHERE "
                "r.kind = ?1 AND r.id = ?2",
                "tt", kind, id),
        "search");
}

void import_record_row(struct import *import, const char *kind, const char *id, const char *title,
                       const char *notes, const char *doc)
{
    char digest[DIGEST_HEX_MAX];
    digest_text(doc, strlen(doc), digest);
    import_check(import,
                 sql_run(import->db, "INSERT INTO records VALUES (?1, ?2, ?3, ?7, 1, ?4, ?5, ?6)",
                         "tttttti", kind, id, title, digest, notes ? notes : "", doc,
                         !import->posted),
                 "record");
}

void import_record(struct import *import, const char *kind, const char *id, const char *title,
                   const cJSON *object, const char *doc)
{
    import_record_row(import, kind, id, title, field_text_or_null(import, object, "notes"), doc);
    import_aliases(import, kind, id, object);
    import_record_sources(import, kind, id, object);
    import_disputes(import, kind, id, object);
    import_search(import, kind, id);
}

void import_more_aliases(struct import *import, const cJSON *record, const char *doc)
{
    static const char *const KNOWN[] = {"kind", "id", "aliases", NULL};
    const cJSON *alias = NULL;
    (void)doc;
    field_known(import, record, KNOWN);
    cJSON_ArrayForEach(alias, json_member(record, "aliases"))
    {
        import_alias(import, field_text(import, record, "kind"), field_text(import, record, "id"),
                     cJSON_IsString(alias) ? alias->valuestring : "");
    }
}
