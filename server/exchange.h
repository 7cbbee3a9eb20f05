/*
 * exchange.h - one request and its reply, from the request line to the last byte sent.
 *
 * Purpose: http.c fills it; ended ones are kept per thread, so that a request takes no lock and,
 *          with its arena's first chunk, calls malloc() not once.
 * Ownership: http.c; the texts of a request and a reply lie in the arena, which is reset when the
 *          exchange is given back.
 * Threads: taken and given back on the thread of the connection.
 */
#ifndef REGIME_EXCHANGE_H
#define REGIME_EXCHANGE_H

#include <netinet/in.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "app.h"
#include "trace.h"

struct MHD_Connection;
struct body_sink;
struct deadline;
struct http;

struct exchange {
    struct exchange *next; /* among the spare ones */
    struct http *http;
    struct arena *arena;
    struct request request;
    struct reply reply;
    uint64_t begin_ns;
    bool headers_seen;
    char *body;
    size_t length, capacity, limit; /* of the body; the capacity leaves room for a NUL */
    size_t dropped;                 /* bytes over the limit */
    const struct body_sink *sink;   /* takes the body in place of the buffer; NULL */
    struct MHD_Connection *waiting; /* suspended until the reply is there; NULL */
    bool answered;                  /* the reply is there and not sent yet */
    struct deadline *deadline;      /* of the connection; NULL = none */
    char peer[INET6_ADDRSTRLEN];
    char own_id[TRACE_ID_LENGTH + 1]; /* the request id where the client sent none */
    uint64_t streamed;                /* bytes of a reply that is made while it is sent */
};

/* What keeps the spare exchanges of each thread; done on the thread that ends last. */
bool exchanges_init(pthread_key_t *ret_spares);
void exchanges_done(pthread_key_t spares);

/* One with an empty arena, else as it was left; NULL when out of memory. */
struct exchange *exchange_take(pthread_key_t spares);

/* Ends its stream, if it has one, and keeps or frees it. */
void exchange_give(pthread_key_t spares, struct exchange *exchange);

#endif
