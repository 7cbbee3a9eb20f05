/*
 * search.h - the best of many deployments: ranking, the Pareto front, what stands in the way.
 *
 * Purpose: candidates come one by one, in any order and on any thread; what is kept of them does
 *          not depend on that order. A pool keeps the best by an objective, a front those that no
 *          other exceeds in both speed per user and output per device, a tally what the others
 *          fail by.
 * Units:   tokens and requests per second, milliseconds, US dollars, in the names.
 * Ownership: plain data of a fixed size; whoever uses it provides the memory.
 * Threads: a pool, front or tally belongs to one thread; merge() joins those of several.
 */
#ifndef REGIME_SEARCH_H
#define REGIME_SEARCH_H

#include <stdbool.h>

#include "plan.h"

/* What a deployment can fail by; the names are those of replies. Append only. */
#define SEARCH_LIMIT_LIST(X)                                                                       \
    X(LIMIT_MEMORY, "memory")                                                                      \
    X(LIMIT_LENGTH, "max_model_len")                                                               \
    X(LIMIT_TTFT, "ttft_ms")                                                                       \
    X(LIMIT_TPOT, "tpot_ms")                                                                       \
    X(LIMIT_OUTPUT, "output_tok_s")                                                                \
    X(LIMIT_RATE, "request_rate")

#define X(ID, NAME) ID,

enum search_limit { SEARCH_LIMIT_LIST(X) LIMIT_COUNT };

#undef X

#define SEARCH_OBJECTIVE_LIST(X)                                                                   \
    X(OBJECTIVE_COST, "cost")                                                                      \
    X(OBJECTIVE_THROUGHPUT, "throughput")                                                          \
    X(OBJECTIVE_LATENCY, "latency")                                                                \
    X(OBJECTIVE_DEVICES, "devices")

#define X(ID, NAME) ID,

enum search_objective { SEARCH_OBJECTIVE_LIST(X) OBJECTIVE_COUNT };

#undef X

#define SEARCH_KEYS 4

/* One candidate: what decides about it. */
struct search_point {
    long index;  /* whose it is; the last tie-breaker */
    long kind;   /* candidates of different kinds are never alike */
    int changes; /* leaves that are not at their default */
    long equals; /* candidates that this one stands for, itself included */
    double devices;
    double usd_per_hour, usd_per_million_output_tokens; /* NAN = no price */
    double ttft_ms, tpot_ms, e2e_ms;
    double output_tok_s, per_user_tok_s, per_device_tok_s;
    double over[LIMIT_COUNT]; /* by what share a limit is exceeded; 0 = it is kept */
    double key[SEARCH_KEYS];  /* what it is ranked by, smaller is better */
};

/* Devices of a whole deployment: every replica's, and those that only prefill. */
double search_devices(const struct deployment *dep);

/*
 * Measures a plan, of which any depth will do: figures, cost at that many dollars per device and
 * hour (NAN = no price), limits by the expected figures, ranking keys of the objective. Index,
 * kind and changes are the caller's (0), equals is 1. False where nothing was measured that times
 * could be predicted from, so that there is nothing to rank.
 */
bool search_measure(const struct plan *plan, double usd_per_device_hour,
                    enum search_objective objective, struct search_point *ret_point);

/* The greatest share by which a limit is exceeded, 0 when all are kept; *ret_limit which one. */
double search_excess(const struct search_point *point, enum search_limit *ret_limit);

/* Whether `a` ranks before `b`: by keys, then the fewer changes, then the index. */
bool search_before(const struct search_point *a, const struct search_point *b);

/* Whether two candidates differ in nothing that a ranking sees. */
bool search_alike(const struct search_point *a, const struct search_point *b);

/* The best `max` candidates, best first, those that are alike as one. */
struct search_pool {
    struct search_point *points; /* room for max + 1 */
    int n, max;
};

void search_pool_offer(struct search_pool *pool, const struct search_point *point);
void search_pool_merge(struct search_pool *pool, const struct search_pool *other);

/* Steps of one percent in tokens per second of a user, e^-7 .. e^13. */
#define SEARCH_FRONT_STEPS 2048

/*
 * The front: of each step the candidate with the most output per device.
 */
struct search_front {
    struct search_point best[SEARCH_FRONT_STEPS];
    bool taken[SEARCH_FRONT_STEPS];
};

void search_front_offer(struct search_front *front, const struct search_point *point);
void search_front_merge(struct search_front *front, const struct search_front *other);

/* The front of at most `max` points, fastest per user first, thinned evenly where there are more;
 * returns how many. */
int search_front_list(const struct search_front *front, int max, struct search_point *ret_points);

/* What the candidates that keep not all limits fail by. */
struct search_tally {
    long feasible, fails[LIMIT_COUNT];
    bool has_nearest;
    struct search_point nearest; /* whose greatest excess is the smallest */
};

void search_tally_count(struct search_tally *tally, const struct search_point *point);
void search_tally_merge(struct search_tally *tally, const struct search_tally *other);

/* Names as replies print them, and back (the COUNT when unknown). */
const char *search_limit_name(enum search_limit limit);
const char *search_objective_name(enum search_objective objective);
enum search_objective search_objective_parse(const char *name);

#endif
