/*
 * records_kinds.h - the kinds of record that the API lists, one row each.
 *
 * Purpose: what a kind is called, how it is queried and filtered, and what is computed beside its
 * text.
 */
#ifndef REGIME_RECORDS_KINDS_H
#define REGIME_RECORDS_KINDS_H

#include <stddef.h>

#include "json_out.h"
#include "routes.h"

struct sqlite3_stmt;

#define FILTERS_MAX 8

/* How the value of a filter is understood. */
enum filter_value { FILTER_TEXT, FILTER_MODEL, FILTER_HARDWARE, FILTER_ENGINE };

/* A filter of a list: an argument of the query and the values that occur (one column). */
struct record_filter {
    const char *name;
    enum filter_value value;
    const char *values_sql;
};

/* Members computed by the planner, written after those of the record. */
typedef void record_extra_fn(struct context *ctx, struct json_out *out, const char *kind,
                             const char *id);

/*
 * Parameters of every list: ?1 cursor (sort key to start behind, or NULL), ?2 full text (or NULL),
 * ?3 limit, ?4.. the filters in their order (or NULL).
 * Columns of `list_sql`: sort key, kind, id, doc, revision. Of `csv_sql`: sort key, then the table.
 */
struct record_kind {
    const char *segment;      /* "models" */
    const char *noun;         /* "model" */
    const char *const *kinds; /* kinds of record in the store; NULL ends */
    const char *list_sql, *count_sql, *csv_sql;
    struct record_filter filters[FILTERS_MAX];
    const char *const *hidden; /* members of the record's text that are not shown; NULL ends */
    record_extra_fn *extra;    /* NULL = none */
};

/* The row that lists records of a kind of the store ("model"), or NULL. */
const struct record_kind *record_kind_listing(const char *kind);

/* The row for a path segment, or NULL. */
const struct record_kind *record_kind_of(const char *segment, size_t length);

#endif
