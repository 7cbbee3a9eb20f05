/*
 * memory_tgi.c - TGI: KV = u T - W - A - N: a fraction of what is free after a prefill.
 *
 * Source: text-generation-inference, server/text_generation_server/models/flash_causal_lm.py.
 */
#include "memory_engine.h"

static void terms(const struct memory_case *mc, struct memory_plan *plan)
{
    memory_weight_terms(mc, plan);
    memory_step_terms(mc, plan, true);
}

static void pool(const struct memory_case *mc, struct memory_plan *plan)
{
    memory_pool_of_rest(plan, plan->total_bytes * mc->problem->dep.memory_utilization);
}

const struct memory_engine MEMORY_TGI_ENGINE = {
    .terms = terms,
    .pool = pool,
    .layout = memory_layout_bytes,
    .units = memory_units_bytes,
    .printed = memory_printed_bytes,
    .pool_formula = "u T - (what the budget is charged with)",
    .formulas = MEMORY_STEP_FORMULAS,
};
