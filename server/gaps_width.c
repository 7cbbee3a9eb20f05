#include "gaps_width.h"

#include <math.h>

const char GAP_RANK_FORMULA[] =
    "rank = asked * width, 0 once answered; width = the mean, over the questions, of what an "
    "answer "
    "would fix: of an asked metric ln(high/low) of the plan's 80 % interval, where it states none "
    "the widest of the calibration; of a stated gap those of TPOT and TTFT, each times the share "
    "of "
    "its step that the gap's classes have, or times the effect of its cure";

static double width_of(double low, double high)
{
    return low > 0 && isfinite(high) && high > low ? log(high / low) : (double)NAN;
}

/* The widest that passes; NAN where none does. */
static double widest_of(const struct library *lib, int engine, enum interval_metric metric)
{
    double widest = (double)NAN;
    for (int i = 0; i < lib->n_intervals; i++) {
        const struct interval *interval = &lib->intervals[i];
        if ((engine < 0 || interval->engine == engine) &&
            (metric == INTERVAL_METRIC_COUNT || interval->metric == metric)) {
            widest = fmax(widest, width_of(interval->low, interval->high));
        }
    }
    return widest;
}

double gap_width_widest(const struct library *lib, int engine, const char *metric)
{
    enum interval_metric known = metric ? interval_metric_parse(metric) : INTERVAL_METRIC_COUNT;
    double width = widest_of(lib, engine, known);
    if (isnan(width)) {
        width = widest_of(lib, -1, known);
    }
    if (isnan(width)) {
        width = widest_of(lib, -1, INTERVAL_METRIC_COUNT);
    }
    return isnan(width) ? 0 : width;
}

double gap_width_planned(const struct plan *plan, enum interval_metric metric)
{
    const struct estimate *value = metric == INTERVAL_TPOT ? &plan->tpot_ms : &plan->ttft_ms;
    double width = width_of(value->low, value->high);
    return isnan(width) ? gap_width_widest(plan->problem.lib, plan->problem.dep.engine->index,
                                           interval_metric_name(metric))
                        : width;
}

double gap_width_mean(const struct gap_count *count, double widest)
{
    if (count->asked == 0) {
        return (double)NAN;
    }
    double unweighed = fmin((double)count->unweighed, (double)count->asked);
    return (count->width_sum + unweighed * widest) / (double)count->asked;
}
