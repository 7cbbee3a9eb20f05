/*
 * json_memory.h - cJSON's memory out of the request's arena.
 *
 * Purpose: parsing a request allocates a node per value; out of an arena that costs a third less,
 *          and nothing has to be freed.
 * Ownership: between json_memory_enter() and json_memory_leave() everything that cJSON allocates on
 *          this thread belongs to the arena; cJSON_Delete() and cJSON_free() of it are harmless and
 *          needless. Outside, cJSON uses malloc() and free(). Memory from malloc() may be freed on
 *          either side; memory of the arena must not reach cJSON_Delete() after
 *          json_memory_leave().
 * Threads: json_memory_install() once, before the first thread; the others per thread.
 */
#ifndef REGIME_JSON_MEMORY_H
#define REGIME_JSON_MEMORY_H

#include "arena.h"

/* Puts the hooks in; harmless when repeated. Without it cJSON stays with malloc(). */
void json_memory_install(void);

void json_memory_enter(struct arena *arena);
void json_memory_leave(void);

#endif
