/*
 * app.c - the way of a request: route, method, format, body, validator, handler, common headers.
 *
 * Each step either passes or writes a reply and ends the way; finish() is on every way.
 */
#include "app.h"

#include <assert.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>

#include "backtest_keeper.h"
#include "cors.h"
#include "etag.h"
#include "fault.h"
#include "gaps.h"
#include "gaps_answer.h"
#include "gaps_plan.h"
#include "index.h"
#include "json_memory.h"
#include "kept_texts.h"
#include "metrics.h"
#include "negotiate.h"
#include "openapi.h"
#include "problem.h"
#include "request_limits.h"
#include "routes.h"
#include "shell.h"
#include "sql.h"
#include "store.h"
#include "trace.h"

#define NS_PER_S UINT64_C(1000000000)

struct app {
    struct store *store;
    struct metrics *metrics;
    struct gaps *gaps;
    struct gap_links *gap_links;
    struct openapi *openapi;
    struct kept_texts *claims;
    struct backtest_keeper *backtest;
    struct auth *auth;
    _Atomic(struct cors *) cors;
    char *backup_folder; /* NULL = none */
    long backups_kept;
    atomic_bool draining;
    atomic_int sweeps;
};

/* Whether the records that the store holds now answer a key. */
static bool is_answered(void *store, const struct gap_key *key, char ret_by[GAP_ID_MAX])
{
    const struct catalogue *catalogue = store_catalogue(store);
    int anchor = gap_answer(catalogue, key);

    if (anchor >= 0)
        (void)text_print(ret_by, GAP_ID_MAX, "%s", catalogue->anchors.ids[anchor]);
    store_release(store, catalogue);
    return anchor >= 0;
}

struct app *app_new(const struct app_options *options)
{
    struct app *app = calloc(1, sizeof(*app));

    if (!app)
        return NULL;
    app->store = options->store;
    app->metrics = metrics_new(N_ROUTES);
    app->auth = auth_new(&options->rules.auth);
    app->backups_kept = options->backups_kept;
    app->backup_folder = options->backup_folder ? strdup(options->backup_folder) : NULL;
    bool copied = !options->backup_folder || app->backup_folder;
    if (!copied || !app->metrics || !app->auth || !app_set_rules(app, &options->rules)) {
        metrics_free(app->metrics);
        auth_free(app->auth);
        free(app->backup_folder);
        free(app);
        return NULL;
    }
    app->gaps = gaps_open(&(struct gaps_options){.path = store_path(app->store),
                                                 .log = stderr,
                                                 .answered = is_answered,
                                                 .answered_ctx = app->store});
    app->gap_links = gap_links_load(app->store);
    json_memory_install();
    app->openapi = openapi_new(app->store);
    app->claims = kept_texts_new();
    app->backtest = backtest_keeper_new();
    return app;
}

bool app_set_rules(struct app *app, const struct app_rules *rules)
{
    const char *origins = rules->cors_origin ? rules->cors_origin : "*";
    struct cors *cors = cors_new(origins, atomic_load(&app->cors));

    if (!cors)
        return false;
    atomic_store(&app->cors, cors);
    auth_set(app->auth, &rules->auth);
    return true;
}

void app_free(struct app *app)
{
    if (!app)
        return;
    gaps_close(app->gaps);
    gap_links_free(app->gap_links);
    openapi_free(app->openapi);
    kept_texts_free(app->claims);
    backtest_keeper_free(app->backtest);
    auth_free(app->auth);
    cors_free(atomic_load(&app->cors));
    free(app->backup_folder);
    metrics_free(app->metrics);
    free(app);
}

void app_drain(struct app *app)
{
    atomic_store(&app->draining, true);
}

bool app_draining(const struct app *app)
{
    return atomic_load_explicit(&app->draining, memory_order_relaxed);
}

struct store *app_store(const struct app *app)
{
    return app->store;
}

struct metrics *app_metrics(const struct app *app)
{
    return app->metrics;
}

struct gaps *app_gaps(const struct app *app)
{
    return app->gaps;
}

struct gap_links *app_gap_links(const struct app *app)
{
    return app->gap_links;
}

struct kept_texts *app_claims(const struct app *app)
{
    return app->claims;
}

struct backtest_keeper *app_backtest(const struct app *app)
{
    return app->backtest;
}

struct auth *app_auth(const struct app *app)
{
    return app->auth;
}

const char *app_backup_folder(const struct app *app, long *ret_keep)
{
    *ret_keep = app->backups_kept;
    return app->backup_folder;
}

const struct openapi *app_openapi(const struct app *app)
{
    return app->openapi;
}

bool app_sweep_begin(struct app *app)
{
    if (atomic_fetch_add(&app->sweeps, 1) < SWEEPS_MAX)
        return true;
    atomic_fetch_sub(&app->sweeps, 1);
    return false;
}

void app_sweep_end(struct app *app)
{
    atomic_fetch_sub(&app->sweeps, 1);
}

const char *request_argument(const struct request *request, const char *name)
{
    for (int i = 0; i < request->n_arguments; i++)
        if (strcmp(request->arguments[i].name, name) == 0)
            return request->arguments[i].value;
    return NULL;
}

void reply_header(struct reply *reply, const char *name, const char *value)
{
    assert(reply->n_headers < REPLY_HEADERS_MAX);
    reply->headers[reply->n_headers++] = (struct reply_header){name, value};
}

/* Whether the path of a row is that of the request; *ret_id is the segment at "{id}". */
static bool path_fits(const char *path, const struct request *request, const char **ret_id)
{
    const char *at = path + 1, *id = NULL;

    for (int i = 0; i < request->n_segments; i++) {
        size_t length = strcspn(at, "/");
        if (!length)
            return false;
        if (*at == '{')
            id = request->segments[i];
        else if (strncmp(request->segments[i], at, length) != 0 || request->segments[i][length])
            return false;
        at += length;
        at += *at == '/';
    }
    if (*at || request->n_segments < 0)
        return false;
    *ret_id = id;
    return true;
}

static void find_route(struct context *ctx)
{
    for (size_t i = 0; i < N_ROUTES; i++)
        if (path_fits(ROUTES[i].path, ctx->request, &ctx->id)) {
            ctx->route = &ROUTES[i];
            return;
        }
}

bool app_writes(const struct request *request)
{
    struct context ctx = {.request = request};

    if (request->method != METHOD_POST || request->refusal || !request->authorization)
        return false;
    find_route(&ctx);
    return ctx.route && ctx.route->write_scope;
}

/* "/v1/models" as "/models": the prefix is what people leave out. */
static const char *without_version(const char *path)
{
    static const char PREFIX[] = "/v1";
    size_t length = sizeof(PREFIX) - 1;

    return strncmp(path, PREFIX, length) == 0 && path[length] == '/' ? path + length : path;
}

/* A row's path as a suggestion: the request's own last segment in the place of {id}. */
static const char *suggested_path(const struct context *ctx, const struct route *route)
{
    const struct request *request = ctx->request;
    const char *hole = strchr(route->path, '{');

    if (!hole)
        return route->path;
    if (request->n_segments < 2 || hole[strcspn(hole, "}") + 1])
        return NULL;
    const char *last = strrchr(request->raw_path, '/');
    return last ? arena_printf(request->arena, "%.*s%s", (int)(hole - route->path), route->path,
                               last + 1)
                : NULL;
}

static void refuse_path(struct context *ctx)
{
    enum method method = ctx->request->method;
    if ((method == METHOD_GET || method == METHOD_HEAD) && shell_no_such_page(ctx))
        return;
    const char **paths = arena_alloc(ctx->request->arena, 2 * N_ROUTES * sizeof(*paths));
    const char **short_paths = paths ? paths + N_ROUTES : NULL, *nearest = NULL;
    const char *what = arena_printf(
        ctx->request->arena, "%.200s here (GET /v1 lists what there is)", ctx->request->raw_path);
    int n = 0;

    for (size_t i = 0; paths && i < N_ROUTES; i++) {
        const char *path = suggested_path(ctx, &ROUTES[i]);
        if (!path)
            continue;
        paths[n] = path;
        short_paths[n++] = without_version(path);
    }
    const char *found = fault_nearest(without_version(ctx->request->raw_path), short_paths, n);
    for (int i = 0; i < n && found && !nearest; i++)
        nearest = short_paths[i] == found ? paths[i] : NULL;
    problem_not_found(ctx, what ? what : "such path", nearest);
}

/* OPTIONS: what the path takes, and what a browser asks before it lets a page call. */
static void reply_options(struct context *ctx, const char *allow)
{
    struct reply *reply = ctx->reply;

    reply->status = 204;
    reply_header(reply, "Allow", allow);
    reply_header(reply, "Access-Control-Allow-Methods", allow);
    reply_header(reply, "Access-Control-Allow-Headers",
                 "Accept, Authorization, Content-Type, Idempotency-Key, If-Match, If-None-Match, "
                 "X-Request-Id, traceparent");
    reply_header(reply, "Access-Control-Max-Age", "86400");
}

static bool method_allowed(const struct route *route, enum method method)
{
    return route->methods & 1u << (method == METHOD_HEAD ? METHOD_GET : method);
}

static void refuse_method(struct context *ctx)
{
    const char *allow = route_allow(ctx->route);
    const char *detail = arena_printf(ctx->request->arena, "%s takes %s", ctx->route->path, allow);

    reply_header(ctx->reply, "Allow", allow);
    problem_status(ctx, 405, detail);
}

static int count_arguments(const struct request *request, const char *name)
{
    int n = 0;

    for (int i = 0; i < request->n_arguments; i++)
        n += strcmp(request->arguments[i].name, name) == 0;
    return n;
}

/* ?format= goes before Accept, and says one thing. */
static bool choose_format(struct context *ctx)
{
    const char *const *available = ctx->route->media_types;
    struct faults faults;

    if (count_arguments(ctx->request, "format") > 1) {
        faults_init(&faults, ctx->request->arena);
        fault_add(&faults, "?format", NULL, "given twice");
        problem_faults(ctx, &faults);
        return false;
    }
    const char *word = ctx->request->n_arguments ? request_argument(ctx->request, "format") : NULL;

    if (!word) {
        ctx->format = negotiate_accept(ctx->request->accept, available);
    } else {
        const char *type = negotiate_format(word);
        for (size_t i = 0; type && available[i]; i++)
            if (strcmp(available[i], type) == 0)
                ctx->format = available[i];
    }
    if (!ctx->format)
        refuse_format(ctx, available);
    return ctx->format;
}

/* Route, method, caller and format; false when the reply is written. */
static bool admit(struct context *ctx)
{
    const struct request *request = ctx->request;

    if (request->refusal) {
        problem_status(ctx, request->refusal_status, request->refusal);
        return false;
    }
    if (request->method == METHOD_OPTIONS && strcmp(request->raw_path, "*") == 0) {
        reply_options(ctx, "GET, HEAD, POST, OPTIONS");
        return false;
    }
    find_route(ctx);
    if (!ctx->route) {
        refuse_path(ctx);
        return false;
    }
    if (request->crowded && !ctx->route->open) {
        problem_status(ctx, 503, "as many connections as may be open are open; try again");
        return false;
    }
    if (request->method == METHOD_OPTIONS) {
        reply_options(ctx, route_allow(ctx->route));
        return false;
    }
    if (!method_allowed(ctx->route, request->method)) {
        refuse_method(ctx);
        return false;
    }
    return auth_admit(ctx) && choose_format(ctx);
}

/* The longest body of this request: only POST carries one. */
static size_t body_limit(const struct context *ctx)
{
    return ctx->request->method == METHOD_POST ? ctx->route->body_max_bytes : 0;
}

static void refuse_length(struct context *ctx)
{
    size_t limit = body_limit(ctx);
    const char *detail = "this request takes no body";

    if (limit)
        detail = arena_printf(ctx->request->arena, "a body of %s has at most %zu bytes",
                              ctx->route->path, limit);
    problem_status(ctx, 413, detail);
}

/* Whether the kind of body is right: its type and that it is not compressed. */
static bool body_type_ok(struct context *ctx)
{
    const struct request *request = ctx->request;

    if (request->content_type && !is_taken_type(request->content_type, ctx->route->body_types)) {
        refuse_media_type(ctx);
        return false;
    }
    const char *encoding = request->content_encoding;
    bool unpacked = ctx->route->takes_gzip && encoding && strcasecmp(encoding, "gzip") == 0;
    if (encoding && !unpacked && strcasecmp(encoding, "identity") != 0) {
        reply_header(ctx->reply, "Accept-Encoding", "identity");
        problem_status(ctx, 415, "a body is read as it is, without Content-Encoding");
        return false;
    }
    return true;
}

static bool body_ok(struct context *ctx)
{
    const struct request *request = ctx->request;
    size_t limit = body_limit(ctx);

    if (request->body_length > limit) {
        refuse_length(ctx);
        return false;
    }
    if (!limit)
        return true;
    if (!request->body) {
        problem_status(ctx, 411, "a body is missing: it needs Content-Length or chunked transfer");
        return false;
    }
    return body_type_ok(ctx);
}

/* Validators of a reply that may be kept; false when 304 is the answer. */
static bool still_needed(struct context *ctx, const char **ret_tag)
{
    const struct request *request = ctx->request;
    char *tag = arena_alloc_raw(request->arena, ETAG_MAX);

    if (!tag)
        return true;
    etag_make(ctx, tag);
    *ret_tag = tag;
    if (!request->if_none_match || !etag_listed(request->if_none_match, tag))
        return true;
    ctx->reply->status = 304;
    return false;
}

/* ETag and its companions, once the reply is known to be worth them; "*" matches any such reply. */
static void add_validators(struct context *ctx, const char *tag)
{
    struct reply *reply = ctx->reply;
    const char *if_none_match = ctx->request->if_none_match;

    if (reply->status != 200 && reply->status != 304)
        return;
    reply_header(reply, "ETag", tag);
    reply_header(reply, "Cache-Control", "no-cache");
    if (!if_none_match || !etag_is_any(if_none_match))
        return;
    reply->status = 304;
    reply->body = NULL;
    reply->body_length = 0;
}

/* GET and POST of a path that is written to have a handler each. */
static void handle(struct context *ctx)
{
    bool writes = ctx->request->method == METHOD_POST && ctx->route->writer;

    (writes ? ctx->route->writer : ctx->route->handler)(ctx);
}

static void answer(struct context *ctx)
{
    const char *tag = NULL;

    if (!admit(ctx) || !auth_pace(ctx) || !body_ok(ctx))
        return;
    bool cacheable = ctx->route->cacheable && ctx->request->method != METHOD_POST;
    if (!cacheable || still_needed(ctx, &tag))
        handle(ctx);
    if (tag)
        add_validators(ctx, tag);
    if (cacheable)
        reply_header(ctx->reply, "Vary", "Accept");
}

/* Whether a page of another origin may read the reply. */
static void add_cors(struct context *ctx)
{
    const struct cors *cors = atomic_load_explicit(&ctx->app->cors, memory_order_acquire);
    const char *allowed = cors_allowed(cors, ctx->request->origin);

    if (cors_varies(cors))
        reply_header(ctx->reply, "Vary", "Origin");
    if (!allowed)
        return;
    reply_header(ctx->reply, "Access-Control-Allow-Origin", allowed);
    reply_header(ctx->reply, "Access-Control-Expose-Headers",
                 "ETag, Location, Retry-After, X-Request-Id");
}

static void finish(struct context *ctx)
{
    struct reply *reply = ctx->reply;
    const char *id = ctx->request->request_id;

    reply_header(reply, "X-Content-Type-Options", "nosniff");
    add_cors(ctx);
    if (request_id_ok(id))
        reply_header(reply, "X-Request-Id", id);
    if (app_draining(ctx->app) || ctx->request->refusal || ctx->request->crowded)
        reply->close = true;
    reply->route = ctx->route ? ctx->route->path : NULL;
}

static uint64_t now_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * NS_PER_S + (uint64_t)now.tv_nsec;
}

/* What is the same before and after every answer. */
static void open_context(struct app *app, const struct request *request, struct reply *ret_reply,
                         struct context *ret_ctx)
{
    memset(ret_reply, 0, sizeof(*ret_reply));
    *ret_ctx = (struct context){
        .app = app,
        .catalogue = store_catalogue(app->store),
        .request = request,
        .reply = ret_reply,
    };
    json_memory_enter(request->arena);
}

static void close_context(struct context *ctx, uint64_t begin_ns)
{
    finish(ctx);
    json_memory_leave();
    store_release(ctx->app->store, ctx->catalogue);
    metrics_count(ctx->app->metrics,
                  &(struct metrics_sample){
                      .route = ctx->route ? (size_t)(ctx->route - ROUTES) : N_ROUTES,
                      .method = ctx->request->method,
                      .status = ctx->reply->status,
                      .duration_ns = now_ns() - begin_ns,
                      .request_bytes = ctx->request->body_length,
                      .reply_bytes = ctx->reply->body_length,
                  });
}

void app_handle(struct app *app, const struct request *request, struct reply *ret_reply)
{
    uint64_t begin_ns = now_ns();
    struct context ctx;

    open_context(app, request, ret_reply, &ctx);
    answer(&ctx);
    close_context(&ctx, begin_ns);
}

const struct body_sink *app_body_sink(struct app *app, const struct request *request)
{
    struct context ctx = {.app = app, .request = request};

    find_route(&ctx);
    return ctx.route ? ctx.route->sink : NULL;
}

size_t app_admit(struct app *app, const struct request *request, size_t announced,
                 struct reply *ret_reply)
{
    uint64_t begin_ns = now_ns();
    struct context ctx;
    size_t limit = 0;

    open_context(app, request, ret_reply, &ctx);
    if (admit(&ctx)) {
        limit = body_limit(&ctx);
        bool too_long = limit == 0 || (announced != BODY_UNKNOWN && announced > limit);
        if (too_long)
            refuse_length(&ctx);
        if (!too_long && body_type_ok(&ctx)) {
            json_memory_leave();
            store_release(app->store, ctx.catalogue);
            return limit;
        }
    }
    close_context(&ctx, begin_ns);
    return 0;
}
