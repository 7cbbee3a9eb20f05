/* SGLang's pools: what a token, a window and a state take, and what the fraction leaves. */
#include "check.h"
#include "memory_rows.h"
#include "memory_sglang.h"

#define GIB BYTES_PER_GIB
#define MIB 1048576.0
/* 0.75 GiB before the weights; from 0.5.1 windows in pools of their own; tokens of windowed layers
 * 0.8 of the others'; states 0.9 of the tokens' memory. */
#define CONTEXT (0.75 * GIB)

struct sglang {
    struct rig *rig;
    struct memory_rows rows;
};

static int set_up(void **state)
{
    static const struct memory_row ROWS[] = {{RULE_NON_TORCH, CONTEXT},
                                             {RULE_HYBRID_GROUPS, 1},
                                             {RULE_WINDOW_RATIO, 0.8},
                                             {RULE_STATE_MEMORY_RATIO, 0.9}};
    struct sglang *test = calloc(1, sizeof(*test));
    assert_non_null(test);
    test->rig = rig_new();
    memory_rows_fill(&test->rows, &test->rig->sample->lib, MEMORY_SGLANG, ROWS, 4);
    *state = test;
    return 0;
}

static int tear_down(void **state)
{
    struct sglang *test = *state;
    rig_free(test->rig);
    free(test);
    return 0;
}

static struct problem sglang_problem(const struct sglang *test, int shape)
{
    struct problem problem = rig_problem(test->rig, shape);
    problem.dep.engine = &test->rig->engines[RIG_SGLANG];
    problem.dep.block_size = 1;
    return problem;
}

static struct memory_plan plan(const struct sglang *test, struct problem problem)
{
    return memory_rows_plan(&test->rows, problem);
}

/* Llama-3.1-8B on 79.19 GiB: 0.9 (79.19 - 0.75) GiB less 16,060,522,496 B of parameters and 64 MiB
 * of rotary table (131,072 x 128 x 4 B); 131,072 B a token, whole pages. What another process holds
 * is not free before the weights either. */
static void fraction_covers_weights_and_pool(void **state)
{
    const struct sglang *test = *state;
    struct problem problem = sglang_problem(test, SHAPE_MISTRAL);
    double weights = 16060522496.0 + 64 * MIB;
    problem.model = &test->rig->sample->models[SAMPLE_LLAMA_8B];
    struct memory_plan memory = plan(test, problem);
    double pool = 0.9 * 78.44 * GIB - weights;
    assert_near(memory.kv_bytes, pool, 1e-9);
    assert_near(memory.kv_token_capacity, floor(pool / 131072), 0);
    problem.dep.block_size = 64;
    assert_near(plan(test, problem).kv_token_capacity, floor(pool / 131072 / 64) * 64, 0);
    problem.dep.kv_cache_tokens = 4096;
    assert_near(plan(test, problem).kv_token_capacity, 4096, 0);
    problem.dep.kv_cache_tokens = 0;
    problem.dep.other_processes_bytes = 2 * GIB;
    assert_near(plan(test, problem).kv_bytes, pool - 1.8 * GIB, 1e-9);
    assert_true(memory.fits);
}

/* Draft layers join the cells; an MTP worker loads an embedding and a head of its own first:
 * DeepSeek-V3 keeps 61 + 1 latents of 576 in 16 bits. */
static void drafts_take_cells(void **state)
{
    const struct sglang *test = *state;
    struct problem problem = sglang_problem(test, SHAPE_MISTRAL);
    problem.model = &test->rig->sample->models[SAMPLE_LLAMA_8B];
    problem.dep.spec_method = SPEC_EAGLE3;
    problem.dep.spec_tokens = 3;
    assert_near(plan(test, problem).layout.unit_bytes, 33 * 4096.0, 1e-12);

    struct model model = *problem.model;
    struct layer_group head = model.groups[0];
    head.count = 1;
    model.mtp = &head;
    model.mtp_params = 2e8;
    problem.model = &model;
    problem.dep.spec_method = SPEC_MTP;
    struct memory_plan memory = plan(test, problem);
    assert_near(memory.layout.unit_bytes, 33 * 4096.0, 1e-12);
    const struct memory_term *draft = &memory.terms[TERM_DRAFT];
    assert_near(draft->bytes, 2e8 * 2 + 2 * 128256.0 * 4096 * 2, 1e-12);
    assert_near(draft->low, 2e8 * 2, 1e-12);
}

/* gpt-oss: 12 layers of 2,048 B keep all, 12 the last 128 tokens. */
static void windows_have_a_pool(void **state)
{
    const struct sglang *test = *state;
    struct problem problem = sglang_problem(test, SHAPE_GPT_OSS);
    double each = 12 * 2048.0;
    assert_near(plan(test, problem).layout.unit_bytes, 1.8 * each, 1e-12);
    problem.dep.swa_full_tokens_ratio = 0.1;
    assert_near(plan(test, problem).layout.unit_bytes, 1.1 * each, 1e-12);
    problem.dep.swa_full = true;
    assert_near(plan(test, problem).layout.unit_bytes, 2 * each, 1e-12);
    problem.dep.swa_full = false;
    /* Without a radix cache 16 requests need 16 x (128 + 1 + 2) + 2 x 8192 + 1 tokens of windows.
     */
    problem.dep.prefix_caching = false;
    problem.dep.slots_are_stated = true;
    problem.dep.max_num_seqs = 16;
    struct memory_plan memory = plan(test, problem);
    double fixed = (16 * 131 + 2 * 8192 + 1) * each;
    assert_near(memory.layout.unit_bytes, each * memory.kv_bytes / (memory.kv_bytes - fixed),
                1e-12);
    /* Windows in every layer: a token takes its bytes in all. */
    problem = sglang_problem(test, SHAPE_MISTRAL);
    assert_near(plan(test, problem).layout.unit_bytes, 131072, 1e-12);
}

/* DeepSeek-V3.2: 61 layers of 576 x 2 + 132 B; in fp8 512 + 4 x 4 + 64 x 2 + 132 on NVIDIA parts,
 * 576 + 132 on AMD's. */
static void sparse_latents(void **state)
{
    const struct sglang *test = *state;
    struct problem problem = sglang_problem(test, SHAPE_V32);
    assert_near(plan(test, problem).layout.unit_bytes, 61 * 1284.0, 1e-12);
    problem.dep.kv_cache = &test->rig->sample->kv[1];
    assert_near(plan(test, problem).layout.unit_bytes, 61 * 788.0, 1e-12);
    struct hardware amd = *problem.hw;
    amd.vendor = "amd";
    problem.hw = &amd;
    assert_near(plan(test, problem).layout.unit_bytes, 61 * 708.0, 1e-12);
}

/*
 * DeepSeek-V4-Flash, windows a tenth of the tokens: an entry is 512 + 64 + 8 = 584 B. 43 layers
 * keep 0.1 entries; 21 a quarter and an indexer's 32 x 132/128 B, and states of a ring of 8 for
 * each window of 128: 0.1 x 8/128 x 16 x (512 + 128); 20 keep 1/128.
 */
static void compressed_latents(void **state)
{
    const struct sglang *test = *state;
    struct problem problem = sglang_problem(test, SHAPE_V4);
    double entries = 43 * 58.4 + 21 * (584 / 4.0 + 33) + 20 * 584 / 128.0;
    double states = 21 * 0.1 * 8 / 128 * 16 * 640;
    assert_near(plan(test, problem).layout.unit_bytes, entries + states, 1e-12);
    problem.dep.spec_method = SPEC_EAGLE;
    problem.dep.spec_tokens = 3;
    assert_near(plan(test, problem).layout.unit_bytes, (entries + 2 * states) * 44 / 43, 1e-12);
    problem.dep.spec_method = SPEC_NONE;
    problem.dep.swa_full_tokens_ratio = 0.2;
    assert_near(plan(test, problem).layout.unit_bytes, entries + 43 * 58.4 + 2 * states, 1e-12);
}

/* 64 layers with a state of 22,937,600 B together, and four with caches of 4,096 B a token. */
struct hybrid {
    struct layer_group groups[2];
    struct model model;
};

static struct problem hybrid_problem(const struct sglang *test, struct hybrid *hybrid)
{
    struct problem problem = sglang_problem(test, SHAPE_MAMBA);
    struct model_fault fault;
    hybrid->model = *problem.model;
    hybrid->groups[0] = problem.model->groups[0];
    hybrid->groups[1] = test->rig->sample->groups[SAMPLE_LLAMA_8B][0];
    hybrid->groups[1].count = 4;
    hybrid->groups[1].invocations = 0;
    hybrid->model.hidden = 4096;
    hybrid->model.groups = hybrid->groups;
    hybrid->model.n_groups = 2;
    assert_true(model_derive(&hybrid->model, &fault));
    problem.model = &hybrid->model;
    return problem;
}

/* Slots take 0.9 / 1.9 of the pool, three a request (one kept, one to copy from); as many as
 * stated; one a request without a radix cache, and 4 more for drafts of 3. */
static void states_are_slots(void **state)
{
    const struct sglang *test = *state;
    const double slot = 22937600;
    struct hybrid hybrid;
    struct problem problem = hybrid_problem(test, &hybrid);
    struct memory_plan memory = plan(test, problem);
    double pool = 0.9 * 78.44 * GIB - memory.weights_bytes;
    double slots = floor(pool * 0.9 / 1.9 / slot);
    assert_near(memory.terms[TERM_STATES].bytes, slots * slot, 1e-9);
    assert_near(memory.layout.state_sequences, floor(slots / 3), 0);
    assert_near(memory.kv_token_capacity, floor((pool - slots * slot) / 16384), 0);
    problem.dep.state_memory_ratio = 0.1;
    slots = floor(pool * 0.1 / 1.1 / slot);
    assert_near(plan(test, problem).terms[TERM_STATES].bytes, slots * slot, 1e-9);
    problem.dep.max_state_slots = 30;
    memory = plan(test, problem);
    assert_near(memory.terms[TERM_STATES].bytes, 30 * slot, 1e-9);
    /* A request takes its share of the slots where it needs more of them than tokens. */
    assert_near(memory.max_concurrency, 10, 1e-9);
    problem.dep.max_state_slots = 0;
    problem.dep.prefix_caching = false;
    problem.dep.slots_are_stated = true;
    problem.dep.max_num_seqs = 8;
    problem.dep.spec_method = SPEC_EAGLE;
    problem.dep.spec_tokens = 3;
    memory = plan(test, problem);
    assert_near(memory.terms[TERM_STATES].bytes, (8 + 8 * 4) * slot, 1e-9);
    assert_near(memory.layout.state_sequences, 8, 0);
}

/* States alone: the whole pool is theirs. */
static void states_alone(void **state)
{
    const struct sglang *test = *state;
    struct problem problem = sglang_problem(test, SHAPE_MAMBA);
    struct memory_plan memory = plan(test, problem);
    assert_near(memory.max_concurrency, floor(memory.kv_bytes) / 22937600, 1e-9);
    assert_true(isnan(memory.kv_token_capacity));
}

struct fraction_row {
    int version[3];
    double tp, dp, gib, chunk, graph_batch, expected;
    bool graphs, latent;
    enum speculative_method spec;
};

/*
 * Up to 0.4.6 by ranks; up to 0.5.3 by the size of the part: 9.5 + 0.5 x 8 of 79.19 GiB is 0.83;
 * from 0.5.4 in MiB, at least 10 GiB of parts above 60.
 */
static void fractions(void **state)
{
    const struct sglang *test = *state;
    static const struct fraction_row ROWS[] = {
        {{0, 4, 5}, 1, 1, 79.19, 8192, 0, 0.88, true, false, SPEC_NONE},
        {{0, 4, 5}, 4, 4, 79.19, 8192, 0, 0.79, true, false, SPEC_NONE},
        {{0, 5, 0}, 8, 1, 79.19, 8192, 0, 0.83, true, false, SPEC_NONE},
        /* 2.8 + 0.1 + 2 of 23.57 */
        {{0, 5, 0}, 1, 1, 23.57, 2048, 0, 0.792, true, false, SPEC_EAGLE},
        /* 12 + 0.5 + 6 of 139.8 */
        {{0, 5, 0}, 1, 1, 139.8, 8192, 0, 0.868, true, false, SPEC_DRAFT_MODEL},
        /* 32 + 4 of 178.35 */
        {{0, 5, 0}, 4, 2, 178.35, 8192, 0, 0.798, true, false, SPEC_NONE},
        /* 512 + 1.5 x 8192 + 128 + 2 x 256 = 13440 of 81,090.6 MiB */
        {{0, 5, 6}, 1, 1, 79.19, 8192, 0, 0.834, true, false, SPEC_NONE},
        /* 512 + 12288 + 1024 + 1024 = 14848 */
        {{0, 5, 6}, 8, 1, 79.19, 8192, 0, 0.817, true, false, SPEC_NONE},
        /* 512 + 3072 + 128 + 2 x 24 = 3760 of 24,135.7 */
        {{0, 5, 6}, 1, 1, 23.57, 2048, 0, 0.844, true, false, SPEC_NONE},
        /* the same without graphs: 3712 */
        {{0, 5, 6}, 1, 1, 23.57, 2048, 0, 0.846, false, false, SPEC_NONE},
        /* 16 stated: 3744 */
        {{0, 5, 6}, 1, 1, 23.57, 2048, 16, 0.845, true, false, SPEC_NONE},
        /* 512 + 3072 + 128 + 128 is less than 10 GiB of 79.19 */
        {{0, 5, 6}, 1, 1, 79.19, 2048, 64, 0.874, true, false, SPEC_NONE},
        /* no chunk: 16384 tokens: 512 + 24576 + 128 + 512 = 25728 */
        {{0, 5, 6}, 1, 1, 79.19, 0, 0, 0.683, true, false, SPEC_NONE},
        /* dp 2 x tp 4: 512 + 12288 + 1024 + 2 x 512 + 512 x 2 x 4.5 = 19456 */
        {{0, 5, 6}, 4, 2, 79.19, 8192, 0, 0.76, true, false, SPEC_NONE},
        /* dp 2, graphs of 256: 512 + 12288 + 256 + 512 + 256 x 2 x 3 = 15104 */
        {{0, 5, 6}, 1, 2, 79.19, 8192, 0, 0.814, true, false, SPEC_NONE},
        /* captured prompts: 8 each of 8 + 14 + 8 + 8 + 12 + 8 sizes to 8192: 464; 13904 */
        {{0, 5, 12}, 1, 1, 79.19, 8192, 0, 0.829, true, false, SPEC_NONE},
        /* of a latent 1536: 14976 */
        {{0, 5, 12}, 1, 1, 79.19, 8192, 0, 0.815, true, true, SPEC_NONE},
        /* 4 ranks of 23.57 with 2048: 512 + 3072 + 512 + 2 x 160 + 8 x 42 = 4752 */
        {{0, 5, 12}, 4, 1, 23.57, 2048, 0, 0.803, true, false, SPEC_NONE},
    };
    struct problem problem = sglang_problem(test, SHAPE_MISTRAL);
    for (size_t i = 0; i < ARRAY_LEN(ROWS); i++) {
        const struct fraction_row *row = &ROWS[i];
        struct hardware hw = *problem.hw;
        struct deployment dep = problem.dep;
        struct model model = *problem.model;
        hw.memory_bytes = row->gib * GIB;
        memcpy(dep.version, row->version, sizeof(dep.version));
        dep.tp = row->tp;
        dep.dp = row->dp;
        dep.chunked_prefill_tokens = row->chunk;
        dep.graph_max_batch = row->graph_batch;
        dep.cuda_graphs = row->graphs;
        dep.spec_method = row->spec;
        model.has_mla = row->latent;
        double fraction = memory_sglang_fraction(&dep, &model, &hw);
        if (fabs(fraction - row->expected) > 1e-9)
            fail_msg("row %zu: %.9g, not %.9g", i, fraction, row->expected);
    }
}

/* A vision tower of the size of ViT-L/14, 12 x 24 x 1024^2 parameters, leaves 0.95 of the fraction;
 * a tower three times as large 0.95 x 0.8; none where text alone is served. */
static void towers_leave_more(void **state)
{
    const struct sglang *test = *state;
    struct problem problem = sglang_problem(test, SHAPE_MISTRAL);
    struct model model = *problem.model;
    int version[3] = {0, 5, 6};
    memcpy(problem.dep.version, version, sizeof(version));
    model.vision_params = 12 * 24 * 1048576.0;
    assert_near(memory_sglang_fraction(&problem.dep, &model, problem.hw), 0.834 * 0.95, 1e-12);
    model.vision_params *= 3;
    assert_near(memory_sglang_fraction(&problem.dep, &model, problem.hw), 0.834 * 0.95 * 0.8,
                1e-12);
    problem.dep.text_only = true;
    assert_near(memory_sglang_fraction(&problem.dep, &model, problem.hw), 0.834, 1e-12);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fraction_covers_weights_and_pool),
        cmocka_unit_test(drafts_take_cells),
        cmocka_unit_test(windows_have_a_pool),
        cmocka_unit_test(sparse_latents),
        cmocka_unit_test(compressed_latents),
        cmocka_unit_test(states_are_slots),
        cmocka_unit_test(states_alone),
        cmocka_unit_test(fractions),
        cmocka_unit_test(towers_leave_more),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
