/*
 * anchors_forecast.h - the planner's prediction beside each figure of a measured run.
 *
 * Purpose: a residual beyond the interval is a wrong record or a wrong planner; both are worth
 *          finding. The prediction is that of forecast.h with the run itself left out.
 * Errors:  a figure without a prediction is shown as it is.
 */
#ifndef REGIME_ANCHORS_FORECAST_H
#define REGIME_ANCHORS_FORECAST_H

#include "forecast.h"
#include "json_out.h"

/*
 * Writes the members of an anchor's record (its text, an object with at least one), the predictions
 * put into its list "metrics": "predicted", "low", "high", "residual" (measured/predicted - 1),
 * "beyond_interval" (null without an interval), "prediction" ("stored" or "computed"). False when
 * the text is no such object.
 */
bool anchor_put_members(struct json_out *out, const char *doc, size_t length,
                        const struct forecast *forecast);

/* The forecast of a metric's mean, or of the figure whose statistic is not stated; NULL. */
const struct forecast_figure *forecast_find(const struct forecast *forecast,
                                            enum anchor_metric metric, enum statistic statistic,
                                            double measured);

/* Measured/predicted - 1. */
double forecast_residual(const struct forecast_figure *figure);

/* Whether the measured figure lies outside the 80 % interval: "true", "false" or "null". */
const char *forecast_beyond(const struct forecast_figure *figure);

#endif
