/*
 * attribute_keep.c - a profile becomes an anchor: the shares of a measured step, with what it was
 * of.
 */
#include <math.h>
#include <string.h>

#include <cjson/cJSON.h>

#include "anchor_post.h"
#include "attribute_route.h"
#include "attribute_work.h"
#include "body.h"
#include "post_texts.h"
#include "problem.h"
#include "tokens.h"
#include "upload_query.h"

/* Of the device time: below, the shares are of what happened to be listed. */
#define COVERED_MIN 0.9
#define US_PER_STEP_MS 1e3

static void need(struct faults *faults, bool there, const char *pointer, const char *detail)
{
    if (!there)
        fault_add(faults, pointer, NULL, "%s", detail);
}

/* What keeps a profile from being a record; names that are missing are told by the record. */
static void check(const struct attribute_work *work, struct faults *faults)
{
    const struct attribution *attribution = work->attribution;
    const struct condition *conditions = work->run.conditions;

    if (attribution->refused) {
        fault_add(faults, "", NULL, "%s", attribution->refused);
        return;
    }
    if (attribution->profile->is_cut)
        fault_add(faults, "", NULL, "the file is cut: a record needs the whole step");
    need(faults, attribution->phase == RUN_DECODE || attribution->phase == RUN_PREFILL, "?phase",
         "is needed: a record is of decode or of prefill");
    need(faults, !isnan(conditions[RUN_BATCH].number), "?batch",
         "is needed: the file does not say it");
    need(faults, !isnan(conditions[RUN_CONTEXT].number), "?context",
         "is needed: the file does not say it");
    if (attribution->n_shares == 0)
        fault_add(faults, "", NULL, "no kernel of a class is in it");
    else if (attribution->covered_share < COVERED_MIN)
        fault_add(faults, "", NULL,
                  "%.0f %% of the device time got a class: a record needs %.0f %%",
                  100 * attribution->covered_share, 100 * COVERED_MIN);
}

/* The planner's classes of a kernel class that occur in the phase. */
static cJSON *classes_of(enum kernel_class class, enum run_phase phase)
{
    enum class_id other = phase == RUN_DECODE ? CLASS_PREFILL_ATTENTION : CLASS_DECODE_ATTENTION;
    cJSON *list = cJSON_CreateArray();
    size_t n;
    const enum class_id *classes = kernel_class_budgets(class, &n);

    for (size_t i = 0; i < n; i++)
        if (classes[i] != other)
            cJSON_AddItemToArray(list, cJSON_CreateString(class_name(classes[i])));
    return list;
}

static void add_shares(const struct attribution *attribution, cJSON *record)
{
    cJSON *shares = cJSON_AddArrayToObject(record, "shares");

    for (int i = 0; i < attribution->n_shares; i++) {
        const struct class_share *share = &attribution->shares[i];
        cJSON *classes = classes_of(share->class, attribution->phase);
        if (cJSON_GetArraySize(classes) == 0)
            continue;
        cJSON *row = cJSON_CreateObject();
        cJSON_AddStringToObject(row, "label", kernel_class_name(share->class));
        cJSON_AddItemToObject(row, "classes", classes);
        cJSON_AddNumberToObject(row, "share", share->share);
        if (!isnan(share->us) && attribution->steps > 0)
            cJSON_AddNumberToObject(row, "ms", share->us / attribution->steps / US_PER_STEP_MS);
        cJSON_AddItemToArray(shares, row);
    }
}

static void add_conditions(const struct attribute_work *work, cJSON *body)
{
    const struct condition *conditions = work->run.conditions;
    cJSON *workload = cJSON_AddObjectToObject(body, "workload");
    cJSON *parallelism = cJSON_AddObjectToObject(body, "parallelism");

    if (!isnan(conditions[RUN_BATCH].number))
        cJSON_AddNumberToObject(workload, "batch", conditions[RUN_BATCH].number);
    if (!isnan(conditions[RUN_CONTEXT].number))
        cJSON_AddNumberToObject(workload, "depth", round(conditions[RUN_CONTEXT].number));
    cJSON_AddStringToObject(workload, "phase", run_phase_name(work->attribution->phase));
    if (conditions[RUN_TP].number >= 1)
        cJSON_AddNumberToObject(parallelism, "tp", conditions[RUN_TP].number);
}

static void add_source(const struct context *ctx, cJSON *body)
{
    cJSON *source = cJSON_AddObjectToObject(body, UPLOAD_SOURCE);
    static const char PREFIX[] = UPLOAD_SOURCE ".";

    for (int i = 0; i < ctx->request->n_arguments; i++) {
        const struct argument *argument = &ctx->request->arguments[i];
        if (strncmp(argument->name, PREFIX, sizeof(PREFIX) - 1) == 0 && argument->value[0])
            cJSON_AddStringToObject(source, argument->name + sizeof(PREFIX) - 1, argument->value);
    }
    const char *title =
        arena_printf(ctx->request->arena, "a profile, posted by %s", ctx->caller->name);
    if (!cJSON_HasObjectItem(source, "title"))
        cJSON_AddStringToObject(source, "title", title ? title : "a profile");
    if (!cJSON_HasObjectItem(source, "kind"))
        cJSON_AddStringToObject(source, "kind", "measurement");
}

static void add_text(cJSON *body, const char *name, const char *text)
{
    if (text && *text)
        cJSON_AddStringToObject(body, name, text);
}

/* The profile in the language of POST /v1/anchors. */
static cJSON *body_of(const struct context *ctx, const struct attribute_work *work)
{
    static const char *const TEXTS[] = {"engine_version", "weights", "kv_cache",   "id",
                                        "title",          "notes",   "measured_on"};
    const struct attribution *attribution = work->attribution;
    const struct condition *engine = &work->run.conditions[RUN_ENGINE];
    const struct condition *part = &work->run.conditions[RUN_HARDWARE];
    cJSON *body = cJSON_CreateObject();

    cJSON_AddStringToObject(body, "kind", "attribution");
    add_text(body, "model", request_argument(ctx->request, "model"));
    add_text(body, "hardware", part->text);
    if (engine->from && strcmp(engine->from, "assumed") != 0)
        add_text(body, "engine", engine->text);
    for (size_t i = 0; i < ARRAY_LEN(TEXTS); i++)
        add_text(body, TEXTS[i], request_argument(ctx->request, TEXTS[i]));
    add_conditions(work, body);
    cJSON *metrics = cJSON_AddObjectToObject(body, "metrics");
    if (!isnan(attribution->span_us) && attribution->steps > 0)
        cJSON_AddNumberToObject(metrics, "step_ms",
                                attribution->span_us / attribution->steps / US_PER_STEP_MS);
    add_source(ctx, body);
    return body;
}

/* The argument that a fault is about. */
static const char *place_of(struct context *ctx, const struct post *post, const char *pointer)
{
    static const char *const RENAMED[][2] = {{"/workload/batch", "?batch"},
                                             {"/workload/depth", "?context"},
                                             {"/workload/phase", "?phase"},
                                             {"/parallelism/tp", "?tp"}};
    struct arena *arena = ctx->request->arena;
    const char *place = anchor_post_place(ctx, post, pointer);

    for (size_t i = 0; i < ARRAY_LEN(RENAMED); i++)
        if (strcmp(place, RENAMED[i][0]) == 0)
            return RENAMED[i][1];
    const char *argument = upload_argument_of(arena, place);
    return argument ? arena_printf(arena, "?%s", argument) : place;
}

void attribute_keep_handler(struct context *ctx)
{
    struct attribute_work work;
    struct faults faults, told;
    struct post post = {.kind = "anchor", .of = "anchor", .place = place_of};

    if (!attribute_read(ctx, true, &faults, &work))
        return;
    check(&work, &faults);
    cJSON *body = body_of(ctx, &work);
    post.body = body;
    post.why = request_argument(ctx->request, "why");
    faults_init(&told, ctx->request->arena);
    post_check_texts(body, &told);
    anchor_post_read(ctx, body, &told, &post);
    for (int i = 0; i < told.n; i++)
        fault_add(&faults, place_of(ctx, &post, told.items[i].pointer), told.items[i].suggestion,
                  "%s", told.items[i].detail);
    add_shares(work.attribution, post.record);
    char *text = cJSON_PrintUnformatted(post.record);
    if (!text) {
        problem_status(ctx, 413, "the request needs more memory than one request may use");
        return;
    }
    /* The record stands for the body, which is not kept, where two requests are compared.
     * The context is not copied: post_write renews its catalogue. */
    struct request request = *ctx->request;
    request.body = text;
    request.body_length = strlen(text);
    const struct request *own = ctx->request;
    ctx->request = &request;
    post_write(ctx, &post, &faults);
    ctx->request = own;
}
