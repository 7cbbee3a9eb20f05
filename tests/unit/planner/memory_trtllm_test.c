/* TensorRT-LLM: a fraction of what a dummy run leaves free; TGI: a share of what a prefill leaves.
 */
#include "check.h"
#include "memory_rows.h"

#define GIB BYTES_PER_GIB
/* The H100's memory; Llama-3.1-8B's parameters and rotary table, of 131,072 x 128 elements: 4 bytes
 * each in TensorRT-LLM, 2 in TGI. */
#define TOTAL (79.19 * GIB)
#define WEIGHTS_TRTLLM (16060522496.0 + 67108864.0)
#define WEIGHTS (16060522496.0 + 33554432.0)
/* A step of 8,192 tokens: 2 x (3 x 14,336 + 6.5 x 4,096) bytes each. */
#define FORWARD (8192 * 2 * (3 * 14336 + 6.5 * 4096))

struct rules {
    struct rig *rig;
    struct memory_rows trtllm, tgi;
};

static int set_up(void **state)
{
    static const struct memory_row TRTLLM[] = {{RULE_NON_TORCH, 3.5 * GIB},
                                               {RULE_NON_TORCH_DOUBLING, 0.6 * GIB},
                                               {RULE_FORWARD_FFN_COPIES, 3},
                                               {RULE_FORWARD_HIDDEN_COPIES, 6.5},
                                               {RULE_SAMPLER_BYTES, 27}};
    static const struct memory_row TGI[] = {{RULE_NON_TORCH, 0.5 * GIB},
                                            {RULE_FORWARD_FFN_COPIES, 3},
                                            {RULE_FORWARD_HIDDEN_COPIES, 6.5},
                                            {RULE_SAMPLER_BYTES, 6},
                                            {RULE_POOL_SHARE, 0.95}};
    struct rules *test = calloc(1, sizeof(*test));
    assert_non_null(test);
    test->rig = rig_new();
    memory_rows_fill(&test->trtllm, &test->rig->sample->lib, MEMORY_TRTLLM, TRTLLM, 5);
    memory_rows_fill(&test->tgi, &test->rig->sample->lib, MEMORY_TGI, TGI, 5);
    *state = test;
    return 0;
}

static int tear_down(void **state)
{
    struct rules *test = *state;
    rig_free(test->rig);
    free(test);
    return 0;
}

/* 27 bytes of buffers for each of 64 sequences' logits. */
static void a_fraction_of_what_is_free(void **state)
{
    const struct rules *test = *state;
    struct problem problem = rig_llama(test->rig);
    problem.dep.engine = &test->rig->engines[RIG_TRTLLM];
    problem.dep.max_num_seqs = 64;
    problem.dep.block_size = 32;
    double buffers = 27.0 * 64 * 128256;
    double pool = 0.9 * (TOTAL - WEIGHTS_TRTLLM - FORWARD - buffers - 3.5 * GIB);
    struct memory_plan memory = memory_rows_plan(&test->trtllm, problem);
    assert_near(memory.kv_bytes, pool, 1e-9);
    /* Blocks are rounded up. */
    assert_near(memory.kv_token_capacity, ceil(floor(pool / 131072) / 32) * 32, 0);
    problem.dep.tp = 4;
    memory = memory_rows_plan(&test->trtllm, problem);
    assert_near(memory.terms[TERM_NON_TORCH].bytes, 4.7 * GIB, 1e-12);
    problem.dep.tp = 1;
    problem.dep.kv_cache_memory_bytes = 8 * GIB;
    assert_near(memory_rows_plan(&test->trtllm, problem).kv_bytes, 8 * GIB, 0);
    problem.dep.kv_cache_tokens = 6400;
    assert_near(memory_rows_plan(&test->trtllm, problem).kv_token_capacity, 6400, 0);
    problem.dep.other_processes_bytes = 5 * GIB;
    problem.dep.kv_cache_memory_bytes = problem.dep.kv_cache_tokens = 0;
    assert_near(memory_rows_plan(&test->trtllm, problem).kv_bytes, pool - 4.5 * GIB, 1e-9);
}

/* gpt-oss: of 4,096 tokens 12 layers keep all and 12 the last 128: 4,224 of 8,192 tokens' worth of
 * layers; drafts' layers join the bytes of a token. */
static void windows_of_their_own(void **state)
{
    const struct rules *test = *state;
    struct problem problem = rig_problem(test->rig, SHAPE_GPT_OSS);
    problem.dep.engine = &test->rig->engines[RIG_TRTLLM];
    problem.load.input_tokens = 4095;
    problem.load.output_tokens = 1;
    struct memory_plan memory = memory_rows_plan(&test->trtllm, problem);
    assert_near(memory.layout.unit_bytes, 24 * 2048, 0);
    assert_near(memory.max_concurrency, memory.layout.units / (4096 * 4224.0 / 8192), 1e-12);
    problem.dep.spec_method = SPEC_EAGLE;
    problem.dep.spec_tokens = 3;
    assert_near(memory_rows_plan(&test->trtllm, problem).layout.unit_bytes, 25 * 2048, 0);
}

/* Before 1.0 a built engine has a head of its own beside a tied embedding: Qwen3-0.6B's 151,936 x
 * 1,024 elements of 2 B once more. */
static void built_engines_unshare_the_head(void **state)
{
    const struct rules *test = *state;
    struct problem problem = rig_llama(test->rig);
    const int versions[2][3] = {{1, 0, 0}, {0, 14, 0}};
    double weights[2];
    problem.model = &test->rig->sample->models[SAMPLE_QWEN3_06B];
    problem.dep.engine = &test->rig->engines[RIG_TRTLLM];
    for (int i = 0; i < 2; i++) {
        memcpy(problem.dep.version, versions[i], sizeof(versions[i]));
        weights[i] = memory_rows_plan(&test->trtllm, problem).weights_bytes;
    }
    assert_near(weights[1] - weights[0], 151936 * 1024.0 * 2, 1e-9);
}

/* States alone, of 22,937,600 B: as many as fit, and no tokens. */
static void states_alone(void **state)
{
    const struct rules *test = *state;
    struct problem problem = rig_problem(test->rig, SHAPE_MAMBA);
    problem.dep.engine = &test->rig->engines[RIG_TRTLLM];
    struct memory_plan memory = memory_rows_plan(&test->trtllm, problem);
    assert_near(memory.max_concurrency, floor(memory.kv_bytes) / 22937600, 1e-9);
    assert_true(isnan(memory.kv_token_capacity));
    problem.dep.engine = &test->rig->engines[RIG_TGI];
    memory = memory_rows_plan(&test->tgi, problem);
    assert_near(memory.max_concurrency, floor(memory.kv_bytes) / 22937600, 1e-9);
    assert_true(isnan(memory.kv_token_capacity));
}

/*
 * TGI: logits of 6 bytes for 4,096 rows, 3,151,994,880 B, are more than the forward pass; of what
 * is left all but the prefill's blocks, 4,096 x 131,072 B, is taken at 0.95.
 */
static void a_share_of_what_a_prefill_leaves(void **state)
{
    const struct rules *test = *state;
    struct problem problem = rig_llama(test->rig);
    problem.dep.engine = &test->rig->engines[RIG_TGI];
    problem.dep.memory_utilization = 1;
    problem.dep.chunked_prefill_tokens = 4096;
    double logits = 6.0 * 4096 * 128256, prompt = 4096 * 131072.0;
    double left = TOTAL - WEIGHTS - logits - 0.5 * GIB;
    double pool = 0.95 * (left - prompt) + prompt;
    struct memory_plan memory = memory_rows_plan(&test->tgi, problem);
    assert_near(memory.activation_bytes, logits, 1e-12);
    assert_near(memory.kv_bytes, pool, 1e-9);
    assert_near(memory.kv_token_capacity, floor(pool / 131072 / 16) * 16, 0);
    assert_near(memory.max_concurrency, floor(pool / 131072) / 1280, 1e-12);
    problem.dep.other_processes_bytes = 10 * GIB;
    assert_near(memory_rows_plan(&test->tgi, problem).kv_bytes, pool - 9.5 * GIB, 1e-9);
    problem.dep.other_processes_bytes = 0;
    /* max_batch_total_tokens makes it smaller, and is refused where it would make it larger. */
    problem.dep.kv_cache_tokens = 16000;
    memory = memory_rows_plan(&test->tgi, problem);
    assert_near(memory.kv_token_capacity, 16000, 0);
    assert_true(memory.fits);
    problem.dep.kv_cache_tokens = 600000;
    memory = memory_rows_plan(&test->tgi, problem);
    assert_false(memory.fits);
    assert_int_equal(memory.verdict, MEMORY_DOES_NOT_FIT);
    /* Without a record of the share all of it is taken: 100 rows need little logits. */
    problem.dep.kv_cache_tokens = 0;
    problem.lib = &test->trtllm.lib;
    memory_compute(&problem, 1, &memory);
    assert_near(memory.kv_bytes, TOTAL - WEIGHTS, 1e-9);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_fraction_of_what_is_free),       cmocka_unit_test(windows_of_their_own),
        cmocka_unit_test(built_engines_unshare_the_head),   cmocka_unit_test(states_alone),
        cmocka_unit_test(a_share_of_what_a_prefill_leaves),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
