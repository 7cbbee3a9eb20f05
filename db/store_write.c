#include "store_write.h"

#include <stdlib.h>
#include <string.h>

#include "anchor_index.h"
#include "catalogue_data.h"
#include "import_anchor.h"
#include "sql.h"
#include "store_dispute.h"
#include "store_refresh.h"

#define NOW "strftime('%Y-%m-%dT%H:%M:%SZ', 'now')"
/* How long a key is kept, and how many of one token. */
#define KEY_SECONDS "86400"
#define KEYS_MAX "10000"

/* What reads a kind of record. */
static const struct {
    const char *kind;
    import_fn *read;
} KINDS[] = {
    {"source", import_source},
    {"model", import_model},
    {"hardware", import_hardware},
    {"anchor", import_anchor_json},
};

/* A write under way. */
struct writing {
    struct store *store;
    sqlite3 *db;
    const struct write *write;
    struct write_outcome *out;
    struct import import;
    char *before; /* the text of the record that is replaced; NULL = it is new */
};

static void text_copy(char *to, size_t max, const char *text)
{
    (void)text_print(to, max, "%s", text ? text : "");
}

/* Ends the write without a row. */
static bool end(struct writing *writing, enum write_verdict verdict)
{
    writing->out->verdict = verdict;
    return false;
}

static bool fail(struct writing *writing)
{
    sql_explain(writing->db, store_path(writing->store), writing->out->error, STORE_ERROR_MAX);
    return end(writing, WRITE_FAILED);
}

/* ---- requests that are sent again ---- */

/* Whether the request is new; else the outcome is that of the first. */
static bool key_is_new(struct writing *writing)
{
    const struct write *write = writing->write;
    struct write_outcome *out = writing->out;
    sqlite3_stmt *row = NULL;
    if (!write->key) {
        return true;
    }
    if (!sql_exec(writing->db, "DELETE FROM idempotency WHERE expires_s <= CAST(strftime('%s', "
                               "'now') AS INTEGER)") ||
        sqlite3_prepare_v2(writing->db,
                           "SELECT i.request, i.kind, i.record_id, r.revision FROM idempotency i "
                           "LEFT JOIN records r ON r.kind = i.kind AND r.id = i.record_id WHERE "
                           "i.token_id = ?1 AND i.key = ?2",
                           -1, &row, NULL) != SQLITE_OK) {
        return fail(writing);
    }
    (void)sqlite3_bind_text(row, 1, write->token_id, -1, SQLITE_STATIC);
    (void)sqlite3_bind_text(row, 2, write->key, -1, SQLITE_STATIC);
    bool found = sqlite3_step(row) == SQLITE_ROW;
    if (found) {
        bool same = strcmp((const char *)sqlite3_column_text(row, 0), write->request) == 0;
        text_copy(out->kind, WRITE_ID_MAX, (const char *)sqlite3_column_text(row, 1));
        text_copy(out->id, WRITE_ID_MAX, (const char *)sqlite3_column_text(row, 2));
        out->revision = sqlite3_column_int(row, 3);
        out->verdict = same ? WRITE_REPLAYED : WRITE_KEY_REUSED;
    }
    sqlite3_finalize(row);
    return !found;
}

/* Keeps what the key led to; the oldest of a token make room. */
static bool key_keep(struct writing *writing)
{
    const struct write *write = writing->write;
    return !write->key ||
           (sql_run(writing->db,
                    "INSERT INTO idempotency VALUES (?1, ?2, ?3, ?4, ?5, CAST(strftime('%s', "
                    "'now') AS INTEGER) + " KEY_SECONDS ")",
                    "ttttt", write->token_id, write->key, write->request, writing->out->kind,
                    writing->out->id) &&
            sql_run(writing->db,
                    "DELETE FROM idempotency WHERE token_id = ?1 AND key IN (SELECT key FROM "
                    "idempotency WHERE token_id = ?1 ORDER BY expires_s DESC LIMIT -1 "
                    "OFFSET " KEYS_MAX ")",
                    "t", write->token_id));
}

/* ---- the record ---- */

/* Makes room for the record: it is new, or has the revision that the writer saw. */
static bool make_room(struct writing *writing)
{
    const struct write *write = writing->write;
    struct write_outcome *out = writing->out;
    int revision = 0;
    if (!store_record_read(writing->db, out->kind, out->id, &writing->before, &revision)) {
        return !write->revision || end(writing, WRITE_STALE);
    }
    out->revision = revision;
    if (!write->revision) {
        return end(writing, WRITE_EXISTS);
    }
    if (write->revision != revision) {
        return end(writing, WRITE_STALE);
    }
    return store_rows_delete(writing->db, out->kind, out->id) || fail(writing);
}

/* The id under which the record is going to be. */
static void find_id(struct writing *writing)
{
    const cJSON *id = cJSON_GetObjectItemCaseSensitive(writing->write->record, "id");
    if (strcmp(writing->write->kind, "source") == 0) {
        import_source_id(writing->write->record, writing->out->id);
    } else {
        text_copy(writing->out->id, WRITE_ID_MAX, cJSON_GetStringValue(id));
    }
}

/* Whether the id is one that a path may hold as it is; a record without one has other faults too.
 */
static bool id_holds(struct writing *writing)
{
    static const char KNOWN[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-";
    const char *id = writing->out->id;
    if (*id && strspn(id, KNOWN) != strlen(id)) {
        import_fault_at(&writing->import, "id", "holds other than letters, digits and . _ -");
    }
    return true;
}

/* Whether the importers found nothing wrong. */
static bool import_judge(struct writing *writing)
{
    if (writing->import.broken) {
        return fail(writing);
    }
    return writing->import.faults == 0 || end(writing, WRITE_FAULTY);
}

static bool rows_write(struct writing *writing)
{
    const struct write *write = writing->write;
    for (size_t i = 0; i < ARRAY_LEN(KINDS); i++) {
        if (strcmp(KINDS[i].kind, write->kind) == 0) {
            KINDS[i].read(&writing->import, write->record, write->doc);
        }
    }
    return import_judge(writing);
}

/* What must hold between the record and others: a query that gives a row when it does not. */
static const struct reference {
    const char *kind, *member, *text, *sql;
} REFERENCES[] = {
    {"model", "native_format", "no weight format has that name",
     "SELECT 1 FROM models WHERE ?1 = 'model' AND id = ?2 AND native_format NOT IN (SELECT id FROM "
     "weight_formats)"},
    {NULL, "sources", "a record needs a source",
     "SELECT 1 WHERE ?1 <> 'source' AND NOT EXISTS (SELECT 1 FROM provenance WHERE kind = ?1 AND "
     "record_id = ?2)"},
    {NULL, "aliases", "one of the names is the id of another record",
     "SELECT 1 FROM aliases a JOIN aliases b ON b.kind = a.kind AND b.key = a.key AND b.record_id "
     "<> a.record_id WHERE a.kind = ?1 AND (a.record_id = ?2 OR b.record_id = ?2) AND a.alias = "
     "a.record_id"},
};

static bool references_hold(struct writing *writing)
{
    const struct write_outcome *out = writing->out;
    for (size_t i = 0; i < ARRAY_LEN(REFERENCES); i++) {
        const struct reference *reference = &REFERENCES[i];
        sqlite3_stmt *row = NULL;
        if (reference->kind && strcmp(reference->kind, out->kind) != 0) {
            continue;
        }
        if (sqlite3_prepare_v2(writing->db, reference->sql, -1, &row, NULL) != SQLITE_OK) {
            return fail(writing);
        }
        (void)sqlite3_bind_text(row, 1, out->kind, -1, SQLITE_STATIC);
        (void)sqlite3_bind_text(row, 2, out->id, -1, SQLITE_STATIC);
        if (sqlite3_step(row) == SQLITE_ROW) {
            import_fault_at(&writing->import, reference->member, "%s", reference->text);
        }
        sqlite3_finalize(row);
    }
    return import_judge(writing);
}

/* ---- the trail ---- */

static bool trail_write(struct writing *writing)
{
    const struct write *write = writing->write;
    struct write_outcome *out = writing->out;
    out->revision += 1;
    return sql_run(writing->db, "UPDATE records SET revision = ?3 WHERE kind = ?1 AND id = ?2",
                   "tti", out->kind, out->id, out->revision) &&
           sql_run(writing->db,
                   "INSERT INTO revisions (kind, record_id, revision, action, at, author, digest, "
                   "previous_doc, why) SELECT kind, id, revision, ?3, " NOW
                   ", ?4, digest, ?5, ?6 FROM records WHERE kind = ?1 AND id = ?2",
                   "tttttt", out->kind, out->id, writing->before ? "edit" : "add", write->author,
                   writing->before, write->why) &&
           sql_run(writing->db,
                   "INSERT INTO revisions (kind, record_id, revision, action, at, author, digest, "
                   "why) SELECT kind, id, revision, 'add', " NOW
                   ", ?3, digest, ?4 FROM records r WHERE kind = 'source' AND id IN (SELECT "
                   "source_id FROM provenance WHERE kind = ?1 AND record_id = ?2) AND NOT EXISTS "
                   "(SELECT 1 FROM revisions v WHERE v.kind = 'source' AND v.record_id = r.id)",
                   "tttt", out->kind, out->id, write->author, write->why);
}

/* ---- anchors ---- */

/* Closes a stated gap that the contributor names. */
static bool gap_close(struct writing *writing, const char *gap)
{
    struct writing closing = *writing;
    struct write_outcome out = {.kind = "gap"};
    closing.out = &out;
    closing.before = NULL;
    text_copy(out.id, WRITE_ID_MAX, gap);
    if (!store_record_read(writing->db, "gap", gap, &closing.before, &out.revision)) {
        import_fault_at(&writing->import, "answers", "there is no stated gap '%s'", gap);
        return end(writing, WRITE_FAULTY);
    }
    const struct doc_member members[] = {{"status", "answered", false},
                                         {"answered_by", writing->out->id, true}};
    bool done =
        sql_run(writing->db, "UPDATE gaps SET status = 'answered', answered_by = ?2 WHERE id = ?1",
                "tt", gap, writing->out->id) &&
        store_doc_change(writing->db, "gap", gap, members, ARRAY_LEN(members)) &&
        trail_write(&closing);
    free(closing.before);
    return done || fail(writing);
}

static bool has_figure(const struct anchor_index *index, int anchor, int figure)
{
    for (int i = index->metric_start[anchor]; i < index->metric_start[anchor + 1]; i++) {
        if (index->metric_what[i] == index->metric_what[figure] &&
            index->metric_statistic[i] == index->metric_statistic[figure] &&
            !(index->metric_value[i] < index->metric_value[figure]) &&
            !(index->metric_value[i] > index->metric_value[figure])) {
            return true;
        }
    }
    return false;
}

/* Whether another measurement of the part has a figure of this one to the last digit. Twins have;
 * of others the store, which would read every record for it, need not be asked. */
static bool may_have_twin(const struct anchor_index *index, int anchor)
{
    int first = index->metric_start[anchor];
    int behind = index->metric_start[anchor + 1];
    for (int other = 0; other < index->n; other++) {
        if (other == anchor || index->points[other].hardware != index->points[anchor].hardware) {
            continue;
        }
        for (int i = first; i < behind; i++) {
            if (has_figure(index, other, i)) {
                return true;
            }
        }
    }
    return first == behind;
}

/* What an anchor has to be besides whole: new, named in the full text, no faster than physics. */
static bool anchor_finish(struct writing *writing, const struct catalogue_data *data)
{
    const struct catalogue *cat = &data->shown;
    int anchor = anchor_find(&cat->anchors, writing->out->id);
    char twin[DRAFT_NAME_MAX];
    if (anchor < 0) {
        return end(writing, WRITE_FAILED);
    }
    if (may_have_twin(&cat->anchors, anchor) &&
        import_anchor_twin(&writing->import, writing->out->id, twin)) {
        text_copy(writing->out->id, WRITE_ID_MAX, twin);
        return end(writing, WRITE_EXISTS);
    }
    import_anchor_check_bound(&writing->import, cat, anchor);
    if (writing->import.faults) {
        return end(writing, WRITE_FAULTY);
    }
    return sql_run(writing->db,
                   "INSERT INTO anchor_search(rowid, title, notes, source_title, source_url) "
                   "SELECT t.number, t.title, t.notes, t.source_title, t.source_url FROM "
                   "anchor_texts t JOIN anchors a ON a.number = t.number WHERE a.id = ?1",
                   "t", writing->out->id) ||
           fail(writing);
}

static bool gaps_close_named(struct writing *writing)
{
    const char *const *answers = writing->write->answers;
    bool good = true;
    for (int i = 0; good && answers && answers[i]; i++) {
        good = gap_close(writing, answers[i]);
    }
    return good;
}

/* ---- the transaction ---- */

static bool rows_and_trail(struct writing *writing)
{
    if (strcmp(writing->write->kind, "dispute") == 0) {
        enum write_verdict verdict =
            store_dispute_write(&writing->import, writing->write, writing->out, &writing->before);
        return (verdict == WRITE_ADDED || end(writing, verdict)) &&
               (trail_write(writing) || fail(writing));
    }
    text_copy(writing->out->kind, WRITE_ID_MAX, writing->write->kind);
    find_id(writing);
    if (!id_holds(writing) || !make_room(writing)) {
        return false;
    }
    bool rows = rows_write(writing);
    return references_hold(writing) && rows && (trail_write(writing) || fail(writing));
}

/* The rows of all of them; false when one is refused, after all were looked at. */
static bool rows_of_all(struct writing *writings, int n)
{
    bool good = true;
    for (int i = 0; i < n; i++) {
        bool done = rows_and_trail(&writings[i]) && gaps_close_named(&writings[i]);
        good = good && done;
        if (!done && writings[i].out->verdict == WRITE_FAILED) {
            break;
        }
    }
    return good;
}

/* Anchors as the snapshot of all of them has them. */
static bool finish_all(struct writing *writings, int n, const struct catalogue_data *data)
{
    bool good = true;
    for (int i = 0; i < n; i++) {
        bool anchor = strcmp(writings[i].write->kind, "anchor") == 0;
        bool done = !anchor || anchor_finish(&writings[i], data);
        good = good && done;
    }
    return good;
}

/* Everything between BEGIN and COMMIT; *ret_data is the snapshot of what it wrote. */
static bool transact(struct writing *writings, int n, struct catalogue_data **ret_data)
{
    if (!key_is_new(&writings[0]) || !rows_of_all(writings, n)) {
        return false;
    }
    *ret_data = catalogue_build(writings[0].db, writings[0].out->error);
    if (!*ret_data) {
        return end(&writings[0], WRITE_FAILED);
    }
    return finish_all(writings, n, *ret_data) && (key_keep(&writings[0]) || fail(&writings[0]));
}

/* Foreign keys are checked at the end: a record that is replaced is gone for a moment. */
static const char BEGIN[] = "PRAGMA synchronous=FULL; BEGIN IMMEDIATE; PRAGMA "
                            "defer_foreign_keys=ON";

/* Makes what was written the disk's and the snapshot's. */
static bool publish(struct writing *writings, int n, struct catalogue_data *data)
{
    if (!sql_exec(writings[0].db, "COMMIT")) {
        return fail(&writings[0]);
    }
    for (int i = 0; i < n; i++) {
        writings[i].out->verdict = writings[i].before ? WRITE_CHANGED : WRITE_ADDED;
    }
    if (!store_publish(writings[0].store, data)) {
        /* it is on the disk; the snapshot follows with the next write */
        text_copy(writings[0].out->error, STORE_ERROR_MAX, "out of memory");
    }
    return true;
}

static void writing_init(struct writing *writing, struct store *store, sqlite3 *db,
                         const struct write *write, struct write_outcome *out)
{
    *writing = (struct writing){
        .store = store,
        .db = db,
        .write = write,
        .out = out,
        .import = {.db = db, .sink = write->sink, .sink_ctx = write->sink_ctx, .posted = true},
    };
}

/* With the writer's connection locked. */
static bool write_all(struct writing *writings, int n, bool dry)
{
    struct catalogue_data *data = NULL;
    sqlite3 *db = writings[0].db;
    bool good = (sql_exec(db, BEGIN) || fail(&writings[0])) && transact(writings, n, &data);
    bool done = good && !dry && publish(writings, n, data);
    if (!done) {
        sql_rollback(db);
        catalogue_free(data);
    }
    bool usual = sql_exec(db, "PRAGMA synchronous=NORMAL");
    (void)usual;
    return done || (good && dry);
}

bool store_write_all(struct store *store, const struct write *writes, int n, bool dry,
                     struct write_outcome *ret_outcomes)
{
    struct writing *writings = calloc((size_t)n, sizeof(*writings));
    for (int i = 0; i < n; i++) {
        ret_outcomes[i] = (struct write_outcome){.verdict = WRITE_ADDED};
    }
    sqlite3 *db = writings ? store_writer_lock(store, ret_outcomes[0].error) : NULL;
    if (!db) {
        bool never = writings && !store_trouble(store);
        ret_outcomes[0].verdict = never ? WRITE_REFUSED : WRITE_FAILED;
        free(writings);
        return false;
    }
    for (int i = 0; i < n; i++) {
        writing_init(&writings[i], store, db, &writes[i], &ret_outcomes[i]);
    }
    bool done = write_all(writings, n, dry);
    store_writer_unlock(store);
    for (int i = 0; i < n; i++) {
        free(writings[i].before);
    }
    free(writings);
    return done;
}

void store_write(struct store *store, const struct write *write, struct write_outcome *ret_outcome)
{
    bool done = store_write_all(store, write, 1, false, ret_outcome);
    (void)done; /* the outcome says more */
}
