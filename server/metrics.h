/*
 * metrics.h - counters of the daemon, and their Prometheus text.
 *
 * Purpose: requests by route template, method and status class; a latency histogram per route;
 *          bytes; requests in flight; connections; the catalogue's sizes; the process.
 * Units:   base units as Prometheus wants them: seconds and bytes.
 * Threads: each thread counts in its own block, which no other thread writes; a scrape sums them.
 */
#ifndef REGIME_METRICS_H
#define REGIME_METRICS_H

#include <stdint.h>

#include "app.h"
#include "json_out.h"

/* `n_routes` rows of the table of routes; one more row counts what matched none. NULL = no memory.
 */
struct metrics *metrics_new(size_t n_routes);
void metrics_free(struct metrics *metrics);

/* A request that was answered. `route` is its row, n_routes when none matched. */
struct metrics_sample {
    size_t route;
    enum method method;
    int status;
    uint64_t duration_ns;
    size_t request_bytes, reply_bytes;
};

void metrics_count(struct metrics *metrics, const struct metrics_sample *sample);

/* A request begins (+1) or is sent and done (-1); a connection opens or closes. */
void metrics_in_flight(struct metrics *metrics, int change);
void metrics_connection(struct metrics *metrics, int change);

/* Requests between their headers and the end of their reply, over all threads. */
int64_t metrics_in_flight_now(struct metrics *metrics);

/* Writes everything as Prometheus text 0.0.4. */
struct catalogue;
void metrics_write(struct metrics *metrics, const struct catalogue *catalogue,
                   struct json_out *out);

#endif
