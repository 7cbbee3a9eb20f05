/*
 * reply_stream.h - a reply that is made while it is sent.
 *
 * Purpose: replies too long to be kept: the sender asks for piece after piece.
 * Ownership: whoever takes the reply calls end() once, after the last read(), whether or not the
 *          stream was read to its end.
 * Threads: read() and end() run one at a time, on any thread.
 */
#ifndef REGIME_REPLY_STREAM_H
#define REGIME_REPLY_STREAM_H

#include <stddef.h>

enum { STREAM_END = -1, STREAM_BROKEN = -2 };

struct reply_stream {
    /* Writes 1 .. size bytes and returns how many, 0 when there is nothing yet; STREAM_END behind
     * the last one, STREAM_BROKEN where the rest cannot be made. Takes a millisecond or so: others
     * wait for the thread. */
    long (*read)(struct reply_stream *stream, char *buffer, size_t size);
    void (*end)(struct reply_stream *stream);
};

#endif
