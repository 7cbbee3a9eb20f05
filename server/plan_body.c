#include "plan_body.h"

#include <string.h>

#include "body.h"
#include "nearness.h"
#include "problem.h"

/* A JSON body carries the whole request: only the route's own arguments may stand in its query. */
static void refuse_leaves(const struct request *request, const char *const *own, int n_own,
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

bool plan_body_read(struct context *ctx, struct faults *faults, const char *const *own, int n_own,
                    struct plan_request *ret_request)
{
    bool post = ctx->request->method == METHOD_POST;
    const struct intake intake = {ctx->catalogue, ctx->request->arena, faults, post ? "" : "?"};

    *ret_request = (struct plan_request){0};
    described_init(&ret_request->described, ctx->request->arena);
    if (post) {
        const struct cJSON *body = body_json(ctx);
        if (!body)
            return false;
        refuse_leaves(ctx->request, own, n_own, faults);
        plan_request_read_json(&intake, body, ret_request);
    } else {
        plan_request_read_query(&intake, ctx->request->arguments, ctx->request->n_arguments, own,
                                n_own, ret_request);
    }
    if (plan_request_resolve(&intake, ret_request)) {
        nearness_find(ctx->catalogue, &ret_request->problem, NULL, NULL,
                      &ret_request->problem.near);
        return true;
    }
    problem_faults(ctx, faults);
    return false;
}
