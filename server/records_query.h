/*
 * records_query.h - the arguments of a list: filters, full text, page.
 *
 * Ownership: everything lies in the request's arena.
 * Errors:  every wrong argument is a fault.
 */
#ifndef REGIME_RECORDS_QUERY_H
#define REGIME_RECORDS_QUERY_H

#include <stdbool.h>

#include "fault.h"
#include "records_kinds.h"

#define LIST_LIMIT_DEFAULT 50
#define LIST_LIMIT_MAX 1000

struct list_query {
    const char *cursor; /* sort key to start behind, or NULL */
    const char *match;  /* an FTS5 expression, or NULL */
    int limit;
    const char *filters[FILTERS_MAX]; /* resolved values, or NULL */
};

/* Reads the arguments of a list of that kind; false when there is a fault. */
bool list_query_read(struct context *ctx, const struct record_kind *kind, struct faults *faults,
                     struct list_query *ret_query);

/* Pieces of it for lists with filters of their own. The first reads one of limit, cursor, q and
 * format and is false for any other argument; the next three give the id a name means, or NULL and
 * a fault; the last is whether the argument at that place stood before. */
bool list_common_read(struct context *ctx, const struct argument *argument, struct faults *faults,
                      struct list_query *query);
const char *list_model(struct context *ctx, const char *value, struct faults *faults);
const char *list_part(struct context *ctx, const char *value, struct faults *faults);
const char *list_engine(struct context *ctx, const char *value, struct faults *faults);
bool list_is_repeated(const struct request *request, int at);

/* An opaque text for the sort key of the last record of a page. */
const char *cursor_write(struct arena *arena, const char *sort);

/* Faults that say what an ambiguous name could mean; the pointer is "?hardware" or "". */
void fault_ambiguous(struct faults *faults, const char *pointer, const char *name,
                     const struct name_match *match);

#endif
