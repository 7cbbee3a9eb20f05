#include "costs.h"

#include <math.h>

/* Bytes that a device sends in an all-reduce of n: 2(n-1)/n of the message (ring; an upper bound
 * for in-switch reduction). */
static double reduce_factor(double devices)
{
    return 2.0 * (devices - 1.0) / devices;
}

static const struct link_fit NO_LINK_FIT = {.fit = NULL, .match = FIT_NONE};

static double comm_time(const struct link_fit *link, double bytes, double floor_us)
{
    const struct comm_fit *fit = link->fit;
    if (fit == NULL)
        return floor_us / ASSUMED_EFFICIENCY;
    double wire = bytes / link->bus_bytes_us;
    return pow(pow(wire, fit->q) + pow(fit->t0_us, fit->q), 1.0 / fit->q);
}

/* Adds `count` operations that each take `bytes`, of which the share `sent` leaves this device. */
static void add_link(const struct prepared *prep, const struct link_fit *used, double count,
                     double bytes, double sent, struct class_cost *cost)
{
    const struct comm_fit *fit = used->fit;
    double link = prep->problem->hw->link_bytes_us;
    double floor = link > 0.0 ? sent * bytes / link : 0.0;
    double time = comm_time(used, sent * bytes, floor);
    /* What an empty message costs does not shrink with a faster link. */
    double fixed = fit != NULL ? fmin(fit->t0_us, time) : 0.0;
    cost->link_bytes += count * bytes;
    cost->launches += count;
    cost->floor_us += count * floor;
    cost->time_us += count * time;
    cost->memory_us += count * (time - fixed);
    if (fit == NULL) {
        /* Neither a fit nor a link bandwidth: nothing is known of this time. */
        enum basis basis = link > 0.0 ? BASIS_ASSUMED : BASIS_NO_RECORD;
        cost->basis = basis > cost->basis ? basis : cost->basis;
        return;
    }
    if (cost->comm == NULL || fit_match_is_weaker(used->match, cost->match)) {
        cost->comm = fit;
        cost->match = used->match;
    }
}

/* The logits of the rows that reach the head, over the ranks that it is cut for: all of a decode
 * step, the last one of a prompt. */
static void add_gather(const struct prepared *prep, const struct shape *shape,
                       struct class_cost *cost)
{
    const struct ranks *ranks = &prep->ranks;
    double shards = prep->head_ranks * ranks->tp;
    if (shards <= 1.0)
        return;
    bool decode = shape->phase == PHASE_DECODE;
    double rows = decode ? shape->head_rows : 1.0;
    double gathers = decode ? 1.0 : shape->head_rows;
    double logits = rows * prep->head_ranks * prep->problem->model->vocab * ACTIVATION_BYTES;
    add_link(prep, &prep->gather, gathers / ranks->pp, logits * (shards - 1.0) / shards, 1.0, cost);
}

void cost_collective(const struct prepared *prep, const struct shape *shape,
                     struct class_cost *cost)
{
    const struct problem *problem = prep->problem;
    const struct ranks *ranks = &prep->ranks;
    double row = problem->model->hidden * ACTIVATION_BYTES;
    if (ranks->tp <= 1.0 && ranks->pp <= 1.0 && prep->exchanges <= 0.0 && prep->head_ranks <= 1.0)
        return;
    cost->present = true;
    cost->basis = BASIS_CALIBRATED;
    if (ranks->tp > 1.0)
        add_link(prep, &prep->reduce, prep->reduces, shape->rows * row * reduce_factor(ranks->tp),
                 1.0, cost);
    add_gather(prep, shape, cost);
    if (prep->exchanges > 0.0) {
        double bytes = shape->rows * prep->exchange_row_bytes;
        add_link(prep, &prep->dispatch, prep->exchanges, bytes, prep->exchange_sent, cost);
        add_link(prep, &prep->combine, prep->exchanges, bytes, prep->exchange_sent, cost);
        if (prep->dispatch.fit == NULL)
            cost->time_us += prep->exchanges * host_value(prep, HOST_DISPATCH_US);
        if (problem->dep.ep_cpu_sync)
            cost->time_us += prep->exchanges * host_value(prep, HOST_CPU_SYNC_US);
    }
    if (ranks->pp > 1.0)
        add_link(prep, &NO_LINK_FIT, (ranks->pp - 1.0) / ranks->pp, shape->rows * row, 1.0, cost);
}

void cost_kv_transfer(const struct prepared *prep, const struct shape *shape,
                      struct class_cost *cost)
{
    const struct problem *problem = prep->problem;
    const struct deployment *dep = &problem->dep;
    double bytes = 0.0, rate = 0.0;
    if (dep->disaggregated) {
        bytes = rank_kv_bytes(problem->model, dep, shape->prompt_tokens);
        rate = dep->disagg_link_bytes_us > 0.0 ? dep->disagg_link_bytes_us
                                               : problem->hw->link_bytes_us;
    } else if (dep->kv_tier != KV_TIER_NONE && problem->load.cached_prefix_tokens > 0.0) {
        bytes = rank_kv_bytes(problem->model, dep, problem->load.cached_prefix_tokens);
        rate = dep->kv_tier_bytes_us > 0.0 ? dep->kv_tier_bytes_us : problem->hw->host_bytes_us;
    }
    if (bytes <= 0.0 || rate <= 0.0)
        return;
    /* Once a request, with its last chunk. */
    bytes *= shape->head_rows;
    if (bytes <= 0.0)
        return;
    cost->present = true;
    cost->basis = BASIS_DERIVED;
    cost->link_bytes = bytes;
    cost->floor_us = bytes / rate;
    cost->time_us = cost->floor_us / ASSUMED_EFFICIENCY;
    cost->memory_us = cost->time_us;
}
