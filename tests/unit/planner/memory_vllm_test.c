/* vLLM: its profiled step, its graphs, and how it lays caches out in blocks. */
#include "memory_vllm.h"

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

/*
 * Before 0.8 an 8B's profiled step takes 110,592 B a token: logs print 2.06 GiB at a context of
 * 20,000 and 2.99 at 29,000 (github.com/vllm-project/vllm/issues/10517); prompts are chunked beyond
 * 32,768, so 35,000 start where 29,000 do not. A step has 2,048 tokens at least.
 */
static void before_the_rewrite(void **state)
{
    struct rig *rig = *state;
    struct problem problem = rig_llama(rig);
    sample_memory_add(rig->sample, sample_constant(RULE_LONG_CHUNK, 512));
    problem.dep.version[1] = 6;
    problem.dep.max_num_seqs = 256;

    static const struct {
        double longest, chunk, gib;
    } ROWS[] = {
        {20000, 0, 2.06},
        {29000, 0, 2.99},
        {35000, 0, 0.0527},
        {20000, 2048, 0.2109},
        {1000, 0, (14.85 * 256 * 128256 + 2048 * 8192) / GIB},
    };

    for (size_t i = 0; i < ARRAY_LEN(ROWS); i++) {
        problem.dep.max_model_len = ROWS[i].longest;
        problem.dep.chunked_prefill_tokens = ROWS[i].chunk;
        assert_near(memory_of(problem).activation_bytes / GIB, ROWS[i].gib, 0.005);
    }
    /* A window is kept whole there: Mistral's 4,096 too. */
    problem = rig_problem(rig, SHAPE_MISTRAL);
    problem.dep.version[1] = 6;
    const struct memory_plan memory = memory_of(problem);
    assert_near(memory.kv_token_capacity, memory.layout.units * 16, 0);
    assert_int_equal(memory.layout.groups[0].kind, KV_FULL);
}

/* docs.vllm.ai, cuda_graph_sizes: 1, 2, 4, then every 8 to 256, every 16 to 512: 35 sizes up to
 * 256, 51 in all. */
static void captured_sizes(void **state)
{
    static const double ROWS[][3] = {{1, 0, 1},    {2, 0, 2},    {4, 0, 3},     {8, 0, 4},
                                     {128, 0, 19}, {256, 0, 35}, {1024, 0, 51}, {1024, 128, 19}};
    struct problem problem = rig_llama(*state);
    for (size_t i = 0; i < ARRAY_LEN(ROWS); i++) {
        problem.dep.max_num_seqs = ROWS[i][0];
        problem.dep.graph_max_batch = ROWS[i][1];
        assert_near(memory_vllm_graph_sizes(&problem.dep), ROWS[i][2], 0);
    }
}

/* Trap: versions differ in whether the pool pays for the graphs. */
static void graphs_and_the_budget(void **state)
{
    struct rig *rig = *state;
    struct problem problem = rig_llama(rig);
    double before = memory_of(problem).kv_bytes;
    sample_memory_add(rig->sample, sample_constant(RULE_GRAPH_FIXED, 0.2 * GIB));
    sample_memory_add(rig->sample, sample_constant(RULE_GRAPH_EACH, 0.0125 * GIB));
    double graphs = (0.2 + 51 * 0.0125) * GIB;
    struct memory_plan memory = memory_of(problem);
    assert_near(memory.terms[TERM_GRAPHS].bytes, graphs, 1e-12);
    assert_near(memory.kv_bytes, before, 1e-12);
    sample_memory_add(rig->sample, sample_constant(RULE_GRAPHS_IN_BUDGET, 1));
    assert_near(memory_of(problem).kv_bytes, before - graphs, 1e-12);
    problem.dep.cuda_graphs = false;
    assert_near(memory_of(problem).kv_bytes, before, 1e-12);
}

/* Others' memory is charged where the version charges it; else the engine starts only when its
 * fraction is free. A stated pool goes round both. */
static void others_and_stated_pools(void **state)
{
    struct rig *rig = *state;
    struct problem problem = rig_llama(rig);
    double before = memory_of(problem).kv_bytes;
    problem.dep.other_processes_bytes = 4 * GIB;
    assert_true(memory_of(problem).fits);
    problem.dep.other_processes_bytes = 9 * GIB; /* 0.9 of 79.19 GiB leave 7.9 */
    assert_false(memory_of(problem).fits);
    sample_memory_add(rig->sample, sample_constant(RULE_OTHERS_IN_BUDGET, 1));
    assert_true(memory_of(problem).fits);
    assert_near(memory_of(problem).kv_bytes, before - 9 * GIB, 1e-12);
    problem.dep.other_processes_bytes = 0;
    problem.dep.kv_cache_memory_bytes = 20 * GIB;
    const struct memory_plan memory = memory_of(problem);
    assert_near(memory.kv_bytes, 20 * GIB, 0);
    assert_near(memory.kv_bytes_low, 20 * GIB, 0);
    assert_true(memory.verdict == MEMORY_FITS);
    problem.dep.kv_cache_memory_bytes = 70 * GIB;
    assert_int_equal(memory_of(problem).verdict, MEMORY_DOES_NOT_FIT);
    problem.dep.kv_cache_memory_bytes = 0;
    problem.dep.kv_cache_tokens = 100000;
    assert_near(memory_of(problem).kv_bytes, 100000 * 131072.0, 1e-12);
}

/* What the engine printed stands for what is computed. */
static void measured_terms(void **state)
{
    struct problem problem = rig_llama(*state);
    problem.dep.measured = (struct measured_memory){.total_bytes = 80 * GIB,
                                                    .weights_bytes = 15 * GIB,
                                                    .activation_bytes = 2 * GIB,
                                                    .non_torch_bytes = 1 * GIB};
    struct memory_plan memory = memory_of(problem);
    assert_near(memory.kv_bytes, 0.9 * 80 * GIB - 18 * GIB, 1e-12);
    assert_near(memory.weights_bytes, 15 * GIB, 1e-12);
    assert_int_equal(memory.terms[TERM_ROPE].bytes, 0);
    problem.dep.measured.kv_bytes = 30 * GIB;
    problem.dep.measured.kv_tokens = 245000;
    memory = memory_of(problem);
    assert_near(memory.kv_bytes_high, 30 * GIB, 0);
    assert_near(memory.kv_token_capacity, 245000, 0);
}

/* Qwen3.5-27B: 16 of 64 layers attend (4 KV heads of 256), 48 keep a state (16 key and 48 value
 * heads of 128, convolutions of 4). */
static struct model gated_delta(struct layer_group groups[3], double full, double state)
{
    struct mixer mixer = rig_attention(MIXER_GATED_DELTA, 0, 0, 128, 0);
    mixer.k_heads = 16;
    mixer.v_heads = 48;
    mixer.conv_kernel = 4;
    groups[0] = (struct layer_group){.count = full, .n_mixers = 1, .n_ffns = 1};
    groups[0].mixers[0] = rig_attention(MIXER_FULL, 24, 4, 256, 0);
    groups[0].ffns[0] = rig_dense(17408);
    groups[1] = (struct layer_group){.count = state, .n_mixers = 1, .n_ffns = 1};
    groups[1].mixers[0] = mixer;
    groups[1].ffns[0] = rig_dense(17408);
    groups[2] = groups[0];
    groups[2].count = 1;
    struct model model = {.id = "qwen3.5-27b",
                          .name = "Qwen3.5 27B",
                          .hidden = 5120,
                          .vocab = 248320,
                          .max_positions = 262144,
                          .native_dtype = DTYPE_BF16,
                          .native_format = "bf16",
                          .state_bytes_per_element = 4,
                          .groups = groups,
                          .n_groups = 2,
                          .mtp = &groups[2]};
    struct model_fault fault;
    assert_true(model_derive(&model, &fault));
    return model;
}

/*
 * Blocks of 27B with fp8 KV as vLLM prints them: 1,568 tokens, 1,584 with one drafted token, 1,600
 * with three, 1,616 with four (the convolution's tail grows by one row each): the state of 48 x
 * 128 x 128 x 4 B + 10,240 x (3 + drafted) x 2 B in blocks of 16 x 2,048 B. The MTP layer joins the
 * attending ones: 17 to a table, so 48 states are three tables of 17.
 */
static void pages_of_states(void **state)
{
    struct rig *rig = *state;
    struct layer_group groups[3];
    struct model model = gated_delta(groups, 16, 48);

    static const struct {
        double drafted, block;
    } ROWS[] = {{0, 1568}, {1, 1584}, {3, 1600}, {4, 1616}};

    for (size_t i = 0; i < ARRAY_LEN(ROWS); i++) {
        struct problem problem = rig_llama(rig);
        problem.model = &model;
        problem.dep.kv_cache = &rig->sample->kv[1];
        problem.dep.max_model_len = 262144;
        problem.dep.spec_method = ROWS[i].drafted > 0 ? SPEC_MTP : SPEC_NONE;
        problem.dep.spec_tokens = ROWS[i].drafted;
        const struct memory_plan memory = memory_of(problem);
        double layers = ROWS[i].drafted > 0 ? 17 : 16;
        assert_near(memory.layout.groups[0].block_tokens, ROWS[i].block, 0);
        assert_near(memory.layout.unit_bytes, layers * ROWS[i].block * 2048, 1e-12);
        /* Of one request: the context's blocks, three tables of a state, one spare, the drafted. */
        double each = ceil(262144 / ROWS[i].block) + 3 * (2 + ROWS[i].drafted);
        assert_near(memory.max_concurrency_at_max_model_len, memory.layout.units / each, 1e-12);
        assert_near(memory.kv_token_capacity, floor(memory.layout.units / each * 262144), 0);
    }
}

/* Which states are kept, and in what type. */
static void state_modes(void **state)
{
    struct rig *rig = *state;
    struct layer_group groups[3];
    struct model model = gated_delta(groups, 16, 48);
    struct problem problem = rig_llama(rig);
    problem.model = &model;
    problem.dep.kv_cache = &rig->sample->kv[1];
    problem.load.input_tokens = 20000;
    problem.load.output_tokens = 0;

    static const struct {
        enum state_cache_mode mode;
        enum state_dtype dtype;
        double block, blocks;
    } ROWS[] = {
        {STATE_CACHE_NONE, STATE_OF_MODEL, 1568, 13 + 3},
        {STATE_CACHE_ALIGN, STATE_F32, 1568, 13 + 6},
        /* 98 x 16 rounded up to whole chunks of 256; every block's state. */
        {STATE_CACHE_ALL, STATE_OF_MODEL, 1792, 12 + 3 * 12},
        /* 1,572,864 + 61,440 B in blocks of 32,768: 50. */
        {STATE_CACHE_NONE, STATE_BF16, 800, 25 + 3},
        {STATE_CACHE_NONE, STATE_F16, 800, 25 + 3},
    };

    for (size_t i = 0; i < ARRAY_LEN(ROWS); i++) {
        problem.dep.state_cache_mode = ROWS[i].mode;
        problem.dep.state_dtype = ROWS[i].dtype;
        const struct memory_plan memory = memory_of(problem);
        assert_near(memory.layout.groups[0].block_tokens, ROWS[i].block, 0);
        assert_near(memory.max_concurrency, memory.layout.units / ROWS[i].blocks, 1e-12);
    }
}

/* gpt-oss-20b: twelve layers with a window of 128, twelve without: two tables of twelve. A prompt's
 * window keeps two steps of 8,192 besides; once it is done the window alone. */
static void windows(void **state)
{
    struct rig *rig = *state;
    struct problem problem = rig_problem(rig, SHAPE_GPT_OSS);
    problem.load.input_tokens = 100000;
    problem.load.output_tokens = 0;
    struct memory_plan memory = memory_of(problem);
    assert_near(memory.layout.unit_bytes, 12 * 16 * 2048.0, 1e-12);
    double whole = 100000 / 16.0;
    assert_near(memory.max_concurrency,
                memory.layout.units / (whole + ceil((127 + 16384) / 16.0) + 1), 1e-12);
    assert_near(memory.held_sequences, floor(memory.layout.units / (whole + 8 + 1)), 0);
    /* As versions to 0.20.0 print it. */
    sample_memory_set(rig->sample, RULE_TOKENS_BY_CONCURRENCY, 0);
    assert_near(memory_of(problem).kv_token_capacity, floor(memory.layout.units / 2) * 16, 0);
    /* The hybrid manager off: windows are stored whole. */
    problem.dep.swa_full = true;
    memory = memory_of(problem);
    assert_near(memory.layout.unit_bytes, 24 * 16 * 2048.0, 1e-12);
    assert_near(memory.max_concurrency, memory.layout.units / whole, 1e-12);
}

/* Gemma-4-31B: 50 layers of a window of 1,024 (16 KV heads of 256), 10 without (4 of 512): the
 * latter's block doubles to the same page, and five tables of ten keep the windows. */
static void unequal_pages(void **state)
{
    struct rig *rig = *state;
    struct layer_group groups[2] = {{.count = 50, .n_mixers = 1, .n_ffns = 1},
                                    {.count = 10, .n_mixers = 1, .n_ffns = 1}};
    groups[0].mixers[0] = rig_attention(MIXER_WINDOW, 32, 16, 256, 1024);
    groups[1].mixers[0] = rig_attention(MIXER_FULL, 32, 4, 512, 0);
    groups[0].ffns[0] = groups[1].ffns[0] = rig_dense(21504);
    struct model model = rig->models[SHAPE_MISTRAL];
    model.groups = groups;
    model.n_groups = 2;
    struct model_fault fault;
    assert_true(model_derive(&model, &fault));
    struct problem problem = rig_llama(rig);
    problem.model = &model;
    const struct memory_plan memory = memory_of(problem);
    assert_near(memory.layout.groups[0].block_tokens, 16, 0);
    assert_near(memory.layout.groups[1].block_tokens, 32, 0);
    assert_near(memory.layout.groups[0].shares, 5, 0);
    assert_near(memory.layout.unit_bytes, 10 * 16 * 16384.0, 1e-12);
}

/* Llama-4-Scout: chunks of 8,192 in 36 of 48 layers, stored whole unless the flag is on; then three
 * tables of twelve keep a chunk and the two steps to come. */
static void chunks(void **state)
{
    struct rig *rig = *state;
    struct problem problem = rig_problem(rig, SHAPE_SCOUT);
    problem.load.input_tokens = 100000;
    problem.load.output_tokens = 0;
    assert_near(memory_of(problem).layout.unit_bytes, 48 * 16 * 4096.0, 1e-12);
    sample_memory_set(rig->sample, RULE_CHUNKED_AS_FULL, 0);
    problem.dep.kv_cache_memory_bytes = 10 * GIB;
    const struct memory_plan memory = memory_of(problem);
    assert_near(memory.layout.unit_bytes, 12 * 16 * 4096.0, 1e-12);
    assert_near(memory.max_concurrency,
                memory.layout.units / (100000 / 16.0 + 3 * (8192 + 16384) / 16.0), 1e-12);
}

/* Images' keys are kept once a sequence: ceil(6,404 / 16) blocks in a table of eight layers. */
static void images(void **state)
{
    struct problem problem = rig_problem(*state, SHAPE_MLLAMA);
    problem.load.input_tokens = 16000;
    problem.load.output_tokens = 0;
    const struct memory_plan memory = memory_of(problem);
    assert_near(memory.layout.unit_bytes, 8 * 16 * 4096.0, 1e-12);
    assert_near(memory.max_concurrency, memory.layout.units / (4 * 1000 + 401), 1e-12);
}

/* Latents: blocks of 64 tokens, whole on every rank, cut only over context-parallel ranks; before
 * 0.7 keys and values of 256 of every head. */
static void latents(void **state)
{
    struct rig *rig = *state;
    struct problem problem = sample_problem(rig->sample, SAMPLE_DEEPSEEK_V3, SAMPLE_H200);
    problem.dep.weights = &rig->sample->weights[SAMPLE_FP8_BLOCK];
    problem.dep.tp = 8;
    struct memory_plan memory = memory_of(problem);
    assert_near(memory.layout.groups[0].block_tokens, 64, 0);
    assert_near(memory.layout.unit_bytes, 61 * 64 * 576 * 2.0, 1e-12);
    double once = memory.max_concurrency_at_max_model_len;
    problem.dep.dcp = 4;
    assert_near(memory_of(problem).max_concurrency_at_max_model_len, 4 * once, 1e-12);
    problem.dep.dcp = 0;
    problem.dep.version[1] = 6;
    sample_memory_add(rig->sample, sample_constant(RULE_MLA_PER_HEAD, 256));
    memory = memory_of(problem);
    assert_near(memory.layout.groups[0].bytes_per_token, 2 * 16 * 256 * 2.0, 1e-12);
}

/* DeepSeek-V4: compressed latents share one slab of 256 tokens a block, raw ones of a window
 * another of 64; the block is as large as the larger needs. */
static void slabs(void **state)
{
    struct problem problem = rig_problem(*state, SHAPE_V4);
    problem.dep.kv_cache_memory_bytes = 10 * GIB;
    const struct memory_plan memory = memory_of(problem);
    double raw = 43 * 64 * 512 * 2.0;
    /* Entries of 512 elements for 4 and for 128 tokens, the first with an indexer's key of 128 each
     * (stored per 4 tokens). */
    double compressed = 256 * (21 * 512 * 2.0 / 4 + 20 * 512 * 2.0 / 128);
    assert_true(memory.layout.unit_bytes >= fmax(raw, compressed));
    assert_true(memory.layout.unit_bytes < 1.5 * fmax(raw, compressed));
    assert_true(memory.max_concurrency > 0);
}

/* Uneven stages: 20, 5, 5 and 2 of 32 layers; the fullest one limits. Without the flag what is left
 * over goes to the stages before the last. */
static void uneven_stages(void **state)
{
    struct problem problem = rig_llama(*state);
    problem.dep.pp = 4;
    problem.dep.pp_layers = "20,5,5,2";
    struct memory_plan memory = memory_of(problem);
    assert_near(memory.stage, 0, 0);
    assert_near(memory.layout.unit_bytes, 20 * 16 * 4096.0, 1e-12);
    problem.dep.pp_layers = "2,20,5,5";
    assert_near(memory_of(problem).stage, 1, 0);
    problem.dep.pp_layers = NULL;
    problem.dep.pp = 3; /* 10 + 1, 10 + 1, 10 */
    memory = memory_of(problem);
    assert_near(memory.layout.unit_bytes, 11 * 16 * 4096.0, 1e-12);
}

/* A scale of 4 B per head and token, for keys and for values: 8 x 2 x (128 + 4) B a layer. */
static void scales_of_heads(void **state)
{
    struct rig *rig = *state;
    struct kv_format format = rig->sample->kv[1];
    format.head_scale_bytes = 4;
    format.bytes_per_element = 1 + 4.0 / 128;
    struct problem problem = rig_llama(rig);
    problem.dep.kv_cache = &format;
    assert_near(memory_of(problem).layout.unit_bytes, 32 * 16 * 2112.0, 1e-12);
}

int main(void)
{
#define TEST(FUNCTION) cmocka_unit_test_setup_teardown(FUNCTION, rig_setup, rig_teardown)
    const struct CMUnitTest tests[] = {
        TEST(before_the_rewrite),
        TEST(captured_sizes),
        TEST(graphs_and_the_budget),
        TEST(others_and_stated_pools),
        TEST(measured_terms),
        TEST(pages_of_states),
        TEST(state_modes),
        TEST(windows),
        TEST(unequal_pages),
        TEST(chunks),
        TEST(images),
        TEST(latents),
        TEST(slabs),
        TEST(uneven_stages),
        TEST(scales_of_heads),
    };
#undef TEST
    return cmocka_run_group_tests(tests, NULL, NULL);
}
