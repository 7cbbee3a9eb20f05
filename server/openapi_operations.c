#include "openapi_operations.h"

#include <ctype.h>
#include <sqlite3.h>
#include <string.h>

#include "anchors.h"
#include "anchors_query.h"
#include "backtest_page.h"
#include "backtest_query.h"
#include "backtest_route.h"
#include "check_route.h"
#include "compare_route.h"
#include "docs.h"
#include "fields.h"
#include "gaps_route.h"
#include "gguf_route.h"
#include "health.h"
#include "index.h"
#include "negotiate.h"
#include "openapi.h"
#include "openapi_fields.h"
#include "openapi_schemas.h"
#include "plan_route.h"
#include "problem.h"
#include "records.h"
#include "records_query.h"
#include "shell.h"
#include "store.h"

#define HOLE "{id}"

/* Which query a handler reads. */
enum query_shape {
    QUERY_NONE,
    QUERY_PLAN,
    QUERY_CHECK,
    QUERY_COMPARE,
    QUERY_LIST,
    QUERY_ANCHORS,
    QUERY_BACKTEST,
    QUERY_ITEM
};

static const struct handler_row {
    handler_fn *handler;
    enum query_shape query;
    const char *schema; /* of the JSON reply; NULL = it has none */
} HANDLERS[] = {
    {front_handler, QUERY_NONE, "Index"},
    {plan_handler, QUERY_PLAN, "Plan"},
    {check_handler, QUERY_CHECK, "Check"},
    {compare_handler, QUERY_COMPARE, "Comparison"},
    {gguf_handler, QUERY_NONE, "GgufModel"},
    {records_list_handler, QUERY_LIST, "RecordList"},
    {records_item_handler, QUERY_ITEM, "Record"},
    {anchors_list_handler, QUERY_ANCHORS, "AnchorList"},
    {anchors_item_handler, QUERY_ITEM, "Anchor"},
    {backtest_handler, QUERY_BACKTEST, "Backtest"},
    {backtest_page_handler, QUERY_BACKTEST, NULL},
    {gaps_list_handler, QUERY_LIST, "GapList"},
    {gaps_item_handler, QUERY_ITEM, "GapRecord"},
    {index_handler, QUERY_NONE, "Index"},
    {healthz_handler, QUERY_NONE, "Health"},
    {readyz_handler, QUERY_NONE, "Readiness"},
    {version_handler, QUERY_NONE, "Version"},
    {metrics_handler, QUERY_NONE, NULL},
    {openapi_handler, QUERY_NONE, "Description"},
    {docs_handler, QUERY_NONE, NULL},
    {docs_item_handler, QUERY_NONE, NULL},
};

static const struct handler_row *row_of(const struct route *route)
{
    for (size_t i = 0; i < ARRAY_LEN(HANDLERS); i++) {
        if (HANDLERS[i].handler == route->handler) {
            return &HANDLERS[i];
        }
    }
    return NULL;
}

bool operations_complete(void)
{
    for (size_t i = 0; i < N_ROUTES; i++) {
        if (!ROUTES[i].page && !row_of(&ROUTES[i])) {
            return false;
        }
    }
    return true;
}

/* ---- parameters ---- */

/* A parameter of the query with a plain type; its schema is left open. */
static void parameter_begin(struct json_out *out, const char *name, const char *where,
                            const char *doc, const char *type)
{
    json_begin_object(out);
    json_put_text(out, "name", name);
    json_put_text(out, "in", where);
    if (doc) {
        json_put_text(out, "description", doc);
    }
    if (strcmp(where, "path") == 0) {
        json_put_bool(out, "required", true);
    }
    json_key(out, "schema");
    json_begin_object(out);
    json_put_text(out, "type", type);
}

static void parameter_end(struct json_out *out)
{
    json_end_object(out);
    json_end_object(out);
}

static void put_parameter(struct json_out *out, const char *name, const char *doc, const char *type)
{
    parameter_begin(out, name, "query", doc, type);
    parameter_end(out);
}

/* The words of ?format= that the route takes. */
static void put_format(struct json_out *out, const struct route *route)
{
    parameter_begin(out, "format", "query", "goes before the header Accept", "string");
    json_key(out, "enum");
    json_begin_array(out);
    for (size_t i = 0; negotiate_word(i); i++) {
        const char *type = negotiate_format(negotiate_word(i));
        for (const char *const *own = route->media_types; type && *own; own++) {
            if (strcmp(*own, type) == 0) {
                json_text(out, negotiate_word(i));
            }
        }
    }
    json_end_array(out);
    parameter_end(out);
}

static void put_page_parameters(struct json_out *out)
{
    parameter_begin(out, "limit", "query", "records of one page", "integer");
    json_put_number(out, "minimum", 1);
    json_put_number(out, "maximum", LIST_LIMIT_MAX);
    json_put_number(out, "default", LIST_LIMIT_DEFAULT);
    parameter_end(out);
    put_parameter(out, "cursor", "next_cursor of the page before", "string");
}

/* The segment of a path that names the kind: the one before {id}, or the last. */
static const char *kind_segment(const struct route *route, size_t *ret_length)
{
    const char *end = strstr(route->path, "/" HOLE);
    end = end ? end : route->path + strlen(route->path);
    const char *begin = end;
    while (begin > route->path && begin[-1] != '/') {
        begin--;
    }
    *ret_length = (size_t)(end - begin);
    return begin;
}

static const struct record_kind *kind_of(const struct route *route)
{
    size_t length = 0;
    const char *segment = kind_segment(route, &length);
    return record_kind_of(segment, length);
}

static void put_filters(struct json_out *out, const struct route *route)
{
    static const char *const DOCS[] = {
        [FILTER_TEXT] = "one of the values that occur, in any case",
        [FILTER_MODEL] = "id or alias of a model",
        [FILTER_HARDWARE] = "id or alias of a part",
        [FILTER_ENGINE] = "id or alias of an engine",
    };
    const struct record_kind *kind = kind_of(route);
    for (int i = 0; kind && i < FILTERS_MAX && kind->filters[i].name; i++) {
        put_parameter(out, kind->filters[i].name, DOCS[kind->filters[i].value], "string");
    }
}

static const char *kind_at(int index)
{
    return anchor_kind_name((enum anchor_kind)index);
}

static const char *metric_at(int index)
{
    return metric_info((enum anchor_metric)index)->name;
}

static const char *statistic_at(int index)
{
    return statistic_name((enum statistic)index);
}

/* "input_tokens", "input_tokens_min" and "input_tokens_max" are ranges of a condition. */
static bool is_condition(const char *argument)
{
    for (int i = 0; i < CONDITION_COUNT; i++) {
        const char *name = condition_info((enum anchor_condition)i)->name;
        size_t length = strlen(name);
        if (strncmp(argument, name, length) == 0 &&
            (!argument[length] || strcmp(argument + length, "_min") == 0 ||
             strcmp(argument + length, "_max") == 0)) {
            return true;
        }
    }
    return false;
}

static const char *doubt_at(int index)
{
    return anchor_doubt_name((enum anchor_doubt)(index + 1));
}

static const char *set_at(int index)
{
    return backtest_set_name((enum backtest_set)index);
}

static const char *holdout_at(int index)
{
    return holdout_name((enum holdout)index);
}

static const char *tier_at(int index)
{
    return interval_tier_name((enum interval_tier)index);
}

static const char *condition_doc(const char *argument)
{
    size_t length = strlen(argument);
    const char *end = length > 4 ? argument + length - 4 : argument;
    if (strcmp(end, "_min") == 0) {
        return "the condition is stated and at least this";
    }
    return strcmp(end, "_max") == 0 ? "the condition is stated and at most this"
                                    : "the condition is stated and exactly this";
}

static void put_anchor_filter(struct json_out *out, const char *name)
{
    static const struct {
        const char *name, *doc;
        schema_name_fn *name_at;
        int n;
    } FILTERS[] = {
        {"model", "id or alias of a model", NULL, 0},
        {"hardware", "id or alias of a part", NULL, 0},
        {"engine", "id or alias of an engine", NULL, 0},
        {"weights", "id or alias of a weight format; fp8 finds block-scaled fp8 too", NULL, 0},
        {"kv_cache", "id or alias of a KV format", NULL, 0},
        {"kind", "what was measured", kind_at, ANCHOR_KIND_COUNT},
        {"metric", "anchors that give this figure", metric_at, ANCHOR_METRIC_COUNT},
        {"statistic", "anchors that give a figure of this kind; of the metric, with both",
         statistic_at, STATISTIC_COUNT},
        {"disputed",
         "true: only anchors that are disputed, and so used for nothing; false: the others", NULL,
         0},
        {"source", "id of a source, see /v1/sources", NULL, 0},
        {"backend", "compute back end of a local engine, as the source spells it", NULL, 0},
        {"flag", "why an anchor is in doubt", doubt_at, ANCHOR_DOUBT_COUNT - 1},
    };

    if (is_condition(name)) {
        put_parameter(out, name, condition_doc(name), "number");
        return;
    }
    size_t at = 0;
    while (at < ARRAY_LEN(FILTERS) && strcmp(FILTERS[at].name, name) != 0) {
        at++;
    }
    bool known = at < ARRAY_LEN(FILTERS);
    parameter_begin(out, name, "query", known ? FILTERS[at].doc : NULL,
                    strcmp(name, "disputed") == 0 ? "boolean" : "string");
    if (known && FILTERS[at].name_at) {
        schema_write_names(out, FILTERS[at].name_at, FILTERS[at].n, false);
    }
    parameter_end(out);
}

static void put_anchor_filters(struct json_out *out)
{
    static const char *const COMMON[] = {"limit", "cursor", "q", "format"};
    const char *const *names = anchor_query_arguments(out->arena);
    for (; names && *names; names++) {
        bool common = false;
        for (size_t i = 0; i < ARRAY_LEN(COMMON); i++) {
            common = common || strcmp(COMMON[i], *names) == 0;
        }
        if (!common) {
            put_anchor_filter(out, *names);
        }
    }
}

static void put_backtest_filters(struct json_out *out)
{
    static const struct {
        const char *name;
        schema_name_fn *name_at;
        int n;
    } ENUMS[] = {
        {"set", set_at, SET_COUNT},
        {"left_out", holdout_at, HOLDOUT_COUNT},
        {"nearness", tier_at, INTERVAL_TIER_COUNT},
    };

    for (const struct backtest_argument *known = BACKTEST_ARGUMENTS; known->name; known++) {
        parameter_begin(out, known->name, "query", known->doc, known->type);
        for (size_t i = 0; i < ARRAY_LEN(ENUMS); i++) {
            if (strcmp(ENUMS[i].name, known->name) == 0) {
                schema_write_names(out, ENUMS[i].name_at, ENUMS[i].n, false);
            }
        }
        parameter_end(out);
    }
}

/* The first id of the kind, copied; NULL when the store has none. */
static const char *first_id(struct json_out *out, const struct operation *operation)
{
    const struct record_kind *kind = kind_of(operation->route);
    const char *name = kind ? kind->kinds[0] : "anchor";
    const char *id = NULL;
    sqlite3_stmt *row = store_read(operation->store, "SELECT min(id) FROM records WHERE kind = ?1");
    if (row && sqlite3_bind_text(row, 1, name, -1, SQLITE_STATIC) == SQLITE_OK &&
        sqlite3_step(row) == SQLITE_ROW) {
        const char *text = (const char *)sqlite3_column_text(row, 0);
        id = text ? arena_copy(out->arena, text, strlen(text)) : NULL;
    }
    store_done(row);
    return id;
}

static void put_id(struct json_out *out, const struct operation *operation)
{
    const char *id = first_id(out, operation);
    json_begin_object(out);
    json_put_text(out, "name", "id");
    json_put_text(out, "in", "path");
    json_put_bool(out, "required", true);
    json_put_text(out, "description", "an id, or an alias where the kind has aliases");
    if (id) {
        json_put_text(out, "example", id);
    }
    json_key(out, "schema");
    json_begin_object(out);
    json_put_text(out, "type", "string");
    parameter_end(out);
}

static void put_plan_parameters(struct json_out *out, const struct operation *operation)
{
    if (operation->method != METHOD_POST) {
        openapi_table_parameters(out, &PLAN_FIELDS);
    }
    parameter_begin(out, "view", "query", "how much of the plan", "string");
    json_key(out, "enum");
    json_begin_array(out);
    json_text(out, "full");
    json_text(out, "summary");
    json_end_array(out);
    parameter_end(out);
    put_parameter(out, "ascii", "1 keeps the text report to ASCII", "string");
}

/* What a gate reads besides the deployment. */
static void put_gate_parameters(struct json_out *out, const struct operation *operation,
                                enum query_shape query)
{
    if (operation->method != METHOD_POST) {
        openapi_table_parameters(out, &PLAN_FIELDS);
    }
    put_parameter(out, "gate", "1 gives the verdict as the status: 200 pass, 409 fail", "string");
    parameter_begin(out, "unknown", "query", "what an unknown verdict counts as at the gate",
                    "string");
    json_key(out, "enum");
    json_begin_array(out);
    json_text(out, "fail");
    json_text(out, "pass");
    json_end_array(out);
    parameter_end(out);
    put_parameter(out, "file", "the file that annotations point at", "string");
    if (query == QUERY_COMPARE) {
        put_parameter(out, "tolerance", "worse by this share is no regression; 0.05 when absent",
                      "number");
    }
}

static void put_parameters(struct json_out *out, const struct operation *operation,
                           enum query_shape query)
{
    const struct route *route = operation->route;
    json_key(out, "parameters");
    json_begin_array(out);
    if (strstr(route->path, HOLE)) {
        put_id(out, operation);
    }
    if (query == QUERY_PLAN) {
        put_plan_parameters(out, operation);
    }
    if (query == QUERY_CHECK || query == QUERY_COMPARE) {
        put_gate_parameters(out, operation, query);
    }
    bool words = query == QUERY_LIST || query == QUERY_ANCHORS;
    if (words || query == QUERY_BACKTEST) {
        put_page_parameters(out);
    }
    if (words) {
        put_parameter(out, "q", "words to look for, the last as a beginning", "string");
    }
    if (query == QUERY_BACKTEST) {
        put_backtest_filters(out);
    }
    if (query == QUERY_LIST) {
        put_filters(out, route);
    }
    if (query == QUERY_ANCHORS) {
        put_anchor_filters(out);
    }
    put_format(out, route);
    json_end_array(out);
}

/* ---- bodies ---- */

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

/* The beginning of a file. */
static void put_binary_body(struct json_out *out)
{
    json_key(out, MEDIA_BINARY);
    json_begin_object(out);
    json_key(out, "schema");
    json_begin_object(out);
    json_put_text(out, "type", "string");
    json_put_text(out, "format", "binary");
    json_put_text(out, "description",
                  "the first bytes of a GGUF file, its whole header at least: head -c 32M FILE");
    json_end_object(out);
    json_end_object(out);
}

static void put_body(struct json_out *out, const struct route *route)
{
    json_key(out, "requestBody");
    json_begin_object(out);
    json_put_bool(out, "required", true);
    const char *doc = arena_printf(out->arena, "at most %zu bytes%s", route->body_max_bytes,
                                   route->sink ? "" : " of UTF-8");
    json_put_text(out, "description", doc);
    json_key(out, "content");
    json_begin_object(out);
    if (route->sink) {
        put_binary_body(out);
        json_end_object(out);
        json_end_object(out);
        return;
    }
    json_key(out, MEDIA_JSON);
    json_begin_object(out);
    json_key(out, "schema");
    const char *schema = route->handler == compare_handler ? "CompareRequest" : "PlanRequest";
    const char *example =
        route->handler == compare_handler ? OPENAPI_COMPARE_EXAMPLE : OPENAPI_REQUEST_EXAMPLE;
    schema_write_reference(out, schema);
    json_key(out, "example");
    json_raw(out, example, strlen(example));
    json_end_object(out);
    for (const char *const *type = route->body_types; type && *type; type++) {
        if (strcmp(*type, MEDIA_JSON) != 0) {
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

static void put_content(struct json_out *out, const struct operation *operation, const char *type,
                        const char *schema)
{
    json_key(out, type);
    json_begin_object(out);
    json_key(out, "schema");
    if (strcmp(type, MEDIA_JSON) != 0) {
        json_begin_object(out);
        json_put_text(out, "type", strcmp(type, MEDIA_GITLAB) == 0 ? "array" : "string");
        json_end_object(out);
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
static void put_reply(struct json_out *out, const struct operation *operation, const char *schema,
                      const char *status, const char *doc)
{
    json_key(out, status);
    json_begin_object(out);
    json_put_text(out, "description", doc);
    json_key(out, "content");
    json_begin_object(out);
    for (const char *const *type = operation->route->media_types; *type; type++) {
        put_content(out, operation, *type, schema);
    }
    json_end_object(out);
    json_end_object(out);
}

/* When an operation gives a status, and why. */
enum when { ALWAYS, WITH_QUERY, WITH_ID, WITH_BODY, OF_READINESS, OF_STORE, OF_VALIDATOR };

static const struct refusal {
    int status;
    enum when when;
    const char *doc;
} REFUSALS[] = {
    {304, OF_VALIDATOR, "what If-None-Match names is still right"},
    {400, ALWAYS, "the path, the query or the body cannot be read"},
    {404, WITH_ID, "there is no such record; the nearest name is suggested"},
    {406, ALWAYS, "none of the media types asked for"},
    {413, ALWAYS, "a body that is too long, or one where none is read"},
    {415, WITH_BODY, "the body's media type or encoding is not read"},
    {422, WITH_QUERY, "the request has faults; all of them are listed"},
    {503, OF_READINESS, "stopping"},
    {503, OF_STORE, "the store cannot be read at the moment"},
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
        return strstr(route->path, HOLE) != NULL;
    case WITH_BODY:
        return post;
    case OF_READINESS:
        return route->handler == readyz_handler;
    case OF_STORE:
        return query == QUERY_LIST || query == QUERY_ANCHORS || query == QUERY_BACKTEST ||
               query == QUERY_ITEM;
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
        json_key(out, PROBLEM_MEDIA_TYPE);
        json_begin_object(out);
        json_key(out, "schema");
        schema_write_reference(out, "Problem");
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

void operation_write(struct json_out *out, const struct operation *operation)
{
    const struct handler_row *row = row_of(operation->route);
    enum query_shape query = row ? row->query : QUERY_NONE;
    json_begin_object(out);
    put_operation_id(out, operation);
    json_put_text(out, "summary", operation->route->summary);
    put_parameters(out, operation, query);
    if (operation->method == METHOD_POST) {
        put_body(out, operation->route);
    }
    json_key(out, "responses");
    json_begin_object(out);
    const char *schema = row && row->schema ? row->schema : "Description";
    put_reply(out, operation, schema, "200", operation->route->summary);
    if (query == QUERY_CHECK || query == QUERY_COMPARE) {
        put_reply(out, operation, schema, "409", "?gate=1: the verdict is not pass; the same body");
    }
    for (size_t i = 0; i < ARRAY_LEN(REFUSALS); i++) {
        if (applies(operation, query, REFUSALS[i].when)) {
            put_refusal(out, &REFUSALS[i]);
        }
    }
    json_end_object(out);
    json_end_object(out);
}
