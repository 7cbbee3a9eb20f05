/*
 * grid.h - a sweep: a base request, axes of leaves, and the columns that are wanted of each point.
 *
 * Purpose: read the question; evaluate any of its points. Points count row by row: the last axis
 *          turns fastest.
 * Ownership: a grid lies in the request's arena and borrows from the parsed body and the catalogue.
 * Errors:  faults. A point whose leaves do not go together is no fault: it has a reason instead of
 *          values.
 * Threads: a grid is constant once it is read; each worker belongs to one thread.
 */
#ifndef REGIME_GRID_H
#define REGIME_GRID_H

#include "columns.h"
#include "plan_request.h"
#include "routes.h"

#define GRID_AXES_MAX 8
#define GRID_COLUMNS_MAX 64

struct cJSON;

/* A value of an axis, and how it stands in a reply. */
struct axis_value {
    const struct cJSON *json;
    const char *json_text, *csv_text; /* the latter with its comma in front */
};

struct axis {
    int row; /* of PLAN_FIELDS */
    const char *pointer;
    const struct axis_value *values;
    int n;
};

struct grid {
    const struct catalogue *catalogue;
    struct plan_request base;
    struct axis axes[GRID_AXES_MAX];
    int n_axes;
    struct column columns[GRID_COLUMNS_MAX];
    int n_columns;
    long n_points;
    enum plan_depth depth;
    bool replays; /* loads are replayed, as a plan does; else the closed form stands */
};

/*
 * Reads the body {"base", "axes", "columns", "replay"} into *grid, which must be zeroed; `faults`
 * may already hold some, `own` are the n_own arguments of the route itself. False when a reply has
 * been written.
 */
MUST_USE bool grid_read(struct context *ctx, struct faults *faults, const char *const *own,
                        int n_own, struct grid *grid);

/* The place of a point on an axis. */
int grid_index(const struct grid *grid, long point, int axis);

/* One thread's memory for evaluating points. */
struct grid_worker;

/* NULL when out of memory. */
struct grid_worker *grid_worker_new(const struct grid *grid);
void grid_worker_free(struct grid_worker *worker);

/*
 * Evaluates a point into grid->n_columns cells. NULL, or why there are none; the reason lives until
 * the next point.
 */
const char *grid_point(struct grid_worker *worker, long point, union cell *ret_cells);

/* Frees what points left behind; due every few hundred of them. */
void grid_worker_reset(struct grid_worker *worker);

#endif
