/*
 * writes_kit.h - a daemon with a token that may write, and something to post to it.
 *
 * Errors: what should not fail in a test fails the test.
 */
#ifndef REGIME_WRITES_KIT_H
#define REGIME_WRITES_KIT_H

#include <cjson/cJSON.h>

#include "harness.h"

#define JSON_TYPE "Content-Type: application/json"
#define ANCHOR_BODY_MAX 1200

#define TOKEN_HEADER_MAX 160

struct world {
    struct daemon daemon;
    char token[TOKEN_HEADER_MAX]; /* as a header */
};

/* The file of a daemon's store. */
void world_db(const struct daemon *daemon, char ret_path[100]);
/* A new token of a daemon's store, as a header. */
void token_add(const struct daemon *daemon, const char *name, const char *scope,
               char ret_header[TOKEN_HEADER_MAX]);
/* A daemon whose writes have no rate, and its token. */
void world_start(struct world *world);
/* A token for a daemon that was started. */
void world_token(struct world *world);
/* A group's setup and teardown: one world for all its tests, in *state. */
int world_setup(void **state);
int world_teardown(void **state);

/* Posts with the token and up to one more header (NULL = none); the reply's tree is the caller's.
 */
cJSON *world_post(const struct world *world, const char *path, const char *header, const char *body,
                  long status, struct http_reply *ret_reply);
/* The status; a refusal has to be a problem document. */
long world_post_status(const struct world *world, const char *path, const char *header,
                       const char *body);

/* A run of Llama 3.1 8B on an L4: 16.06 GB of weights at 300 GB/s are 50 ms at least. */
void world_anchor(int concurrency, double tpot_ms, char ret_body[ANCHOR_BODY_MAX]);

#endif
