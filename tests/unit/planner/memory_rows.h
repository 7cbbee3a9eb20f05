/*
 * memory_rows.h - constants of one engine's memory rule for a test, in the place of the sample
 * library's.
 */
#ifndef REGIME_MEMORY_ROWS_H
#define REGIME_MEMORY_ROWS_H

#include "memory.h"
#include "sample_rig.h"

#define MEMORY_ROWS_MAX 8

struct memory_row {
    enum memory_constant_id constant;
    double value;
};

/* Of one test: rows of constants that hold for every version and part. */
struct memory_rows {
    struct memory_constant rows[MEMORY_ROWS_MAX];
    struct memory_constants constants;
    struct library lib;
};

static inline void memory_rows_fill(struct memory_rows *rows, const struct library *lib,
                                    enum memory_rule engine, const struct memory_row *values, int n)
{
    for (int i = 0; i < n; i++)
        rows->rows[i] = (struct memory_constant){.id = "sample",
                                                 .position = i,
                                                 .engine = engine,
                                                 .constant = values[i].constant,
                                                 .class = HW_CLASS_COUNT,
                                                 .fabric = -1,
                                                 .tp_min = (double)NAN,
                                                 .tp_max = (double)NAN,
                                                 .pp_min = (double)NAN,
                                                 .pp_max = (double)NAN,
                                                 .value = values[i].value,
                                                 .low = values[i].value,
                                                 .high = values[i].value,
                                                 .basis = BASIS_CALIBRATED};
    qsort(rows->rows, (size_t)n, sizeof(rows->rows[0]), memory_constant_order);
    rows->constants.rows = rows->rows;
    rows->constants.n = n;
    memory_constants_index(&rows->constants);
    rows->lib = *lib;
    rows->lib.memory_constants = &rows->constants;
}

/* Memory of a problem under the rows. */
static inline struct memory_plan memory_rows_plan(const struct memory_rows *rows,
                                                  struct problem problem)
{
    struct memory_plan memory;
    problem.lib = &rows->lib;
    memory_compute(&problem, 1, &memory);
    return memory;
}

#endif
