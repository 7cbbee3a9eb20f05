/* Ranking, pools, the front and the tally of a search: rows of points made by hand. */
#include "search.h"

#include <math.h>
#include <string.h>

#include "check.h"
#include "compiler.h"

/* A point that is ranked by one key and has a place in the plane of the front. */
static struct search_point point(long index, double key, double per_user, double per_device)
{
    struct search_point point = {.index = index,
                                 .equals = 1,
                                 .per_user_tok_s = per_user,
                                 .per_device_tok_s = per_device,
                                 .ttft_ms = key,
                                 .usd_per_hour = NAN};
    point.key[0] = key;
    return point;
}

static void names_go_both_ways(void **state)
{
    (void)state;
    for (int i = 0; i < OBJECTIVE_COUNT; i++)
        assert_int_equal(search_objective_parse(search_objective_name((enum search_objective)i)),
                         i);
    assert_int_equal(search_objective_parse("beauty"), OBJECTIVE_COUNT);
    assert_string_equal(search_limit_name(LIMIT_TPOT), "tpot_ms");
    assert_string_equal(search_limit_name(LIMIT_LENGTH), "max_model_len");
}

/* Prefill devices are those of all replicas together: 2 x 3 x 1 ranks, 4 replicas, 5 beside. */
static void devices_are_counted_once(void **state)
{
    struct deployment dep = {.tp = 2, .pp = 3, .dp = 1, .replicas = 4};
    (void)state;
    assert_true(search_devices(&dep) == 24.0);
    dep.disaggregated = true;
    dep.disagg_prefill_devices = 5;
    assert_true(search_devices(&dep) == 29.0);
}

/* A pool keeps the best three of five, whatever the order they come in. */
static void pools_keep_the_best(void **state)
{
    static const int ORDERS[][5] = {{0, 1, 2, 3, 4}, {4, 3, 2, 1, 0}, {2, 4, 0, 3, 1}};
    static const double KEYS[] = {5, 1, 4, 2, 3};
    (void)state;
    for (size_t k = 0; k < ARRAY_LEN(ORDERS); k++) {
        struct search_point room[4];
        struct search_pool pool = {.points = room, .max = 3};
        for (int i = 0; i < 5; i++) {
            int at = ORDERS[k][i];
            const struct search_point offered = point(at, KEYS[at], 1, 1);
            search_pool_offer(&pool, &offered);
        }
        assert_int_equal(pool.n, 3);
        assert_int_equal(pool.points[0].index, 1);
        assert_int_equal(pool.points[1].index, 3);
        assert_int_equal(pool.points[2].index, 4);
    }
}

/* Candidates that are alike count as one, the one with the fewest changes; another kind does not.
 */
static void alike_candidates_are_one(void **state)
{
    struct search_point room[9], other_room[9];
    struct search_pool pool = {.points = room, .max = 8}, other = {.points = other_room, .max = 8};
    struct search_point a = point(7, 1, 1, 1), b = point(8, 1, 1, 1), c = point(9, 1, 1, 1);
    (void)state;
    a.changes = 2;
    b.changes = 1;
    c.kind = 1;
    search_pool_offer(&pool, &a);
    search_pool_offer(&pool, &b);
    search_pool_offer(&other, &a);
    search_pool_offer(&other, &c);
    search_pool_merge(&pool, &other);
    assert_int_equal(pool.n, 2);
    assert_int_equal(pool.points[0].index, 9);
    assert_int_equal(pool.points[1].index, 8);
    assert_int_equal(pool.points[1].equals, 3);
    assert_false(search_alike(&b, &c));
    assert_true(search_alike(&a, &b));
}

/* A full pool still counts what is alike to its last. */
static void a_full_pool_counts_on(void **state)
{
    struct search_point room[2];
    struct search_pool pool = {.points = room, .max = 1};
    const struct search_point a = point(1, 1, 1, 1), b = point(2, 1, 1, 1), c = point(3, 2, 1, 1);
    (void)state;
    search_pool_offer(&pool, &a);
    search_pool_offer(&pool, &b);
    search_pool_offer(&pool, &c);
    assert_int_equal(pool.n, 1);
    assert_int_equal(pool.points[0].index, 1);
    assert_int_equal(pool.points[0].equals, 2);
}

/* Of (10, 100), (20, 80), (30, 90), (40, 10), (15, 70) the second and the last are exceeded by the
 * third: 30 > 20 and 90 > 80. */
static void the_front_is_what_nothing_exceeds(void **state)
{
    static const double PLANE[][2] = {{10, 100}, {20, 80}, {30, 90}, {40, 10}, {15, 70}, {0, 5}};
    static struct search_front front, other;
    struct search_point list[8];
    (void)state;
    for (int i = 0; i < (int)ARRAY_LEN(PLANE); i++) {
        const struct search_point offered = point(i, 1, PLANE[i][0], PLANE[i][1]);
        search_front_offer(i % 2 ? &front : &other, &offered);
    }
    search_front_merge(&front, &other);
    int n = search_front_list(&front, 8, list);
    assert_int_equal(n, 3);
    assert_int_equal(list[0].index, 3);
    assert_int_equal(list[1].index, 2);
    assert_int_equal(list[2].index, 0);
    /* thinned to two: both ends */
    assert_int_equal(search_front_list(&front, 2, list), 2);
    assert_int_equal(list[0].index, 3);
    assert_int_equal(list[1].index, 0);
}

/* Within one percent the one with more output per device stands; of equals the better ranked. */
static void a_step_of_the_front_has_one(void **state)
{
    static struct search_front front;
    const struct search_point a = point(1, 2, 100, 50), b = point(2, 1, 100, 50),
                              c = point(3, 0, 100, 49), d = point(4, 9, 100.01, 50);
    struct search_point list[2];
    (void)state;
    search_front_offer(&front, &a);
    search_front_offer(&front, &b);
    search_front_offer(&front, &c);
    assert_int_equal(search_front_list(&front, 2, list), 1);
    assert_int_equal(list[0].index, 2);
    search_front_offer(&front, &d);
    assert_int_equal(search_front_list(&front, 2, list), 1);
    assert_int_equal(list[0].index, 4);
}

/* 2 of 3 miss TPOT, 1 of them TTFT too; the nearest misses by 10 %. */
static void the_tally_knows_what_binds(void **state)
{
    struct search_tally tally = {0}, other = {0};
    struct search_point good = point(0, 1, 1, 1), near = point(1, 1, 1, 1), far = point(2, 1, 1, 1);
    enum search_limit limit;
    (void)state;
    near.over[LIMIT_TPOT] = 0.1;
    far.over[LIMIT_TPOT] = 0.5;
    far.over[LIMIT_TTFT] = 0.7;
    search_tally_count(&tally, &far);
    search_tally_count(&tally, &good);
    search_tally_count(&other, &near);
    search_tally_merge(&tally, &other);
    assert_int_equal(tally.feasible, 1);
    assert_int_equal(tally.fails[LIMIT_TPOT], 2);
    assert_int_equal(tally.fails[LIMIT_TTFT], 1);
    assert_true(tally.has_nearest);
    assert_int_equal(tally.nearest.index, 1);
    assert_true(search_excess(&far, &limit) == 0.7);
    assert_int_equal(limit, LIMIT_TTFT);
    search_tally_count(&tally, &far);
    assert_int_equal(tally.nearest.index, 1);
}

/* A plan of made-up figures: 4 devices, 1,000 tokens/s, TPOT 20 ms. */
static void fill_plan(struct plan *plan)
{
    memset(plan, 0, sizeof(*plan));
    plan->problem.dep =
        (struct deployment){.tp = 2, .pp = 1, .dp = 1, .replicas = 2, .max_model_len = 8192};
    plan->problem.load = (struct workload){
        .concurrency = 64, .input_tokens = 1024, .output_tokens = 256, .request_rate = NAN};
    plan->problem.slo = (struct slo){.ttft_ms = 100, .tpot_ms = 16, .output_tok_s = 1500};
    plan->memory.fits = true;
    plan->ttft_ms.expected = 90;
    plan->tpot_ms.expected = 20;
    plan->e2e_ms.expected = 5190;
    plan->output_tok_s.expected = 1000;
    plan->per_user_tok_s.expected = 50;
    plan->requests_s.expected = 4;
}

/* 4 devices at 2.5 USD are 10 USD an hour; 1,000 tokens/s are 3.6 million an hour: 2.7778 USD per
 * million. TPOT is 20 against 16: 25 % beyond; output 1,500 against 1,000: 50 %. */
static void a_plan_is_measured(void **state)
{
    static struct plan plan;
    struct search_point got;
    (void)state;
    fill_plan(&plan);
    assert_true(search_measure(&plan, 2.5, OBJECTIVE_COST, &got));
    assert_true(got.devices == 4.0 && got.usd_per_hour == 10.0);
    assert_near(got.usd_per_million_output_tokens, 10.0 / 3.6, 1e-12);
    assert_near(got.per_device_tok_s, 250.0, 1e-12);
    assert_true(got.over[LIMIT_TTFT] == 0.0 && got.over[LIMIT_MEMORY] == 0.0);
    assert_near(got.over[LIMIT_TPOT], 0.25, 1e-12);
    assert_near(got.over[LIMIT_OUTPUT], 0.5, 1e-12);
    assert_near(got.key[0], 10.0 / 3.6, 1e-12);
    assert_true(search_measure(&plan, NAN, OBJECTIVE_COST, &got));
    assert_true(isinf(got.key[0]) && isnan(got.usd_per_hour));
    assert_true(search_measure(&plan, NAN, OBJECTIVE_THROUGHPUT, &got) && got.key[0] == -1000.0);
    assert_true(search_measure(&plan, NAN, OBJECTIVE_LATENCY, &got) && got.key[0] == 5190.0);
    assert_true(search_measure(&plan, NAN, OBJECTIVE_DEVICES, &got) && got.key[0] == 4.0);
}

/* 5 requests/s arrive and 4 finish: 25 % too many. 9,000 tokens are 9.86 % more than 8,192. */
static void loads_that_are_too_much_are_measured(void **state)
{
    static struct plan plan;
    struct search_point got;
    (void)state;
    fill_plan(&plan);
    plan.problem.load.request_rate = 5;
    plan.problem.load.input_tokens = 8744;
    assert_true(search_measure(&plan, 1, OBJECTIVE_COST, &got));
    assert_near(got.over[LIMIT_RATE], 0.25, 1e-5);
    assert_near(got.over[LIMIT_LENGTH], 9000.0 / 8192.0 - 1.0, 1e-12);
}

/* 100 GB of weights and overhead on 80 usable ones; then a pool of 512 tokens for 1,280. */
static void memory_that_is_too_small_is_measured(void **state)
{
    static struct plan plan;
    struct search_point got;
    (void)state;
    fill_plan(&plan);
    plan.memory.fits = false;
    plan.memory.weights_bytes = 90e9;
    plan.memory.overhead_bytes = 10e9;
    plan.memory.usable_bytes = 80e9;
    plan.ttft_ms.expected = NAN;
    assert_true(search_measure(&plan, 1, OBJECTIVE_COST, &got));
    assert_near(got.over[LIMIT_MEMORY], 0.25, 1e-12);
    plan.memory.kv_bytes = 1e9;
    plan.memory.needed_tokens = 1280;
    plan.memory.kv_token_capacity = 512;
    assert_true(search_measure(&plan, 1, OBJECTIVE_COST, &got));
    assert_near(got.over[LIMIT_MEMORY], 1.5, 1e-12);
}

static void what_has_no_record_is_not_ranked(void **state)
{
    static struct plan plan;
    struct search_point got;
    (void)state;
    fill_plan(&plan);
    plan.tpot_ms.expected = NAN;
    assert_false(search_measure(&plan, 1, OBJECTIVE_COST, &got));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_go_both_ways),
        cmocka_unit_test(devices_are_counted_once),
        cmocka_unit_test(pools_keep_the_best),
        cmocka_unit_test(alike_candidates_are_one),
        cmocka_unit_test(a_full_pool_counts_on),
        cmocka_unit_test(the_front_is_what_nothing_exceeds),
        cmocka_unit_test(a_step_of_the_front_has_one),
        cmocka_unit_test(the_tally_knows_what_binds),
        cmocka_unit_test(a_plan_is_measured),
        cmocka_unit_test(loads_that_are_too_much_are_measured),
        cmocka_unit_test(memory_that_is_too_small_is_measured),
        cmocka_unit_test(what_has_no_record_is_not_ranked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
