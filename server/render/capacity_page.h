/*
 * capacity_page.h - memory against engine logs on the page of the backtest.
 *
 * Purpose: a section with the errors by engine and kind of model, and the verdicts at start.
 * Errors:  the writer's.
 */
#ifndef REGIME_CAPACITY_PAGE_H
#define REGIME_CAPACITY_PAGE_H

#include "capacity_view.h"
#include "page_parts.h"

void capacity_page_write(struct page *page, const struct capacity_score *score);

#endif
