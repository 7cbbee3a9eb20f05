/* Unions, gaps and windows of spans; every figure is added up by hand beside it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "compiler.h"
#include "spans.h"

static struct span span(int64_t start, uint32_t duration, unsigned kind)
{
    return (struct span){start, duration, 5u << SPAN_KIND_BITS | kind};
}

static void overlaps_count_once(void **state)
{
    struct span spans[] = {span(20, 5, SPAN_DEVICE), span(0, 10, SPAN_DEVICE),
                           span(2, 3, SPAN_DEVICE), span(5, 10, SPAN_DEVICE),
                           span(12, 20, SPAN_HOST_SYNC)};
    const struct window all = {0, 100}, inner = {3, 22};

    (void)state;
    spans_sort(spans, ARRAY_LEN(spans));
    assert_int_equal(spans[0].start_ns, 0);
    assert_int_equal(spans[4].start_ns, 20);
    assert_int_equal(span_name(&spans[0]), 5);
    /* 0..15 and 20..25 */
    assert_int_equal(spans_union_ns(spans, ARRAY_LEN(spans), SPAN_DEVICE, &all), 20);
    /* 3..15 and 20..22 */
    assert_int_equal(spans_union_ns(spans, ARRAY_LEN(spans), SPAN_DEVICE, &inner), 14);
    /* 0..32 */
    assert_int_equal(spans_union_ns(spans, ARRAY_LEN(spans), SPAN_DEVICE | SPAN_HOST_SYNC, &all),
                     32);
}

static void long_gaps_are_those_of_the_length(void **state)
{
    struct span spans[] = {span(10, 10, SPAN_DEVICE), span(23, 2, SPAN_DEVICE),
                           span(40, 10, SPAN_DEVICE)};
    const struct window window = {0, 60};

    (void)state;
    /* 0..10, 25..40 and 50..60; 20..23 is short */
    assert_int_equal(spans_long_gaps_ns(spans, 3, SPAN_DEVICE, &window, 10), 35);
    assert_int_equal(spans_long_gaps_ns(spans, 3, SPAN_DEVICE, &window, 11), 15);
}

static void strays_beyond_the_largest_gap_are_cut(void **state)
{
    struct span spans[] = {span(0, 4, SPAN_DEVICE), span(500000, 500, SPAN_DEVICE),
                           span(500600, 500, SPAN_DEVICE), span(990000, 3, SPAN_DEVICE)};
    struct window window;

    (void)state;
    assert_true(spans_extent(spans, 4, SPAN_DEVICE, &window));
    assert_int_equal(window.to_ns, 990003);
    assert_int_equal(spans_cut_strays(spans, 4, SPAN_DEVICE, &window), 2);
    assert_int_equal(window.from_ns, 500000);
    assert_int_equal(window.to_ns, 501100);
}

static void a_gap_between_two_halves_stays(void **state)
{
    struct span spans[] = {span(0, 400, SPAN_DEVICE), span(1000, 400, SPAN_DEVICE)};
    struct window window;
    struct gap gap;

    (void)state;
    assert_true(spans_extent(spans, 2, SPAN_DEVICE, &window));
    assert_int_equal(spans_cut_strays(spans, 2, SPAN_DEVICE, &window), 0);
    assert_true(spans_largest_gap(spans, 2, SPAN_DEVICE, &window, &gap));
    assert_int_equal(gap.length_ns, 600);
    assert_int_equal(gap.busy_before_ns, 400);
    assert_int_equal(gap.busy_after_ns, 400);
    assert_int_equal(spans_cut_strays(spans, 1, SPAN_DEVICE, &window), 0);
    assert_false(spans_extent(spans, 2, SPAN_HOST_COPY, &window));
}

static void spans_outside_of_windows_are_set_aside(void **state)
{
    struct span spans[] = {span(0, 5, SPAN_DEVICE), span(10, 5, SPAN_DEVICE),
                           span(12, 2, SPAN_HOST_SYNC), span(25, 5, SPAN_DEVICE),
                           span(40, 5, SPAN_DEVICE)};
    const struct window windows[] = {{10, 20}, {40, 50}}, all = {0, 100};

    (void)state;
    spans_set_aside(spans, ARRAY_LEN(spans), windows, 2);
    assert_int_equal(spans_union_ns(spans, ARRAY_LEN(spans), SPAN_DEVICE, &all), 10);
    assert_int_equal(spans_union_ns(spans, ARRAY_LEN(spans), SPAN_ASIDE, &all), 10);
    assert_int_equal(span_kind(&spans[2]), SPAN_HOST_SYNC);
    assert_int_equal(span_name(&spans[0]), 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(overlaps_count_once),
        cmocka_unit_test(long_gaps_are_those_of_the_length),
        cmocka_unit_test(strays_beyond_the_largest_gap_are_cut),
        cmocka_unit_test(a_gap_between_two_halves_stays),
        cmocka_unit_test(spans_outside_of_windows_are_set_aside),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
