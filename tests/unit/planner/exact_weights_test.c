/* Bytes per weight of the model's own file in place of its format's. */
#include "exact_weights.h"

#include "check.h"
#include "parallel.h"
#include "sample_rig.h"

/* An AWQ file whose attention stayed in 16 bits: 2 bytes per weight there, 4.15625 bits elsewhere,
 * whatever the format's own record says. */
static const struct exact_weights FILE_AWQ = {
    .format = "awq",
    .source = EXACT_RECIPE,
    .bytes = {[ROLE_ATTENTION] = 2, [ROLE_DENSE_FFN] = 0.51953125, [ROLE_LM_HEAD] = 2},
};

static void the_file_speaks_for_its_own_format(void **state)
{
    const struct rig *rig = *state;
    struct problem problem = rig_llama(rig);
    struct model model = *problem.model;
    model.exact = &FILE_AWQ;
    problem.dep.weights = &rig->sample->weights[SAMPLE_AWQ];
    assert_ptr_equal(exact_weights_of(&model, &problem.dep), &FILE_AWQ);
    assert_near(role_bytes(&model, &problem.dep, ROLE_ATTENTION), 2, 0);
    assert_near(role_bytes(&model, &problem.dep, ROLE_DENSE_FFN), 0.51953125, 0);
    problem.dep.weights = &rig->sample->weights[SAMPLE_FP8];
    assert_null(exact_weights_of(&model, &problem.dep));
    assert_near(role_bytes(&model, &problem.dep, ROLE_ATTENTION), 1, 0);
    problem.dep.weights = NULL;
    assert_null(exact_weights_of(&model, &problem.dep));
    model.exact = NULL;
    problem.dep.weights = &rig->sample->weights[SAMPLE_AWQ];
    assert_null(exact_weights_of(&model, &problem.dep));
}

/* Narrow projections are taken for 16-bit under a format; a file says what they are. */
static void narrow_projections_are_as_the_file_has_them(void **state)
{
    const struct rig *rig = *state;
    struct problem problem = rig_llama(rig);
    struct model model = *problem.model;
    static const struct exact_weights quantised = {.format = "awq",
                                                   .bytes = {[ROLE_ATTENTION] = 0.625}};
    const struct linear narrow = {.k = 4096, .n = 64, .role = ROLE_ATTENTION};
    problem.dep.weights = &rig->sample->weights[SAMPLE_AWQ];
    assert_near(linear_bytes(&model, &problem.dep, &narrow), 2, 0);
    model.exact = &quantised;
    assert_near(linear_bytes(&model, &problem.dep, &narrow), 0.625, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_file_speaks_for_its_own_format),
        cmocka_unit_test(narrow_projections_are_as_the_file_has_them),
    };
    return cmocka_run_group_tests(tests, rig_setup, rig_teardown);
}
