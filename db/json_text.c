#include "json_text.h"

#include <string.h>

static bool is_space(char c)
{
    return c == ' ' || c == '\n' || c == '\t' || c == '\r';
}

static void skip_space(struct json_walk *walk)
{
    while (walk->at < walk->end && is_space(*walk->at)) {
        walk->at++;
    }
}

/* Moves behind the string that starts at the cursor. */
static void skip_string(struct json_walk *walk)
{
    walk->at++;
    while (walk->at < walk->end && *walk->at != '"') {
        walk->at += *walk->at == '\\' ? 2 : 1;
    }
    if (walk->at < walk->end) {
        walk->at++;
    }
    if (walk->at > walk->end) {
        walk->at = walk->end;
    }
}

/* Moves behind the value at the cursor: up to a comma or a closing bracket of the level above. */
static void skip_value(struct json_walk *walk)
{
    int depth = 0;
    while (walk->at < walk->end) {
        char c = *walk->at;
        if (c == '"') {
            skip_string(walk);
            continue;
        }
        if (depth == 0 && (c == ',' || c == ']' || c == '}')) {
            return;
        }
        if (c == '[' || c == '{') {
            depth++;
        } else if (c == ']' || c == '}') {
            depth--;
        }
        walk->at++;
    }
}

struct json_walk json_walk_start(const char *text, size_t length)
{
    struct json_walk walk = {text, text + length};
    skip_space(&walk);
    if (walk.at < walk.end) {
        walk.at++;
    }
    return walk;
}

bool json_walk_element(struct json_walk *walk, struct json_span *ret_value)
{
    skip_space(walk);
    if (walk->at < walk->end && *walk->at == ',') {
        walk->at++;
        skip_space(walk);
    }
    if (walk->at >= walk->end || *walk->at == ']' || *walk->at == '}') {
        return false;
    }
    const char *start = walk->at;
    skip_value(walk);
    const char *stop = walk->at;
    while (stop > start && is_space(stop[-1])) {
        stop--;
    }
    *ret_value = (struct json_span){start, (size_t)(stop - start)};
    return true;
}

bool json_walk_member(struct json_walk *walk, struct json_span *ret_name,
                      struct json_span *ret_value)
{
    skip_space(walk);
    if (walk->at < walk->end && *walk->at == ',') {
        walk->at++;
        skip_space(walk);
    }
    if (walk->at >= walk->end || *walk->at != '"') {
        return false;
    }
    const char *name = walk->at;
    skip_string(walk);
    struct json_span quoted = {name + 1, (size_t)(walk->at - name) - 2};
    skip_space(walk);
    if (walk->at >= walk->end || *walk->at != ':') {
        return false;
    }
    walk->at++;
    if (!json_walk_element(walk, ret_value)) {
        return false;
    }
    *ret_name = quoted;
    return true;
}

bool json_span_is(struct json_span span, const char *word)
{
    return span.length == strlen(word) && memcmp(span.text, word, span.length) == 0;
}

size_t json_text_compact(char *text, size_t length)
{
    struct json_walk walk = {text, text + length};
    size_t used = 0;
    while (walk.at < walk.end) {
        const char *start = walk.at;
        if (*start == '"') {
            skip_string(&walk);
            memmove(text + used, start, (size_t)(walk.at - start));
            used += (size_t)(walk.at - start);
            continue;
        }
        if (!is_space(*start)) {
            text[used++] = *start;
        }
        walk.at++;
    }
    return used;
}
