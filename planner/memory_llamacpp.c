/*
 * memory_llamacpp.c - llama.cpp: the context is allocated as asked; a device keeps 1 GiB free when
 * the engine fits itself.
 *
 * Source: llama.cpp common/fit.cpp.
 */
#include "memory_engine.h"
#include "units.h"

#define MARGIN_BYTES (1.0 * BYTES_PER_GIB)
/* The compute buffer holds a micro-batch of 512 rows, logits included. */
#define MICRO_BATCH 512.0
#define HIDDEN_COPIES 6.5

static void terms(const struct memory_case *mc, struct memory_plan *plan)
{
    const struct model *model = mc->problem->model;
    memory_weight_terms(mc, plan);
    memory_term_set(plan, TERM_ROPE, 0.0, BASIS_DERIVED, true);
    memory_step_terms(mc, plan, true);
    memory_term_set(plan, TERM_ACTIVATION,
                    MICRO_BATCH * LOGIT_BYTES * (model->vocab + HIDDEN_COPIES * model->hidden),
                    BASIS_ASSUMED, true);
}

static void pool(const struct memory_case *mc, struct memory_plan *plan)
{
    (void)mc;
    memory_pool_of_rest(plan, plan->total_bytes - MARGIN_BYTES);
}

const struct memory_engine MEMORY_LLAMACPP_ENGINE = {
    .terms = terms,
    .pool = pool,
    .layout = memory_layout_bytes,
    .units = memory_units_bytes,
    .printed = memory_printed_bytes,
    .pool_formula = "T - 1 GiB - (what is taken)",
    .formulas = MEMORY_STEP_FORMULAS,
};
