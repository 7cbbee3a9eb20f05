#include "openapi.h"

#include <cjson/cJSON.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "fields.h"
#include "inline_part.h"
#include "nearness.h"
#include "negotiate.h"
#include "openapi_fields.h"
#include "openapi_operations.h"
#include "openapi_schemas.h"
#include "plan_json.h"
#include "plan_request.h"
#include "problem.h"
#include "request_limits.h"
#include "store.h"

#define DOCUMENT_START (512 * KIB)

struct openapi {
    char *text;
    size_t length;
};

/* ---- the example ---- */

/* Plans the example request; false when the store's records cannot. */
static bool plan_example(const struct catalogue *catalogue, struct arena *arena, const cJSON *body,
                         struct plan_request *request, struct plan *plan)
{
    struct faults *faults = arena_alloc(arena, sizeof(*faults));
    if (!faults || !body) {
        return false;
    }
    faults_init(faults, arena);
    const struct intake intake = {catalogue, arena, faults, ""};
    plan_request_read_json(&intake, body, request);
    if (!plan_request_resolve(&intake, request)) {
        return false;
    }
    nearness_find(catalogue, &request->problem, NULL, NULL, &request->problem.near);
    plan_compute(&request->problem, PLAN_FULL, plan);
    return true;
}

static const char *finished(struct json_out *out)
{
    return json_out_ok(out) ? arena_copy(out->arena, out->text, out->length) : NULL;
}

static void write_examples(const struct catalogue *catalogue, struct arena *arena,
                           const struct plan_request *request, const struct plan *plan,
                           struct operation *operation)
{
    struct plan_evidence evidence = {.catalogue = catalogue};
    struct json_out full;
    struct json_out summary;
    for (int i = 0; i < MEASURED_FIGURES; i++) {
        evidence.measured[i].value = NAN;
    }
    json_out_init(&full, arena, 32 * KIB, REPLY_MAX_BYTES);
    plan_json_full(&full, request, plan, &evidence);
    const char *full_text = finished(&full);
    json_out_init(&summary, arena, 8 * KIB, REPLY_MAX_BYTES);
    plan_json_summary(&summary, request, plan);
    const char *summary_text = finished(&summary);
    if (full_text && summary_text) {
        operation->plan_example = full_text;
        operation->summary_example = summary_text;
    }
}

static void read_examples(const struct catalogue *catalogue, struct arena *arena,
                          struct operation *operation)
{
    struct plan_request *request = arena_alloc(arena, sizeof(*request));
    struct plan *plan = arena_alloc(arena, sizeof(*plan));
    cJSON *body = cJSON_Parse(OPENAPI_REQUEST_EXAMPLE);
    if (request && plan && plan_example(catalogue, arena, body, request, plan)) {
        write_examples(catalogue, arena, request, plan, operation);
    }
    cJSON_Delete(body);
}

/* ---- the document ---- */

static void put_info(struct json_out *out)
{
    json_put_text(out, "openapi", "3.1.0");
    json_key(out, "info");
    json_begin_object(out);
    json_put_text(out, "title", "Regime");
    json_put_text(out, "version", REGIME_VERSION);
    json_put_text(
        out, "description",
        "Plans LLM serving: a serving configuration in; the cost class that dominates, why, and "
        "what would help out. Every GET has its HEAD; OPTIONS lists the methods of a path and "
        "another method is 405 with Allow. GET replies that may be kept carry ETag and honour "
        "If-None-Match. Refusals are application/problem+json.");
    json_end_object(out);
}

static void put_paths(struct json_out *out, struct operation *operation)
{
    json_key(out, "paths");
    json_begin_object(out);
    for (size_t i = 0; i < N_ROUTES; i++) {
        if (ROUTES[i].page) {
            continue;
        }
        operation->route = &ROUTES[i];
        json_key(out, ROUTES[i].path);
        json_begin_object(out);
        if (ROUTES[i].methods & 1u << METHOD_GET) {
            operation->method = METHOD_GET;
            json_key(out, "get");
            operation_write(out, operation);
        }
        if (ROUTES[i].methods & 1u << METHOD_POST) {
            operation->method = METHOD_POST;
            json_key(out, "post");
            operation_write(out, operation);
        }
        json_end_object(out);
    }
    json_end_object(out);
}

static void put_components(struct json_out *out)
{
    json_key(out, "components");
    json_begin_object(out);
    json_key(out, "schemas");
    json_begin_object(out);
    json_key(out, "PlanRequest");
    openapi_table_schema(out, &PLAN_FIELDS);
    json_key(out, "InlinePart");
    openapi_table_schema(out, &PART_FIELDS);
    openapi_schemas_write(out);
    json_end_object(out);
    json_key(out, "securitySchemes");
    json_begin_object(out);
    json_key(out, "token");
    json_begin_object(out);
    json_put_text(out, "type", "http");
    json_put_text(out, "scheme", "bearer");
    json_put_text(
        out, "description",
        "made by \"regimed token add NAME --scope SCOPES --db FILE\"; writing takes the "
        "scope contribute, reading the scope read where --read-tokens-required closes it");
    json_end_object(out);
    json_end_object(out);
    json_end_object(out);
}

static void put_document(struct json_out *out, struct operation *operation)
{
    json_begin_object(out);
    put_info(out);
    put_paths(out, operation);
    put_components(out);
    json_end_object(out);
    out_text(out, "\n");
}

/* Writes the document into memory of its own; false when there is none. */
static bool write_document(struct arena *arena, struct operation *operation,
                           struct openapi *openapi)
{
    struct json_out out;
    json_out_init(&out, arena, DOCUMENT_START, REPLY_MAX_BYTES);
    put_document(&out, operation);
    openapi->text = json_out_ok(&out) ? malloc(out.length) : NULL;
    if (!openapi->text) {
        return false;
    }
    memcpy(openapi->text, out.text, out.length);
    openapi->length = out.length;
    return true;
}

struct openapi *openapi_new(struct store *store)
{
    struct openapi *openapi = calloc(1, sizeof(*openapi));
    struct arena *arena = arena_new(REQUEST_ARENA_MAX);
    const struct catalogue *catalogue = store_catalogue(store);
    struct operation operation = {.store = store};
    bool written = false;
    if (openapi && arena) {
        read_examples(catalogue, arena, &operation);
        written = write_document(arena, &operation, openapi);
    }
    if (!written) {
        openapi_free(openapi);
        openapi = NULL;
    }
    store_release(store, catalogue);
    arena_free(arena);
    return openapi;
}

void openapi_free(struct openapi *openapi)
{
    if (!openapi) {
        return;
    }
    free(openapi->text);
    free(openapi);
}

const char *openapi_text(const struct openapi *openapi, size_t *ret_length)
{
    *ret_length = openapi->length;
    return openapi->text;
}

void openapi_handler(struct context *ctx)
{
    const struct openapi *openapi = app_openapi(ctx->app);
    struct reply *reply = ctx->reply;
    if (!openapi) {
        problem_status(ctx, 503, "there was no memory to write the description");
        return;
    }
    reply->status = 200;
    reply->content_type = content_type_of(ctx->format);
    reply->body = openapi_text(openapi, &reply->body_length);
}
