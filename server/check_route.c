#include "check_route.h"

#include <math.h>
#include <string.h>

#include "body.h"
#include "check_annotations.h"
#include "check_json.h"
#include "check_junit.h"
#include "check_text.h"
#include "memory_changes.h"
#include "nearness.h"
#include "negotiate.h"
#include "plan_body.h"
#include "plan_evidence.h"
#include "problem.h"

/* Arguments of the route itself; all others are leaves of the request. */
static const char *const OWN[] = {GATE_ARGUMENTS, "format"};

/* What a verdict is made of, too large for the stack of a handler. */
struct work {
    struct plan plan;
    struct check_list checks;
    struct check_cure cures[CHECK_CURES_MAX];
    struct plan_evidence evidence;
};

static void find_near(const void *ctx, const struct problem *problem, struct nearness *ret_near)
{
    nearness_find(ctx, problem, NULL, NULL, ret_near);
}

struct check_asked check_route_asked(const struct plan_request *request)
{
    /* Flags and settings that let an engine go past the model's positions. */
    static const char *const LONGER[] = {
        "--hf-overrides", "--rope-scaling", "--json-model-override-args",
        "VLLM_ALLOW_LONG_MAX_MODEL_LEN", "SGLANG_ALLOW_OVERWRITE_LONGER_CONTEXT_LEN"};

    struct check_asked asked = {.devices = NAN,
                                .is_launch = request->is_described,
                                .checkpoint = request->name_format,
                                .quantization = request->described.quantization};

    for (const struct described_flag *flag = request->described.flags; flag; flag = flag->next)
        for (size_t i = 0; i < ARRAY_LEN(LONGER); i++)
            asked.may_exceed_positions |= strcmp(flag->flag, LONGER[i]) == 0;
    if (request->described.n_devices > 0) {
        asked.devices = request->described.n_devices;
    } else if (request->named_devices > 0) {
        asked.devices = request->named_devices;
        asked.may_idle = true;
    }
    return asked;
}

int check_route_cures(const struct context *ctx, const struct plan *plan,
                      const struct check_list *checks, const struct check_asked *asked,
                      struct check_cure *ret_cures)
{
    const struct check_tools tools = {find_near, ctx->catalogue};

    return check_cures_find(plan, checks, asked, &tools, ret_cures);
}

bool check_route_write_ci(struct context *ctx, struct json_out *out,
                          const struct check_report *report, const char *suite)
{
    if (strcmp(ctx->format, MEDIA_JUNIT) == 0 || strcmp(ctx->format, MEDIA_XML) == 0 ||
        strcmp(ctx->format, MEDIA_TEXT_XML) == 0)
        check_junit_write(out, report, suite);
    else if (strcmp(ctx->format, MEDIA_GITHUB) == 0)
        check_github_write(out, report);
    else if (strcmp(ctx->format, MEDIA_GITLAB) == 0)
        check_gitlab_write(out, report);
    else
        return false;
    return true;
}

void check_handler(struct context *ctx)
{
    struct arena *arena = ctx->request->arena;
    struct plan_request request;
    struct faults faults;
    struct gate gate;
    struct json_out out;

    faults_init(&faults, arena);
    gate_read(ctx->request, &faults, false, &gate);
    if (!plan_body_read(ctx, &faults, OWN, (int)ARRAY_LEN(OWN), &request))
        return;
    struct work *work = arena_alloc_raw(arena, sizeof(*work));
    if (!work) {
        problem_status(ctx, 413, "the request needs more memory than one request may use");
        return;
    }
    const struct check_asked asked = check_route_asked(&request);
    plan_compute(&request.problem, PLAN_CHECK, &work->plan);
    work->plan.n_memory_changes =
        memory_changes_find(&work->plan.problem, &work->plan.memory, work->plan.memory_changes);
    check_plan(&work->plan, &asked, &work->checks);
    int n_cures = check_route_cures(ctx, &work->plan, &work->checks, &asked, work->cures);
    plan_evidence_find(ctx, &work->plan, true, &work->evidence);
    const struct check_report report = {.request = &request,
                                        .plan = &work->plan,
                                        .checks = &work->checks,
                                        .cures = work->cures,
                                        .n_cures = n_cures,
                                        .unknown_fails = gate.unknown_fails,
                                        .file = gate.file};
    reply_begin(ctx, &out);
    bool written = check_route_write_ci(ctx, &out, &report, "check");
    if (!written && strcmp(ctx->format, MEDIA_TEXT) == 0)
        check_text_write(&out, &report);
    else if (!written)
        check_json_write(&out, &report, &work->evidence.gaps);
    reply_write(ctx, gate_status(&gate, work->checks.verdict), &out);
}
