/*
 * backtest_report.h - the backtest of a store, printed: "regimed backtest".
 */
#ifndef REGIME_BACKTEST_REPORT_H
#define REGIME_BACKTEST_REPORT_H

#include <stdbool.h>
#include <stdio.h>

#include "catalogue.h"
#include "compiler.h"

struct store;

/*
 * Prints what GET /v1/backtest replies: "text" (NULL too), "json" or "csv", the last two with every
 * row of the set ("calibrated", which NULL means, "other", "local" or "memory"). False, with a
 * sentence on stderr, for another word, a store that cannot be read, or without memory.
 */
MUST_USE bool backtest_report(struct store *store, const struct catalogue *catalogue,
                              const char *format, const char *set, FILE *out);

#endif
