#include "plan_body.h"

#include <string.h>

#include "body.h"
#include "nearness.h"
#include "problem.h"

void plan_body_refuse_leaves(const struct request *request, const char *const *own, int n_own,
                             struct faults *faults)
{
    for (int i = 0; i < request->n_arguments; i++) {
        const char *name = request->arguments[i].name;
        bool known = false;
        for (int j = 0; j < n_own; j++)
            known = known || strcmp(name, own[j]) == 0;
        if (known)
            continue;
        const char *pointer =
            arena_printf(request->arena, "?%s", field_quote(request->arena, name));
        fault_add(faults, pointer ? pointer : "?", fault_nearest(name, own, n_own),
                  "unknown argument; the fields of a plan stand in the body of a POST");
    }
}

bool plan_body_read_object(struct context *ctx, struct faults *faults, const char *base,
                           const struct cJSON *object, struct plan_request *request)
{
    const struct intake intake = {ctx->catalogue, ctx->request->arena, faults, base};

    described_init(&request->described, ctx->request->arena);
    plan_request_read_json(&intake, object, request);
    if (!plan_request_resolve(&intake, request))
        return false;
    nearness_find(ctx->catalogue, &request->problem, NULL, NULL, &request->problem.near);
    return true;
}

static bool read_query(struct context *ctx, struct faults *faults, const char *const *own,
                       int n_own, struct plan_request *request)
{
    const struct intake intake = {ctx->catalogue, ctx->request->arena, faults, "?"};

    described_init(&request->described, ctx->request->arena);
    plan_request_read_query(&intake, ctx->request->arguments, ctx->request->n_arguments, own, n_own,
                            request);
    if (!plan_request_resolve(&intake, request))
        return false;
    nearness_find(ctx->catalogue, &request->problem, NULL, NULL, &request->problem.near);
    return true;
}

bool plan_body_read(struct context *ctx, struct faults *faults, const char *const *own, int n_own,
                    struct plan_request *ret_request)
{
    bool complete;

    *ret_request = (struct plan_request){0};
    if (ctx->request->method == METHOD_POST) {
        const struct cJSON *body = body_json(ctx);
        if (!body)
            return false;
        plan_body_refuse_leaves(ctx->request, own, n_own, faults);
        complete = plan_body_read_object(ctx, faults, "", body, ret_request);
    } else {
        complete = read_query(ctx, faults, own, n_own, ret_request);
    }
    if (!complete)
        problem_faults(ctx, faults);
    return complete;
}
