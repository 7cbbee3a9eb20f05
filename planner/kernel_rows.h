/*
 * kernel_rows.h - the tables of kernel names, in the order in which they are tried.
 *
 * A row of an earlier table wins. Names of one engine come before general words, and words that say
 * little come last: they are asked only when template arguments and namespaces say nothing either.
 */
#ifndef REGIME_KERNEL_ROWS_H
#define REGIME_KERNEL_ROWS_H

#include "kernel_names.h"

struct kernel_table {
    const struct kernel_row *rows;
    size_t n;
};

extern const struct kernel_table KERNEL_ROWS_ENGINES;
extern const struct kernel_table KERNEL_ROWS_MOVES;
extern const struct kernel_table KERNEL_ROWS_LAYERS;
extern const struct kernel_table KERNEL_ROWS_PRODUCTS;
extern const struct kernel_table KERNEL_ROWS_PASSES;
extern const struct kernel_table KERNEL_ROWS_WEAK;

#endif
