/*
 * post_route.h - what is added to the store over HTTP.
 *
 * Purpose: POST /v1/anchors, /v1/models, /v1/hardware, /v1/sources and /v1/disputes: checked by the
 *          readers of db/records, written whole or not at all, in the snapshot before the reply.
 * Errors:  422 with every fault and its JSON pointer; 409 for what is there already, 412 for
 *          another revision than If-Match names; 503 when the store cannot be written.
 * Threads: one write at a time; they run on a thread of their own (later.h).
 */
#ifndef REGIME_POST_ROUTE_H
#define REGIME_POST_ROUTE_H

#include "routes.h"

handler_fn post_anchor_handler, post_record_handler, post_dispute_handler;

#endif
