/*
 * scrape_tally.h - series of several scrapes and targets added up.
 *
 * Purpose: from series to one value per quantity: gauges of the last scrape, counters since the
 *          process began or, with several scrapes of a target, between them; a counter that fell
 *          was reset and counts from there.
 * Ownership: the sets' arena.
 */
#ifndef REGIME_SCRAPE_TALLY_H
#define REGIME_SCRAPE_TALLY_H

#include "scrape_series.h"

#define SCRAPE_SETS_MAX 16

/* Scrapes of one process, in the order of their time. */
struct scrape_target {
    const struct scrape_set *sets[SCRAPE_SETS_MAX];
    int n;
};

/* One quantity. */
struct scrape_slot {
    double sum, weight, most, least;
    int n;              /* series; 0 = none */
    bool mean, sampled; /* a mean of samples; whose count was cut off */
    size_t row;
    const char *name;
    enum scrape_combine combine;
    enum observed_over over;
};

/* One latency. */
struct scrape_latency {
    double sum, count; /* milliseconds */
    bool has_sum, has_count;
    double bounds[SCRAPE_BUCKETS_MAX], counts[SCRAPE_BUCKETS_MAX]; /* cumulative, in order */
    int n_buckets;
    bool mixed; /* series with other bounds: no percentiles */
    int n;
    size_t row;
    const char *name;
    enum observed_over over;
};

#define L(ID, NAME, MEANING) SCRAPE_LATENCY_##ID,

enum scrape_latency_id { OBSERVED_LATENCY_LIST(L) SCRAPE_LATENCIES };

#undef L

struct scrape_tally {
    struct scrape_slot slots[SCRAPE_SLOTS];
    struct scrape_latency latencies[SCRAPE_LATENCIES];
    double positions[OBSERVED_POSITIONS_MAX]; /* accepted at each draft position */
    bool has_positions;
    bool restarted;
    int other_models; /* series of models that are not the main one */
};

/* The id of a latency's first quantity. */
enum observed_id scrape_latency_first(enum scrape_latency_id id);

/* Adds a target's series, those of other models than `model` (NULL = any) left out. */
void scrape_tally_add(struct scrape_tally *tally, const struct scrape_target *target,
                      const char *model);

/* The slot's value, NAN when nothing was added. */
double scrape_slot_value(const struct scrape_slot *slot);

/*
 * The percentile (0 to 1) of cumulative buckets: linear within the bucket, from 0 in the first one,
 * as Prometheus' histogram_quantile() does it; one beyond the last finite bucket is that bound. NAN
 * when there is none or no total.
 */
double scrape_quantile(const struct scrape_latency *latency, double quantile);

#endif
