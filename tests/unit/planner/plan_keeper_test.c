/* Plans of many loads on one deployment are those of plans made alone, to the bit. */
#include "plan_keeper.h"

#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "sample_rig.h"

static struct plan kept, alone;

static struct plan_keeper *keeper_new(void)
{
    struct plan_keeper *keeper = calloc(1, sizeof(*keeper));

    assert_non_null(keeper);
    return keeper;
}

static void assert_same_step(const struct step *a, const struct step *b)
{
    assert_memory_equal(&a->time_us, &b->time_us, sizeof(a->time_us));
    assert_memory_equal(&a->floor_us, &b->floor_us, sizeof(a->floor_us));
    assert_memory_equal(&a->bytes, &b->bytes, sizeof(a->bytes));
    assert_memory_equal(&a->flops, &b->flops, sizeof(a->flops));
    assert_memory_equal(a->parts_us, b->parts_us, sizeof(a->parts_us));
    assert_int_equal(a->dominant.class, b->dominant.class);
}

/* Plans both ways; whether the keeper turned to another deployment. */
static bool plan_both(struct plan_keeper *keeper, const struct problem *problem,
                      enum plan_depth depth)
{
    bool same = plan_keeper_turn(keeper, problem);

    memset(&kept, 0x5a, sizeof(kept));
    memset(&alone, 0xa5, sizeof(alone));
    plan_compute_kept(keeper, problem, depth, &kept);
    plan_compute(problem, depth, &alone);
    assert_same_step(&kept.decode, &alone.decode);
    assert_same_step(&kept.prefill, &alone.prefill);
    const struct estimate *const estimates[][2] = {
        {&kept.ttft_ms, &alone.ttft_ms},
        {&kept.tpot_ms, &alone.tpot_ms},
        {&kept.output_tok_s, &alone.output_tok_s},
        {&kept.max_request_rate, &alone.max_request_rate},
    };
    for (size_t i = 0; i < sizeof(estimates) / sizeof(estimates[0]); i++) {
        assert_memory_equal(&estimates[i][0]->expected, &estimates[i][1]->expected, sizeof(double));
        assert_memory_equal(&estimates[i][0]->floor, &estimates[i][1]->floor, sizeof(double));
    }
    assert_int_equal(kept.regime, alone.regime);
    assert_int_equal(kept.memory.fits, alone.memory.fits);
    assert_true(kept.memory.kv_bytes == alone.memory.kv_bytes);
    assert_true(kept.memory.held_sequences == alone.memory.held_sequences);
    assert_true(kept.memory.max_concurrency == alone.memory.max_concurrency);
    assert_int_equal(kept.n_results, alone.n_results);
    assert_int_equal(kept.n_warnings, alone.n_warnings);
    return !same;
}

/* Loads that come again find their prefills; 513 and 1 fall to one place. */
static void loads_on_one_deployment(void **state)
{
    static const double INPUTS[] = {1, 513, 1024, 513, 1, 30000, 1024};
    struct plan_keeper *keeper = keeper_new();
    struct problem problem = rig_llama(*state);
    int turns = 0;

    for (int round = 0; round < 2; round++)
        for (size_t i = 0; i < sizeof(INPUTS) / sizeof(INPUTS[0]); i++)
            for (double concurrency = 1; concurrency < 1000; concurrency *= 9) {
                problem.load.input_tokens = INPUTS[i];
                problem.load.concurrency = concurrency;
                problem.load.cached_prefix_tokens = round ? INPUTS[i] / 2 : 0;
                problem.load.output_tokens = i % 2 ? 150 : 100;
                turns += plan_both(keeper, &problem, PLAN_BARE);
            }
    assert_int_equal(turns, 1);
    free(keeper);
}

/* Two deployments in turn: neither is taken for the other, nor its prefills. */
static void deployments_in_turn(void **state)
{
    struct plan_keeper *keeper = keeper_new();
    struct problem problem = rig_llama(*state);
    int turns = 0;

    for (int i = 0; i < 12; i++) {
        problem.dep.tp = 1 << i / 2 % 3;
        problem.load.input_tokens = 700 + i % 2;
        turns += plan_both(keeper, &problem, PLAN_BARE);
    }
    assert_int_equal(turns, 6);
    keeper->holds = false;
    assert_true(plan_both(keeper, &problem, PLAN_BARE));
    free(keeper);
}

/* Cures and moves plan other problems beside. */
static void deep_plans(void **state)
{
    struct plan_keeper *keeper = keeper_new();
    struct problem problem = rig_llama(*state);

    for (int i = 0; i < 3; i++) {
        problem.load.concurrency = 1 + 40 * i;
        plan_both(keeper, &problem, PLAN_FULL);
    }
    free(keeper);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(loads_on_one_deployment),
        cmocka_unit_test(deployments_in_turn),
        cmocka_unit_test(deep_plans),
    };
    return cmocka_run_group_tests(tests, rig_setup, rig_teardown);
}
