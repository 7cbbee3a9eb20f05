/* The roofline: both roofs, its smooth corner, the units behind them. */
#include "roofline.h"

#include "check.h"
#include "units.h"

/* (a^q + b^q)^(1/q) by hand. */
static void corner(void **state)
{
    (void)state;

    static const struct {
        double a, b, q, want;
    } ROWS[] = {
        {3, 4, 2, 5},                              /* 9 + 16 = 25 */
        {4, 3, 2, 5},                              /* either order */
        {3, 4, 1, 7},                              /* a plain sum */
        {1, 1, 3, 1.2599210498},                   /* the cube root of 2 */
        {4, 9, 0.5, 25},                           /* (2 + 3)^2 */
        {3, 4, 8, 4},                              /* a hard corner from 8 on */
        {3, 4, 12, 4},                             /* */
        {0, 4, 2, 4},                              /* one term alone */
        {4, 0, 0.5, 4},                            /* */
        {0, 0, 2, 0},                              /* nothing */
        {0.01, 1, 2, 1.00005},                     /* sqrt(1.0001) = 1 + 0.00005 - 1.25e-9 */
        {1e-9, 1, 2, 1},                           /* far too small to matter */
        {1e300, 1e300, 2, 1.4142135623730951e300}, /* squares would overflow */
    };

    for (size_t i = 0; i < ARRAY_LEN(ROWS); i++)
        assert_near(smooth_max(ROWS[i].a, ROWS[i].b, ROWS[i].q), ROWS[i].want, 1e-8);
}

/* The corner is never under either roof and never over their sum. */
static void corner_is_bounded(void **state)
{
    (void)state;
    for (int i = -20; i < 20; i++)
        for (int j = -20; j < 20; j++)
            for (int k = 0; k < 17; k++) {
                double a = pow(2, i), b = pow(2.1, j), q = 1 + 0.7 * k;
                double sum = smooth_max(a, b, q);
                assert_true(sum >= fmax(a, b));
                assert_true(sum <= (a + b) * (1 + 1e-12));
            }
}

/* Trap: GB/s is 1e9 and not 2^30, TFLOP/s 1e12 and not 2^40. 3,350 GB in a second. */
static void units_are_decimal(void **state)
{
    (void)state;
    double bw = 3350 * BYTES_PER_US_PER_GBPS, peak = 989.5 * FLOPS_PER_US_PER_TFLOPS;
    struct roof roof = roof_assumed(bw, peak);
    assert_near(roof_eval(&roof, 3350e9, 3350e9, 0).floor_us, US_PER_S, 1e-12);
    assert_near(roof_eval(&roof, 0, 0, 989.5e12).floor_us, US_PER_S, 1e-12);
    assert_near(roof_eval(&roof, 16.0605e9, 16.0605e9, 0).floor_us, 4794.2, 1e-5);
}

/* Without a fit: floor/0.7, the larger roof alone. */
static void assumed(void **state)
{
    (void)state;
    struct roof roof = roof_assumed(1000, 4000);
    struct roof_time time = roof_eval(&roof, 2000, 2000, 4000);
    assert_near(time.floor_us, 2, 0);
    assert_near(time.memory_us, 2 / 0.7, 1e-12);
    assert_near(time.compute_us, 1 / 0.7, 1e-12);
    assert_near(time.time_us, 2 / 0.7, 1e-12);
    assert_null(roof.fit);
    assert_int_equal(roof.match, FIT_NONE);
    /* More bytes than must move lengthen the time and not the floor. */
    time = roof_eval(&roof, 2000, 3000, 4000);
    assert_near(time.floor_us, 2, 0);
    assert_near(time.time_us, 3 / 0.7, 1e-12);
    /* A part that states no peak, or no bandwidth, has no such roof. */
    roof = roof_assumed(0, 4000);
    assert_near(roof_eval(&roof, 1e9, 1e9, 4000).floor_us, 1, 0);
    roof = roof_assumed(1000, 0);
    assert_near(roof_eval(&roof, 2000, 2000, 1e12).time_us, 2 / 0.7, 1e-12);
}

/* e_m 0.8 and e_c 0.5 at q = 2: sqrt((2/0.8)^2 + (1/0.5)^2) = sqrt(6.25 + 4) = 3.2016. */
static void fitted(void **state)
{
    (void)state;
    struct op_fit fit = {.e_m = 0.8, .e_c = 0.5, .q = 2, .t0_us = 3};
    struct roof roof = roof_from_fit(1000, 4000, &fit, FIT_EXACT);
    struct roof_time time = roof_eval(&roof, 2000, 2000, 4000);
    assert_near(time.floor_us, 2, 0);
    assert_near(time.memory_us, 2.5, 1e-12);
    assert_near(time.compute_us, 2, 1e-12);
    assert_near(time.time_us, 3.20156, 1e-6);
    assert_near(roof.t0_us, 3, 0);
    assert_ptr_equal(roof.fit, &fit);
    /* No record is no fit, whatever is handed in. */
    assert_null(roof_from_fit(1000, 4000, &fit, FIT_NONE).fit);
    assert_null(roof_from_fit(1000, 4000, NULL, FIT_EXACT).fit);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(corner),  cmocka_unit_test(corner_is_bounded),
        cmocka_unit_test(assumed), cmocka_unit_test(units_are_decimal),
        cmocka_unit_test(fitted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
