/* The names that the API prints, and the tables that explain them. */
#include <string.h>

#include "check.h"
#include "costs.h"
#include "cure_table.h"

#define X(ID, NAME) NAME,
static const char *const CLASS_WORDS[] = {CLASS_LIST(X)};
#undef X

/* Field names are a contract: these words stand in clients' code. */
static void words(void **state)
{
    (void)state;
    assert_string_equal(pass_name(PASS_DEVICE), "device");
    assert_string_equal(pass_name(PASS_HOST), "host");
    assert_string_equal(pass_name(PASS_LINK), "link");
    assert_string_equal(bound_name(BOUND_HBM), "hbm_bandwidth");
    assert_string_equal(bound_name(BOUND_COMPUTE), "compute");
    assert_string_equal(bound_name(BOUND_INTERCONNECT), "interconnect");
    assert_string_equal(bound_name(BOUND_HOST_LINK), "host_link");
    assert_string_equal(bound_name(BOUND_HOST_PIPELINE), "host_pipeline");
    assert_string_equal(bound_name(BOUND_LAUNCH), "launch_overhead");
    assert_string_equal(basis_name(BASIS_MEASURED), "measured");
    assert_string_equal(basis_name(BASIS_CALIBRATED), "calibrated");
    assert_string_equal(basis_name(BASIS_DERIVED), "derived");
    assert_string_equal(basis_name(BASIS_ASSUMED), "assumed");
    assert_string_equal(basis_name(BASIS_NO_RECORD), "no record");
}

static void regimes(void **state)
{
    (void)state;

    static const struct {
        enum regime_id id;
        const char *name, *letter;
    } ROWS[] = {
        {REGIME_CAPACITY, "capacity", ""},
        {REGIME_HOST_BOUND_BATCH, "host_bound_batch", "a"},
        {REGIME_WEIGHT_BANDWIDTH, "weight_bandwidth", "b"},
        {REGIME_KV_BANDWIDTH, "kv_bandwidth", "c"},
        {REGIME_PREFILL_COMPUTE, "prefill_compute", "c"},
        {REGIME_SMALL_MODEL_HOST, "small_model_host", "d"},
        {REGIME_DECODE_COMPUTE, "decode_compute", ""},
        {REGIME_INTERCONNECT, "interconnect", ""},
    };

    assert_int_equal(ARRAY_LEN(ROWS), REGIME_COUNT);
    for (size_t i = 0; i < ARRAY_LEN(ROWS); i++) {
        assert_string_equal(regime_name(ROWS[i].id), ROWS[i].name);
        assert_string_equal(regime_seed_letter(ROWS[i].id), ROWS[i].letter);
        const struct regime_info *info = regime_info(ROWS[i].id);
        assert_int_equal(info->id, ROWS[i].id);
        assert_true(strlen(info->title) > 0 && strlen(info->meaning) > 0);
        assert_true(strlen(info->largest_part) > 0);
        assert_non_null(info->signs[0]);
        int n = 0;
        while (n < (int)ARRAY_LEN(info->signs) && info->signs[n] != NULL)
            n++;
        assert_true(n < (int)ARRAY_LEN(info->signs));
    }
}

/* Whether a blank-separated list names a cure that exists. */
static bool names_cures(const char *list)
{
    while (*list != '\0') {
        size_t length = strcspn(list, " ");
        bool found = false;
        for (int i = 0; i < N_CURES; i++)
            found |=
                strlen(CURES[i].info.id) == length && strncmp(CURES[i].info.id, list, length) == 0;
        if (!found) {
            print_error("no cure is called %.*s\n", (int)length, list);
            return false;
        }
        list += length + (list[length] == ' ' ? 1 : 0);
    }
    return true;
}

/* Each class stands in its own row, is explained, occurs somewhere, and names cures that exist. */
static void classes(void **state)
{
    (void)state;
    for (int i = 0; i < CLASS_COUNT; i++) {
        const struct class_info *info = class_info((enum class_id)i);
        assert_int_equal(info->id, i);
        assert_string_equal(class_name((enum class_id)i), CLASS_WORDS[i]);
        assert_true(strlen(info->title) > 0 && strlen(info->source) > 0);
        assert_true(strlen(info->bytes_formula) > 0 && strlen(info->flops_formula) > 0);
        assert_true(strlen(info->time_formula) > 0);
        assert_true(names_cures(info->cures));
        assert_true(CLASSES[i].decode != NULL || CLASSES[i].prefill != NULL);
    }
}

static void cures(void **state)
{
    (void)state;
    assert_true(N_CURES <= CURES_MAX);
    for (int i = 0; i < N_CURES; i++) {
        const struct cure_info *info = cure_info(i);
        assert_true(strlen(info->id) > 0 && strlen(info->title) > 0);
        assert_true(strlen(info->why) > 0 && strlen(info->when_not) > 0);
        assert_int_equal(info->pointer[0], '/');
        for (int j = 0; j < i; j++)
            assert_string_not_equal(info->id, cure_info(j)->id);
    }
    assert_null(cure_info(-1));
    assert_null(cure_info(N_CURES));
}

/* A class can lead the regimes that its part names: the sampler's on the host, weights when read or
 * multiplied, the activations' never. */
static void regimes_of_classes(void **state)
{
    static const struct {
        enum regime_id regime;
        enum class_id class;
        bool leads;
    } ROWS[] = {
        {REGIME_HOST_BOUND_BATCH, CLASS_HOST_SAMPLING, true},
        {REGIME_WEIGHT_BANDWIDTH, CLASS_MOE_EXPERT_GEMM, true},
        {REGIME_PREFILL_COMPUTE, CLASS_PREFILL_ATTENTION, true},
        {REGIME_DECODE_COMPUTE, CLASS_PREFILL_ATTENTION, false},
        {REGIME_KV_BANDWIDTH, CLASS_PREFILL_ATTENTION, false},
        {REGIME_KV_BANDWIDTH, CLASS_STATE_UPDATE, true},
        {REGIME_SMALL_MODEL_HOST, CLASS_SCHEDULER, true},
        {REGIME_INTERCONNECT, CLASS_COLLECTIVE, true},
        {REGIME_CAPACITY, CLASS_KV_WRITE, false},
        {REGIME_WEIGHT_BANDWIDTH, CLASS_NORM_ELEMENTWISE, false},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(ROWS); i++)
        assert_true(regime_has_class(ROWS[i].regime, ROWS[i].class) == ROWS[i].leads);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words),   cmocka_unit_test(regimes), cmocka_unit_test(regimes_of_classes),
        cmocka_unit_test(classes), cmocka_unit_test(cures),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
