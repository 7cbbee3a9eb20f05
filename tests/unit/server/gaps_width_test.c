/* How wide questions are. Intervals are those of db/records/calibration/intervals.json. */
#include "gaps_width.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "intake_kit.h"
#include "nearness.h"

static bool near(double a, double b)
{
    return fabs(a - b) < 1e-9;
}

static void the_widest_interval_stands_for_none(void **state)
{
    /* the outer factors of the record named */
    static const struct {
        const char *engine, *metric;
        double low, high;
    } ROWS[] = {
        {"vllm", "tpot_ms", 0.7409, 1.3871},      /* interval-vllm-tpot_ms-neighbour_part */
        {"vllm", "ttft_ms", 0.5854, 2.3019},      /* interval-vllm-ttft_ms-neighbour_part */
        {NULL, "tpot_ms", 0.6687, 1.9668},        /* interval-sglang-tpot_ms-neighbour_part */
        {"llama.cpp", "tpot_ms", 0.6687, 1.9668}, /* has none of its own */
        {NULL, "gpu_power_w", 0.2717, 8.4845},    /* interval-tensorrt-llm-ttft_ms-neighbour_part */
        {"vllm", "gpu_power_w", 0.5854, 2.3019},  /* the widest of the engine */
        {NULL, NULL, 0.2717, 8.4845},
    };
    const struct kit *kit = *state;
    const struct library *lib = &kit->catalogue->lib;
    const struct library empty = {.n_intervals = 0};
    for (size_t i = 0; i < sizeof(ROWS) / sizeof(ROWS[0]); i++) {
        const struct engine *engine = ROWS[i].engine ? library_engine(lib, ROWS[i].engine) : NULL;
        double width = gap_width_widest(lib, engine ? engine->index : -1, ROWS[i].metric);
        if (!near(width, log(ROWS[i].high / ROWS[i].low))) {
            fail_msg("%s %s: %g", ROWS[i].engine, ROWS[i].metric, width);
        }
    }
    assert_true(gap_width_widest(&empty, -1, "tpot_ms") == 0);
}

static void a_plan_states_its_own(void **state)
{
    static struct plan plan;
    struct kit *kit = *state;
    struct reading reading;
    struct problem *problem = &reading.request.problem;
    kit_read_json(kit, "{\"model\":\"llama-3.1-8b\",\"hardware\":\"h100-sxm\"}", &reading);
    nearness_find(kit->catalogue, problem, NULL, NULL, &problem->near);
    plan_compute(problem, PLAN_FULL, &plan);
    assert_true(
        near(gap_width_planned(&plan, INTERVAL_TPOT), log(plan.tpot_ms.high / plan.tpot_ms.low)));
    assert_true(
        near(gap_width_planned(&plan, INTERVAL_TTFT), log(plan.ttft_ms.high / plan.ttft_ms.low)));
    /* no kernel of that part was measured: no interval */
    kit_read_json(kit, "{\"model\":\"llama-3.1-8b\",\"hardware\":\"gaudi3\"}", &reading);
    plan_compute(problem, PLAN_FULL, &plan);
    assert_true(near(gap_width_planned(&plan, INTERVAL_TPOT), log(1.3871 / 0.7409)));
}

static void the_mean_is_over_what_was_asked(void **state)
{
    static const struct {
        struct gap_count count;
        double widest, mean;
    } ROWS[] = {
        {{.asked = 4, .width_sum = 6}, 9, 1.5},
        {{.asked = 4, .width_sum = 3, .unweighed = 1}, 9, 3}, /* (3 + 9) / 4 */
        {{.asked = 2, .unweighed = 2}, 0.5, 0.5},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(ROWS) / sizeof(ROWS[0]); i++) {
        assert_true(near(gap_width_mean(&ROWS[i].count, ROWS[i].widest), ROWS[i].mean));
    }
    assert_true(isnan(gap_width_mean(&(struct gap_count){.asked = 0}, 1)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_widest_interval_stands_for_none),
        cmocka_unit_test(a_plan_states_its_own),
        cmocka_unit_test(the_mean_is_over_what_was_asked),
    };
    return cmocka_run_group_tests(tests, kit_setup, kit_teardown);
}
