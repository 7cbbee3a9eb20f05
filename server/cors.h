/*
 * cors.h - which pages of other origins browsers let read replies (the Fetch standard's CORS).
 *
 * Ownership: a list owns its texts; lists that were replaced stay as long as the newest one, so
 *            that a reader needs no lock.
 * Threads: one list never changes.
 */
#ifndef REGIME_CORS_H
#define REGIME_CORS_H

#include <stdbool.h>

struct cors;

/* Of "*", "none", or origins with commas or blanks between; `replaced` may be NULL and then belongs
 * to the new list. NULL without memory; then `replaced` stays the caller's. */
struct cors *cors_new(const char *origins, struct cors *replaced);
void cors_free(struct cors *cors);

/* The value of Access-Control-Allow-Origin for a page of that origin (NULL: none is named); NULL
 * when it may not read. */
const char *cors_allowed(const struct cors *cors, const char *origin);

/* Whether the answer depends on the origin. */
bool cors_varies(const struct cors *cors);

#endif
