/*
 * rate_limit.h - how often somebody may do something, in bounded memory.
 *
 * Purpose: a bucket per key that holds as much as its time allows and fills evenly. Who is
 *          forgotten first is who has used least of what is allowed.
 * Units:   seconds of a clock that never goes back.
 * Ownership: a limit owns its table; keys are not kept, only their keyed hash.
 * Threads: any.
 */
#ifndef REGIME_RATE_LIMIT_H
#define REGIME_RATE_LIMIT_H

#include <stddef.h>

struct rate_limit;

/* `count` of each key in `seconds`, at most that many at once; 0 = no limit. NULL without memory.
 */
struct rate_limit *rate_limit_new(double count, double seconds);
void rate_limit_free(struct rate_limit *limit);

/* Another limit from now on. */
void rate_limit_set(struct rate_limit *limit, double count, double seconds);

/* Takes one; 0, or the seconds until there is one again: then nothing is taken. */
double rate_limit_take(struct rate_limit *limit, const char *key, double now_s);

/* The key of an address: an IPv6 one without its last 64 bits, which a client chooses. */
#define ADDRESS_KEY_MAX 64
void rate_limit_address(const char *peer, char ret_key[ADDRESS_KEY_MAX]);

#endif
