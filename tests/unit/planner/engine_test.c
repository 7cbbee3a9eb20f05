/* Versions as people write them, and the defaults they lead to. */
#include "engine.h"

#include "check.h"
#include "compiler.h"
#include "units.h"

static const struct version_row {
    const char *text;
    bool is_version;
    int version[3];
} VERSIONS[] = {
    {"0.19.1", true, {0, 19, 1}},
    {"v1.3.0rc20", true, {1, 3, 0}},
    {"b6123", true, {6123, 0, 0}},
    {"0.5.6.post2", true, {0, 5, 6}},
    {"0.7", true, {0, 7, 0}},
    {"1.2 (2026)", true, {1, 2, 0}},
    {"99999999999999999999", true, {999999999, 0, 0}}, /* clipped, not overflown */
    {"main", false, {0, 0, 0}},
    {"", false, {0, 0, 0}},
};

static void versions_are_read(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(VERSIONS); i++) {
        int version[3] = {-1, -1, -1};
        assert_int_equal(engine_version_parse(VERSIONS[i].text, version), VERSIONS[i].is_version);
        if (VERSIONS[i].is_version) {
            assert_memory_equal(version, VERSIONS[i].version, sizeof(version));
        }
    }
}

static void versions_are_compared(void **state)
{
    (void)state;
    const int a[3] = {0, 9, 1};
    const int b[3] = {0, 10, 0};
    assert_int_equal(engine_version_compare(a, b), -1);
    assert_int_equal(engine_version_compare(b, a), 1);
    assert_int_equal(engine_version_compare(a, a), 0);
}

/* vLLM's rule: 8,192 tokens and 1,024 sequences on parts of 70 GiB and more that are no A100. */
static const struct engine VLLM = {
    .defaults = {{.version_min = {0, 8, 0},
                  .version_max = {0, 19, 99},
                  .min_memory_bytes = 70 * BYTES_PER_GIB,
                  .excluded_arch = "ampere",
                  .chunked_prefill_tokens = 8192},
                 {.version_min = {0, 8, 0}, .chunked_prefill_tokens = 2048},
                 {.chunked_prefill_tokens = 0}},
    .n_defaults = 3,
};

static const struct default_row {
    int version[3];
    double memory_gib;
    const char *arch;
    double chunk;
} DEFAULTS[] = {
    {{0, 19, 0}, 79.19, "hopper", 8192}, {{0, 19, 0}, 79.15, "ampere", 2048},
    {{0, 19, 0}, 44.4, "ada", 2048},     {{0, 20, 0}, 79.19, "hopper", 2048},
    {{0, 6, 3}, 79.19, "hopper", 0},
};

static void the_first_row_that_matches_holds(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(DEFAULTS); i++) {
        const struct hardware part = {.memory_bytes = DEFAULTS[i].memory_gib * BYTES_PER_GIB,
                                      .arch = DEFAULTS[i].arch};
        const struct engine_defaults *row = engine_defaults_on(&VLLM, DEFAULTS[i].version, &part);
        assert_near(row->chunked_prefill_tokens, DEFAULTS[i].chunk, 0);
    }
    const int version[3] = {0, 19, 0};
    assert_near(engine_defaults_for(&VLLM, version, 79.15 * BYTES_PER_GIB)->chunked_prefill_tokens,
                8192, 0);
}

static void names_are_read_back(void **state)
{
    (void)state;
    for (int i = 0; i < HOST_COST_COUNT; i++) {
        assert_int_equal(host_cost_parse(host_cost_name((enum host_cost)i)), i);
    }
    for (int i = 0; i < MEMORY_RULE_COUNT; i++) {
        assert_int_equal(memory_rule_parse(memory_rule_name((enum memory_rule)i)), i);
    }
    assert_int_equal(host_cost_parse("nothing"), HOST_COST_COUNT);
    assert_int_equal(memory_rule_parse(NULL), MEMORY_RULE_COUNT);
    assert_null(host_cost_name(HOST_COST_COUNT));
    assert_null(memory_rule_name(MEMORY_RULE_COUNT));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(versions_are_read),
        cmocka_unit_test(versions_are_compared),
        cmocka_unit_test(the_first_row_that_matches_holds),
        cmocka_unit_test(names_are_read_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
