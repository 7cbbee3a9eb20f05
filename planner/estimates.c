#include "estimates.h"

#include <math.h>
#include <stddef.h>

#include "units.h"

/* Prompt tokens that a step of an engine without chunks holds at most. */
#define UNCHUNKED_STEP_TOKENS 16384.0

/* Between which factors of the expected time the measured one lies in four of five. */
struct factors {
    double low, high;
};

static const struct factors NO_INTERVAL = {NAN, NAN};

static struct estimate make(double floor, double expected, struct factors factors)
{
    struct estimate value = {.floor = floor,
                             .expected = expected,
                             .low = expected * factors.low,
                             .high = expected * factors.high,
                             .basis = BASIS_CALIBRATED};
    if (isnan(expected))
        value.basis = BASIS_NO_RECORD;
    return value;
}

/* Of a rate: what a time's factors make of its inverse. */
static struct estimate make_rate(double bound, double expected, struct factors factors)
{
    return make(bound, expected, (struct factors){1.0 / factors.high, 1.0 / factors.low});
}

static struct factors find_factors(const struct prepared *prep, const struct core *core,
                                   enum interval_metric metric)
{
    const struct problem *problem = prep->problem;
    enum interval_tier tier = problem->near.tier;
    struct factors local;
    if (local_interval(problem, &prep->local,
                       metric == INTERVAL_TPOT ? PHASE_DECODE : PHASE_PREFILL, core->decode.batch,
                       &local.low, &local.high))
        return local;
    /* No calibration is of two pools: nothing is known of how far off they are. */
    if (tier == TIER_UNKNOWN || problem->dep.disaggregated)
        return NO_INTERVAL;
    if (core->decode.weakest_match == FIT_OTHER_PART ||
        core->prefill.weakest_match == FIT_OTHER_PART)
        tier = TIER_NEIGHBOUR;
    for (int i = 0; i < problem->lib->n_intervals; i++) {
        const struct interval *interval = &problem->lib->intervals[i];
        if (interval->engine == problem->dep.engine->index && interval->metric == metric &&
            interval->tier == tier)
            return (struct factors){interval->low, interval->high};
    }
    return NO_INTERVAL;
}

/* What measurements of the same deployment say a prediction is off by; 1 where there are none. */
static double correction(const struct problem *problem, enum interval_metric metric)
{
    double factor = problem->near.factor[metric];
    return factor > 0.0 && !problem->dep.disaggregated ? factor : 1.0;
}

/* A time is at least its floor, a rate at most its bound: what comes out beyond is lifted, which is
 * said. An interval ends there too. */
static void hold_bound(struct plan *plan, struct estimate *value, bool is_rate, const char *name)
{
    if (is_rate ? value->expected > value->floor : value->expected < value->floor) {
        value->expected = value->floor;
        plan_warn(plan, WARN_CLAMPED, 0.0, 0.0, name);
    }
    if (is_rate && value->high > value->floor)
        value->high = value->floor;
    if (!is_rate && value->low < value->floor)
        value->low = value->floor;
    if (value->low > value->expected)
        value->low = value->expected;
    if (value->high < value->expected)
        value->high = value->expected;
}

/* Requests per microsecond that no deployment of these floors exceeds: a step that carries prompt
 * tokens beside its decodes may overlap the two, so the longer of them bounds it. */
static double bound_rate_us(const struct problem *problem, const struct cycle *floors)
{
    const struct deployment *dep = &problem->dep;
    bool apart =
        (dep->prefill_priority || dep->chunked_prefill_tokens <= 0.0) && !dep->disaggregated;
    double overlapped = fmax(floors->decode_us, floors->prefill_us);
    double cycle = apart ? floors->cycle_us : fmin(floors->cycle_us, overlapped);
    return cycle > 0.0 ? floors->running / cycle : floors->requests_us;
}

/* Floor of one prompt where a step holds several: short ones share its pass over the weights. */
static double packed_prefill_us(const struct prepared *prep, const struct core *core)
{
    double fresh = load_new_tokens(prep->problem);
    double chunk = prep->problem->dep.chunked_prefill_tokens;
    if (chunk <= 0.0)
        chunk = UNCHUNKED_STEP_TOKENS;
    if (fresh >= chunk)
        return core->prefill.floor_us;
    struct step packed;
    step_prefill(prep, chunk, 0.0, &packed);
    double attention = packed.classes[CLASS_PREFILL_ATTENTION].floor_us * prep->ranks.pp;
    return fmin(core->prefill.floor_us, (packed.floor_us - attention) * fresh / chunk);
}

static double bound_rate(const struct prepared *prep, const struct core *core)
{
    const struct problem *problem = prep->problem;
    struct cycle bound;
    load_cycle(problem, core->cycle.concurrency, core->cycle.running, core->decode.floor_us,
               core->decode.tokens_per_step, packed_prefill_us(prep, core), &bound);
    if (problem->dep.disaggregated)
        bound.prefill_us *= 1.0 / fmax(load_prefill_servers(problem), 1e-9);
    double rate = bound_rate_us(problem, &bound) * US_PER_S * load_replicas(problem);
    /* An open loop finishes what arrives. */
    if (problem->load.request_rate > 0.0)
        rate = fmin(rate, problem->load.request_rate);
    return rate;
}

/* Served times with the measured corrections in them. */
static struct served correct(const struct problem *problem, const struct served *served)
{
    double tokens = served->output_tokens;
    struct served corrected = *served;
    corrected.ttft_us *= correction(problem, INTERVAL_TTFT);
    corrected.tpot_us *= correction(problem, INTERVAL_TPOT);
    corrected.e2e_us += corrected.ttft_us - served->ttft_us +
                        (corrected.tpot_us - served->tpot_us) * fmax(tokens - 1.0, 0.0);
    if (isnan(problem->load.request_rate))
        corrected.requests_us *= served->e2e_us / corrected.e2e_us;
    return corrected;
}

/* The whole answer's factors: its first token's and its other tokens' parts, both at their ends. */
static struct factors join(const struct served *served, struct factors first, struct factors rest)
{
    double share = fmin(served->ttft_us / served->e2e_us, 1.0);
    return (struct factors){share * first.low + (1.0 - share) * rest.low,
                            share * first.high + (1.0 - share) * rest.high};
}

/* Below saturation an open loop finishes what arrives, no more and no less. */
static void set_served_rate(struct plan *plan)
{
    plan->requests_s.low = plan->requests_s.high = plan->requests_s.expected;
    plan->output_tok_s.low = plan->output_tok_s.high = plan->output_tok_s.expected;
}

/* Two pools rest on calibrated steps, and their balance on nothing but its formula. */
static void set_pool_basis(struct plan *plan)
{
    struct estimate *const estimates[] = {&plan->ttft_ms,      &plan->tpot_ms,
                                          &plan->e2e_ms,       &plan->requests_s,
                                          &plan->output_tok_s, &plan->per_user_tok_s};
    for (size_t i = 0; i < ARRAY_LEN(estimates); i++)
        if (estimates[i]->basis == BASIS_CALIBRATED)
            estimates[i]->basis = BASIS_DERIVED;
}

static void hold_bounds(struct plan *plan, double output_tokens)
{
    int warnings = plan->n_warnings;
    hold_bound(plan, &plan->ttft_ms, false, "the time to first token");
    hold_bound(plan, &plan->tpot_ms, false, "the time per output token");
    /* What was lifted is part of the whole. */
    double whole = plan->ttft_ms.expected + plan->tpot_ms.expected * fmax(output_tokens - 1.0, 0.0);
    if (plan->n_warnings > warnings && plan->e2e_ms.expected < whole)
        plan->e2e_ms.expected = whole;
    hold_bound(plan, &plan->e2e_ms, false, "the time of a whole answer");
    hold_bound(plan, &plan->requests_s, true, "the request rate");
    hold_bound(plan, &plan->output_tok_s, true, "the output rate");
    hold_bound(plan, &plan->per_user_tok_s, true, "the rate of one user");
}

void estimates_fill(const struct prepared *prep, const struct core *core,
                    const struct served *served, struct plan *plan)
{
    const struct problem *problem = prep->problem;
    const struct served got = correct(problem, served);
    struct cycle least;
    load_cycle(problem, 1.0, 1.0, core->decode.floor_us, core->decode.tokens_per_step,
               core->prefill.floor_us, &least);
    double expected = load_is_predicted(core) ? 1.0 : (double)NAN;
    /* Past saturation a queue, and so its wait, has no end. */
    double waits = core->cycle.saturated ? (double)NAN : expected;
    double rate = expected * got.requests_us * US_PER_S * load_replicas(problem);
    double bound = bound_rate(prep, core), tokens = got.output_tokens;
    struct factors first = find_factors(prep, core, INTERVAL_TTFT);
    struct factors rest = find_factors(prep, core, INTERVAL_TPOT);
    struct factors whole = join(&got, first, rest);
    plan->ttft_ms =
        make(core->prefill.floor_us / US_PER_MS, waits * got.ttft_us / US_PER_MS, first);
    plan->tpot_ms = make(core->decode.floor_us / core->decode.tokens_per_step / US_PER_MS,
                         expected * got.tpot_us / US_PER_MS, rest);
    plan->e2e_ms = make(least.e2e_us / US_PER_MS, waits * got.e2e_us / US_PER_MS, whole);
    plan->requests_s = make_rate(bound, rate, whole);
    plan->output_tok_s = make_rate(bound * tokens, rate * tokens, whole);
    plan->per_user_tok_s =
        make_rate(MS_PER_S / plan->tpot_ms.floor, MS_PER_S / plan->tpot_ms.expected, rest);
    plan->decode_factors[0] = rest.low * correction(problem, INTERVAL_TPOT);
    plan->decode_factors[1] = rest.high * correction(problem, INTERVAL_TPOT);
    plan->prefill_factors[0] = plan->prefill_factors[1] = NAN;
    hold_bounds(plan, tokens);
    if (problem->load.request_rate > 0.0 && !core->cycle.saturated)
        set_served_rate(plan);
    if (problem->dep.disaggregated)
        set_pool_basis(plan);
}

void estimates_fill_saturation(const struct prepared *prep, const struct core *core,
                               struct plan *plan)
{
    const struct problem *problem = prep->problem;
    double replicas = fmax(problem->dep.replicas, 1.0);
    double gain = core->decode.tokens_per_step;
    double most = load_running(problem, &core->memory, 1e9);
    double batch = load_batch(&problem->dep, most);
    struct step full = core->decode;
    if (batch != core->decode.batch)
        step_decode(prep, batch, core->decode.context_tokens, &full);
    bool predicted = load_is_predicted(core) && !isnan(full.expected_us);
    struct cycle saturated, bound;
    load_cycle(problem, most, most, full.time_us, gain, core->prefill.time_us, &saturated);
    if (problem->dep.disaggregated)
        saturated.requests_us =
            fmin(most / saturated.decode_us, load_prefill_servers(problem) / core->prefill.time_us);
    load_cycle(problem, most, most, full.floor_us, gain, packed_prefill_us(prep, core), &bound);
    double expected = predicted ? saturated.requests_us * US_PER_S * replicas : (double)NAN;
    expected /= correction(problem, INTERVAL_TPOT);
    /* The cycle knows nothing of what the replay found: a rate that is served can be served. */
    if (expected < plan->requests_s.expected)
        expected = plan->requests_s.expected;
    plan->max_request_rate = make_rate(bound_rate_us(problem, &bound) * US_PER_S * replicas,
                                       expected, find_factors(prep, core, INTERVAL_TPOT));
    hold_bound(plan, &plan->max_request_rate, true, "the greatest request rate");
}
