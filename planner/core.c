#include "core.h"

#include <math.h>

#include "units.h"

/* Halvings of the open loop's fixed point: N is found to one part in a million. */
#define LITTLE_STEPS 40

static enum regime_id part_regime(enum part part, enum phase phase)
{
    switch (part) {
    case PART_HOST_PER_SEQUENCE:
        return REGIME_HOST_BOUND_BATCH;
    case PART_WEIGHT:
    case PART_REST:
    case PART_COUNT:
        return REGIME_WEIGHT_BANDWIDTH;
    case PART_KV:
        return REGIME_KV_BANDWIDTH;
    case PART_COMPUTE:
        return phase == PHASE_PREFILL ? REGIME_PREFILL_COMPUTE : REGIME_DECODE_COMPUTE;
    case PART_FIXED:
        return REGIME_SMALL_MODEL_HOST;
    case PART_LINK:
        break;
    }
    return REGIME_INTERCONNECT;
}

void core_regime(const struct problem *problem, struct core *core)
{
    const struct deployment *dep = &problem->dep;
    bool prefill = core->cycle.prefill_us > core->cycle.decode_us;
    enum phase phase = prefill ? PHASE_PREFILL : PHASE_DECODE;
    const struct step *step = prefill ? &core->prefill : &core->decode;
    core->dominant = step->dominant;
    core->regime = part_regime(step_largest_part(step, phase), phase);
    double held = core->memory.held_sequences * dep->dp;
    bool full = held < core->cycle.concurrency;
    if (core->cycle.saturated)
        full = held < dep->max_num_seqs * dep->dp;
    if (!core->memory.fits || full)
        core->regime = REGIME_CAPACITY;
}

/* One closed cycle with that many in flight on a replica. */
static void solve_cycle(const struct prepared *prep, double concurrency, struct core *core)
{
    const struct problem *problem = prep->problem;
    double running = load_running(problem, &core->memory, concurrency);
    double batch = load_batch(&problem->dep, running);
    double context = load_mean_input(&problem->load) + load_mean_output(&problem->load) / 2.0;
    if (core->decode.batch != batch || core->decode.context_tokens != context)
        step_decode(prep, batch, context, &core->decode);
    load_cycle(problem, concurrency, running, core->decode.time_us, core->decode.tokens_per_step,
               core->prefill.time_us, &core->cycle);
}

/* Open loop: the smallest N whose cycle finishes as many requests as arrive (Little's law). */
static void solve_open_loop(const struct prepared *prep, double rate_us, struct core *core)
{
    double most = load_running(prep->problem, &core->memory, 1e9);
    solve_cycle(prep, most, core);
    if (core->cycle.requests_us <= rate_us) {
        core->cycle.saturated = true;
        return;
    }
    double low = 1e-6, high = most;
    for (int i = 0; i < LITTLE_STEPS && high - low > 1e-6 * high; i++) {
        double middle = (low + high) / 2.0;
        solve_cycle(prep, fmax(middle, 1.0), core);
        double finished = middle / core->cycle.cycle_us;
        if (finished < rate_us)
            low = middle;
        else
            high = middle;
    }
    solve_cycle(prep, fmax(high, 1.0), core);
    core->cycle.concurrency = high;
    core->cycle.requests_us = rate_us;
}

void core_evaluate(const struct prepared *prep, struct core *ret_core)
{
    const struct problem *problem = prep->problem;
    const struct workload *load = &problem->load;
    memory_compute(problem, prep->scale.model, &ret_core->memory);
    double new_tokens = load_new_tokens(problem);
    step_prefill(prep, new_tokens, fmax(load_mean_input(load) - new_tokens, 0.0),
                 &ret_core->prefill);
    ret_core->decode.batch = -1.0;
    double replicas = load_replicas(problem);
    if (isnan(load->request_rate))
        solve_cycle(prep, load->concurrency / replicas, ret_core);
    else
        solve_open_loop(prep, load->request_rate / replicas / US_PER_S, ret_core);
    core_regime(problem, ret_core);
}

void core_compute(const struct problem *problem, const struct scale *scale, struct core *ret_core)
{
    struct prepared prep;
    prepare(problem, scale, &prep);
    core_evaluate(&prep, ret_core);
}
