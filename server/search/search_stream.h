/*
 * search_stream.h - a search as a stream: progress while it runs, then its answer.
 *
 * Purpose: NDJSON says how far it is and ends with {"result": {...}}; JSON, text and CSV come when
 *          the search is done. Whoever ends the stream stops the search within a block.
 * Ownership: the stream borrows the space.
 */
#ifndef REGIME_SEARCH_STREAM_H
#define REGIME_SEARCH_STREAM_H

#include "reply_stream.h"
#include "space.h"

struct search_options {
    const char *format; /* media type */
    int threads;        /* beside the reader's */
};

/* NULL when out of memory. */
struct reply_stream *search_stream_new(const struct space *space,
                                       const struct search_options *options);

#endif
