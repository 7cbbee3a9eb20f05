#include "forecast_speed.h"

#include <math.h>

#include "local.h"
#include "local_step.h"
#include "units.h"

static const struct forecast_value NO_VALUE = {NAN, NAN, NAN, TIER_UNKNOWN};

static double stated(const struct anchor_index *index, int anchor, enum anchor_condition condition)
{
    return fmax(anchor_number(index, anchor, condition), 0.0);
}

/* The rate of `tokens` of a local engine, with the interval of its constants. */
static struct forecast_value local_rate(const struct problem *problem, enum phase phase,
                                        double batch, double tokens, double time_us)
{
    struct forecast_value value = {tokens * US_PER_S / time_us, NAN, NAN, TIER_UNKNOWN};
    struct local_speed speed;
    double low, high;
    local_speed_find(problem, 1.0, 1.0, &speed);
    if (local_interval(problem, &speed, phase, batch, &low, &high)) {
        value.low = value.predicted / high;
        value.high = value.predicted / low;
    }
    return value;
}

/* A depth that equals the prompt is the prompt: what the answer stands behind. */
static void find_local(const struct anchor_index *index, int anchor, const struct problem *problem,
                       struct forecast_speed *speed)
{
    double prompt = stated(index, anchor, CONDITION_INPUT_TOKENS);
    double generated = stated(index, anchor, CONDITION_OUTPUT_TOKENS);
    double depth = stated(index, anchor, CONDITION_DEPTH), batch = problem->load.concurrency;
    if (generated > 0.0)
        speed->decode = local_rate(problem, PHASE_DECODE, batch, batch,
                                   local_decode_us(problem, batch, depth, generated));
    if (prompt > 0.0)
        speed->prefill =
            local_rate(problem, PHASE_PREFILL, batch, prompt,
                       local_prefill_us(problem, prompt, depth == prompt ? 0.0 : depth));
}

/* The rate of `tokens` in a time, with the factors of its interval. */
static struct forecast_value rate(double tokens, double time_us, const double factors[2],
                                  enum interval_tier tier)
{
    double rate_s = tokens * US_PER_S / time_us;
    return (struct forecast_value){rate_s, rate_s / factors[1], rate_s / factors[0], tier};
}

void forecast_speed_find(const struct anchor_index *index, int anchor,
                         const struct problem *problem, struct plan *plan,
                         struct forecast_speed *ret_speed)
{
    *ret_speed = (struct forecast_speed){NO_VALUE, NO_VALUE};
    if (local_is_engine(problem->dep.engine)) {
        find_local(index, anchor, problem, ret_speed);
        return;
    }
    plan_compute(problem, PLAN_BARE, plan);
    ret_speed->decode = rate(problem->load.concurrency * plan->decode.tokens_per_step,
                             plan->decode.expected_us, plan->decode_factors, problem->near.tier);
    ret_speed->prefill = rate(plan->prefill.tokens, plan->prefill.expected_us,
                              plan->prefill_factors, problem->near.tier);
}
