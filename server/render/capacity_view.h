/*
 * capacity_view.h - memory against engine logs as a report, as JSON and as a table of rows.
 *
 * Purpose: the replies of GET /v1/backtest?set=memory and the output of "regimed backtest
 *          --memory".
 * Units:   errors are shares in JSON and CSV, percent in the report.
 * Errors:  the writer's.
 */
#ifndef REGIME_CAPACITY_VIEW_H
#define REGIME_CAPACITY_VIEW_H

#include "capacity.h"
#include "json_out.h"

/* What the comparison is, in two sentences. */
extern const char CAPACITY_NOTE[];

void capacity_text_write(struct json_out *out, const struct capacity_score *score);
void capacity_json_write(struct json_out *out, const struct capacity_score *score);
void capacity_csv_write(struct json_out *out, const struct capacity_score *score);

#endif
