/* Puts a plan together: core, estimates, warnings, cures, moves. */
#include "plan.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#include "cures.h"
#include "estimates.h"
#include "memory.h"
#include "memory_changes.h"
#include "moves.h"
#include "plan_keeper.h"
#include "serve.h"
#include "units.h"

void plan_warn(struct plan *plan, enum warning_id id, double first, double second, const char *name)
{
    if (plan->n_warnings == WARNINGS_MAX)
        return;
    for (int i = 0; i < plan->n_warnings; i++)
        if (plan->warnings[i].id == id && plan->warnings[i].name == name)
            return;
    plan->warnings[plan->n_warnings++] =
        (struct warning){.id = id, .value = {first, second}, .name = name};
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

/* What tensor parallel ranks cannot share evenly. */
static void warn_ranks(struct plan *plan)
{
    const struct problem *problem = &plan->problem;
    const struct deployment *dep = &problem->dep;
    const struct mixer *mixer = attention_mixer(problem->model);
    if (mixer != NULL && fmod(mixer->n_heads, dep->tp) != 0.0)
        plan_warn(plan, WARN_TP_DOES_NOT_DIVIDE, dep->tp, mixer->n_heads, NULL);
    if (mixer != NULL && !mixer->kv_replicated && dep->tp > mixer->n_kv_heads)
        plan_warn(plan, WARN_KV_HEADS_REPLICATED, dep->tp, mixer->n_kv_heads, NULL);
    if (mixer != NULL && mixer->kv_replicated && dep->tp > 1.0)
        plan_warn(plan, WARN_MLA_REPLICATED, dep->tp, 0.0, NULL);
    double experts = expert_count(problem->model);
    if (experts > 0.0 && fmod(experts, dep->ep) != 0.0)
        plan_warn(plan, WARN_EP_DOES_NOT_DIVIDE, dep->ep, experts, NULL);
    double joined = dep->tp * dep->dp;
    if (joined > fmax(problem->hw->link_domain, 1.0))
        plan_warn(plan, WARN_TP_OVER_FABRIC, joined, fmax(problem->hw->link_domain, 1.0), NULL);
}

/* Layers of a local engine lie on its devices in a row: nothing has to divide. */
static void warn_local(struct plan *plan, const struct prepared *prep)
{
    const struct problem *problem = &plan->problem;
    if (local_leaves_to_host(problem))
        plan_warn(plan, WARN_HOST_WEIGHTS, 0.0, 0.0, NULL);
    else if (prep->local.is_offloaded)
        plan_warn(plan, WARN_NOT_RESIDENT, plan->memory.weights_bytes / BYTES_PER_GB,
                  problem->hw->memory_bytes / BYTES_PER_GB, NULL);
    else if (prep->local.tier != LOCAL_NONE && plan->decode.tokens > LOCAL_BATCH_VALIDATED)
        plan_warn(plan, WARN_MANY_ROWS, plan->decode.tokens, LOCAL_BATCH_VALIDATED, NULL);
}

static void warn_shape(struct plan *plan, const struct prepared *prep)
{
    const struct problem *problem = &plan->problem;
    const struct deployment *dep = &problem->dep;
    if (prep->host_weights_us > 0.0)
        plan_warn(plan, WARN_HOST_WEIGHTS, 0.0, 0.0, NULL);
    if (prep->local.is_local)
        warn_local(plan, prep);
    else
        warn_ranks(plan);
    if (fmod(problem->model->n_layers, dep->pp) != 0.0)
        plan_warn(plan, WARN_PP_DOES_NOT_DIVIDE, dep->pp, problem->model->n_layers, NULL);
    double length = problem->load.input_tokens + problem->load.output_tokens;
    if (length > dep->max_model_len)
        plan_warn(plan, WARN_TOO_LONG, length, dep->max_model_len, NULL);
}

static void warn_memory(struct plan *plan, const struct core *core)
{
    const struct memory_plan *memory = &core->memory;
    const struct deployment *dep = &plan->problem.dep;
    double spent = memory->weights_bytes + memory->activation_bytes + memory->overhead_bytes;
    double asked = core->cycle.concurrency;
    if (memory->kv_bytes <= 0.0)
        plan_warn(plan, WARN_WEIGHTS_DO_NOT_FIT, spent / BYTES_PER_GB,
                  memory->usable_bytes / BYTES_PER_GB, NULL);
    else if (!memory->fits && memory->needed_tokens > memory->kv_token_capacity)
        plan_warn(plan, WARN_REQUEST_DOES_NOT_FIT, memory->needed_tokens, memory->kv_token_capacity,
                  NULL);
    else if (memory->held_sequences * dep->dp < asked)
        plan_warn(plan, WARN_QUEUEING, memory->held_sequences * dep->dp, asked, NULL);
    if (dep->max_num_seqs * dep->dp < asked)
        plan_warn(plan, WARN_MAX_NUM_SEQS, dep->max_num_seqs * dep->dp, asked, NULL);
}

static void warn_step(struct plan *plan, const struct step *step)
{
    static const enum class_id NEED[] = {CLASS_DENSE_GEMM, CLASS_MOE_EXPERT_GEMM,
                                         CLASS_DECODE_ATTENTION, CLASS_PREFILL_ATTENTION,
                                         CLASS_COLLECTIVE};

    if (step->clamped)
        plan_warn(plan, WARN_CLAMPED, 0.0, 0.0,
                  step == &plan->decode ? "a decode class" : "a prefill class");
    if (step->extrapolated)
        plan_warn(plan, WARN_EXTRAPOLATED, 0.0, 0.0, class_name(CLASS_COLLECTIVE));
    for (size_t i = 0; i < ARRAY_LEN(NEED); i++) {
        const struct class_cost *cost = &step->classes[NEED[i]];
        if (cost->present && cost->basis == BASIS_ASSUMED)
            plan_warn(plan, WARN_NO_FIT, 0.0, 0.0, class_name(NEED[i]));
    }
}

static void fill_warnings(struct plan *plan, const struct prepared *prep, const struct core *core)
{
    const struct deployment *dep = &plan->problem.dep;
    warn_memory(plan, core);
    warn_shape(plan, prep);
    if (prep->ridge <= 0.0)
        plan_warn(plan, WARN_NO_PEAK, 0.0, 0.0, NULL);
    if (dep->shared_prefix_kernel && !load_reuses_prefix(dep))
        plan_warn(plan, WARN_SHARED_PREFIX, 0.0, 0.0, NULL);
    if (prep->emulated != DTYPE_COUNT)
        plan_warn(plan, WARN_EMULATED, 0.0, 0.0, dtype_name(prep->emulated));
    warn_step(plan, &plan->decode);
    warn_step(plan, &plan->prefill);
    if (core->decode.link_bytes > 0.0 && plan->problem.hw->link_bytes_us <= 0.0)
        plan_warn(plan, WARN_NO_LINK, 0.0, 0.0, NULL);
    if (core->cycle.saturated)
        plan_warn(plan, WARN_SATURATED, plan->problem.load.request_rate,
                  plan->max_request_rate.expected, NULL);
    if (dep->spec_method != SPEC_NONE && dep->spec_method != SPEC_NGRAM)
        plan_warn(plan, WARN_SPECULATIVE_ASSUMED, dep->spec_acceptance, 0.0, NULL);
}

static void begin(const struct problem *problem, struct plan *plan)
{
    memset(&plan->regime, 0, offsetof(struct plan, moves) - offsetof(struct plan, regime));
    plan->n_moves = plan->n_results = plan->n_warnings = 0;
    plan->n_memory_changes = 0;
    plan->problem = *problem;
}

/* Everything behind one evaluation. */
static void conclude(const struct prepared *prep, const struct core *core, enum plan_depth depth,
                     struct plan *plan)
{
    plan->decode = core->decode;
    plan->prefill = core->prefill;
    plan->memory = core->memory;
    plan->regime = core->regime;
    plan->dominant = core->dominant;
    plan->decode_cycle_us = core->cycle.decode_us;
    plan->prefill_cycle_us = core->cycle.prefill_us;
    const struct served served =
        load_serve(prep, core, depth == PLAN_BARE ? SERVE_CYCLE : SERVE_REPLAY);
    estimates_fill(prep, core, &served, plan);
    if (depth == PLAN_BARE) {
        plan->max_request_rate = (struct estimate){NAN, NAN, NAN, NAN, BASIS_NO_RECORD};
        return;
    }
    plan->memory.longest_context = memory_longest_context(&plan->problem, &plan->memory);
    estimates_fill_saturation(prep, core, plan);
    fill_warnings(plan, prep, core);
    if (depth == PLAN_CHECK)
        return;
    plan->n_results = cures_find(&plan->problem, core, plan->results);
    cures_replay(prep, core, plan->results, plan->n_results);
    if (depth == PLAN_SUMMARY)
        return;
    plan->n_moves = moves_find(&plan->problem, prep, core, plan->moves);
    plan->n_memory_changes =
        memory_changes_find(&plan->problem, &plan->memory, plan->memory_changes);
}

void plan_compute(const struct problem *problem, enum plan_depth depth, struct plan *ret_plan)
{
    struct prepared prep;
    struct core core;
    begin(problem, ret_plan);
    prepare(&ret_plan->problem, NULL, &prep);
    core_evaluate(&prep, &core);
    conclude(&prep, &core, depth, ret_plan);
}

/* Whether nothing but load, objectives and measurements differs. Texts are compared by where they
 * lie; padding may tell equals apart, which costs time alone. */
static bool same_deployment(const struct problem *a, const struct problem *b)
{
    const void *left = &a->dep, *right = &b->dep;
    return a->lib == b->lib && a->model == b->model && a->hw == b->hw &&
           a->max_positions == b->max_positions && memcmp(left, right, sizeof(a->dep)) == 0;
}

bool plan_keeper_turn(struct plan_keeper *keeper, const struct problem *problem)
{
    if (keeper->holds && same_deployment(&keeper->problem, problem))
        return true;
    keeper->holds = true;
    keeper->problem = *problem;
    keeper->prefills.deployment = ++keeper->deployment;
    prepare(&keeper->problem, NULL, &keeper->prep);
    keeper->prep.prefills = &keeper->prefills;
    memory_lay_out(&keeper->problem, keeper->prep.scale.model, &keeper->memory);
    return false;
}

void plan_compute_kept(struct plan_keeper *keeper, const struct problem *problem,
                       enum plan_depth depth, struct plan *ret_plan)
{
    struct core core;
    begin(problem, ret_plan);
    keeper->prep.problem = &ret_plan->problem;
    core.memory = keeper->memory;
    memory_load(&ret_plan->problem, &core.memory);
    core_run(&keeper->prep, &core);
    conclude(&keeper->prep, &core, depth, ret_plan);
    keeper->prep.problem = &keeper->problem;
}
