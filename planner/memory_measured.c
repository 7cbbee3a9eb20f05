#include "memory_measured.h"

#include <math.h>

void memory_measured_settle(struct deployment *dep)
{
    dep->measured.of = (struct measured_of){
        .weights = dep->weights,
        .expert_weights = dep->expert_weights,
        .kv_cache = dep->kv_cache,
        .spec_method = dep->spec_method,
        .tp = dep->tp,
        .pp = dep->pp,
        .dp = dep->dp,
        .ep = dep->ep,
        .offloaded = dep->cpu_offload_bytes,
        .gpu_layers = dep->gpu_layers,
        .cpu_moe_layers = dep->cpu_moe_layers,
        .step_tokens = dep->chunked_prefill_tokens,
        .micro_batch_tokens = dep->micro_batch_tokens,
        .max_num_seqs = dep->max_num_seqs,
        .graph_max_batch = dep->graph_max_batch,
        .memory_utilization = dep->memory_utilization,
        .kv_cache_memory_bytes = dep->kv_cache_memory_bytes,
        .max_model_len = dep->max_model_len,
        .text_only = dep->text_only,
        .cuda_graphs = dep->cuda_graphs,
        .kv_unified = dep->kv_unified,
        .swa_full = dep->swa_full,
    };
}

/* Equal, or both not said. */
static bool same(double a, double b)
{
    return a == b || (isnan(a) && isnan(b));
}

/* Where each weight lies, and in which format. */
static bool same_weights(const struct deployment *dep)
{
    const struct measured_of *of = &dep->measured.of;
    return of->weights == dep->weights && of->expert_weights == dep->expert_weights &&
           of->spec_method == dep->spec_method && of->text_only == dep->text_only &&
           of->tp == dep->tp && of->pp == dep->pp && of->dp == dep->dp && of->ep == dep->ep &&
           same(of->offloaded, dep->cpu_offload_bytes) && same(of->gpu_layers, dep->gpu_layers) &&
           same(of->cpu_moe_layers, dep->cpu_moe_layers);
}

static bool same_step(const struct deployment *dep)
{
    const struct measured_of *of = &dep->measured.of;
    return same(of->step_tokens, dep->chunked_prefill_tokens) &&
           same(of->micro_batch_tokens, dep->micro_batch_tokens) &&
           of->max_num_seqs == dep->max_num_seqs;
}

static bool same_graphs(const struct deployment *dep)
{
    const struct measured_of *of = &dep->measured.of;
    return of->cuda_graphs == dep->cuda_graphs && same(of->graph_max_batch, dep->graph_max_batch) &&
           of->max_num_seqs == dep->max_num_seqs;
}

static bool same_budget(const struct deployment *dep)
{
    const struct measured_of *of = &dep->measured.of;
    return of->kv_cache == dep->kv_cache && of->max_model_len == dep->max_model_len &&
           of->kv_unified == dep->kv_unified && of->swa_full == dep->swa_full &&
           same(of->memory_utilization, dep->memory_utilization) &&
           same(of->kv_cache_memory_bytes, dep->kv_cache_memory_bytes);
}

static bool is_settled(const struct deployment *dep)
{
    return dep->measured.of.weights != NULL;
}

struct measured_memory memory_measured(const struct deployment *dep)
{
    struct measured_memory measured = dep->measured;
    if (!is_settled(dep))
        return measured;
    bool weights = same_weights(dep);
    bool step = weights && same_step(dep);
    bool graphs = weights && same_graphs(dep);
    if (!weights)
        measured.weights_bytes = measured.non_torch_bytes = NAN;
    if (!step)
        measured.activation_bytes = NAN;
    if (!graphs)
        measured.graph_bytes = NAN;
    if (!step || !graphs || !same_budget(dep)) {
        measured.kv_bytes = measured.kv_tokens = NAN;
        measured.out_of_memory = false;
    }
    return measured;
}

double memory_measured_activation(const struct deployment *dep, double usable, double others)
{
    const struct measured_memory *measured = &dep->measured;
    double share = 1.0;
    if (is_settled(dep)) {
        if (!same_weights(dep) || !same_step(dep) || !same_graphs(dep))
            return NAN;
        share = measured->of.memory_utilization / dep->memory_utilization;
    }
    bool told = measured->weights_bytes > 0.0 && measured->kv_bytes > 0.0 &&
                !(measured->activation_bytes > 0.0);
    return told ? fmax(usable * share - measured->kv_bytes - others, 0.0) : (double)NAN;
}
