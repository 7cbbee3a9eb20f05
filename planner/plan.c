/* Puts a plan together: core, estimates, warnings, cures, moves. */
#include "plan.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#include "cures.h"
#include "moves.h"
#include "replay.h"
#include "units.h"

static void warn(struct plan *plan, enum warning_id id, double first, double second,
                 const char *name)
{
    if (plan->n_warnings == WARNINGS_MAX)
        return;
    for (int i = 0; i < plan->n_warnings; i++)
        if (plan->warnings[i].id == id && plan->warnings[i].name == name)
            return;
    plan->warnings[plan->n_warnings++] =
        (struct warning){.id = id, .value = {first, second}, .name = name};
}

static struct estimate estimate(double floor, double expected, enum basis basis)
{
    struct estimate value = {
        .floor = floor, .expected = expected, .low = NAN, .high = NAN, .basis = basis};
    if (isnan(expected))
        value.basis = BASIS_NO_RECORD;
    return value;
}

/* A time is at least its floor, a rate at most its bound: what comes out beyond is lifted and said.
 */
static void hold_bound(struct plan *plan, struct estimate *value, bool is_rate, const char *name)
{
    bool beyond = is_rate ? value->expected > value->floor : value->expected < value->floor;
    if (!beyond)
        return;
    value->expected = value->floor;
    warn(plan, WARN_CLAMPED, 0.0, 0.0, name);
}

/* Requests per microsecond that no deployment of these floors exceeds: a step that carries prompt
 * tokens beside its decodes may overlap the two, so the longer of them bounds it. */
static double bound_rate_us(const struct problem *problem, const struct cycle *floors)
{
    bool apart = problem->dep.prefill_priority || problem->dep.chunked_prefill_tokens <= 0.0;
    double overlapped = fmax(floors->decode_us, floors->prefill_us);
    double cycle = apart ? floors->cycle_us : fmin(floors->cycle_us, overlapped);
    return cycle > 0.0 ? floors->running / cycle : floors->requests_us;
}

/* Whether the cycle's times are predictions: both steps rest on records, and the deployment can run
 * at all. */
static bool is_predicted(const struct core *core)
{
    return core->memory.fits && !isnan(core->decode.expected_us) &&
           !isnan(core->prefill.expected_us);
}

/* The closed cycle's means, and in their place the replay's where it ran. */
struct served {
    double ttft_us, tpot_us, e2e_us, requests_us;
};

static struct served serve(const struct prepared *prep, const struct core *core,
                           enum plan_depth depth)
{
    const struct workload *load = &prep->problem->load;
    const struct cycle *cycle = &core->cycle;
    struct served served = {cycle->ttft_us, cycle->tpot_us, cycle->e2e_us, cycle->requests_us};
    if (depth == PLAN_BARE || cycle->saturated || !is_predicted(core))
        return served;
    double rate = isnan(load->request_rate)
                      ? (double)NAN
                      : load->request_rate / load_replicas(prep->problem) / US_PER_S;
    struct replay replay;
    replay_run(prep, core, rate, &replay);
    if (!replay.done)
        return served;
    served = (struct served){replay.ttft_us, replay.tpot_us, replay.e2e_us, replay.requests_us};
    if (!isnan(rate))
        served.requests_us = cycle->requests_us;
    return served;
}

/* Latency and throughput: the load with expected times, the cycle with floors for the bound. */
static void fill_estimates(struct plan *plan, const struct core *core, const struct served *served)
{
    const struct problem *problem = &plan->problem;
    const struct cycle *cycle = &core->cycle;
    struct cycle least;
    load_cycle(problem, 1.0, 1.0, core->decode.floor_us, core->decode.tokens_per_step,
               core->prefill.floor_us, &least);
    struct cycle bound;
    load_cycle(problem, cycle->concurrency, cycle->running, core->decode.floor_us,
               core->decode.tokens_per_step, core->prefill.floor_us, &bound);
    double gain = core->decode.tokens_per_step;
    double expected = is_predicted(core) ? 1.0 : (double)NAN;
    double replicas = load_replicas(problem);
    double rate = served->requests_us * US_PER_S * replicas;
    double bound_rate = bound_rate_us(problem, &bound) * US_PER_S * replicas;
    /* An open loop finishes what arrives; past saturation its queue, and so its wait, has no end.
     */
    if (problem->load.request_rate > 0.0)
        bound_rate = fmin(bound_rate, problem->load.request_rate);
    double waits = cycle->saturated ? (double)NAN : expected;
    double tokens = load_mean_output(&problem->load);
    plan->ttft_ms = estimate(core->prefill.floor_us / US_PER_MS,
                             waits * served->ttft_us / US_PER_MS, BASIS_CALIBRATED);
    plan->tpot_ms = estimate(core->decode.floor_us / gain / US_PER_MS,
                             expected * served->tpot_us / US_PER_MS, BASIS_CALIBRATED);
    plan->e2e_ms =
        estimate(least.e2e_us / US_PER_MS, waits * served->e2e_us / US_PER_MS, BASIS_CALIBRATED);
    plan->requests_s = estimate(bound_rate, expected * rate, BASIS_CALIBRATED);
    plan->output_tok_s = estimate(bound_rate * tokens, expected * rate * tokens, BASIS_CALIBRATED);
    plan->per_user_tok_s = estimate(MS_PER_S / plan->tpot_ms.floor,
                                    MS_PER_S / plan->tpot_ms.expected, BASIS_CALIBRATED);
    hold_bound(plan, &plan->ttft_ms, false, "the time to first token");
    hold_bound(plan, &plan->tpot_ms, false, "the time per output token");
    hold_bound(plan, &plan->e2e_ms, false, "the time of a whole answer");
    hold_bound(plan, &plan->requests_s, true, "the request rate");
    hold_bound(plan, &plan->output_tok_s, true, "the output rate");
    hold_bound(plan, &plan->per_user_tok_s, true, "the rate of one user");
}

/* The rate at which the largest batch is full: saturation at these lengths. */
static void fill_saturation(struct plan *plan, const struct prepared *prep, const struct core *core)
{
    const struct problem *problem = &plan->problem;
    double replicas = fmax(problem->dep.replicas, 1.0);
    double gain = core->decode.tokens_per_step;
    double most = load_running(problem, &core->memory, 1e9);
    double batch = load_batch(&problem->dep, most);
    struct step full = core->decode;
    if (batch != core->decode.batch)
        step_decode(prep, batch, core->decode.context_tokens, &full);
    double expected = is_predicted(core) && !isnan(full.expected_us) ? 1.0 : (double)NAN;
    struct cycle saturated, bound;
    load_cycle(problem, most, most, full.time_us, gain, core->prefill.time_us, &saturated);
    load_cycle(problem, most, most, full.floor_us, gain, core->prefill.floor_us, &bound);
    plan->max_request_rate =
        estimate(bound_rate_us(problem, &bound) * US_PER_S * replicas,
                 expected * saturated.requests_us * US_PER_S * replicas, BASIS_DERIVED);
}

static const struct mixer *attention_mixer(const struct model *model)
{
    for (int i = 0; i < model->n_groups; i++)
        for (int j = 0; j < model->groups[i].n_mixers; j++)
            if (model->groups[i].mixers[j].cached_per_token > 0.0)
                return &model->groups[i].mixers[j];
    return NULL;
}

static double expert_count(const struct model *model)
{
    for (int i = 0; i < model->n_groups; i++)
        for (int j = 0; j < model->groups[i].n_ffns; j++)
            if (model->groups[i].ffns[j].kind == FFN_MOE)
                return model->groups[i].ffns[j].n_experts;
    return 0.0;
}

static void warn_shape(struct plan *plan)
{
    const struct problem *problem = &plan->problem;
    const struct deployment *dep = &problem->dep;
    const struct mixer *mixer = attention_mixer(problem->model);
    if (mixer != NULL && fmod(mixer->n_heads, dep->tp) != 0.0)
        warn(plan, WARN_TP_DOES_NOT_DIVIDE, dep->tp, mixer->n_heads, NULL);
    if (mixer != NULL && !mixer->kv_replicated && dep->tp > mixer->n_kv_heads)
        warn(plan, WARN_KV_HEADS_REPLICATED, dep->tp, mixer->n_kv_heads, NULL);
    if (mixer != NULL && mixer->kv_replicated && dep->tp > 1.0)
        warn(plan, WARN_MLA_REPLICATED, dep->tp, 0.0, NULL);
    if (fmod(problem->model->n_layers, dep->pp) != 0.0)
        warn(plan, WARN_PP_DOES_NOT_DIVIDE, dep->pp, problem->model->n_layers, NULL);
    double experts = expert_count(problem->model);
    if (experts > 0.0 && fmod(experts, dep->ep) != 0.0)
        warn(plan, WARN_EP_DOES_NOT_DIVIDE, dep->ep, experts, NULL);
    double joined = dep->tp * dep->dp;
    if (joined > fmax(problem->hw->link_domain, 1.0))
        warn(plan, WARN_TP_OVER_FABRIC, joined, fmax(problem->hw->link_domain, 1.0), NULL);
    double length = problem->load.input_tokens + problem->load.output_tokens;
    if (length > dep->max_model_len)
        warn(plan, WARN_TOO_LONG, length, dep->max_model_len, NULL);
}

static void warn_memory(struct plan *plan, const struct core *core)
{
    const struct memory_plan *memory = &core->memory;
    const struct deployment *dep = &plan->problem.dep;
    double spent = memory->weights_bytes + memory->activation_bytes + memory->overhead_bytes;
    double asked = core->cycle.concurrency;
    double length = plan->problem.load.input_tokens + plan->problem.load.output_tokens;
    if (memory->kv_bytes <= 0.0)
        warn(plan, WARN_WEIGHTS_DO_NOT_FIT, spent / BYTES_PER_GB,
             memory->usable_bytes / BYTES_PER_GB, NULL);
    else if (!memory->fits)
        warn(plan, WARN_REQUEST_DOES_NOT_FIT, length, memory->kv_token_capacity, NULL);
    else if (memory->held_sequences * dep->dp < asked)
        warn(plan, WARN_QUEUEING, memory->held_sequences * dep->dp, asked, NULL);
    if (dep->max_num_seqs * dep->dp < asked)
        warn(plan, WARN_MAX_NUM_SEQS, dep->max_num_seqs * dep->dp, asked, NULL);
}

static void warn_step(struct plan *plan, const struct step *step)
{
    static const enum class_id NEED[] = {CLASS_DENSE_GEMM, CLASS_MOE_EXPERT_GEMM,
                                         CLASS_DECODE_ATTENTION, CLASS_PREFILL_ATTENTION,
                                         CLASS_COLLECTIVE};

    if (step->clamped)
        warn(plan, WARN_CLAMPED, 0.0, 0.0,
             step == &plan->decode ? "a decode class" : "a prefill class");
    if (step->extrapolated)
        warn(plan, WARN_EXTRAPOLATED, 0.0, 0.0, class_name(CLASS_COLLECTIVE));
    for (size_t i = 0; i < ARRAY_LEN(NEED); i++) {
        const struct class_cost *cost = &step->classes[NEED[i]];
        if (cost->present && cost->basis == BASIS_ASSUMED)
            warn(plan, WARN_NO_FIT, 0.0, 0.0, class_name(NEED[i]));
    }
}

static void fill_warnings(struct plan *plan, const struct prepared *prep, const struct core *core)
{
    const struct deployment *dep = &plan->problem.dep;
    warn_memory(plan, core);
    warn_shape(plan);
    if (prep->ridge <= 0.0)
        warn(plan, WARN_NO_PEAK, 0.0, 0.0, NULL);
    if (dep->shared_prefix_kernel && !load_reuses_prefix(dep))
        warn(plan, WARN_SHARED_PREFIX, 0.0, 0.0, NULL);
    if (prep->emulated != DTYPE_COUNT)
        warn(plan, WARN_EMULATED, 0.0, 0.0, dtype_name(prep->emulated));
    warn_step(plan, &plan->decode);
    warn_step(plan, &plan->prefill);
    if (core->decode.link_bytes > 0.0 && plan->problem.hw->link_bytes_us <= 0.0)
        warn(plan, WARN_NO_LINK, 0.0, 0.0, NULL);
    if (core->cycle.saturated)
        warn(plan, WARN_SATURATED, plan->problem.load.request_rate, plan->max_request_rate.expected,
             NULL);
    if (dep->spec_method != SPEC_NONE && dep->spec_method != SPEC_NGRAM)
        warn(plan, WARN_SPECULATIVE_ASSUMED, dep->spec_acceptance, 0.0, NULL);
}

void plan_compute(const struct problem *problem, enum plan_depth depth, struct plan *ret_plan)
{
    struct prepared prep;
    struct core core;
    memset(ret_plan, 0, offsetof(struct plan, moves));
    ret_plan->n_moves = ret_plan->n_results = ret_plan->n_warnings = 0;
    ret_plan->problem = *problem;
    prepare(&ret_plan->problem, NULL, &prep);
    core_evaluate(&prep, &core);
    ret_plan->decode = core.decode;
    ret_plan->prefill = core.prefill;
    ret_plan->memory = core.memory;
    ret_plan->regime = core.regime;
    ret_plan->dominant = core.dominant;
    ret_plan->decode_cycle_us = core.cycle.decode_us;
    ret_plan->prefill_cycle_us = core.cycle.prefill_us;
    struct served served = serve(&prep, &core, depth);
    fill_estimates(ret_plan, &core, &served);
    if (depth == PLAN_BARE) {
        ret_plan->max_request_rate = estimate((double)NAN, (double)NAN, BASIS_NO_RECORD);
        return;
    }
    fill_saturation(ret_plan, &prep, &core);
    fill_warnings(ret_plan, &prep, &core);
    ret_plan->n_results = cures_find(&ret_plan->problem, &core, ret_plan->results);
    if (depth == PLAN_FULL)
        ret_plan->n_moves = moves_find(&ret_plan->problem, &prep, &core, ret_plan->moves);
}
