#include "hf_pattern.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hf_regex.h"

#define NAME_MAX_BYTES 160

/* What stands before "layers." in the names of a language model's modules, and the word without
 * which a pattern means the same under "model." */
static const struct prefix {
    const char *text, *word;
} PREFIXES[] = {
    {"model.", ""},
    {"model.language_model.", "language_model"},
    {"language_model.model.", "language_model"},
    {"language_model.", "language_model"},
    {"backbone.", "backbone"},
    {"transformer.", "transformer"},
    {"model.decoder.", "decoder"},
    {"", ""},
};

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Where "layers.<number>" or "h.<number>" begins as whole components; NULL. */
static const char *find_layer(const char *text, int *ret_layer)
{
    static const char *const WORDS[] = {"layers.", "h.", "blocks."};
    for (const char *at = text; *at; at++) {
        if (at > text && at[-1] != '.')
            continue;
        for (size_t i = 0; i < ARRAY_LEN(WORDS); i++) {
            size_t length = strlen(WORDS[i]);
            if (strncmp(at, WORDS[i], length) == 0 && is_digit(at[length])) {
                long layer = strtol(at + length, NULL, 10);
                *ret_layer = layer < 100000 ? (int)layer : 100000;
                return at;
            }
        }
    }
    return NULL;
}

static bool is_prefix(const char *text, size_t length)
{
    for (size_t i = 0; i < ARRAY_LEN(PREFIXES); i++) {
        const char *prefix = PREFIXES[i].text;
        if (strlen(prefix) == length && strncmp(prefix, text, length) == 0)
            return true;
    }
    return false;
}

static unsigned find_prefixes(const char *text)
{
    unsigned bits = 0;
    for (size_t i = 0; i < ARRAY_LEN(PREFIXES); i++) {
        if (strstr(text, PREFIXES[i].word))
            bits |= 1u << i;
    }
    return bits;
}

/* A name with a layer's number: what stands behind the number of that layer. */
static bool read_part(struct arena *arena, const char *text, struct hf_pattern *pattern)
{
    const char *at = find_layer(text, &pattern->layer);
    if (!at) {
        pattern->text = text;
        return true;
    }
    if (strstr(text, "mtp.") && strstr(text, "mtp.") < at) {
        pattern->layer = -1;
        pattern->text = strstr(text, "mtp.");
        return true;
    }
    if (!is_prefix(text, (size_t)(at - text)))
        pattern->kind = HF_PATTERN_NONE;
    pattern->text = arena_printf(arena, "layers.%s", strchr(at, '.') + 1);
    return pattern->text != NULL;
}

/* Characters that only expressions have. */
static bool looks_regex(const char *text)
{
    return strpbrk(text, "\\^$()[]|+") != NULL || strstr(text, ".*") == text;
}

bool hf_pattern_read(struct arena *arena, const char *text, bool regex,
                     struct hf_pattern *ret_pattern)
{
    struct hf_pattern pattern = {
        .kind = HF_PATTERN_PART, .layer = -1, .text = text, .prefixes = find_prefixes(text)};
    bool marked = strncmp(text, "re:", 3) == 0;
    const char *expression = marked ? text + 3 : text;
    bool read = true;
    if (marked || regex || looks_regex(text)) {
        pattern.regex = hf_regex_compile(arena, expression);
        pattern.kind = pattern.regex ? HF_PATTERN_REGEX : HF_PATTERN_UNREAD;
    } else if (strchr(text, '*')) {
        pattern.kind = HF_PATTERN_GLOB;
    } else {
        read = read_part(arena, text, &pattern);
    }
    *ret_pattern = pattern;
    return read;
}

/* '*' stands for any text; linear in name for each asterisk. */
static bool glob_matches(const char *glob, const char *name, size_t length)
{
    const char *star = NULL;
    size_t at = 0, mark = 0;
    while (at < length) {
        if (*glob == '*') {
            star = glob++;
            mark = at;
        } else if (*glob && (*glob == name[at] || *glob == '?')) {
            glob++;
            at++;
        } else if (star) {
            glob = star + 1;
            at = ++mark;
        } else {
            return false;
        }
    }
    while (*glob == '*')
        glob++;
    return !*glob;
}

/* The whole name or one of the modules around it. */
static bool glob_around(const char *glob, const char *name)
{
    size_t length = strlen(name);
    while (length > 0) {
        if (glob_matches(glob, name, length))
            return true;
        do {
            length--;
        } while (length > 0 && name[length] != '.');
    }
    return false;
}

/* `part` as whole components somewhere in `name`. */
static bool has_part(const char *name, const char *part)
{
    size_t length = strlen(part);
    if (length == 0)
        return false;
    for (const char *at = strstr(name, part); at; at = strstr(at + 1, part)) {
        bool begins = at == name || at[-1] == '.';
        bool ends = at[length] == '\0' || at[length] == '.';
        if (begins && ends)
            return true;
    }
    return false;
}

bool hf_pattern_matches(const struct hf_pattern *pattern, const char *name, long *visits)
{
    char full[NAME_MAX_BYTES];
    ++*visits;
    if (pattern->kind == HF_PATTERN_NONE || pattern->kind == HF_PATTERN_UNREAD)
        return false;
    if (pattern->kind == HF_PATTERN_PART && pattern->layer >= 0)
        return has_part(name, pattern->text);
    for (size_t i = 0; i < ARRAY_LEN(PREFIXES); i++) {
        if (!(pattern->prefixes >> i & 1u))
            continue;
        int length = snprintf(full, sizeof(full), "%s%s", PREFIXES[i].text, name);
        if (length < 0 || (size_t)length >= sizeof(full))
            continue;
        bool found = pattern->kind == HF_PATTERN_PART ? has_part(full, pattern->text)
                     : pattern->kind == HF_PATTERN_GLOB
                         ? glob_around(pattern->text, full)
                         : hf_regex_matches(pattern->regex, full, visits);
        if (found)
            return true;
    }
    return false;
}
