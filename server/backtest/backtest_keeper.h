/*
 * backtest_keeper.h - the backtest of the current catalogue snapshot, made once.
 *
 * Purpose: the first who asks after a write to the store waits until it is made (some tenths of a
 *          second); everybody else reads it.
 * Ownership: the keeper owns backtests; a held one lives at least until it is let go.
 * Errors:  NULL without memory, or when the store cannot be read; the next one tries again.
 * Threads: any number.
 */
#ifndef REGIME_BACKTEST_KEEPER_H
#define REGIME_BACKTEST_KEEPER_H

#include "backtest.h"

struct backtest_keeper;

/* NULL without memory. */
struct backtest_keeper *backtest_keeper_new(void);
void backtest_keeper_free(struct backtest_keeper *keeper);

/* The backtest of that snapshot; backtest_let_go() must follow. `keeper` may be NULL. */
const struct backtest *backtest_hold(struct backtest_keeper *keeper, struct store *store,
                                     const struct catalogue *catalogue);

/* Ends a use; NULL is allowed. */
void backtest_let_go(struct backtest_keeper *keeper, const struct backtest *backtest);

#endif
