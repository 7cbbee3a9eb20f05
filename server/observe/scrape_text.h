/*
 * scrape_text.h - the Prometheus text format (0.0.4) and OpenMetrics, line by line.
 *
 * Purpose: one pass over a scrape as it stands on a screen: excerpts, cut lines, CRLF, lists of
 *          families without samples. Labels may hold quotes, braces and escapes.
 * Ownership: texts of a line are valid until the next one is read, those of the input as long as
 *          the input is.
 * Errors:  none; a line that is not understood is a kind of line.
 * Source:  https://prometheus.io/docs/instrumenting/exposition_formats/ and
 *          https://github.com/prometheus/OpenMetrics (specification 1.0).
 */
#ifndef REGIME_SCRAPE_TEXT_H
#define REGIME_SCRAPE_TEXT_H

#include <stdbool.h>
#include <stddef.h>

#define SCRAPE_LABELS_MAX 48
/* A line's label values without their escapes; longer lines are not understood. */
#define SCRAPE_LINE_MAX 16384

enum scrape_line {
    SCRAPE_END,
    SCRAPE_BLANK,
    SCRAPE_COMMENT,
    SCRAPE_HELP,
    SCRAPE_TYPE, /* also "name gauge" without "# TYPE", as lists of families have it */
    SCRAPE_SAMPLE,
    SCRAPE_UNKNOWN,
};

/* A piece of text that no NUL ends. */
struct scrape_word {
    const char *text;
    size_t length;
};

struct scrape_label {
    struct scrape_word name, value;
};

struct scrape_reader {
    const char *at, *end;
    /* Of the last line: */
    struct scrape_word name; /* family of HELP and TYPE, name of a sample, what begins an unknown */
    struct scrape_word rest; /* text of HELP and of comments, type of TYPE, an unknown line */
    struct scrape_label labels[SCRAPE_LABELS_MAX];
    int n_labels;
    double value; /* NAN is a value too */
    double at_ms; /* timestamp, NAN = none */
    bool cut;     /* the text ended within this line */
    char values[SCRAPE_LINE_MAX];
};

/* Begins at text[0..length). */
void scrape_begin(struct scrape_reader *reader, const char *text, size_t length);

/* Reads the next line. */
enum scrape_line scrape_next(struct scrape_reader *reader);

/* Whether a word is this text. */
bool scrape_is(struct scrape_word word, const char *text);

/* The value of a label; {NULL, 0} when there is none. */
struct scrape_word scrape_label(const struct scrape_reader *reader, const char *name);

#endif
