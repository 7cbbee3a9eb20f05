/*
 * csv_text.h - tables as the record files have them: lines of '#', a header, lines of cells.
 *
 * Purpose: one walk for all of them. Nothing is quoted; a cell holds no comma.
 * Ownership: the text is cut in place and lends its cells for the time of the call.
 */
#ifndef REGIME_CSV_TEXT_H
#define REGIME_CSV_TEXT_H

#define CSV_COLUMNS_MAX 24

/* A line: the names of the header and the `n` cells beside them; values is NULL for a line that has
 * not as many cells as the header. */
typedef void csv_row_fn(void *context, const char *const *names, const char *const *values, int n);

/* Calls `row` for each line behind the header. */
void csv_text_each(char *text, csv_row_fn *row, void *context);

/* The cell of a column, or `otherwise` when the table has no such column. */
const char *csv_cell_or(const char *const *names, const char *const *values, int n,
                        const char *name, const char *otherwise);

#endif
