#include "openapi_operations.h"

#include <ctype.h>
#include <string.h>

#include "admin_route.h"
#include "anchors.h"
#include "assets.h"
#include "attribute_route.h"
#include "backtest_page.h"
#include "backtest_route.h"
#include "benchmark.h"
#include "check_route.h"
#include "compare_route.h"
#include "diagnose_route.h"
#include "docs.h"
#include "gaps_route.h"
#include "gguf_route.h"
#include "health.h"
#include "index.h"
#include "kernels_route.h"
#include "negotiate.h"
#include "openapi.h"
#include "openapi_parameters.h"
#include "openapi_schemas.h"
#include "plan_route.h"
#include "post_route.h"
#include "problem.h"
#include "records.h"
#include "search_route.h"
#include "shell.h"
#include "store.h"
#include "sweep_route.h"
#include "upload_route.h"

static const struct handler_row {
    handler_fn *handler;
    enum query_shape query;
    const char *schema;           /* of the JSON reply; NULL = it has none */
    const char *line;             /* of one line of NDJSON */
    const char *request, *sample; /* schema and example of the JSON body; schema NULL = any */
    const char *file;             /* what the body is when it is no description of a deployment */
    const char *made;             /* what 201 is of a handler that always makes something; NULL */
} HANDLERS[] = {
    {front_handler, QUERY_NONE, .schema = "Index"},
    {plan_handler, QUERY_PLAN, .schema = "Plan", .request = "PlanRequest",
     .sample = OPENAPI_REQUEST_EXAMPLE},
    {check_handler, QUERY_CHECK, .schema = "Check", .request = "PlanRequest",
     .sample = OPENAPI_REQUEST_EXAMPLE},
    {compare_handler, QUERY_COMPARE, .schema = "Comparison", .request = "CompareRequest",
     .sample = OPENAPI_COMPARE_EXAMPLE},
    {sweep_handler, QUERY_SWEEP, .schema = "Sweep", .line = "SweepLine", .request = "SweepRequest",
     .sample = OPENAPI_SWEEP_EXAMPLE},
    {search_handler, QUERY_SEARCH, .schema = "Search", .line = "SearchLine",
     .request = "SearchRequest", .sample = OPENAPI_SEARCH_EXAMPLE},
    {diagnose_handler, QUERY_NONE, .schema = "Diagnosis", .request = "DiagnoseRequest",
     .sample = OPENAPI_DIAGNOSE_EXAMPLE},
    {causes_handler, QUERY_NONE, .schema = "CauseList"},
    {gguf_handler, QUERY_NONE, .schema = "GgufModel",
     .file = "the first bytes of a GGUF file, its whole header at least: head -c 32M FILE"},
    {attribute_handler, QUERY_ATTRIBUTE, .schema = "Attribution",
     .file =
         "the profile as the tool wrote it, plain or gzip; what it is shows in its first bytes"},
    {attribute_keep_handler, QUERY_KEEP, .schema = "Anchor",
     .file = "the profile, as POST /v1/attribute reads it"},
    {records_list_handler, QUERY_LIST, .schema = "RecordList"},
    {records_item_handler, QUERY_ITEM, .schema = "Record"},
    {anchors_list_handler, QUERY_ANCHORS, .schema = "AnchorList"},
    {anchors_item_handler, QUERY_ITEM, .schema = "Anchor"},
    {post_anchor_handler, QUERY_NONE, .schema = "Anchor", .request = "PostedAnchor",
     .sample = OPENAPI_ANCHOR_EXAMPLE},
    {post_benchmark_handler, QUERY_UPLOAD, .schema = "Upload", .sample = OPENAPI_BENCHMARK_EXAMPLE,
     .file = "what the tool wrote: " BENCHMARK_TOOLS},
    {post_record_handler, QUERY_NONE, .schema = "Record", .request = "PostedRecord",
     .sample = OPENAPI_PART_EXAMPLE},
    {post_dispute_handler, QUERY_NONE, .schema = "Record", .request = "PostedDispute",
     .sample = OPENAPI_DISPUTE_EXAMPLE},
    {admin_backup_handler, QUERY_NONE, .schema = "Backup",
     .made = "the copy, whole and on the disk"},
    {backtest_handler, QUERY_BACKTEST, .schema = "Backtest"},
    {backtest_page_handler, QUERY_BACKTEST, .schema = NULL},
    {kernels_handler, QUERY_KERNELS, .schema = "Kernels"},
    {gaps_list_handler, QUERY_LIST, .schema = "GapList"},
    {gaps_item_handler, QUERY_ITEM, .schema = "GapRecord"},
    {index_handler, QUERY_NONE, .schema = "Index"},
    {healthz_handler, QUERY_NONE, .schema = "Health"},
    {readyz_handler, QUERY_NONE, .schema = "Readiness"},
    {version_handler, QUERY_NONE, .schema = "Version"},
    {metrics_handler, QUERY_NONE, .schema = NULL},
    {openapi_handler, QUERY_NONE, .schema = "Description"},
    {docs_handler, QUERY_NONE, .schema = NULL},
    {docs_item_handler, QUERY_NONE, .schema = NULL},
};

static const struct handler_row *row_of(handler_fn *handler)
{
    for (size_t i = 0; i < ARRAY_LEN(HANDLERS); i++) {
        if (HANDLERS[i].handler == handler) {
            return &HANDLERS[i];
        }
    }
    return NULL;
}

bool operations_complete(void)
{
    for (size_t i = 0; i < N_ROUTES; i++) {
        if (!ROUTES[i].page &&
            (!row_of(ROUTES[i].handler) || (ROUTES[i].writer && !row_of(ROUTES[i].writer)))) {
            return false;
        }
    }
    return true;
}

/* ---- bodies ---- */

/* Lines of JSON, of a file. */
static void put_lines_body(struct json_out *out, const char *type, const struct handler_row *row)
{
    json_key(out, type);
    json_begin_object(out);
    json_key(out, "schema");
    json_begin_object(out);
    json_put_text(out, "type", "string");
    json_put_text(out, "description", row->file);
    json_end_object(out);
    json_put_text(out, "example", row->sample);
    json_end_object(out);
}

/* A description of a deployment that is no JSON. */
static void put_text_body(struct json_out *out, const char *type)
{
    bool plain = strcmp(type, MEDIA_TEXT) == 0;

    json_key(out, type);
    json_begin_object(out);
    json_key(out, "schema");
    json_begin_object(out);
    json_put_text(out, "type", "string");
    json_put_text(out, "description",
                  plain ? "the command line that starts the engine, a manifest or what the engine "
                          "printed, as the request's \"command\", \"manifest\" or \"log\"; what it "
                          "does not say (hardware, workload, objectives) stands in the query"
                        : "a manifest of Kubernetes, KServe or compose, as the request's "
                          "\"manifest\"; what it does not say (workload, objectives) stands in the "
                          "query");
    json_end_object(out);
    json_put_text(out, "example", plain ? OPENAPI_COMMAND_EXAMPLE : OPENAPI_MANIFEST_EXAMPLE);
    json_end_object(out);
}

/* A file, or its beginning, that is read as it arrives. */
static void put_binary_body(struct json_out *out, const char *type, const struct handler_row *row)
{
    json_key(out, type);
    json_begin_object(out);
    json_key(out, "schema");
    json_begin_object(out);
    json_put_text(out, "type", "string");
    json_put_text(out, "format", "binary");
    json_put_text(out, "description", row->file);
    json_end_object(out);
    json_end_object(out);
}

static void put_json_body(struct json_out *out, const struct handler_row *row)
{
    json_key(out, MEDIA_JSON);
    json_begin_object(out);
    json_key(out, "schema");
    if (row->request) {
        schema_write_reference(out, row->request);
    } else {
        json_begin_object(out);
        json_put_text(out, "description", row->file);
        json_end_object(out);
    }
    json_key(out, "example");
    json_raw(out, row->sample, strlen(row->sample));
    json_end_object(out);
}

static void put_body(struct json_out *out, const struct route *route, const struct handler_row *row)
{
    json_key(out, "requestBody");
    json_begin_object(out);
    json_put_bool(out, "required", true);
    const char *doc = arena_printf(out->arena, "at most %zu bytes%s", route->body_max_bytes,
                                   route->sink ? "" : " of UTF-8");
    json_put_text(out, "description", doc);
    json_key(out, "content");
    json_begin_object(out);
    for (const char *const *type = route->body_types; row && route->sink && *type; type++) {
        put_binary_body(out, *type, row);
    }
    if (row && row->sample) {
        put_json_body(out, row);
    }
    for (const char *const *type = route->body_types; type && *type && !route->sink; type++) {
        if (strcmp(*type, MEDIA_JSON) == 0) {
            continue;
        }
        if (row && row->file) {
            put_lines_body(out, *type, row);
        } else {
            put_text_body(out, *type);
        }
    }
    json_end_object(out);
    json_end_object(out);
}

/* ---- replies ---- */

static void put_example(struct json_out *out, const char *name, const char *value)
{
    json_key(out, name);
    json_begin_object(out);
    json_key(out, "value");
    json_raw(out, value, strlen(value));
    json_end_object(out);
}

static void put_type(struct json_out *out, const char *type)
{
    json_begin_object(out);
    json_put_text(out, "type", type);
    json_end_object(out);
}

static void put_either(struct json_out *out, const char *one, const char *other)
{
    json_begin_object(out);
    json_key(out, "anyOf");
    json_begin_array(out);
    schema_write_reference(out, one);
    schema_write_reference(out, other);
    json_end_array(out);
    json_end_object(out);
}

/* A plan's reply is one of two; they come with what the example request gives. */
static void put_plan_content(struct json_out *out, const struct operation *operation)
{
    put_either(out, "Plan", "PlanSummary");
    if (operation->method != METHOD_POST || !operation->plan_example) {
        return;
    }
    json_key(out, "examples");
    json_begin_object(out);
    put_example(out, "full", operation->plan_example);
    put_example(out, "summary", operation->summary_example);
    json_end_object(out);
}

static bool is_write(const struct operation *operation)
{
    return operation->method == METHOD_POST && operation->route->write_scope;
}

static void put_content(struct json_out *out, const struct operation *operation, const char *type,
                        const struct handler_row *row)
{
    const char *schema = row && row->schema ? row->schema : "Description";
    bool lines = strcmp(type, MEDIA_NDJSON) == 0 && row && row->line;
    json_key(out, type);
    json_begin_object(out);
    json_key(out, "schema");
    if (lines) {
        schema_write_reference(out, row->line);
    } else if (strcmp(type, MEDIA_JSON) != 0) {
        put_type(out, strcmp(type, MEDIA_GITLAB) == 0 ? "array" : "string");
    } else if (operation->route->handler == plan_handler) {
        put_plan_content(out, operation);
    } else if (operation->route->handler == backtest_handler) {
        put_either(out, schema, "MemoryBacktest"); /* ?set=memory */
    } else {
        schema_write_reference(out, schema);
    }
    json_end_object(out);
}

/* A reply with its content: 200, or 409 where a gate is shut. */
static void put_reply(struct json_out *out, const struct operation *operation,
                      const struct handler_row *row, const char *status, const char *doc)
{
    json_key(out, status);
    json_begin_object(out);
    json_put_text(out, "description", doc);
    json_key(out, "content");
    json_begin_object(out);
    for (const char *const *type = operation->route->media_types; *type; type++) {
        if (!is_write(operation) || strcmp(*type, MEDIA_JSON) == 0) {
            put_content(out, operation, *type, row);
        }
    }
    json_end_object(out);
    json_end_object(out);
}

#define WRITE_200 "a record that was there has the new text, or the source was there already"
#define WRITE_201 "the record as it is now; Location, and its revision as ETag"

/* When an operation gives a status, and why. */
enum when {
    ALWAYS,
    WITH_QUERY,
    WITH_ID,
    WITH_BODY,
    OF_PLAIN_FRONT,
    OF_READINESS,
    OF_STORE,
    OF_SWEEPS,
    OF_TOKENS,
    OF_WRITES,
    OF_VALIDATOR
};

static const struct refusal {
    int status;
    enum when when;
    const char *doc;
} REFUSALS[] = {
    {304, OF_VALIDATOR, "what If-None-Match names is still right"},
    {400, ALWAYS, "the path, the query or the body cannot be read"},
    {401, OF_TOKENS, "a token is missing, or the one shown is none, expired or revoked"},
    {403, OF_TOKENS, "the token lacks the scope"},
    {404, WITH_ID, "there is no such record; the nearest name is suggested"},
    {406, ALWAYS, "none of the media types asked for"},
    {409, OF_WRITES,
     "it is there already (Location), the Idempotency-Key is another's, or this store takes no "
     "writes"},
    {412, OF_WRITES, "the record has another revision than If-Match names"},
    {413, ALWAYS, "a body that is too long, or one where none is read"},
    {415, WITH_BODY, "the body's media type or encoding is not read"},
    {422, WITH_QUERY, "the request has faults; all of them are listed"},
    {422, OF_PLAIN_FRONT, "the page lists the faults of the form"},
    {429, OF_TOKENS, "too many writes, or too many tokens that are none; see Retry-After"},
    {503, OF_READINESS, "stopping"},
    {503, OF_WRITES, "the store cannot be written at the moment"},
    {503, OF_STORE, "the store cannot be read at the moment"},
    {503, OF_SWEEPS,
     "as many sweeps and searches as are computed at a time are under way; see Retry-After"},
};

static bool applies(const struct operation *operation, enum query_shape query, enum when when)
{
    const struct route *route = operation->route;
    bool post = operation->method == METHOD_POST;
    switch (when) {
    case ALWAYS:
        return true;
    case WITH_QUERY:
        return query != QUERY_NONE || post;
    case WITH_ID:
        return strstr(route->path, OPERATION_HOLE) != NULL;
    case WITH_BODY:
        return post;
    case OF_PLAIN_FRONT:
        return route->handler == front_handler && N_ASSETS == 0;
    case OF_READINESS:
        return route->handler == readyz_handler;
    case OF_STORE:
        return query == QUERY_LIST || query == QUERY_ANCHORS || query == QUERY_BACKTEST ||
               query == QUERY_ITEM;
    case OF_SWEEPS:
        return query == QUERY_SWEEP || query == QUERY_SEARCH;
    case OF_TOKENS:
        return !route->open;
    case OF_WRITES:
        return is_write(operation);
    case OF_VALIDATOR:
        return route->cacheable && !post;
    }
    return false;
}

static void put_refusal(struct json_out *out, const struct refusal *refusal)
{
    const char *status = arena_printf(out->arena, "%d", refusal->status);
    json_key(out, status ? status : "default");
    json_begin_object(out);
    json_put_text(out, "description", refusal->doc);
    if (refusal->status >= 400) {
        json_key(out, "content");
        json_begin_object(out);
        json_key(out, refusal->when == OF_PLAIN_FRONT ? MEDIA_HTML : PROBLEM_MEDIA_TYPE);
        json_begin_object(out);
        json_key(out, "schema");
        if (refusal->when == OF_PLAIN_FRONT) {
            put_type(out, "string");
        } else {
            schema_write_reference(out, "Problem");
        }
        json_end_object(out);
        json_end_object(out);
    }
    json_end_object(out);
}

/* "get_v1_models_id" */
static void put_operation_id(struct json_out *out, const struct operation *operation)
{
    char *id = arena_printf(out->arena, "%s_%s", operation->method == METHOD_POST ? "post" : "get",
                            operation->route->path[1] ? operation->route->path + 1 : "root");
    char *to = id;
    for (const char *at = id; at && *at; at++) {
        if (isalnum((unsigned char)*at)) {
            *to++ = *at;
        } else if (*at != '{' && *at != '}') {
            *to++ = '_';
        }
    }
    if (to) {
        *to = '\0';
    }
    json_put_text(out, "operationId", id);
}

/* A token that is needed or, for reading, may be: where the daemon closes it. */
static void put_security(struct json_out *out, const struct operation *operation)
{
    const struct route *route = operation->route;
    bool writes = is_write(operation);
    if (route->open) {
        return;
    }
    json_key(out, "security");
    json_begin_array(out);
    if (!writes) {
        json_begin_object(out);
        json_end_object(out);
    }
    json_begin_object(out);
    json_key(out, "token");
    json_begin_array(out);
    json_end_array(out);
    json_end_object(out);
    json_end_array(out);
}

/* 200, of a write 201 too, or 201 alone. */
static void put_good_replies(struct json_out *out, const struct operation *operation,
                             const struct handler_row *row)
{
    bool writes = is_write(operation);
    if (row && row->made) {
        put_reply(out, operation, row, "201", row->made);
        return;
    }
    put_reply(out, operation, row, "200", writes ? WRITE_200 : operation->route->summary);
    if (writes) {
        put_reply(out, operation, row, "201", WRITE_201);
    }
}

void operation_write(struct json_out *out, const struct operation *operation)
{
    const struct route *route = operation->route;
    bool writes = is_write(operation);
    const struct handler_row *row =
        row_of(writes && route->writer ? route->writer : route->handler);
    enum query_shape query = row ? row->query : QUERY_NONE;
    json_begin_object(out);
    put_operation_id(out, operation);
    json_put_text(out, "summary", operation->route->summary);
    put_security(out, operation);
    operation_parameters_write(out, operation, query);
    if (operation->method == METHOD_POST && route->body_max_bytes) {
        put_body(out, operation->route, row);
    }
    json_key(out, "responses");
    json_begin_object(out);
    put_good_replies(out, operation, row);
    if (query == QUERY_CHECK || query == QUERY_COMPARE) {
        put_reply(out, operation, row, "409", "?gate=1: the verdict is not pass; the same body");
    }
    for (size_t i = 0; i < ARRAY_LEN(REFUSALS); i++) {
        if (applies(operation, query, REFUSALS[i].when)) {
            put_refusal(out, &REFUSALS[i]);
        }
    }
    json_end_object(out);
    json_end_object(out);
}
