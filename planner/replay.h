/*
 * replay.h - a request under load, replayed step by step.
 *
 * Purpose: what a closed form cannot see: the burst a benchmark begins with, prompts that share
 *          steps with decodes, a pool that admits fewer than ask, the drain at the end. One
 * attention rank is replayed: N requests are in flight, each that ends is followed by the next.
 *          Chunked prefill: every step carries all decodes and up to C - B prompt tokens; with
 *          prefill priority a waiting prompt runs alone. A request is admitted first come first
 *          served while the pool holds its input and the engine's reserve of its output. Between
 *          two events steps are summed in closed form, so that the cost is that of the requests.
 * Units:   microseconds, tokens, sequences of one rank.
 * Ownership: nothing is allocated; about 200 kB of stack.
 * Threads: pure; the same problem gives the same figures (lengths are drawn from a low-discrepancy
 *          sequence).
 */
#ifndef REGIME_REPLAY_H
#define REGIME_REPLAY_H

#include "core.h"

/* Sequences in flight on one rank beyond which nothing is replayed. */
#define REPLAY_SEQUENCES_MAX 2048
#define REPLAY_BRIEF_SEQUENCES_MAX 128

struct replay {
    bool done;                       /* false: beyond the limits, the figures are not set */
    double ttft_us, tpot_us, e2e_us; /* means over requests */
    double requests_us;              /* finished per microsecond by the whole replica */
    double running, waiting;         /* mean sequences of one rank over time */
    double requests;                 /* replayed */
    double output_tokens;            /* of a request, mean */
};

/*
 * Replays the load of an evaluated problem: core->cycle.concurrency requests in flight on one
 * replica, or at rate_us (arrivals per microsecond and replica; NAN = closed loop) an open loop.
 * With load.requests stated the run begins with a burst and drains; else it is the steady state
 * between them. What a prompt costs once (text, transfer) and the wait until a client sees its
 * first token (first_token_steps, first_token_us) are in ttft_us. A brief replay has as few
 * requests as tell two deployments apart, and none where there are more than
 * REPLAY_BRIEF_SEQUENCES_MAX.
 */
void replay_run(const struct prepared *prep, const struct core *core, double rate_us, bool brief,
                struct replay *ret_replay);

/* What lies between a first token and its client: first_token_steps and first_token_us. */
double replay_client_wait(const struct prepared *prep, double step_us);

#endif
