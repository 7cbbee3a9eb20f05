/* How often somebody may: bursts, refill, addresses, and who is forgotten in a full table. */
#include "rate_limit.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "compiler.h"

/* 6 a minute: six at once, then one every ten seconds. */
static void a_minute_s_worth_at_once_then_evenly(void **state)
{
    struct rate_limit *limit = rate_limit_new(6, 60);
    (void)state;
    for (int i = 0; i < 6; i++)
        assert_true(rate_limit_take(limit, "a", 100) == 0);
    assert_true(rate_limit_take(limit, "a", 100) == 10);
    assert_true(rate_limit_take(limit, "b", 100) == 0);
    assert_true(rate_limit_take(limit, "a", 105) == 5);
    assert_true(rate_limit_take(limit, "a", 110) == 0);
    assert_true(rate_limit_take(limit, "a", 110) > 0);
    /* a day later it is a minute's worth again, no more */
    for (int i = 0; i < 6; i++)
        assert_true(rate_limit_take(limit, "a", 86400) == 0);
    assert_true(rate_limit_take(limit, "a", 86400) > 0);
    rate_limit_free(limit);
}

static void no_limit_refuses_nothing(void **state)
{
    struct rate_limit *limit = rate_limit_new(0, 1);
    (void)state;
    for (int i = 0; i < 1000; i++)
        assert_true(rate_limit_take(limit, "a", 0) == 0);
    rate_limit_free(limit);
    rate_limit_free(NULL);
}

/* One a second, then three, then none. */
static void a_limit_changes_while_it_is_used(void **state)
{
    struct rate_limit *limit = rate_limit_new(1, 1);
    (void)state;
    assert_true(rate_limit_take(limit, "a", 10) == 0);
    assert_true(rate_limit_take(limit, "a", 10) == 1);
    rate_limit_set(limit, 3, 1);
    for (int i = 0; i < 3; i++)
        assert_true(rate_limit_take(limit, "a", 12) == 0);
    assert_true(rate_limit_take(limit, "a", 12) > 0);
    rate_limit_set(limit, 0, 1);
    assert_true(rate_limit_take(limit, "a", 12) == 0);
    rate_limit_free(limit);
}

/* Who has used up its share is kept while a flood of others, once each, comes and goes. */
static void a_flood_of_others_frees_nobody(void **state)
{
    struct rate_limit *limit = rate_limit_new(2, 60);
    char key[32];
    (void)state;
    assert_true(rate_limit_take(limit, "worst", 0) == 0);
    assert_true(rate_limit_take(limit, "worst", 0) == 0);
    for (int i = 0; i < 100000; i++) {
        snprintf(key, sizeof(key), "other-%d", i);
        rate_limit_take(limit, key, 0);
    }
    assert_true(rate_limit_take(limit, "worst", 0) > 0);
    rate_limit_free(limit);
}

static const struct {
    const char *peer, *key;
} ADDRESSES[] = {
    {"192.0.2.7", "192.0.2.7"},
    {"2001:db8:1:2:3:4:5:6", "2001:db8:1:2::"},
    {"2001:db8:1:2::ffff", "2001:db8:1:2::"},
    {"2001:db8:1:3::1", "2001:db8:1:3::"},
    {"unix", "unix"},
    {"", ""},
};

static void an_address_is_its_network_of_64_bits(void **state)
{
    char key[ADDRESS_KEY_MAX];
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(ADDRESSES); i++) {
        rate_limit_address(ADDRESSES[i].peer, key);
        assert_string_equal(key, ADDRESSES[i].key);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_minute_s_worth_at_once_then_evenly),
        cmocka_unit_test(no_limit_refuses_nothing),
        cmocka_unit_test(a_limit_changes_while_it_is_used),
        cmocka_unit_test(a_flood_of_others_frees_nobody),
        cmocka_unit_test(an_address_is_its_network_of_64_bits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
