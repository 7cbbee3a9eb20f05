/*
 * backtest_page.h - predicted against measured as a page.
 *
 * Purpose: the errors, the figures against each other as a drawing, the rows farthest off with what
 *          is known of them; filters are links. A page of its own: no script, no other host.
 * Errors:  422 for a wrong argument, 503 when the store cannot be read.
 */
#ifndef REGIME_BACKTEST_PAGE_H
#define REGIME_BACKTEST_PAGE_H

#include "backtest_view.h"
#include "page_parts.h"

/* GET /backtest; the arguments are those of GET /v1/backtest. */
handler_fn backtest_page_handler;

/*
 * Draws the chosen rows of a metric: predicted over measured, both logarithmic, a colour per
 * engine, lines at equality and at a quarter more and less. Nothing when there are none.
 */
void backtest_plot_write(struct page *page, const struct backtest_view *view,
                         enum anchor_metric metric);

/* The class of an engine's colour, "e0" on. */
const char *backtest_colour(int engine);

/* The styles of those classes and of the drawing. */
extern const char BACKTEST_PLOT_STYLE[];

#endif
