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

/* FNV-1a, 64 bits, by Fowler, Noll and Vo: the prime. Its start is random here. */
#define FNV_PRIME UINT64_C(1099511628211)

struct bucket {
    uint64_t hash; /* 0 = free */
    double held, at_s;
};

struct rate_limit {
    double most, per_second; /* 0 = no limit */
    uint64_t seed;
    pthread_mutex_t lock; /* guards all but the seed */
    struct bucket buckets[SETS][WAYS];
};

struct rate_limit *rate_limit_new(double count, double seconds)
{
    struct rate_limit *limit = calloc(1, sizeof(*limit));

    if (!limit)
        return NULL;
    if (gnutls_rnd(GNUTLS_RND_NONCE, &limit->seed, sizeof(limit->seed)) < 0 ||
        pthread_mutex_init(&limit->lock, NULL) != 0) {
        free(limit);
        return NULL;
    }
    rate_limit_set(limit, count, seconds);
    return limit;
}

void rate_limit_set(struct rate_limit *limit, double count, double seconds)
{
    pthread_mutex_lock(&limit->lock);
    limit->most = count > 0 ? fmax(count, 1) : 0;
    limit->per_second = count / seconds;
    pthread_mutex_unlock(&limit->lock);
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

/* Takes one of a bucket; the seconds until there is one. The lock is held. */
static double take_of(struct rate_limit *limit, uint64_t hash, double now_s)
{
    struct bucket *bucket = bucket_of(limit, hash, now_s);

    bucket->held = held_at(limit, bucket, now_s);
    bucket->at_s = now_s;
    if (bucket->held < 1)
        return (1 - bucket->held) / limit->per_second;
    bucket->held -= 1;
    return 0;
}

double rate_limit_take(struct rate_limit *limit, const char *key, double now_s)
{
    uint64_t hash = hash_of(limit, key);

    pthread_mutex_lock(&limit->lock);
    double wait_s = limit->most > 0 ? take_of(limit, hash, now_s) : 0;
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
