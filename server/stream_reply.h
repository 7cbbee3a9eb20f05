/*
 * stream_reply.h - replies that are computed while they are sent, by all cores.
 *
 * Purpose: one way to read such a stream to its end within a request, and one to hand it to the
 *          sender, with the snapshot and one of the few places held until the stream ends.
 * Ownership: a stream that is handed over is ended here or by the sender.
 */
#ifndef REGIME_STREAM_REPLY_H
#define REGIME_STREAM_REPLY_H

#include "compiler.h"
#include "reply_stream.h"
#include "routes.h"

/* Takes a place for a reply that uses all cores, for stream_reply_send(). NULL when a reply has
 * been written: all places are taken, or no memory. */
struct stream_hold *stream_hold_begin(struct context *ctx);

/* Threads that work beside the sender's. */
int stream_threads(void);

/* Reads the stream to its end into the reply's body, and ends it. */
void stream_reply_whole(struct context *ctx, struct reply_stream *stream);

/* Makes the stream the reply, with the hold until its end. A NULL stream is one that there was no
 * memory for: a reply says so of `what` ("sweep"), and the hold is given back. */
void stream_reply_send(struct context *ctx, struct stream_hold *hold, struct reply_stream *stream,
                       const char *what);

#endif
