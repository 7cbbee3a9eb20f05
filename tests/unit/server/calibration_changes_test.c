/* A calibration beside the kept one. What is kept is that of db/records/calibration. */
#include "calibration_changes.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "intake_kit.h"

#define TEXT_MAX 4000

/* What is printed. */
static void print(const struct calibration_now *now, char ret_text[TEXT_MAX])
{
    FILE *file = tmpfile();
    assert_non_null(file);
    assert_true(calibration_changes_print(now, file));
    rewind(file);
    size_t n = fread(ret_text, 1, TEXT_MAX - 1, file);
    ret_text[n] = '\0';
    (void)fclose(file);
}

/* Two runs of Llama 3.1 8B on an H100 with vLLM, of an anchor that the kept calibration knows and
 * of one that it does not; predicted 10 % and 50 % too slow. */
struct two_runs {
    struct run items[2];
    struct runs runs;
    struct calibrated engine;
};

static void make_runs(struct kit *kit, struct two_runs *ret)
{
    const struct anchor_index *index = &kit->catalogue->anchors;
    struct reading reading;
    kit_read_json(kit, "{\"model\":\"llama-3.1-8b\",\"hardware\":\"h100-sxm\"}", &reading);
    const struct engine *engine = reading.request.problem.dep.engine;
    memset(ret, 0, sizeof(*ret));
    for (int i = 0; i < 2; i++) {
        struct run *run = &ret->items[i];
        run->problem = reading.request.problem;
        run->engine = engine->index;
        const float *kept = index->predicted_ms[FOLD_NONE][INTERVAL_TPOT];
        while (isnan((double)kept[run->anchor]) != (i == 1)) {
            run->anchor++;
        }
        run->predicted_ms[FOLD_NONE][INTERVAL_TPOT] = run_predict(run, engine->host).tpot_ms;
        run->measured_ms[INTERVAL_TPOT] =
            run->predicted_ms[FOLD_NONE][INTERVAL_TPOT] / (i ? 1.5 : 1.1);
        run->measured_ms[INTERVAL_TTFT] = (double)NAN;
    }
    ret->runs = (struct runs){.items = ret->items, .n = 2};
    ret->engine.engine = engine;
    calibrated_add(&ret->engine, HOST_KAPPA, engine->host[HOST_KAPPA].value, true);
    calibrated_add(&ret->engine, HOST_SERIAL_US, engine->host[HOST_SERIAL_US].value, true);
}

static void what_moved_is_named_with_the_errors_of_both(void **state)
{
    struct kit *kit = *state;
    static struct two_runs two;
    char text[TEXT_MAX];
    make_runs(kit, &two);
    /* interval-vllm-tpot_ms-anchored is 0.9403 .. 1.0766 */
    const struct interval intervals[] = {
        {two.engine.engine->index, INTERVAL_TPOT, TIER_ANCHORED, 0.9403, 1.0766, 1, NULL},
    };
    struct calibration_now now = {.catalogue = kit->catalogue,
                                  .runs = &two.runs,
                                  .engines = &two.engine,
                                  .n_engines = 1,
                                  .intervals = intervals,
                                  .n_intervals = 1};
    assert_int_equal(calibration_new_runs(kit->catalogue, &two.runs), 1);
    print(&now, text);
    assert_string_equal(text, "\nagainst what the store keeps: 2 runs, 1 of them new to it\n"
                              "no constant and no interval changed\n");
    /* vllm-kappa is 0.7191; twice as much, and a prediction that is 20 % lower than the kept one */
    two.engine.constants[0].value *= 2;
    const struct interval wider[] = {
        {two.engine.engine->index, INTERVAL_TPOT, TIER_ANCHORED, 0.9, 1.0766, 1, NULL},
    };
    now.intervals = wider;
    for (int i = 0; i < 2; i++) {
        two.items[i].predicted_ms[FOLD_NONE][INTERVAL_TPOT] *= 0.8;
    }
    print(&now, text);
    assert_non_null(strstr(text, "vllm           kappa                              0.7191        "
                                 "1.438   +100.0 %\n"));
    assert_null(strstr(text, "serial_us"));
    assert_non_null(strstr(text,
                           "vllm           tpot_ms  anchored             0.9403 ..  1.0766    "
                           "0.9000 ..  1.0766\n"));
    /* 1.1 and 1.5 of the measured: kept off by 10 and 50 %, now 0.88 and 1.2: by 12 and 20 % */
    assert_non_null(strstr(text,
                           "vllm           tpot_ms  all            2     10.0 %    50.0 %     "
                           "12.0 %    20.0 %\n"));
    assert_non_null(strstr(text,
                           "vllm           tpot_ms  new ones       1     50.0 %    50.0 %     "
                           "20.0 %    20.0 %\n"));
    assert_null(strstr(text, "ttft_ms"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_moved_is_named_with_the_errors_of_both),
    };
    return cmocka_run_group_tests(tests, kit_setup, kit_teardown);
}
