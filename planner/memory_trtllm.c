/*
 * memory_trtllm.c - TensorRT-LLM: KV = f (T - W - X): a fraction of what is free after a dummy run.
 *
 * X, what is taken beside the weights, is a fixed part, a part for each doubling of the ranks, and
 * the activations of the dummy run. Engines built ahead (before 1.0) hold an execution context, and
 * runtime and decoder buffers for every sequence of the largest batch over the vocabulary, besides.
 *
 * Source: github.com/NVIDIA/TensorRT-LLM, tensorrt_llm/_torch/pyexecutor/_util.py
 * (_cal_max_memory): available = (total - peak + allocated) x fraction.
 */
#include <math.h>

#include "memory_engine.h"
#include "units.h"

static double activation_bytes(const struct memory_case *mc)
{
    const struct problem *problem = mc->problem;
    const struct model *model = problem->model;
    const struct deployment *dep = &problem->dep;
    double tokens = memory_step_tokens(problem);
    double rows = tokens * ACTIVATION_BYTES;
    double buffers = memory_case_value(mc, RULE_SAMPLER_BYTES) * dep->max_num_seqs * model->vocab;
    return rows * (memory_case_value(mc, RULE_FORWARD_FFN_COPIES) * memory_widest_ffn(model) /
                       dep->tp +
                   memory_case_value(mc, RULE_FORWARD_HIDDEN_COPIES) * model->hidden) +
           tokens * memory_expert_row_bytes(model, dep) + (mc->stage.last ? buffers : 0.0);
}

static void terms(const struct memory_case *mc, struct memory_plan *plan)
{
    const struct deployment *dep = &mc->problem->dep;
    double doublings = log2(fmax(dep->tp, 1.0));
    memory_weight_terms(mc, plan);
    memory_term_set(plan, TERM_ACTIVATION, activation_bytes(mc), BASIS_CALIBRATED, true);
    memory_term_record(plan, TERM_NON_TORCH, memory_case_constant(mc, RULE_NON_TORCH), true);
    struct memory_term *context = &plan->terms[TERM_NON_TORCH];
    const struct memory_constant *each = memory_case_constant(mc, RULE_NON_TORCH_DOUBLING);
    context->bytes += each->value * doublings;
    context->low += each->low * doublings;
    context->high += each->high * doublings;
    if (dep->other_processes_bytes > 0.0)
        memory_term_set(plan, TERM_OTHERS, dep->other_processes_bytes, BASIS_DERIVED, true);
}

static void pool(const struct memory_case *mc, struct memory_plan *plan)
{
    const struct deployment *dep = &mc->problem->dep;
    double spent = memory_spent(plan, 0.0);
    double fraction = dep->memory_utilization;
    memory_pool_of_rest(plan, spent + (plan->total_bytes - spent) * fraction);
    /* The fraction is of what is free: so are the ends of the range. */
    plan->kv_bytes_low = (plan->total_bytes - memory_spent(plan, 1.0)) * fraction;
    plan->kv_bytes_high = (plan->total_bytes - memory_spent(plan, -1.0)) * fraction;
    if (dep->kv_cache_memory_bytes > 0.0)
        memory_pool_cap(plan, dep->kv_cache_memory_bytes);
}

/* The draft's layers add to the bytes of a token; a pool per size of window, each in its share. */
static void layout(const struct memory_case *mc, struct memory_plan *plan)
{
    const struct deployment *dep = &mc->problem->dep;
    struct kv_layout *layout = &plan->layout;
    memory_groups(mc, layout);
    memory_groups_draft(mc, layout);
    memory_layout_tokens(layout);
    if (dep->kv_cache_tokens > 0.0)
        memory_pool_cap(plan, dep->kv_cache_tokens * layout->unit_bytes);
}

/* Tokens of the whole context over all layers that a sequence is worth: less where windows fill. */
static double units(const struct problem *problem, const struct kv_layout *layout, double tokens,
                    bool running)
{
    double block = fmax(problem->dep.block_size, 1.0);
    double length = ceil(tokens / block) * block;
    (void)running;
    return layout->unit_bytes > 0.0 ? memory_groups_bytes(layout, length) / layout->unit_bytes
                                    : 0.0;
}

/* Blocks are rounded up. */
static double printed(const struct problem *problem, const struct memory_plan *plan)
{
    double block = fmax(problem->dep.block_size, 1.0);
    if (memory_groups_token_bytes(&plan->layout) <= 0.0)
        return NAN;
    return ceil(plan->layout.units / block) * block;
}

const struct memory_engine MEMORY_TRTLLM_ENGINE = {
    .stages = memory_even_stages,
    .terms = terms,
    .pool = pool,
    .layout = layout,
    .units = units,
    .printed = printed,
    .pool_formula = "f (T - what is taken)",
    .formulas =
        {
            [TERM_WEIGHTS] = "matrices / tp, KV projections / min(tp, KV heads); built: own head",
            [TERM_ROPE] = "positions x rotary width x bytes, on every rank",
            [TERM_DRAFT] = "MTP layers over tp",
            [TERM_VISION] = "parameters x bytes / tp",
            [TERM_LORA] = "max_loras x rank x (in + out) x 2 B of every target matrix",
            [TERM_OFFLOADED] = "as stated",
            [TERM_ACTIVATION] =
                "M b (3 I/tp + 6.5 h) + M k (max(2 I_e, h) + max(I_e, h)) b + c S V",
            [TERM_NON_TORCH] = "fitted: fixed, and 0.6 GiB for each doubling of the ranks",
            [TERM_OTHERS] = "as stated",
        },
};
