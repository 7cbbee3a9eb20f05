/*
 * record_parts.h - the catalogue of a store as the files of db/records/ hold it, part by part.
 *
 * Purpose: one table says which records stand in which file and how a row becomes its text; what
 *          writes a folder and what compares two stores walk it.
 * Ownership: texts are lent for the time of the call.
 * Errors:  false when the database cannot be read or memory is short.
 *
 * Not in it: cost classes, regimes and cures (the planner's own tables), sources that a record
 * names (they stand with it), tokens, counters and the trail of revisions.
 */
#ifndef REGIME_RECORD_PARTS_H
#define REGIME_RECORD_PARTS_H

#include <cjson/cJSON.h>
#include <sqlite3.h>
#include <stdbool.h>

#include "compiler.h"

/* How a part's rows are written. */
enum part_form {
    PART_ARRAY,   /* a JSON array */
    PART_TABLE,   /* a CSV file, a column per member */
    PART_TABLES,  /* CSV files, one for each set of columns, their number for '*' in its name */
    PART_BY_ID,   /* a JSON array of one, its id for '*' */
    PART_NUMBERED /* JSON arrays of PART_ROWS_MAX, their number for '*' */
};

#define PART_ROWS_MAX 1000

/* Takes an object's text, compact, and the id it has among those of the part; false ends the walk.
 */
typedef bool part_row_fn(void *ctx, const char *id, const char *text);

struct record_part {
    const char *kind; /* "model", "prediction", ... */
    const char *file; /* below the folder */
    enum part_form form;
    bool optional;              /* no file when there is nothing in it */
    const char *const *columns; /* of a table; NULL ends; NULL: those of its first row */
    const char *sql;            /* rows (id, text, ...) in the order of the file */
    const char *detail;         /* what `make` looks up for each row; NULL = nothing */
    /* Makes the text of a row; NULL: it is the second column as it is. */
    char *(*make)(sqlite3_stmt *detail, sqlite3_stmt *row);
};

const struct record_part *record_parts(int *ret_n);

MUST_USE bool record_part_walk(sqlite3 *db, const struct record_part *part, part_row_fn *take,
                               void *ctx);

#endif
