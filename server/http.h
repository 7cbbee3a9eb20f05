/*
 * http.h - HTTP over libmicrohttpd; nothing else in the tree knows that library.
 *
 * Purpose: collect a request under its limits, let app.c answer it, send the reply.
 * Ownership: http_start() borrows the app and the listeners; their descriptors belong to the caller
 *          again after http_quiesce() or http_stop().
 * Threads: http_start(), http_quiesce() and http_stop() on one thread; requests run on the pool's.
 */
#ifndef REGIME_HTTP_H
#define REGIME_HTTP_H

#include <stdbool.h>

#include "app.h"
#include "listener.h"
#include "log.h"

#define HTTP_ERROR_MAX 300

struct tls_files;

struct http_options {
    struct app *app;
    const struct listener *listeners;
    int n_listeners;
    unsigned threads;                /* per listener */
    unsigned max_connections;        /* in all; requests on more are refused, many more wait */
    unsigned max_connections_per_ip; /* 0 = no limit */
    unsigned idle_timeout_s;         /* a connection without traffic */
    unsigned request_timeout_s;      /* from the request line to the last byte of the body */
    const struct tls_files *tls;     /* of what is no unix socket; read here alone; NULL = plain */
    bool wants_peers;                /* requests say where they come from */
    bool access_log;                 /* a line per request on stderr */
    enum log_format log_format;
};

/* Starts serving. NULL and a sentence on failure. */
struct http *http_start(const struct http_options *options, char ret_error[HTTP_ERROR_MAX]);

/* Accepts no more connections; those that are open are still served, and each ends with its next
 * reply. */
void http_quiesce(struct http *http);

/* How many are open. */
int http_connections(const struct http *http);

/* Ends every connection, whatever is under way; NULL is allowed. */
void http_stop(struct http *http);

#endif
