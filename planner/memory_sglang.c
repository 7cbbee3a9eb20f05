/*
 * memory_sglang.c - SGLang: KV = f T - W: the fraction covers weights and pool, activations and
 * graphs live in the rest.
 *
 * Source: sglang server_args.py.
 */
#include "memory_engine.h"

static void terms(const struct memory_case *mc, struct memory_plan *plan)
{
    memory_weight_terms(mc, plan);
    memory_step_terms(mc, plan, false);
}

static void pool(const struct memory_case *mc, struct memory_plan *plan)
{
    memory_pool_of_rest(plan, plan->total_bytes * mc->problem->dep.memory_utilization);
}

const struct memory_engine MEMORY_SGLANG_ENGINE = {
    .terms = terms,
    .pool = pool,
    .layout = memory_layout_bytes,
    .units = memory_units_bytes,
    .printed = memory_printed_bytes,
    .pool_formula = "f T - weights; activations and graphs live in the rest",
    .formulas = MEMORY_STEP_FORMULAS,
};
