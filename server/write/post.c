#include "post.h"

#include <stdlib.h>
#include <string.h>

#include <cjson/cJSON.h>
#include <sqlite3.h>

#include "anchors.h"
#include "body.h"
#include "etag.h"
#include "gaps.h"
#include "gaps_answer.h"
#include "gaps_plan.h"
#include "json_memory.h"
#include "negotiate.h"
#include "post_parts.h"
#include "problem.h"
#include "records.h"
#include "records_kinds.h"
#include "sql.h"
#include "tokens.h"

#define KEY_MAX 200
#define REVISION_MAX 24

cJSON *post_take(cJSON *object, const char *name)
{
    return cJSON_DetachItemFromObjectCaseSensitive(object, name);
}

const char *post_take_text(cJSON *object, const char *name, struct faults *faults)
{
    const cJSON *item = post_take(object, name);

    if (!item || cJSON_IsNull(item))
        return NULL;
    if (!cJSON_IsString(item)) {
        const char *pointer = arena_printf(faults->arena, "/%s", name);
        fault_add(faults, pointer ? pointer : "", NULL, "must be a text");
        return NULL;
    }
    return item->valuestring;
}

void post_refuse_repeats(const cJSON *object, const char *pointer, struct faults *faults)
{
    const cJSON *item = NULL;

    if (!object || !cJSON_IsObject(object))
        return;
    cJSON_ArrayForEach(item, object)
    {
        if (cJSON_GetObjectItemCaseSensitive(object, item->string) != item) {
            const char *at = arena_printf(faults->arena, "%s/%.100s", pointer, item->string);
            fault_add(faults, at ? at : pointer, NULL, "given twice");
        }
    }
}

/* ---- headers ---- */

const char *post_path(struct context *ctx, const char *kind, const char *id)
{
    static const char PLAIN[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~";
    const struct record_kind *row = record_kind_listing(kind);
    const char *segment = strcmp(kind, "anchor") == 0 ? "anchors" : row ? row->segment : NULL;
    char *escaped = arena_alloc(ctx->request->arena, 3 * strlen(id) + 1);
    char *to = escaped;

    if (!segment || !escaped)
        return NULL;
    for (; *id; id++) {
        if (strchr(PLAIN, *id))
            *to++ = *id;
        else
            to += snprintf(to, 4, "%%%02X", (unsigned char)*id);
    }
    return arena_printf(ctx->request->arena, "/v1/%s/%s", segment, escaped);
}

/* The revision of a record as it is; 0 when it is not there. */
static int revision_now(struct context *ctx, const char *kind, const char *id)
{
    sqlite3_stmt *row =
        store_read(app_store(ctx->app), "SELECT revision FROM records WHERE kind = ?1 AND id = ?2");
    int revision = 0;

    if (row && sqlite3_bind_text(row, 1, kind, -1, SQLITE_STATIC) == SQLITE_OK &&
        sqlite3_bind_text(row, 2, id, -1, SQLITE_STATIC) == SQLITE_OK &&
        sqlite3_step(row) == SQLITE_ROW)
        revision = sqlite3_column_int(row, 0);
    store_done(row);
    return revision;
}

/* The validator that GET of the record gives. */
static void tag_of(struct context *ctx, const char *path, char ret_tag[ETAG_MAX])
{
    const struct request get = {.method = METHOD_GET, .raw_path = path};
    struct context of = *ctx;

    of.request = &get;
    of.format = MEDIA_JSON;
    etag_make(&of, ret_tag);
}

/*
 * If-Match against a record: its revision ("3"), the ETag that GET gives, or *. *ret_revision is
 * what the write has to find, 0 without the header; false when the reply is written.
 */
static bool read_if_match(struct context *ctx, const struct post *post, int *ret_revision)
{
    const char *header = ctx->request->if_match;
    char revision_tag[REVISION_MAX], tag[ETAG_MAX];
    int revision = header && post->id ? revision_now(ctx, post->of, post->id) : 0;

    *ret_revision = revision;
    if (!header)
        return true;
    const char *path = revision ? post_path(ctx, post->of, post->id) : NULL;
    snprintf(revision_tag, sizeof(revision_tag), "\"%d\"", revision);
    if (path)
        tag_of(ctx, path, tag);
    if (revision && (etag_is_any(header) || etag_listed(header, revision_tag) ||
                     (path && etag_listed(header, tag))))
        return true;
    if (revision)
        reply_header(ctx->reply, "ETag",
                     arena_copy(ctx->request->arena, revision_tag, strlen(revision_tag)));
    problem_status(ctx, 412,
                   revision ? "the record has another revision than If-Match names"
                            : "there is no such record for If-Match to name");
    return false;
}

bool post_key_ok(struct context *ctx)
{
    const char *key = ctx->request->idempotency_key;

    if (!key)
        return true;
    size_t length = strlen(key);
    bool plain = length > 0 && length <= KEY_MAX;
    for (size_t i = 0; plain && i < length; i++)
        plain = key[i] > ' ' && key[i] < 0x7f;
    if (!plain)
        problem_status(ctx, 400, "Idempotency-Key is 1 to 200 visible characters of ASCII");
    return plain;
}

void post_digest(struct context *ctx, char ret_hex[DIGEST_HEX_MAX])
{
    const struct request *request = ctx->request;
    struct digest digest;

    digest_init(&digest);
    digest_add(&digest, request->raw_path, strlen(request->raw_path) + 1);
    for (int i = 0; i < request->n_arguments; i++) {
        const struct argument *argument = &request->arguments[i];
        digest_add(&digest, argument->name, strlen(argument->name) + 1);
        digest_add(&digest, argument->value, strlen(argument->value) + 1);
    }
    digest_add(&digest, request->body, request->body_length);
    digest_hex(&digest, ret_hex);
}

/* ---- faults ---- */

/* Whether a member has a fault already: what follows from it says nothing more. */
static bool is_named(const struct faults *faults, const char *pointer)
{
    static const char *const SEVERAL[] = {"", "/metrics"};

    for (size_t i = 0; i < ARRAY_LEN(SEVERAL); i++)
        if (!pointer || strcmp(pointer, SEVERAL[i]) == 0)
            return false;
    for (int i = 0; i < faults->n; i++)
        if (strcmp(faults->items[i].pointer, pointer) == 0)
            return true;
    return false;
}

void post_take_fault(void *context, const char *pointer, const char *text)
{
    const struct post_sink *sink = context;
    struct arena *arena = sink->faults->arena;
    const char *at = sink->post->place ? sink->post->place(sink->ctx, sink->post, pointer)
                                       : arena_copy(arena, pointer, strlen(pointer));

    if (!is_named(sink->faults, at))
        fault_add(sink->faults, at ? at : "", NULL, "%s", text);
}

/* ---- the reply ---- */

/* Whether the anchor that was added answers the key. */
struct added {
    const struct catalogue *catalogue;
    int anchor;
};

static bool answered_by_added(void *context, const struct gap_key *key, char ret_by[GAP_ID_MAX])
{
    const struct added *added = context;

    return gap_is_answered_by(added->catalogue, key, added->anchor) &&
           text_print(ret_by, GAP_ID_MAX, "%s", added->catalogue->anchors.ids[added->anchor]);
}

void post_close_gaps(struct context *ctx, const struct post *post, const char *id)
{
    struct added added = {ctx->catalogue, anchor_find(&ctx->catalogue->anchors, id)};

    if (added.anchor >= 0)
        (void)gaps_recheck(app_gaps(ctx->app), answered_by_added, &added);
    for (int i = 0; post->answers && post->answers[i]; i++)
        gap_links_close(app_gap_links(ctx->app), post->answers[i]);
}

static void reply_record(struct context *ctx, const struct write_outcome *outcome, int status)
{
    struct json_out out;
    int anchor = anchor_find(&ctx->catalogue->anchors, outcome->id);

    ctx->format = MEDIA_JSON;
    if (strcmp(outcome->kind, "anchor") == 0 && anchor >= 0) {
        anchor_reply(ctx, anchor, status);
        return;
    }
    reply_begin(ctx, &out);
    if (!record_write(ctx, &out, record_kind_listing(outcome->kind), outcome->kind, outcome->id)) {
        problem_status(ctx, 503, "the record is written, the store cannot be read at the moment");
        return;
    }
    reply_write(ctx, status, &out);
}

void post_renew(struct context *ctx)
{
    store_release(app_store(ctx->app), ctx->catalogue);
    ctx->catalogue = store_catalogue(app_store(ctx->app));
}

static void reply_done(struct context *ctx, const struct write_outcome *outcome, int status)
{
    const char *path = post_path(ctx, outcome->kind, outcome->id);
    const char *tag = arena_printf(ctx->request->arena, "\"%d\"", outcome->revision);

    if (path)
        reply_header(ctx->reply, "Location", path);
    if (tag)
        reply_header(ctx->reply, "ETag", tag);
    if (outcome->verdict == WRITE_REPLAYED)
        reply_header(ctx->reply, "Idempotent-Replayed", "true");
    reply_record(ctx, outcome, status);
}

static void refuse_existing(struct context *ctx, const struct post *post,
                            const struct write_outcome *outcome)
{
    const char *path = post_path(ctx, outcome->kind, outcome->id);
    bool twin =
        strcmp(post->kind, "anchor") == 0 && !(post->id && strcmp(post->id, outcome->id) == 0);
    const char *detail =
        arena_printf(ctx->request->arena,
                     twin ? "this measurement is already there: %s"
                          : "%s is there already; If-Match with its revision replaces it",
                     path ? path : outcome->id);

    if (path)
        reply_header(ctx->reply, "Location", path);
    problem_status(ctx, 409, detail ? detail : "it is there already");
}

static bool is_dispute(const struct post *post)
{
    return strcmp(post->kind, "dispute") == 0;
}

static void reply_outcome(struct context *ctx, const struct post *post,
                          const struct write_outcome *outcome, struct faults *faults)
{
    const char *error = arena_copy(ctx->request->arena, outcome->error, strlen(outcome->error));

    switch (outcome->verdict) {
    case WRITE_ADDED:
    case WRITE_CHANGED:
        post_renew(ctx);
        if (strcmp(outcome->kind, "anchor") == 0)
            post_close_gaps(ctx, post, outcome->id);
        reply_done(ctx, outcome, outcome->verdict == WRITE_ADDED || is_dispute(post) ? 201 : 200);
        return;
    case WRITE_REPLAYED:
        reply_done(ctx, outcome, 201);
        return;
    case WRITE_EXISTS:
        if (strcmp(post->kind, "source") == 0)
            reply_done(ctx, outcome, 200);
        else
            refuse_existing(ctx, post, outcome);
        return;
    case WRITE_FAULTY:
        problem_faults(ctx, faults);
        return;
    case WRITE_MISSING:
        problem_not_found(ctx, "such record to dispute", NULL);
        return;
    case WRITE_STALE:
        problem_status(ctx, 412, "the record has another revision than If-Match names");
        return;
    case WRITE_KEY_REUSED:
        problem_status(ctx, 409, "this Idempotency-Key belongs to another request");
        return;
    case WRITE_REFUSED:
        problem_status(ctx, 409, error ? error : "the store takes no writes");
        return;
    case WRITE_FAILED:
        break;
    }
    problem_status(ctx, 503, error && *error ? error : "the store cannot be written; try again");
}

void post_write(struct context *ctx, const struct post *post, struct faults *faults)
{
    struct post_sink sink = {ctx, post, faults};
    struct write_outcome *outcome = arena_alloc(ctx->request->arena, sizeof(*outcome));
    char *doc = faults->n ? NULL : cJSON_PrintUnformatted(post->record);
    struct write write = {
        .kind = post->kind,
        .record = post->record,
        .doc = doc,
        .author = ctx->caller->name,
        .why = post->why,
        .answers = post->answers,
        .token_id = ctx->caller->id,
        .key = ctx->request->idempotency_key,
        .sink = post_take_fault,
        .sink_ctx = &sink,
    };

    if (faults->n) {
        problem_faults(ctx, faults);
        return;
    }
    if (!doc || !outcome) {
        problem_status(ctx, 413, "the request needs more memory than one may use");
        return;
    }
    if (!post_key_ok(ctx) || !read_if_match(ctx, post, &write.revision))
        return;
    post_digest(ctx, write.request);
    json_memory_leave(); /* the importers free what they allocate */
    store_write(app_store(ctx->app), &write, outcome);
    json_memory_enter(ctx->request->arena);
    reply_outcome(ctx, post, outcome, faults);
}
