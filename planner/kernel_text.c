/*
 * kernel_text.c - reads a kernel's name into words.
 *
 * Characters are compared as bytes: the locale has no say.
 */
#include "kernel_text.h"

#include <string.h>

#include "compiler.h"

/* Digits of a length in a mangled name: no identifier has more than 9,999 characters. */
#define LENGTH_DIGITS_MAX 4

/* The end of a return type that std::enable_if gives. */
#define CONDITION_END ">::type "

struct span {
    const char *at, *end;
};

static bool is_lower(char c)
{
    return c >= 'a' && c <= 'z';
}

static bool is_upper(char c)
{
    return c >= 'A' && c <= 'Z';
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_letter(char c)
{
    return is_lower(c) || is_upper(c) || is_digit(c);
}

static char lower_of(char c)
{
    if (is_upper(c)) {
        return "abcdefghijklmnopqrstuvwxyz"[c - 'A'];
    }
    return c;
}

static bool is_space(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

/* ---- words ---- */

/* A letter or digit from 0 to 35. */
static unsigned rank_of(char c)
{
    return is_digit(c) ? (unsigned)(c - '0') : 10U + (unsigned)(c - 'a');
}

static unsigned pair_of(char a, char b)
{
    return rank_of(a) * 36U + rank_of(b);
}

static void text_start(struct kernel_text *text)
{
    text->n = 0;
    text->letters[0] = '\0';
    text->edges[0] = EDGE_IDENTIFIER;
    memset(text->pairs, 0, sizeof text->pairs);
}

static void put_edge(struct kernel_text *text, enum kernel_edge edge)
{
    if (text->edges[text->n] < edge) {
        text->edges[text->n] = (unsigned char)edge;
    }
}

static void put_letter(struct kernel_text *text, char c)
{
    if (text->n == KERNEL_LETTERS_MAX) {
        return;
    }
    text->letters[text->n] = lower_of(c);
    if (text->n > 0) {
        unsigned pair = pair_of(text->letters[text->n - 1], text->letters[text->n]);
        text->pairs[pair / 64] |= (uint64_t)1 << (pair % 64);
    }
    text->letters[++text->n] = '\0';
    text->edges[text->n] = EDGE_NONE;
}

/* Whether a word begins at the upper-case c: "topK", "f16Gemm", and the N of "RMSNorm". */
static bool case_changes(char before, char c, char after)
{
    return is_upper(c) &&
           (is_lower(before) || is_digit(before) || (is_upper(before) && is_lower(after)));
}

/* Appends one identifier. */
static void put_identifier(struct kernel_text *text, struct span span)
{
    char before = '\0';

    put_edge(text, EDGE_IDENTIFIER);
    for (const char *c = span.at; c < span.end; c++) {
        if (!is_letter(*c)) {
            put_edge(text, EDGE_WORD);
            before = '\0';
            continue;
        }
        char after = '\0';
        if (c + 1 < span.end) {
            after = c[1];
        }
        if (case_changes(before, *c, after)) {
            put_edge(text, EDGE_WORD);
        }
        put_letter(text, *c);
        before = *c;
    }
    put_edge(text, EDGE_IDENTIFIER);
}

/* Appends the identifiers of a stretch of text. */
static void put_identifiers(struct kernel_text *text, struct span span)
{
    const char *start = NULL;

    for (const char *c = span.at; c < span.end; c++) {
        bool inside = is_letter(*c) || *c == '_';
        if (inside && !start) {
            start = c;
        } else if (!inside && start) {
            put_identifier(text, (struct span){start, c});
            start = NULL;
        }
    }
    if (start) {
        put_identifier(text, (struct span){start, span.end});
    }
}

/* ---- demangled ---- */

static bool starts_with(struct span span, const char *word)
{
    size_t length = strlen(word);
    return (size_t)(span.end - span.at) >= length && memcmp(span.at, word, length) == 0;
}

/* How many characters of a namespace without a name stand at span.at. */
static size_t unnamed_length(struct span span)
{
    static const char *const WORDS[] = {"(anonymous namespace)", "<unnamed>"};

    for (size_t i = 0; i < ARRAY_LEN(WORDS); i++) {
        if (starts_with(span, WORDS[i])) {
            return strlen(WORDS[i]);
        }
    }
    return 0;
}

/* The name without a suffix of the compiler ("... [clone .kd]"). */
static struct span without_clone(struct span name)
{
    for (const char *c = name.at; c < name.end; c++) {
        if (starts_with((struct span){c, name.end}, " [clone")) {
            return (struct span){name.at, c};
        }
    }
    return name;
}

/* Where the kernel stands behind a return type that has conditions, which profilers print whole or
 * in part: "std::enable_if<T2>(int)0&&..., void>::type kernel". */
static const char *behind_condition(struct span name)
{
    if (starts_with(name, "std::enable_if") || starts_with(name, "void std::enable_if")) {
        for (const char *c = name.at; c < name.end; c++) {
            if (starts_with((struct span){c, name.end}, CONDITION_END)) {
                return c + strlen(CONDITION_END);
            }
        }
    }
    return name.at;
}

/* Whether nothing in the name is C++: an operation of a log, or a plain name. */
static bool is_plain(struct span name)
{
    for (const char *c = name.at; c < name.end; c++) {
        if (*c == '<' || *c == '(' || (*c == ':' && c + 1 < name.end && c[1] == ':')) {
            return false;
        }
    }
    return true;
}

/* How deep in brackets the character behind c stands; the `>` of an arrow closes none. */
static size_t depth_after(size_t depth, char before, char c)
{
    if (c == '<' || c == '(') {
        return depth + 1;
    }
    return c == ')' || (c == '>' && before != '-') ? depth - (depth > 0) : depth;
}

/* The component that rest.at continues or, outside brackets, ends; a remark in brackets behind a
 * name ("gemvx (all projections)") leaves it. */
static struct span component_at(struct span own, struct span rest)
{
    const char *c = rest.at, *next = c + 1;

    if (is_letter(*c) || *c == '_') {
        return (struct span){own.end == c ? own.at : c, next};
    }
    if (is_space(*c) && next < rest.end && *next == '(' &&
        unnamed_length((struct span){next, rest.end}) == 0) {
        return own;
    }
    return *c == ':' || is_space(*c) ? (struct span){c, c} : own;
}

/*
 * The last component outside brackets, up to its template arguments or parameters; name->end is
 * moved to where the parameters begin. A name cut within brackets has the component before them.
 */
static struct span own_component(struct span *name)
{
    const char *start = behind_condition(*name);
    struct span own = {start, start};
    size_t depth = 0;
    char before = '\0';

    for (const char *c = start; c < name->end; c++) {
        size_t unnamed = depth == 0 ? unnamed_length((struct span){c, name->end}) : 0;
        if (unnamed > 0) {
            c += unnamed - 1;
            continue;
        }
        if (depth == 0 && *c == '(' && own.end > own.at) {
            name->end = c;
            break;
        }
        if (depth == 0) {
            own = component_at(own, (struct span){c, name->end});
        }
        depth = depth_after(depth, before, *c);
        before = *c;
    }
    return own;
}

/* ---- mangled ---- */

/* A literal's length at rest.at: "Li128E"; 1 when it is none. */
static size_t skip_literal(struct span rest)
{
    if (rest.end - rest.at < 2 || !is_lower(rest.at[1])) {
        return 1;
    }
    const char *digits = rest.at + 2, *c = digits;
    while (c < rest.end && (is_digit(*c) || *c == 'n')) {
        c++;
    }
    return c > digits && c < rest.end && *c == 'E' ? (size_t)(c - rest.at) + 1 : 1;
}

/* A floating type's length at rest.at: "DF16b"; 1 when it is none. */
static size_t skip_float(struct span rest)
{
    const char *c = rest.at + 1;

    if (c == rest.end || *c != 'F') {
        return 1;
    }
    do {
        c++;
    } while (c < rest.end && is_digit(*c));
    return (size_t)(c - rest.at) + (c < rest.end);
}

/* A substitution's or parameter's length at rest.at: "S1_", "T_", "St"; 1 when it is none. */
static size_t skip_substitution(struct span rest)
{
    const char *c = rest.at + 1;

    while (c < rest.end && (is_digit(*c) || is_upper(*c)) && c - rest.at < 4) {
        c++;
    }
    if (c < rest.end && *c == '_') {
        return (size_t)(c - rest.at) + 1;
    }
    return *rest.at == 'S' && rest.at + 1 < rest.end && is_lower(rest.at[1]) ? 2 : 1;
}

/* How many characters to skip of what is no length: their digits would read as one. */
static size_t skip_mangled(struct span rest)
{
    switch (*rest.at) {
    case 'L':
        return skip_literal(rest);
    case 'D':
        return skip_float(rest);
    case 'S':
    case 'T':
        return skip_substitution(rest);
    default:
        return 1;
    }
}

/* The identifier whose length stands at rest->at, which moves behind it. */
static struct span take_identifier(struct span *rest)
{
    size_t length = 0;

    for (int i = 0; i < LENGTH_DIGITS_MAX && rest->at < rest->end && is_digit(*rest->at); i++) {
        length = length * 10 + (size_t)(*rest->at++ - '0');
    }
    size_t left = (size_t)(rest->end - rest->at);
    struct span identifier = {rest->at, rest->at + (length < left ? length : left)};
    rest->at = identifier.end;
    return identifier;
}

/* Reads a name after its "_Z": the own name is the last identifier before anything but another. */
static void read_mangled(struct span rest, struct kernel_text *own, struct kernel_text *all)
{
    struct span last = {rest.at, rest.at};
    bool in_name = true;

    while (rest.at < rest.end) {
        if (is_digit(*rest.at)) {
            struct span identifier = take_identifier(&rest);
            put_identifier(all, identifier);
            last = in_name ? identifier : last;
            continue;
        }
        in_name = in_name && (last.end == last.at || *rest.at == 'N' || *rest.at == 'K');
        rest.at += skip_mangled(rest);
    }
    put_identifiers(own, last);
}

void kernel_text_read(const char *name, size_t length, struct kernel_text *ret_own,
                      struct kernel_text *ret_all)
{
    struct span span = {name, name + length};

    text_start(ret_own);
    text_start(ret_all);
    while (span.at < span.end && is_space(*span.at)) {
        span.at++;
    }
    if (starts_with(span, "_Z")) {
        read_mangled((struct span){span.at + 2, span.end}, ret_own, ret_all);
        return;
    }
    span = without_clone(span);
    if (is_plain(span)) {
        put_identifiers(ret_own, span);
    } else {
        put_identifiers(ret_own, own_component(&span));
    }
    put_identifiers(ret_all, span);
}

bool kernel_text_has_pair(const struct kernel_text *text, char a, char b)
{
    unsigned pair = pair_of(a, b);
    return (text->pairs[pair / 64] >> (pair % 64)) & 1U;
}
