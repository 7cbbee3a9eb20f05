/*
 * health.h - what operators and their machines ask: is it alive, is it ready, what is it, how busy.
 */
#ifndef REGIME_HEALTH_H
#define REGIME_HEALTH_H

#include "routes.h"

handler_fn healthz_handler; /* GET /healthz: the process answers */
handler_fn readyz_handler;  /* GET /readyz: 503 while draining and without its file */
handler_fn version_handler; /* GET /version */
handler_fn metrics_handler; /* GET /metrics */

#endif
