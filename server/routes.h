/*
 * routes.h - the table of routes.
 *
 * Purpose: one row per endpoint; 405 and Allow, HEAD, OPTIONS, body limits, the metrics label, the
 *          OpenAPI document and the index all walk it.
 */
#ifndef REGIME_ROUTES_H
#define REGIME_ROUTES_H

#include "app.h"

/* What a handler may reach. */
struct route;
struct token;

struct context {
    struct app *app;
    const struct catalogue *catalogue; /* the snapshot of this request */
    const struct request *request;
    struct reply *reply;
    const char *id;             /* the {id} segment of the path, decoded; NULL */
    const char *format;         /* negotiated: one of the route's media types */
    const struct token *caller; /* who showed a token that was asked for; NULL */
    const struct route *route;  /* the row that matched; NULL = none did */
};

typedef void handler_fn(struct context *ctx);

/* Takes a long body piece by piece, so that it is never held as a whole. Short ones come whole. */
struct body_sink {
    void *(*open)(struct arena *arena); /* NULL when out of memory */
    void (*feed)(void *state, const char *piece, size_t size);
};

struct route {
    const char *path;              /* "/v1/models/{id}" */
    unsigned methods;              /* bits 1u << METHOD_x; GET implies HEAD */
    size_t body_max_bytes;         /* 0 = no body */
    const char *const *body_types; /* media types of a body; NULL ends; NULL = JSON only */
    const struct body_sink *sink;  /* NULL: bodies are kept */
    bool takes_gzip;               /* a body may have Content-Encoding: gzip; the handler unpacks */
    const char *const *media_types; /* replies it can give, best first; NULL ends */
    bool cacheable;                 /* carries ETag and honours If-None-Match */
    bool open;                      /* needs no token where reading does */
    unsigned write_scope;           /* enum token_scope that POST needs; 0: POST is a question */
    handler_fn *handler;
    handler_fn *writer; /* of POST where the path is read too; NULL: `handler` */
    const char *summary;
    bool page; /* for browsers alone: no part of the API that documents describe */
};

extern const struct route ROUTES[];
extern const size_t N_ROUTES;

#endif
