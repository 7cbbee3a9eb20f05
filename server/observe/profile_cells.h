/*
 * profile_cells.h - cells of the tables that profilers print, and the numbers in them.
 *
 * Purpose: columns apart by bars, commas, tabs or runs of blanks; numbers with thousands
 *          separators, decimal commas, units behind them, "~" and "<" before them.
 * Ownership: slices of the line.
 * Errors:  none: a cell without a number has none.
 */
#ifndef REGIME_PROFILE_CELLS_H
#define REGIME_PROFILE_CELLS_H

#include "compiler.h"
#include "json_slices.h"

#define CELLS_MAX 40

enum cell_style { CELLS_BARS, CELLS_COMMAS, CELLS_SEMICOLONS, CELLS_TABS, CELLS_BLANKS };

struct cells {
    struct slice cell[CELLS_MAX]; /* without the blanks around them, quotes removed */
    int n;
};

/* How the columns of a line are apart. */
enum cell_style cell_style_of(struct slice line);

/* Cuts a line into at most `max` cells; the last one holds the rest. A quoted cell's doubled quotes
 * stay doubled. */
void cells_cut(struct slice line, enum cell_style style, int max, struct cells *ret_cells);

enum cell_unit { UNIT_NONE, UNIT_NS, UNIT_US, UNIT_MS, UNIT_S, UNIT_PERCENT };

struct cell_number {
    double value; /* NAN: none */
    enum cell_unit unit;
    bool is_bound; /* "<0.1%", or the first of a range: "15us to 122us" */
};

struct cell_number cell_number_of(struct slice cell);

/* Microseconds of a value in that unit; NAN where the unit is none of time. */
double cell_us(double value, enum cell_unit unit);

/* Whether the line is a rule: dashes, equals signs, plus signs and bars alone. */
bool line_is_rule(struct slice line);

struct slice slice_trimmed(struct slice slice);

/* Whether text stands in the slice, any case. */
bool slice_holds(struct slice slice, const char *text);

#endif
