/*
 * plan_route.h - POST and GET /v1/plan.
 *
 * Purpose: a body or a query in, the plan out, as JSON (view=full, the default, or view=summary) or
 * as a report in text (ascii=1 keeps it to ASCII). Errors:  400 for a body that is not JSON, 422
 * with every fault of the request at once.
 */
#ifndef REGIME_PLAN_ROUTE_H
#define REGIME_PLAN_ROUTE_H

#include "routes.h"

void plan_handler(struct context *ctx);

#endif
