/*
 * http_load.h - a small HTTP load generator: keep-alive connections, one request at a time on each.
 *
 * Ownership: load_open() takes sockets, load_close() gives them back.
 * Errors:  a reply other than 200, a lost connection or a malformed reply ends the run with false.
 */
#ifndef REGIME_HTTP_LOAD_H
#define REGIME_HTTP_LOAD_H

#include <stdbool.h>
#include <stddef.h>

#include "questions.h"

#define LOAD_CONNECTIONS 16
#define LOAD_REPLY_MAX (256 * 1024)

struct connection {
    int fd;
    size_t received;
    double due_ns; /* when its question was to be sent */
    char reply[LOAD_REPLY_MAX];
};

struct load {
    int epoll;
    unsigned n;         /* open connections */
    unsigned asked;     /* number of the next question: none is asked twice */
    size_t reply_bytes; /* of the last reply, headers included */
    double *latency_ns; /* the caller's, of paced runs */
    struct connection connections[LOAD_CONNECTIONS];
};

/* Connects to a port of this machine; leaves nothing open on failure. */
bool load_open(struct load *load, int port);
void load_close(struct load *load);

/* Sends n requests for `path` and waits for all replies; posts the next questions when `post`. */
bool load_run(struct load *load, const char *path, bool post, unsigned n);

/*
 * Sends n requests, each when it is due at `per_s` a second whether the others are answered or not
 * (with all connections busy it waits for one), and waits for all replies; load->latency_ns[i]
 * is from when a request was due to the end of its reply, in the order of the replies.
 */
bool load_run_paced(struct load *load, const char *path, bool post, unsigned n, double per_s);

#endif
