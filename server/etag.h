/*
 * etag.h - strong validators (RFC 9110 section 8.8.3) and If-None-Match.
 */
#ifndef REGIME_ETAG_H
#define REGIME_ETAG_H

#include <stdbool.h>

#include "routes.h"

#define ETAG_MAX 24

/*
 * The tag of a reply: a hash of the catalogue's revision, the program's version and that of its
 * pages, the media type and the request's own target. Equal tags mean equal bytes.
 */
void etag_make(const struct context *ctx, char ret_tag[ETAG_MAX]);

/* Whether an If-None-Match list names the tag; W/ is ignored (weak comparison). Not for "*". */
bool etag_listed(const char *if_none_match, const char *tag);

/* Whether an If-None-Match is "*": any reply there is. */
bool etag_is_any(const char *if_none_match);

#endif
