#include "load.h"

#include <math.h>

double load_running(const struct problem *problem, const struct memory_plan *memory,
                    double concurrency)
{
    const struct deployment *dep = &problem->dep;
    double running = fmin(concurrency, dep->max_num_seqs * dep->dp);
    running = fmin(running, memory->held_sequences * dep->dp);
    return fmax(running, 1.0);
}

double load_replicas(const struct problem *problem)
{
    double replicas = fmax(problem->dep.replicas, 1.0);
    if (isnan(problem->load.request_rate))
        replicas = fmin(replicas, fmax(problem->load.concurrency, 1.0));
    return replicas;
}

double load_in_flight(const struct workload *load)
{
    return isnan(load->requests) ? load->concurrency : fmin(load->concurrency, load->requests);
}

double load_mean_input(const struct workload *load)
{
    return load->input_tokens * (1.0 + load->length_range_ratio) / 2.0;
}

double load_mean_output(const struct workload *load)
{
    return load->output_tokens * (1.0 + load->length_range_ratio) / 2.0;
}

double load_batch(const struct deployment *dep, double running)
{
    return fmax(ceil(running / dep->dp / dep->pp), 1.0);
}

bool load_reuses_prefix(const struct deployment *dep)
{
    return dep->prefix_caching || dep->kv_tier != KV_TIER_NONE;
}

double load_reused_tokens(const struct problem *problem)
{
    return load_reuses_prefix(&problem->dep) ? problem->load.cached_prefix_tokens : 0.0;
}

double load_new_tokens(const struct problem *problem)
{
    return fmax(load_mean_input(&problem->load) - load_reused_tokens(problem), 1.0);
}

/* Work of other requests' prefills that an arrival meets: each of the others is in its prefill with
 * probability t_prefill / cycle and has half of it left. */
static double prefills_ahead_us(double others, double prefill_us, double cycle_us)
{
    if (others <= 0.0 || cycle_us <= 0.0)
        return 0.0;
    double busy = fmin(others * prefill_us / cycle_us, 1.0);
    return busy * prefill_us * (0.5 + busy * others / 2.0 * prefill_us / cycle_us);
}

void load_cycle(const struct problem *problem, double concurrency, double running,
                double decode_step_us, double tokens_per_step, double prefill_us,
                struct cycle *ret_cycle)
{
    const struct deployment *dep = &problem->dep;
    struct cycle cycle = {.concurrency = concurrency, .running = running};
    double tokens = load_mean_output(&problem->load);
    double steps = fmax(tokens - 1.0, 0.0) / tokens_per_step;
    double sharing = fmax(running / dep->dp, 1.0);
    cycle.batch = load_batch(dep, running);
    cycle.decode_us = steps * decode_step_us;
    /* A prefill holds one pipeline stage at a time: the next request's follows a stage later. */
    double stage_us = prefill_us / dep->pp;
    cycle.prefill_us = prefill_us + (sharing - 1.0) * stage_us;
    cycle.cycle_us = cycle.decode_us + cycle.prefill_us;
    double queue = fmax(concurrency - running, 0.0) / running * cycle.cycle_us;
    double ahead = prefills_ahead_us(sharing - 1.0, stage_us, cycle.cycle_us);
    double step_wait = sharing > 1.0 ? decode_step_us / 2.0 : 0.0;
    cycle.ttft_us = queue + step_wait + ahead + prefill_us;
    cycle.e2e_us = queue + cycle.cycle_us;
    double after = fmax(cycle.e2e_us - cycle.ttft_us, 0.0);
    cycle.tpot_us = tokens > 1.0 ? fmax(after / (tokens - 1.0), decode_step_us / tokens_per_step)
                                 : decode_step_us / tokens_per_step;
    cycle.requests_us = running / cycle.cycle_us;
    *ret_cycle = cycle;
}

double load_prefill_servers(const struct problem *problem)
{
    const struct deployment *dep = &problem->dep;
    double tp = fmax(dep->disagg_tp, 1.0);
    return fmax(dep->disagg_prefill_devices, 1.0) / fmax(dep->replicas, 1.0) / (tp * dep->pp);
}

void load_pools(const struct problem *problem, double concurrency, double running,
                double decode_step_us, double tokens_per_step, double prefill_us,
                struct cycle *ret_cycle)
{
    double steps = fmax(load_mean_output(&problem->load) - 1.0, 0.0) / tokens_per_step;
    double servers = load_prefill_servers(problem);
    struct cycle cycle = {.concurrency = concurrency, .running = running};
    cycle.batch = load_batch(&problem->dep, running);
    cycle.decode_us = steps * decode_step_us;
    cycle.prefill_us = running * prefill_us / servers;
    cycle.tpot_us = decode_step_us / tokens_per_step;
    bool decodes = cycle.decode_us > 0.0;
    double before = decodes ? fmax(concurrency - running, 0.0) : concurrency;
    cycle.requests_us = decodes ? running / cycle.decode_us : fmin(before, servers) / prefill_us;
    cycle.ttft_us = before / cycle.requests_us;
    cycle.e2e_us = cycle.ttft_us + cycle.decode_us;
    cycle.cycle_us = cycle.e2e_us;
    *ret_cycle = cycle;
}
