/*
 * backtest_query.h - the arguments of GET /v1/backtest and /backtest, and the rows they leave.
 *
 * Ownership: everything lies in the arena given.
 * Errors:  every wrong argument is a fault.
 */
#ifndef REGIME_BACKTEST_QUERY_H
#define REGIME_BACKTEST_QUERY_H

#include <stdbool.h>

#include "backtest.h"
#include "fault.h"
#include "routes.h"

/* What a request asks of a backtest. */
struct backtest_query {
    struct backtest_choice choice; /* by conditions: what groups are made of */
    enum holdout holdout;          /* whose errors rows are chosen and sorted by */
    double min_error;              /* least |error| of a row; 0 = any */
    int inside, explained;         /* 0 or 1; -1 = any */
    bool by_id;                    /* else the farthest off first */
    int limit;
    const char *cursor; /* sort key to start behind, or NULL */
};

/* Everything of the set, farthest off first: no arguments at all. */
struct backtest_query backtest_query_default(enum backtest_set set, int limit);

/* Reads the arguments, `limit` rows where none is asked for; false when there is a fault. */
bool backtest_query_read(struct context *ctx, const struct backtest *backtest, int limit,
                         struct faults *faults, struct backtest_query *ret_query);

struct backtest_reading;

/* A row of the table of arguments besides limit, cursor and format; a NULL name ends it. */
struct backtest_argument {
    const char *name;
    void (*read)(struct backtest_reading *reading, const char *value);
    const char *type, *doc; /* for the API's description */
};

extern const struct backtest_argument BACKTEST_ARGUMENTS[];

/* Rows of the page, those that groups are made of, and what comes behind. */
struct backtest_page {
    unsigned char *chosen; /* per row: it is in the groups */
    int n_chosen;
    int *rows;
    int n;
    int total;          /* of all pages */
    const char *cursor; /* of the next page; NULL = this is the last */
};

/* False without memory. */
bool backtest_query_run(const struct backtest *backtest, const struct catalogue *catalogue,
                        const struct backtest_query *query, struct arena *arena,
                        struct backtest_page *ret_page);

#endif
