#include "exchange.h"

#include <stdlib.h>

#include "reply_stream.h"
#include "request_limits.h"

/* Exchanges that a thread keeps for the next requests, each with 64 KiB of arena. */
#define SPARE_MAX 16

/* The spare exchanges of one thread. */
struct worker {
    struct exchange *spare;
    int n_spare;
};

static void exchange_free(struct exchange *exchange)
{
    arena_free(exchange->arena);
    free(exchange);
}

static struct exchange *exchange_new(void)
{
    struct exchange *exchange = calloc(1, sizeof(*exchange));

    if (!exchange)
        return NULL;
    exchange->arena = arena_new(REQUEST_ARENA_MAX);
    if (exchange->arena)
        return exchange;
    free(exchange);
    return NULL;
}

/* Runs when a thread of the pool ends. */
static void worker_free(void *argument)
{
    struct worker *worker = argument;

    while (worker->spare) {
        struct exchange *exchange = worker->spare;
        worker->spare = exchange->next;
        exchange_free(exchange);
    }
    free(worker);
}

static struct worker *own_worker(pthread_key_t spares)
{
    struct worker *worker = pthread_getspecific(spares);

    if (worker)
        return worker;
    worker = calloc(1, sizeof(*worker));
    if (worker)
        pthread_setspecific(spares, worker);
    return worker;
}

bool exchanges_init(pthread_key_t *ret_spares)
{
    return pthread_key_create(ret_spares, worker_free) == 0;
}

void exchanges_done(pthread_key_t spares)
{
    struct worker *worker = pthread_getspecific(spares);

    if (worker)
        worker_free(worker);
    pthread_key_delete(spares);
}

struct exchange *exchange_take(pthread_key_t spares)
{
    struct worker *worker = own_worker(spares);

    if (!worker || !worker->spare)
        return exchange_new();
    struct exchange *exchange = worker->spare;
    worker->spare = exchange->next;
    worker->n_spare--;
    return exchange;
}

void exchange_give(pthread_key_t spares, struct exchange *exchange)
{
    struct worker *worker = own_worker(spares);
    struct reply_stream *stream = exchange->reply.stream;

    exchange->reply.stream = NULL;
    if (stream)
        reply_stream_end(stream);
    if (!worker || worker->n_spare == SPARE_MAX) {
        exchange_free(exchange);
        return;
    }
    arena_reset(exchange->arena);
    exchange->next = worker->spare;
    worker->spare = exchange;
    worker->n_spare++;
}
