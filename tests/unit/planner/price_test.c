/* The price that stands for a part: rows that count, their median, range and dates. */
#include "price.h"

#include <math.h>
#include <stddef.h>

#include "check.h"

static struct price row(const char *id, double usd, enum price_kind kind, bool weak,
                        const char *date)
{
    return (struct price){.id = id,
                          .date = date,
                          .kind = kind,
                          .weak = weak,
                          .usd_per_device_hour = usd,
                          .low = usd,
                          .high = usd};
}

/* Of five on-demand prices 2, 3, 4, 6, 10 the middle one is 4; a marketplace's 1, a spot price and
 * a weak row do not count. */
static void list_prices_go_before_offers(void **state)
{
    struct price rows[] = {
        row("market", 1, PRICE_MARKETPLACE, false, "2026-10-03"),
        row("a", 2, PRICE_ON_DEMAND, false, "2026-09-20"),
        row("b", 3, PRICE_ON_DEMAND, false, NULL),
        row("spot", 3.5, PRICE_SPOT, false, "2026-11-11"),
        row("c", 4, PRICE_ON_DEMAND, false, "2026-11-09"),
        row("weak", 5, PRICE_ON_DEMAND, true, "2025-01-01"),
        row("d", 6, PRICE_ON_DEMAND, false, "2026-02-09"),
        row("e", 10, PRICE_ON_DEMAND, false, "2026-09-01"),
    };
    struct part_price price;
    (void)state;
    rows[7].high = 12;
    price_settle(rows, 8, &price);
    assert_int_equal(price.basis, PRICE_LISTED);
    assert_int_equal(price.rows, 5);
    assert_true(price.usd_per_device_hour == 4.0);
    assert_true(price.low == 2.0 && price.high == 12.0);
    assert_string_equal(price.oldest, "2026-02-09");
    assert_string_equal(price.newest, "2026-11-09");
    assert_false(price_counts(&price, &rows[0]));
    assert_true(price_counts(&price, &rows[1]));
    assert_false(price_counts(&price, &rows[3]));
    assert_false(price_counts(&price, &rows[5]));
    assert_int_equal(price.n, 8);
}

/* Of an even number it is the mean of the middle two: (2 + 5) / 2. */
static void an_even_number_has_the_mean_of_the_middle(void **state)
{
    const struct price rows[] = {
        row("a", 1, PRICE_ON_DEMAND, false, NULL), row("b", 2, PRICE_ON_DEMAND, false, NULL),
        row("c", 5, PRICE_ON_DEMAND, false, NULL), row("d", 9, PRICE_ON_DEMAND, false, NULL)};
    struct part_price price;
    (void)state;
    price_settle(rows, 4, &price);
    assert_true(price.usd_per_device_hour == 3.5);
    assert_null(price.newest);
}

static void offers_stand_in_where_there_is_nothing_else(void **state)
{
    const struct price rows[] = {row("market", 0.17, PRICE_MARKETPLACE, false, "2026-09-20"),
                                 row("weak", 1.35, PRICE_ON_DEMAND, true, NULL)};
    struct part_price price;
    (void)state;
    price_settle(rows, 2, &price);
    assert_int_equal(price.basis, PRICE_WEAK);
    assert_int_equal(price.rows, 2);
    assert_true(fabs(price.usd_per_device_hour - 0.76) < 1e-12);
    price_settle(NULL, 0, &price);
    assert_int_equal(price.basis, PRICE_NONE);
    assert_true(isnan(price.usd_per_device_hour) && isnan(price.low) && isnan(price.high));
    assert_int_equal(price.rows, 0);
}

static void kinds_and_bases_have_names(void **state)
{
    (void)state;
    for (int i = 0; i < PRICE_KIND_COUNT; i++)
        assert_int_equal(price_kind_parse(price_kind_name((enum price_kind)i)), i);
    assert_int_equal(price_kind_parse("lease"), PRICE_KIND_COUNT);
    assert_string_equal(price_basis_name(PRICE_NONE), "no record");
    assert_string_equal(price_basis_name(PRICE_GIVEN), "given");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(list_prices_go_before_offers),
        cmocka_unit_test(an_even_number_has_the_mean_of_the_middle),
        cmocka_unit_test(offers_stand_in_where_there_is_nothing_else),
        cmocka_unit_test(kinds_and_bases_have_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
