#include "upload_route.h"

#include <math.h>
#include <string.h>

#include <cjson/cJSON.h>

#include "anchor_post.h"
#include "benchmark.h"
#include "body.h"
#include "json_check.h"
#include "json_memory.h"
#include "post_parts.h"
#include "post_texts.h"
#include "problem.h"
#include "query_switch.h"
#include "request_limits.h"
#include "tokens.h"
#include "upload_query.h"

/* A run of the file on its way into the store. */
struct run {
    struct upload *upload;
    int number;        /* from 1 */
    const cJSON *file; /* what the file says */
    struct post post;
    const char *doc; /* the record as text; NULL without memory */
    bool there;      /* the store has it already */
    const char *id;
};

struct upload {
    struct context *ctx;
    struct faults *faults;
    cJSON *given;
    struct benchmark benchmark;
    struct run runs[BENCHMARK_RUNS_MAX];
    struct run *pending[BENCHMARK_RUNS_MAX]; /* those that are to be written */
    bool dry;
};

/* ---- faults ---- */

static bool is_told(const struct faults *faults, const char *pointer, const char *detail)
{
    for (int i = 0; i < faults->n; i++)
        if (strcmp(faults->items[i].pointer, pointer) == 0 &&
            strcmp(faults->items[i].detail, detail) == 0)
            return true;
    return false;
}

static void tell(struct upload *upload, const char *pointer, const char *suggestion,
                 const char *detail)
{
    if (pointer && detail && !is_told(upload->faults, pointer, detail))
        fault_add(upload->faults, pointer, suggestion, "%s", detail);
}

/* The member at a JSON pointer without escapes. */
static const cJSON *at(const cJSON *object, const char *pointer)
{
    return *pointer == '/' ? benchmark_at(object, pointer + 1) : NULL;
}

/* A fault of a run, at the argument that says or should say the member, else at the file. */
static void run_fault(struct run *run, const char *pointer, const char *suggestion,
                      const char *detail)
{
    static const char MISSING[] = "is missing";
    struct upload *upload = run->upload;
    struct arena *arena = upload->faults->arena;
    const char *argument = upload_argument_of(arena, pointer);

    if (argument && (at(upload->given, pointer) || !at(run->file, pointer))) {
        if (strncmp(detail, MISSING, sizeof(MISSING) - 1) == 0)
            detail = arena_printf(arena, "%s; the file of %s does not say it", detail,
                                  upload->benchmark.tool);
        tell(upload, arena_printf(arena, "?%s", argument), suggestion, detail);
        return;
    }
    tell(upload, "", suggestion,
         arena_printf(arena, "run %d: %s: %s", run->number, *pointer ? pointer + 1 : "it", detail));
}

static void take_fault(void *context, const char *pointer, const char *text)
{
    struct run *run = context;

    run_fault(run, anchor_post_place(run->upload->ctx, &run->post, pointer), NULL, text);
}

/* ---- reading ---- */

/* The file: strictly JSON, or what Python and llama-bench take for it. */
static cJSON *read_file(struct context *ctx)
{
    const struct request *request = ctx->request;
    struct json_fault fault;
    size_t length = 0;
    const char *text = benchmark_text(request->arena, request->body, request->body_length, &length);

    if (text && !json_check(text, length, JSON_NESTING_MAX, JSON_VALUES_MAX, &fault)) {
        struct faults faults;
        faults_init(&faults, request->arena);
        fault_add(&faults, "", NULL, "%s (line %zu)", fault.what, fault.line);
        problem_reply(ctx, 400, "the body is not JSON, nor lines of JSON", &faults);
        return NULL;
    }
    cJSON *file = text ? cJSON_ParseWithLengthOpts(text, length + 1, NULL, 1) : NULL;
    if (!file)
        problem_status(ctx, 413, "the file needs more memory than one request may use");
    return file;
}

/* Members that are given go before those of the file. */
static void merge(cJSON *run, const cJSON *given)
{
    const cJSON *item = NULL;

    cJSON_ArrayForEach(item, given)
    {
        cJSON *old = cJSON_GetObjectItemCaseSensitive(run, item->string);
        if (old && cJSON_IsObject(old) && cJSON_IsObject(item)) {
            merge(old, item);
            continue;
        }
        cJSON_DeleteItemFromObjectCaseSensitive(run, item->string);
        cJSON_AddItemToObject(run, item->string, cJSON_Duplicate(item, 1));
    }
}

/* Where the figures are from: the tool and who posts them, as far as it is not said. */
static void put_source(const struct upload *upload, cJSON *run)
{
    const char *tool = upload->benchmark.tool;
    struct arena *arena = upload->ctx->request->arena;
    cJSON *source = cJSON_GetObjectItemCaseSensitive(run, UPLOAD_SOURCE);
    const cJSON *date = cJSON_GetObjectItemCaseSensitive(run, "measured_on");

    if (!source)
        source = cJSON_AddObjectToObject(run, UPLOAD_SOURCE);
    const char *title =
        arena_printf(arena, "a run of %s, posted by %s", tool, upload->ctx->caller->name);
    if (!cJSON_HasObjectItem(source, "title"))
        cJSON_AddStringToObject(source, "title", title ? title : tool);
    if (!cJSON_HasObjectItem(source, "kind"))
        cJSON_AddStringToObject(source, "kind", "measurement");
    if (!cJSON_HasObjectItem(source, "date") && cJSON_IsString(date))
        cJSON_AddStringToObject(source, "date", date->valuestring);
}

/* Drafts that were accepted, and nothing said of who drafted. */
static void check_drafts(struct run *run, const cJSON *body)
{
    const cJSON *accepted = at(body, "/metrics/accepted_tokens_per_step.mean");

    if (accepted && accepted->valuedouble > 1 && !at(body, "/" UPLOAD_CONDITIONS "/speculative"))
        tell(run->upload, "?speculative", NULL,
             "is missing: the file says that drafted tokens were accepted");
}

/* How many devices a server runs on no client knows; one would be a guess. */
static void check_devices(struct run *run, const cJSON *body)
{
    static const char *const SAID[] = {"/" UPLOAD_CONDITIONS "/tp", "/parallelism/tp",
                                       "/" UPLOAD_CONDITIONS "/n_devices"};
    const char *kind = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(body, "kind"));

    for (size_t i = 0; i < ARRAY_LEN(SAID); i++)
        if (at(body, SAID[i]))
            return;
    for (int i = 0; i < run->upload->faults->n; i++)
        if (strcmp(run->upload->faults->items[i].pointer, "?tp") == 0)
            return;
    if (!kind || strcmp(kind, "serving") == 0)
        run_fault(run, "/" UPLOAD_CONDITIONS "/tp", NULL, "is missing: 1 on a single device");
}

/* Layers that are left to the processor make another back end of it, unless it was said: of n
 * layers and the output n + 1 are counted. */
static void note_host_layers(struct run *run, cJSON *body, double gpu_layers)
{
    const struct upload *upload = run->upload;
    const struct catalogue *catalogue = upload->ctx->catalogue;
    const char *model = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(body, "model"));
    const char *backend = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(body, "backend"));
    struct name_match match = {.index = -1};

    if (model)
        catalogue_find_model(catalogue, model, &match);
    if (isnan(gpu_layers) || match.index < 0 || !backend || strcmp(backend, "cpu") == 0 ||
        cJSON_HasObjectItem(upload->given, "backend") ||
        gpu_layers > catalogue->lib.models[match.index].n_layers)
        return;
    const char *both = arena_printf(upload->faults->arena, "%s+cpu", backend);
    cJSON_DeleteItemFromObjectCaseSensitive(body, "backend");
    cJSON_AddStringToObject(body, "backend", both ? both : "cpu");
}

static void read_run(struct upload *upload, int index)
{
    struct run *run = &upload->runs[index];
    struct arena *arena = upload->ctx->request->arena;
    cJSON *body = cJSON_Duplicate(upload->benchmark.runs[index], 1);
    struct faults faults;

    *run =
        (struct run){.upload = upload, .number = index + 1, .file = upload->benchmark.runs[index]};
    run->post =
        (struct post){.kind = "anchor", .of = "anchor", .body = body, .place = anchor_post_place};
    merge(body, upload->given);
    put_source(upload, body);
    faults_init(&faults, arena);
    run->post.why = post_take_text(body, "why", &faults);
    check_drafts(run, body);
    note_host_layers(run, body, upload->benchmark.gpu_layers[index]);
    post_check_texts(body, &faults);
    anchor_post_read(upload->ctx, body, &faults, &run->post);
    for (int i = 0; i < faults.n; i++)
        run_fault(run, faults.items[i].pointer, faults.items[i].suggestion, faults.items[i].detail);
    check_devices(run, body);
    run->id = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(run->post.record, "id"));
    run->doc = cJSON_PrintUnformatted(run->post.record);
}

/* ---- writing ---- */

static void write_of(struct run *run, struct write *ret_write)
{
    const struct context *ctx = run->upload->ctx;

    *ret_write = (struct write){
        .kind = run->post.kind,
        .record = run->post.record,
        .doc = run->doc,
        .author = ctx->caller->name,
        .why = run->post.why,
        .token_id = ctx->caller->id,
        .key = ctx->request->idempotency_key,
        .sink = take_fault,
        .sink_ctx = run,
    };
}

/* Whether an earlier run of the file, which is to be written, has that id. */
static bool is_of_later_run(const struct upload *upload, const struct run *run, const char *id)
{
    for (int i = run->number; i < upload->benchmark.n; i++)
        if (!upload->runs[i].there && strcmp(upload->runs[i].id, id) == 0)
            return true;
    return false;
}

/* Marks the runs that the store has; whether there was one. */
static bool mark_there(struct upload *upload, const struct write_outcome *outcomes, int n)
{
    bool any = false;

    for (int i = 0; i < n; i++) {
        if (outcomes[i].verdict != WRITE_EXISTS ||
            is_of_later_run(upload, upload->pending[i], outcomes[i].id))
            continue;
        upload->pending[i]->there = true;
        upload->pending[i]->id =
            arena_copy(upload->ctx->request->arena, outcomes[i].id, strlen(outcomes[i].id));
        any = true;
    }
    return any;
}

/* Writes the runs that the store is not known to have; true when there is nothing more to do. */
static bool write_runs(struct upload *upload, struct write_outcome *ret_first, bool *ret_again)
{
    struct context *ctx = upload->ctx;
    struct arena *arena = ctx->request->arena;
    int most = upload->benchmark.n, n = 0;
    struct write *writes = arena_alloc(arena, (size_t)most * sizeof(*writes));
    struct write_outcome *outcomes = arena_alloc(arena, (size_t)most * sizeof(*outcomes));

    *ret_again = false;
    *ret_first = (struct write_outcome){.verdict = WRITE_FAILED, .error = "out of memory"};
    if (!writes || !outcomes)
        return false;
    for (int i = 0; i < most; i++)
        if (!upload->runs[i].there)
            upload->pending[n++] = &upload->runs[i];
    if (n == 0)
        return true;
    for (int i = 0; i < n; i++) {
        write_of(upload->pending[i], &writes[i]);
        if (!writes[i].doc)
            return false;
    }
    post_digest(ctx, writes[0].request); /* whose key stands for all */
    json_memory_leave();                 /* the importers free what they allocate */
    bool done = store_write_all(app_store(ctx->app), writes, n, upload->dry, outcomes);
    json_memory_enter(arena);
    *ret_first = outcomes[0];
    for (int i = 0; i < n && ret_first->verdict == WRITE_ADDED; i++)
        *ret_first = outcomes[i];
    *ret_again = !done && mark_there(upload, outcomes, n);
    return done;
}

/* ---- the reply ---- */

static void put_run(struct json_out *out, struct upload *upload, const struct run *run)
{
    const char *path = post_path(upload->ctx, "anchor", run->id);

    json_begin_object(out);
    json_put_text(out, "id", run->id);
    json_put_text(out, "status", run->there ? "exists" : upload->dry ? "would be added" : "added");
    if (path && (run->there || !upload->dry))
        json_put_text(out, "url", path);
    json_key(out, "record");
    if (run->doc)
        json_raw(out, run->doc, strlen(run->doc));
    else
        json_null(out);
    json_end_object(out);
}

static void reply(struct upload *upload)
{
    struct context *ctx = upload->ctx;
    struct json_out out;
    int added = 0;

    for (int i = 0; i < upload->benchmark.n; i++)
        added += !upload->runs[i].there;
    reply_begin(ctx, &out);
    json_begin_object(&out);
    json_put_text(&out, "tool", upload->benchmark.tool);
    json_put_bool(&out, "dry_run", upload->dry);
    json_put_number(&out, "added", upload->dry ? 0 : added);
    json_put_number(&out, "existing", upload->benchmark.n - added);
    json_key(&out, "items");
    json_begin_array(&out);
    for (int i = 0; i < upload->benchmark.n; i++)
        put_run(&out, upload, &upload->runs[i]);
    json_end_array(&out);
    json_end_object(&out);
    reply_write(ctx, added && !upload->dry ? 201 : 200, &out);
}

static void reply_refused(struct upload *upload, const struct write_outcome *outcome)
{
    struct context *ctx = upload->ctx;

    if (upload->faults->n)
        problem_faults(ctx, upload->faults);
    else if (outcome->verdict == WRITE_KEY_REUSED)
        problem_status(ctx, 409, "this Idempotency-Key belongs to another request");
    else
        problem_status(ctx, 503,
                       outcome->error[0]
                           ? arena_copy(ctx->request->arena, outcome->error, strlen(outcome->error))
                           : "the store cannot be written; try again");
}

/* Everything that was asked is there: by this request, or by the same one before. */
static void reply_done(struct upload *upload, bool replayed)
{
    struct context *ctx = upload->ctx;

    if (replayed) {
        reply_header(ctx->reply, "Idempotent-Replayed", "true");
        for (int i = 0; i < upload->benchmark.n; i++)
            upload->runs[i].there = true;
    } else if (!upload->dry) {
        post_renew(ctx);
        for (int i = 0; i < upload->benchmark.n; i++)
            if (!upload->runs[i].there)
                post_close_gaps(ctx, &upload->runs[i].post, upload->runs[i].id);
    }
    reply(upload);
}

static void write_upload(struct upload *upload)
{
    struct write_outcome outcome;
    bool again = false, done = false;

    /* those that are there are left out, until none is */
    do
        done = write_runs(upload, &outcome, &again);
    while (again && !upload->faults->n);
    bool replayed = outcome.verdict == WRITE_REPLAYED;
    if (done || replayed)
        reply_done(upload, replayed);
    else
        reply_refused(upload, &outcome);
}

void post_benchmark_handler(struct context *ctx)
{
    struct faults faults;
    struct upload *upload = arena_alloc(ctx->request->arena, sizeof(*upload));

    faults_init(&faults, ctx->request->arena);
    if (!upload) {
        problem_status(ctx, 413, "the request needs more memory than one may use");
        return;
    }
    *upload = (struct upload){.ctx = ctx, .faults = &faults};
    cJSON *file = post_key_ok(ctx) ? read_file(ctx) : NULL;
    if (!file)
        return;
    upload->dry = query_switch(ctx->request, &faults, "dry_run");
    upload->given = upload_query_read(ctx->request, &faults);
    bool read = benchmark_read(ctx->request->arena, file, "", &faults, &upload->benchmark);
    for (int i = 0; read && i < upload->benchmark.n; i++)
        read_run(upload, i);
    if (read && upload->benchmark.n > 1 && cJSON_HasObjectItem(upload->given, "id"))
        tell(upload, "?id", NULL, "names one record, and the file holds several runs");
    if (faults.n)
        problem_faults(ctx, &faults);
    else
        write_upload(upload);
}
