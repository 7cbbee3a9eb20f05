#include "json_memory.h"

#include <stdlib.h>

#include <cjson/cJSON.h>

/* cJSON's hooks take no context, so the arena of the moment has to be the thread's. */
static _Thread_local struct arena *current;

static void *allocate(size_t size)
{
    return current ? arena_alloc_raw(current, size) : malloc(size);
}

static void release(void *memory)
{
    if (!current || !arena_owns(current, memory)) {
        free(memory);
        return;
    }
    arena_release(current, memory);
}

void json_memory_install(void)
{
    cJSON_Hooks hooks = {.malloc_fn = allocate, .free_fn = release};

    cJSON_InitHooks(&hooks);
}

void json_memory_enter(struct arena *arena)
{
    current = arena;
}

void json_memory_leave(void)
{
    current = NULL;
}
