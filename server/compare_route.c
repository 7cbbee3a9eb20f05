/*
 * compare_route.c - two plans of one body: {"baseline": {...}, "candidate": {...}} and, beside
 * them, what both share.
 */
#include "compare_route.h"

#include <string.h>

#include <cjson/cJSON.h>

#include "body.h"
#include "check_route.h"
#include "compare_json.h"
#include "compare_text.h"
#include "field.h"
#include "negotiate.h"
#include "plan_body.h"
#include "problem.h"

static const char *const OWN[] = {GATE_ARGUMENTS, "tolerance", "format"};

enum side { BASELINE, CANDIDATE, SIDES };

static const struct {
    const char *name, *pointer;
} SIDE_NAMES[SIDES] = {{"baseline", "/baseline"}, {"candidate", "/candidate"}};

struct work {
    struct plan plans[SIDES];
    struct check_list checks;
    struct check_cure cures[CHECK_CURES_MAX];
};

/* Takes a side out of the body, so that what both share is left; NULL, with a fault, without it. */
static const cJSON *take_side(struct faults *faults, cJSON *body, enum side side)
{
    const char *name = SIDE_NAMES[side].name, *pointer = SIDE_NAMES[side].pointer;
    const cJSON *object = cJSON_DetachItemFromObjectCaseSensitive(body, name);

    if (cJSON_GetObjectItemCaseSensitive(body, name))
        fault_add(faults, pointer, NULL, "given twice");
    while (cJSON_GetObjectItemCaseSensitive(body, name))
        (void)cJSON_DetachItemFromObjectCaseSensitive(body, name);
    if (!object)
        fault_add(faults, pointer, NULL, "required: a deployment as /v1/plan takes it");
    else if (!cJSON_IsObject(object))
        fault_add(faults, pointer, NULL, "expected an object: a deployment as /v1/plan takes it");
    return object && cJSON_IsObject(object) ? object : NULL;
}

/* One side, read over what both share; where that is faulty already, only its own faults are looked
 * for. */
static bool read_side(struct context *ctx, struct faults *faults, const struct plan_request *shared,
                      enum side side, const cJSON *object, struct plan_request *ret_request)
{
    const struct intake intake = {ctx->catalogue, ctx->request->arena, faults,
                                  SIDE_NAMES[side].pointer};

    if (!shared) {
        struct plan_request alone = {0};
        plan_request_read_json(&intake, object, &alone);
        return false;
    }
    *ret_request = *shared;
    if (shared->described.arena)
        described_copy(&shared->described, &ret_request->described);
    if (cJSON_GetObjectItemCaseSensitive(object, "model")) {
        ret_request->name_format = NULL;
        ret_request->inline_model = NULL;
    }
    return plan_body_read_object(ctx, faults, SIDE_NAMES[side].pointer, object, ret_request);
}

/* Both deployments out of the body; false when a reply has been written. */
static bool read_sides(struct context *ctx, struct faults *faults,
                       struct plan_request requests[SIDES])
{
    const struct intake intake = {ctx->catalogue, ctx->request->arena, faults, ""};
    struct plan_request shared = {0};
    const cJSON *objects[SIDES] = {NULL};
    cJSON *body = body_json(ctx);

    if (!body)
        return false;
    plan_body_refuse_leaves(ctx->request, OWN, (int)ARRAY_LEN(OWN), faults);
    if (!cJSON_IsObject(body))
        fault_add(faults, "", NULL, "expected an object with baseline and candidate");
    for (int i = 0; i < SIDES && cJSON_IsObject(body); i++)
        objects[i] = take_side(faults, body, (enum side)i);
    if (cJSON_IsObject(body))
        plan_request_read_json(&intake, body, &shared);
    const struct plan_request *under = faults->n == 0 ? &shared : NULL;
    bool complete = under != NULL;
    for (int i = 0; i < SIDES; i++)
        complete = objects[i] &&
                   read_side(ctx, faults, under, (enum side)i, objects[i], &requests[i]) &&
                   complete;
    if (!complete)
        problem_faults(ctx, faults);
    return complete;
}

void compare_handler(struct context *ctx)
{
    struct arena *arena = ctx->request->arena;
    struct plan_request requests[SIDES];
    struct faults faults;
    struct gate gate;
    struct json_out out;

    faults_init(&faults, arena);
    gate_read(ctx->request, &faults, true, &gate);
    if (!read_sides(ctx, &faults, requests))
        return;
    struct work *work = arena_alloc_raw(arena, sizeof(*work));
    if (!work) {
        problem_status(ctx, 413, "the request needs more memory than one request may use");
        return;
    }
    for (int i = 0; i < SIDES; i++)
        plan_compute(&requests[i].problem, PLAN_CHECK, &work->plans[i]);
    struct check_asked asked = check_route_asked(&requests[CANDIDATE]);
    asked.baseline = &work->plans[BASELINE];
    asked.tolerance = gate.tolerance;
    check_plan(&work->plans[CANDIDATE], &asked, &work->checks);
    int n_cures =
        check_route_cures(ctx, &work->plans[CANDIDATE], &work->checks, &asked, work->cures);
    const struct compare_report report = {.baseline = &requests[BASELINE],
                                          .candidate = &requests[CANDIDATE],
                                          .before = &work->plans[BASELINE],
                                          .after = &work->plans[CANDIDATE],
                                          .check = {.request = &requests[CANDIDATE],
                                                    .plan = &work->plans[CANDIDATE],
                                                    .checks = &work->checks,
                                                    .cures = work->cures,
                                                    .n_cures = n_cures,
                                                    .unknown_fails = gate.unknown_fails,
                                                    .file = gate.file}};
    reply_begin(ctx, &out);
    bool written = check_route_write_ci(ctx, &out, &report.check, "compare");
    if (!written && strcmp(ctx->format, MEDIA_TEXT) == 0)
        compare_text_write(&out, &report);
    else if (!written)
        compare_json_write(&out, &report);
    reply_write(ctx, gate_status(&gate, work->checks.verdict), &out);
}
