/* The search over the table of cures (cure_table.c): apply, evaluate, rank. */
#include "cures.h"

#include <math.h>
#include <stdlib.h>

#include "cure_table.h"

/* Bytes in use on one device: what the load needs, not what the pool reserves. */
static double memory_used(const struct problem *problem, const struct core *core)
{
    const struct memory_plan *memory = &core->memory;
    double length = problem->load.input_tokens + problem->load.output_tokens / 2.0;
    double sequence = rank_kv_bytes(problem->model, &problem->dep, length) +
                      rank_state_bytes(problem->model, &problem->dep);
    return memory->weights_bytes + memory->activation_bytes + memory->overhead_bytes +
           core->cycle.running / problem->dep.dp * sequence;
}

static double change(double before, double after)
{
    return before > 0.0 ? (after - before) / before : 0.0;
}

static double output_rate(const struct problem *problem, const struct core *core)
{
    return core->cycle.requests_us * load_replicas(problem) * problem->load.output_tokens;
}

static double devices(const struct deployment *dep)
{
    double own = dep->tp * dep->pp * dep->dp * fmax(dep->replicas, 1.0);
    return own + (dep->disaggregated ? dep->disagg_prefill_devices : 0.0);
}

struct ranked {
    struct cure_result result;
    double score; /* how much sooner a request ends: what ranks a cure */
};

/* False when the deployment does not fit into memory with the change; a control is measured all
 * the same. */
static bool measure(const struct problem *problem, const struct core *here,
                    const struct trial *trial, struct ranked *ranked)
{
    struct core core;
    core_compute(&trial->problem, &trial->scale, &core);
    struct cure_result *result = &ranked->result;
    if (!core.memory.fits && !CURES[result->cure].info.control)
        return false;
    result->tpot = change(here->cycle.tpot_us, core.cycle.tpot_us);
    result->ttft = change(here->cycle.ttft_us, core.cycle.ttft_us);
    result->output_tok_s = change(output_rate(problem, here), output_rate(&trial->problem, &core));
    result->memory = change(memory_used(problem, here), memory_used(&trial->problem, &core));
    result->devices = change(devices(&problem->dep), devices(&trial->problem.dep));
    result->best =
        fmax(fmax(-result->tpot, -result->ttft), fmax(result->output_tok_s, -result->memory));
    result->regime_after = core.regime;
    result->basis =
        isnan(core.decode.expected_us) || isnan(core.prefill.expected_us) || trial->hypothetical
            ? BASIS_ASSUMED
            : BASIS_DERIVED;
    /* What trades one thing for another is ranked by the request as a whole. */
    ranked->score = core.cycle.e2e_us > 0.0 ? here->cycle.e2e_us / core.cycle.e2e_us - 1.0 : 0.0;
    result->is_cure = result->best >= CURE_THRESHOLD;
    return true;
}

static int order(const void *a, const void *b)
{
    const struct ranked *left = a, *right = b;
    if (left->result.is_cure != right->result.is_cure)
        return left->result.is_cure ? -1 : 1;
    if (left->score > right->score)
        return -1;
    if (left->score < right->score)
        return 1;
    return left->result.cure - right->result.cure;
}

int cures_find(const struct problem *problem, const struct core *here,
               struct cure_result *ret_results)
{
    struct ranked ranked[CURES_MAX];
    int n = 0;
    for (int i = 0; i < N_CURES && n < CURES_MAX; i++) {
        struct trial trial = {.problem = *problem, .scale = {1.0, 1.0, 1.0}, .here = here};
        if (!CURES[i].apply(&trial))
            continue;
        ranked[n] = (struct ranked){0};
        struct cure_result *result = &ranked[n].result;
        result->cure = i;
        result->why = CURES[i].info.why;
        result->n_changes = trial.n_changes;
        for (int j = 0; j < trial.n_changes; j++)
            result->changes[j] = trial.changes[j];
        if (measure(problem, here, &trial, &ranked[n]))
            n++;
    }
    qsort(ranked, (size_t)n, sizeof(ranked[0]), order);
    int rank = 0;
    for (int i = 0; i < n; i++) {
        ret_results[i] = ranked[i].result;
        ret_results[i].rank = ranked[i].result.is_cure ? ++rank : 0;
    }
    return n;
}

/* Cures before non-cures, each in the order they had; ranks from 1. */
static void settle_ranks(struct cure_result *results, int n)
{
    struct cure_result kept[CURES_MAX];
    int at = 0, rank = 0;
    for (int pass = 0; pass < 2; pass++)
        for (int i = 0; i < n; i++)
            if (results[i].is_cure == (pass == 0))
                kept[at++] = results[i];
    for (int i = 0; i < n; i++) {
        results[i] = kept[i];
        results[i].rank = kept[i].is_cure ? ++rank : 0;
    }
}

/* How many of the best cures are replayed. */
#define REPLAYED_CURES 3

void cures_replay(const struct prepared *prep, const struct core *here, struct cure_result *results,
                  int n)
{
    const struct problem *problem = prep->problem;
    if (n == 0 || !results[0].is_cure)
        return;
    const struct served served = load_serve(prep, here, SERVE_BRIEF);
    double rate = served.requests_us * load_replicas(problem) * problem->load.output_tokens;
    for (int i = 0; served.replayed && i < n && i < REPLAYED_CURES; i++) {
        struct cure_result *result = &results[i];
        struct trial trial = {.problem = *problem, .scale = {1.0, 1.0, 1.0}, .here = here};
        if (!result->is_cure || !CURES[result->cure].apply(&trial))
            break;
        struct prepared changed;
        struct core core;
        prepare(&trial.problem, &trial.scale, &changed);
        core_evaluate(&changed, &core);
        const struct served after = load_serve(&changed, &core, SERVE_BRIEF);
        if (!after.replayed)
            continue;
        result->tpot = change(served.tpot_us, after.tpot_us);
        result->ttft = change(served.ttft_us, after.ttft_us);
        result->output_tok_s = change(rate, after.requests_us * load_replicas(&trial.problem) *
                                                trial.problem.load.output_tokens);
        result->best =
            fmax(fmax(-result->tpot, -result->ttft), fmax(result->output_tok_s, -result->memory));
        result->is_cure = result->best >= CURE_THRESHOLD;
    }
    settle_ranks(results, n);
}
