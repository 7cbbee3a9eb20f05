/*
 * load.h - a request under load: the closed cycle.
 *
 * Purpose: with N requests in flight, each running sequence meets one prefill of every other per
 *          life: cycle = (m - 1) t_dec(B) / gain + B t_prefill(n) (the prefill gives the first
 *          token); throughput = B m / cycle;
 *          TTFT = wait for the running step + prefills ahead + own prefill (+ queue when the pool
 * or max_num_seqs admits fewer than N); mean TPOT = (E2E - TTFT) / (m - 1). Open loop at rate r: N
 * = r cycle (Little); past the largest batch it is saturated. Units:   microseconds, tokens; one
 * replica unless said.
 */
#ifndef REGIME_LOAD_H
#define REGIME_LOAD_H

#include "memory.h"
#include "step.h"

struct cycle {
    double concurrency; /* in flight on one replica */
    double running;     /* of them admitted */
    double batch;       /* rows of one rank's decode step, whole */
    double decode_us;   /* decode side of the cycle: m steps */
    double prefill_us;  /* prefill side: every running sequence's prefill */
    double cycle_us, ttft_us, tpot_us, e2e_us;
    double requests_us; /* finished per microsecond, one replica */
    bool saturated;     /* open loop: more arrives than finishes */
};

/* Sequences that one replica admits: what was asked, max_num_seqs and the pool allow. */
double load_running(const struct problem *problem, const struct memory_plan *memory,
                    double concurrency);

/* Replicas that have work: in a closed loop no more than there are requests in flight. */
double load_replicas(const struct problem *problem);

/* Requests in flight of a closed loop: no more than there are. */
double load_in_flight(const struct workload *load);

/* Mean lengths of requests whose lengths are uniform in length_range_ratio .. 1 of the nominal. */
double load_mean_input(const struct workload *load);
double load_mean_output(const struct workload *load);

/* Rows of one rank's decode step for that many running: ceil(running / dp / pp), at least 1. */
double load_batch(const struct deployment *dep, double running);

/* Whether the deployment keeps a prefix that requests share: in the device's cache or in a tier. */
bool load_reuses_prefix(const struct deployment *dep);

/* Tokens of the cached prefix that the deployment can reuse. */
double load_reused_tokens(const struct problem *problem);

/* New tokens that a prefill computes: the input less load_reused_tokens(). */
double load_new_tokens(const struct problem *problem);

/* The cycle from two step times (one decode step of all stages, one request's prefill). */
void load_cycle(const struct problem *problem, double concurrency, double running,
                double decode_step_us, double tokens_per_step, double prefill_us,
                struct cycle *ret_cycle);

/* Prompts that the prefill pool of one replica works on at a time; below 1 it is that slow. */
double load_prefill_servers(const struct problem *problem);

/*
 * Two pools: `running` of `concurrency` requests decode, undisturbed; the others wait for or are in
 * their prefill of prefill_us on devices of their own. Whoever leaves one pool enters the other, so
 * by Little's law the time before the first token is those not decoding over the rate.
 */
void load_pools(const struct problem *problem, double concurrency, double running,
                double decode_step_us, double tokens_per_step, double prefill_us,
                struct cycle *ret_cycle);

#endif
