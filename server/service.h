/*
 * service.h - the daemon's life: store, sockets, signals, other settings while it serves, and the
 * way down.
 *
 * Purpose: SIGTERM and SIGINT end it after what is under way; SIGHUP, or another certificate, lets
 *          a new generation of connections begin under the new settings on the same sockets, while
 *          those of the old one end with their next reply.
 * Errors:  one sentence on stderr each.
 */
#ifndef REGIME_SERVICE_H
#define REGIME_SERVICE_H

#include "config.h"

/* Where the settings came from: they are read again. */
struct service_sources {
    int argc;
    const char *const *argv, *const *environment;
    long begin_ms; /* of the process, by service_now_ms() */
};

/* Milliseconds of the clock that nobody sets. */
long service_now_ms(void);

/* Serves until a signal ends it; takes the settings. The exit status. */
int service_run(struct config *config, const struct service_sources *sources);

#endif
