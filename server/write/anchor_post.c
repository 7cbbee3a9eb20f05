#include "anchor_post.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <cjson/cJSON.h>

#include "anchor.h"
#include "device_names.h"
#include "digest.h"
#include "json_member.h"
#include "records_query.h"

#define METRIC_NAME_MAX 80
#define ID_DIGITS 12
#define SUGGESTIONS_MAX 200

/* The members of a body: which must be there, and what they are. */
enum shape { SHAPE_TEXT, SHAPE_NUMBER, SHAPE_OBJECT, SHAPE_LIST };

static const struct body_member {
    const char *name;
    enum shape shape;
    bool required;
    const char *copy_as; /* member of the record that takes it as it is; NULL = it is worked on */
} MEMBERS[] = {
    {"model", SHAPE_TEXT, true, NULL},
    {"hardware", SHAPE_TEXT, true, NULL},
    {"engine", SHAPE_TEXT, true, NULL},
    {"engine_version", SHAPE_TEXT, false, "engine_version"},
    {"backend", SHAPE_TEXT, false, "backend"},
    {"weights", SHAPE_TEXT, false, NULL},
    {"kv_cache", SHAPE_TEXT, false, NULL},
    {"n_devices", SHAPE_NUMBER, false, NULL},
    {"parallelism", SHAPE_OBJECT, false, NULL},
    {"workload", SHAPE_OBJECT, true, NULL},
    {"conditions", SHAPE_OBJECT, false, NULL},
    {"metrics", SHAPE_OBJECT, true, NULL},
    {"source", SHAPE_OBJECT, true, NULL},
    {"kind", SHAPE_TEXT, false, NULL},
    {"id", SHAPE_TEXT, false, NULL},
    {"title", SHAPE_TEXT, false, "title"},
    {"measured_on", SHAPE_TEXT, false, "measured"},
    {"notes", SHAPE_TEXT, false, "notes"},
    {"answers", SHAPE_LIST, false, NULL},
};

/* Objects of the body whose members are conditions. */
static const char *const CONDITIONS[] = {"workload", "parallelism", "conditions"};

static bool has_shape(const cJSON *item, enum shape shape)
{
    switch (shape) {
    case SHAPE_TEXT:
        return cJSON_IsString(item) && *item->valuestring;
    case SHAPE_NUMBER:
        return cJSON_IsNumber(item) && isfinite(item->valuedouble);
    case SHAPE_OBJECT:
        return cJSON_IsObject(item);
    case SHAPE_LIST:
        return cJSON_IsArray(item);
    }
    return false;
}

static const char *pointer_to(struct faults *faults, const char *object, const char *name)
{
    const char *pointer = arena_printf(faults->arena, "%s/%.100s", object, name);

    return pointer ? pointer : object;
}

static void check_members(const cJSON *body, struct faults *faults)
{
    static const char *const SHAPES[] = {"a text", "a finite number", "an object", "a list"};
    const char *names[ARRAY_LEN(MEMBERS)];
    const cJSON *item = NULL;

    for (size_t i = 0; i < ARRAY_LEN(MEMBERS); i++) {
        const struct body_member *row = &MEMBERS[i];
        names[i] = row->name;
        item = json_member(body, row->name);
        if ((!item || cJSON_IsNull(item)) && row->required)
            fault_add(faults, pointer_to(faults, "", row->name), NULL, "is missing");
        else if (item && !cJSON_IsNull(item) && !has_shape(item, row->shape))
            fault_add(faults, pointer_to(faults, "", row->name), NULL, "must be %s",
                      SHAPES[row->shape]);
    }
    cJSON_ArrayForEach(item, body)
    {
        size_t i = 0;
        while (i < ARRAY_LEN(MEMBERS) && strcmp(MEMBERS[i].name, item->string) != 0)
            i++;
        if (i == ARRAY_LEN(MEMBERS))
            fault_add(faults, pointer_to(faults, "", item->string),
                      fault_nearest(item->string, names, ARRAY_LEN(names)), "unknown field");
    }
}

/* ---- names ---- */

static const char *text_of(const cJSON *body, const char *name)
{
    const char *text = cJSON_GetStringValue(json_member(body, name));

    return text && *text ? text : NULL;
}

static void put_name(cJSON *record, const char *name, const char *found, const char *id)
{
    char id_name[METRIC_NAME_MAX];

    snprintf(id_name, sizeof(id_name), "%s_id", name);
    cJSON_AddStringToObject(record, name, found);
    cJSON_AddStringToObject(record, id_name, id);
}

static void refuse_name(struct faults *faults, const char *pointer, const char *name,
                        const struct name_match *match)
{
    if (match->ambiguous[0])
        fault_ambiguous(faults, pointer, name, match);
    else
        fault_add(faults, pointer, match->nearest[0],
                  "\"%.100s\" is not in the catalogue; POST /v1%s adds it", name,
                  strcmp(pointer, "/model") == 0 ? "/models" : pointer);
}

/* Resolves the model; a weight format at the end of its name is the weights' unless they are said.
 */
static const char *put_model(struct context *ctx, const cJSON *body, cJSON *record,
                             struct faults *faults)
{
    const char *name = text_of(body, "model");
    struct name_match match;

    if (!name)
        return NULL;
    catalogue_find_model(ctx->catalogue, name, &match);
    if (match.index < 0) {
        refuse_name(faults, "/model", name, &match);
        return NULL;
    }
    put_name(record, "model", name, ctx->catalogue->lib.models[match.index].id);
    return match.stripped_format;
}

static void put_part(struct context *ctx, const cJSON *body, cJSON *record, struct faults *faults)
{
    const char *name = text_of(body, "hardware");
    struct device_asked asked;

    if (!name)
        return;
    device_read(ctx->catalogue, ctx->request->arena, name, &asked);
    if (asked.match.index < 0)
        refuse_name(faults, "/hardware", name, &asked.match);
    else
        put_name(record, "hardware", name, ctx->catalogue->lib.hardware[asked.match.index].id);
}

/* Names of engines and formats: the record keeps them as they are, the importer resolves them. */
static const struct plain_name {
    const char *name;
    int (*find)(const struct catalogue *cat, const char *name);
    const char *const *(*list)(const struct catalogue *cat, int *ret_n);
} PLAIN_NAMES[] = {
    {"engine", catalogue_find_engine, catalogue_engine_names},
    {"weights", catalogue_find_weight_format, catalogue_weight_format_names},
    {"kv_cache", catalogue_find_kv_format, catalogue_kv_format_names},
};

static void put_plain_names(struct context *ctx, const cJSON *body, cJSON *record,
                            struct faults *faults)
{
    for (size_t i = 0; i < ARRAY_LEN(PLAIN_NAMES); i++) {
        const struct plain_name *row = &PLAIN_NAMES[i];
        const char *name = text_of(body, row->name);
        int n = 0;
        if (!name)
            continue;
        if (row->find(ctx->catalogue, name) < 0) {
            const char *const *known = row->list(ctx->catalogue, &n);
            fault_add(faults, pointer_to(faults, "", row->name), fault_nearest(name, known, n),
                      "\"%.100s\" is not in the catalogue", name);
        }
        cJSON_AddStringToObject(record, row->name, name);
    }
}

/* ---- conditions and metrics ---- */

/* Adds the members of an object of the body; what they may be the importer knows. */
static void add_conditions(const cJSON *body, const char *name, cJSON *conditions,
                           struct faults *faults)
{
    const cJSON *item = NULL;
    const char *at = pointer_to(faults, "", name);

    post_refuse_repeats(json_member(body, name), at, faults);
    cJSON_ArrayForEach(item, json_member(body, name))
    {
        if (cJSON_IsNull(item))
            continue;
        if (cJSON_HasObjectItem(conditions, item->string)) {
            fault_add(faults, pointer_to(faults, at, item->string), NULL,
                      "stands in another object too");
            continue;
        }
        cJSON_AddItemToObject(conditions, item->string, cJSON_Duplicate(item, 1));
    }
}

/* A number of ranks; 1 where it is not said, or is none. */
static double ranks_of(const cJSON *conditions, const char *name)
{
    double ranks = cJSON_GetNumberValue(json_member(conditions, name));

    return ranks >= 1 && ranks == floor(ranks) ? ranks : 1;
}

/* Devices are tp x pp x dp unless they are said; one device has one rank of each. */
static void put_devices(const cJSON *body, cJSON *conditions)
{
    const cJSON *stated = json_member(body, "n_devices");
    double devices =
        ranks_of(conditions, "tp") * ranks_of(conditions, "pp") * ranks_of(conditions, "dp");

    if (stated && cJSON_IsNumber(stated))
        devices = stated->valuedouble;
    if (!cJSON_HasObjectItem(conditions, "n_devices"))
        cJSON_AddNumberToObject(conditions, "n_devices", devices);
    if (ranks_of(conditions, "n_devices") == 1 && !cJSON_HasObjectItem(conditions, "tp"))
        cJSON_AddNumberToObject(conditions, "tp", 1);
}

/* "ttft_ms" and "ttft_ms_p99" as "ttft_ms.mean" and "ttft_ms.p99". */
static void metric_name(const char *name, char ret_name[METRIC_NAME_MAX])
{
    for (int i = 0; i < STATISTIC_COUNT; i++) {
        const char *statistic = statistic_name((enum statistic)i);
        size_t length = strlen(name);
        size_t tail = strlen(statistic);
        if (length > tail + 1 &&
            (name[length - tail - 1] == '_' || name[length - tail - 1] == '.') &&
            strcmp(name + length - tail, statistic) == 0) {
            snprintf(ret_name, METRIC_NAME_MAX, "%.*s.%s", (int)(length - tail - 1), name,
                     statistic);
            return;
        }
    }
    snprintf(ret_name, METRIC_NAME_MAX, "%.60s.mean", name);
}

static void put_metrics(const cJSON *body, cJSON *record, struct faults *faults)
{
    cJSON *metrics = cJSON_AddObjectToObject(record, "metrics");
    const char *names[ANCHOR_METRIC_COUNT];
    const cJSON *item = NULL;

    for (int i = 0; i < ANCHOR_METRIC_COUNT; i++)
        names[i] = metric_info((enum anchor_metric)i)->name;
    post_refuse_repeats(json_member(body, "metrics"), "/metrics", faults);
    cJSON_ArrayForEach(item, json_member(body, "metrics"))
    {
        char name[METRIC_NAME_MAX];
        char plain[METRIC_NAME_MAX];
        const char *pointer = pointer_to(faults, "/metrics", item->string);
        metric_name(item->string, name);
        snprintf(plain, sizeof(plain), "%.*s", (int)(strrchr(name, '.') - name), name);
        if (cJSON_IsNull(item))
            continue;
        if (metric_parse(plain) == ANCHOR_METRIC_COUNT)
            fault_add(faults, pointer, fault_nearest(plain, names, ANCHOR_METRIC_COUNT),
                      "unknown metric");
        else if (!cJSON_IsNumber(item) || !isfinite(item->valuedouble))
            fault_add(faults, pointer, NULL, "must be a finite number");
        else if (cJSON_HasObjectItem(metrics, name))
            fault_add(faults, pointer, NULL, "is the same figure as another");
        else
            cJSON_AddNumberToObject(metrics, name, item->valuedouble);
    }
}

static void put_source(const cJSON *body, cJSON *record, struct faults *faults)
{
    const cJSON *given = json_member(body, "source");
    cJSON *sources = cJSON_AddArrayToObject(record, "sources");
    cJSON *source = given && cJSON_IsObject(given) ? cJSON_Duplicate(given, 1) : NULL;

    if (!source)
        return;
    post_refuse_repeats(given, "/source", faults);
    cJSON_AddStringToObject(source, "field", "metrics");
    cJSON_AddItemToArray(sources, source);
}

/* Ids of stated gaps; NULL when there is none. */
static const char *const *read_answers(struct context *ctx, const cJSON *body,
                                       struct faults *faults)
{
    const cJSON *list = json_member(body, "answers");
    const cJSON *item = NULL;
    int n = list && cJSON_IsArray(list) ? cJSON_GetArraySize(list) : 0;
    const char **ids = arena_alloc(ctx->request->arena, ((size_t)n + 1) * sizeof(*ids));
    int at = 0;

    if (n == 0 || !ids)
        return NULL;
    cJSON_ArrayForEach(item, list)
    {
        if (cJSON_IsString(item))
            ids[at++] = item->valuestring;
        else
            fault_add(faults, "/answers", NULL,
                      "lists ids of stated gaps (GET /v1/gaps?kind=stated)");
    }
    return ids;
}

/* ---- the record ---- */

/* The id that a record gets when it is given none: that of what it says. */
static void put_id(struct context *ctx, const cJSON *body, cJSON *record)
{
    const char *id = text_of(body, "id");
    char hex[DIGEST_HEX_MAX];
    char *text = id ? NULL : cJSON_PrintUnformatted(record);

    if (text) {
        digest_text(text, strlen(text), hex);
        id = arena_printf(ctx->request->arena, "posted-%.*s", ID_DIGITS, hex);
    }
    if (id)
        cJSON_AddStringToObject(record, "id", id);
}

static const char *kind_of(const cJSON *body, struct faults *faults)
{
    const char *kind = text_of(body, "kind");
    enum anchor_kind parsed = kind ? anchor_kind_parse(kind) : ANCHOR_SERVING;
    const char *names[ANCHOR_KIND_COUNT];

    for (int i = 0; i < ANCHOR_KIND_COUNT; i++)
        names[i] = anchor_kind_name((enum anchor_kind)i);
    if (parsed == ANCHOR_KIND_COUNT)
        fault_add(faults, "/kind", fault_nearest(kind, names, ANCHOR_KIND_COUNT),
                  "is no kind of measurement");
    return kind ? kind : "serving";
}

void anchor_post_read(struct context *ctx, const cJSON *body, struct faults *faults,
                      struct post *post)
{
    cJSON *record = cJSON_CreateObject();
    const char *format = NULL;

    /* a format at the end of the model's name stands for the weights */
    format = put_model(ctx, body, record, faults);
    check_members(body, faults);
    if (!json_member(body, "weights") && format)
        cJSON_AddStringToObject(record, "weights", format);
    else if (!text_of(body, "weights"))
        fault_add(faults, "/weights", NULL, "is missing: the format that they are stored in");
    put_part(ctx, body, record, faults);
    put_plain_names(ctx, body, record, faults);
    cJSON_AddStringToObject(record, "kind", kind_of(body, faults));
    for (size_t i = 0; i < ARRAY_LEN(MEMBERS); i++)
        if (MEMBERS[i].copy_as && text_of(body, MEMBERS[i].name))
            cJSON_AddStringToObject(record, MEMBERS[i].copy_as, text_of(body, MEMBERS[i].name));
    cJSON *conditions = cJSON_AddObjectToObject(record, "conditions");
    for (size_t i = 0; i < ARRAY_LEN(CONDITIONS); i++)
        add_conditions(body, CONDITIONS[i], conditions, faults);
    put_devices(body, conditions);
    put_metrics(body, record, faults);
    put_source(body, record, faults);
    put_id(ctx, body, record);
    post->record = record;
    post->answers = read_answers(ctx, body, faults);
    post->id = text_of(body, "id");
}

const char *anchor_post_place(struct context *ctx, const struct post *post, const char *pointer)
{
    static const char CONDITION[] = "/conditions/";
    static const char SOURCE[] = "/sources/0";
    struct arena *arena = ctx->request->arena;

    if (strncmp(pointer, SOURCE, sizeof(SOURCE) - 1) == 0)
        return arena_printf(arena, "/source%s", pointer + sizeof(SOURCE) - 1);
    if (strcmp(pointer, "/model_id") == 0 || strcmp(pointer, "/hardware_id") == 0)
        return arena_printf(arena, "%.*s", (int)strlen(pointer) - 3, pointer);
    for (size_t i = 0; i < ARRAY_LEN(CONDITIONS); i++) {
        const char *name = pointer + sizeof(CONDITION) - 1;
        if (strncmp(pointer, CONDITION, sizeof(CONDITION) - 1) == 0 &&
            json_member(json_member(post->body, CONDITIONS[i]), name))
            return arena_printf(arena, "/%s/%s", CONDITIONS[i], name);
    }
    return arena_copy(arena, pointer, strlen(pointer));
}
