/* Constants of the memory rules: names, and which record holds for a version and a part. */
#include "memory_rules.h"

#include "check.h"
#include "sample_rig.h"

static void names(void **state)
{
    (void)state;
    for (int i = 0; i < MEMORY_CONSTANT_COUNT; i++) {
        const char *name = memory_constant_name((enum memory_constant_id)i);
        assert_int_equal(memory_constant_parse(name), i);
        assert_true(strlen(memory_constant_unit((enum memory_constant_id)i)) > 0);
    }
    assert_int_equal(memory_constant_parse("no such constant"), MEMORY_CONSTANT_COUNT);
    assert_null(memory_constant_name(MEMORY_CONSTANT_COUNT));
    assert_null(memory_constant_unit(MEMORY_CONSTANT_COUNT));
}

/* Trap: the first record that holds stands, in the order they are written; without one a constant
 * is 0 and rests on nothing. */
static void first_that_holds(void **state)
{
    struct rig *rig = *state;
    struct problem problem = rig_llama(rig);
    struct hardware part = *problem.hw;
    part.arch = "hopper";
    struct memory_constant rows[6];
    for (int i = 0; i < 6; i++)
        rows[i] = sample_constant(RULE_RESERVE, i + 1);
    rows[0].version_max[1] = 10; /* to 0.10.0 */
    rows[1].arch = "blackwell";
    rows[2].class = HW_CONSUMER;
    rows[3].fabric = 0;
    rows[4].pp_min = 2;
    rows[5].version_min[1] = 11;
    for (int i = 0; i < 6; i++)
        sample_memory_add(rig->sample, rows[i]);

    static const struct {
        int minor;
        const char *arch;
        enum hardware_class class;
        bool fabric;
        double pp, value;
    } ROWS[] = {
        {10, "hopper", HW_DATACENTER, true, 1, 1},  {24, "blackwell", HW_DATACENTER, true, 1, 2},
        {24, NULL, HW_CONSUMER, true, 1, 3},        {24, "hopper", HW_DATACENTER, false, 1, 4},
        {24, "hopper", HW_DATACENTER, true, 2, 5},  {24, "hopper", HW_DATACENTER, true, 1, 6},
        {9, "blackwell", HW_CONSUMER, false, 2, 1},
    };

    for (size_t i = 0; i < ARRAY_LEN(ROWS); i++) {
        problem.dep.version[1] = ROWS[i].minor;
        problem.dep.pp = ROWS[i].pp;
        part.arch = ROWS[i].arch;
        part.class = ROWS[i].class;
        part.link_is_fabric = ROWS[i].fabric;
        const struct memory_constant *found =
            memory_constant(rig->sample->lib.memory_constants, RULE_RESERVE, &problem.dep, &part);
        assert_near(found->value, ROWS[i].value, 0);
    }
    problem.dep.engine = &rig->engines[RIG_TGI];
    const struct memory_constant *none =
        memory_constant(rig->sample->lib.memory_constants, RULE_RESERVE, &problem.dep, &part);
    assert_true(none->id == NULL && none->basis == BASIS_NO_RECORD && none->value == 0);
    assert_null(memory_constant(NULL, RULE_RESERVE, &problem.dep, &part)->id);
}

/* Records lie by engine and constant, whatever order they come in. */
static void order(void **state)
{
    (void)state;
    struct memory_constant a = sample_constant(RULE_NON_TORCH, 1);
    struct memory_constant b = sample_constant(RULE_GRAPH_EACH, 1);
    assert_true(memory_constant_order(&a, &b) < 0 && memory_constant_order(&b, &a) > 0);
    b.engine = MEMORY_TGI;
    b.constant = RULE_FORWARD_FFN_COPIES;
    int by_engine = MEMORY_TGI > MEMORY_VLLM ? -1 : 1;
    assert_true(memory_constant_order(&a, &b) * by_engine > 0);
    assert_true(memory_constant_order(&b, &a) * by_engine < 0);
    b = a;
    b.position = 1;
    assert_true(memory_constant_order(&a, &b) < 0 && memory_constant_order(&b, &a) > 0);
    assert_int_equal(memory_constant_order(&a, &a), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names),
        cmocka_unit_test_setup_teardown(first_that_holds, rig_setup, rig_teardown),
        cmocka_unit_test(order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
