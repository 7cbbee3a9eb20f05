/*
 * Predictions that the calibration stored against what the planner computes today: a change of the
 * planner, of a fit or of a constant without a new calibration fails here.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "app_kit.h"
#include "forecast.h"
#include "plan.h"

#define SAMPLE 100
#define TOLERANCE 0.005

static bool is_near(double computed, double stored)
{
    return isnan(stored) || fabs(computed / stored - 1.0) <= TOLERANCE;
}

/* The plan of a run without any correction by measured runs; false when it is another one. */
static bool agrees(struct forecaster *forecaster, const struct anchor_index *index, int anchor,
                   struct plan *plan)
{
    double tpot = (double)index->predicted_ms[0][INTERVAL_TPOT][anchor];
    double ttft = (double)index->predicted_ms[0][INTERVAL_TTFT][anchor];
    struct plan_request request;
    if (!forecaster_request(forecaster, anchor, &request)) {
        print_error("%s: cannot be planned any more\n", index->ids[anchor]);
        return false;
    }
    plan_compute(&request.problem, PLAN_SUMMARY, plan);
    if (is_near(plan->tpot_ms.expected, tpot) && is_near(plan->ttft_ms.expected, ttft))
        return true;
    print_error("%s: TPOT %.6g ms, stored %.6g; TTFT %.6g ms, stored %.6g\n", index->ids[anchor],
                plan->tpot_ms.expected, tpot, plan->ttft_ms.expected, ttft);
    return false;
}

static void stored_predictions_are_those_of_the_planner(void **state)
{
    static struct plan plan;
    struct app_kit *kit = *state;
    const struct catalogue *catalogue = store_catalogue(kit->store);
    const struct anchor_index *index = &catalogue->anchors;
    struct forecaster *forecaster = forecaster_new(catalogue);
    int n_stored = 0, n_seen = 0, n_judged = 0, n_drifted = 0;
    assert_non_null(forecaster);
    for (int i = 0; i < index->n; i++)
        n_stored += !isnan((double)index->predicted_ms[0][INTERVAL_TPOT][i]);
    assert_true(n_stored >= SAMPLE);
    int stride = n_stored >= SAMPLE ? n_stored / SAMPLE : 1;
    for (int i = 0; i < index->n; i++) {
        if (isnan((double)index->predicted_ms[0][INTERVAL_TPOT][i]))
            continue;
        if (n_seen++ % stride != 0)
            continue;
        n_judged++;
        n_drifted += !agrees(forecaster, index, i, &plan);
    }
    forecaster_free(forecaster);
    store_release(kit->store, catalogue);
    if (n_drifted > 0)
        fail_msg("%d of %d stored predictions are not what the planner computes; calibrate again, "
                 "from the top of the checkout: <build>/regimed calibrate --out "
                 "db/records/calibration, then build, and once more until nothing changes",
                 n_drifted, SAMPLE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stored_predictions_are_those_of_the_planner),
    };
    return cmocka_run_group_tests(tests, app_kit_setup, app_kit_teardown);
}
