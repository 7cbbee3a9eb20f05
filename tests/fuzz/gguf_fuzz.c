/*
 * gguf_fuzz - the header of a GGUF file out of any bytes.
 *
 * The first byte is the size of the pieces. Properties: no crash, bounded memory, an end with sums
 * that are finite or one error, and in pieces the same as whole.
 */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "gguf.h"

#define ARENA_MAX ((size_t)4 << 20)

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* libFuzzer hands no context to its targets: these live as long as the process. */
static struct arena *arenas[2];

static void require(int condition)
{
    if (!condition)
        abort();
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc;
    (void)argv;
    arenas[0] = arena_new(ARENA_MAX);
    arenas[1] = arena_new(ARENA_MAX);
    require(arenas[0] && arenas[1]);
    return 0;
}

static const struct gguf_facts *read_pieces(struct arena *arena, const uint8_t *data, size_t size,
                                            size_t step)
{
    arena_reset(arena);
    struct gguf_reader *reader = gguf_open(arena);
    require(reader != NULL);
    for (size_t at = 0; at < size; at += step)
        gguf_feed(reader, data + at, size - at < step ? size - at : step);
    return gguf_close(reader);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 2)
        return -1;
    const struct gguf_facts *whole = read_pieces(arenas[0], data + 1, size - 1, size);
    const struct gguf_facts *parts =
        read_pieces(arenas[1], data + 1, size - 1, (size_t)data[0] + 1);
    require((whole->error == NULL) == whole->complete);
    require(whole->complete == parts->complete);
    if (whole->error) {
        require(whole->error[0] != '\0' && strcmp(whole->error, parts->error) == 0);
        return 0;
    }
    require(isfinite(whole->data_bytes) && whole->data_bytes >= 0);
    require(whole->file_bytes >= whole->data_bytes);
    require(!(whole->data_bytes < parts->data_bytes) && !(whole->data_bytes > parts->data_bytes));
    for (int role = 0; role < ROLE_COUNT; role++)
        require(isfinite(whole->roles[role].bytes) && whole->roles[role].bytes >= 0);
    return 0;
}
