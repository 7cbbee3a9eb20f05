/*
 * diagnose_route.h - POST /v1/diagnose: symptoms to a cause; GET /v1/causes: the table of causes.
 */
#ifndef REGIME_DIAGNOSE_ROUTE_H
#define REGIME_DIAGNOSE_ROUTE_H

#include "routes.h"

void diagnose_handler(struct context *ctx);
void causes_handler(struct context *ctx);

#endif
