/*
 * listener.h - the sockets the daemon listens on.
 *
 * Ownership: whoever opened a listener closes it; closing removes a unix socket's file.
 * Errors:  one sentence, which names the address and what to do.
 */
#ifndef REGIME_LISTENER_H
#define REGIME_LISTENER_H

#include <stdbool.h>
#include <stddef.h>

#include "compiler.h"

#define LISTENER_TEXT_MAX 160
#define LISTENER_ERROR_MAX 400

struct listener {
    int fd;       /* non-blocking, closed on exec; -1 = none */
    bool local;   /* a unix socket */
    bool adopted; /* somebody else's too */
    char
        shown[LISTENER_TEXT_MAX]; /* "http://127.0.0.1:8080" with the port chosen, or "unix:PATH" */
    char path[LISTENER_TEXT_MAX]; /* of a unix socket that was opened here, else "" */
};

/*
 * Whether a text is such an address at all: of that form and, for a socket's path, of a length that
 * fits and free of files that are no sockets. Opens nothing.
 */
MUST_USE bool listener_check(const char *address, char ret_error[LISTENER_ERROR_MAX]);

/*
 * Opens "HOST:PORT", "[IPV6]:PORT", ":PORT" (every address) or "unix:PATH"; port 0 takes a free
 * one. A socket file that nobody listens on is replaced.
 */
MUST_USE bool listener_open(const char *address, struct listener *ret_listener,
                            char ret_error[LISTENER_ERROR_MAX]);
void listener_close(struct listener *listener);

/* Refuses whoever comes from now on, and removes a unix socket's file; the descriptor stays, for
 * threads that still know it. One that was adopted is left to its others. */
void listener_refuse(struct listener *listener);

/* Takes a socket that somebody opened and listens on; closing it leaves its file, if it has one. */
MUST_USE bool listener_adopt(int fd, struct listener *ret_listener,
                             char ret_error[LISTENER_ERROR_MAX]);

/*
 * A blocking connection to such an address, for the health check; -1 and a sentence on failure.
 * Every read and write of it gives up after timeout_s seconds.
 */
MUST_USE int listener_connect(const char *address, int timeout_s,
                              char ret_error[LISTENER_ERROR_MAX]);

#endif
