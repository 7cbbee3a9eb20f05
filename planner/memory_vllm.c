/*
 * memory_vllm.c - vLLM: KV = u T - W - A - N (- G): a fraction of all memory, less weights, the
 * profiled activation peak, what is not the allocator's, and, where the version subtracts it, the
 * estimate of captured graphs.
 *
 * Sources: vllm/v1/worker/gpu_worker.py (determine_available_memory), vllm/worker/worker.py of
 * versions before 0.8; constants: db/records/memory-rules.json, fitted to start-up logs.
 */
#include <math.h>

#include "memory_engine.h"
#include "memory_vllm.h"
#include "units.h"

/* Rows of the hidden width in a forward pass of the engine before 0.8; the sampler's dummy run of
 * all its sequences. */
#define V0_FFN_COPIES 3.0
#define V0_HIDDEN_COPIES 3.0
#define V0_STEP_TOKENS_MIN 2048.0
#define V0_CHUNK_BEYOND 32768.0
/* Sizes of captured steps: 1, 2, 4, then every 8 up to 256, every 16 up to 512. */
#define GRAPHS_SMALL 3.0
#define GRAPHS_FINE_STEP 8.0
#define GRAPHS_FINE_MAX 256.0
#define GRAPHS_COARSE_STEP 16.0
#define GRAPHS_MAX 512.0
/* How far a fitted activation peak may be off: eleven logs within 3 %; kernels that quantise
 * activations, and other versions, within a quarter. */
#define ACTIVATION_LOW 0.85
#define ACTIVATION_HIGH 1.2
/* Share of an encoder's rows that are whole on every rank: 65,536 patches of Qwen3-VL's tower
 * (1,152 wide, its FFN 4,304) and 16,384 tokens of the model's width. */
#define ENCODER_WHOLE 0.5

bool memory_vllm_is_v0(const struct deployment *dep)
{
    static const int FIRST_V1[3] = {0, 8, 0};

    return engine_version_compare(dep->version, FIRST_V1) < 0;
}

/* Tokens of the profiled step before 0.8: the longest prompt, or the chunk where prompts are
 * chunked; `chunk_beyond_32k` says what a longer context turns on. */
static double v0_step_tokens(const struct memory_case *mc, bool *ret_chunked)
{
    const struct deployment *dep = &mc->problem->dep;
    double chunk = dep->chunked_prefill_tokens;
    double automatic = memory_case_value(mc, RULE_LONG_CHUNK);
    if (chunk <= 0.0 && automatic > 0.0 && dep->max_model_len > V0_CHUNK_BEYOND)
        chunk = automatic;
    *ret_chunked = chunk > 0.0;
    return chunk > 0.0 ? chunk : fmax(dep->max_model_len, V0_STEP_TOKENS_MIN);
}

static double v0_activation(const struct memory_case *mc)
{
    const struct problem *problem = mc->problem;
    const struct model *model = problem->model;
    bool chunked = false;
    double tokens = v0_step_tokens(mc, &chunked);
    double rows = tokens * ACTIVATION_BYTES;
    double forward = rows * (V0_FFN_COPIES * memory_widest_ffn(model) / problem->dep.tp +
                             V0_HIDDEN_COPIES * model->hidden);
    double experts = tokens * memory_expert_row_bytes(model, &problem->dep);
    double sampler = memory_case_value(mc, RULE_SAMPLER_BYTES) *
                         fmin(problem->dep.max_num_seqs, tokens) * model->vocab +
                     rows * model->hidden;
    return experts + (chunked || !mc->stage.last ? forward : fmax(forward, sampler));
}

static double v1_activation(const struct memory_case *mc)
{
    const struct problem *problem = mc->problem;
    const struct model *model = problem->model;
    const struct deployment *dep = &problem->dep;
    double tokens = memory_step_tokens(problem);
    double rows = tokens * ACTIVATION_BYTES;
    double forward = rows * (memory_case_value(mc, RULE_FORWARD_FFN_COPIES) *
                                 memory_widest_ffn(model) / dep->tp +
                             memory_case_value(mc, RULE_FORWARD_HIDDEN_COPIES) * model->hidden);
    double sampler =
        memory_case_value(mc, RULE_SAMPLER_BYTES) * fmin(dep->max_num_seqs, tokens) * model->vocab +
        rows * model->hidden;
    double experts = tokens * memory_expert_row_bytes(model, dep);
    return experts + (mc->stage.last ? fmax(forward, sampler) : forward);
}

static void activation_term(const struct memory_case *mc, struct memory_plan *plan)
{
    const struct model *model = mc->problem->model;
    bool v0 = memory_vllm_is_v0(&mc->problem->dep);
    double bytes = v0 ? v0_activation(mc) : v1_activation(mc);
    struct memory_term *term =
        memory_term_set(plan, TERM_ACTIVATION, bytes, BASIS_CALIBRATED, true);
    const struct memory_constant *rule = memory_case_constant(mc, RULE_SAMPLER_BYTES);
    term->low = bytes * ACTIVATION_LOW;
    term->high = bytes * ACTIVATION_HIGH;
    term->rule = rule->id != NULL ? rule : NULL;
    if (model->vision_params <= 0.0 || mc->problem->dep.text_only || !mc->stage.first)
        return;
    /* The profile runs the encoder at its largest budget too: of its rows about half, the hidden
     * states and what it hands on, are whole on every rank. */
    const struct memory_constant *encoder = memory_case_constant(mc, RULE_ENCODER_PEAK);
    double on_rank = ENCODER_WHOLE + (1.0 - ENCODER_WHOLE) / mc->problem->dep.tp;
    if (encoder->value * on_rank > term->bytes)
        term->rule = encoder;
    term->bytes = fmax(bytes, encoder->value * on_rank);
    term->low = fmax(term->low, encoder->low * on_rank);
    term->high = fmax(term->high, encoder->high);
}

double memory_vllm_graph_sizes(const struct deployment *dep)
{
    double most = fmin(dep->max_num_seqs, GRAPHS_MAX);
    if (dep->graph_max_batch > 0.0)
        most = fmin(most, dep->graph_max_batch);
    double small = fmin(floor(log2(fmax(most, 1.0))) + 1.0, GRAPHS_SMALL);
    double fine = floor(fmin(most, GRAPHS_FINE_MAX) / GRAPHS_FINE_STEP);
    double coarse = floor(fmax(most - GRAPHS_FINE_MAX, 0.0) / GRAPHS_COARSE_STEP);
    return small + fine + coarse;
}

/* G = fixed + each x sizes. */
static void graph_term(const struct memory_case *mc, struct memory_plan *plan)
{
    const struct deployment *dep = &mc->problem->dep;
    const struct memory_constant *fixed = memory_case_constant(mc, RULE_GRAPH_FIXED);
    const struct memory_constant *each = memory_case_constant(mc, RULE_GRAPH_EACH);
    bool in_budget = memory_case_value(mc, RULE_GRAPHS_IN_BUDGET) > 0.0;
    double sizes = memory_vllm_graph_sizes(dep);
    if (!dep->cuda_graphs)
        return;
    memory_term_record(plan, TERM_GRAPHS, fixed, in_budget);
    struct memory_term *term = &plan->terms[TERM_GRAPHS];
    term->bytes += each->value * sizes;
    term->low += each->low * sizes;
    term->high += each->high * sizes;
}

static void terms(const struct memory_case *mc, struct memory_plan *plan)
{
    const struct deployment *dep = &mc->problem->dep;
    bool others_in_budget = memory_case_value(mc, RULE_OTHERS_IN_BUDGET) > 0.0;
    memory_weight_terms(mc, plan);
    activation_term(mc, plan);
    memory_term_record(plan, TERM_NON_TORCH, memory_case_constant(mc, RULE_NON_TORCH), true);
    graph_term(mc, plan);
    if (dep->other_processes_bytes > 0.0)
        memory_term_set(plan, TERM_OTHERS, dep->other_processes_bytes, BASIS_DERIVED,
                        others_in_budget);
}

static void pool(const struct memory_case *mc, struct memory_plan *plan)
{
    const struct deployment *dep = &mc->problem->dep;
    double usable = plan->total_bytes * dep->memory_utilization;
    memory_pool_of_rest(plan, usable);
    if (dep->kv_cache_memory_bytes > 0.0) {
        /* The flag goes round the fraction and the profile. */
        plan->kv_bytes = plan->kv_bytes_low = plan->kv_bytes_high = dep->kv_cache_memory_bytes;
        double taken = memory_spent(plan, -1.0) + plan->kv_bytes;
        plan->layout.refused = taken > plan->total_bytes;
        return;
    }
    /* Versions that do not charge others refuse to start when less than the fraction is free. */
    const struct memory_term *others = &plan->terms[TERM_OTHERS];
    plan->layout.refused = !others->in_budget && plan->total_bytes - others->bytes < usable;
}

const struct memory_engine MEMORY_VLLM_ENGINE = {
    .stages = memory_even_stages,
    .terms = terms,
    .pool = pool,
    .layout = memory_vllm_layout,
    .units = memory_vllm_units,
    .printed = memory_vllm_printed,
    .refuses_longest = true,
    .pool_formula = "u T - (what the budget is charged with); T as the driver reports it",
    .formulas =
        {
            [TERM_WEIGHTS] =
                "the stage's matrices over tp, KV projections over min(tp, KV heads), norms whole",
            [TERM_ROPE] = "positions x rotary width x bytes, on every rank",
            [TERM_DRAFT] = "MTP layers over tp; embedding and head are shared",
            [TERM_VISION] = "parameters x bytes / tp",
            [TERM_LORA] = "max_loras x rank x (in + out) x 2 B of every target matrix",
            [TERM_OFFLOADED] = "--cpu-offload-gb of each rank",
            [TERM_ACTIVATION] =
                "M k (max(2I_e, h) + max(I_e, h)) b + max(M b (3I/tp + 6.5h), c S V + M h b)",
            [TERM_NON_TORCH] = "fitted by part, version and tp",
            [TERM_GRAPHS] = "fixed + each x captured sizes up to max_num_seqs",
            [TERM_OTHERS] = "as stated",
        },
};
