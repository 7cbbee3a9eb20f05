#include "anchors.h"

#include <math.h>
#include <sqlite3.h>
#include <string.h>

#include "anchors_attribution.h"
#include "anchors_forecast.h"
#include "anchors_query.h"
#include "body.h"
#include "gaps.h"
#include "gaps_text.h"
#include "gaps_width.h"
#include "name_key.h"
#include "negotiate.h"
#include "problem.h"
#include "query_switch.h"
#include "store.h"

#define NEAREST_MAX 5
#define ROW_MARK "-row-"
#define ROWS_MAX 10000
/* Ids on either side of where an unknown one would stand that a typing slip is looked for among. */
#define NEIGHBOURS 60

static void refuse_store(struct context *ctx)
{
    problem_status(ctx, 503, "the store cannot be read at the moment; try again");
}

/* ---- one anchor ---- */

static const char RECORD[] =
    "SELECT r.title, r.doc, r.notes, r.revision, p.field, s.title, s.source_kind, s.url, s.date, "
    "s.license, s.id FROM records r JOIN provenance p ON p.kind = 'anchor' AND p.record_id = r.id "
    "AND p.position = 0 JOIN sources s ON s.id = p.source_id WHERE r.kind = 'anchor' AND r.id = ?1";

static const char *column_text(sqlite3_stmt *row, int column)
{
    return (const char *)sqlite3_column_text(row, column);
}

static void put_provenance(struct json_out *out, sqlite3_stmt *row)
{
    json_key(out, "provenance");
    json_begin_array(out);
    json_begin_object(out);
    json_put_text(out, "field", column_text(row, 4));
    json_put_text(out, "source", column_text(row, 5));
    json_put_text(out, "kind", column_text(row, 6));
    json_put_text(out, "basis", "measured");
    json_put_text(out, "url", column_text(row, 7));
    json_put_text(out, "date", column_text(row, 8));
    json_put_text(out, "license", column_text(row, 9));
    json_put_text(out, "source_id", column_text(row, 10));
    json_end_object(out);
    json_end_array(out);
}

/* Splices the members of the record's text in: it is an object with at least one. */
static void put_doc(struct json_out *out, sqlite3_stmt *row, const struct forecast *forecast)
{
    const char *doc = column_text(row, 1);
    size_t length = (size_t)sqlite3_column_bytes(row, 1);
    if (!doc || !anchor_put_members(out, doc, length, forecast)) {
        out->failed = true;
    }
}

/* Ids of the rows of a study, in the order of its table. */
static void put_row_ids(struct context *ctx, struct json_out *out, int anchor)
{
    const struct anchor_index *index = &ctx->catalogue->anchors;
    const char *id = index->ids[anchor];
    size_t length = strlen(id);
    int left = 0;
    for (int i = anchor + 1; i < index->n && strncmp(index->ids[i], id, length) == 0; i++) {
        left += strncmp(index->ids[i] + length, ROW_MARK, sizeof(ROW_MARK) - 1) == 0;
    }
    json_key(out, "rows");
    json_begin_array(out);
    for (int row = 1; left > 0 && row <= ROWS_MAX; row++) {
        const char *name = arena_printf(ctx->request->arena, "%s" ROW_MARK "%d", id, row);
        if (name && anchor_find(index, name) >= 0) {
            json_text(out, name);
            left--;
        }
    }
    json_end_array(out);
}

/* The study that a row belongs to, and the rows of a study. */
static void put_rows(struct context *ctx, struct json_out *out, int anchor)
{
    const struct anchor_index *index = &ctx->catalogue->anchors;
    const char *id = index->ids[anchor];
    const char *mark = strstr(id, ROW_MARK);
    const char *study = mark ? arena_copy(ctx->request->arena, id, (size_t)(mark - id)) : NULL;
    if (study && anchor_find(index, study) >= 0) {
        json_put_text(out, "study", study);
    }
    if (index->kinds[anchor] == ANCHOR_STUDY) {
        put_row_ids(ctx, out, anchor);
    }
}

static void put_aliases(struct context *ctx, struct json_out *out, const char *id)
{
    sqlite3_stmt *row = store_read(
        app_store(ctx->app),
        "SELECT alias FROM aliases WHERE kind = 'anchor' AND record_id = ?1 ORDER BY key");
    json_key(out, "aliases");
    json_begin_array(out);
    if (row && sqlite3_bind_text(row, 1, id, -1, SQLITE_STATIC) == SQLITE_OK) {
        while (sqlite3_step(row) == SQLITE_ROW) {
            json_text(out, column_text(row, 0));
        }
    }
    store_done(row);
    json_end_array(out);
}

/* Writes an anchor; a NAN distance is not shown. False when the store cannot be read. */
static bool put_anchor(struct context *ctx, struct json_out *out, struct forecaster *forecaster,
                       int anchor, double distance)
{
    const char *id = ctx->catalogue->anchors.ids[anchor];
    sqlite3_stmt *row = store_read(app_store(ctx->app), RECORD);
    bool good = row && sqlite3_bind_text(row, 1, id, -1, SQLITE_STATIC) == SQLITE_OK &&
                sqlite3_step(row) == SQLITE_ROW;
    if (good) {
        json_begin_object(out);
        json_put_text(out, "id", id);
        json_put_text(out, "title", column_text(row, 0));
        if (!isnan(distance)) {
            json_put_number(out, "distance", distance);
        }
        struct forecast forecast = {.n = 0};
        if (forecaster) {
            forecast_anchor(forecaster, anchor, FORECAST_STORED | FORECAST_COMPUTED, &forecast);
        }
        put_doc(out, row, &forecast);
        json_put_text(out, "notes", column_text(row, 2));
        put_rows(ctx, out, anchor);
        put_provenance(out, row);
        json_put_number(out, "revision", sqlite3_column_double(row, 3));
    }
    store_done(row);
    return good;
}

/* ---- the list ---- */

static bool put_items(struct context *ctx, struct json_out *out, struct forecaster *forecaster,
                      const struct anchor_page *page)
{
    json_key(out, "items");
    json_begin_array(out);
    for (int i = 0; i < page->n; i++) {
        if (!put_anchor(ctx, out, forecaster, page->anchors[i], (double)NAN)) {
            return false;
        }
        json_end_object(out);
    }
    json_end_array(out);
    return true;
}

static bool put_nearest(struct context *ctx, struct json_out *out, struct forecaster *forecaster,
                        const struct anchor_query *query)
{
    struct anchor_near near[NEAREST_MAX];
    struct anchor_point asked = anchor_query_point(ctx->catalogue, query);
    int n =
        anchors_nearest_point(&ctx->catalogue->anchors, &asked, query->metric, near, NEAREST_MAX);
    json_key(out, "nearest");
    json_begin_array(out);
    for (int i = 0; i < n; i++) {
        if (!put_anchor(ctx, out, forecaster, near[i].anchor, near[i].distance)) {
            return false;
        }
        json_end_object(out);
    }
    json_end_array(out);
    return true;
}

/* Counts the question and shows the gap it stands in; a question about no model, part, engine or
 * metric is no gap. */
static void put_gap(struct context *ctx, struct json_out *out, const struct anchor_query *query)
{
    const struct library *lib = &ctx->catalogue->lib;
    struct arena *arena = ctx->request->arena;
    struct gap_count count = {.asked = 0};
    char id[GAP_ID_MAX];
    const struct gap_key key = {
        .model_id = query->model >= 0 ? lib->models[query->model].id : NULL,
        .hardware_id = query->hardware >= 0 ? lib->hardware[query->hardware].id : NULL,
        .engine_id = query->engine >= 0 ? lib->engines[query->engine].id : NULL,
        .metric = query->metric < ANCHOR_METRIC_COUNT ? metric_info(query->metric)->name : NULL,
        .input_tokens = anchor_query_from(query, CONDITION_INPUT_TOKENS),
        .concurrency = anchor_query_from(query, CONDITION_CONCURRENCY),
    };
    bool about = key.model_id || key.hardware_id || key.engine_id || key.metric;
    json_key(out, "gap");
    if (about) {
        gaps_ask(app_gaps(ctx->app), &key, gap_width_widest(lib, query->engine, key.metric));
    }
    if (!about || !gap_key_id(&key, id)) {
        json_null(out);
        return;
    }
    (void)gaps_count(app_gaps(ctx->app), id, &count);
    json_begin_object(out);
    json_put_text(out, "id", id);
    json_put_text(out, "status", count.answered ? "answered" : "no record");
    json_put_text(out, "question", gap_question(arena, &key));
    json_put_number(out, "asked", (double)count.asked);
    json_end_object(out);
}

static bool put_list(struct context *ctx, struct json_out *out, struct forecaster *forecaster,
                     const struct anchor_query *query, const struct anchor_page *page)
{
    const struct anchor_index *index = &ctx->catalogue->anchors;
    bool none = page->total == 0;
    json_begin_object(out);
    if (none) {
        json_put_text(out, "status", "no record");
    }
    if (!put_items(ctx, out, forecaster, page)) {
        return false;
    }
    json_put_number(out, "total", page->total);
    json_put_text(out, "next_cursor",
                  page->more
                      ? cursor_write(ctx->request->arena, index->ids[page->anchors[page->n - 1]])
                      : NULL);
    if (none) {
        if (!put_nearest(ctx, out, forecaster, query)) {
            return false;
        }
        put_gap(ctx, out, query);
    }
    json_end_object(out);
    return true;
}

void anchors_list_handler(struct context *ctx)
{
    struct anchor_query query;
    struct anchor_page page;
    struct faults faults;
    struct json_out out;
    faults_init(&faults, ctx->request->arena);
    if (!anchor_query_read(ctx, &faults, &query)) {
        problem_faults(ctx, &faults);
        return;
    }
    reply_begin(ctx, &out);
    bool csv = strcmp(ctx->format, MEDIA_CSV) == 0;
    /* Without memory for it figures come without predictions. */
    struct forecaster *forecaster = forecaster_new(ctx->catalogue);
    bool good = anchor_query_run(ctx, &query, &page) &&
                (csv ? anchors_write_csv(ctx, forecaster, &query, &page, &out)
                     : put_list(ctx, &out, forecaster, &query, &page));
    forecaster_free(forecaster);
    if (good) {
        reply_write(ctx, 200, &out);
    } else {
        refuse_store(ctx);
    }
}

/* ---- one by its id ---- */

/* The anchor of an id or of a further id of it; -1 when there is none. */
static int find_anchor(struct context *ctx)
{
    const struct anchor_index *index = &ctx->catalogue->anchors;
    char key[NAME_KEY_MAX];
    int anchor = ctx->id ? anchor_find(index, ctx->id) : -1;
    if (anchor >= 0 || !ctx->id || !name_key(ctx->id, false, key)) {
        return anchor;
    }
    sqlite3_stmt *row = store_read(
        app_store(ctx->app), "SELECT record_id FROM aliases WHERE kind = 'anchor' AND key = ?1");
    if (row && sqlite3_bind_text(row, 1, key, -1, SQLITE_STATIC) == SQLITE_OK &&
        sqlite3_step(row) == SQLITE_ROW) {
        anchor = anchor_find(index, column_text(row, 0));
    }
    store_done(row);
    return anchor;
}

static void refuse_id(struct context *ctx)
{
    const struct anchor_index *index = &ctx->catalogue->anchors;
    const char *id = ctx->id ? ctx->id : "";
    int at = 0;
    while (at < index->n && strcmp(index->ids[at], id) < 0) {
        at++;
    }
    int from = at > NEIGHBOURS ? at - NEIGHBOURS : 0;
    int to = at + NEIGHBOURS < index->n ? at + NEIGHBOURS : index->n;
    const char *what = arena_printf(ctx->request->arena, "anchor \"%.200s\"", id);
    problem_not_found(ctx, what ? what : "anchor", fault_nearest(id, index->ids + from, to - from));
}

void anchor_reply(struct context *ctx, int anchor, int status)
{
    struct json_out out;
    reply_begin(ctx, &out);
    struct forecaster *forecaster = forecaster_new(ctx->catalogue);
    bool good = put_anchor(ctx, &out, forecaster, anchor, (double)NAN);
    forecaster_free(forecaster);
    if (!good) {
        refuse_store(ctx);
        return;
    }
    put_aliases(ctx, &out, ctx->catalogue->anchors.ids[anchor]);
    anchor_put_planned(ctx, &out, anchor);
    json_end_object(&out);
    reply_write(ctx, status, &out);
}

void anchors_item_handler(struct context *ctx)
{
    struct faults faults;
    faults_init(&faults, ctx->request->arena);
    query_refuse_others(ctx->request, &faults, NULL, 0, "unknown argument of a record");
    if (faults.n) {
        problem_faults(ctx, &faults);
        return;
    }
    int anchor = find_anchor(ctx);
    if (anchor < 0) {
        refuse_id(ctx);
        return;
    }
    anchor_reply(ctx, anchor, 200);
}
