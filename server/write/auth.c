#include "auth.h"

#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>

#include "problem.h"
#include "rate_limit.h"
#include "routes.h"
#include "tokens.h"

#define KEY_MAX 96
#define NS_PER_S 1e9

#define SECONDS_PER_MINUTE 60.0

struct auth {
    atomic_bool read_closed;
    atomic_bool counts_requests; /* what is not limited costs nothing */
    struct rate_limit *writes, *failures, *requests;
};

struct auth *auth_new(const struct auth_rules *rules)
{
    struct auth *auth = calloc(1, sizeof(*auth));

    if (!auth)
        return NULL;
    auth->writes = rate_limit_new(0, SECONDS_PER_MINUTE);
    auth->failures = rate_limit_new(0, SECONDS_PER_MINUTE);
    auth->requests = rate_limit_new(0, 1);
    if (!auth->writes || !auth->failures || !auth->requests) {
        auth_free(auth);
        return NULL;
    }
    auth_set(auth, rules);
    return auth;
}

void auth_set(struct auth *auth, const struct auth_rules *rules)
{
    atomic_store(&auth->read_closed, rules->read_closed);
    atomic_store(&auth->counts_requests, rules->requests_per_second > 0);
    rate_limit_set(auth->writes, rules->writes_per_minute, SECONDS_PER_MINUTE);
    rate_limit_set(auth->failures, rules->failures_per_minute, SECONDS_PER_MINUTE);
    rate_limit_set(auth->requests, rules->requests_per_second, 1);
}

void auth_free(struct auth *auth)
{
    if (!auth)
        return;
    rate_limit_free(auth->writes);
    rate_limit_free(auth->failures);
    rate_limit_free(auth->requests);
    free(auth);
}

static double now_s(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / NS_PER_S;
}

/* 0 when it may go on, else the seconds to wait. */
static double take(struct rate_limit *limit, char kind, const char *who)
{
    char key[KEY_MAX];

    snprintf(key, sizeof(key), "%c:%s", kind, who);
    return rate_limit_take(limit, key, now_s());
}

static double take_address(struct rate_limit *limit, const struct request *request)
{
    char address[ADDRESS_KEY_MAX];

    rate_limit_address(request->peer, address);
    return take(limit, 'a', address);
}

/* The scope that the request needs; 0 = none. */
static unsigned needed_scope(const struct context *ctx, struct auth *auth)
{
    if (ctx->request->method == METHOD_POST && ctx->route->write_scope)
        return ctx->route->write_scope;
    return atomic_load(&auth->read_closed) && !ctx->route->open ? TOKEN_READ : 0;
}

/* The token of "Bearer TOKEN", NULL for anything else. */
static const char *bearer_of(const char *authorization)
{
    static const char SCHEME[] = "Bearer ";
    size_t length = sizeof(SCHEME) - 1;

    if (strncasecmp(authorization, SCHEME, length) != 0)
        return NULL;
    return authorization + length + strspn(authorization + length, " ");
}

static void refuse_unknown(struct context *ctx, const char *header, const char *detail)
{
    reply_header(ctx->reply, "WWW-Authenticate", header);
    problem_status(ctx, 401, detail);
}

/* A token that is none: counted against the address that showed it. */
static void refuse_token(struct context *ctx, enum token_verdict verdict)
{
    static const char HEADER[] = "Bearer realm=\"regime\", error=\"invalid_token\"";
    const char *detail = "no such token is in use here";
    double wait_s = take_address(app_auth(ctx->app)->failures, ctx->request);

    if (wait_s > 0) {
        problem_later(ctx, 429, "too many tokens from this address that are none", wait_s);
        return;
    }
    if (verdict == TOKEN_EXPIRED)
        detail = "the token has expired: ask for a new one";
    if (verdict == TOKEN_REVOKED)
        detail = "the token was revoked";
    refuse_unknown(ctx, HEADER, detail);
}

static void refuse_scope(struct context *ctx, unsigned scope)
{
    char words[TOKEN_SCOPES_MAX];

    token_scopes_text(scope, words);
    const char *header =
        arena_printf(ctx->request->arena,
                     "Bearer realm=\"regime\", error=\"insufficient_scope\", scope=\"%s\"", words);
    const char *detail =
        arena_printf(ctx->request->arena, "the token lacks the scope \"%s\"", words);
    if (header)
        reply_header(ctx->reply, "WWW-Authenticate", header);
    problem_status(ctx, 403, detail ? detail : "the token lacks a scope");
}

/* Without a file there is no token that could be right. */
static bool refuse_embedded(struct context *ctx)
{
    if (store_path(app_store(ctx->app)))
        return false;
    problem_status(ctx, 409,
                   "this daemon serves its embedded records, which are read-only: start it with "
                   "--db FILE and make a token with \"regimed token add NAME --scope contribute "
                   "--db FILE\"");
    return true;
}

/* No token can be looked up: what became of the file, where that is known. */
static void refuse_unreadable(struct context *ctx)
{
    const char *trouble = store_trouble(app_store(ctx->app));
    const char *detail =
        trouble ? arena_printf(ctx->request->arena, "%s: put it back or start again", trouble)
                : NULL;

    problem_status(ctx, 503, detail ? detail : "the store cannot be read at the moment; try again");
}

static bool caller_find(struct context *ctx, const char *text, struct token *ret_token)
{
    enum token_verdict verdict = token_check(app_store(ctx->app), text, ret_token);

    if (verdict == TOKEN_UNREADABLE)
        refuse_unreadable(ctx);
    else if (verdict != TOKEN_GOOD)
        refuse_token(ctx, verdict);
    return verdict == TOKEN_GOOD;
}

bool auth_admit(struct context *ctx)
{
    static const char HEADER[] = "Bearer realm=\"regime\"";
    const char *authorization = ctx->request->authorization;
    unsigned scope = needed_scope(ctx, app_auth(ctx->app));

    if (!scope)
        return true;
    if (refuse_embedded(ctx))
        return false;
    const char *text = authorization ? bearer_of(authorization) : NULL;
    if (!text) {
        refuse_unknown(ctx, HEADER,
                       "this takes a token: Authorization: Bearer TOKEN (regimed token add makes "
                       "one)");
        return false;
    }
    struct token *caller = arena_alloc(ctx->request->arena, sizeof(*caller));
    if (!caller) {
        problem_status(ctx, 413, "the request needs more memory than one may use");
        return false;
    }
    if (!caller_find(ctx, text, caller))
        return false;
    if (!(caller->scopes & (scope | TOKEN_ADMIN))) {
        refuse_scope(ctx, scope);
        return false;
    }
    ctx->caller = caller;
    return true;
}

static bool pace(struct context *ctx, double wait_s, const char *what)
{
    if (wait_s > 0)
        problem_later(ctx, 429, what, wait_s);
    return wait_s <= 0;
}

bool auth_pace(struct context *ctx)
{
    struct auth *auth = app_auth(ctx->app);

    if (atomic_load_explicit(&auth->counts_requests, memory_order_relaxed) && !ctx->route->open &&
        !pace(ctx, take_address(auth->requests, ctx->request),
              "too many requests from this address: wait for what Retry-After says"))
        return false;
    if (ctx->request->method != METHOD_POST || !ctx->route->write_scope)
        return true;
    return pace(
        ctx,
        fmax(take(auth->writes, 't', ctx->caller->id), take_address(auth->writes, ctx->request)),
        "too many writes: wait for what Retry-After says");
}
