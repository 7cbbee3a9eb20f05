/*
 * memory_tgi.c - TGI: KV = w (u T - W - A - N - P) + P: a share of what is free after a prefill of
 * max_batch_prefill_tokens, whose own blocks P are added back.
 *
 * u is CUDA_MEMORY_FRACTION; w is none before 1.1, 0.95 to 2.3, then TGI_WIGGLE_ROOM. The prefill
 * computes log-probabilities of every prompt token: logits of M rows and their copies.
 *
 * Source: github.com/huggingface/text-generation-inference,
 * server/text_generation_server/models/flash_causal_lm.py (warmup).
 */
#include <math.h>

#include "memory_engine.h"
#include "units.h"

static double prefill_tokens(const struct problem *problem)
{
    return memory_step_tokens(problem);
}

static void activation_term(const struct memory_case *mc, struct memory_plan *plan)
{
    const struct problem *problem = mc->problem;
    const struct model *model = problem->model;
    double tokens = prefill_tokens(problem);
    double forward = tokens * ACTIVATION_BYTES *
                         (memory_case_value(mc, RULE_FORWARD_FFN_COPIES) *
                              memory_widest_ffn(model) / problem->dep.tp +
                          memory_case_value(mc, RULE_FORWARD_HIDDEN_COPIES) * model->hidden) +
                     tokens * memory_expert_row_bytes(model, &problem->dep);
    const struct memory_constant *logits = memory_case_constant(mc, RULE_SAMPLER_BYTES);
    double rows = mc->stage.last ? tokens * model->vocab : 0.0;
    struct memory_term *term = memory_term_set(
        plan, TERM_ACTIVATION, fmax(forward, logits->value * rows), BASIS_ASSUMED, true);
    term->low = fmax(forward * 0.5, logits->low * rows);
    term->high = fmax(forward, logits->high * rows) + forward;
    term->low = fmin(term->low, term->bytes);
    term->rule = logits->id != NULL ? logits : NULL;
}

static void terms(const struct memory_case *mc, struct memory_plan *plan)
{
    const struct deployment *dep = &mc->problem->dep;
    memory_weight_terms(mc, plan);
    activation_term(mc, plan);
    memory_term_record(plan, TERM_NON_TORCH, memory_case_constant(mc, RULE_NON_TORCH), true);
    if (dep->other_processes_bytes > 0.0)
        memory_term_set(plan, TERM_OTHERS, dep->other_processes_bytes, BASIS_DERIVED, true);
}

static double block_tokens(const struct problem *problem)
{
    return fmax(problem->dep.block_size, 1.0);
}

static double pool_of(const struct memory_case *mc, double free_bytes, double prompt_bytes)
{
    double share = memory_case_value(mc, RULE_POOL_SHARE);
    return (free_bytes - prompt_bytes) * (share > 0.0 ? share : 1.0) + prompt_bytes;
}

static void pool(const struct memory_case *mc, struct memory_plan *plan)
{
    const struct problem *problem = mc->problem;
    struct kv_layout groups = {.n_groups = 0};
    memory_groups(mc, &groups);
    double block = block_tokens(problem);
    double prompt = ceil(prefill_tokens(problem) / block) * block;
    double prompt_bytes = prompt * memory_groups_token_bytes(&groups);
    memory_pool_of_rest(plan, plan->total_bytes * problem->dep.memory_utilization);
    plan->kv_bytes = pool_of(mc, plan->kv_bytes, prompt_bytes);
    plan->kv_bytes_low = pool_of(mc, plan->kv_bytes_low, prompt_bytes);
    plan->kv_bytes_high = pool_of(mc, plan->kv_bytes_high, prompt_bytes);
}

/* Windows are stored whole. max_batch_total_tokens makes the pool smaller, and is refused where it
 * would make it larger. */
static void layout(const struct memory_case *mc, struct memory_plan *plan)
{
    const struct deployment *dep = &mc->problem->dep;
    struct kv_layout *layout = &plan->layout;
    memory_groups(mc, layout);
    memory_layout_tokens(layout);
    double asked = dep->kv_cache_tokens * layout->unit_bytes;
    if (!(dep->kv_cache_tokens > 0.0))
        return;
    layout->refused = plan->kv_bytes_high < asked;
    layout->least_bytes = asked;
    memory_pool_cap(plan, asked);
}

static double units(const struct problem *problem, const struct kv_layout *layout, double tokens,
                    bool running)
{
    double block = block_tokens(problem);
    (void)running;
    if (memory_groups_token_bytes(layout) <= 0.0)
        return memory_groups_bytes(layout, tokens);
    return ceil(tokens / block) * block;
}

static double printed(const struct problem *problem, const struct memory_plan *plan)
{
    return memory_groups_whole_pages(&plan->layout, block_tokens(problem));
}

const struct memory_engine MEMORY_TGI_ENGINE = {
    .stages = memory_even_stages,
    .terms = terms,
    .pool = pool,
    .layout = layout,
    .units = units,
    .printed = printed,
    .pool_formula = "w (u T - what is taken - the prefill's blocks) + the prefill's blocks",
    .formulas =
        {
            [TERM_WEIGHTS] = "matrices / tp, KV projections / min(tp, KV heads), norms whole",
            [TERM_ROPE] = "positions x rotary width x bytes, on every rank",
            [TERM_DRAFT] = "the draft's heads over tp",
            [TERM_VISION] = "parameters x bytes / tp",
            [TERM_LORA] = "max_loras x rank x (in + out) x 2 B of every target matrix",
            [TERM_OFFLOADED] = "as stated",
            [TERM_ACTIVATION] = "max(M b (3 I/tp + 6.5 h), c M V), M max_batch_prefill_tokens",
            [TERM_NON_TORCH] = "assumed by tp",
            [TERM_OTHERS] = "as stated",
        },
};
