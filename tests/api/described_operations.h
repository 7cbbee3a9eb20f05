/*
 * described_operations.h - the operations of /openapi.json, and requests made from them.
 *
 * Ownership: a world's document lives until world_close(); bodies are the caller's.
 * Errors:  what should not fail in a test fails the test.
 */
#ifndef REGIME_DESCRIBED_OPERATIONS_H
#define REGIME_DESCRIBED_OPERATIONS_H

#include <stdbool.h>

#include <cjson/cJSON.h>

#include "harness.h"
#include "json_look.h"

#define TARGET_MAX 4000

struct world {
    struct daemon daemon;
    cJSON *document;
};

/* One operation of the document. */
struct operation {
    struct world *world;
    const cJSON *path; /* its `string` is the path */
    const cJSON *it;   /* its `string` is the method */
};

typedef void visit_fn(const struct operation *operation);

/* A group's setup and teardown: a daemon and its document, in *state. */
int world_open(void **state);
int world_close(void **state);

/* Every operation but those with a body that is no text (gguf_upload_test.c, attribute_test.c) and
 * those that take a token (writes_api_test.c). */
void visit_all(struct world *world, visit_fn *visit);

/* The path with its {id} filled in: by `id`, or by the document's example when that is NULL. */
void fill_path(const struct operation *operation, const char *id, char ret_target[TARGET_MAX]);

/* Whether the operation requires a model and a part in its query. */
bool wants_model(const struct operation *operation);

/* The example of its JSON body. */
char *example_body(const struct operation *operation);

#endif
