#include "plan_route.h"

#include <string.h>

#include "body.h"
#include "negotiate.h"
#include "plan_body.h"
#include "plan_json.h"
#include "plan_text.h"
#include "problem.h"
#include "query_switch.h"

/* Arguments of the route itself; all others are leaves of the request. */
static const char *const OWN[] = {"view", "format", "ascii"};

enum { VIEW_FULL, VIEW_SUMMARY };

static const char *const VIEWS[] = {[VIEW_FULL] = "full", [VIEW_SUMMARY] = "summary"};

/* What the query says about the reply. */
struct wanted {
    bool summary, ascii;
};

static void read_wanted(const struct request *request, struct faults *faults,
                        struct wanted *ret_wanted)
{
    ret_wanted->summary =
        query_word(request, faults, "view", VIEWS, (int)ARRAY_LEN(VIEWS)) == VIEW_SUMMARY;
    ret_wanted->ascii = query_switch(request, faults, "ascii");
}

void plan_handler(struct context *ctx)
{
    struct arena *arena = ctx->request->arena;
    struct plan_request request = {0};
    struct wanted wanted;
    struct faults faults;
    struct json_out out;

    faults_init(&faults, arena);
    read_wanted(ctx->request, &faults, &wanted);
    if (!plan_body_read(ctx, &faults, OWN, (int)ARRAY_LEN(OWN), &request))
        return;
    struct plan *plan = arena_alloc_raw(arena, sizeof(*plan));
    if (!plan) {
        problem_status(ctx, 413, "the request needs more memory than one request may use");
        return;
    }
    bool text = strcmp(ctx->format, MEDIA_TEXT) == 0;
    bool summary = wanted.summary && !text;
    struct plan_evidence evidence;
    plan_compute(&request.problem, summary ? PLAN_SUMMARY : PLAN_FULL, plan);
    plan_evidence_find(ctx, plan, summary, &evidence);
    reply_begin(ctx, &out);
    if (text)
        plan_text_write(&out, &request, plan, &evidence, wanted.ascii);
    else if (summary)
        plan_json_summary(&out, &request, plan);
    else
        plan_json_full(&out, &request, plan, &evidence);
    reply_write(ctx, 200, &out);
}
