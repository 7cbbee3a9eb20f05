/*
 * text_layout.h - cells, bars and wrapped paragraphs for a terminal of 100 columns.
 *
 * Purpose: alignment by columns (characters, not bytes), bars of block or ASCII characters.
 * Errors:  the writer's.
 * Threads: pure.
 */
#ifndef REGIME_TEXT_LAYOUT_H
#define REGIME_TEXT_LAYOUT_H

#include <stdbool.h>

#include "json_out.h"
#include "phrase.h"

#define TEXT_COLUMNS 100

/* Columns that a UTF-8 text takes, one per character. */
int text_columns(const char *text);

/* The text, padded to `width` columns on its right or, with `right`, on its left; a longer one is
 * kept whole. */
void text_cell(struct json_out *out, const char *text, int width, bool right);
void text_cell_phrase(struct json_out *out, struct phrase *phrase, int width, bool right);

void text_spaces(struct json_out *out, int n);
void text_repeat(struct json_out *out, const char *character, int n);

/* A bar of `width` columns, `share` of it filled to an eighth of a column (ASCII: whole ones). */
void text_bar(struct json_out *out, double share, int width, bool ascii);

/*
 * Makes what was written since `from` safe for a terminal, in place: '?' for control characters but
 * the line end, for those that turn or break the direction of a line, for bytes that are no UTF-8,
 * and in ASCII for everything else that is none.
 */
void text_clean(struct json_out *out, size_t from, bool ascii);

/* A paragraph broken at blanks of any kind to TEXT_COLUMNS, lines after the first indented; ends
 * the line. `column` is where the first line already stands. */
void text_wrap(struct json_out *out, const char *text, int column, int indent);

#endif
