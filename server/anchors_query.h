/*
 * anchors_query.h - the arguments of GET /v1/anchors, and which anchors they leave.
 *
 * Purpose: filters by what an anchor joins and states, ranges of its conditions, full text, page.
 *          Everything but full text and sources is answered from the snapshot.
 * Ownership: everything lies in the request's arena.
 * Errors:  every wrong argument is a fault.
 */
#ifndef REGIME_ANCHORS_QUERY_H
#define REGIME_ANCHORS_QUERY_H

#include <stdbool.h>

#include "anchor_index.h"
#include "fault.h"
#include "records_query.h"

/* A range of one condition, both ends included; infinite where it is open. */
struct anchor_range {
    enum anchor_condition condition;
    double min, max;
};

struct anchor_query {
    struct list_query page;                         /* limit, cursor, full text */
    int model, hardware, engine, weights, kv_cache; /* index in the library; -1 = any */
    int scaled_weights; /* what else the weights asked may be: fp8_block where fp8 is; -1 = nothing
                         */
    enum anchor_kind kind;        /* ANCHOR_KIND_COUNT = any */
    enum anchor_metric metric;    /* ANCHOR_METRIC_COUNT = any */
    enum statistic statistic;     /* of that metric; STATISTIC_COUNT = any */
    int disputed;                 /* 0 or 1; -1 = any */
    enum anchor_doubt doubt;      /* ANCHOR_DOUBT_COUNT = any */
    const char *source, *backend; /* NULL = any */
    struct anchor_range ranges[CONDITION_COUNT];
    int n_ranges;
};

/* Reads the arguments; false when there is a fault. */
bool anchor_query_read(struct context *ctx, struct faults *faults, struct anchor_query *ret_query);

/* Anchors of the page, and how many there are in all. */
struct anchor_page {
    const int *anchors;
    int n;
    int total;
    bool more; /* there is a next page */
};

/* Finds the page. False when the store cannot be read or there is no memory. */
bool anchor_query_run(struct context *ctx, const struct anchor_query *query,
                      struct anchor_page *ret_page);

/* What is asked, as a point that a distance is taken from: ranges by their ends' geometric mean. */
struct anchor_point anchor_query_point(const struct catalogue *cat,
                                       const struct anchor_query *query);

/* The lower end of a range on a condition, NAN when nothing was asked of it. */
double anchor_query_from(const struct anchor_query *query, enum anchor_condition condition);

/* Every argument of the list, NULL ends: for suggestions and the API's description. */
const char *const *anchor_query_arguments(struct arena *arena);

#endif
