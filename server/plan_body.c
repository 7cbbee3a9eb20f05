#include "plan_body.h"

#include <cjson/cJSON.h>
#include <string.h>

#include "body.h"
#include "manifest.h"
#include "nearness.h"
#include "negotiate.h"
#include "problem.h"
#include "query_switch.h"
#include "texts.h"
#include "utf8.h"
#include "yaml_tree.h"

void plan_body_refuse_leaves(const struct request *request, const char *const *own, int n_own,
                             struct faults *faults)
{
    query_refuse_others(request, faults, own, n_own,
                        "unknown argument; the fields of a plan stand in the body of a POST");
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

/* What a body is: one of these, the others NULL. */
struct description {
    const struct cJSON *request; /* a request's object */
    const struct cJSON *objects; /* a manifest */
    const char *text;            /* a command, a manifest or a log */
};

/* Arguments of the query that a body which describes a deployment takes the place of. */
static const char *const TEXTS[] = {"command", "manifest", "log"};

/* Reads the leaves of the query and what the body says of the others. */
static bool read_query(struct context *ctx, struct faults *faults, const char *const *own,
                       int n_own, const struct description *body, struct plan_request *request)
{
    const struct intake intake = {ctx->catalogue, ctx->request->arena, faults, "?"};

    described_init(&request->described, ctx->request->arena);
    plan_request_read_query(&intake, ctx->request->arguments, ctx->request->n_arguments, own, n_own,
                            request);
    if (body->objects)
        texts_read_manifest(&intake, body->objects, request);
    else if (body->text)
        texts_read_body(&intake, body->text, ctx->request->body_length, request);
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

    for (size_t i = 0; i < ARRAY_LEN(TEXTS); i++) {
        if (request_argument(request, TEXTS[i]))
            fault_add(faults, arena_printf(request->arena, "?%s", TEXTS[i]), NULL,
                      "given twice: the body describes the deployment");
    }
    if (good == request->body_length)
        return request->body;
    fault_add(faults, "", NULL, "the byte at %zu is no text in UTF-8", good);
    problem_reply(ctx, 400, "the body is not a text", faults);
    return NULL;
}

/* A body of text/plain; false when a reply has been written. */
static bool describe_plain(struct context *ctx, struct faults *faults,
                           struct description *ret_description)
{
    const char *text = body_text(ctx, faults);

    if (text && text[strspn(text, " \t\r\n")] == '{' && !manifest_looks_like(text)) {
        problem_status(ctx, 415,
                       "a body of text/plain is a command line, a manifest or a log, and this one "
                       "is JSON: send it as Content-Type: application/json (curl --json)");
        return false;
    }
    *ret_description = (struct description){.text = text};
    return text != NULL;
}

/* Whether an object is a request as JSON has it, and no manifest. */
static bool is_request(const cJSON *object)
{
    if (!cJSON_IsObject(object) || manifest_is_object(object))
        return false;
    for (const cJSON *member = object->child; member; member = member->next) {
        const char *pointer = member->string;
        for (int i = 0; pointer && i < PLAN_FIELDS.n; i++)
            if (PLAN_FIELDS.rows[i].section == SECTION_ROOT &&
                strcmp(PLAN_FIELDS.rows[i].name, pointer) == 0)
                return true;
    }
    return false;
}

/* A body of YAML: objects, or a request written so; false when a reply has been written. */
static bool describe_yaml(struct context *ctx, struct faults *faults,
                          struct description *ret_description)
{
    const char *text = body_text(ctx, faults);
    struct yaml_fault fault;

    if (!text)
        return false;
    const cJSON *documents =
        yaml_tree_read(ctx->request->arena, text, ctx->request->body_length, &fault);
    if (!documents) {
        fault_add(faults, "", NULL, "%s at line %zu, column %zu%s", fault.what, fault.line,
                  fault.column, manifest_template_hint(text));
        problem_reply(ctx, 400, "the body is not the YAML that can be read here", faults);
        return false;
    }
    if (documents->child && !documents->child->next && is_request(documents->child))
        *ret_description = (struct description){.request = documents->child};
    else
        *ret_description = (struct description){.objects = documents};
    return true;
}

static bool describe_json(struct context *ctx, struct description *ret_description)
{
    const cJSON *body = body_json(ctx);

    if (!body)
        return false;
    bool manifest = manifest_is_object(body) ||
                    (cJSON_IsArray(body) && body->child && manifest_is_object(body->child));
    if (manifest)
        *ret_description = (struct description){.objects = body};
    else
        *ret_description = (struct description){.request = body};
    return true;
}

/* Reads what was posted by its type; false when a reply has been written. */
static bool describe(struct context *ctx, struct faults *faults,
                     struct description *ret_description)
{
    static const char *const PLAIN[] = {MEDIA_TEXT, NULL};
    const char *type = ctx->request->content_type;

    if (!type || is_json_type(type))
        return describe_json(ctx, ret_description);
    if (is_taken_type(type, PLAIN))
        return describe_plain(ctx, faults, ret_description);
    return describe_yaml(ctx, faults, ret_description);
}

bool plan_body_read(struct context *ctx, struct faults *faults, const char *const *own, int n_own,
                    struct plan_request *ret_request)
{
    struct description body = {0};
    bool complete;

    *ret_request = (struct plan_request){0};
    if (ctx->request->method == METHOD_POST && !describe(ctx, faults, &body))
        return false;
    if (body.request) {
        plan_body_refuse_leaves(ctx->request, own, n_own, faults);
        complete = plan_body_read_object(ctx, faults, "", body.request, ret_request);
    } else {
        complete = read_query(ctx, faults, own, n_own, &body, ret_request);
    }
    if (!complete)
        problem_faults(ctx, faults);
    return complete;
}
