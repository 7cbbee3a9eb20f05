/*
 * auth.h - whether a request may: tokens, scopes, and how often.
 *
 * Purpose: Authorization: Bearer (RFC 6750) against the store's tokens; a limit per token and per
 *          address on writes, one per address on requests and on tokens that are none.
 * Errors:  401, 403, 429 and 503 as problem documents, without a word of the token itself.
 * Threads: any.
 */
#ifndef REGIME_AUTH_H
#define REGIME_AUTH_H

#include <stdbool.h>

struct auth;
struct context;

/* What is asked of a caller; zeroes: reading is open, nothing is limited. */
struct auth_rules {
    bool read_closed; /* reading takes a token too, but of routes that are `open` */
    double writes_per_minute, failures_per_minute; /* 0 = no limit */
    double requests_per_second;                    /* of one address; 0 = no limit */
};

/* NULL when out of memory. */
struct auth *auth_new(const struct auth_rules *rules);
void auth_free(struct auth *auth);

/* Other rules from now on. */
void auth_set(struct auth *auth, const struct auth_rules *rules);

/* Whether the caller may use the route; false when the refusal is written. A caller that showed a
 * token is ctx->caller from then on. */
bool auth_admit(struct context *ctx);

/* Counts a request, and a write, against its limits; false when the refusal is written. */
bool auth_pace(struct context *ctx);

#endif
