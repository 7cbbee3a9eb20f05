/*
 * app.h - whole requests without a socket.
 *
 * Purpose: app_handle() turns a request into a reply; http.c feeds it from libmicrohttpd, the tests
 *          and the fuzzers feed it directly.
 * Ownership: everything in a request and a reply lives in the request's arena or is static.
 * Errors:  every request gets a reply; nothing here answers 5xx for an input.
 * Threads: app_handle() may run on any number of threads; a struct request belongs to one.
 */
#ifndef REGIME_APP_H
#define REGIME_APP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "arena.h"
#include "auth.h"
#include "catalogue.h"
#include "compiler.h"

enum method { METHOD_GET, METHOD_HEAD, METHOD_POST, METHOD_OPTIONS, METHOD_OTHER };

struct argument {
    const char *name, *value; /* decoded; value "" where there was no '=' */
};

#define SEGMENTS_MAX 8
#define ARGUMENTS_MAX 256

struct request {
    enum method method;
    const char *raw_path;               /* as sent, without query, scheme and authority */
    const char *segments[SEGMENTS_MAX]; /* each decoded by itself: "%2F" stays inside its segment */
    int n_segments;
    const struct argument *arguments; /* the query, in order */
    int n_arguments;
    /* headers; NULL = absent */
    const char *content_type, *accept, *if_none_match, *origin, *authorization, *request_id;
    const char *host, *content_encoding, *accept_encoding, *if_match, *idempotency_key,
        *traceparent;
    const char *body; /* NUL-terminated at body[body_length]; NULL: none was announced */
    size_t body_length;
    void *sunk;          /* what the route's sink made of a body that is not kept (then ""); NULL */
    const char *peer;    /* address text, for logs and limits; "" when nobody asked for it */
    const char *refusal; /* why the HTTP layer refuses it, or NULL */
    int refusal_status;
    bool crowded; /* came over a connection beyond the limit */
    struct arena *arena;
};

#define REPLY_HEADERS_MAX 16

struct reply_header {
    const char *name, *value;
};

struct reply {
    int status;
    const char *route; /* the template of the path; NULL where none matches */
    const char *content_type;
    struct reply_header headers[REPLY_HEADERS_MAX];
    int n_headers;
    const char *body;
    size_t body_length;
    struct reply_stream *stream; /* in place of a body; whoever sends the reply ends it */
    bool close;                  /* the connection ends with this reply */
};

struct app;
struct auth;
struct backtest_keeper;
struct gap_links;
struct gaps;
struct kept_texts;
struct metrics;
struct openapi;
struct reply_stream;
struct store;

/* What may change while it serves. */
struct app_rules {
    struct auth_rules auth;  /* zeroes: reading is open, nothing is limited */
    const char *cors_origin; /* NULL: any; else as cors_new() reads it, and copied */
};

struct app_options {
    struct store *store; /* open store; borrowed */
    struct app_rules rules;
    const char *backup_folder; /* copied; NULL = none */
    long backups_kept;         /* 0 = all */
};

/* NULL when out of memory. Installs cJSON's memory hooks: call it before threads use cJSON. */
struct app *app_new(const struct app_options *options);
void app_free(struct app *app);

/* Other rules from now on; false, with the old ones, without memory. One thread at a time. */
MUST_USE bool app_set_rules(struct app *app, const struct app_rules *rules);

/*
 * Decides on the headers alone, for a body that is worth refusing before it is read. `announced` is
 * its length, BODY_UNKNOWN when it comes in chunks. Returns the longest body to accept, and 0 with
 * a complete reply in *ret_reply when the request is refused.
 */
#define BODY_UNKNOWN SIZE_MAX
size_t app_admit(struct app *app, const struct request *request, size_t announced,
                 struct reply *ret_reply);

struct body_sink;

/* What takes the body of an admitted request; NULL: it is kept. */
const struct body_sink *app_body_sink(struct app *app, const struct request *request);

/* Whether the request shows a token and would write to the store: that takes its time, it waits for
 * other writes and for the disk. */
bool app_writes(const struct request *request);

/* Answers one request. Never fails: what cannot be answered becomes a problem document. */
void app_handle(struct app *app, const struct request *request, struct reply *ret_reply);

/* Turns /readyz to 503; replies carry Connection: close from now on. */
void app_drain(struct app *app);

bool app_draining(const struct app *app);

/* What handlers reach through ctx->app. The gap counters and links may be NULL (no memory): then
 * nothing is counted. */
struct store *app_store(const struct app *app);
struct metrics *app_metrics(const struct app *app);
struct gaps *app_gaps(const struct app *app);
struct gap_links *app_gap_links(const struct app *app);
/* What was computed of claims; NULL when there was no memory for it. */
struct kept_texts *app_claims(const struct app *app);
/* Predicted against measured; NULL when there was no memory for it. */
struct backtest_keeper *app_backtest(const struct app *app);
struct auth *app_auth(const struct app *app);
/* Where backups go, and how many stay (0 = all); NULL = nowhere. */
const char *app_backup_folder(const struct app *app, long *ret_keep);
/* Takes one of the SWEEPS_MAX places for replies that use all cores; false when all are taken. */
bool app_sweep_begin(struct app *app);
void app_sweep_end(struct app *app);
/* NULL when there was no memory for it. */
const struct openapi *app_openapi(const struct app *app);

/* The value of a query argument, or NULL; the first one wins, routes refuse repeats by themselves.
 */
const char *request_argument(const struct request *request, const char *name);

/* Adds a header; asserts that there is room. */
void reply_header(struct reply *reply, const char *name, const char *value);

#endif
