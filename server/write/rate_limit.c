#include "rate_limit.h"

#include <arpa/inet.h>
#include <math.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <gnutls/crypto.h>

#define SETS 512u /* a power of 2 */
#define WAYS 8u
#define SECONDS_PER_MINUTE 60.0

/* FNV-1a, 64 bits, by Fowler, Noll and Vo: the prime. Its start is random here. */
#define FNV_PRIME UINT64_C(1099511628211)

struct bucket {
    uint64_t hash; /* 0 = free */
    double held, at_s;
};

struct rate_limit {
    double most, per_second;
    uint64_t seed;
    pthread_mutex_t lock; /* guards the buckets */
    struct bucket buckets[SETS][WAYS];
};

struct rate_limit *rate_limit_new(double per_minute)
{
    struct rate_limit *limit = per_minute > 0 ? calloc(1, sizeof(*limit)) : NULL;

    if (!limit)
        return NULL;
    limit->most = fmax(per_minute, 1);
    limit->per_second = per_minute / SECONDS_PER_MINUTE;
    if (gnutls_rnd(GNUTLS_RND_NONCE, &limit->seed, sizeof(limit->seed)) < 0 ||
        pthread_mutex_init(&limit->lock, NULL) != 0) {
        free(limit);
        return NULL;
    }
    return limit;
}

void rate_limit_free(struct rate_limit *limit)
{
    if (!limit)
        return;
    pthread_mutex_destroy(&limit->lock);
    free(limit);
}

static uint64_t hash_of(const struct rate_limit *limit, const char *key)
{
    uint64_t hash = limit->seed;

    for (; *key; key++)
        hash = (hash ^ (unsigned char)*key) * FNV_PRIME;
    hash ^= hash >> 32;
    return hash ? hash : 1;
}

/* What a bucket holds by now. */
static double held_at(const struct rate_limit *limit, const struct bucket *bucket, double now_s)
{
    return fmin(limit->most, bucket->held + (now_s - bucket->at_s) * limit->per_second);
}

/* The bucket of a hash; a new one takes the place of the fullest. */
static struct bucket *bucket_of(struct rate_limit *limit, uint64_t hash, double now_s)
{
    struct bucket *set = limit->buckets[hash & (SETS - 1)];
    struct bucket *fullest = &set[0];

    for (unsigned i = 0; i < WAYS; i++) {
        if (set[i].hash == hash)
            return &set[i];
        if (!set[i].hash ||
            (fullest->hash && held_at(limit, &set[i], now_s) > held_at(limit, fullest, now_s)))
            fullest = &set[i];
    }
    *fullest = (struct bucket){.hash = hash, .held = limit->most, .at_s = now_s};
    return fullest;
}

double rate_limit_take(struct rate_limit *limit, const char *key, double now_s)
{
    double wait_s = 0;

    if (!limit)
        return 0;
    uint64_t hash = hash_of(limit, key);
    pthread_mutex_lock(&limit->lock);
    struct bucket *bucket = bucket_of(limit, hash, now_s);
    bucket->held = held_at(limit, bucket, now_s);
    bucket->at_s = now_s;
    if (bucket->held >= 1)
        bucket->held -= 1;
    else
        wait_s = (1 - bucket->held) / limit->per_second;
    pthread_mutex_unlock(&limit->lock);
    return wait_s;
}

void rate_limit_address(const char *peer, char ret_key[ADDRESS_KEY_MAX])
{
    struct in6_addr address;

    if (!strchr(peer, ':') || inet_pton(AF_INET6, peer, &address) != 1) {
        snprintf(ret_key, ADDRESS_KEY_MAX, "%s", peer);
        return;
    }
    memset(address.s6_addr + 8, 0, 8);
    if (!inet_ntop(AF_INET6, &address, ret_key, ADDRESS_KEY_MAX))
        ret_key[0] = '\0';
}
