#include "plan_body.h"

#include <string.h>

#include "body.h"
#include "command_line.h"
#include "nearness.h"
#include "negotiate.h"
#include "problem.h"
#include "utf8.h"

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

    plan_request_read_json(&intake, object, request);
    if (!plan_request_resolve(&intake, request))
        return false;
    nearness_find(ctx->catalogue, &request->problem, NULL, NULL, &request->problem.near);
    return true;
}

/* Reads the leaves of the query and, where there is a text, what it says of the others. */
static bool read_query(struct context *ctx, struct faults *faults, const char *const *own,
                       int n_own, const char *text, struct plan_request *request)
{
    const struct intake intake = {ctx->catalogue, ctx->request->arena, faults, "?"};

    described_init(&request->described, ctx->request->arena);
    plan_request_read_query(&intake, ctx->request->arguments, ctx->request->n_arguments, own, n_own,
                            request);
    request->text_refused = text && !command_read(&intake, text, "", request, &request->described);
    if (!plan_request_resolve(&intake, request))
        return false;
    nearness_find(ctx->catalogue, &request->problem, NULL, NULL, &request->problem.near);
    return true;
}

/* The body as a text; NULL when a reply has been written. */
static const char *body_text(struct context *ctx, struct faults *faults)
{
    const struct request *request = ctx->request;
    const char *nul = memchr(request->body, '\0', request->body_length);
    size_t good =
        nul ? (size_t)(nul - request->body) : utf8_check(request->body, request->body_length);

    if (request_argument(request, "command"))
        fault_add(faults, "?command", NULL, "given twice: the body is the command");
    if (request->body[strspn(request->body, " \t\r\n")] == '{') {
        problem_status(ctx, 415,
                       "a body of text/plain is a command line, and this one is JSON: "
                       "send it as Content-Type: application/json (curl --json)");
        return NULL;
    }
    if (good == request->body_length)
        return request->body;
    fault_add(faults, "", NULL, "the byte at %zu is no text in UTF-8", good);
    problem_reply(ctx, 400, "the body is not a text", faults);
    return NULL;
}

bool plan_body_read(struct context *ctx, struct faults *faults, const char *const *own, int n_own,
                    struct plan_request *ret_request)
{
    const char *type = ctx->request->content_type, *text = NULL;
    bool posted = ctx->request->method == METHOD_POST, complete;

    *ret_request = (struct plan_request){0};
    if (posted && (!type || is_json_type(type))) {
        const struct cJSON *body = body_json(ctx);
        if (!body)
            return false;
        plan_body_refuse_leaves(ctx->request, own, n_own, faults);
        complete = plan_body_read_object(ctx, faults, "", body, ret_request);
    } else {
        text = posted ? body_text(ctx, faults) : NULL;
        if (posted && !text)
            return false;
        complete = read_query(ctx, faults, own, n_own, text, ret_request);
    }
    if (!complete)
        problem_faults(ctx, faults);
    return complete;
}
