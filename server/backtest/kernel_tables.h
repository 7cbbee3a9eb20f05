/*
 * kernel_tables.h - fits the tables of measured kernels of a record tree ("regimed fit-kernels").
 *
 * Purpose: one fit per part, engine, version and type of gemm.csv, over the matrices that layers of
 *          models have. bytes = n k w + m k a + 2 m n (w bytes of a weight, a = 2 of a 16-bit
 * input, else 1), flops = 2 m n k; bandwidth and peak are those that the part's plain fits count in
 * (../fits/PART.csv beside the tables). Errors:  a sentence on stderr, false.
 */
#ifndef REGIME_KERNEL_TABLES_H
#define REGIME_KERNEL_TABLES_H

#include <stdbool.h>
#include <stdio.h>

#include "compiler.h"

/*
 * Reads gemm.csv of the folder `tables`, prints the errors of the plain fits, of the new ones and
 * of the new ones with each matrix left out to `report`, and writes gemm-shapes.csv into the folder
 * `out` (NULL = only the report).
 */
MUST_USE bool kernel_tables_fit(const char *tables, const char *out, FILE *report);

#endif
