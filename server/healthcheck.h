/*
 * healthcheck.h - asks a running daemon whether it is well, for containers without a shell.
 */
#ifndef REGIME_HEALTHCHECK_H
#define REGIME_HEALTHCHECK_H

#include <stdbool.h>

#include "listener.h"

/*
 * GET of `target`: "HOST:PORT", "unix:PATH" or a URL "http://HOST:PORT/path" (default path
 * /healthz). True when the status is 200 within 5 seconds; else a sentence in ret_error.
 */
MUST_USE bool healthcheck(const char *target, char ret_error[LISTENER_ERROR_MAX]);

#endif
