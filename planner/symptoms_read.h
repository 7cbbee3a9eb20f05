/*
 * symptoms_read.h - signs out of figures: what was observed, and the planner's budget beside it.
 *
 * Purpose: thresholds stand here, each with its reason; rules know signs alone.
 * Units:   of struct observed and struct plan.
 * Ownership: the symptoms keep no pointer into the arguments but texts.
 * Errors:  what was not observed sets nothing.
 * Threads: pure.
 */
#ifndef REGIME_SYMPTOMS_READ_H
#define REGIME_SYMPTOMS_READ_H

#include "observed.h"
#include "plan.h"
#include "symptoms.h"

/* Signs of the observed figures and of what logs and tools said. */
void symptoms_of_observed(const struct observed *observed, struct symptoms *symptoms);

/* What is deployed, as far as it is known. */
struct setup {
    const struct plan *plan;     /* NULL: no budget, because the model or the part is unknown */
    const struct engine *engine; /* NULL = unknown */
    const struct hardware *hw;   /* NULL = unknown */
    /* Given in the request; NAN = not. */
    double devices, concurrency, max_num_seqs, step_tokens, input_tokens, output_tokens;
    double tp, gpu_layers, spec_tokens, logprobs;
    bool graphs_off, graphs_on, serial_host, guided, penalties, sorting, adapters, host_sampler;
    bool lockstep; /* several ranks */
};

/* Signs of the deployment, and of the observed figures beside the budget where there is one. */
void symptoms_of_setup(const struct setup *setup, const struct observed *observed,
                       struct symptoms *symptoms);

/* The time per token that was seen, in microseconds: stated, or out of the throughput and the
 * concurrency; NAN when neither is known. */
double symptoms_seen_tpot_us(const struct setup *setup, const struct observed *observed);

#endif
