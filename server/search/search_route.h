/*
 * search_route.h - POST /v1/search: from models, load and objectives to the best deployments.
 */
#ifndef REGIME_SEARCH_ROUTE_H
#define REGIME_SEARCH_ROUTE_H

#include "routes.h"

void search_handler(struct context *ctx);

#endif
