/*
 * arena.c - chunks of growing size, bump allocation, the newest allocation may grow or go.
 *
 * The unused part of every chunk is poisoned under AddressSanitizer, so that the arena hides no
 * overrun and no use after the reset.
 */
#include "arena.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if defined(__SANITIZE_ADDRESS__)
#define ARENA_POISONS 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define ARENA_POISONS 1
#endif
#endif

#ifdef ARENA_POISONS
#include <sanitizer/asan_interface.h>
#define POISON(memory, size) ASAN_POISON_MEMORY_REGION(memory, size)
#define UNPOISON(memory, size) ASAN_UNPOISON_MEMORY_REGION(memory, size)
#else
#define POISON(memory, size) ((void)(memory), (void)(size))
#define UNPOISON(memory, size) ((void)(memory), (void)(size))
#endif

#define ALIGNMENT 16u
/* Holds a whole plan request with its reply, so that most requests call malloc() not once. */
#define FIRST_CHUNK_BYTES ((size_t)64 * 1024)
#define LARGEST_CHUNK_BYTES ((size_t)1024 * 1024)

struct chunk {
    struct chunk *next; /* the one allocated before this one */
    size_t size, used;
    _Alignas(ALIGNMENT) char bytes[];
};

struct arena {
    struct chunk *newest, *first;
    size_t max, total; /* bytes of all chunks */
    char *last;        /* the newest allocation, or NULL */
};

static struct chunk *chunk_new(size_t size)
{
    struct chunk *chunk = malloc(sizeof(*chunk) + size);

    if (!chunk)
        return NULL;
    chunk->next = NULL;
    chunk->size = size;
    chunk->used = 0;
    POISON(chunk->bytes, size);
    return chunk;
}

static void chunk_free(struct chunk *chunk)
{
    UNPOISON(chunk->bytes, chunk->size);
    free(chunk);
}

struct arena *arena_new(size_t max_bytes)
{
    struct arena *arena = calloc(1, sizeof(*arena));

    if (!arena)
        return NULL;
    arena->max = max_bytes;
    arena->total = max_bytes < FIRST_CHUNK_BYTES ? max_bytes : FIRST_CHUNK_BYTES;
    arena->first = chunk_new(arena->total);
    if (!arena->first) {
        free(arena);
        return NULL;
    }
    arena->newest = arena->first;
    return arena;
}

/* Puts a chunk with room for `need` bytes in front; false past the maximum. */
static bool arena_grow(struct arena *arena, size_t need)
{
    size_t left = arena->max - arena->total;
    size_t size = arena->newest->size * 2;

    if (need > left)
        return false;
    if (size > LARGEST_CHUNK_BYTES)
        size = LARGEST_CHUNK_BYTES;
    if (size < need)
        size = need;
    if (size > left)
        size = left;
    struct chunk *chunk = chunk_new(size);
    if (!chunk)
        return false;
    chunk->next = arena->newest;
    arena->newest = chunk;
    arena->total += size;
    return true;
}

static size_t rounded(size_t size)
{
    return (size + ALIGNMENT - 1) & ~(size_t)(ALIGNMENT - 1);
}

void *arena_alloc_raw(struct arena *arena, size_t size)
{
    if (size > arena->max)
        return NULL;
    size_t need = rounded(size ? size : 1);
    if (need > arena->newest->size - arena->newest->used && !arena_grow(arena, need))
        return NULL;
    struct chunk *chunk = arena->newest;
    arena->last = chunk->bytes + chunk->used;
    chunk->used += need;
    UNPOISON(arena->last, size);
    return arena->last;
}

void *arena_alloc(struct arena *arena, size_t size)
{
    void *memory = arena_alloc_raw(arena, size);

    return memory ? memset(memory, 0, size) : NULL;
}

bool arena_extend(struct arena *arena, void *memory, size_t old_size, size_t new_size)
{
    struct chunk *chunk = arena->newest;

    if (!memory || memory != arena->last || new_size < old_size)
        return false;
    size_t start = (size_t)(arena->last - chunk->bytes);
    if (new_size > chunk->size - start || rounded(new_size) > chunk->size - start)
        return false;
    chunk->used = start + rounded(new_size);
    UNPOISON(arena->last, new_size);
    return true;
}

void arena_release(struct arena *arena, void *memory)
{
    if (!memory || memory != arena->last)
        return;
    struct chunk *chunk = arena->newest;
    size_t start = (size_t)(arena->last - chunk->bytes);
    POISON(arena->last, chunk->used - start);
    chunk->used = start;
    arena->last = NULL;
}

bool arena_owns(const struct arena *arena, const void *memory)
{
    uintptr_t address = (uintptr_t)memory;

    for (const struct chunk *chunk = arena->newest; chunk; chunk = chunk->next) {
        uintptr_t start = (uintptr_t)chunk->bytes;
        if (address >= start && address - start < chunk->size)
            return true;
    }
    return false;
}

char *arena_copy(struct arena *arena, const char *text, size_t length)
{
    if (length >= arena->max)
        return NULL;
    char *copy = arena_alloc_raw(arena, length + 1);
    if (!copy)
        return NULL;
    if (length)
        memcpy(copy, text, length);
    copy[length] = '\0';
    return copy;
}

char *arena_printf(struct arena *arena, const char *format, ...)
{
    va_list arguments;
    char small[256];

    va_start(arguments, format);
    int length = vsnprintf(small, sizeof(small), format, arguments);
    va_end(arguments);
    if (length < 0)
        return NULL;
    if ((size_t)length < sizeof(small))
        return arena_copy(arena, small, (size_t)length);
    char *text = arena_alloc_raw(arena, (size_t)length + 1);
    if (!text)
        return NULL;
    va_start(arguments, format);
    vsnprintf(text, (size_t)length + 1, format, arguments);
    va_end(arguments);
    return text;
}

void arena_reset(struct arena *arena)
{
    while (arena->newest != arena->first) {
        struct chunk *chunk = arena->newest;
        arena->newest = chunk->next;
        chunk_free(chunk);
    }
    arena->total = arena->first->size;
    arena->first->used = 0;
    arena->last = NULL;
    POISON(arena->first->bytes, arena->first->size);
}

void arena_free(struct arena *arena)
{
    if (!arena)
        return;
    arena_reset(arena);
    chunk_free(arena->first);
    free(arena);
}
