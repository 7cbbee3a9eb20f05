/*
 * profile_stream.h - a profile as it arrives: piece by piece, plain or gzip.
 *
 * Purpose: one way in for every format: the beginning is looked at, the rest goes to its reader.
 *          Memory stays bounded whatever the length.
 * Ownership: the arena's, zlib's memory included.
 * Errors:  in the profile: a format that is none of ours, a damaged gzip stream, a text that
 *          unpacks to more than PROFILE_PLAIN_MAX bytes or PROFILE_RATIO_MAX times its size.
 */
#ifndef REGIME_PROFILE_STREAM_H
#define REGIME_PROFILE_STREAM_H

#include "profile.h"

/* Of an unpacked text: a trace of an hour. gzip packs up to a thousandfold. */
#define PROFILE_PLAIN_MAX 4e9
/* Traces pack to a thirtieth. Beyond so many bytes what unpacks to more than this many times its
 * size is made to keep a server busy. */
#define PROFILE_RATIO_MAX 200.0
#define PROFILE_RATIO_FROM 16e6
/* Of the beginning that tells the format; of one line of a table, behind which it is cut. */
#define PROFILE_HEAD_BYTES 8192
#define PROFILE_LINE_BYTES 16384

struct profile_stream;

/* NULL when out of memory. */
struct profile_stream *profile_stream_open(struct arena *arena);
void profile_stream_feed(struct profile_stream *stream, const char *piece, size_t size);

/* Ends it: the profile, whose `error` says why it cannot be used. */
struct profile *profile_stream_close(struct profile_stream *stream);

#endif
