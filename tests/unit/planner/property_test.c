/*
 * What holds of every plan: figures are finite, shares sum to one, nothing beats its floor, physics
 * goes one way, and the same question has the same answer. Over random and extreme deployments.
 */
#include <inttypes.h>
#include <string.h>

#include "check.h"
#include "plan.h"
#include "sample_rig.h"

#define ROUNDS 1500

/* Marsaglia's xorshift: the same numbers everywhere. */
struct dice {
    uint64_t state;
};

static double roll(struct dice *dice)
{
    dice->state ^= dice->state << 13;
    dice->state ^= dice->state >> 7;
    dice->state ^= dice->state << 17;
    return (double)(dice->state >> 11) / 9007199254740992.0;
}

static double pick(struct dice *dice, double low, double high)
{
    return low + floor(roll(dice) * (high - low + 1));
}

static bool flip(struct dice *dice)
{
    return roll(dice) < 0.5;
}

/* A whole number whose logarithm is uniform. */
static double spread(struct dice *dice, double low, double high)
{
    return floor(low * exp(roll(dice) * log(high / low)));
}

static const struct model *any_model(const struct rig *rig, struct dice *dice)
{
    int i = (int)pick(dice, 0, SHAPES + SAMPLE_MODELS - 1);
    return i < SHAPES ? &rig->models[i] : &rig->sample->models[i - SHAPES];
}

static const struct hardware *any_part(const struct rig *rig, struct dice *dice)
{
    int i = (int)pick(dice, 0, RIG_PARTS + SAMPLE_HARDWARE - 1);
    return i < RIG_PARTS ? &rig->parts[i] : &rig->sample->hardware[i - RIG_PARTS];
}

static const struct engine *any_engine(const struct rig *rig, struct dice *dice)
{
    int i = (int)pick(dice, 0, RIG_ENGINES + SAMPLE_ENGINES - 1);
    return i < RIG_ENGINES ? &rig->engines[i] : &rig->sample->engines[i - RIG_ENGINES];
}

static void any_switches(struct dice *dice, struct deployment *dep)
{
    dep->sampler = flip(dice) ? SAMPLER_HOST : SAMPLER_DEVICE;
    dep->cuda_graphs = flip(dice);
    dep->async_scheduling = flip(dice);
    dep->prefix_caching = flip(dice);
    dep->structured_output = flip(dice);
    dep->batch_invariant = flip(dice);
    dep->flash_attention = flip(dice);
    dep->shared_prefix_kernel = flip(dice);
    dep->ep_cpu_sync = flip(dice);
    dep->disaggregated = roll(dice) < 0.2;
    dep->logit_processors = (unsigned)pick(dice, 0, 127);
    dep->priming = flip(dice) ? PRIMING_FULL : PRIMING_BOUNDED;
    dep->control_plane = flip(dice) ? CONTROL_NATIVE : CONTROL_PYTHON;
    dep->predicate = (enum reasoning_predicate)pick(dice, PREDICATE_NONE, PREDICATE_FULL_SCAN);
    dep->ep_backend = (enum ep_backend)pick(dice, EP_BACKEND_AUTO, EP_BACKEND_ALL_GATHER);
    dep->kv_tier = (enum kv_tier_kind)pick(dice, KV_TIER_NONE, KV_TIER_REMOTE);
    dep->spec_method = (enum speculative_method)pick(dice, SPEC_NONE, SPEC_MEDUSA);
    dep->spec_tokens = pick(dice, 0, 16);
    dep->spec_acceptance = pick(dice, 0, 10) / 10;
}

static struct problem any_problem(const struct rig *rig, struct dice *dice)
{
    struct problem problem = rig_llama(rig);
    struct deployment *dep = &problem.dep;
    problem.lib = flip(dice) ? &rig->linked : &rig->sample->lib;
    problem.model = any_model(rig, dice);
    problem.hw = any_part(rig, dice);
    dep->engine = any_engine(rig, dice);
    dep->weights = &rig->sample->weights[(int)pick(dice, 0, SAMPLE_FORMATS - 1)];
    dep->kv_cache = &rig->sample->kv[(int)pick(dice, 0, 2)];
    dep->tp = spread(dice, 1, 64);
    dep->pp = flip(dice) ? 1 : pick(dice, 1, 16);
    dep->dp = flip(dice) ? 1 : pick(dice, 1, 8);
    dep->ep = pick(dice, 1, dep->tp * dep->dp);
    dep->replicas = spread(dice, 1, 1000);
    dep->chunked_prefill_tokens = flip(dice) ? 0 : spread(dice, 1, 65536);
    dep->max_num_seqs = spread(dice, 1, 1e6);
    dep->max_model_len = spread(dice, 1, 1e7);
    dep->memory_utilization = pick(dice, 1, 100) / 100;
    dep->block_size = spread(dice, 1, 65536);
    dep->reserve_output_share = roll(dice);
    dep->host_cpu_factor = spread(dice, 1, 10000) / 100;
    dep->logprobs = flip(dice) ? 0 : 20;
    any_switches(dice, dep);
    problem.load.concurrency = spread(dice, 1, 1e6);
    problem.load.input_tokens = spread(dice, 1, 1e7);
    problem.load.output_tokens = spread(dice, 1, 1e6);
    problem.load.cached_prefix_tokens = flip(dice) ? 0 : pick(dice, 0, problem.load.input_tokens);
    if (roll(dice) < 0.3)
        problem.load.request_rate = spread(dice, 1, 1e12) / 1e6;
    return problem;
}

static bool is_amount(double value)
{
    return isfinite(value) && value >= 0;
}

#define EXPECT(CONDITION)                                                                          \
    do {                                                                                           \
        if (!(CONDITION))                                                                          \
            fail_msg("round %d: %s", round, #CONDITION);                                           \
    } while (0)

static void check_class(const struct class_cost *cost, int round)
{
    EXPECT(is_amount(cost->bytes) && is_amount(cost->flops) && is_amount(cost->link_bytes));
    EXPECT(is_amount(cost->host_bytes) && is_amount(cost->launches));
    EXPECT(is_amount(cost->weight_bytes) && cost->weight_bytes <= cost->bytes * (1 + 1e-12));
    EXPECT(is_amount(cost->floor_us) && is_amount(cost->time_us) && is_amount(cost->fixed_us));
    EXPECT(is_amount(cost->memory_us) && is_amount(cost->compute_us));
    EXPECT(cost->time_us >= cost->floor_us * (1 - 1e-12));
    EXPECT(cost->time_us >= cost->fixed_us * (1 - 1e-12));
    EXPECT(is_amount(cost->share) && cost->share <= 1 + 1e-9);
}

static void check_step(const struct step *step, int round)
{
    double shares = 0, parts = 0;
    for (int i = 0; i < CLASS_COUNT; i++) {
        check_class(&step->classes[i], round);
        shares += step->classes[i].share;
    }
    for (int i = 0; i < PART_COUNT; i++) {
        EXPECT(is_amount(step->parts_us[i]));
        parts += step->parts_us[i];
    }
    EXPECT(fabs(shares - 1) < 1e-9);
    EXPECT(fabs(parts / (step->device_us + step->exposed_host_us) - 1) < 1e-9);
    EXPECT(is_amount(step->bytes) && is_amount(step->flops) && is_amount(step->link_bytes));
    EXPECT(is_amount(step->device_us) && is_amount(step->host_us));
    EXPECT(is_amount(step->exposed_host_us) && step->exposed_host_us <= step->host_us * (1 + 1e-9));
    EXPECT(is_amount(step->floor_us) && is_amount(step->time_us) && step->time_us > 0);
    EXPECT(step->time_us >= step->floor_us * (1 - 1e-12));
    EXPECT(isnan(step->expected_us) || step->expected_us == step->time_us);
    EXPECT(isnan(step->expected_us) == (step->basis == BASIS_NO_RECORD));
    EXPECT(is_amount(step->arithmetic_intensity) && is_amount(step->ridge));
    EXPECT(step->tokens_per_step >= 1 && step->tokens_per_step <= 17);
    EXPECT(is_amount(step->dominant.share) && step->dominant.share <= 1 + 1e-9);
}

static void check_estimate(const struct estimate *estimate, bool is_rate, int round)
{
    EXPECT(is_amount(estimate->floor));
    if (isnan(estimate->expected)) {
        EXPECT(estimate->basis == BASIS_NO_RECORD);
        return;
    }
    EXPECT(is_amount(estimate->expected));
    if (is_rate)
        EXPECT(estimate->expected <= estimate->floor * (1 + 1e-9));
    else
        EXPECT(estimate->expected >= estimate->floor * (1 - 1e-9));
}

static void check_memory(const struct plan *plan, int round)
{
    const struct memory_plan *memory = &plan->memory;
    EXPECT(is_amount(memory->total_bytes) && is_amount(memory->weights_bytes));
    EXPECT(is_amount(memory->kv_bytes) && is_amount(memory->activation_bytes));
    EXPECT(is_amount(memory->overhead_bytes) && is_amount(memory->kv_bytes_per_token));
    EXPECT(memory->kv_bytes <= memory->total_bytes);
    EXPECT(is_amount(memory->held_sequences) && is_amount(memory->max_concurrency));
    EXPECT(isnan(memory->kv_token_capacity) == (memory->kv_bytes_per_token <= 0));
    EXPECT(isnan(memory->kv_token_capacity) || is_amount(memory->kv_token_capacity));
    EXPECT(!memory->fits || memory->kv_bytes > 0);
}

static void check_results(const struct plan *plan, int round)
{
    for (int i = 0; i < plan->n_results; i++) {
        const struct cure_result *result = &plan->results[i];
        EXPECT(isfinite(result->tpot) && isfinite(result->ttft));
        EXPECT(isfinite(result->output_tok_s) && isfinite(result->memory));
        EXPECT(result->tpot >= -1 && result->ttft >= -1 && result->output_tok_s >= -1);
        EXPECT(isfinite(result->best) && result->regime_after < REGIME_COUNT);
    }
    for (int i = 0; i < plan->n_moves; i++) {
        const struct move *move = &plan->moves[i];
        EXPECT(isnan(move->at) || (move->at > 0 && isfinite(move->at)));
        EXPECT(isnan(move->at) || move->to_regime != plan->regime);
        EXPECT(isnan(move->at) || move->upward == (move->at > move->from));
    }
    for (int i = 0; i < plan->n_warnings; i++)
        EXPECT(plan->warnings[i].id < WARNING_COUNT);
}

static void check_plan(const struct plan *plan, int round)
{
    check_step(&plan->decode, round);
    check_step(&plan->prefill, round);
    check_memory(plan, round);
    check_results(plan, round);
    check_estimate(&plan->ttft_ms, false, round);
    check_estimate(&plan->tpot_ms, false, round);
    check_estimate(&plan->e2e_ms, false, round);
    check_estimate(&plan->requests_s, true, round);
    check_estimate(&plan->output_tok_s, true, round);
    check_estimate(&plan->per_user_tok_s, true, round);
    check_estimate(&plan->max_request_rate, true, round);
    EXPECT(plan->regime < REGIME_COUNT);
    EXPECT(is_amount(plan->decode_cycle_us) && is_amount(plan->prefill_cycle_us));
}

static struct plan first, second;

static void random_plans(void **state)
{
    const struct rig *rig = *state;
    struct dice dice = {88172645463325252u};
    for (int round = 0; round < ROUNDS; round++) {
        struct problem problem = any_problem(rig, &dice);
        memset(&first, 0xa5, sizeof(first));
        plan_compute(&problem, round % 10 == 0 ? PLAN_FULL : PLAN_SUMMARY, &first);
        check_plan(&first, round);
    }
}

static bool same(double a, double b)
{
    return a == b || (isnan(a) && isnan(b));
}

static bool same_step(const struct step *a, const struct step *b)
{
    bool equal = same(a->expected_us, b->expected_us) && a->time_us == b->time_us;
    equal &= a->bytes == b->bytes && a->flops == b->flops && a->floor_us == b->floor_us;
    for (int i = 0; i < CLASS_COUNT; i++) {
        const struct class_cost *left = &a->classes[i], *right = &b->classes[i];
        equal &= left->present == right->present && left->bound == right->bound;
        equal &= left->bytes == right->bytes && left->flops == right->flops;
        equal &= left->time_us == right->time_us && left->share == right->share;
        equal &= left->fit == right->fit && left->basis == right->basis;
    }
    return equal;
}

static bool same_estimate(const struct estimate *a, const struct estimate *b)
{
    return same(a->floor, b->floor) && same(a->expected, b->expected) && a->basis == b->basis;
}

/* The same question twice, over what another answer left behind. */
static void same_answer(void **state)
{
    const struct rig *rig = *state;
    struct dice dice = {1234567890123456789u};
    for (int round = 0; round < 100; round++) {
        struct problem problem = any_problem(rig, &dice);
        memset(&first, 0xa5, sizeof(first));
        memset(&second, 0x5a, sizeof(second));
        plan_compute(&problem, PLAN_FULL, &first);
        plan_compute(&problem, PLAN_FULL, &second);
        EXPECT(same_step(&first.decode, &second.decode));
        EXPECT(same_step(&first.prefill, &second.prefill));
        EXPECT(same_estimate(&first.ttft_ms, &second.ttft_ms));
        EXPECT(same_estimate(&first.e2e_ms, &second.e2e_ms));
        EXPECT(same_estimate(&first.requests_s, &second.requests_s));
        EXPECT(first.regime == second.regime && first.n_warnings == second.n_warnings);
        EXPECT(first.n_results == second.n_results && first.n_moves == second.n_moves);
        for (int i = 0; i < first.n_results; i++)
            EXPECT(first.results[i].cure == second.results[i].cure &&
                   first.results[i].best == second.results[i].best);
        for (int i = 0; i < first.n_moves; i++)
            EXPECT(same(first.moves[i].at, second.moves[i].at));
    }
}

static double decode_us(const struct problem *problem, struct scale scale, double batch,
                        double context)
{
    struct prepared prep;
    struct step step;
    prepare(problem, &scale, &prep);
    step_decode(&prep, batch, context, &step);
    return step.time_us;
}

static double prefill_us(const struct problem *problem, struct scale scale, double tokens)
{
    struct prepared prep;
    struct step step;
    prepare(problem, &scale, &prep);
    step_prefill(&prep, tokens, problem->load.cached_prefix_tokens, &step);
    return step.time_us;
}

/* Chunk-local attention forgets at a boundary: a longer context may read less. */
static bool forgets(const struct model *model)
{
    for (int i = 0; i < model->n_groups; i++)
        if (model->groups[i].mixers[0].kind == MIXER_CHUNKED)
            return true;
    return false;
}

/* More bandwidth or compute is never slower; more rows, a longer context, a longer prompt, a larger
 * model never faster. */
static void one_way(void **state)
{
    static const struct scale SAME = {1, 1, 1}, BANDWIDTH = {1.5, 1, 1}, COMPUTE = {1, 1.5, 1},
                              MODEL = {1, 1, 1.5};
    const struct rig *rig = *state;
    struct dice dice = {362436069362436069u};
    for (int round = 0; round < ROUNDS; round++) {
        struct problem problem = any_problem(rig, &dice);
        double batch = spread(&dice, 1, 5000), context = spread(&dice, 1, 1e6);
        double tokens = spread(&dice, 1, 1e6), slack = 1 + 1e-9;
        double decode = decode_us(&problem, SAME, batch, context);
        double prefill = prefill_us(&problem, SAME, tokens);
        EXPECT(decode_us(&problem, BANDWIDTH, batch, context) <= decode * slack);
        EXPECT(decode_us(&problem, COMPUTE, batch, context) <= decode * slack);
        EXPECT(decode_us(&problem, MODEL, batch, context) * slack >= decode);
        EXPECT(decode_us(&problem, SAME, batch + 1, context) * slack >= decode);
        if (!forgets(problem.model))
            EXPECT(decode_us(&problem, SAME, batch, context * 1.1) * slack >= decode);
        EXPECT(prefill_us(&problem, BANDWIDTH, tokens) <= prefill * slack);
        EXPECT(prefill_us(&problem, COMPUTE, tokens) <= prefill * slack);
        EXPECT(prefill_us(&problem, MODEL, tokens) * slack >= prefill);
        EXPECT(prefill_us(&problem, SAME, tokens + 1) * slack >= prefill);
    }
}

/* Little's law in a closed loop: requests in flight = rate x time in the system. */
static void little(void **state)
{
    const struct rig *rig = *state;
    struct dice dice = {521288629521288629u};
    for (int round = 0; round < ROUNDS; round++) {
        struct problem problem = any_problem(rig, &dice);
        problem.load.request_rate = (double)NAN;
        struct core core = rig_core(problem);
        double asked = problem.load.concurrency / load_replicas(&problem);
        EXPECT(fabs(core.cycle.requests_us * core.cycle.e2e_us / asked - 1) < 1e-9);
        EXPECT(core.cycle.running <= fmax(asked, 1) * (1 + 1e-12));
    }
}

/* Each corner of what a request may ask for. */
static void corners(void **state)
{
    const struct rig *rig = *state;

    const struct {
        double concurrency, input, output, cached, rate, tp, pp, dp, utilization;
    } rows[] = {
        {1, 1, 1, 0, NAN, 1, 1, 1, 0.9},         {1e6, 1, 1, 0, NAN, 1, 1, 1, 1},
        {1e6, 1e8, 1e8, 0, NAN, 1, 1, 1, 0.9},   {1, 1e7, 1, 0, NAN, 64, 16, 8, 1},
        {1e6, 1, 1e8, 1, NAN, 64, 64, 64, 0.01}, {1, 1024, 1, 1024, NAN, 1, 1, 1, 0.9},
        {1, 1, 1, 0, 1e-6, 1, 1, 1, 0.9},        {1, 1e8, 1e8, 0, 1e-6, 1, 1, 1, 0.9},
        {1, 1024, 256, 0, 1e6, 8, 1, 1, 0.9},    {1, 1024, 256, 0, 1e6, 8, 16, 8, 0.01},
        {1, 1e8, 1, 1e8, 1, 64, 1, 1, 0.5},      {1e6, 1024, 256, 512, NAN, 1, 16, 1, 0.9},
    };

    int round = 0;
    for (size_t i = 0; i < ARRAY_LEN(rows); i++)
        for (int shape = 0; shape < SHAPES; shape++) {
            struct problem problem = rig_problem(rig, shape);
            problem.dep.tp = problem.dep.ep = rows[i].tp;
            problem.dep.pp = rows[i].pp;
            problem.dep.dp = rows[i].dp;
            problem.dep.memory_utilization = rows[i].utilization;
            problem.dep.max_num_seqs = 1e6;
            problem.load.concurrency = rows[i].concurrency;
            problem.load.input_tokens = rows[i].input;
            problem.load.output_tokens = rows[i].output;
            problem.load.cached_prefix_tokens = rows[i].cached;
            problem.load.request_rate = rows[i].rate;
            plan_compute(&problem, PLAN_FULL, &first);
            check_plan(&first, round++);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_plans), cmocka_unit_test(same_answer), cmocka_unit_test(one_way),
        cmocka_unit_test(little),       cmocka_unit_test(corners),
    };
    return cmocka_run_group_tests(tests, rig_setup, rig_teardown);
}
