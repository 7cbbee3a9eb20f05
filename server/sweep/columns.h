/*
 * columns.h - the columns that a sweep can give: one row each.
 *
 * Purpose: name, kind and place of a figure of a plan, so that a table of plans is a table of rows.
 * Units:   in the names, as in a plan's reply.
 * Ownership: texts of cells are static or the catalogue's.
 * Threads: the table is constant.
 */
#ifndef REGIME_COLUMNS_H
#define REGIME_COLUMNS_H

#include <stdbool.h>

#include "fault.h"
#include "plan.h"

enum cell_kind { CELL_NUMBER, CELL_TEXT, CELL_BOOL };

/* One value of a table: by its column's kind; NAN and NULL = none, a truth is 1 or 0. */
union cell {
    double number;
    const char *text;
};

struct column_row;

struct column {
    const struct column_row *row;
    const char *name;
};

/* Finds a column by name; false, with a fault at `pointer`, when there is none of that name. */
bool column_find(struct faults *faults, const char *pointer, const char *name,
                 struct column *ret_column);

enum cell_kind column_kind(const struct column *column);

/* How deep a plan must go for it. */
enum plan_depth column_depth(const struct column *column);

/* The value of a plan. */
union cell column_cell(const struct column *column, const struct plan *plan);

/* The value of a plan that there is none of. */
union cell column_nothing(const struct column *column);

/* All columns in order, for documents: the name of that place, from 0, NULL past the end; and what
 * it is. */
const char *column_name(int index);
const char *column_doc(int index);

#endif
