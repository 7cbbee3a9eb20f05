/*
 * manifest_fuzz - any text as a deployment's manifest, log or command.
 *
 * Properties: no crash, a refusal says why, a request without a fault is complete, and the same
 * text twice gives the same request.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "json_memory.h"
#include "json_out.h"
#include "request_json.h"
#include "request_limits.h"
#include "store.h"
#include "texts.h"

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* libFuzzer hands no context to its targets: these live as long as the process. */
static struct store *store;
static const struct catalogue *catalogue;
static struct arena *arenas[2];

static void require(int condition)
{
    if (!condition)
        abort();
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    char error[STORE_ERROR_MAX];
    (void)argc;
    (void)argv;
    require(store_open(NULL, &store, error));
    catalogue = store_catalogue(store);
    json_memory_install();
    arenas[0] = arena_new(REQUEST_ARENA_MAX);
    arenas[1] = arena_new(REQUEST_ARENA_MAX);
    require(catalogue && arenas[0] && arenas[1]);
    return 0;
}

/* Reads the text; the request as it is shown, or "" after a fault. */
static struct json_out read_text(struct arena *arena, const char *text, size_t size)
{
    struct plan_request request = {0};
    struct json_out out;
    struct faults faults;

    arena_reset(arena);
    json_memory_enter(arena);
    faults_init(&faults, arena);
    const struct intake intake = {catalogue, arena, &faults, ""};
    const char *copy = arena_copy(arena, text, size);
    require(copy != NULL);
    texts_read_body(&intake, copy, strlen(copy), &request);
    bool complete = plan_request_resolve(&intake, &request);
    require(complete == (faults.n == 0));
    require(!request.text_refused || faults.n > 0);
    json_out_init(&out, arena, 4096, 1 << 20);
    if (complete)
        request_json_write(&out, &request);
    json_memory_leave();
    return out;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct json_out outs[2];

    if (size > BODY_MAX_BYTES)
        return -1;
    for (int i = 0; i < 2; i++)
        outs[i] = read_text(arenas[i], (const char *)data, size);
    require(outs[0].length == outs[1].length);
    require(outs[0].length == 0 || memcmp(outs[0].text, outs[1].text, outs[0].length) == 0);
    return 0;
}
