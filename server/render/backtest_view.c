#include "backtest_view.h"

#include <math.h>

#include "request_query.h"

#define DIGITS 5
#define LINK_START 512
#define LINK_MAX 8192

bool backtest_view_make(const struct backtest *backtest, const struct catalogue *catalogue,
                        const struct backtest_query *query, struct arena *arena,
                        struct backtest_view *ret_view)
{
    *ret_view = (struct backtest_view){.backtest = backtest,
                                       .catalogue = catalogue,
                                       .query = query,
                                       .forecaster = forecaster_new(catalogue),
                                       .arena = arena};
    return backtest_query_run(backtest, catalogue, query, arena, &ret_view->page);
}

void backtest_view_done(struct backtest_view *view)
{
    forecaster_free(view->forecaster);
    view->forecaster = NULL;
}

const char *backtest_set_note(enum backtest_set set)
{
    if (set == SET_OTHER)
        return "Runs of other sources, whose conditions are partly unstated: defaults stand for "
               "what a source does not say. None of them had a part in a fit. The figures are "
               "computed by the planner that answers now.";
    return "Runs that the engines were calibrated on, as the calibration recorded them.";
}

const char *holdout_title(enum holdout holdout)
{
    static const char *const TITLES[HOLDOUT_COUNT] = {
        [HOLDOUT_NONE] = "nothing left out",
        [HOLDOUT_RUN] = "run left out, corrected by runs near it",
        [HOLDOUT_CELL] = "cell left out",
        [HOLDOUT_MODEL] = "model left out",
    };
    return TITLES[holdout];
}

const char *backtest_plan_link(struct backtest_view *view, const struct backtest_row *row)
{
    struct plan_request request;
    struct json_out out;
    if (view->forecaster == NULL || !forecaster_request(view->forecaster, row->anchor, &request))
        return NULL;
    json_out_init(&out, view->arena, LINK_START, LINK_MAX);
    request_query_write(&out, &request);
    out_bytes(&out, "", 1);
    return json_out_ok(&out) ? out.text : NULL;
}

double backtest_round(double value)
{
    if (!isfinite(value) || value == 0.0)
        return value;
    /* Powers of ten below 1e22 are exact, so that the quotient is the nearest decimal. */
    int decimals = DIGITS - 1 - (int)floor(log10(fabs(value)));
    double unit = pow(10.0, fabs((double)decimals));
    return decimals >= 0 ? round(value * unit) / unit : round(value / unit) * unit;
}
