#include "backtest_view.h"

#include <math.h>

#include "request_query.h"

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
    static const char *const NOTES[] = {
        [SET_CALIBRATED] =
            "Runs that the engines were calibrated on, as the calibration recorded them.",
        [SET_OTHER] =
            "Runs of other sources, whose conditions are partly unstated: defaults stand for what "
            "a source does not say. None of them had a part in a fit. The figures are computed by "
            "the planner that answers now.",
        [SET_LOCAL] =
            "Speed tests of llama.cpp and MLX. The constants of these engines were fitted to most "
            "of them, so that these errors flatter; those with the source left out stand with each "
            "constant (/v1/calibrations).",
    };
    return NOTES[set];
}

const char *holdout_title(enum holdout holdout)
{
    static const char *const TITLES[HOLDOUT_COUNT] = {
        [HOLDOUT_NONE] = "nothing left out",
        [HOLDOUT_RUN] = "run left out, corrected by near runs",
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

const char *backtest_conditions(const struct backtest_view *view, const struct backtest_row *row)
{
    static const struct {
        enum anchor_condition condition;
        const char *name;
    } SHOWN[] = {{CONDITION_TP, "tp"},
                 {CONDITION_DP, "dp"},
                 {CONDITION_EP, "ep"},
                 {CONDITION_INPUT_TOKENS, "in"},
                 {CONDITION_OUTPUT_TOKENS, "out"},
                 {CONDITION_CONCURRENCY, "in flight"},
                 {CONDITION_REQUEST_RATE, "req/s"}};
    const struct catalogue *catalogue = view->catalogue;
    const char *version = catalogue->anchors.versions[row->anchor];
    const char *names[BY_WEIGHTS + 1];
    for (int by = BY_ENGINE; by <= BY_WEIGHTS; by++)
        names[by] = backtest_value_name(view->backtest, catalogue, (enum backtest_dimension)by,
                                        row->value[by]);
    const char *text = arena_printf(view->arena, "%s on %s, %s%s%s, %s", names[BY_MODEL],
                                    names[BY_HARDWARE], names[BY_ENGINE], version ? " " : "",
                                    version ? version : "", names[BY_WEIGHTS]);
    for (size_t i = 0; text != NULL && i < ARRAY_LEN(SHOWN); i++) {
        double value = anchor_number(&catalogue->anchors, row->anchor, SHOWN[i].condition);
        if (!isnan(value))
            text = arena_printf(view->arena, "%s, %s %.9g", text, SHOWN[i].name, value);
    }
    return text != NULL ? text : "";
}
