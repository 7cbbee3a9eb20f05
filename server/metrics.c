#include "metrics.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "catalogue.h"
#include "metrics_process.h"
#include "routes.h"

#define N_METHODS (METHOD_OTHER + 1)
#define N_CLASSES 6 /* status / 100, 0 unused */
#define CACHE_LINE 64

#define NS_PER_S 1e9

/* Upper bounds in nanoseconds: a plan takes microseconds, a sweep seconds. */
static const uint64_t BOUNDS_NS[] = {
    10000,   25000,   50000,    100000,   250000,    500000,
    1000000, 2500000, 10000000, 50000000, 250000000, 1000000000,
};

#define N_BOUNDS ARRAY_LEN(BOUNDS_NS)

/* One writer, many readers: loads and stores are atomic, the addition between them need not be. */
struct counter {
    _Atomic uint64_t value;
};

struct route_counters {
    struct counter requests[N_METHODS][N_CLASSES];
    struct counter buckets[N_BOUNDS + 1]; /* not cumulative; the last is above every bound */
    struct counter duration_ns;
};

/* What one thread has counted. */
struct thread_counters {
    struct thread_counters *next;
    struct counter in_flight,
        connections; /* differences: they wrap below zero and the sum wraps back */
    struct counter request_bytes, reply_bytes;
    struct route_counters routes[];
};

struct metrics {
    size_t n_routes;
    pthread_key_t key; /* this thread's block */
    pthread_mutex_t lock;
    struct thread_counters *_Atomic blocks; /* only ever grows; behind the lock for writers */
};

struct metrics *metrics_new(size_t n_routes)
{
    struct metrics *metrics = calloc(1, sizeof(*metrics));

    if (!metrics)
        return NULL;
    metrics->n_routes = n_routes;
    if (pthread_key_create(&metrics->key, NULL)) {
        free(metrics);
        return NULL;
    }
    pthread_mutex_init(&metrics->lock, NULL);
    return metrics;
}

void metrics_free(struct metrics *metrics)
{
    if (!metrics)
        return;
    for (struct thread_counters *block = metrics->blocks, *next; block; block = next) {
        next = block->next;
        free(block);
    }
    pthread_key_delete(metrics->key);
    pthread_mutex_destroy(&metrics->lock);
    free(metrics);
}

/* This thread's block, made at its first use; NULL when out of memory: then nothing is counted. */
static struct thread_counters *own_block(struct metrics *metrics)
{
    struct thread_counters *block = pthread_getspecific(metrics->key);

    if (block)
        return block;
    size_t size = sizeof(*block) + (metrics->n_routes + 1) * sizeof(block->routes[0]);
    size = (size + CACHE_LINE - 1) / CACHE_LINE * CACHE_LINE;
    block = aligned_alloc(CACHE_LINE, size);
    if (!block)
        return NULL;
    *block = (struct thread_counters){0};
    for (size_t i = 0; i <= metrics->n_routes; i++)
        block->routes[i] = (struct route_counters){0};
    pthread_mutex_lock(&metrics->lock);
    block->next = atomic_load(&metrics->blocks);
    atomic_store(&metrics->blocks, block);
    pthread_mutex_unlock(&metrics->lock);
    pthread_setspecific(metrics->key, block);
    return block;
}

static void add(struct counter *counter, uint64_t n)
{
    uint64_t before = atomic_load_explicit(&counter->value, memory_order_relaxed);

    atomic_store_explicit(&counter->value, before + n, memory_order_relaxed);
}

static uint64_t value_of(const struct counter *counter)
{
    return atomic_load_explicit(&counter->value, memory_order_relaxed);
}

void metrics_count(struct metrics *metrics, const struct metrics_sample *sample)
{
    struct thread_counters *block = own_block(metrics);
    size_t bucket = 0;
    unsigned class = (unsigned)sample->status / 100;

    if (!block || class >= N_CLASSES)
        return;
    struct route_counters *route = &block->routes[sample->route];
    while (bucket < N_BOUNDS && sample->duration_ns > BOUNDS_NS[bucket])
        bucket++;
    add(&route->requests[sample->method][class], 1);
    add(&route->buckets[bucket], 1);
    add(&route->duration_ns, sample->duration_ns);
    add(&block->request_bytes, sample->request_bytes);
    add(&block->reply_bytes, sample->reply_bytes);
}

void metrics_in_flight(struct metrics *metrics, int change)
{
    struct thread_counters *block = own_block(metrics);

    if (block)
        add(&block->in_flight, (uint64_t)(int64_t)change);
}

void metrics_connection(struct metrics *metrics, int change)
{
    struct thread_counters *block = own_block(metrics);

    if (block)
        add(&block->connections, (uint64_t)(int64_t)change);
}

/* The sum over all threads of the counter at that place of a block. */
static uint64_t sum(struct metrics *metrics, size_t offset)
{
    uint64_t total = 0;

    for (struct thread_counters *block = atomic_load(&metrics->blocks); block; block = block->next)
        total += value_of((const struct counter *)(const void *)((const char *)block + offset));
    return total;
}

#define SUM(metrics, field) sum(metrics, offsetof(struct thread_counters, field))

static size_t route_offset(size_t route)
{
    return sizeof(struct thread_counters) + route * sizeof(struct route_counters);
}

int64_t metrics_in_flight_now(struct metrics *metrics)
{
    return (int64_t)SUM(metrics, in_flight);
}

static void write_family(struct json_out *out, const char *name, const char *type, const char *help)
{
    out_printf(out, "# HELP %s %s\n# TYPE %s %s\n", name, help, name, type);
}

static void write_value(struct json_out *out, const char *name, const char *labels, double value)
{
    out_text(out, name);
    out_text(out, labels);
    out_text(out, " ");
    out_number(out, value);
    out_text(out, "\n");
}

static const char *route_label(const struct metrics *metrics, size_t route)
{
    return route < metrics->n_routes ? ROUTES[route].path : "unmatched";
}

static void write_requests(struct metrics *metrics, struct json_out *out)
{
    static const char *const METHODS[N_METHODS] = {"GET", "HEAD", "POST", "OPTIONS", "other"};

    write_family(out, "regime_http_requests_total", "counter",
                 "Requests answered, by route, method and class of status.");
    for (size_t route = 0; route <= metrics->n_routes; route++)
        for (size_t i = 0; i < N_METHODS * (size_t)N_CLASSES; i++) {
            uint64_t n =
                sum(metrics, route_offset(route) + offsetof(struct route_counters, requests) +
                                 i * sizeof(struct counter));
            if (n)
                out_printf(
                    out,
                    "regime_http_requests_total{route=\"%s\",method=\"%s\",status=\"%zuxx\"} %ju\n",
                    route_label(metrics, route), METHODS[i / N_CLASSES], i % N_CLASSES,
                    (uintmax_t)n);
        }
}

/* The histogram of one route; nothing when it was never asked. */
static void write_route_durations(struct metrics *metrics, size_t route, struct json_out *out)
{
    static const char NAME[] = "regime_http_request_duration_seconds";
    const char *label = route_label(metrics, route);
    size_t offset = route_offset(route);
    uint64_t counts[N_BOUNDS + 1], total = 0, running = 0;

    for (size_t i = 0; i <= N_BOUNDS; i++) {
        counts[i] = sum(metrics, offset + offsetof(struct route_counters, buckets) +
                                     i * sizeof(struct counter));
        total += counts[i];
    }
    if (!total)
        return;
    for (size_t i = 0; i < N_BOUNDS; i++) {
        running += counts[i];
        out_printf(out, "%s_bucket{route=\"%s\",le=\"", NAME, label);
        out_number(out, (double)BOUNDS_NS[i] / NS_PER_S);
        out_printf(out, "\"} %ju\n", (uintmax_t)running);
    }
    out_printf(out, "%s_bucket{route=\"%s\",le=\"+Inf\"} %ju\n", NAME, label, (uintmax_t)total);
    out_printf(out, "%s_sum{route=\"%s\"} ", NAME, label);
    out_number(out, (double)sum(metrics, offset + offsetof(struct route_counters, duration_ns)) /
                        NS_PER_S);
    out_printf(out, "\n%s_count{route=\"%s\"} %ju\n", NAME, label, (uintmax_t)total);
}

static void write_catalogue(const struct catalogue *catalogue, struct json_out *out)
{
    const struct library *lib = &catalogue->lib;

    const struct {
        const char *labels;
        int n;
    } rows[] = {
        {"{kind=\"models\"}", lib->n_models},
        {"{kind=\"hardware\"}", lib->n_hardware},
        {"{kind=\"weight_formats\"}", lib->n_weight_formats},
        {"{kind=\"kv_formats\"}", lib->n_kv_formats},
        {"{kind=\"engines\"}", lib->n_engines},
        {"{kind=\"kernel_fits\"}", lib->n_op_fits},
        {"{kind=\"collective_fits\"}", lib->n_comm_fits},
    };

    write_family(out, "regime_catalogue_records", "gauge", "Records in the catalogue, by kind.");
    for (size_t i = 0; i < ARRAY_LEN(rows); i++)
        write_value(out, "regime_catalogue_records", rows[i].labels, rows[i].n);
}

void metrics_write(struct metrics *metrics, const struct catalogue *catalogue, struct json_out *out)
{
    write_family(out, "regime_build_info", "gauge", "The program's version; always 1.");
    write_value(out, "regime_build_info", "{version=\"" REGIME_VERSION "\"}", 1);
    write_requests(metrics, out);
    write_family(out, "regime_http_request_duration_seconds", "histogram",
                 "Time in the handler, from the whole request to the ready reply.");
    for (size_t route = 0; route <= metrics->n_routes; route++)
        write_route_durations(metrics, route, out);
    write_family(out, "regime_http_requests_in_flight", "gauge",
                 "Requests begun and not yet sent.");
    write_value(out, "regime_http_requests_in_flight", "", (double)metrics_in_flight_now(metrics));
    write_family(out, "regime_http_connections", "gauge", "Open connections.");
    write_value(out, "regime_http_connections", "", (double)(int64_t)SUM(metrics, connections));
    write_family(out, "regime_http_request_body_bytes_total", "counter",
                 "Bytes of request bodies.");
    write_value(out, "regime_http_request_body_bytes_total", "",
                (double)SUM(metrics, request_bytes));
    write_family(out, "regime_http_reply_body_bytes_total", "counter", "Bytes of reply bodies.");
    write_value(out, "regime_http_reply_body_bytes_total", "", (double)SUM(metrics, reply_bytes));
    write_catalogue(catalogue, out);
    metrics_write_process(out);
}
