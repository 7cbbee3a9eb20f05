/*
 * compare_route.h - POST /v1/compare: what runs now against what shall run.
 */
#ifndef REGIME_COMPARE_ROUTE_H
#define REGIME_COMPARE_ROUTE_H

#include "routes.h"

void compare_handler(struct context *ctx);

#endif
