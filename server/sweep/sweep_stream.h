/*
 * sweep_stream.h - the table of a sweep as text, made while it is sent.
 *
 * Purpose: CSV (a header line, every line ended), NDJSON (an object a line) or columnar JSON
 *          {"points", "replayed", "axes", "warnings", "columns"}; an axis is a column too, by its
 *          pointer, and the last column is `why`: the reason of a point without values.
 *          Columnar JSON keeps a bounded number of values: further columns are computed in
 *          further passes over the points, so that memory is steady.
 * Ownership: the stream borrows the grid, and owns the rest.
 */
#ifndef REGIME_SWEEP_STREAM_H
#define REGIME_SWEEP_STREAM_H

#include "grid.h"
#include "reply_stream.h"

struct sweep_options {
    const char *format;    /* media type */
    bool progress;         /* NDJSON: lines {"progress": {"points", "of"}} between the others */
    int threads;           /* beside the one that reads */
    size_t kept_bytes_max; /* of values that columnar JSON keeps; SWEEP_KEPT_BYTES */
};

/* NULL when out of memory. */
struct reply_stream *sweep_stream_new(const struct grid *grid, const struct sweep_options *options);

#endif
