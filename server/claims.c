#include "claims.h"

#include <cjson/cJSON.h>
#include <math.h>
#include <sqlite3.h>
#include <string.h>

#include "claim_verdict.h"
#include "claims_live.h"
#include "json_member.h"
#include "kept_texts.h"
#include "request_json.h"
#include "store.h"

static const char *text_of(const cJSON *object, const char *name)
{
    const cJSON *item = json_member(object, name);
    return item && cJSON_IsString(item) ? item->valuestring : "";
}

/* Where a kind of record is read. */
static const char *segment_of(const char *kind)
{
    static const struct {
        const char *kind, *segment;
    } SEGMENTS[] = {{"anchor", "anchors"}, {"model", "models"}, {"hardware", "hardware"}};

    for (size_t i = 0; i < ARRAY_LEN(SEGMENTS); i++) {
        if (strcmp(SEGMENTS[i].kind, kind) == 0) {
            return SEGMENTS[i].segment;
        }
    }
    return NULL;
}

/* The records that a reference means: the one of that id, else the rows that came out of a table of
 * that name ("id-0001", "id-0002", ...). */
static void put_links(struct context *ctx, struct json_out *out, const char *kind, const char *id)
{
    static const char SQL[] =
        "SELECT id FROM records WHERE kind = ?1 AND id = ?2 UNION ALL SELECT id FROM records WHERE "
        "kind = ?1 AND id > ?2 || '-' AND id < ?2 || '.' AND id GLOB ?2 || '-[0-9]*' ORDER BY id";
    const char *segment = segment_of(kind);
    sqlite3_stmt *row = segment ? store_read(app_store(ctx->app), SQL) : NULL;
    json_key(out, "links");
    json_begin_array(out);
    if (row) {
        (void)sqlite3_bind_text(row, 1, kind, -1, SQLITE_STATIC);
        (void)sqlite3_bind_text(row, 2, id, -1, SQLITE_STATIC);
    }
    while (row && sqlite3_step(row) == SQLITE_ROW) {
        const char *found = (const char *)sqlite3_column_text(row, 0);
        json_text(out, arena_printf(ctx->request->arena, "/v1/%s/%s", segment, found ? found : ""));
    }
    store_done(row);
    json_end_array(out);
}

static void put_records(struct context *ctx, struct json_out *out, const cJSON *claim)
{
    const cJSON *item = NULL;
    json_key(out, "records");
    json_begin_array(out);
    cJSON_ArrayForEach(item, json_member(claim, "records"))
    {
        json_begin_object(out);
        json_put_text(out, "kind", text_of(item, "kind"));
        json_put_text(out, "id", text_of(item, "id"));
        json_put_text(out, "bears", text_of(item, "bears"));
        put_links(ctx, out, text_of(item, "kind"), text_of(item, "id"));
        json_end_object(out);
    }
    json_end_array(out);
}

static void put_plans(struct context *ctx, struct json_out *out, const cJSON *live)
{
    const cJSON *body = NULL;
    json_key(out, "plans");
    json_begin_array(out);
    cJSON_ArrayForEach(body, json_member(live, "plans"))
    {
        json_begin_object(out);
        json_put_text(out, "link", claim_plan_link(ctx->request->arena, body));
        json_key(out, "request");
        request_json_tree(out, body);
        json_end_object(out);
    }
    json_end_array(out);
}

static void put_as_written(struct json_out *out, const cJSON *live, const char *name)
{
    const cJSON *item = json_member(live, name);
    if (item) {
        json_key(out, name);
        request_json_tree(out, item);
    }
}

static void put_live(struct context *ctx, struct json_out *out, const cJSON *live)
{
    double value = claim_live_value(ctx->catalogue, live);
    json_begin_object(out);
    json_put_text(out, "label", text_of(live, "label"));
    json_put_text(out, "unit", text_of(live, "unit"));
    json_put_number(out, "value", value);
    put_as_written(out, live, "expect");
    put_as_written(out, live, "tolerance");
    json_put_bool(out, "agrees", claim_live_agrees(live, value));
    put_as_written(out, live, "scale");
    put_as_written(out, live, "sum");
    put_as_written(out, live, "over");
    put_plans(ctx, out, live);
    json_end_object(out);
}

static cJSON *claim_read(struct context *ctx, const char *id)
{
    sqlite3_stmt *row =
        store_read(app_store(ctx->app), "SELECT doc FROM records WHERE kind = 'claim' AND id = ?1");
    cJSON *claim = NULL;
    if (row && sqlite3_bind_text(row, 1, id, -1, SQLITE_STATIC) == SQLITE_OK &&
        sqlite3_step(row) == SQLITE_ROW) {
        const char *doc = (const char *)sqlite3_column_text(row, 0);
        claim = cJSON_ParseWithLength(doc, (size_t)sqlite3_column_bytes(row, 0));
    }
    store_done(row);
    return claim;
}

static void put_computed(struct context *ctx, struct json_out *out, const char *id)
{
    cJSON *claim = claim_read(ctx, id);
    const struct claim_verdict *verdict = claim_verdict_find(text_of(claim, "verdict"));
    const cJSON *live = NULL;
    json_put_text(out, "verdict_meaning", verdict ? verdict->meaning : NULL);
    put_records(ctx, out, claim);
    json_key(out, "live");
    json_begin_array(out);
    cJSON_ArrayForEach(live, json_member(claim, "live"))
    {
        put_live(ctx, out, live);
    }
    json_end_array(out);
    cJSON_Delete(claim);
}

void record_claim_extra(struct context *ctx, struct json_out *out, const char *kind, const char *id)
{
    struct kept_texts *kept = app_claims(ctx->app);
    const char *revision = ctx->catalogue->revision;
    size_t start = out->length;
    (void)kind;
    if (kept_texts_write(kept, revision, id, out)) {
        return;
    }
    put_computed(ctx, out, id);
    /* Members behind those of the record: with the comma before the first. */
    if (json_out_ok(out) && out->length > start && out->text[start] == ',') {
        kept_texts_put(kept, revision, id, out->text + start, out->length - start);
    }
}
