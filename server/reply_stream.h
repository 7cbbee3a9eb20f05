/*
 * reply_stream.h - a reply that is made while it is sent.
 *
 * Purpose: replies too long to be kept: the sender asks for piece after piece.
 * Ownership: whoever takes the reply calls reply_stream_end() once, after the last read(), whether
 *          or not the stream was read to its end.
 * Threads: reading and ending run one at a time, on any thread.
 */
#ifndef REGIME_REPLY_STREAM_H
#define REGIME_REPLY_STREAM_H

#include <stddef.h>

enum { STREAM_END = -1, STREAM_BROKEN = -2 };

struct stream_hold;

struct reply_stream {
    /* Writes 1 .. size bytes and returns how many, 0 when there is nothing yet; STREAM_END behind
     * the last one, STREAM_BROKEN where the rest cannot be made. Takes a millisecond or so: others
     * wait for the thread. */
    long (*read)(struct reply_stream *stream, char *buffer, size_t size);
    void (*end)(struct reply_stream *stream);
    struct stream_hold *hold; /* what is given back behind its end; NULL = nothing */
};

/* Text that is handed to a reader in the sizes it asks for. */
struct stream_piece {
    const char *text;
    size_t length, at;
};

/* Ends a stream and gives back what it held. */
void reply_stream_end(struct reply_stream *stream);

/* Copies what is left of the piece, at most `size` bytes; returns how many. */
long stream_piece_take(struct stream_piece *piece, char *buffer, size_t size);

#endif
