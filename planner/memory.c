#include "memory.h"

#include <math.h>

#include "units.h"

/* Activation peak of a forward pass of M tokens, fitted to eleven vLLM start-up logs (worst 3 %):
 * M b (3 I/t + 6.5 h), and the sampler's dummy run of S rows over the vocabulary, 14.85 bytes each.
 */
#define FORWARD_FFN_COPIES 3.0
#define FORWARD_HIDDEN_COPIES 6.5
#define SAMPLER_BYTES_PER_LOGIT 14.85
/* Context, allocator and NCCL buffers, from the same logs: 0.25 GiB on one rank, 2.1 GiB with tp.
 */
#define CONTEXT_BYTES (0.25 * BYTES_PER_GIB)
#define CONTEXT_TP_BYTES (2.1 * BYTES_PER_GIB)
/* Captured graphs beside the pool: 0.6 GiB on an 8B with the default list. */
#define GRAPH_BYTES (0.6 * BYTES_PER_GIB)
/* llama.cpp leaves this much of a device free when it fits itself. */
#define LLAMACPP_MARGIN_BYTES (1.0 * BYTES_PER_GIB)
/* Its compute buffer holds a micro-batch of 512 rows, logits included. */
#define LLAMACPP_MICRO_BATCH 512.0
/* vLLM and SGLang admit on demand: the share of the output that a pool must hold for a sequence to
 * run without being pushed out is the engine's reserve_output_share; half is the mean length. */
#define MEAN_OUTPUT_SHARE 0.5

static double widest_ffn(const struct model *model)
{
    double width = 0.0;
    for (int i = 0; i < model->n_groups; i++)
        for (int j = 0; j < model->groups[i].n_ffns; j++) {
            const struct ffn *ffn = &model->groups[i].ffns[j];
            width = fmax(width, ffn->kind == FFN_DENSE ? ffn->width : ffn->shared_width);
        }
    return width;
}

static double moe_workspace(const struct model *model, const struct deployment *dep, double tokens)
{
    double bytes = 0.0;
    struct ranks ranks = ranks_of(dep);
    for (int i = 0; i < model->n_groups; i++)
        for (int j = 0; j < model->groups[i].n_ffns; j++) {
            const struct ffn *ffn = &model->groups[i].ffns[j];
            if (ffn->kind != FFN_MOE)
                continue;
            double width = ffn->expert_width / ranks.expert_tp;
            double rows = tokens * ffn->top_k / ranks.ep;
            bytes =
                fmax(bytes, rows * (fmax(2.0 * width, model->hidden) + fmax(width, model->hidden)) *
                                ACTIVATION_BYTES);
        }
    return bytes;
}

static double step_tokens(const struct problem *problem)
{
    double chunk = problem->dep.chunked_prefill_tokens;
    return chunk > 0.0 ? chunk : fmin(problem->dep.max_model_len, 32768.0);
}

static double activation_peak(const struct problem *problem)
{
    const struct model *model = problem->model;
    const struct deployment *dep = &problem->dep;
    if (dep->engine->memory_rule == MEMORY_LLAMACPP)
        return LLAMACPP_MICRO_BATCH *
               (model->vocab * LOGIT_BYTES + FORWARD_HIDDEN_COPIES * model->hidden * LOGIT_BYTES);
    double tokens = step_tokens(problem);
    double forward =
        tokens * ACTIVATION_BYTES *
        (FORWARD_FFN_COPIES * widest_ffn(model) / dep->tp + FORWARD_HIDDEN_COPIES * model->hidden);
    double sampler = SAMPLER_BYTES_PER_LOGIT * fmin(dep->max_num_seqs, tokens) * model->vocab +
                     tokens * model->hidden * ACTIVATION_BYTES;
    return moe_workspace(model, dep, tokens) + fmax(forward, sampler);
}

double memory_held_tokens(const struct problem *problem, double input_tokens, double output_tokens)
{
    double share = fmax(problem->dep.reserve_output_share, MEAN_OUTPUT_SHARE);
    double length = input_tokens + share * output_tokens;
    double block = fmax(problem->dep.block_size, 1.0);
    return ceil(length / block) * block;
}

double memory_held(const struct problem *problem, const struct memory_plan *memory,
                   double input_tokens, double output_tokens)
{
    double tokens = memory_held_tokens(problem, input_tokens, output_tokens);
    double bytes = rank_kv_bytes(problem->model, &problem->dep, tokens) +
                   rank_state_bytes(problem->model, &problem->dep);
    if (bytes <= 0.0)
        return INFINITY;
    return memory->kv_bytes > 0.0 ? floor(memory->kv_bytes / bytes) : 0.0;
}

void memory_compute(const struct problem *problem, double weights_scale,
                    struct memory_plan *ret_memory)
{
    const struct deployment *dep = &problem->dep;
    const struct model *model = problem->model;
    struct memory_plan memory = {.basis = BASIS_ASSUMED};
    memory.total_bytes = problem->hw->memory_bytes;
    memory.weights_bytes = rank_weight_bytes_max(model, dep) * weights_scale;
    memory.activation_bytes = activation_peak(problem);
    memory.overhead_bytes = dep->tp > 1.0 ? CONTEXT_TP_BYTES : CONTEXT_BYTES;
    memory.usable_bytes = memory.total_bytes * dep->memory_utilization;
    double spent = memory.weights_bytes + memory.activation_bytes + memory.overhead_bytes;
    switch (dep->engine->memory_rule) {
    case MEMORY_SGLANG:
        /* mem_fraction_static covers weights and pool; the rest of the device holds activations. */
        memory.kv_bytes = memory.usable_bytes - memory.weights_bytes;
        break;
    case MEMORY_TRTLLM:
        memory.overhead_bytes += dep->cuda_graphs ? GRAPH_BYTES : 0.0;
        spent += dep->cuda_graphs ? GRAPH_BYTES : 0.0;
        memory.usable_bytes = spent + (memory.total_bytes - spent) * dep->memory_utilization;
        memory.kv_bytes = memory.usable_bytes - spent;
        break;
    case MEMORY_LLAMACPP:
        memory.usable_bytes = memory.total_bytes - LLAMACPP_MARGIN_BYTES;
        memory.kv_bytes = memory.usable_bytes - spent;
        break;
    case MEMORY_VLLM:
    case MEMORY_TGI:
    case MEMORY_RULE_COUNT:
        memory.kv_bytes = memory.usable_bytes - spent;
        break;
    }
    bool weights_fit = memory.kv_bytes > 0.0;
    memory.kv_bytes = fmax(memory.kv_bytes, 0.0);
    memory.kv_bytes_per_token = rank_kv_bytes_per_token(model, dep, false) * dep->pp;
    memory.kv_bytes_per_token_beyond_window = rank_kv_bytes_per_token(model, dep, true) * dep->pp;
    memory.state_bytes_per_sequence = rank_state_bytes(model, dep) * dep->pp;
    double length = problem->load.input_tokens + problem->load.output_tokens;
    double request = rank_kv_bytes(model, dep, length) + rank_state_bytes(model, dep);
    double per_token = rank_kv_bytes_per_token(model, dep, false);
    double block = fmax(dep->block_size, 1.0);
    memory.kv_token_capacity =
        per_token > 0.0 ? floor(memory.kv_bytes / (per_token * block)) * block : (double)NAN;
    memory.max_concurrency = request > 0.0 ? memory.kv_bytes / request : (double)INFINITY;
    memory.held_sequences =
        memory_held(problem, &memory, problem->load.input_tokens, problem->load.output_tokens);
    memory.fits = weights_fit && memory.kv_bytes >= request;
    *ret_memory = memory;
}
