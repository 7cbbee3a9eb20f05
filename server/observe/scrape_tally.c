#include "scrape_tally.h"

#include <math.h>
#include <string.h>

/* What is read out of a series. */
enum field { VALUE, SUM, COUNT, BUCKET };

enum observed_id scrape_latency_first(enum scrape_latency_id id)
{
    return (enum observed_id)(OBS_TTFT_COUNT + (int)id * LATENCY_STATISTICS);
}

static double bucket_at(const struct scrape_series *series, double bound)
{
    for (const struct scrape_bucket *bucket = series->buckets; bucket; bucket = bucket->next)
        if (bucket->bound == bound || (isinf(bucket->bound) && isinf(bound)))
            return bucket->count;
    return NAN;
}

static double field_of(const struct scrape_series *series, enum field field, double bound)
{
    switch (field) {
    case VALUE:
        return series->value;
    case SUM:
        return series->sum;
    case COUNT:
        return isnan(series->count) ? bucket_at(series, INFINITY) : series->count;
    case BUCKET:
        return bucket_at(series, bound);
    }
    return NAN;
}

/* A field's rise over the target's scrapes, its value where there is one scrape only. A series that
 * is not in the first scrape began at 0. */
static double counted(const struct scrape_target *target, const struct scrape_series *series,
                      enum field field, double bound, bool *restarted)
{
    double total = 0, before = 0;

    if (target->n == 1)
        return field_of(series, field, bound);
    for (int i = 0; i < target->n; i++) {
        const struct scrape_series *here =
            scrape_set_find(target->sets[i], series->family, series->key);
        double value = here ? field_of(here, field, bound) : (double)NAN;
        if (isnan(value))
            continue;
        if (i > 0 && value < before)
            *restarted = true;
        if (i > 0)
            total += value < before ? value : value - before;
        before = value;
    }
    return total;
}

static enum observed_over over_of(const struct scrape_target *target, bool restarted)
{
    if (target->n == 1)
        return OVER_LIFETIME;
    return restarted ? OVER_RESTART : OVER_WINDOW;
}

/* Slots -----------------------------------------------------------------------------------------
 */

/* Whether a series goes into a place that another family may have: the first row counts. */
static bool takes(const struct scrape_series *series, int n, size_t row, const char *name,
                  bool *ret_afresh)
{
    size_t own = scrape_family_index(series->family);

    *ret_afresh = n == 0 || (strcmp(name, series->name) != 0 && own < row);
    return *ret_afresh || strcmp(name, series->name) == 0;
}

static struct scrape_slot *slot_for(struct scrape_tally *tally, const struct scrape_series *series)
{
    struct scrape_slot *slot = &tally->slots[series->family->target];
    bool afresh;

    if (!takes(series, slot->n, slot->row, slot->name, &afresh))
        return NULL;
    if (afresh)
        *slot = (struct scrape_slot){.row = scrape_family_index(series->family),
                                     .name = series->name,
                                     .combine = series->family->combine};
    return slot;
}

static void add_value(struct scrape_tally *tally, const struct scrape_series *series, double value,
                      enum observed_over over)
{
    struct scrape_slot *slot;

    if (!isfinite(value) || !(slot = slot_for(tally, series)))
        return;
    value *= series->family->scale;
    slot->most = slot->n ? fmax(slot->most, value) : value;
    slot->least = slot->n ? fmin(slot->least, value) : value;
    slot->sum += value;
    slot->weight += 1;
    slot->over = over;
    slot->n++;
}

/* The mean of a histogram's samples; of one that is cut, the largest bucket is the count's least
 * value. */
static void add_mean(struct scrape_tally *tally, const struct scrape_series *series, double sum,
                     double count, enum observed_over over)
{
    bool cut = isnan(count);

    if (cut) {
        count = 0;
        for (const struct scrape_bucket *bucket = series->buckets; bucket; bucket = bucket->next)
            count = fmax(count, bucket->count);
    }
    struct scrape_slot *slot = sum >= 0 && count > 0 ? slot_for(tally, series) : NULL;
    if (!slot)
        return;
    slot->mean = true;
    slot->sampled = slot->sampled || cut;
    slot->sum += sum * series->family->scale;
    slot->weight += count;
    slot->over = over;
    slot->n++;
}

double scrape_slot_value(const struct scrape_slot *slot)
{
    if (slot->n == 0)
        return NAN;
    if (slot->mean)
        return slot->sum / slot->weight;
    switch (slot->combine) {
    case ADD:
        return slot->sum;
    case MOST:
        return slot->most;
    case LEAST:
        return slot->least;
    case AVERAGE:
        return slot->sum / slot->weight;
    }
    return NAN;
}

/* Latencies -------------------------------------------------------------------------------------
 */

static struct scrape_latency *latency_for(struct scrape_tally *tally,
                                          const struct scrape_series *series)
{
    int id = (series->family->target - OBS_TTFT_COUNT) / LATENCY_STATISTICS;
    struct scrape_latency *latency = &tally->latencies[id];
    bool afresh, part = series->family->kind != IS_LATENCY;

    if (part && latency->n)
        return latency;
    if (!takes(series, latency->n, latency->row, latency->name ? latency->name : "", &afresh))
        return NULL;
    if (afresh)
        *latency = (struct scrape_latency){.row = scrape_family_index(series->family),
                                           .name = series->name};
    return latency;
}

static void add_bucket(struct scrape_latency *latency, bool first, double bound, double count)
{
    int at = 0;

    while (at < latency->n_buckets && latency->bounds[at] < bound)
        at++;
    if (at < latency->n_buckets && latency->bounds[at] == bound) {
        latency->counts[at] += count;
        return;
    }
    if (!first || latency->n_buckets == SCRAPE_BUCKETS_MAX) {
        latency->mixed = true;
        return;
    }
    for (int i = latency->n_buckets++; i > at; i--) {
        latency->bounds[i] = latency->bounds[i - 1];
        latency->counts[i] = latency->counts[i - 1];
    }
    latency->bounds[at] = bound;
    latency->counts[at] = count;
}

/* A histogram's series over the target's scrapes. */
static void add_histogram(struct scrape_tally *tally, const struct scrape_target *target,
                          const struct scrape_series *series)
{
    struct scrape_latency *latency = latency_for(tally, series);
    bool restarted = false;
    double scale = series->family->scale;

    if (!latency)
        return;
    bool first = latency->n++ == 0;
    int before = latency->n_buckets;
    double count = counted(target, series, COUNT, 0, &restarted);
    double sum = counted(target, series, SUM, 0, &restarted);
    if (!isnan(series->sum)) {
        latency->has_sum = true;
        latency->sum += isfinite(sum) ? sum * scale : 0;
    }
    if (!isnan(field_of(series, COUNT, 0))) {
        latency->has_count = true;
        latency->count += isfinite(count) ? count : 0;
    }
    for (const struct scrape_bucket *bucket = series->buckets; bucket; bucket = bucket->next)
        if (isfinite(bucket->bound))
            add_bucket(latency, first, bucket->bound * scale,
                       counted(target, series, BUCKET, bucket->bound, &restarted));
    latency->mixed = latency->mixed || (!first && series->n_buckets && before == 0);
    latency->over = over_of(target, restarted);
    tally->restarted = tally->restarted || restarted;
}

/* A counter that is a latency's sum or count. */
static void add_part(struct scrape_tally *tally, const struct scrape_series *series, double value,
                     enum observed_over over)
{
    struct scrape_latency *latency = isfinite(value) ? latency_for(tally, series) : NULL;
    bool sum = series->family->kind == IS_PART_SUM;

    if (!latency)
        return;
    double *place = sum ? &latency->sum : &latency->count;
    value *= series->family->scale;
    *place = series->family->combine == MOST ? fmax(*place, value) : *place + value;
    latency->has_sum = latency->has_sum || sum;
    latency->has_count = latency->has_count || !sum;
    latency->over = over;
    latency->n++;
}

double scrape_quantile(const struct scrape_latency *latency, double quantile)
{
    double rank = quantile * latency->count, below = 0, from = 0;

    if (!latency->has_count || !(latency->count > 0) || latency->mixed || latency->n_buckets == 0)
        return NAN;
    for (int i = 0; i < latency->n_buckets; i++) {
        double inside = latency->counts[i] - below;
        if (latency->counts[i] >= rank && inside > 0)
            return from + (latency->bounds[i] - from) * fmax(rank - below, 0) / inside;
        below = fmax(latency->counts[i], below);
        from = latency->bounds[i];
    }
    return from;
}

/* Targets ---------------------------------------------------------------------------------------
 */

static void add_series(struct scrape_tally *tally, const struct scrape_target *target,
                       const struct scrape_series *series)
{
    bool restarted = false;
    int position = series->item.index;
    double value = NAN;

    switch (series->family->kind) {
    case IS_LATENCY:
        add_histogram(tally, target, series);
        break;
    case IS_MEAN:
        add_mean(tally, series, counted(target, series, SUM, 0, &restarted),
                 isnan(field_of(series, COUNT, 0)) ? (double)NAN
                                                   : counted(target, series, COUNT, 0, &restarted),
                 over_of(target, restarted));
        break;
    case IS_GAUGE:
        add_value(tally, series, series->value, OVER_INSTANT);
        break;
    case IS_SUM:
    case IS_COUNT:
    case IS_COUNTER:
        value = counted(target, series,
                        series->family->kind == IS_COUNTER ? VALUE
                        : series->family->kind == IS_SUM   ? SUM
                                                           : COUNT,
                        0, &restarted);
        add_value(tally, series, value, over_of(target, restarted));
        break;
    case IS_PART_SUM:
    case IS_PART_COUNT:
        value = counted(target, series, VALUE, 0, &restarted);
        add_part(tally, series, value, over_of(target, restarted));
        break;
    case IS_POSITION:
        value = counted(target, series, VALUE, 0, &restarted);
        if (position >= 0 && position < OBSERVED_POSITIONS_MAX && isfinite(value)) {
            tally->positions[position] += value;
            tally->has_positions = true;
        }
        break;
    case IS_GPU:
    case IS_THROTTLE:
    case IS_CONFIG:
    case IS_ADAPTERS:
    case IS_START:
    case IS_TIME:
        break;
    }
    tally->restarted = tally->restarted || restarted;
}

void scrape_tally_add(struct scrape_tally *tally, const struct scrape_target *target,
                      const char *model)
{
    const struct scrape_set *last = target->sets[target->n - 1];

    for (const struct scrape_series *series = last->first; series; series = series->next) {
        bool other = model && series->model >= 0 && strcmp(last->models[series->model], model) != 0;
        tally->other_models += other;
        if (!other)
            add_series(tally, target, series);
    }
}
