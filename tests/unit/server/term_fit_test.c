/* The regularised fit: closed forms, recovery of what made the data, what no row asks for. */
#include "term_fit.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "../figures.h"

/*
 * One parameter p, one row y = log t: minimise (y - p)^2/sigma^2 + p^2/s^2 (residuals far below the
 * bend), so p = y s^2/(s^2 + sigma^2): 0.1 x 0.04/(0.04 + 0.01) = 0.08.
 */
static void a_prior_draws_by_its_share(void **state)
{
    struct term_fit fit = {.bend = 1e3, .sigma = 0.1};
    double value;

    (void)state;
    int p = term_fit_parameter(&fit, 0.0, 0.2);
    assert_int_equal(term_fit_row(&fit, log(50.0) + 0.1, 1.0, 0.0), 0);
    term_fit_term(&fit, 50.0);
    term_fit_use(&fit, p, 1);
    assert_true(term_fit_solve(&fit, NULL, &value));
    assert_near(value, 0.08, 1e-6);
    assert_near(term_fit_predict(&fit, 0, &value), 50.0 * exp(0.08), 1e-6);
    /* Without its row the parameter stays at the prior. */
    bool none = false;
    assert_true(term_fit_solve(&fit, &none, &value));
    assert_near(value, 0.0, 1e-12);
    term_fit_free(&fit);
}

/* t = x e^-a + y e^b with a = 0.3, b = -0.5 over shapes that tell the two apart. */
static void terms_are_told_apart(void **state)
{
    static const double SHAPES[][2] = {{1, 10}, {100, 1}, {30, 30}, {5, 80}, {60, 7}};
    struct term_fit fit = {.bend = 0.25, .sigma = 0.01};
    double values[2];

    (void)state;
    int a = term_fit_parameter(&fit, 0.0, 10.0), b = term_fit_parameter(&fit, 0.0, 10.0);
    for (int i = 0; i < 5; i++) {
        double time = SHAPES[i][0] * exp(-0.3) + SHAPES[i][1] * exp(-0.5);
        term_fit_row(&fit, log(time), 1.0, 0.0);
        term_fit_term(&fit, SHAPES[i][0]);
        term_fit_use(&fit, a, -1);
        term_fit_term(&fit, SHAPES[i][1]);
        term_fit_use(&fit, b, 1);
    }
    assert_true(term_fit_solve(&fit, NULL, values));
    assert_near(values[a], 0.3, 1e-3);
    assert_near(values[b], -0.5, 1e-3);
    /* A row that is ten times off moves little: it counts by its absolute size. */
    term_fit_row(&fit, log(400.0), 1.0, 0.0);
    term_fit_term(&fit, 40.0);
    term_fit_use(&fit, a, -1);
    assert_true(term_fit_solve(&fit, NULL, values));
    double bent = fabs(values[a] - 0.3);
    fit.bend = 1e3; /* plain least squares */
    assert_true(term_fit_solve(&fit, NULL, values));
    assert_true(bent < 0.5 * fabs(values[a] - 0.3));
    term_fit_free(&fit);
}

static void a_prediction_has_a_least(void **state)
{
    struct term_fit fit = {.bend = 0.25, .sigma = 0.1};
    double value = -3.0;

    (void)state;
    int p = term_fit_parameter(&fit, 0.0, 1.0);
    term_fit_row(&fit, 0.0, 1.0, 7.5);
    term_fit_term(&fit, 10.0);
    term_fit_use(&fit, p, 1);
    assert_near(term_fit_predict(&fit, 0, &value), 7.5, 1e-12);
    term_fit_free(&fit);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_prior_draws_by_its_share),
        cmocka_unit_test(terms_are_told_apart),
        cmocka_unit_test(a_prediction_has_a_least),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
