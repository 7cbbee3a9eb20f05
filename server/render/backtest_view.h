/*
 * backtest_view.h - a backtest as JSON, as a table of rows, and as a report.
 *
 * Purpose: the replies of GET /v1/backtest and the output of "regimed backtest": the errors by
 *          group, the rows with their links and explanations, other sources in short.
 * Units:   errors are shares in JSON and CSV, percent in the report.
 * Errors:  the writer's.
 */
#ifndef REGIME_BACKTEST_VIEW_H
#define REGIME_BACKTEST_VIEW_H

#include "backtest_query.h"
#include "json_out.h"

/* What is shown, and of which backtest. */
struct backtest_view {
    const struct backtest *backtest;
    const struct catalogue *catalogue;
    const struct backtest_query *query;
    struct backtest_page page;
    struct forecaster *forecaster; /* for links to plans; NULL = no links */
    struct arena *arena;
};

/* Finds the page. False without memory. backtest_view_done() follows. */
bool backtest_view_make(const struct backtest *backtest, const struct catalogue *catalogue,
                        const struct backtest_query *query, struct arena *arena,
                        struct backtest_view *ret_view);
void backtest_view_done(struct backtest_view *view);

/* What the predictions of a set are, in a sentence. */
const char *backtest_set_note(enum backtest_set set);

/* "with everything in the fit": a heading for what was left out. */
const char *holdout_title(enum holdout holdout);

/* GET /v1/plan with the conditions of a row; NULL when it cannot be told. */
const char *backtest_plan_link(struct backtest_view *view, const struct backtest_row *row);

/* "model on part, engine version, weights, tp 8, in 1024, ..."; lies in the arena. */
const char *backtest_conditions(const struct backtest_view *view, const struct backtest_row *row);

void backtest_json_write(struct json_out *out, struct backtest_view *view);
void backtest_csv_write(struct json_out *out, struct backtest_view *view);
void backtest_text_write(struct json_out *out, struct backtest_view *view);

#endif
