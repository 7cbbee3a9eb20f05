/*
 * openapi.h - the API's description of itself: GET /openapi.json (OpenAPI 3.1).
 *
 * Purpose: written once per app from the tables of routes, request fields, filters and reply
 *          shapes; every request gets the same bytes.
 * Ownership: the document belongs to the app.
 * Errors:  without memory there is none, and the route answers 503.
 * Threads: constant once made.
 */
#ifndef REGIME_OPENAPI_H
#define REGIME_OPENAPI_H

#include "routes.h"

struct openapi;

/* Writes the document; examples come from the store's records. NULL when out of memory. */
struct openapi *openapi_new(struct store *store);
void openapi_free(struct openapi *openapi);

/* The document's bytes. */
const char *openapi_text(const struct openapi *openapi, size_t *ret_length);

handler_fn openapi_handler;

#endif
