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

/* Halvings of the split between two pools. */
#define POOL_STEPS 14

/* Two pools in balance: as many finish decoding as come out of their prefill. */
static void solve_pools(const struct prepared *prep, double concurrency, struct core *core)
{
    const struct problem *problem = prep->problem;
    double context = load_mean_input(&problem->load) + load_mean_output(&problem->load) / 2.0;
    double steps = fmax(load_mean_output(&problem->load) - 1.0, 0.0) / prep->spec_gain;
    double servers = load_prefill_servers(problem), prefill_us = core->prefill.time_us;
    double ranks = problem->dep.dp * problem->dep.pp;
    double low = 0.0, high = load_running(problem, &core->memory, concurrency);
    for (int i = 0; i <= POOL_STEPS; i++) {
        double running = i == POOL_STEPS ? high : (low + high) / 2.0;
        step_decode(prep, fmax(running / ranks, 1.0), context, &core->decode);
        if (steps <= 0.0 || i == POOL_STEPS)
            break;
        double decoded = running / (steps * core->decode.time_us);
        double prefilled = fmin(concurrency - running, servers) / prefill_us;
        if (decoded < prefilled)
            low = running;
        else
            high = running;
    }
    load_pools(problem, concurrency, high, core->decode.time_us, core->decode.tokens_per_step,
               prefill_us, &core->cycle);
}

/* Two pools at an arrival rate: as many decode as arrive in the time of their decoding, and a
 * prompt waits as in a queue of `servers` with a fixed service time, rho/(2 servers (1 - rho)) of
 * it. */
static void solve_open_pools(const struct prepared *prep, double rate_us, struct core *core)
{
    const struct problem *problem = prep->problem;
    double context = load_mean_input(&problem->load) + load_mean_output(&problem->load) / 2.0;
    double steps = fmax(load_mean_output(&problem->load) - 1.0, 0.0) / prep->spec_gain;
    double servers = load_prefill_servers(problem), prefill_us = core->prefill.time_us;
    double ranks = problem->dep.dp * problem->dep.pp, running = 1.0;
    double most = load_running(problem, &core->memory, 1e9);
    for (int i = 0; i < POOL_STEPS; i++) {
        step_decode(prep, fmax(running / ranks, 1.0), context, &core->decode);
        running = fmin(rate_us * steps * core->decode.time_us, most);
    }
    double busy = rate_us * prefill_us / servers;
    bool full = running >= most && rate_us * steps * core->decode.time_us > most;
    double wait = busy < 1.0 ? prefill_us * busy / (2.0 * servers * (1.0 - busy)) : 0.0;
    double before = rate_us * (prefill_us + wait);
    load_pools(problem, running + before, running, core->decode.time_us,
               core->decode.tokens_per_step, prefill_us, &core->cycle);
    core->cycle.ttft_us = prefill_us + wait;
    core->cycle.e2e_us = core->cycle.cycle_us = core->cycle.ttft_us + core->cycle.decode_us;
    core->cycle.saturated = busy >= 1.0 || full;
    core->cycle.requests_us =
        core->cycle.saturated ? fmin(servers / prefill_us, core->cycle.requests_us) : rate_us;
}

/* One closed cycle with that many in flight on a replica. */
static void solve_cycle(const struct prepared *prep, double concurrency, struct core *core)
{
    const struct problem *problem = prep->problem;
    if (problem->dep.disaggregated) {
        solve_pools(prep, concurrency, core);
        return;
    }
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
    if (prep->problem->dep.disaggregated) {
        solve_open_pools(prep, rate_us, core);
        return;
    }
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

/* The prefill of one request, on a prefill worker's own layout where there is one. */
static void evaluate_prefill(const struct prepared *prep, struct core *core)
{
    const struct problem *problem = prep->problem;
    const struct deployment *dep = &problem->dep;
    double fresh = load_new_tokens(problem);
    double cached = fmax(load_mean_input(&problem->load) - fresh, 0.0);
    bool same = dep->disagg_tp == dep->tp && dep->disagg_dp == dep->dp && dep->disagg_ep == dep->ep;
    if (!dep->disaggregated || same || dep->disagg_tp < 1.0) {
        step_prefill(prep, fresh, cached, &core->prefill);
        return;
    }
    struct problem worker = *problem;
    struct prepared own;
    worker.dep.tp = dep->disagg_tp;
    worker.dep.dp = dep->disagg_dp;
    worker.dep.ep = dep->disagg_ep;
    prepare(&worker, &prep->scale, &own);
    step_prefill(&own, fresh, cached, &core->prefill);
}

void core_run(const struct prepared *prep, struct core *core)
{
    const struct problem *problem = prep->problem;
    const struct workload *load = &problem->load;
    evaluate_prefill(prep, core);
    core->decode.batch = -1.0;
    double replicas = load_replicas(problem);
    if (isnan(load->request_rate))
        solve_cycle(prep, load_in_flight(load) / replicas, core);
    else
        solve_open_loop(prep, load->request_rate / replicas / US_PER_S, core);
    core_regime(problem, core);
}

void core_evaluate(const struct prepared *prep, struct core *ret_core)
{
    memory_compute(prep->problem, prep->scale.model, &ret_core->memory);
    core_run(prep, ret_core);
}

void core_compute(const struct problem *problem, const struct scale *scale, struct core *ret_core)
{
    struct prepared prep;
    prepare(problem, scale, &prep);
    core_evaluate(&prep, ret_core);
}
