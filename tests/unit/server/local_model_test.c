/* The runs of the store, and that the planner with the constants on record says what the fit said.
 */
#include "local_model.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "intake_kit.h"
#include "local_step.h"

static double planned(const struct local_run *run)
{
    if (run->phase == PHASE_DECODE)
        return local_decode_us(&run->problem, run->batch, run->context - run->tokens / 2.0,
                               run->tokens);
    return local_prefill_us(&run->problem, run->tokens, run->context);
}

static const struct local_run *find_run(const struct local_runs *runs, const char *id,
                                        enum phase phase)
{
    for (int i = 0; i < runs->n; i++)
        if (strcmp(runs->items[i].id, id) == 0 && runs->items[i].phase == phase)
            return &runs->items[i];
    fail_msg("no run %s", id);
    return NULL;
}

/*
 * xiongjie-0083: Llama-3-8B Q4_K_M on an RTX 3090, tg512 from an empty context at 115.42 tok/s.
 * Layers of 6,979,321,856 and a head of 525,336,576 parameters; what the file's recipe makes of
 * them over 936 GB/s, KV of 131,072 B x 256, 32 layers.
 */
static void amounts_are_those_of_the_equations(void **state)
{
    struct kit *kit = *state;
    struct local_runs runs;

    assert_true(local_runs_read(kit->store, kit->catalogue, &runs));
    assert_true(runs.n > 1500 && runs.n_sources > 40);
    const struct local_run *run = find_run(&runs, "xiongjie-0083", PHASE_DECODE);
    double attention = 32 * (4096.0 * 6144 + 4096.0 * 4096), rest = 6979321856.0 - attention;
    double bytes = attention * 0.575390625 + rest * 0.60546875 + 525336576 * 0.8203125;
    assert_true(fabs(run->amounts[AMOUNT_WEIGHTS] / (bytes / 936e3) - 1) < 1e-9);
    assert_true(fabs(run->amounts[AMOUNT_KV] / (131072 * 256 / 936e3) - 1) < 1e-9);
    assert_true(fabs(run->amounts[AMOUNT_UNPACK] / (2 * 7504658432.0 / 142.4e6) - 1) < 1e-9);
    assert_true(run->amounts[AMOUNT_LAYERS] == 32 && run->amounts[AMOUNT_ROWS] == 0);
    assert_true(fabs(run->measured_us / (1e6 / 115.42) - 1) < 1e-12);
    assert_true(run->is_old && run->without_fa && !run->is_moe);
    /* pp512 at 4,030.4 tok/s: 2 flops of every layer's parameter and token, the head's once. */
    run = find_run(&runs, "xiongjie-0080", PHASE_PREFILL);
    double flops = 2 * (6979321856.0 * 512 + 525336576);
    assert_true(fabs(run->amounts[AMOUNT_FLOPS] / (flops / 142.4e6) - 1) < 1e-9);
    assert_true(fabs(run->amounts[AMOUNT_ALU] / (flops / 35.58e6) - 1) < 1e-9);
    assert_true(fabs(run->amounts[AMOUNT_PAD] / (128 * 6979321856.0 / 142.4e6) - 1) < 1e-9);
    /* 512^2 / 2 pairs: 4 x 32 heads x 128 flops in each of 32 layers; 131,072 B a pair. */
    assert_true(fabs(run->amounts[AMOUNT_ATTENTION] / (131072 * 524288.0 / 142.4e6) - 1) < 1e-9);
    assert_true(fabs(run->amounts[AMOUNT_KV_READS] / (131072 * 131072.0 / 936e3) - 1) < 1e-9);
    local_runs_free(&runs);
}

/* The bundled constants are those of a fit to the bundled runs: Metal and MLX, both phases. */
static void the_planner_says_what_the_fit_says(void **state)
{
    struct kit *kit = *state;
    struct local_runs runs;

    assert_true(local_runs_read(kit->store, kit->catalogue, &runs));
    for (int phase = 0; phase < 2; phase++) {
        struct local_model model;
        assert_true(local_model_build(&runs, BACKEND_METAL, (enum phase)phase, &model));
        double *values = malloc((size_t)model.fit.n_parameters * sizeof(*values));
        assert_non_null(values);
        assert_true(term_fit_solve(&model.fit, NULL, values));
        assert_true(model.fit.n_rows > 100);
        int apart = 0;
        for (int i = 0; i < model.fit.n_rows; i++) {
            double fitted = term_fit_predict(&model.fit, i, values);
            apart += fabs(log(planned(&runs.items[model.runs[i]]) / fitted)) > 0.005;
        }
        /* Floors lift a few. */
        if (apart > model.fit.n_rows / 20)
            fail_msg("%d of %d are apart", apart, model.fit.n_rows);
        free(values);
        local_model_free(&model);
    }
    local_runs_free(&runs);
}

/* Bands on record: below and above 1, wider the less is near. */
static void intervals_are_on_record(void **state)
{
    struct kit *kit = *state;
    struct problem problem = {.lib = &kit->catalogue->lib};
    double before[2] = {1, 1};

    problem.dep.backend = BACKEND_CUDA;
    for (int tier = LOCAL_SAME_PART_FORMAT; tier < LOCAL_TIER_COUNT; tier++) {
        struct local_speed speed = {.tier = (enum local_tier)tier};
        double low = 0, high = 0;
        assert_true(local_interval(&problem, &speed, PHASE_DECODE, 1, &low, &high));
        assert_true(low > 0.5 && low < 1 && high > 1 && high < 2.5);
        if (tier == LOCAL_SAME_PART_FORMAT || tier == LOCAL_SAME_ENGINE)
            assert_true(high - low > before[1] - before[0]);
        before[0] = low;
        before[1] = high;
        assert_true(local_interval(&problem, &speed, PHASE_DECODE, 32, &low, &high));
        assert_true(low < 0.5 && high > 2);
        assert_true(local_interval(&problem, &speed, PHASE_PREFILL, 1, &low, &high));
        assert_true(low < 1 && high > 1);
    }
    struct local_speed none = {.tier = LOCAL_NONE};
    assert_false(local_interval(&problem, &none, PHASE_DECODE, 1, &before[0], &before[1]));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(amounts_are_those_of_the_equations),
        cmocka_unit_test(the_planner_says_what_the_fit_says),
        cmocka_unit_test(intervals_are_on_record),
    };
    return cmocka_run_group_tests(tests, kit_setup, kit_teardown);
}
