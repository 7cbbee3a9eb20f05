#include "openapi_parameters.h"

#include <sqlite3.h>
#include <string.h>

#include "anchors_query.h"
#include "attribute_query.h"
#include "backtest_query.h"
#include "fields.h"
#include "kernel_names.h"
#include "kernels_route.h"
#include "negotiate.h"
#include "openapi_fields.h"
#include "openapi_schemas.h"
#include "records_query.h"
#include "store.h"
#include "upload_query.h"

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
    const char *end = strstr(route->path, "/" OPERATION_HOLE);
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

static const char *kernel_class_at(int index)
{
    return kernel_class_name((enum kernel_class)index);
}

static void put_kernel_filters(struct json_out *out)
{
    for (const struct kernels_argument *known = KERNELS_ARGUMENTS; known->name; known++) {
        parameter_begin(out, known->name, "query", known->doc, "string");
        if (strcmp(known->name, "class") == 0) {
            schema_write_names(out, kernel_class_at, KERNEL_CLASS_COUNT, false);
        }
        parameter_end(out);
    }
}

static void put_upload_parameters(struct json_out *out)
{
    put_parameter(out, "dry_run", "1 shows how the file is read and writes nothing", "string");
    for (int i = 0; UPLOAD_ARGUMENTS[i].name; i++) {
        const struct upload_argument *known = &UPLOAD_ARGUMENTS[i];
        put_parameter(out, known->name, known->doc, known->number ? "number" : "string");
    }
    for (int i = 0; upload_condition(i).name; i++) {
        struct upload_argument known = upload_condition(i);
        put_parameter(out, known.name, "condition of every run",
                      known.number ? "number" : "string");
    }
}

static void put_arguments(struct json_out *out, const struct attribute_argument *known)
{
    for (; known->name; known++) {
        put_parameter(out, known->name, known->doc, known->type);
    }
}

static void put_profile_parameters(struct json_out *out, enum query_shape query)
{
    openapi_table_parameters(out, &PLAN_FIELDS);
    put_arguments(out, ATTRIBUTE_ARGUMENTS);
    if (query == QUERY_KEEP) {
        put_arguments(out, KEEP_ARGUMENTS);
    }
}

void operation_parameters_write(struct json_out *out, const struct operation *operation,
                                enum query_shape query)
{
    const struct route *route = operation->route;
    json_key(out, "parameters");
    json_begin_array(out);
    if (strstr(route->path, OPERATION_HOLE)) {
        put_id(out, operation);
    }
    if (query == QUERY_PLAN) {
        put_plan_parameters(out, operation);
    }
    if (query == QUERY_CHECK || query == QUERY_COMPARE) {
        put_gate_parameters(out, operation, query);
    }
    bool words = query == QUERY_LIST || query == QUERY_ANCHORS || query == QUERY_KERNELS;
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
    if (query == QUERY_KERNELS) {
        put_kernel_filters(out);
    }
    if (query == QUERY_SWEEP) {
        put_parameter(out, "progress", "1 adds lines that say how far it is; format=ndjson",
                      "string");
    }
    if (query == QUERY_UPLOAD) {
        put_upload_parameters(out);
    }
    if (query == QUERY_ATTRIBUTE || query == QUERY_KEEP) {
        put_profile_parameters(out, query);
    }
    put_format(out, route);
    json_end_array(out);
}
