/*
 * index.h - the API's own table of contents: GET /v1.
 */
#ifndef REGIME_INDEX_H
#define REGIME_INDEX_H

#include "routes.h"

handler_fn index_handler;

/* The methods of a row as an Allow header lists them, "GET, HEAD, POST, OPTIONS"; static. */
const char *route_allow(const struct route *route);

#endif
