#include "trace_text.h"

#include <string.h>

#define DEPTH_MAX 64
#define ELEMENT_START 4096

void trace_text_init(struct trace_text *text, struct arena *arena, void *context)
{
    *text = (struct trace_text){.arena = arena, .context = context, .element_depth = -1};
}

/* Adds bytes to the element that is taken. */
static void keep(struct trace_text *text, const char *from, size_t size)
{
    if (text->oversized || size == 0)
        return;
    if (text->length + size > TRACE_ELEMENT_MAX) {
        text->oversized = true;
        return;
    }
    if (text->length + size > text->room) {
        size_t room = text->room ? text->room : ELEMENT_START;
        while (room < text->length + size)
            room *= 2;
        char *wider = arena_alloc_raw(text->arena, room);
        if (!wider) {
            text->error = "out of memory";
            return;
        }
        if (text->length > 0)
            memcpy(wider, text->element, text->length);
        text->element = wider;
        text->room = room;
    }
    memcpy(text->element + text->length, from, size);
    text->length += size;
}

/* The element is complete: element_depth says whether it is an event or a member of the root. */
static void hand_on(struct trace_text *text, struct slice element)
{
    if (text->oversized)
        text->skipped++;
    else if (text->events_depth)
        text->event(text->context, element);
    else
        text->member(text->context, text->key, element);
    text->element_depth = -1;
    text->oversized = false;
    text->length = 0;
}

static void open_bracket(struct trace_text *text, bool list)
{
    if (text->depth == DEPTH_MAX) {
        text->error = "it nests deeper than 64";
        return;
    }
    if (text->ended) {
        text->error = "something stands behind the end of the JSON text";
        return;
    }
    bool root_is_list = text->depth == 0 && list;
    bool is_events = text->depth == 1 && list && !text->events_depth && !(text->brackets & 1) &&
                     strcmp(text->key, "traceEvents") == 0;
    uint64_t bit = UINT64_C(1) << text->depth;
    text->brackets = list ? text->brackets | bit : text->brackets & ~bit;
    text->depth++;
    text->began = true;
    if (root_is_list || is_events)
        text->events_depth = text->depth;
}

static void close_bracket(struct trace_text *text, bool list)
{
    bool open_list = text->depth > 0 && (text->brackets >> (text->depth - 1) & 1);

    if (text->depth == 0 || open_list != list) {
        text->error = "a bracket closes what is not open";
        return;
    }
    if (text->events_depth == text->depth)
        text->events_depth = 0;
    text->depth--;
    text->ended = text->depth == 0;
}

/* Whether the bracket that opens now begins an element. */
static bool begins_element(const struct trace_text *text, bool list)
{
    if (text->element_depth >= 0)
        return false;
    if (text->events_depth)
        return text->depth == text->events_depth;
    return text->depth == 1 && !(text->brackets & 1) &&
           !(list && strcmp(text->key, "traceEvents") == 0);
}

/* Behind the string that goes on at `at`, or `end` while it does not close. */
static const char *pass_string(struct trace_text *text, const char *at, const char *end)
{
    bool is_key = text->depth == 1 && text->element_depth < 0 && !text->events_depth;

    for (; at < end; at++) {
        while (!is_key && !text->escaped && at < end && *at != '"' && *at != '\\')
            at++;
        if (at == end)
            break;
        char c = *at;
        if (text->escaped) {
            text->escaped = false;
        } else if (c == '\\') {
            text->escaped = true;
        } else if (c == '"') {
            text->in_string = false;
            return at + 1;
        }
        if (is_key && text->key_length < TRACE_KEY_MAX - 1) {
            text->key[text->key_length++] = c;
            text->key[text->key_length] = '\0';
        }
    }
    return end;
}

static void begin_string(struct trace_text *text)
{
    text->in_string = true;
    if (text->depth == 1 && text->element_depth < 0) {
        text->key_length = 0;
        text->key[0] = '\0';
    }
    if (text->depth == 0)
        text->error = "it is no object or list";
}

/* Behind an element that ends at `at`; most lie whole in one piece, and nothing is copied. */
static void end_element(struct trace_text *text, const char *taken, const char *at)
{
    size_t size = (size_t)(at - taken);

    if (text->length == 0 && !text->oversized) {
        hand_on(text, (struct slice){taken, size});
        return;
    }
    keep(text, taken, size);
    hand_on(text, (struct slice){text->element, text->length});
}

/* A character outside of strings; *taken is where the element in this piece begins. */
static void take_mark(struct trace_text *text, const char *at, const char **taken)
{
    switch (*at) {
    case '"':
        begin_string(text);
        return;
    case '{':
    case '[':
        if (begins_element(text, *at == '[')) {
            text->element_depth = text->depth;
            *taken = at;
        }
        open_bracket(text, *at == '[');
        return;
    case '}':
    case ']':
        close_bracket(text, *at == ']');
        if (text->depth == text->element_depth)
            end_element(text, *taken, at + 1);
        return;
    default:
        return;
    }
}

void trace_text_feed(struct trace_text *text, const char *piece, size_t size)
{
    const char *at = piece, *end = piece + size, *taken = piece;

    text->bytes += (double)size;
    while (at < end && !text->error) {
        if (text->in_string)
            at = pass_string(text, at, end);
        else
            take_mark(text, at++, &taken);
    }
    if (text->element_depth >= 0 && !text->error)
        keep(text, taken, (size_t)(at - taken));
}
