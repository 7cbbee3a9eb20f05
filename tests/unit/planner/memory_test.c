/* What is left for the KV cache under each engine's rule, and what it holds. */
#include "memory.h"

#include "check.h"
#include "sample_rig.h"

#define GIB BYTES_PER_GIB
/* The H100's 79.19 GiB; Llama-3.1-8B's parameters and its rotary table of 131,072 x 128 x 2 B. */
#define TOTAL (79.19 * GIB)
#define PARAMETERS 16060522496.0
#define TABLE 33554432.0
#define WEIGHTS (PARAMETERS + TABLE)
/* A step of 8,192 tokens with 1,024 sampler rows: 14.85 x 1,024 x 128,256 + 8,192 x 4,096 x 2, more
 * than the forward pass's 8,192 x 2 x (3 x 14,336 + 6.5 x 4,096) = 1,140,850,688. */
#define ACTIVATIONS (14.85 * 1024 * 128256 + 8192 * 8192.0)
#define CONTEXT (0.25 * GIB)

static struct memory_plan memory_of(struct problem problem)
{
    struct memory_plan memory;
    memory_compute(&problem, 1, &memory);
    return memory;
}

/* A fraction of all memory, less weights, activations and context; graphs are captured beside it.
 */
static void a_share_of_all_memory(void **state)
{
    struct rig *rig = *state;
    struct memory_plan memory = memory_of(rig_llama(rig));
    assert_near(memory.total_bytes, TOTAL, 1e-12);
    assert_near(memory.weights_bytes, WEIGHTS, 1e-12);
    assert_near(memory.usable_bytes, 0.9 * TOTAL, 1e-12);
    assert_near(memory.kv_bytes, 0.9 * TOTAL - WEIGHTS - ACTIVATIONS - CONTEXT, 1e-9);
    assert_true(memory.fits);
}

/*
 * vLLM 0.19 prints on an H100 with 0.95 of 79.19 GiB, steps of 8,192 tokens, 1,024 sequences
 * (github.com/llm-d-incubation/llm-d-planner/pull/205): 476,016 KV tokens and 58.11 GiB, 952,032
 * with fp8 KV; weights 7.51 and 3.77 GiB on 2 and 4 ranks, 7.51 and 4.26 GiB on the first of 2 and
 * 4 stages, 8.49 GiB in fp8 with bf16 embeddings; activations 1.89 GiB.
 */
static void printed_by_vllm(void **state)
{
    struct rig *rig = *state;
    struct problem problem = rig_llama(rig);
    problem.dep.memory_utilization = 0.95;
    struct memory_plan memory = memory_of(problem);
    assert_near(memory.kv_bytes / GIB, 58.11, 2e-3);
    assert_near(memory.kv_token_capacity, 476016, 2e-3);
    assert_near(memory.activation_bytes / GIB, 1.89, 0.01);
    assert_near(memory.weights_bytes / GIB, 14.9888, 5e-6);
    problem.dep.kv_cache = &rig->sample->kv[1];
    assert_near(memory_of(problem).kv_token_capacity, 952032, 2e-3);
    problem.dep.max_model_len = 2048; /* no matter for the pool */
    assert_near(memory_of(problem).kv_token_capacity, 952032, 2e-3);
    problem.dep.weights = &rig->sample->weights[SAMPLE_FP8];
    assert_near(memory_of(problem).weights_bytes / GIB, 8.49, 5e-3);

    static const struct {
        double tp, pp, weights_gib;
    } ROWS[] = {{2, 1, 7.51}, {4, 1, 3.77}, {1, 2, 7.51}, {1, 4, 4.26}};

    for (size_t i = 0; i < ARRAY_LEN(ROWS); i++) {
        problem = rig_llama(rig);
        problem.dep.tp = ROWS[i].tp;
        problem.dep.pp = ROWS[i].pp;
        memory = memory_of(problem);
        assert_near(memory.weights_bytes / GIB, ROWS[i].weights_gib, 1e-2);
        if (ROWS[i].tp > 1)
            assert_near(memory.overhead_bytes / GIB, 2.1, 0.02);
    }
}

/* Mixtral's routed rows: 8,192 x 2 of 28,672 + 14,336 elements of 2 B; its sampler 14.85 x 1,024 x
 * 32,000 + 8,192 x 8,192, more than the forward pass without a dense FFN. */
static void expert_workspace(void **state)
{
    struct memory_plan memory = memory_of(rig_problem(*state, SHAPE_MIXTRAL));
    assert_near(memory.activation_bytes, 16384 * 43008.0 * 2 + 14.85 * 1024 * 32000 + 8192 * 8192.0,
                1e-12);
    assert_false(memory.fits); /* 93.4 GB on one H100 */
    assert_near(memory.kv_bytes, 0, 0);
    assert_near(memory.held_sequences, 0, 0);
}

/* Without chunks a step holds the longest prompt, 32,768 tokens at most. */
static void unchunked_step(void **state)
{
    static const double ROWS[][2] = {{20000, 20000}, {131072, 32768}};
    struct problem problem = rig_llama(*state);
    problem.dep.chunked_prefill_tokens = 0;
    for (size_t i = 0; i < ARRAY_LEN(ROWS); i++) {
        problem.dep.max_model_len = ROWS[i][0];
        double forward = ROWS[i][1] * 2 * (3 * 14336 + 6.5 * 4096);
        double sampler = 14.85 * 1024 * 128256 + ROWS[i][1] * 8192;
        assert_near(memory_of(problem).activation_bytes, fmax(forward, sampler), 1e-12);
    }
}

/*
 * Trap: whole blocks, and the engine's reserve. 1,000 + 0.55 x 100 tokens are 66 blocks of 16, so
 * 1,056 x 131,072 B a sequence; half of the output is held at least. max_concurrency counts whole
 * requests: 69 blocks. A block is at least the 16 tokens of the kernels.
 */
static void held_sequences(void **state)
{
    static const struct {
        double reserve, block, tokens;
    } ROWS[] = {
        {0.55, 16, 1056}, {0.55, 1, 1055}, {0, 1, 1050},
        {1, 16, 1104},    {1, 4096, 4096}, {1, 0, 1100},
    };
    struct problem problem = rig_llama(*state);
    problem.load.input_tokens = 1000;
    problem.load.output_tokens = 100;
    for (size_t i = 0; i < ARRAY_LEN(ROWS); i++) {
        problem.dep.reserve_output_share = ROWS[i].reserve;
        problem.dep.block_size = ROWS[i].block;
        struct memory_plan memory = memory_of(problem);
        double kv = 0.9 * TOTAL - WEIGHTS - ACTIVATIONS - CONTEXT;
        double block = fmax(ROWS[i].block, 16);
        double blocks = floor(kv / (131072 * block));
        assert_near(memory.held_sequences, floor(blocks / ceil(ROWS[i].tokens / block)), 0);
        assert_near(memory.max_concurrency, blocks / ceil(1100 / block), 1e-12);
        assert_near(memory.kv_token_capacity, floor(blocks / ceil(131072 / block) * 131072), 0);
    }
}

/* A state instead of a cache: 22,937,600 B a sequence at any length, twice that where a prefix
 * cache keeps the state before the block that is written; and no token capacity. */
static void states_hold(void **state)
{
    static const struct {
        bool prefix_caching;
        double pages;
    } ROWS[] = {{true, 2}, {false, 1}};

    for (size_t i = 0; i < ARRAY_LEN(ROWS); i++) {
        struct problem problem = rig_problem(*state, SHAPE_MAMBA);
        problem.dep.prefix_caching = ROWS[i].prefix_caching;
        struct memory_plan memory = memory_of(problem);
        double pages = floor(memory.kv_bytes / 22937600);
        assert_near(memory.held_sequences, floor(pages / ROWS[i].pages), 0);
        assert_true(isnan(memory.kv_token_capacity));
        assert_near(memory.kv_bytes_per_token, 0, 0);
        assert_near(memory.state_bytes_per_sequence, 22937600, 1e-12);
        problem.load.input_tokens = 1e7;
        assert_near(memory_of(problem).held_sequences, memory.held_sequences, 0);
        assert_near(memory_of(problem).max_concurrency, pages / ROWS[i].pages, 1e-12);
    }
}

/* A model that keeps neither cache nor state of a sequence is held without end: a stack of FFNs. */
static void nothing_to_hold(void **state)
{
    struct rig *rig = *state;
    struct layer_group group = {.count = 4, .n_ffns = 1, .ffns = {rig_dense(14336)}};
    struct model model = rig->models[SHAPE_MISTRAL];
    struct model_fault fault;
    model.groups = &group;
    assert_true(model_derive(&model, &fault));
    struct problem problem = rig_llama(rig);
    problem.model = &model;
    struct memory_plan memory = memory_of(problem);
    assert_true(isinf(memory.held_sequences) && isinf(memory.max_concurrency));
    assert_true(memory.fits);
    assert_true(rig_core(problem).decode.time_us > 0);
}

/* Trap: the latent is on every tensor-parallel rank: more ranks do not hold more tokens by it. A
 * pipeline stage holds its own layers' cache of every sequence. */
static void ranks_hold(void **state)
{
    struct rig *rig = *state;
    struct problem problem = sample_problem(rig->sample, SAMPLE_DEEPSEEK_V3, SAMPLE_H200);
    problem.dep.weights = &rig->sample->weights[SAMPLE_FP8_BLOCK];
    problem.dep.tp = 8;
    assert_near(memory_of(problem).kv_bytes_per_token, 70272, 1e-9);
    problem = rig_llama(rig);
    problem.dep.pp = 4;
    struct memory_plan memory = memory_of(problem);
    assert_near(memory.kv_bytes_per_token, 131072, 1e-9);
    assert_near(memory.kv_token_capacity, floor(memory.kv_bytes / (32768 * 16)) * 16, 0);
}

/* Trap: what does not fit is said, not planned over: 0.2 of the memory is less than the weights; a
 * request longer than the pool does not fit either. */
static void what_does_not_fit(void **state)
{
    struct problem problem = rig_llama(*state);
    problem.dep.memory_utilization = 0.2;
    struct memory_plan memory = memory_of(problem);
    assert_false(memory.fits);
    assert_near(memory.kv_bytes, 0, 0);
    assert_near(memory.kv_token_capacity, 0, 0);
    assert_near(memory.max_concurrency, 0, 0);
    problem.dep.memory_utilization = 0.9;
    problem.load.input_tokens = 444000; /* the pool holds 443,872 */
    assert_false(memory_of(problem).fits);
    problem.load.input_tokens = 443000;
    assert_true(memory_of(problem).fits);
    /* A larger model of the same shape. */
    memory_compute(&problem, 4, &memory);
    assert_near(memory.weights_bytes, 4 * PARAMETERS + TABLE, 1e-12);
    assert_false(memory.fits);
}

/* Every term and kind has a name of its own; an engine has a formula for what it charges. */
static void names(void **state)
{
    struct rig *rig = *state;
    for (int i = 0; i < MEMORY_TERM_COUNT; i++) {
        assert_true(strlen(memory_term_title((enum memory_term_id)i)) > 0);
        for (int j = 0; j < i; j++)
            assert_string_not_equal(memory_term_name((enum memory_term_id)i),
                                    memory_term_name((enum memory_term_id)j));
    }
    for (int i = 0; i < KV_KIND_COUNT; i++)
        assert_true(strlen(kv_kind_name((enum kv_kind)i)) > 0);
    assert_string_equal(memory_verdict_name(MEMORY_MAY_FIT), "unknown");
    const struct engine *const ENGINES[] = {
        &rig->sample->engines[SAMPLE_VLLM], &rig->engines[RIG_SGLANG], &rig->engines[RIG_TRTLLM],
        &rig->engines[RIG_TGI], &rig->sample->engines[SAMPLE_LLAMACPP]};
    for (size_t i = 0; i < ARRAY_LEN(ENGINES); i++) {
        struct problem problem = rig_llama(rig);
        problem.dep.engine = ENGINES[i];
        problem.dep.other_processes_bytes = GIB;
        const struct memory_plan memory = memory_of(problem);
        assert_non_null(memory_pool_formula(&problem.dep));
        assert_near(memory.terms[TERM_OTHERS].bytes, GIB, 0);
        for (int j = 0; j < MEMORY_TERM_COUNT; j++)
            assert_true(memory.terms[j].bytes == 0 ||
                        memory_term_formula(&problem.dep, (enum memory_term_id)j) != NULL);
    }
}

/* The longest context: what the pool holds of one sequence in whole blocks, or what the model
 * states. */
static void longest_context(void **state)
{
    struct problem problem = rig_llama(*state);
    struct memory_plan memory = memory_of(problem);
    assert_near(memory_longest_context(&problem, &memory), 131072, 0);
    problem.dep.memory_utilization = 0.3;
    memory = memory_of(problem);
    assert_near(memory_longest_context(&problem, &memory), memory.layout.units * 16, 0);
    problem.dep.memory_utilization = 0.1;
    memory = memory_of(problem);
    assert_near(memory_longest_context(&problem, &memory), 0, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_share_of_all_memory),
        cmocka_unit_test(printed_by_vllm),
        cmocka_unit_test(unchunked_step),
        cmocka_unit_test(expert_workspace),
        cmocka_unit_test(held_sequences),
        cmocka_unit_test(states_hold),
        cmocka_unit_test(ranks_hold),
        cmocka_unit_test(nothing_to_hold),
        cmocka_unit_test(what_does_not_fit),
        cmocka_unit_test(names),
        cmocka_unit_test(longest_context),
    };
    return cmocka_run_group_tests(tests, rig_setup, rig_teardown);
}
