#include "block.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#define CHUNK_BYTES ((size_t)256 << 10)

struct block_chunk {
    struct block_chunk *next;
    size_t used, size;
    max_align_t bytes[];
};

static struct block_chunk *chunk_add(struct block *block, size_t size)
{
    size_t bytes = size > CHUNK_BYTES ? size : CHUNK_BYTES;
    struct block_chunk *chunk = calloc(1, sizeof(*chunk) + bytes);
    if (!chunk) {
        block->failed = true;
        return NULL;
    }
    chunk->size = bytes;
    chunk->next = block->chunks;
    block->chunks = chunk;
    return chunk;
}

void *block_alloc(struct block *block, size_t size)
{
    size_t rounded = (size + sizeof(max_align_t) - 1) / sizeof(max_align_t) * sizeof(max_align_t);
    struct block_chunk *chunk = block->chunks;
    if (!chunk || chunk->size - chunk->used < rounded) {
        chunk = chunk_add(block, rounded);
    }
    if (!chunk) {
        return NULL;
    }
    void *memory = (char *)chunk->bytes + chunk->used;
    chunk->used += rounded;
    return memory;
}

const char *block_text(struct block *block, const char *text)
{
    if (!text) {
        return NULL;
    }
    size_t size = strlen(text) + 1;
    char *copy = block_alloc(block, size);
    if (copy) {
        memcpy(copy, text, size);
    }
    return copy;
}

void block_free(struct block *block)
{
    struct block_chunk *chunk = block->chunks;
    while (chunk) {
        struct block_chunk *next = chunk->next;
        free(chunk);
        chunk = next;
    }
    block->chunks = NULL;
}
