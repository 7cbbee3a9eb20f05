/* The closed cycle, the open loop, and who is admitted. */
#include "load.h"

#include "check.h"
#include "sample_rig.h"

static struct problem problem_of(const struct rig *rig, double input, double output)
{
    struct problem problem = rig_llama(rig);
    problem.load.input_tokens = input;
    problem.load.output_tokens = output;
    return problem;
}

/* Admitted: what was asked, max_num_seqs of each attention-DP rank, what the pools hold; never
 * none. */
static void running(void **state)
{
    static const struct {
        double asked, slots, held, dp, want;
    } ROWS[] = {
        {10, 256, 100, 1, 10},      {500, 256, 1000, 1, 256}, {500, 256, 100, 1, 100},
        {500, 256, 30, 8, 240},     {500, 16, 1000, 8, 128},  {10, 256, 0, 1, 1},
        {10, 256, INFINITY, 1, 10},
    };
    struct problem problem = rig_llama(*state);
    for (size_t i = 0; i < ARRAY_LEN(ROWS); i++) {
        struct memory_plan memory = {.held_sequences = ROWS[i].held};
        problem.dep.max_num_seqs = ROWS[i].slots;
        problem.dep.dp = ROWS[i].dp;
        assert_near(load_running(&problem, &memory, ROWS[i].asked), ROWS[i].want, 0);
    }
}

/* Rows of one rank: ceil(running / dp / pp). */
static void batch(void **state)
{
    static const double ROWS[][4] = {
        /* running, dp, pp, rows */
        {64, 1, 1, 64}, {64, 8, 1, 8}, {65, 8, 1, 9}, {64, 1, 4, 16}, {64, 8, 4, 2}, {1, 8, 4, 1},
    };
    struct deployment dep = rig_llama(*state).dep;
    for (size_t i = 0; i < ARRAY_LEN(ROWS); i++) {
        dep.dp = ROWS[i][1];
        dep.pp = ROWS[i][2];
        assert_near(load_batch(&dep, ROWS[i][0]), ROWS[i][3], 0);
    }
}

/* A replica without a request finishes none; an open loop spreads over all. */
static void replicas(void **state)
{
    struct problem problem = rig_llama(*state);
    problem.dep.replicas = 4;
    problem.load.concurrency = 2;
    assert_near(load_replicas(&problem), 2, 0);
    problem.load.concurrency = 100;
    assert_near(load_replicas(&problem), 4, 0);
    problem.load.concurrency = 1;
    problem.load.request_rate = 1;
    assert_near(load_replicas(&problem), 4, 0);
    /* One request cannot use two copies: the rate is that of one. */
    struct problem one = rig_llama(*state), two = one;
    two.dep.replicas = 2;
    assert_near(rig_core(two).cycle.requests_us * load_replicas(&two),
                rig_core(one).cycle.requests_us, 1e-12);
    /* Two requests on two copies are each alone. */
    two.load.concurrency = 2;
    assert_near(rig_core(two).cycle.e2e_us, rig_core(one).cycle.e2e_us, 1e-12);
}

/* A prefix counts where something can keep it; one token is always new: the last one's logits. */
static void new_tokens(void **state)
{
    static const struct {
        bool prefix_caching;
        enum kv_tier_kind tier;
        double input, cached, want;
    } ROWS[] = {
        {true, KV_TIER_NONE, 1000, 0, 1000},    {true, KV_TIER_NONE, 1000, 600, 400},
        {false, KV_TIER_NONE, 1000, 600, 1000}, {false, KV_TIER_HOST, 1000, 600, 400},
        {true, KV_TIER_NONE, 1000, 1000, 1},    {true, KV_TIER_NONE, 1, 0, 1},
    };
    struct problem problem = rig_llama(*state);
    for (size_t i = 0; i < ARRAY_LEN(ROWS); i++) {
        problem.dep.prefix_caching = ROWS[i].prefix_caching;
        problem.dep.kv_tier = ROWS[i].tier;
        problem.load.input_tokens = ROWS[i].input;
        problem.load.cached_prefix_tokens = ROWS[i].cached;
        assert_near(load_new_tokens(&problem), ROWS[i].want, 0);
    }
}

/* One user: a prefill, which gives the first token, and m - 1 steps; nothing waits. 5 ms + 100 x 1
 * ms. */
static void alone(void **state)
{
    struct problem problem = problem_of(*state, 1000, 101);
    struct cycle cycle;
    load_cycle(&problem, 1, 1, 1000, 1, 5000, &cycle);
    assert_near(cycle.cycle_us, 105000, 0);
    assert_near(cycle.e2e_us, 105000, 0);
    assert_near(cycle.ttft_us, 5000, 0);
    assert_near(cycle.requests_us, 1 / 105000.0, 1e-12);
    assert_near(cycle.batch, 1, 0);
    /* Trap: TPOT = (E2E - TTFT)/(n - 1). */
    assert_near(cycle.tpot_us, 1000, 1e-12);
    /* Trap: an accepted draft shortens each token, not each step: 2.5 tokens a step. */
    load_cycle(&problem, 1, 1, 1000, 2.5, 5000, &cycle);
    assert_near(cycle.decode_us, 40000, 1e-12);
    assert_near(cycle.tpot_us, 400, 1e-12);
}

/* Ten users, a pool for ten: each meets every other's prefill once: 100 x 1 ms + 10 x 5 ms. */
static void shared(void **state)
{
    struct problem problem = problem_of(*state, 1000, 101);
    struct cycle cycle;
    load_cycle(&problem, 10, 10, 1000, 1, 5000, &cycle);
    assert_near(cycle.decode_us, 100000, 0);
    assert_near(cycle.prefill_us, 50000, 0);
    assert_near(cycle.cycle_us, 150000, 0);
    assert_near(cycle.requests_us * cycle.e2e_us, 10, 1e-12);
    /* Half of a running step; each of nine others is in its 5 ms of 150, half of them left: 750 us
     * at least, and less than if all of it were left. */
    assert_true(cycle.ttft_us >= 500 + 750 + 5000);
    assert_true(cycle.ttft_us <= 500 + 1500 + 5000);
    assert_near(cycle.ttft_us + 100 * cycle.tpot_us, cycle.e2e_us, 1e-12);
    /* Twenty users and the same pool: half of them wait a cycle. */
    struct cycle queued;
    load_cycle(&problem, 20, 10, 1000, 1, 5000, &queued);
    assert_near(queued.requests_us, cycle.requests_us, 1e-12);
    assert_near(queued.e2e_us, 300000, 1e-12);
    assert_near(queued.ttft_us, cycle.ttft_us + 150000, 1e-12);
    assert_near(queued.tpot_us, cycle.tpot_us, 1e-12);
    assert_near(queued.requests_us * queued.e2e_us, 20, 1e-12);
}

/* Attention DP: eight ranks prefill beside each other; ten users of each rank. */
static void ranks_share(void **state)
{
    struct problem problem = problem_of(*state, 1000, 101);
    struct cycle cycle;
    problem.dep.dp = 8;
    load_cycle(&problem, 80, 80, 1000, 1, 5000, &cycle);
    assert_near(cycle.prefill_us, 50000, 0);
    assert_near(cycle.batch, 10, 0);
    assert_near(cycle.requests_us, 80 / 150000.0, 1e-12);
}

/* Trap: a pipeline's stages work on different prompts: a prefill of 5 ms leaves each of five stages
 * after 1 ms, so the nine others add 9 ms. A step of one token still passes all stages. */
static void stages_share(void **state)
{
    struct problem problem = problem_of(*state, 1000, 101);
    struct cycle cycle;
    problem.dep.pp = 5;
    load_cycle(&problem, 10, 10, 1000, 1, 5000, &cycle);
    assert_near(cycle.decode_us, 100000, 0);
    assert_near(cycle.prefill_us, 14000, 1e-12);
    assert_near(cycle.batch, 2, 0);
    load_cycle(&problem, 1, 1, 1000, 1, 5000, &cycle);
    assert_near(cycle.prefill_us, 5000, 1e-12);
    assert_near(cycle.ttft_us, 5000, 1e-12);
}

/* Two pools: 8 of 10 requests decode, 100 steps of 1 ms each: 0.08 a millisecond leave and as many
 * come out of the prefill of 5 ms, so that 2/0.08 = 25 ms lie before a first token. */
static void pools(void **state)
{
    struct problem problem = problem_of(*state, 1000, 101);
    struct cycle cycle;
    problem.dep.disaggregated = true;
    problem.dep.disagg_prefill_devices = 4;
    problem.dep.disagg_tp = 2;
    assert_near(load_prefill_servers(&problem), 2, 0);
    load_pools(&problem, 10, 8, 1000, 1, 5000, &cycle);
    assert_near(cycle.requests_us, 8 / 100000.0, 1e-12);
    assert_near(cycle.ttft_us, 25000, 1e-12);
    assert_near(cycle.tpot_us, 1000, 0);
    assert_near(cycle.e2e_us, 125000, 1e-12);
    /* Alone: the prefill, then the steps. */
    load_pools(&problem, 1, 100.0 / 105.0, 1000, 1, 5000, &cycle);
    assert_near(cycle.ttft_us, 5000, 1e-9);
    assert_near(cycle.requests_us, 1 / 105000.0, 1e-9);
    problem.dep.replicas = 4;
    assert_near(load_prefill_servers(&problem), 0.5, 0);
}

/* Trap: more prefill devices never make a first token later. */
static void more_prefill_devices(void **state)
{
    struct problem problem = rig_llama(*state);
    double before = INFINITY;
    problem.load.concurrency = 64;
    problem.dep.disaggregated = true;
    problem.dep.disagg_tp = problem.dep.disagg_dp = problem.dep.disagg_ep = 1;
    for (double devices = 1; devices <= 16; devices *= 2) {
        problem.dep.disagg_prefill_devices = devices;
        struct core core = rig_core(problem);
        assert_true(core.cycle.ttft_us <= before * (1 + 1e-9));
        assert_near(core.cycle.requests_us * core.cycle.e2e_us, 64, 1e-3);
        before = core.cycle.ttft_us;
    }
}

/* One token out: no gap between tokens exists, a step is what one would take. */
static void one_token(void **state)
{
    struct problem problem = problem_of(*state, 1000, 1);
    struct cycle cycle;
    load_cycle(&problem, 10, 10, 1000, 1, 5000, &cycle);
    assert_near(cycle.tpot_us, 1000, 0);
    assert_true(cycle.ttft_us <= cycle.e2e_us);
}

/* Trap: a static batch of B is not serving at concurrency B: the cycle holds the prefills too. */
static void cycle_of_a_plan(void **state)
{
    struct problem problem = problem_of(*state, 2048, 128);
    problem.load.concurrency = 64;
    struct core core = rig_core(problem);
    assert_near(core.decode.batch, 64, 0);
    assert_near(core.decode.context_tokens, 2048 + 64, 0);
    assert_near(core.cycle.cycle_us, 127 * core.decode.time_us + 64 * core.prefill.time_us, 1e-12);
    assert_near(core.cycle.requests_us * core.cycle.e2e_us, 64, 1e-12);
}

/* Open loop: N = rate x time in the system, from one in a million to the last that fits. */
static void open_loop(void **state)
{
    struct problem problem = problem_of(*state, 1024, 256);
    struct problem closed = problem;
    closed.load.concurrency = 1e6;
    double most = rig_core(closed).cycle.requests_us * US_PER_S;

    const double rates[] = {1e-6, 1e-3, 0.1, 1, 0.5 * most, 0.9 * most, 0.999 * most};

    double before = 0;
    for (size_t i = 0; i < ARRAY_LEN(rates); i++) {
        problem.load.request_rate = rates[i];
        struct core core = rig_core(problem);
        assert_false(core.cycle.saturated);
        assert_near(core.cycle.requests_us * US_PER_S, rates[i], 1e-12);
        assert_near(core.cycle.concurrency, rates[i] * core.cycle.e2e_us / US_PER_S, 2e-3);
        assert_true(core.cycle.concurrency > before);
        before = core.cycle.concurrency;
    }
    problem.load.request_rate = 1.01 * most;
    struct core core = rig_core(problem);
    assert_true(core.cycle.saturated);
    assert_near(core.cycle.requests_us * US_PER_S, most, 1e-9);
    /* Two replicas share the arrivals. */
    problem.dep.replicas = 2;
    core = rig_core(problem);
    assert_false(core.cycle.saturated);
    assert_near(core.cycle.requests_us * US_PER_S, 1.01 * most / 2, 1e-12);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(running),     cmocka_unit_test(batch),
        cmocka_unit_test(replicas),    cmocka_unit_test(new_tokens),
        cmocka_unit_test(alone),       cmocka_unit_test(shared),
        cmocka_unit_test(ranks_share), cmocka_unit_test(stages_share),
        cmocka_unit_test(pools),       cmocka_unit_test(more_prefill_devices),
        cmocka_unit_test(one_token),   cmocka_unit_test(cycle_of_a_plan),
        cmocka_unit_test(open_loop),
    };
    return cmocka_run_group_tests(tests, rig_setup, rig_teardown);
}
