#include "scrape_text.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "compiler.h"

/* Longest text of a number; "1.7382173358407154e+09" has 22. */
#define NUMBER_MAX 40
#define MS_PER_S 1e3
/* Timestamps below this are seconds (OpenMetrics), others milliseconds (0.0.4): year 2286 against
 * April 1970. */
#define SECONDS_BELOW 1e10

static const char *const TYPES[] = {"counter", "gauge", "histogram", "summary",       "untyped",
                                    "unknown", "info",  "stateset",  "gaugehistogram"};

void scrape_begin(struct scrape_reader *reader, const char *text, size_t length)
{
    reader->at = text;
    reader->end = text + length;
    reader->n_labels = 0;
}

bool scrape_is(struct scrape_word word, const char *text)
{
    return strlen(text) == word.length && memcmp(word.text, text, word.length) == 0;
}

struct scrape_word scrape_label(const struct scrape_reader *reader, const char *name)
{
    for (int i = 0; i < reader->n_labels; i++)
        if (scrape_is(reader->labels[i].name, name))
            return reader->labels[i].value;
    return (struct scrape_word){NULL, 0};
}

static bool is_name_character(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == ':';
}

static const char *skip_blanks(const char *at, const char *end)
{
    while (at < end && (*at == ' ' || *at == '\t'))
        at++;
    return at;
}

/* The word at `at`, up to a blank. */
static struct scrape_word word_at(const char *at, const char *end)
{
    const char *from = at;

    while (at < end && *at != ' ' && *at != '\t')
        at++;
    return (struct scrape_word){from, (size_t)(at - from)};
}

static struct scrape_word name_at(const char *at, const char *end)
{
    const char *from = at;

    while (at < end && is_name_character(*at))
        at++;
    return (struct scrape_word){from, (size_t)(at - from)};
}

static bool is_type(struct scrape_word word)
{
    for (size_t i = 0; i < ARRAY_LEN(TYPES); i++)
        if (scrape_is(word, TYPES[i]))
            return true;
    return false;
}

/* A number of the format; false when the word is none. NaN and infinities are numbers. */
static bool read_number(struct scrape_word word, double *ret_value)
{
    char text[NUMBER_MAX];
    char *end;

    /* strtod() takes hexadecimal and "nan(...)" too: digits, signs and the words of the format. */
    if (word.length == 0 || word.length >= sizeof(text) || memchr(word.text, 'x', word.length) ||
        memchr(word.text, 'X', word.length) || memchr(word.text, '(', word.length))
        return false;
    memcpy(text, word.text, word.length);
    text[word.length] = '\0';
    *ret_value = strtod(text, &end);
    return *end == '\0' && end != text;
}

/* "# HELP name text", "# TYPE name type", anything else is a comment. */
static enum scrape_line read_comment(struct scrape_reader *reader, const char *at, const char *end)
{
    struct scrape_word key = word_at(at = skip_blanks(at + 1, end), end);
    bool help = scrape_is(key, "HELP");

    if (!help && !scrape_is(key, "TYPE")) {
        reader->rest = (struct scrape_word){key.text, (size_t)(end - key.text)};
        return SCRAPE_COMMENT;
    }
    at = skip_blanks(key.text + key.length, end);
    reader->name = word_at(at, end);
    at = skip_blanks(at + reader->name.length, end);
    reader->rest = (struct scrape_word){at, (size_t)(end - at)};
    if (!reader->name.length)
        return SCRAPE_UNKNOWN;
    return help ? SCRAPE_HELP : SCRAPE_TYPE;
}

/* The quoted text at `at` (on its quote) without escapes, copied to *to; where it ends, NULL when
 * nothing closes it. */
static const char *read_quoted(const char *at, const char *end, char **to,
                               struct scrape_word *ret_word)
{
    char *from = *to;

    for (at++; at < end && *at != '"'; at++) {
        if (*at == '\\' && at + 1 < end) {
            at++;
            *(*to)++ = *at;
            if (*at == 'n')
                (*to)[-1] = '\n';
        } else {
            *(*to)++ = *at;
        }
    }
    *ret_word = (struct scrape_word){from, (size_t)(*to - from)};
    return at < end ? at + 1 : NULL;
}

/* One label at `at`, or a metric's name in quotes; NULL when there is none. */
static const char *read_label(struct scrape_reader *reader, const char *at, const char *end,
                              char **to)
{
    struct scrape_label label = {.name = name_at(at, end)};

    if (*at == '"') {
        at = read_quoted(at, end, to, &label.name);
        if (!at)
            return NULL;
    } else {
        at += label.name.length;
    }
    at = skip_blanks(at, end);
    if (at == end || *at != '=') {
        if (at < end && label.name.length && !reader->name.length && (*at == ',' || *at == '}')) {
            reader->name = label.name;
            return at;
        }
        return NULL;
    }
    at = skip_blanks(at + 1, end);
    if (at == end || *at != '"' || !label.name.length)
        return NULL;
    at = read_quoted(at, end, to, &label.value);
    if (at && reader->n_labels < SCRAPE_LABELS_MAX)
        reader->labels[reader->n_labels++] = label;
    return at;
}

/* The labels at `at` (on the brace); where they end, NULL when they are no labels. Documents leave
 * some out: "..." stands for them. */
static const char *read_labels(struct scrape_reader *reader, const char *at, const char *end)
{
    char *to = reader->values;

    at = skip_blanks(at + 1, end);
    while (at < end && *at != '}') {
        if (*at == '.') {
            while (at < end && *at == '.')
                at++;
        } else {
            at = read_label(reader, at, end, &to);
        }
        if (!at)
            return NULL;
        at = skip_blanks(at, end);
        if (at < end && *at == ',')
            at = skip_blanks(at + 1, end);
    }
    return at < end ? at + 1 : NULL;
}

/* A sample, or a family's name and type. What follows " # " is an exemplar. */
static enum scrape_line read_sample(struct scrape_reader *reader, const char *at, const char *end)
{
    double at_time = NAN;

    reader->name = name_at(at, end);
    at += reader->name.length;
    at = skip_blanks(at, end);
    if (at < end && *at == '{')
        at = read_labels(reader, at, end);
    if (!at || !reader->name.length)
        return SCRAPE_UNKNOWN;
    at = skip_blanks(at, end);
    struct scrape_word value = word_at(at, end);
    if (!read_number(value, &reader->value)) {
        reader->rest = value;
        bool typed = reader->n_labels == 0 && is_type(value) && at + value.length == end;
        return typed ? SCRAPE_TYPE : SCRAPE_UNKNOWN;
    }
    struct scrape_word time = word_at(skip_blanks(at + value.length, end), end);
    if (time.length && time.text[0] != '#') {
        if (!read_number(time, &at_time))
            return SCRAPE_UNKNOWN;
        reader->at_ms = at_time < SECONDS_BELOW ? at_time * MS_PER_S : at_time;
    }
    return SCRAPE_SAMPLE;
}

enum scrape_line scrape_next(struct scrape_reader *reader)
{
    const char *at = reader->at;

    reader->n_labels = 0;
    reader->at_ms = NAN;
    reader->value = NAN;
    reader->name = reader->rest = (struct scrape_word){at, 0};
    if (at >= reader->end)
        return SCRAPE_END;
    const char *line_end = memchr(at, '\n', (size_t)(reader->end - at));
    reader->cut = !line_end;
    if (!line_end)
        line_end = reader->end;
    reader->at = line_end + (line_end < reader->end);
    while (line_end > at && isspace((unsigned char)line_end[-1]))
        line_end--;
    at = skip_blanks(at, line_end);
    if (at == line_end)
        return SCRAPE_BLANK;
    if (*at == '#')
        return read_comment(reader, at, line_end);
    if ((size_t)(line_end - at) < SCRAPE_LINE_MAX) {
        enum scrape_line kind = read_sample(reader, at, line_end);
        if (kind != SCRAPE_UNKNOWN)
            return kind;
    }
    reader->name = name_at(at, line_end);
    if (!reader->name.length)
        reader->name = word_at(at, line_end);
    reader->rest = (struct scrape_word){at, (size_t)(line_end - at)};
    return SCRAPE_UNKNOWN;
}
