/*
 * command_fuzz - a command line from any bytes, read into a request and resolved.
 *
 * Properties: no crash, no text without an end; what is refused says why, what is read resolves or
 * says why not; the same text twice gives the same leaves.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "command_line.h"
#include "request_limits.h"
#include "store.h"

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* libFuzzer hands no context to its targets: these live as long as the process. */
static struct store *store;
static const struct catalogue *catalogue;
static struct arena *arena;

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
    arena = arena_new(REQUEST_ARENA_MAX);
    require(catalogue && arena);
    return 0;
}

/* Reads the text from the start; whether it resolved. */
static bool read_text(const char *text, size_t length, struct plan_request *ret_request)
{
    struct faults faults;

    arena_reset(arena);
    faults_init(&faults, arena);
    const struct intake intake = {catalogue, arena, &faults, "?"};
    const char *copy = arena_copy(arena, text, length);
    require(copy != NULL);
    *ret_request = (struct plan_request){0};
    described_init(&ret_request->described, arena);
    ret_request->problem.hw = &catalogue->lib.hardware[0];
    ret_request->given[FIELD_ID_HARDWARE] = true;
    bool read = command_read(&intake, copy, "", ret_request, &ret_request->described);
    require(read == (faults.n == 0));
    ret_request->text_refused = !read;
    bool resolved = plan_request_resolve(&intake, ret_request);
    require(resolved == (faults.n == 0));
    for (int i = 0; i < faults.n; i++)
        require(faults.items[i].detail && faults.items[i].detail[0]);
    for (const struct described_note *note = ret_request->described.notes; note; note = note->next)
        require(note->detail[0] && !memchr(note->detail, '\001', strlen(note->detail)));
    return resolved;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct plan_request first, second;

    if (size > BODY_MAX_BYTES || memchr(data, '\0', size))
        return -1;
    bool resolved = read_text((const char *)data, size, &first);
    require(read_text((const char *)data, size, &second) == resolved);
    require(memcmp(first.given, second.given, sizeof(first.given)) == 0);
    require(first.problem.model == second.problem.model);
    return 0;
}
