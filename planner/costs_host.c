#include "costs.h"

#include "units.h"

/* Bytes of one token id in the padded list that penalties upload each step (int64). */
#define TOKEN_ID_BYTES 8.0

/* The basis of a constant, from the record's word for it ("measured", "calibrated",
 * "derived", "assumed"). */
static enum basis constant_basis(const struct host_constant *constant)
{
    switch (constant->basis != NULL ? constant->basis[0] : 'n') {
    case 'm':
        return BASIS_MEASURED;
    case 'c':
        return BASIS_CALIBRATED;
    case 'd':
        return BASIS_DERIVED;
    case 'a':
        return BASIS_ASSUMED;
    default:
        return BASIS_NO_RECORD;
    }
}

/* Adds host time that rests on a constant of the engine; one that nobody recorded adds nothing and
 * says so. */
static void add_host(const struct prepared *prep, enum host_cost which, double us,
                     struct class_cost *cost)
{
    const struct host_constant *constant = &prep->problem->dep.engine->host[which];
    cost->present = true;
    cost->time_us += us;
    cost->memory_us += us;
    if (constant->anchor != NULL)
        cost->anchor = constant->anchor;
    enum basis basis = constant_basis(constant);
    if (basis > cost->basis)
        cost->basis = basis;
}

/* Copies over the host link add their transfer to the class, serial with it. */
static void add_copy(const struct prepared *prep, double bytes, struct class_cost *cost)
{
    double rate = prep->problem->hw->host_bytes_us;
    cost->host_bytes += bytes;
    if (rate <= 0.0)
        return;
    cost->floor_us += bytes / rate;
    cost->time_us += bytes / rate;
}

void cost_host_sampling(const struct prepared *prep, const struct shape *shape,
                        struct class_cost *cost)
{
    if (prep->problem->dep.sampler != SAMPLER_HOST)
        return;
    double logits = shape->head_rows * prep->problem->model->vocab;
    add_host(prep, HOST_SAMPLER_NS_PER_LOGIT,
             logits * host_value(prep, HOST_SAMPLER_NS_PER_LOGIT) / NS_PER_US, cost);
    add_copy(prep, logits * LOGIT_BYTES, cost);
    cost->bound = BOUND_HOST_PIPELINE;
}

void cost_processors_host(const struct prepared *prep, const struct shape *shape,
                          struct class_cost *cost)
{
    const struct deployment *dep = &prep->problem->dep;
    /* A host sampler applies penalties inside its own chain. */
    if (dep->sampler == SAMPLER_HOST)
        return;
    if (dep->logit_processors & PROCESSOR_PENALTIES) {
        /* Every sequence's output ids, padded to the longest, rebuilt and uploaded each step. */
        double elements = shape->output_tokens * shape->sequences;
        add_host(prep, HOST_PENALTY_NS_PER_ELEMENT,
                 elements * host_value(prep, HOST_PENALTY_NS_PER_ELEMENT) / NS_PER_US, cost);
        add_copy(prep, elements * TOKEN_ID_BYTES, cost);
    }
    if (dep->logprobs > 0.0)
        add_host(prep, HOST_LOGPROBS_US_PER_ROW,
                 shape->sequences * host_value(prep, HOST_LOGPROBS_US_PER_ROW), cost);
}

void cost_detokenization(const struct prepared *prep, const struct shape *shape,
                         struct class_cost *cost)
{
    if (shape->phase == PHASE_DECODE) {
        add_host(prep, HOST_DETOKENIZE_US_PER_TOKEN,
                 shape->sequences * prep->spec_gain *
                     host_value(prep, HOST_DETOKENIZE_US_PER_TOKEN),
                 cost);
        return;
    }
    bool full = prep->problem->dep.priming == PRIMING_FULL;
    enum host_cost which = full ? HOST_PRIMING_US_PER_TOKEN : HOST_PRIMING_BOUNDED_US;
    double tokens = full ? shape->prompt_tokens : 1.0;
    add_host(prep, which, tokens * host_value(prep, which) * shape->head_rows, cost);
}

void cost_structured_output(const struct prepared *prep, const struct shape *shape,
                            struct class_cost *cost)
{
    const struct deployment *dep = &prep->problem->dep;
    if (dep->structured_output)
        add_host(prep, HOST_MASK_US_PER_ROW,
                 shape->sequences * host_value(prep, HOST_MASK_US_PER_ROW), cost);
    if (dep->predicate == PREDICATE_FULL_SCAN)
        add_host(prep, HOST_PREDICATE_US_PER_TOKEN,
                 shape->sequences * shape->context_tokens *
                     host_value(prep, HOST_PREDICATE_US_PER_TOKEN),
                 cost);
    else if (dep->predicate == PREDICATE_BOUNDED)
        add_host(prep, HOST_PREDICATE_BOUNDED_US,
                 shape->sequences * host_value(prep, HOST_PREDICATE_BOUNDED_US), cost);
}

void cost_scheduler(const struct prepared *prep, const struct shape *shape, struct class_cost *cost)
{
    double native = prep->problem->dep.control_plane == CONTROL_NATIVE &&
                            prep->problem->dep.engine->python_control_plane
                        ? host_value(prep, HOST_NATIVE_FACTOR)
                        : 1.0;
    double sequences = shape->phase == PHASE_DECODE ? shape->sequences : 1.0;
    double us = host_value(prep, HOST_SCHEDULER_US) +
                sequences * host_value(prep, HOST_SCHEDULER_US_PER_SEQ);
    add_host(prep, HOST_SCHEDULER_US_PER_SEQ, us * native, cost);
    double serial =
        host_value(prep, HOST_SERIAL_US) + sequences * host_value(prep, HOST_SERIAL_US_PER_SEQ);
    if (serial <= 0.0)
        return;
    add_host(prep, HOST_SERIAL_US_PER_SEQ, serial, cost);
    cost->serial_us = serial;
}

/* Kernels of a step, from what the device classes counted; filled in by the step, which knows them.
 */
void cost_kernel_launch(const struct prepared *prep, const struct shape *shape,
                        struct class_cost *cost)
{
    double kernels = cost->launches;
    if (shape->graph)
        add_host(prep, HOST_GRAPH_LAUNCH_US, host_value(prep, HOST_GRAPH_LAUNCH_US), cost);
    else
        add_host(prep, HOST_ISSUE_US, kernels * host_value(prep, HOST_ISSUE_US), cost);
}

void cost_server_loop(const struct prepared *prep, const struct shape *shape,
                      struct class_cost *cost)
{
    double us = host_value(prep, HOST_SERVER_LOOP_US_PER_SEQ);
    if (us <= 0.0)
        return;
    double sequences = shape->phase == PHASE_DECODE ? shape->sequences : 1.0;
    add_host(prep, HOST_SERVER_LOOP_US_PER_SEQ, sequences * us, cost);
}

void cost_tokenization(const struct prepared *prep, const struct shape *shape,
                       struct class_cost *cost)
{
    add_host(prep, HOST_TOKENIZE_US_PER_TOKEN,
             shape->prompt_tokens * host_value(prep, HOST_TOKENIZE_US_PER_TOKEN) * shape->head_rows,
             cost);
}
