/*
 * memory_trtllm.c - TensorRT-LLM: KV = f (T - W - A - N): a fraction of what is free.
 *
 * Source: tensorrt_llm/_torch/pyexecutor/_util.py.
 */
#include "memory_engine.h"
#include "units.h"

/* Captured graphs beside the pool: 0.6 GiB on an 8B with the default list. */
#define GRAPH_BYTES (0.6 * BYTES_PER_GIB)

static void terms(const struct memory_case *mc, struct memory_plan *plan)
{
    memory_weight_terms(mc, plan);
    memory_step_terms(mc, plan, true);
    if (mc->problem->dep.cuda_graphs)
        memory_term_set(plan, TERM_GRAPHS, GRAPH_BYTES, BASIS_ASSUMED, true);
}

static void pool(const struct memory_case *mc, struct memory_plan *plan)
{
    double spent = memory_spent(plan, 0.0);
    double fraction = mc->problem->dep.memory_utilization;
    memory_pool_of_rest(plan, spent + (plan->total_bytes - spent) * fraction);
}

const struct memory_engine MEMORY_TRTLLM_ENGINE = {
    .terms = terms,
    .pool = pool,
    .layout = memory_layout_bytes,
    .units = memory_units_bytes,
    .printed = memory_printed_bytes,
    .pool_formula = "f (T - what is taken)",
    .formulas = MEMORY_STEP_FORMULAS,
};
