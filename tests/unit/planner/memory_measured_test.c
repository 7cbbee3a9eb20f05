/* What an engine's log printed: what it leaves open, and which changes it does not outlive. */
#include "memory_measured.h"

#include "check.h"
#include "memory.h"
#include "sample_rig.h"

#define GIB BYTES_PER_GIB

static struct memory_plan memory_of(struct problem problem)
{
    struct memory_plan memory;
    memory_compute(&problem, 1, &memory);
    return memory;
}

/* The 8B on H100: 14.99 GiB of weights, a pool of 54.5 GiB and no line of the peak. */
static struct problem logged(const struct rig *rig)
{
    struct problem problem = rig_llama(rig);
    problem.dep.measured = (struct measured_memory){
        .total_bytes = NAN,
        .weights_bytes = 14.99 * GIB,
        .activation_bytes = NAN,
        .non_torch_bytes = NAN,
        .graph_bytes = NAN,
        .kv_bytes = 54.5 * GIB,
        .kv_tokens = 446464,
    };
    memory_measured_settle(&problem.dep);
    return problem;
}

static double charged(const struct memory_plan *memory)
{
    double sum = memory->kv_bytes;
    for (int i = 0; i < MEMORY_TERM_COUNT; i++)
        sum += memory->terms[i].in_budget ? memory->terms[i].bytes : 0;
    return sum;
}

/* What is charged to the budget and the pool are the budget: the peak is what the log's weights,
 * its pool and the context leave of 0.9 of the device. */
static void the_peak_is_the_rest(void **state)
{
    struct problem problem = logged(*state);
    struct memory_plan memory = memory_of(problem);
    double rest = memory.usable_bytes - (14.99 + 54.5) * GIB - memory.terms[TERM_NON_TORCH].bytes;
    assert_true(rest > 0);
    assert_near(memory.terms[TERM_ACTIVATION].bytes, rest, 1e-9);
    assert_int_equal(memory.terms[TERM_ACTIVATION].basis, BASIS_DERIVED);
    assert_near(charged(&memory), memory.usable_bytes, 1e-9);
    assert_near(memory.kv_token_capacity, 446464, 0);
    /* More of the device is a larger pool: the peak is what it was. */
    problem.dep.memory_utilization = 0.95;
    memory = memory_of(problem);
    assert_near(memory.terms[TERM_ACTIVATION].bytes, rest, 1e-9);
    assert_near(memory.kv_bytes, 54.5 * GIB + 0.05 * memory.total_bytes, 1e-9);
    /* A log that leaves nothing leaves no peak. */
    problem = logged(*state);
    problem.dep.measured.kv_bytes = 60 * GIB;
    assert_near(memory_of(problem).terms[TERM_ACTIVATION].bytes, 0, 0);
    /* A peak that was printed stands. */
    problem.dep.measured.activation_bytes = 1.5 * GIB;
    assert_near(memory_of(problem).terms[TERM_ACTIVATION].bytes, 1.5 * GIB, 1e-12);
    assert_int_equal(memory_of(problem).terms[TERM_ACTIVATION].basis, BASIS_MEASURED);
}

/* Weights of another layout or format are computed; those of the same pool with a shorter longest
 * request are the log's. */
static void changes_outlive_no_measurement(void **state)
{
    struct rig *rig = *state;
    struct problem problem = logged(rig);
    struct problem plain = rig_llama(rig);
    problem.dep.tp = plain.dep.tp = 2;
    struct memory_plan memory = memory_of(problem), computed = memory_of(plain);
    assert_near(memory.weights_bytes, computed.weights_bytes, 1e-12);
    assert_near(memory.activation_bytes, computed.activation_bytes, 1e-12);
    assert_near(memory.kv_bytes, computed.kv_bytes, 1e-12);
    assert_near(memory.kv_token_capacity, computed.kv_token_capacity, 1e-12);

    problem = logged(rig);
    plain = rig_llama(rig);
    problem.dep.weights = plain.dep.weights = &rig->sample->weights[SAMPLE_FP8];
    assert_near(memory_of(problem).weights_bytes, memory_of(plain).weights_bytes, 1e-12);

    problem = logged(rig);
    plain = rig_llama(rig);
    problem.dep.chunked_prefill_tokens = plain.dep.chunked_prefill_tokens = 512;
    memory = memory_of(problem);
    assert_near(memory.weights_bytes, 14.99 * GIB, 1e-12);
    assert_near(memory.activation_bytes, memory_of(plain).activation_bytes, 1e-12);

    problem = logged(rig);
    problem.dep.max_model_len = 8192;
    memory = memory_of(problem);
    assert_near(memory.kv_bytes, 54.5 * GIB, 1e-9);
    assert_near(memory.weights_bytes, 14.99 * GIB, 1e-12);
}

/* Graphs and contexts go with what they are of. */
static void each_figure_has_its_own(void **state)
{
    struct problem problem = logged(*state);
    struct deployment *dep = &problem.dep;
    dep->measured.non_torch_bytes = dep->measured.graph_bytes = dep->measured.activation_bytes = 1;
    assert_near(memory_measured(dep).graph_bytes, 1, 0);
    dep->cuda_graphs = !dep->cuda_graphs;
    assert_true(isnan(memory_measured(dep).graph_bytes));
    assert_near(memory_measured(dep).non_torch_bytes, 1, 0);
    assert_near(memory_measured(dep).activation_bytes, 1, 0);
    assert_true(isnan(memory_measured(dep).kv_bytes));
    dep->pp = 2;
    assert_true(isnan(memory_measured(dep).non_torch_bytes));
    assert_true(isnan(memory_measured_activation(dep, 1, 0)));
    /* Nobody noted what it is of: it stands. */
    dep->measured.of = (struct measured_of){0};
    assert_near(memory_measured(dep).non_torch_bytes, 1, 0);
}

int main(void)
{
#define TEST(FUNCTION) cmocka_unit_test_setup_teardown(FUNCTION, rig_setup, rig_teardown)
    const struct CMUnitTest tests[] = {
        TEST(the_peak_is_the_rest),
        TEST(changes_outlive_no_measurement),
        TEST(each_figure_has_its_own),
    };
#undef TEST
    return cmocka_run_group_tests(tests, NULL, NULL);
}
