/*
 * trace_text.h - a Chrome trace cut into its events, in bounded memory.
 *
 * Purpose: {"traceEvents": [event, ...], ...} or [event, ...] arrives in pieces of any size; each
 *          event, and each member of the root that is wanted, is handed on as one balanced text.
 * Errors:  sticky: brackets that do not match, nesting beyond 64; an element beyond
 *          TRACE_ELEMENT_MAX is skipped and counted.
 */
#ifndef REGIME_TRACE_TEXT_H
#define REGIME_TRACE_TEXT_H

#include "arena.h"
#include "json_slices.h"

/* Events of one trace take some hundred bytes; those with stacks and shapes some thousand. */
#define TRACE_ELEMENT_MAX ((size_t)128 * 1024)
#define TRACE_KEY_MAX 32

struct trace_text {
    struct arena *arena;
    void *context;
    void (*event)(void *context, struct slice event);
    /* A member of the root other than the events. */
    void (*member)(void *context, const char *name, struct slice value);

    uint64_t brackets; /* what is open: a bit per level, 1 for '[' */
    int depth;
    int events_depth;  /* inside the list of events: its depth; 0 outside */
    int element_depth; /* while an element is taken: the depth around it; -1 outside */
    bool in_string, escaped, ended, began, oversized;
    char key[TRACE_KEY_MAX]; /* the last string of the root */
    size_t key_length;
    char *element;
    size_t length, room;
    double skipped; /* elements beyond the limit */
    double bytes;
    const char *error;
};

void trace_text_init(struct trace_text *text, struct arena *arena, void *context);
void trace_text_feed(struct trace_text *text, const char *piece, size_t size);

#endif
