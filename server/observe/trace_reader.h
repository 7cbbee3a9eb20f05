/*
 * trace_reader.h - a Chrome trace of PyTorch's profiler (Kineto), CUDA or ROCm, read as it comes.
 *
 * Purpose: kernels, copies and fills become spans of the device; calls of the runtime spans of the
 *          host; annotations steps; the rest is passed over.
 * Units:   `ts` and `dur` are microseconds, displayTimeUnit notwithstanding.
 * Ownership: the arena's.
 * Errors:  profile->error.
 */
#ifndef REGIME_TRACE_READER_H
#define REGIME_TRACE_READER_H

#include "profile.h"

struct trace_reader;

/* NULL when out of memory. */
struct trace_reader *trace_reader_new(struct profile *profile);
void trace_reader_feed(struct trace_reader *reader, const char *piece, size_t size);
/* The text has ended. */
void trace_reader_end(struct trace_reader *reader);

#endif
