/*
 * backtest_route.h - GET /v1/backtest: predicted against measured.
 *
 * Purpose: errors by group, and the rows behind them.
 * Errors:  422 for a wrong argument, 503 when the store cannot be read.
 */
#ifndef REGIME_BACKTEST_ROUTE_H
#define REGIME_BACKTEST_ROUTE_H

#include "routes.h"

/* JSON, text and CSV; arguments are those of BACKTEST_ARGUMENTS, limit and cursor. */
handler_fn backtest_handler;

#endif
