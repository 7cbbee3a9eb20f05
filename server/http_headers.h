/*
 * http_headers.h - the headers of a request: which are read, which ones no request may carry.
 *
 * Purpose: refuse what servers and proxies read differently (request smuggling): names that are no
 *          tokens, a repeated Content-Length, Host or Transfer-Encoding, both ways of framing a
 *          body at once, transfer codings other than chunked.
 */
#ifndef REGIME_HTTP_HEADERS_H
#define REGIME_HTTP_HEADERS_H

#include "app.h"

/* What a request's headers say about its framing. */
struct header_state {
    struct request *request;
    const char *content_length, *transfer_encoding, *expect;
};

/* Takes one header: known ones into the request, faults into its refusal. Texts are borrowed. */
void header_take(struct header_state *state, const char *name, size_t name_length,
                 const char *value);

/* How the body arrives, once every header was taken. */
enum framing { FRAMING_NONE, FRAMING_LENGTH, FRAMING_CHUNKED };

/*
 * The framing and, with FRAMING_LENGTH, the length (at most BODY_UNKNOWN - 1). Refuses
 * contradictions (400), codings that are not chunked (501) and expectations that are not
 * 100-continue (417).
 */
enum framing header_framing(struct header_state *state, size_t *ret_length);

#endif
