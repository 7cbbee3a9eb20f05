#include "records.h"

#include <sqlite3.h>
#include <string.h>

#include "device_names.h"
#include "json_text.h"
#include "name_key.h"
#include "negotiate.h"
#include "number.h"
#include "problem.h"
#include "records_query.h"
#include "store.h"

#define REPLY_START ((size_t)16 << 10)
#define REPLY_MAX ((size_t)8 << 20)
#define FILTER_PARAMETER 4 /* ?4 is the first filter of a list statement */
#define IDS_MAX 2000

static bool refuse_store(struct context *ctx)
{
    problem_status(ctx, 503, "the store cannot be read at the moment; try again");
    return false;
}

/* The kind of the route: its path's second segment. */
static const struct record_kind *kind_of_route(const struct context *ctx)
{
    const char *segment = ctx->route->path + strlen("/v1/");
    return record_kind_of(segment, strcspn(segment, "/"));
}

static bool is_hidden(const struct record_kind *kind, struct json_span name)
{
    for (const char *const *hidden = kind->hidden; *hidden; hidden++) {
        if (json_span_is(name, *hidden)) {
            return true;
        }
    }
    return false;
}

/* The members of the record as they were written. Names of record members need no escaping. */
static void put_members(struct context *ctx, struct json_out *out, const struct record_kind *kind,
                        const char *doc, size_t length)
{
    struct json_walk walk = json_walk_start(doc, length);
    struct json_span name;
    struct json_span value;
    while (json_walk_member(&walk, &name, &value)) {
        if (is_hidden(kind, name)) {
            continue;
        }
        const char *key = arena_copy(ctx->request->arena, name.text, name.length);
        if (!key) {
            out->failed = true;
            return;
        }
        json_key(out, key);
        json_raw(out, value.text, value.length);
    }
}

static sqlite3_stmt *read_of_record(struct context *ctx, const char *sql, const char *kind,
                                    const char *id)
{
    sqlite3_stmt *row = store_read(app_store(ctx->app), sql);
    if (row) {
        (void)sqlite3_bind_text(row, 1, kind, -1, SQLITE_STATIC);
        (void)sqlite3_bind_text(row, 2, id, -1, SQLITE_STATIC);
    }
    return row;
}

static void put_aliases(struct context *ctx, struct json_out *out, const char *kind, const char *id)
{
    sqlite3_stmt *row = read_of_record(ctx,
                                       "SELECT alias FROM aliases WHERE kind = ?1 AND record_id = "
                                       "?2 AND alias <> record_id ORDER BY key",
                                       kind, id);
    json_key(out, "aliases");
    json_begin_array(out);
    while (row && sqlite3_step(row) == SQLITE_ROW) {
        json_text(out, (const char *)sqlite3_column_text(row, 0));
    }
    store_done(row);
    json_end_array(out);
}

/* Rows as objects whose members are the columns. */
static void put_rows(struct json_out *out, const char *name, sqlite3_stmt *row)
{
    json_key(out, name);
    json_begin_array(out);
    while (row && sqlite3_step(row) == SQLITE_ROW) {
        json_begin_object(out);
        for (int i = 0; i < sqlite3_column_count(row); i++) {
            json_put_text(out, sqlite3_column_name(row, i),
                          (const char *)sqlite3_column_text(row, i));
        }
        json_end_object(out);
    }
    store_done(row);
    json_end_array(out);
}

static void put_trail(struct context *ctx, struct json_out *out, const char *kind, const char *id)
{
    put_rows(out, "provenance",
             read_of_record(ctx,
                            "SELECT p.field, s.title AS source, s.source_kind AS kind, p.basis, "
                            "s.url, s.date, s.license, s.id AS source_id FROM provenance p JOIN "
                            "sources s ON s.id = p.source_id WHERE p.kind = ?1 AND p.record_id = "
                            "?2 ORDER BY p.position",
                            kind, id));
    put_rows(out, "disputes",
             read_of_record(ctx,
                            "SELECT field, value_a, source_a, value_b, source_b, why FROM disputes "
                            "WHERE kind = ?1 AND record_id = ?2 ORDER BY position",
                            kind, id));
}

/* One record out of a row (sort, kind, id, doc, revision) of a list statement. */
static void put_record(struct context *ctx, struct json_out *out, const struct record_kind *kind,
                       sqlite3_stmt *row)
{
    struct arena *arena = ctx->request->arena;
    const char *text = (const char *)sqlite3_column_text(row, 1);
    const char *of = text ? arena_copy(arena, text, strlen(text)) : NULL;
    text = (const char *)sqlite3_column_text(row, 2);
    const char *id = text ? arena_copy(arena, text, strlen(text)) : NULL;
    if (!of || !id) {
        out->failed = true;
        return;
    }
    json_begin_object(out);
    if (strcmp(of, "calibration") == 0) {
        json_put_text(out, "id", id);
    }
    const char *doc = (const char *)sqlite3_column_text(row, 3);
    put_members(ctx, out, kind, doc, (size_t)sqlite3_column_bytes(row, 3));
    if (strcmp(of, "source") != 0 && strcmp(of, "calibration") != 0) {
        put_aliases(ctx, out, of, id);
    }
    if (kind->extra) {
        kind->extra(ctx, out, of, id);
    }
    put_trail(ctx, out, of, id);
    json_put_number(out, "revision", sqlite3_column_double(row, 4));
    json_end_object(out);
}

static bool reply_send(struct context *ctx, const struct json_out *out, const char *media_type)
{
    if (!json_out_ok(out)) {
        problem_status(ctx, 503, "the reply is too large: ask for fewer records with ?limit=");
        return false;
    }
    ctx->reply->status = 200;
    ctx->reply->content_type = content_type_of(media_type);
    ctx->reply->body = out->text;
    ctx->reply->body_length = out->length;
    return true;
}

/* ---- lists ---- */

static sqlite3_stmt *list_statement(struct context *ctx, const char *sql,
                                    const struct list_query *query, int limit)
{
    sqlite3_stmt *row = store_read(app_store(ctx->app), sql);
    if (!row) {
        return NULL;
    }
    (void)sqlite3_bind_text(row, 1, query->cursor, -1, SQLITE_STATIC);
    (void)sqlite3_bind_text(row, 2, query->match, -1, SQLITE_STATIC);
    (void)sqlite3_bind_int(row, 3, limit);
    int parameters = sqlite3_bind_parameter_count(row);
    for (int i = 0; i < FILTERS_MAX && FILTER_PARAMETER + i <= parameters; i++) {
        (void)sqlite3_bind_text(row, FILTER_PARAMETER + i, query->filters[i], -1, SQLITE_STATIC);
    }
    return row;
}

/* How many records the filters leave; -1 when the store cannot be read. */
static double list_total(struct context *ctx, const struct record_kind *kind,
                         const struct list_query *query)
{
    sqlite3_stmt *row = list_statement(ctx, kind->count_sql, query, 0);
    double total = row && sqlite3_step(row) == SQLITE_ROW ? sqlite3_column_double(row, 0) : -1;
    store_done(row);
    return total;
}

/* The page, one row more being read than shown: that tells whether there is a next one. */
static void put_page(struct context *ctx, struct json_out *out, const struct record_kind *kind,
                     const struct list_query *query, sqlite3_stmt *row, double total)
{
    struct arena *arena = ctx->request->arena;
    const char *next = NULL;
    const char *last = NULL;
    json_begin_object(out);
    json_key(out, "items");
    json_begin_array(out);
    for (int n = 0; sqlite3_step(row) == SQLITE_ROW; n++) {
        if (n == query->limit) {
            next = last ? cursor_write(arena, last) : NULL;
            break;
        }
        const char *sort = (const char *)sqlite3_column_text(row, 0);
        last = sort ? arena_copy(arena, sort, strlen(sort)) : NULL;
        put_record(ctx, out, kind, row);
    }
    json_end_array(out);
    json_put_number(out, "total", total);
    json_put_text(out, "next_cursor", next);
    json_end_object(out);
    out_text(out, "\n");
}

static void put_csv_cell(struct json_out *out, sqlite3_stmt *row, int column)
{
    int type = sqlite3_column_type(row, column);
    if (type == SQLITE_INTEGER || type == SQLITE_FLOAT) {
        char number[NUMBER_TEXT_MAX];
        out_bytes(out, number, number_write(sqlite3_column_double(row, column), number));
        return;
    }
    const char *text = (const char *)sqlite3_column_text(row, column);
    if (!text) {
        return;
    }
    if (!strpbrk(text, ",\"\r\n")) {
        out_text(out, text);
        return;
    }
    out_text(out, "\"");
    for (; *text; text++) {
        out_bytes(out, *text == '"' ? "\"\"" : text, *text == '"' ? 2 : 1);
    }
    out_text(out, "\"");
}

/* Column 0 is the sort key. */
static void put_csv(struct json_out *out, sqlite3_stmt *row, int limit)
{
    int n = sqlite3_column_count(row);
    for (int i = 1; i < n; i++) {
        out_text(out, i > 1 ? "," : "");
        out_text(out, sqlite3_column_name(row, i));
    }
    out_text(out, "\r\n");
    for (int lines = 0; lines < limit && sqlite3_step(row) == SQLITE_ROW; lines++) {
        for (int i = 1; i < n; i++) {
            out_text(out, i > 1 ? "," : "");
            put_csv_cell(out, row, i);
        }
        out_text(out, "\r\n");
    }
}

void records_list_handler(struct context *ctx)
{
    const struct record_kind *kind = kind_of_route(ctx);
    bool csv = strcmp(ctx->format, MEDIA_CSV) == 0;
    struct list_query query;
    struct faults faults;
    struct json_out out;
    faults_init(&faults, ctx->request->arena);
    if (!list_query_read(ctx, kind, &faults, &query)) {
        problem_faults(ctx, &faults);
        return;
    }
    double total = list_total(ctx, kind, &query);
    sqlite3_stmt *row =
        list_statement(ctx, csv ? kind->csv_sql : kind->list_sql, &query, query.limit + 1);
    if (total < 0 || !row) {
        store_done(row);
        (void)refuse_store(ctx);
        return;
    }
    json_out_init(&out, ctx->request->arena, REPLY_START, REPLY_MAX);
    if (csv) {
        put_csv(&out, row, query.limit);
    } else {
        put_page(ctx, &out, kind, &query, row, total);
    }
    store_done(row);
    (void)reply_send(ctx, &out, ctx->format);
}

/* ---- one record ---- */

bool record_write(struct context *ctx, struct json_out *out, const struct record_kind *kind,
                  const char *of, const char *id)
{
    sqlite3_stmt *row = read_of_record(
        ctx, "SELECT id, kind, id, doc, revision FROM records WHERE kind = ?1 AND id = ?2", of, id);
    bool found = row && sqlite3_step(row) == SQLITE_ROW;
    if (found) {
        put_record(ctx, out, kind, row);
    }
    store_done(row);
    return found;
}

/* A record under the name of a path, as the store knows it. */
struct found {
    const char *kind, *id;
};

/* Looks the name up among the aliases of one kind of record. */
static bool find_alias(struct context *ctx, const char *kind, const char *key,
                       struct found *ret_found)
{
    sqlite3_stmt *row = read_of_record(
        ctx, "SELECT record_id FROM aliases WHERE kind = ?1 AND key = ?2 LIMIT 1", kind, key);
    bool found = row && sqlite3_step(row) == SQLITE_ROW;
    const char *id = found ? (const char *)sqlite3_column_text(row, 0) : NULL;
    if (id) {
        *ret_found = (struct found){kind, arena_copy(ctx->request->arena, id, strlen(id))};
    }
    store_done(row);
    return id && ret_found->id;
}

/* Models and parts: the catalogue knows how people write them. */
static bool find_in_catalogue(struct context *ctx, const char *kind, struct name_match *match,
                              struct found *ret_found)
{
    const struct library *lib = &ctx->catalogue->lib;
    bool model = strcmp(kind, "model") == 0;
    if (model) {
        catalogue_find_model(ctx->catalogue, ctx->id, match);
    } else {
        struct device_asked asked;
        device_read(ctx->catalogue, ctx->request->arena, ctx->id, &asked);
        *match = asked.match;
    }
    if (match->index < 0) {
        return false;
    }
    *ret_found =
        (struct found){kind, model ? lib->models[match->index].id : lib->hardware[match->index].id};
    return true;
}

/* The nearest id of the kind. */
static const char *nearest_id(struct context *ctx, const struct record_kind *kind)
{
    struct arena *arena = ctx->request->arena;
    const char **ids = arena_alloc(arena, IDS_MAX * sizeof(*ids));
    int n = 0;
    for (int i = 0; ids && kind->kinds[i]; i++) {
        sqlite3_stmt *row =
            read_of_record(ctx, "SELECT id FROM records WHERE kind = ?1 AND ?2 IS NULL ORDER BY id",
                           kind->kinds[i], NULL);
        while (row && n < IDS_MAX && sqlite3_step(row) == SQLITE_ROW) {
            const char *id = (const char *)sqlite3_column_text(row, 0);
            ids[n] = id ? arena_copy(arena, id, strlen(id)) : NULL;
            n += ids[n] != NULL;
        }
        store_done(row);
    }
    return ids ? fault_nearest(ctx->id, ids, n) : NULL;
}

static void refuse_name(struct context *ctx, const struct record_kind *kind,
                        const struct name_match *match)
{
    struct faults faults;
    if (match->ambiguous[0]) {
        faults_init(&faults, ctx->request->arena);
        fault_ambiguous(&faults, "", ctx->id, match);
        problem_faults(ctx, &faults);
        return;
    }
    const char *what =
        arena_printf(ctx->request->arena, "%s \"%.200s\"", kind->noun, ctx->id ? ctx->id : "");
    const char *nearest = match->nearest[0] ? match->nearest[0] : nearest_id(ctx, kind);
    problem_not_found(ctx, what ? what : kind->noun, nearest);
}

/* ?use=kv_cache picks the KV format of two that share a name. */
static bool read_item_query(struct context *ctx, bool *ret_kv_first)
{
    static const char *const KNOWN[] = {"format", "use"};
    struct faults faults;
    faults_init(&faults, ctx->request->arena);
    for (int i = 0; i < ctx->request->n_arguments; i++) {
        const struct argument *argument = &ctx->request->arguments[i];
        bool use = strcmp(argument->name, "use") == 0;
        if (use &&
            (strcmp(argument->value, "kv_cache") == 0 || strcmp(argument->value, "weights") == 0)) {
            *ret_kv_first = argument->value[0] == 'k';
        } else if (use) {
            fault_add(&faults, "?use", NULL, "must be weights or kv_cache");
        } else if (strcmp(argument->name, "format") != 0) {
            const char *pointer = arena_printf(faults.arena, "?%.100s", argument->name);
            fault_add(&faults, pointer ? pointer : "?",
                      fault_nearest(argument->name, KNOWN, (int)ARRAY_LEN(KNOWN)),
                      "unknown argument of a record");
        }
    }
    if (faults.n) {
        problem_faults(ctx, &faults);
    }
    return faults.n == 0;
}

static bool find_record(struct context *ctx, const struct record_kind *kind, bool kv_first,
                        struct name_match *match, struct found *ret_found)
{
    char key[NAME_KEY_MAX];
    const char *first = kind->kinds[0];
    bool known_to_catalogue = strcmp(first, "model") == 0 || strcmp(first, "hardware") == 0;
    if (known_to_catalogue) {
        return find_in_catalogue(ctx, first, match, ret_found);
    }
    if (!ctx->id || !name_key(ctx->id, false, key)) {
        return false;
    }
    for (int i = 0; kind->kinds[i]; i++) {
        int at = kv_first && kind->kinds[1] ? 1 - i : i;
        if (find_alias(ctx, kind->kinds[at], key, ret_found)) {
            return true;
        }
    }
    return false;
}

void records_item_handler(struct context *ctx)
{
    const struct record_kind *kind = kind_of_route(ctx);
    struct name_match match = {.index = -1};
    struct found found = {NULL, NULL};
    struct json_out out;
    bool kv_first = false;
    if (!read_item_query(ctx, &kv_first)) {
        return;
    }
    if (!find_record(ctx, kind, kv_first, &match, &found)) {
        refuse_name(ctx, kind, &match);
        return;
    }
    json_out_init(&out, ctx->request->arena, REPLY_START, REPLY_MAX);
    if (!record_write(ctx, &out, kind, found.kind, found.id)) {
        (void)refuse_store(ctx);
        return;
    }
    out_text(&out, "\n");
    (void)reply_send(ctx, &out, ctx->format);
}
