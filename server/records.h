/*
 * records.h - the read endpoints of the records.
 *
 * Purpose: GET /v1/<kind> lists, GET /v1/<kind>/{id} shows one record with its provenance, disputes
 * and revision. The kind is the second segment of the route's path; a kind is a row of KINDS in
 *          records_kinds.c.
 * Errors:  404 with the nearest name, 422 for an ambiguous alias or a wrong argument, 503 when the
 *          store cannot be read.
 */
#ifndef REGIME_RECORDS_H
#define REGIME_RECORDS_H

#include "routes.h"

/* ?limit= &cursor= &q= &format=json|csv and the filters of the kind. */
handler_fn records_list_handler;

/* An id or any alias. */
handler_fn records_item_handler;

/* Writes one record of a kind as its endpoint shows it; false when the store cannot be read. */
struct json_out;
struct record_kind;
bool record_write(struct context *ctx, struct json_out *out, const struct record_kind *kind,
                  const char *of, const char *id);

#endif
