#include "problem.h"

#include <math.h>
#include <string.h>

#include "json_out.h"
#include "request_limits.h"

#define PROBLEM_MAX_BYTES (256 * KIB)
#define RETRY_AFTER "Retry-After"

/* RFC 9110 section 15, RFC 6585. */
static const struct title {
    int status;
    const char *text;
} TITLES[] = {
    {200, "OK"},
    {201, "Created"},
    {204, "No Content"},
    {304, "Not Modified"},
    {400, "Bad Request"},
    {401, "Unauthorized"},
    {403, "Forbidden"},
    {404, "Not Found"},
    {405, "Method Not Allowed"},
    {406, "Not Acceptable"},
    {409, "Conflict"},
    {411, "Length Required"},
    {412, "Precondition Failed"},
    {413, "Content Too Large"},
    {414, "URI Too Long"},
    {415, "Unsupported Media Type"},
    {417, "Expectation Failed"},
    {422, "Unprocessable Content"},
    {429, "Too Many Requests"},
    {501, "Not Implemented"},
    {503, "Service Unavailable"},
};

/* What a client gets when not even the document fits the request's memory. */
static const char SMALLEST[] =
    "{\"type\":\"about:blank\",\"title\":\"Content Too Large\",\"status\":413,"
    "\"detail\":\"the request needs more memory than one may use\"}\n";

const char *status_title(int status)
{
    for (size_t i = 0; i < ARRAY_LEN(TITLES); i++)
        if (TITLES[i].status == status)
            return TITLES[i].text;
    return "Error";
}

static void write_errors(struct json_out *out, const struct faults *faults)
{
    json_key(out, "errors");
    json_begin_array(out);
    for (int i = 0; i < faults->n; i++) {
        const struct fault *fault = &faults->items[i];
        json_begin_object(out);
        json_put_text(out, "pointer", fault->pointer);
        json_put_text(out, "detail", fault->detail);
        if (fault->suggestion)
            json_put_text(out, "suggestion", fault->suggestion);
        json_end_object(out);
    }
    json_end_array(out);
    if (faults->dropped)
        json_put_number(out, "errors_not_shown", faults->dropped);
}

static void reply_smallest(struct reply *reply)
{
    reply->status = 413;
    reply->body = SMALLEST;
    reply->body_length = sizeof(SMALLEST) - 1;
}

static bool has_retry_after(const struct reply *reply)
{
    for (int i = 0; i < reply->n_headers; i++)
        if (strcmp(reply->headers[i].name, RETRY_AFTER) == 0)
            return true;
    return false;
}

void problem_reply(struct context *ctx, int status, const char *detail, const struct faults *faults)
{
    struct reply *reply = ctx->reply;
    struct json_out out;

    reply->content_type = PROBLEM_MEDIA_TYPE;
    if ((status == 429 || status == 503) && !has_retry_after(reply))
        reply_header(reply, RETRY_AFTER, RETRY_AFTER_S);

    json_out_init(&out, ctx->request->arena, 1024, PROBLEM_MAX_BYTES);
    json_begin_object(&out);
    json_put_text(&out, "type", "about:blank");
    json_put_text(&out, "title", status_title(status));
    json_put_number(&out, "status", status);
    json_put_text(&out, "detail", detail);
    if (faults && faults->n)
        write_errors(&out, faults);
    json_end_object(&out);
    out_text(&out, "\n");
    if (!json_out_ok(&out)) {
        reply_smallest(reply);
        return;
    }
    reply->status = status;
    reply->body = out.text;
    reply->body_length = out.length;
}

void problem_status(struct context *ctx, int status, const char *detail)
{
    problem_reply(ctx, status, detail, NULL);
}

void problem_later(struct context *ctx, int status, const char *detail, double wait_s)
{
    const char *seconds = arena_printf(ctx->request->arena, "%.0f", ceil(wait_s));

    if (seconds)
        reply_header(ctx->reply, RETRY_AFTER, seconds);
    problem_reply(ctx, status, detail, NULL);
}

void problem_faults(struct context *ctx, const struct faults *faults)
{
    int n = faults->n + faults->dropped;
    const char *detail = "the request has a fault";

    if (n > 1)
        detail = arena_printf(ctx->request->arena, "the request has %d faults", n);
    problem_reply(ctx, 422, detail, faults);
}

void problem_not_found(struct context *ctx, const char *what, const char *nearest)
{
    struct faults faults;
    const char *hint = "";

    faults_init(&faults, ctx->request->arena);
    if (nearest) {
        hint = arena_printf(ctx->request->arena, "; the nearest is %s", nearest);
        fault_add(&faults, "", nearest, "there is no %s", what);
    }
    const char *detail =
        arena_printf(ctx->request->arena, "there is no %s%s", what, hint ? hint : "");
    problem_reply(ctx, 404, detail, &faults);
}
