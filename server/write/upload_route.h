/*
 * upload_route.h - POST /v1/benchmarks: the result file of a load generator becomes measurements.
 *
 * Purpose: a run of the file is an anchor; what the file leaves out stands in the query, and what
 *          is missing is asked for. All runs are written or none; those that are there already stay
 *          as they are, so that a file that has grown may be sent again. ?dry_run=1 shows how the
 *          file is read and writes nothing.
 * Errors:  400 for what is no JSON; 422 with every fault; 503 when the store cannot be written.
 * Threads: as post_route.h.
 */
#ifndef REGIME_UPLOAD_ROUTE_H
#define REGIME_UPLOAD_ROUTE_H

#include "routes.h"

handler_fn post_benchmark_handler;

#endif
