/*
 * backtest_classes.h - classes of load that errors are shown by.
 *
 * Units: requests in flight; tokens.
 */
#ifndef REGIME_BACKTEST_CLASSES_H
#define REGIME_BACKTEST_CLASSES_H

#include "deployment.h"

/* Classes of requests in flight, the last that of an open loop; and of input lengths. */
int concurrency_class(const struct workload *load);
int input_class(const struct workload *load);

/* "9-32", "129-", "open loop"; NULL past the last. */
const char *concurrency_class_name(int class);
const char *input_class_name(int class);

#endif
