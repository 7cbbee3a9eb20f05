/* The device classes of a step: bytes, flops and launches computed by hand. */
#include "check.h"
#include "sample_rig.h"

/* Llama-3.1-8B. A layer's matrices 218,103,808; rows move k x 2 in and n x 2 out of four of them:
 * 20,480 + 16,384 + 65,536 + 36,864 = 139,264 a layer. */
#define LLAMA_LINEAR_PARAMS (32 * 218103808.0)
#define LLAMA_ROW_BYTES (32 * 139264.0)
#define LLAMA_HEAD_BYTES (2 * 128256.0 * 4096)
/* Flops of one row against one cached token, all layers: 32 x 2 x 32 x (128 + 128). */
#define LLAMA_ENTRY_FLOPS 524288.0
#define LLAMA_KV_BYTES 131072.0
#define MIXTRAL_EXPERT (3 * 4096.0 * 14336)

static void expect(const struct class_cost *cost, double bytes, double flops, double launches)
{
    assert_true(cost->present);
    assert_near(cost->bytes, bytes, 1e-12);
    assert_near(cost->flops, flops, 1e-12);
    assert_near(cost->launches, launches, 1e-12);
}

/* Trap: SwiGLU has three matrices. Weights once a step, activations by row. */
static void dense_gemm(void **state)
{
    struct problem problem = rig_llama(*state);
    struct step step = rig_decode(problem, 3, 1000);
    const struct class_cost *cost = &step.classes[CLASS_DENSE_GEMM];
    expect(cost, 2 * LLAMA_LINEAR_PARAMS + 3 * LLAMA_ROW_BYTES, 6 * LLAMA_LINEAR_PARAMS, 128);
    assert_near(cost->weight_bytes, 2 * LLAMA_LINEAR_PARAMS, 1e-12);
    assert_near(cost->floor_us, cost->bytes / 3.35e6, 1e-12);
    assert_int_equal(cost->bound, BOUND_HBM);
    /* Two ranks: half of the weights; of a row 14,336 + 12,288 + 36,864 + 22,528 a layer. */
    problem.dep.tp = 2;
    step = rig_decode(problem, 3, 1000);
    expect(&step.classes[CLASS_DENSE_GEMM], LLAMA_LINEAR_PARAMS + 3 * 32 * 86016.0,
           3 * LLAMA_LINEAR_PARAMS, 128);
    /* fp8 weights with fp8 inputs: k x 1 in and n x 2 out, 139,264 - (3 x 4,096 + 14,336). */
    problem.dep.tp = 1;
    problem.dep.weights = &((struct rig *)*state)->sample->weights[SAMPLE_FP8];
    step = rig_decode(problem, 1, 1000);
    expect(&step.classes[CLASS_DENSE_GEMM], LLAMA_LINEAR_PARAMS + 32 * (139264.0 - 26624),
           2 * LLAMA_LINEAR_PARAMS, 128);
    /* Past the ridge the multiply binds: 2 x 8,192 flops for each 2-byte weight. */
    step = rig_decode(rig_llama(*state), 8192, 1);
    assert_int_equal(step.classes[CLASS_DENSE_GEMM].bound, BOUND_COMPUTE);
    assert_near(step.classes[CLASS_DENSE_GEMM].floor_us, 2 * LLAMA_LINEAR_PARAMS * 8192 / 989.5e6,
                1e-12);
}

/* Trap: W4A16 multiplies in 16 bits, fp8 on a part without it too: bytes shrink, the peak stays. */
static void compute_types(void **state)
{
    struct rig *rig = *state;
    struct problem problem = rig_llama(rig);
    double flops_us = 2 * LLAMA_LINEAR_PARAMS * 8192;
    problem.dep.weights = &rig->sample->weights[SAMPLE_AWQ];
    struct step step = rig_decode(problem, 8192, 1);
    assert_near(step.classes[CLASS_DENSE_GEMM].floor_us, flops_us / 989.5e6, 1e-12);
    assert_near(step.ridge, 989.5e6 / 3.35e6, 1e-12);
    problem.dep.weights = &rig->sample->weights[SAMPLE_FP8];
    step = rig_decode(problem, 8192, 1);
    assert_near(step.classes[CLASS_DENSE_GEMM].floor_us, flops_us / 1979e6, 1e-12);
    assert_near(step.ridge, 1979e6 / 3.35e6, 1e-12);
    problem.hw = &rig->parts[RIG_A100];
    step = rig_decode(problem, 8192, 1);
    assert_near(step.classes[CLASS_DENSE_GEMM].floor_us, flops_us / 312e6, 1e-12);
    assert_near(step.ridge, 312e6 / 2.039e6, 1e-12);
}

/* Trap: the head is read whole in every decode step and meets the last prompt token alone. Logits
 * are written as fp32: 513,024 B a row; the row itself 8,192 B. */
static void lm_head(void **state)
{
    struct rig *rig = *state;
    struct problem problem = rig_llama(rig);
    struct step step = rig_decode(problem, 2, 1000);
    expect(&step.classes[CLASS_LM_HEAD], LLAMA_HEAD_BYTES + 2 * (513024.0 + 8192),
           2 * LLAMA_HEAD_BYTES, 1);
    problem.dep.chunked_prefill_tokens = 100;
    step = rig_prefill(problem, 1000, 0);
    expect(&step.classes[CLASS_LM_HEAD], LLAMA_HEAD_BYTES + 513024 + 8192, LLAMA_HEAD_BYTES, 1);
    step = rig_prefill(problem, 1050, 0);
    expect(&step.classes[CLASS_LM_HEAD], LLAMA_HEAD_BYTES + 513024 + 8192, LLAMA_HEAD_BYTES, 1);
    /* Trap: a tied head is read whole as well. Qwen3-0.6B: 151,936 x 1,024 x 2. */
    problem = sample_problem(rig->sample, SAMPLE_QWEN3_06B, SAMPLE_H100);
    step = rig_decode(problem, 1, 1);
    assert_near(step.classes[CLASS_LM_HEAD].weight_bytes, 311164928, 0);
    /* Pipeline: one stage of four has it, the mean over stages a quarter. */
    problem = rig_llama(rig);
    problem.dep.pp = 4;
    step = rig_decode(problem, 1, 1000);
    assert_near(step.classes[CLASS_LM_HEAD].weight_bytes, LLAMA_HEAD_BYTES / 4, 1e-12);
}

/* Trap: distinct experts, not active parameters and not all. Mixtral: 8 (1 - 0.75^B) of 8, the
 * floor two; every row multiplies with two. Width or number of experts: the same bytes. */
static void experts(void **state)
{
    static const struct {
        double tp, dp, ep, rows, touched; /* experts' worth of bytes on a rank */
    } ROWS[] = {
        {1, 1, 1, 1, 2},        {1, 1, 1, 2, 3.5},      /* 8 (1 - 0.5625) */
        {1, 1, 1, 8, 7.199097},                         /* 8 (1 - 0.100113) */
        {1, 1, 1, 1000, 8},     {2, 1, 1, 8, 3.599548}, /* halves of 7.2 */
        {2, 1, 2, 8, 3.599548},                         /* 7.2 / 2 whole ones */
        {1, 2, 2, 4, 3.599548},                         /* four rows of each rank are eight */
    };
    struct rig *rig = *state;
    for (size_t i = 0; i < ARRAY_LEN(ROWS); i++) {
        struct problem problem = rig_problem(rig, SHAPE_MIXTRAL);
        problem.dep.tp = ROWS[i].tp;
        problem.dep.dp = ROWS[i].dp;
        problem.dep.ep = ROWS[i].ep;
        struct step step = rig_decode(problem, ROWS[i].rows, 1000);
        const struct class_cost *cost = &step.classes[CLASS_MOE_EXPERT_GEMM];
        double devices = ROWS[i].tp * ROWS[i].dp;
        assert_near(cost->bytes, 32 * ROWS[i].touched * 2 * MIXTRAL_EXPERT, 1e-6);
        assert_near(cost->weight_bytes, cost->bytes, 1e-12);
        assert_near(cost->flops, 32 * 2 * 2 * MIXTRAL_EXPERT * ROWS[i].rows * ROWS[i].dp / devices,
                    1e-12);
        double least = 32 * 2 * 2 * MIXTRAL_EXPERT / devices / 3.35e6;
        assert_true(cost->floor_us >= least * (1 - 1e-12));
        if (ROWS[i].rows <= 8)
            assert_near(cost->floor_us, least, 1e-12);
    }
    struct step dense = rig_decode(rig_llama(rig), 1, 1000);
    assert_false(dense.classes[CLASS_MOE_EXPERT_GEMM].present);
    assert_false(dense.classes[CLASS_MOE_GATING].present);
}

/* Trap: attention in 16 bits and experts in 8: each role in its own format and its own multiply. */
static void experts_of_their_own_format(void **state)
{
    struct rig *rig = *state;
    struct problem problem = rig_problem(rig, SHAPE_MIXTRAL);
    problem.dep.expert_weights = &rig->sample->weights[SAMPLE_FP8];
    struct step step = rig_decode(problem, 1, 1000);
    assert_near(step.classes[CLASS_MOE_EXPERT_GEMM].bytes, 32 * 2 * MIXTRAL_EXPERT, 1e-12);
    assert_near(step.classes[CLASS_DENSE_GEMM].weight_bytes, 32 * 2 * 4096.0 * 128 * 80, 1e-12);
    assert_near(rank_weight_bytes(problem.model, &problem.dep),
                2 * 46702792704.0 - 32 * 8 * MIXTRAL_EXPERT, 1e-12);
    step = rig_prefill(problem, 8192, 0);
    assert_near(step.classes[CLASS_MOE_EXPERT_GEMM].floor_us,
                32 * 2 * 2 * MIXTRAL_EXPERT * 8192 / 1979e6, 1e-12);
}

/* Router 4,096 x 8 a layer; each of two copies of a row is gathered and scattered: 4 x 4,096 x 2.
 */
static void gating(void **state)
{
    struct rig *rig = *state;
    struct problem problem = rig_problem(rig, SHAPE_MIXTRAL);
    struct step step = rig_decode(problem, 1, 1000);
    const struct class_cost *cost = &step.classes[CLASS_MOE_GATING];
    expect(cost, 32 * (65536.0 + 8208 + 32768), 32 * 65536.0, 128);
    /* 20 us a layer and, in a graph, 0.7 of the 3.45 us that a 16-bit GEMM takes to start. */
    assert_near(cost->fixed_us, 640 + 32 * 3.45 * 0.7, 1e-12);
    assert_near(cost->weight_bytes, 32 * 65536.0, 0);
    /* Two attention-DP ranks with half of the experts each: copies of both ranks' rows, half. */
    problem.dep.dp = problem.dep.ep = 2;
    step = rig_decode(problem, 1, 1000);
    assert_near(step.classes[CLASS_MOE_GATING].bytes, 32 * (65536.0 + 8208 + 32768), 1e-12);
}

/* Model (sample_library's behind SHAPES), context, bytes and flops of one sequence. */
static const struct {
    int shape;
    double context, bytes, flops;
} ATTENTION[] = {
    /* Trap: KV heads, not query heads: 131,072 a token; each query head multiplies. */
    {SHAPES + SAMPLE_LLAMA_8B, 1000, 131072e3, 524288e3},
    /* Trap: MLA caches one latent: 61 x 576 x 2; 61 x 2 x 128 x (2 x 512 + 64). */
    {SHAPES + SAMPLE_DEEPSEEK_V3, 1000, 70272e3, 61 * 278528e3},
    /* Windows: 4,096 of 10,000. */
    {SHAPE_MISTRAL, 10000, 4096 * 131072.0, 4096 * 524288.0},
    /* 36 layers read W/2, 12 all: 4,096 B and 20,480 flops an entry. */
    {SHAPE_SCOUT, 20000, 4096.0 * (36 * 4096 + 12 * 20000), 20480.0 * (36 * 4096 + 12 * 20000)},
    /* 12 layers 128, 12 layers 1,000: 2,048 B and 16,384 flops an entry. */
    {SHAPE_GPT_OSS, 1000, 2048.0 * 12 * 1128, 16384.0 * 12 * 1128},
    /* The indexer picks 2,048. */
    {SHAPE_V32, 10000, 61 * 2048 * 1152.0, 61 * 2048 * 278528.0},
    /* 2 x 128 + 21 x (512 + 128) + 20 x (10,000/128 + 128) entries of 1,024 B, 4 x 64 x 512. */
    {SHAPE_V4, 10000, 1024 * 17818.5, 131072 * 17818.5},
    /* 32 x 1,000 + 8 x 6,404 entries of 4,096 B, 16,384 flops. */
    {SHAPE_MLLAMA, 1000, 83232 * 4096.0, 83232 * 16384.0},
};

static struct problem problem_of(const struct rig *rig, int shape)
{
    return shape < SHAPES ? rig_problem(rig, shape)
                          : sample_problem(rig->sample, shape - SHAPES, SAMPLE_H100);
}

static void decode_attention(void **state)
{
    struct rig *rig = *state;
    for (size_t i = 0; i < ARRAY_LEN(ATTENTION); i++) {
        struct problem problem = problem_of(rig, ATTENTION[i].shape);
        struct step step = rig_decode(problem, 4, ATTENTION[i].context);
        const struct class_cost *cost = &step.classes[CLASS_DECODE_ATTENTION];
        assert_near(cost->bytes, 4 * ATTENTION[i].bytes, 1e-12);
        assert_near(cost->flops, 4 * ATTENTION[i].flops, 1e-12);
        assert_near(cost->weight_bytes, 0, 0);
    }
    /* Trap: attention reads the cache once and writes one token; nothing is rewritten. */
    struct step step = rig_decode(rig_llama(rig), 1, 1000);
    assert_near(step.classes[CLASS_KV_WRITE].bytes, 131072, 0);
    assert_false(
        rig_decode(rig_problem(rig, SHAPE_MAMBA), 4, 1000).classes[CLASS_DECODE_ATTENTION].present);
}

/* Query heads divide by tp; KV heads by at most their number; a latent not at all. */
static void attention_ranks(void **state)
{
    static const struct {
        int model;
        double tp, bytes_share, flops_share;
    } ROWS[] = {
        {SAMPLE_LLAMA_8B, 2, 2, 2},    {SAMPLE_LLAMA_8B, 8, 8, 8},    {SAMPLE_LLAMA_8B, 16, 8, 16},
        {SAMPLE_DEEPSEEK_V3, 8, 1, 8}, {SAMPLE_DEEPSEEK_V3, 2, 1, 2},
    };
    struct rig *rig = *state;
    for (size_t i = 0; i < ARRAY_LEN(ROWS); i++) {
        struct problem problem = problem_of(rig, SHAPES + ROWS[i].model);
        struct step one = rig_decode(problem, 4, 1000);
        problem.dep.tp = ROWS[i].tp;
        struct step rank = rig_decode(problem, 4, 1000);
        const struct class_cost *whole = &one.classes[CLASS_DECODE_ATTENTION];
        const struct class_cost *part = &rank.classes[CLASS_DECODE_ATTENTION];
        assert_near(part->bytes * ROWS[i].bytes_share, whole->bytes, 1e-12);
        assert_near(part->flops * ROWS[i].flops_share, whole->flops, 1e-12);
    }
}

/* A cascade kernel reads 600 shared tokens once for four sequences: 4,000 - 3 x 600 entries. */
static void shared_prefix(void **state)
{
    struct problem problem = rig_llama(*state);
    problem.dep.shared_prefix_kernel = true;
    problem.load.cached_prefix_tokens = 600;
    /* No cache keeps the prefix: every sequence has a copy of its own. */
    problem.dep.prefix_caching = false;
    struct step step = rig_decode(problem, 4, 1000);
    assert_near(step.classes[CLASS_DECODE_ATTENTION].bytes, 4000 * LLAMA_KV_BYTES, 1e-12);
    problem.dep.kv_tier = KV_TIER_HOST;
    step = rig_decode(problem, 4, 1000);
    assert_near(step.classes[CLASS_DECODE_ATTENTION].bytes, 2200 * LLAMA_KV_BYTES, 1e-12);
    problem.dep.kv_tier = KV_TIER_NONE;
    problem.dep.prefix_caching = true;
    step = rig_decode(problem, 4, 1000);
    assert_near(step.classes[CLASS_DECODE_ATTENTION].bytes, 2200 * LLAMA_KV_BYTES, 1e-12);
    assert_near(step.classes[CLASS_DECODE_ATTENTION].flops, 4000 * LLAMA_ENTRY_FLOPS, 1e-12);
    step = rig_decode(problem, 1, 1000);
    assert_near(step.classes[CLASS_DECODE_ATTENTION].bytes, 1000 * LLAMA_KV_BYTES, 1e-12);
    /* Images of one request are its own. */
    problem.model = &((struct rig *)*state)->models[SHAPE_MLLAMA];
    step = rig_decode(problem, 4, 1000);
    assert_near(step.classes[CLASS_DECODE_ATTENTION].bytes, 4096.0 * (32 * 2200 + 8 * 4 * 6404),
                1e-12);
}

/* Trap: flash attention writes no score matrix; without it four passes of 2 B over L x L x heads
 * lengthen the time and leave bytes and floor alone. */
static void unfused_attention(void **state)
{
    struct problem problem = rig_llama(*state);
    struct step fused = rig_prefill(problem, 8192, 0);
    problem.dep.flash_attention = false;
    struct step unfused = rig_prefill(problem, 8192, 0);
    const struct class_cost *a = &fused.classes[CLASS_PREFILL_ATTENTION];
    const struct class_cost *b = &unfused.classes[CLASS_PREFILL_ATTENTION];
    assert_near(a->bytes, b->bytes, 0);
    assert_near(a->floor_us, b->floor_us, 0);
    /* 32 layers x 33,554,432 pairs x 32 heads x 8 B over 0.36 x 3.35e6 B/us. */
    assert_near(b->memory_us - a->memory_us, 32 * 33554432.0 * 32 * 8 / (0.36 * 3.35e6), 1e-9);
}

/* Prefill of 1,000 tokens after 500: pairs 1,000 x 500 + 500,000; the cache read once: 1,500
 * tokens. In two chunks 1,000 and 1,500. */
static void prefill_attention(void **state)
{
    struct problem problem = rig_llama(*state);
    problem.dep.chunked_prefill_tokens = 0;
    struct step step = rig_prefill(problem, 1000, 500);
    expect(&step.classes[CLASS_PREFILL_ATTENTION], 1500 * LLAMA_KV_BYTES, 1e6 * LLAMA_ENTRY_FLOPS,
           32);
    problem.dep.chunked_prefill_tokens = 500;
    step = rig_prefill(problem, 1000, 500);
    expect(&step.classes[CLASS_PREFILL_ATTENTION], 2500 * LLAMA_KV_BYTES, 1e6 * LLAMA_ENTRY_FLOPS,
           64);
    /* A window of 4,096 before a chunk of 1,000 tokens, not the 20,000 that came before. */
    problem.model = &((struct rig *)*state)->models[SHAPE_MISTRAL];
    problem.dep.chunked_prefill_tokens = 0;
    step = rig_prefill(problem, 1000, 20000);
    expect(&step.classes[CLASS_PREFILL_ATTENTION], 5096 * LLAMA_KV_BYTES,
           1000 * 4096 * LLAMA_ENTRY_FLOPS, 32);
    /* Each of 1,000 queries meets 6,404 image tokens in 8 layers, earlier text in 32. */
    problem.model = &((struct rig *)*state)->models[SHAPE_MLLAMA];
    step = rig_prefill(problem, 1000, 0);
    expect(&step.classes[CLASS_PREFILL_ATTENTION], 4096 * (32 * 1000.0 + 8 * 6404),
           16384 * (32 * 5e5 + 8 * 6404e3), 40);
    /* V4: 128 + 1,000 raw entries beside the compressed ones of 11,000 tokens. */
    problem.model = &((struct rig *)*state)->models[SHAPE_V4];
    step = rig_prefill(problem, 1000, 10000);
    assert_near(step.classes[CLASS_PREFILL_ATTENTION].bytes,
                1024 * (2 * 1128 + 21 * (2750 + 1128) + 20 * (11000.0 / 128 + 1128)), 1e-12);
}

/* V3.2: 64 index heads of 128 over every token before: 16,384 flops and 256 B of one key. */
static void indexer(void **state)
{
    struct problem problem = rig_problem(*state, SHAPE_V32);
    problem.dep.chunked_prefill_tokens = 0;
    struct step step = rig_decode(problem, 4, 10000);
    expect(&step.classes[CLASS_SPARSE_INDEXER], 4 * 61 * 132e4, 4 * 61 * 16384e4, 61);
    /* 5.28 MB of keys and 0.16 MB of scores at 0.6 x 3.35 TB/s are 2.7065 us, 655.36 Mflop at 0.4 x
     * 1,979 Tflop/s 0.8279 us, and 8 us a layer. */
    assert_near(step.classes[CLASS_SPARSE_INDEXER].time_us, 61 * (2.706468 + 0.827893 + 8), 1e-6);
    assert_near(step.classes[CLASS_SPARSE_INDEXER].fixed_us, 61 * 8, 1e-12);
    step = rig_prefill(problem, 1000, 0);
    expect(&step.classes[CLASS_SPARSE_INDEXER], 61 * 132e3, 61 * 16384 * 5e5, 61);
    problem.dep.chunked_prefill_tokens = 500;
    step = rig_prefill(problem, 1000, 0);
    expect(&step.classes[CLASS_SPARSE_INDEXER], 61 * 132 * 1500.0, 61 * 16384 * 5e5, 122);
    /* V4: one key for four tokens in 21 layers. */
    problem = rig_problem(*state, SHAPE_V4);
    problem.dep.tp = 8; /* whole on every rank */
    step = rig_decode(problem, 1, 10000);
    expect(&step.classes[CLASS_SPARSE_INDEXER], 21 * 33e4, 21 * 4096e4, 21);
    assert_false(rig_decode(rig_llama(*state), 1, 1000).classes[CLASS_SPARSE_INDEXER].present);
}

/* A token's own entries: as many bytes as one more token costs while no window is full. */
static void kv_write(void **state)
{
    static const struct {
        int shape;
        double bytes;
    } ROWS[] = {
        {SHAPES + SAMPLE_LLAMA_8B, 131072},
        {SHAPES + SAMPLE_DEEPSEEK_V3, 70272},
        {SHAPE_MISTRAL, 131072},
        {SHAPE_V32, 78324},
        {SHAPE_V4, 50261},
        {SHAPE_MLLAMA, 131072},
    };
    struct rig *rig = *state;
    for (size_t i = 0; i < ARRAY_LEN(ROWS); i++) {
        struct problem problem = problem_of(rig, ROWS[i].shape);
        struct step step = rig_decode(problem, 3, 5000);
        assert_near(step.classes[CLASS_KV_WRITE].bytes, 3 * ROWS[i].bytes, 1e-12);
        assert_near(step.classes[CLASS_KV_WRITE].flops, 0, 0);
        step = rig_prefill(problem, 777, 10);
        assert_near(step.kv_write_bytes, 777 * ROWS[i].bytes, 1e-12);
    }
    assert_false(
        rig_decode(rig_problem(rig, SHAPE_MAMBA), 3, 1000).classes[CLASS_KV_WRITE].present);
}

/* Mamba-2.8B: 22,937,600 B read and written by each sequence at any context; four flops a state
 * element and row. In prefill once a chunk. */
static void state_update(void **state)
{
    struct problem problem = rig_problem(*state, SHAPE_MAMBA);
    double flops = 4 * 64 * 81920.0;
    struct step step = rig_decode(problem, 5, 1000);
    expect(&step.classes[CLASS_STATE_UPDATE], 10 * 22937600.0, 5 * flops, 64);
    step = rig_decode(problem, 5, 1e6);
    expect(&step.classes[CLASS_STATE_UPDATE], 10 * 22937600.0, 5 * flops, 64);
    problem.dep.chunked_prefill_tokens = 500;
    step = rig_prefill(problem, 1000, 0);
    expect(&step.classes[CLASS_STATE_UPDATE], 4 * 22937600.0, 1000 * flops, 128);
}

/* Trap: the input embedding is a gather of one row, 8,192 B. 65 norms of 8,192 B; unfused passes of
 * 16 x 4,096 + 6 x 14,336 B a layer, which a fused kernel saves: not in the floor. */
static void norm_elementwise(void **state)
{
    struct step step = rig_decode(rig_llama(*state), 2, 1000);
    const struct class_cost *cost = &step.classes[CLASS_NORM_ELEMENTWISE];
    double must = 65 * 8192.0 + 2 * 8192;
    expect(cost, must + 2 * 32 * 151552.0, 0, 128);
    assert_near(cost->floor_us, must / 3.35e6, 1e-12);
    assert_near(cost->fixed_us, 32 * 15, 1e-12);
    assert_near(cost->weight_bytes, 65 * 8192.0, 0);
}

/* Trap: sampling scales with rows x vocabulary. Two passes of 513,024 B; the floor has one. */
static void sampling(void **state)
{
    struct step step = rig_decode(rig_llama(*state), 256, 1000);
    const struct class_cost *cost = &step.classes[CLASS_SAMPLING];
    expect(cost, 2 * 256 * 513024.0, 0, 4);
    assert_near(cost->floor_us, 256 * 513024.0 / 3.35e6, 1e-12);
    assert_near(cost->fixed_us, 25, 0);
    assert_near(cost->time_us, 25 + 2 * 256 * 513024.0 / 3.35e6 / 0.7, 1e-12);
}

/* Passes over fp32 logits: penalties 3, min_p 5, top_p 4, top_k 2, masks 1 each; a structured mask
 * one and a bit per entry. */
static void processors(void **state)
{
    static const struct {
        unsigned bits;
        bool structured;
        double passes;
    } ROWS[] = {
        {PROCESSOR_PENALTIES, false, 3},  {PROCESSOR_MIN_P, false, 5},
        {PROCESSOR_TOP_P, false, 4},      {PROCESSOR_TOP_K, false, 2},
        {PROCESSOR_LOGIT_BIAS, false, 1}, {PROCESSOR_MIN_TOKENS, false, 1},
        {PROCESSOR_BAD_WORDS, false, 1},  {PROCESSOR_TOP_P | PROCESSOR_TOP_K, false, 6},
        {0, true, 1 + 1.0 / 32},          {PROCESSOR_MIN_P, true, 6 + 1.0 / 32},
    };
    struct problem problem = rig_llama(*state);
    for (size_t i = 0; i < ARRAY_LEN(ROWS); i++) {
        problem.dep.logit_processors = ROWS[i].bits;
        problem.dep.structured_output = ROWS[i].structured;
        struct step step = rig_decode(problem, 3, 1000);
        assert_near(step.classes[CLASS_PROCESSORS_DEVICE].bytes, ROWS[i].passes * 3 * 513024,
                    1e-12);
    }
    problem.dep.sampler = SAMPLER_HOST;
    assert_false(rig_decode(problem, 3, 1000).classes[CLASS_PROCESSORS_DEVICE].present);
    assert_false(rig_decode(rig_llama(*state), 3, 1000).classes[CLASS_PROCESSORS_DEVICE].present);
}

/* Trap: a verify step runs (n + 1) rows of each sequence, reads weights and cache once, and gains
 * 1 + a + ... + a^n tokens. */
static void verify_step(void **state)
{
    struct problem problem = rig_llama(*state);
    problem.dep.spec_method = SPEC_EAGLE3;
    problem.dep.spec_tokens = 3;
    struct step step = rig_decode(problem, 4, 1000);
    assert_near(step.tokens, 16, 0);
    assert_near(step.batch, 4, 0);
    assert_near(step.classes[CLASS_DENSE_GEMM].weight_bytes, 2 * LLAMA_LINEAR_PARAMS, 1e-12);
    assert_near(step.classes[CLASS_DENSE_GEMM].flops, 2 * 16 * LLAMA_LINEAR_PARAMS, 1e-12);
    assert_near(step.classes[CLASS_DECODE_ATTENTION].bytes, 4000 * LLAMA_KV_BYTES, 1e-12);
    assert_near(step.classes[CLASS_DECODE_ATTENTION].flops, 16000 * LLAMA_ENTRY_FLOPS, 1e-12);
    assert_near(step.classes[CLASS_KV_WRITE].bytes, 16 * LLAMA_KV_BYTES, 1e-12);
    assert_near(step.classes[CLASS_SAMPLING].bytes, 2 * 16 * 513024.0, 1e-12);

    static const struct {
        double n, a, gain;
    } ROWS[] = {
        {1, 0.7, 1.7}, {3, 0.7, 2.533}, {2, 0.5, 1.75}, {16, 0, 1}, {16, 1, 17}, {0, 0.9, 1},
    };

    for (size_t i = 0; i < ARRAY_LEN(ROWS); i++) {
        problem.dep.spec_tokens = ROWS[i].n;
        problem.dep.spec_acceptance = ROWS[i].a;
        assert_near(rig_decode(problem, 1, 1000).tokens_per_step, ROWS[i].gain, 1e-12);
    }
    /* Experts: coverage grows with the rows. Mixtral, one sequence, 4 rows: 8 (1 - 0.75^4). */
    problem = rig_problem(*state, SHAPE_MIXTRAL);
    problem.dep.spec_method = SPEC_EAGLE;
    problem.dep.spec_tokens = 3;
    step = rig_decode(problem, 1, 1000);
    assert_near(step.classes[CLASS_MOE_EXPERT_GEMM].bytes, 32 * 5.46875 * 2 * MIXTRAL_EXPERT,
                1e-12);
}

/* Three draft passes of one layer of 32 (half a layer, 1.6 layers) and three times the head. */
static void drafting(void **state)
{
    static const struct {
        enum speculative_method method;
        double layers;
    } ROWS[] = {
        {SPEC_EAGLE, 1},    {SPEC_EAGLE3, 1},        {SPEC_MTP, 1},
        {SPEC_MEDUSA, 0.5}, {SPEC_DRAFT_MODEL, 1.6},
    };
    struct problem problem = rig_llama(*state);
    problem.dep.spec_tokens = 3;
    double body = 2 * LLAMA_LINEAR_PARAMS + 2 * LLAMA_ROW_BYTES;
    double head = LLAMA_HEAD_BYTES + 2 * (513024.0 + 8192);
    for (size_t i = 0; i < ARRAY_LEN(ROWS); i++) {
        problem.dep.spec_method = ROWS[i].method;
        struct step step = rig_decode(problem, 2, 1000);
        const struct class_cost *cost = &step.classes[CLASS_SPECULATIVE_DRAFT];
        double share = 3 * ROWS[i].layers / 32;
        expect(cost, share * body + 3 * head,
               2 * (share * 2 * LLAMA_LINEAR_PARAMS + 3 * LLAMA_HEAD_BYTES), share * 128 + 3);
        assert_int_equal(cost->basis, BASIS_ASSUMED);
        assert_true(cost->time_us >= cost->floor_us);
    }
    problem.dep.spec_method = SPEC_NGRAM;
    assert_false(rig_decode(problem, 2, 1000).classes[CLASS_SPECULATIVE_DRAFT].present);
    problem.dep.spec_method = SPEC_EAGLE;
    problem.dep.spec_tokens = 0;
    assert_false(rig_decode(problem, 2, 1000).classes[CLASS_SPECULATIVE_DRAFT].present);
}

/* Drafts of a MoE model touch experts by their own rows: one sequence's two, of three passes of one
 * layer of 32. */
static void drafting_experts(void **state)
{
    struct problem problem = rig_problem(*state, SHAPE_MIXTRAL);
    problem.dep.spec_method = SPEC_EAGLE;
    problem.dep.spec_tokens = 3;
    struct step step = rig_decode(problem, 1, 1000);
    double layer = 2 * 4096.0 * 128 * (32 + 16 + 32) + 2 * 2 * MIXTRAL_EXPERT;
    assert_near(step.classes[CLASS_SPECULATIVE_DRAFT].weight_bytes,
                3 * layer + 3 * 2 * 32000.0 * 4096, 1e-12);
}

/*
 * A fit's efficiencies are shares of the peak of its own type: fp8's e_c 0.503 of 2 x 989.5
 * TFLOP/s, bf16's 0.813 of 989.5. Where an fp8 checkpoint keeps bf16 tensors their fit is bf16's.
 */
static void fitted_peaks(void **state)
{
    struct rig *rig = *state;
    struct problem problem = rig_llama(rig);
    double flops_us = 2 * LLAMA_LINEAR_PARAMS * 4096 / 989.5e6;
    struct step step = rig_decode(problem, 4096, 1);
    assert_near(step.classes[CLASS_DENSE_GEMM].compute_us, flops_us / 0.813, 1e-12);
    assert_int_equal(step.classes[CLASS_DENSE_GEMM].fit->dtype, FIT_BF16);
    problem.dep.weights = &rig->sample->weights[SAMPLE_FP8];
    step = rig_decode(problem, 4096, 1);
    assert_near(step.classes[CLASS_DENSE_GEMM].compute_us, flops_us / 2 / 0.503, 1e-12);
    assert_int_equal(step.classes[CLASS_DENSE_GEMM].fit->dtype, FIT_FP8);
    assert_int_equal(step.classes[CLASS_LM_HEAD].fit->dtype, FIT_BF16);
    /* Four-bit types were fitted against four times the 16-bit peak; a weight-only one against it.
     */
    struct op_fit fits[] = {{.id = 1,
                             .hardware = SAMPLE_H100,
                             .engine = SAMPLE_VLLM,
                             .version = {0, 24, 0},
                             .op = FIT_GEMM,
                             .dtype = FIT_NVFP4,
                             .e_m = 1,
                             .e_c = 0.5,
                             .q = 1}};
    struct library lib = rig->sample->lib;
    struct weight_format format = rig->sample->weights[SAMPLE_AWQ];
    lib.op_fits = fits;
    lib.n_op_fits = 1;
    problem.lib = &lib;
    problem.dep.weights = &format;
    format.gemm_fits[0] = FIT_NVFP4;
    step = rig_decode(problem, 4096, 1);
    assert_near(step.classes[CLASS_DENSE_GEMM].compute_us, flops_us / 4 / 0.5, 1e-12);
    format.gemm_fits[0] = fits[0].dtype = FIT_INT4_WO;
    step = rig_decode(problem, 4096, 1);
    assert_near(step.classes[CLASS_DENSE_GEMM].compute_us, flops_us / 0.5, 1e-12);
    /* GGUF blocks multiply at the 16-bit peak. */
    problem.dep.weights = &rig->sample->weights[SAMPLE_Q8_0];
    step = rig_decode(problem, 8192, 1);
    assert_near(step.classes[CLASS_DENSE_GEMM].floor_us, 2 * flops_us, 1e-12);
}

/* An engine that routes evenly takes the fit of even routing, another that of skewed routing. */
static void routing_of_the_engine(void **state)
{
    struct rig *rig = *state;
    struct engine engine = rig->sample->engines[SAMPLE_VLLM];
    struct op_fit fits[2] = {{.id = 1,
                              .hardware = SAMPLE_H100,
                              .engine = SAMPLE_VLLM,
                              .op = FIT_MOE_BALANCED,
                              .dtype = FIT_BF16,
                              .e_m = 0.5,
                              .e_c = 0.5,
                              .q = 1}};
    fits[1] = fits[0];
    fits[1].id = 2;
    fits[1].op = FIT_MOE_SKEW_101;
    struct library lib = rig->sample->lib;
    lib.op_fits = fits;
    lib.n_op_fits = 2;
    struct problem problem = rig_problem(rig, SHAPE_MIXTRAL);
    problem.lib = &lib;
    problem.dep.engine = &engine;
    engine.moe_fit_balanced = true;
    assert_int_equal(rig_decode(problem, 1, 1).classes[CLASS_MOE_EXPERT_GEMM].fit->id, 1);
    engine.moe_fit_balanced = false;
    assert_int_equal(rig_decode(problem, 1, 1).classes[CLASS_MOE_EXPERT_GEMM].fit->id, 2);
}

/* Trap: a kernel's own start shrinks in a graph, to the recorded share of its t0, and not to
 * nothing: 128 GEMMs at 3.45 us, 0.7 of it in a graph, all of it eager. A latent attention is a
 * module whose start a graph does not hide. */
static void starts_of_kernels(void **state)
{
    struct rig *rig = *state;
    struct problem problem = rig_llama(rig);
    assert_near(rig_decode(problem, 4, 1000).classes[CLASS_DENSE_GEMM].fixed_us, 128 * 3.45 * 0.7,
                1e-12);
    problem.dep.cuda_graphs = false;
    assert_near(rig_decode(problem, 4, 1000).classes[CLASS_DENSE_GEMM].fixed_us, 128 * 3.45, 1e-12);
    problem = sample_problem(rig->sample, SAMPLE_DEEPSEEK_V3, SAMPLE_H100);
    assert_near(rig_decode(problem, 4, 1000).classes[CLASS_DECODE_ATTENTION].fixed_us, 61 * 13.69,
                1e-12);
}

/* Shared blocks are stored once and read as often as they run: six of eight runs borrow weights. */
static void shared_blocks(void **state)
{
    struct rig *rig = *state;
    struct layer_group group = rig->sample->groups[SAMPLE_LLAMA_8B][0];
    struct model model = rig->sample->models[SAMPLE_LLAMA_8B];
    struct model_fault fault;
    group.count = 2;
    group.invocations = 8;
    model.groups = &group;
    assert_true(model_derive(&model, &fault));
    struct problem problem = rig_llama(rig);
    problem.model = &model;
    struct step step = rig_decode(problem, 1, 1000);
    assert_near(step.classes[CLASS_DENSE_GEMM].weight_bytes, 8 * 2 * 218103808.0, 1e-12);
    assert_near(step.classes[CLASS_DECODE_ATTENTION].bytes, 8 * 4096e3, 1e-12);
    assert_near(rank_kv_bytes(&model, &problem.dep, 1000), 8 * 4096e3, 1e-12);
    assert_near(rank_weight_bytes(&model, &problem.dep),
                2 * (2 * (218103808.0 + 8192) + 4096) + 2 * LLAMA_HEAD_BYTES, 1e-12);
}

/* Batch-invariant kernels: 42 s against 26 s; bytes, flops and floors are the same. */
static void batch_invariant(void **state)
{
    struct problem problem = rig_llama(*state);
    struct step plain = rig_decode(problem, 8, 1000);
    problem.dep.batch_invariant = true;
    struct step invariant = rig_decode(problem, 8, 1000);
    const struct class_cost *a = &plain.classes[CLASS_DENSE_GEMM];
    const struct class_cost *b = &invariant.classes[CLASS_DENSE_GEMM];
    assert_near(b->floor_us, a->floor_us, 0);
    assert_near(b->bytes, a->bytes, 0);
    assert_near(b->time_us / a->time_us, 42.0 / 26, 1e-9);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(dense_gemm),
        cmocka_unit_test(compute_types),
        cmocka_unit_test(lm_head),
        cmocka_unit_test(experts),
        cmocka_unit_test(gating),
        cmocka_unit_test(experts_of_their_own_format),
        cmocka_unit_test(decode_attention),
        cmocka_unit_test(attention_ranks),
        cmocka_unit_test(shared_prefix),
        cmocka_unit_test(unfused_attention),
        cmocka_unit_test(prefill_attention),
        cmocka_unit_test(indexer),
        cmocka_unit_test(kv_write),
        cmocka_unit_test(state_update),
        cmocka_unit_test(norm_elementwise),
        cmocka_unit_test(sampling),
        cmocka_unit_test(processors),
        cmocka_unit_test(verify_step),
        cmocka_unit_test(drafting),
        cmocka_unit_test(drafting_experts),
        cmocka_unit_test(fitted_peaks),
        cmocka_unit_test(routing_of_the_engine),
        cmocka_unit_test(starts_of_kernels),
        cmocka_unit_test(shared_blocks),
        cmocka_unit_test(batch_invariant),
    };
    return cmocka_run_group_tests(tests, rig_setup, rig_teardown);
}
