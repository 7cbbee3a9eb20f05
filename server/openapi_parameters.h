/*
 * openapi_parameters.h - what stands in the path and the query of an operation.
 *
 * Purpose: one list of parameters per kind of query, from the tables that read the queries.
 * Errors:  the writer's.
 */
#ifndef REGIME_OPENAPI_PARAMETERS_H
#define REGIME_OPENAPI_PARAMETERS_H

#include "openapi_operations.h"

/* The segment of a path that a parameter fills. */
#define OPERATION_HOLE "{id}"

/* Which query a handler reads. */
enum query_shape {
    QUERY_NONE,
    QUERY_PLAN,
    QUERY_CHECK,
    QUERY_COMPARE,
    QUERY_LIST,
    QUERY_ANCHORS,
    QUERY_KERNELS,
    QUERY_BACKTEST,
    QUERY_ITEM,
    QUERY_SWEEP,
    QUERY_SEARCH,
    QUERY_UPLOAD,
    QUERY_ATTRIBUTE,
    QUERY_KEEP
};

/* Writes the member "parameters". */
void operation_parameters_write(struct json_out *out, const struct operation *operation,
                                enum query_shape query);

#endif
