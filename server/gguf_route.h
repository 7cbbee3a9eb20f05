/*
 * gguf_route.h - POST /v1/models/gguf: the first bytes of a GGUF file as a model for a plan.
 *
 * Purpose: the header is read while it arrives; the reply has sums by tensor type and role, and
 *          under "model" the object that /v1/plan takes.
 * Ownership: the reader lies in the request's arena.
 * Errors:  a problem document with what is wrong; for a header that is cut off, how many bytes it
 *          needs.
 */
#ifndef REGIME_GGUF_ROUTE_H
#define REGIME_GGUF_ROUTE_H

#include "routes.h"

void gguf_handler(struct context *ctx);

extern const struct body_sink GGUF_SINK;

#endif
