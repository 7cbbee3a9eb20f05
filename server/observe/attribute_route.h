/*
 * attribute_route.h - POST /v1/attribute: where the time of a measured profile went.
 *
 * Purpose: the profile is the body, plain or gzip, of any length up to PROFILE_BODY_MAX_BYTES: it
 * is read as it arrives and never kept. What it was of stands in the query. Errors:  422 for a body
 * in none of the formats, and with every fault of the query. A profile that is read and cannot tell
 * is a 200 with `refused`.
 */
#ifndef REGIME_ATTRIBUTE_ROUTE_H
#define REGIME_ATTRIBUTE_ROUTE_H

#include "routes.h"

extern const struct body_sink PROFILE_SINK;

handler_fn attribute_handler;

/* POST /v1/attributions: the same, kept as an anchor of kind attribution. What is refused, or of
 * conditions that are not known, is not kept; the reply is that of POST /v1/anchors. */
handler_fn attribute_keep_handler;

#endif
