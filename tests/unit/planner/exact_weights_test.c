/* Bytes per weight of the model's own file in place of its format's. */
#include "exact_weights.h"

#include "check.h"
#include "memory.h"
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

static struct memory_plan memory_of(const struct problem *problem)
{
    struct memory_plan memory;
    memory_compute(problem, 1, &memory);
    return memory;
}

/* A file of a quantised format: by its recipe the bytes are uncertain (3 % below, 6 % above), by
 * its tensors they are known. */
static void a_file_narrows_the_range(void **state)
{
    const struct rig *rig = *state;
    struct problem problem = rig_llama(rig);
    struct model model = *problem.model;
    struct exact_weights file = {.format = "awq", .source = EXACT_RECIPE};
    problem.model = &model;
    problem.dep.weights = &rig->sample->weights[SAMPLE_AWQ];
    for (int role = 0; role < ROLE_COUNT; role++)
        file.bytes[role] = 0.5;
    model.exact = &file;
    struct memory_plan memory = memory_of(&problem);
    const struct memory_term *term = &memory.terms[TERM_WEIGHTS];
    /* Llama-3.1-8B: 8,030,261,248 parameters of half a byte */
    assert_near(term->bytes, 4015130624.0, 1e-12);
    assert_near(term->low, 0.97 * 4015130624.0, 1e-12);
    file.source = EXACT_TENSORS;
    memory = memory_of(&problem);
    assert_near(term->low, 0.997 * 4015130624.0, 1e-12);
    assert_near(term->high, 1.003 * 4015130624.0, 1e-12);
}

/* Qwen3-0.6B's embedding is tied: 151,936 x 1,024 x 2 B = 311,164,928 B. Engines that trtllm-build
 * made hold it twice, and their rotary table of 40,960 x 128 has 4 bytes an element. */
static void early_engines_tie_nothing(void **state)
{
    const struct rig *rig = *state;
    struct problem problem = sample_problem(rig->sample, SAMPLE_QWEN3_06B, SAMPLE_H100);
    struct engine engine = *problem.dep.engine;
    double shared = memory_of(&problem).terms[TERM_WEIGHTS].bytes;
    double rope = memory_of(&problem).terms[TERM_ROPE].bytes;
    engine.memory_rule = MEMORY_TRTLLM;
    problem.dep.engine = &engine;
    problem.dep.version[0] = 0;
    assert_near(memory_of(&problem).terms[TERM_WEIGHTS].bytes - shared, 311164928.0, 1e-9);
    assert_near(memory_of(&problem).terms[TERM_ROPE].bytes, 2 * rope, 1e-12);
    problem.dep.version[0] = 1;
    assert_near(memory_of(&problem).terms[TERM_WEIGHTS].bytes, shared, 1e-12);
}

/* Qwen3-Next rotates a quarter of its 256: 64 wide; DeepSeek-V3 the 64 beside its latent. */
static void tables_are_as_wide_as_what_rotates(void **state)
{
    const struct rig *rig = *state;
    struct problem problem = rig_llama(rig);
    struct model model = *problem.model;
    struct layer_group group = model.groups[0];
    model.groups = &group;
    problem.model = &model;
    group.mixers[0].k_dim = 256;
    group.mixers[0].output_gate = true;
    assert_near(memory_of(&problem).terms[TERM_ROPE].bytes, model.max_positions * 64 * 2, 1e-12);
    problem = sample_problem(rig->sample, SAMPLE_DEEPSEEK_V3, SAMPLE_H200);
    assert_near(memory_of(&problem).terms[TERM_ROPE].bytes, problem.model->max_positions * 64 * 2,
                1e-12);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_file_speaks_for_its_own_format),
        cmocka_unit_test(narrow_projections_are_as_the_file_has_them),
        cmocka_unit_test(a_file_narrows_the_range),
        cmocka_unit_test(early_engines_tie_nothing),
        cmocka_unit_test(tables_are_as_wide_as_what_rotates),
    };
    return cmocka_run_group_tests(tests, rig_setup, rig_teardown);
}
