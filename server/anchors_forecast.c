#include "anchors_forecast.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "json_text.h"
#include "number.h"

#define NAME_MAX_LENGTH 64

const struct forecast_figure *forecast_find(const struct forecast *forecast,
                                            enum anchor_metric metric, enum statistic statistic,
                                            double measured)
{
    if (statistic != STATISTIC_MEAN && statistic != STATISTIC_UNSTATED)
        return NULL;
    for (int i = 0; i < forecast->n; i++)
        if (forecast->figures[i].metric == metric && forecast->figures[i].measured == measured)
            return &forecast->figures[i];
    return NULL;
}

double forecast_residual(const struct forecast_figure *figure)
{
    return figure->measured / forecast_shown(figure)->predicted - 1.0;
}

const char *forecast_beyond(const struct forecast_figure *figure)
{
    const struct forecast_value *value = forecast_shown(figure);
    if (isnan(value->low) || isnan(value->high))
        return "null";
    return figure->measured < value->low || figure->measured > value->high ? "true" : "false";
}

/* The text of a member that is a JSON string without escapes; "" when there is none. */
static void copy_text(struct json_span object, const char *wanted, char ret_text[NAME_MAX_LENGTH])
{
    struct json_walk walk = json_walk_start(object.text, object.length);
    struct json_span name, value;
    ret_text[0] = '\0';
    while (json_walk_member(&walk, &name, &value))
        if (json_span_is(name, wanted) && value.length >= 2 && value.length < NAME_MAX_LENGTH) {
            memcpy(ret_text, value.text + 1, value.length - 2);
            ret_text[value.length - 2] = '\0';
        }
}

static double number_of(struct json_span object, const char *wanted)
{
    struct json_walk walk = json_walk_start(object.text, object.length);
    struct json_span name, value;
    while (json_walk_member(&walk, &name, &value))
        if (json_span_is(name, wanted))
            return strtod(value.text, NULL);
    return NAN;
}

static void put_prediction(struct json_out *out, const struct forecast_figure *figure)
{
    const struct forecast_value *value = forecast_shown(figure);
    const char *beyond = forecast_beyond(figure);
    json_put_number(out, "predicted", number_short(value->predicted));
    json_put_number(out, "low", number_short(value->low));
    json_put_number(out, "high", number_short(value->high));
    json_put_number(out, "residual", number_short(forecast_residual(figure)));
    json_key(out, "beyond_interval");
    json_raw(out, beyond, strlen(beyond));
    json_put_text(out, "prediction", figure->origin == ORIGIN_STORED ? "stored" : "computed");
}

/* One figure as the record has it, with its prediction behind it. */
static void put_metric(struct json_out *out, struct json_span metric,
                       const struct forecast *forecast)
{
    char name[NAME_MAX_LENGTH], statistic[NAME_MAX_LENGTH];
    copy_text(metric, "metric", name);
    copy_text(metric, "statistic", statistic);
    const struct forecast_figure *figure = forecast_find(
        forecast, metric_parse(name), statistic_parse(statistic), number_of(metric, "value"));
    if (figure == NULL || metric.length < 2) {
        json_raw(out, metric.text, metric.length);
        return;
    }
    json_begin_object(out);
    json_raw(out, metric.text + 1, metric.length - 2);
    put_prediction(out, figure);
    json_end_object(out);
}

static void put_metrics(struct json_out *out, struct json_span metrics,
                        const struct forecast *forecast)
{
    struct json_walk walk = json_walk_start(metrics.text, metrics.length);
    struct json_span metric;
    json_begin_array(out);
    while (json_walk_element(&walk, &metric))
        put_metric(out, metric, forecast);
    json_end_array(out);
}

bool anchor_put_members(struct json_out *out, const char *doc, size_t length,
                        const struct forecast *forecast)
{
    struct json_walk walk = json_walk_start(doc, length);
    struct json_span name, value = {doc + length - 1, 0};
    if (length <= 2)
        return false;
    while (json_walk_member(&walk, &name, &value) && !json_span_is(name, "metrics"))
        value = (struct json_span){doc + length - 1, 0};
    out_text(out, ",");
    out_bytes(out, doc + 1, (size_t)(value.text - doc) - 1);
    if (value.length > 0) {
        out->needs_comma[out->depth] = false; /* the member's name stands already */
        put_metrics(out, value, forecast);
    }
    const char *rest = value.text + value.length;
    out_bytes(out, rest, (size_t)(doc + length - 1 - rest));
    return true;
}
