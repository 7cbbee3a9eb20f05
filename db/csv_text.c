#include "csv_text.h"

#include <stddef.h>
#include <string.h>

/* Cuts a line at its commas, in place; the number of its cells, of which `max` are kept. */
static int split(char *line, const char **ret_cells, int max)
{
    int n = 0;
    for (char *cell = line; cell; n++) {
        char *comma = strchr(cell, ',');
        if (comma) {
            *comma = '\0';
        }
        if (n < max) {
            ret_cells[n] = cell;
        }
        cell = comma ? comma + 1 : NULL;
    }
    return n;
}

/* Ends the line in place; the next one, NULL past the last. */
static char *cut_line(char *line)
{
    char *end = strchr(line, '\n');
    if (end) {
        *end++ = '\0';
    }
    return end;
}

void csv_text_each(char *text, csv_row_fn *row, void *context)
{
    const char *names[CSV_COLUMNS_MAX] = {NULL};
    const char *values[CSV_COLUMNS_MAX] = {NULL};
    int n = 0;
    char *next = NULL;
    for (char *line = text; line && *line; line = next) {
        next = cut_line(line);
        if (*line == '#' || *line == '\0') {
            continue;
        }
        if (n == 0) {
            n = split(line, names, CSV_COLUMNS_MAX);
            continue;
        }
        int cells = split(line, values, CSV_COLUMNS_MAX);
        row(context, names, cells == n && n <= CSV_COLUMNS_MAX ? values : NULL, n);
    }
}

const char *csv_cell_or(const char *const *names, const char *const *values, int n,
                        const char *name, const char *otherwise)
{
    for (int i = 0; i < n; i++) {
        if (strcmp(names[i], name) == 0) {
            return values[i];
        }
    }
    return otherwise;
}
