/* What one rank holds: weights, heads, caches, states, entries of a cache. */
#include "parallel.h"

#include "check.h"
#include "sample_rig.h"

static struct deployment deployment(const struct rig *rig, double tp, double pp, double dp,
                                    double ep)
{
    struct deployment dep = rig_llama(rig).dep;
    dep.tp = tp;
    dep.pp = pp;
    dep.dp = dp;
    dep.ep = ep;
    return dep;
}

/* Trap: experts spread over tp x dp devices, ep ways by expert and the rest by width. */
static void ranks(void **state)
{
    static const struct {
        double tp, pp, dp, ep, expert_tp, devices;
    } ROWS[] = {
        {1, 1, 1, 1, 1, 1}, {8, 1, 1, 1, 8, 8},  {8, 1, 1, 8, 1, 8}, {2, 2, 4, 4, 2, 16},
        {1, 1, 8, 8, 1, 8}, {4, 3, 2, 1, 8, 24}, {1, 1, 1, 8, 1, 1}, /* more than there are devices:
                                                                        never less than a whole
                                                                        width */
    };

    for (size_t i = 0; i < ARRAY_LEN(ROWS); i++) {
        struct deployment dep = deployment(*state, ROWS[i].tp, ROWS[i].pp, ROWS[i].dp, ROWS[i].ep);
        struct ranks got = ranks_of(&dep);
        assert_near(got.expert_tp, ROWS[i].expert_tp, 0);
        assert_near(got.devices, ROWS[i].devices, 0);
    }
}

/* Llama-3.1-8B: q 4,096 columns, k and v 2,048 of 8 heads. Columns divide by tp, KV columns by
 * min(tp, 8); rows of o and down divide in k; what is not sharded stays whole. */
static void matrices(void **state)
{
    (void)state;
    const struct linear qkv = {.k = 4096, .n = 6144, .n_kv = 2048, .shard = SHARD_COLUMNS};
    const struct linear down = {.k = 14336, .n = 4096, .shard = SHARD_ROWS};
    const struct linear router = {.k = 4096, .n = 8, .shard = SHARD_NONE};

    static const struct {
        double tp, qkv_n, down_k;
    } ROWS[] = {
        {1, 6144, 14336},     {2, 3072, 7168},      {4, 1536, 3584},
        {8, 768, 1792},       {16, 256 + 256, 896}, /* 4,096/16 of q, 2,048/8 of k and v */
        {32, 128 + 256, 448},
    };

    for (size_t i = 0; i < ARRAY_LEN(ROWS); i++) {
        double tp = ROWS[i].tp;
        assert_near(linear_rank_n(&qkv, 8, tp), ROWS[i].qkv_n, 0);
        assert_near(linear_rank_k(&qkv, tp), 4096, 0);
        assert_near(linear_rank_elements(&qkv, 8, tp), 4096 * ROWS[i].qkv_n, 0);
        assert_near(linear_rank_k(&down, tp), ROWS[i].down_k, 0);
        assert_near(linear_rank_n(&down, 0, tp), 4096, 0);
        assert_near(linear_rank_elements(&router, 0, tp), 4096 * 8, 0);
    }
}

/* KV heads divide until each rank has one; a latent is whole everywhere. */
static void cache_shares(void **state)
{
    const struct rig *rig = *state;
    const struct mixer *gqa = &rig->sample->groups[SAMPLE_LLAMA_8B][0].mixers[0];
    const struct mixer *mla = &rig->sample->groups[SAMPLE_DEEPSEEK_V3][0].mixers[0];
    const struct mixer *mamba = &rig->groups[SHAPE_MAMBA][0].mixers[0];
    assert_near(mixer_cache_share(gqa, 1), 1, 0);
    assert_near(mixer_cache_share(gqa, 2), 0.5, 0);
    assert_near(mixer_cache_share(gqa, 8), 0.125, 0);
    assert_near(mixer_cache_share(gqa, 64), 0.125, 0);
    assert_near(mixer_cache_share(mla, 8), 1, 0);
    assert_near(mixer_cache_share(mamba, 8), 1, 0);
}

/*
 * Llama-3.1-8B, 16,060,522,496 B: 65 norms of 4,096 x 2 B = 532,480 are copied, KV columns
 * 32 x 4,096 x 2,048 x 2 = 536,870,912 divide by at most 8, the embedding and the head
 * 1,050,673,152 each.
 */
static void dense_weights(void **state)
{
    static const struct {
        double tp, pp, mean, max;
    } ROWS[] = {
        {1, 1, 16060522496, 16060522496},
        /* (16,060,522,496 - 532,480)/2 + 532,480 */
        {2, 1, 8030527488, 8030527488},
        /* 15,523,119,104/16 + 536,870,912/8 + 532,480 */
        {16, 1, 1037836288, 1037836288},
        /* a quarter each; the first stage has its 8 layers and the embedding:
         * 13,959,176,192/4 + 1,050,673,152 */
        {1, 4, 4015130624, 4540467200},
        /* five stages: seven of 32 layers, 13,959,176,192 x 7/32 + 1,050,673,152 */
        {1, 5, 3212104499.2, 4104242944},
        /* more stages than layers: one layer, 13,959,176,192/32 + 1,050,673,152 */
        {1, 64, 250945664, 1486897408},
    };
    const struct rig *rig = *state;
    const struct model *model = &rig->sample->models[SAMPLE_LLAMA_8B];
    for (size_t i = 0; i < ARRAY_LEN(ROWS); i++) {
        struct deployment dep = deployment(rig, ROWS[i].tp, ROWS[i].pp, 1, 1);
        assert_near(rank_weight_bytes(model, &dep), ROWS[i].mean, 1e-9);
        assert_near(rank_weight_bytes_max(model, &dep), ROWS[i].max, 1e-9);
    }
}

/* Trap: tied embeddings are stored once. Qwen3-0.6B, 596,049,920 parameters with the one table. */
static void tied_embedding(void **state)
{
    const struct rig *rig = *state;
    struct deployment dep = deployment(rig, 1, 1, 1, 1);
    const struct model *model = &rig->sample->models[SAMPLE_QWEN3_06B];
    double table = 151936.0 * 1024;
    double layer = 1024.0 * 128 * (16 + 2 * 8 + 16) + 3 * 1024.0 * 3072 + 2 * 1024;
    assert_near(rank_weight_bytes(model, &dep), 2 * (28 * layer + 1024 + table), 1e-9);
    /* The one table is the head: a recipe that keeps heads in 1 byte stores it in that. */
    struct weight_format format = rig->sample->weights[SAMPLE_BF16];
    format.bytes[ROLE_LM_HEAD] = 1;
    dep.weights = &format;
    assert_near(rank_weight_bytes(model, &dep), 2 * (28 * layer + 1024) + table, 1e-9);
}

/*
 * Mixtral-8x7B, 46,702,792,704 parameters, 45,097,156,608 of them in experts. Over two devices a
 * rank has half of the experts' bytes, by expert or by width; under attention DP all of the rest.
 */
static void expert_weights(void **state)
{
    const struct rig *rig = *state;
    const struct model *model = &rig->models[SHAPE_MIXTRAL];
    struct deployment one = deployment(rig, 1, 1, 1, 1);
    struct deployment by_width = deployment(rig, 2, 1, 1, 1);
    struct deployment by_expert = deployment(rig, 2, 1, 1, 2);
    struct deployment by_sequence = deployment(rig, 1, 1, 2, 2);
    assert_near(rank_weight_bytes(model, &one), 2 * 46702792704.0, 1e-9);
    assert_near(rank_weight_bytes(model, &by_width), rank_weight_bytes(model, &by_expert), 1e-12);
    assert_near(rank_weight_bytes(model, &by_sequence), 48308428800.0, 1e-9);
}

/* A format that covers experts alone leaves the rest at 16 bits; GGUF formats every tensor. */
static void format_scope(void **state)
{
    const struct rig *rig = *state;
    const struct model *oss = &rig->models[SHAPE_GPT_OSS], *plain = &rig->models[SHAPE_MIXTRAL];
    struct deployment stored[SAMPLE_FORMATS];
    for (int i = 0; i < SAMPLE_FORMATS; i++)
        stored[i] = (struct deployment){.weights = &rig->sample->weights[i]};
    assert_near(role_bytes(oss, &stored[SAMPLE_FP8], ROLE_ATTENTION), 2, 0);
    assert_near(role_bytes(oss, &stored[SAMPLE_FP8], ROLE_EXPERT), 1, 0);
    assert_near(role_bytes(oss, &stored[SAMPLE_Q8_0], ROLE_ATTENTION), 34.0 / 32, 0);
    assert_near(role_bytes(oss, &stored[SAMPLE_BF16], ROLE_EXPERT), 2, 0);
    assert_near(role_bytes(plain, &stored[SAMPLE_FP8], ROLE_ATTENTION), 1, 0);
    /* Trap: mixed checkpoints. The head and the router of an fp8 checkpoint stay bf16. */
    assert_near(role_bytes(plain, &stored[SAMPLE_FP8], ROLE_LM_HEAD), 2, 0);
    assert_near(role_bytes(plain, &stored[SAMPLE_FP8], ROLE_ROUTER), 2, 0);
    /* Experts in a format of their own: fp8 blocks around 4-bit experts. */
    stored[SAMPLE_FP8].expert_weights = &rig->sample->weights[SAMPLE_AWQ];
    assert_near(role_bytes(plain, &stored[SAMPLE_FP8], ROLE_ATTENTION), 1, 0);
    assert_near(role_bytes(plain, &stored[SAMPLE_FP8], ROLE_EXPERT), 0.5 + 2.5 / 128, 0);
}

struct kv_row {
    int shape; /* SHAPES and more: sample_library's models */
    double tp, pp;
    int kv;
    double fresh, beyond;
};

/*
 * Bytes of one more token on one device, before any window is full and after.
 * Llama-3.1-8B: 32 x 2 x 8 x 128 x 2 = 131,072. DeepSeek-V3: 61 x 576 x 2 = 70,272, one latent for
 * K and V, copied on each rank. gpt-oss: 24 x 2 x 8 x 64 x 2, half of it in windows of 128.
 * V3.2: 61 x (576 x 2 + 132), the indexer's key in 8 bits with a scale of 4 B. V4: 2 x 512 x 2 + 21
 * x
 * ((512/4 + 512) x 2 + 132/4) + 20 x (512/128 + 512) x 2; beyond the windows 21 x (128 x 2 + 33) +
 * 20 x 4 x 2.
 */
static const struct kv_row KV_ROWS[] = {
    {SHAPES + SAMPLE_LLAMA_8B, 1, 1, 0, 131072, 131072},
    {SHAPES + SAMPLE_LLAMA_8B, 2, 1, 0, 65536, 65536},
    {SHAPES + SAMPLE_LLAMA_8B, 16, 1, 0, 16384, 16384},
    {SHAPES + SAMPLE_LLAMA_8B, 2, 4, 0, 16384, 16384},
    {SHAPES + SAMPLE_LLAMA_8B, 1, 1, 1, 65536, 65536},
    {SHAPES + SAMPLE_LLAMA_8B, 1, 1, 2, 69632, 69632},
    {SHAPES + SAMPLE_DEEPSEEK_V3, 1, 1, 0, 70272, 70272},
    {SHAPES + SAMPLE_DEEPSEEK_V3, 8, 1, 0, 70272, 70272},
    {SHAPE_GPT_OSS, 1, 1, 0, 49152, 24576},
    {SHAPE_MISTRAL, 1, 1, 0, 131072, 0},
    {SHAPE_SCOUT, 1, 1, 0, 196608, 49152},
    {SHAPE_V32, 8, 1, 0, 78324, 78324},
    {SHAPE_V4, 8, 1, 0, 50261, 6229},
    {SHAPE_MAMBA, 1, 1, 0, 0, 0},
    {SHAPE_MLLAMA, 1, 1, 0, 131072, 131072},
};

static const struct model *model_of(const struct rig *rig, int shape)
{
    return shape < SHAPES ? &rig->models[shape] : &rig->sample->models[shape - SHAPES];
}

static void kv_per_token(void **state)
{
    const struct rig *rig = *state;
    for (size_t i = 0; i < ARRAY_LEN(KV_ROWS); i++) {
        const struct kv_row *row = &KV_ROWS[i];
        struct deployment dep = deployment(rig, row->tp, row->pp, 1, 1);
        dep.kv_cache = &rig->sample->kv[row->kv];
        const struct model *model = model_of(rig, row->shape);
        assert_near(rank_kv_bytes_per_token(model, &dep, false), row->fresh, 1e-9);
        assert_near(rank_kv_bytes_per_token(model, &dep, true), row->beyond, 1e-9);
    }
}

/* One sequence: Mistral keeps 4,096 tokens of 10,000; Llama-3.2-Vision 6,404 image tokens in each
 * of 8 layers beside 1,000 tokens in 32: 8 x 6,404 x 4,096 + 1,000 x 131,072. */
static void kv_of_a_sequence(void **state)
{
    const struct rig *rig = *state;
    struct deployment dep = deployment(rig, 1, 1, 1, 1);
    assert_near(rank_kv_bytes(&rig->models[SHAPE_MISTRAL], &dep, 10000), 536870912, 1e-12);
    assert_near(rank_kv_bytes(&rig->models[SHAPE_MISTRAL], &dep, 100), 13107200, 1e-12);
    assert_near(rank_kv_bytes(&rig->models[SHAPE_MLLAMA], &dep, 1000), 340918272, 1e-12);
    assert_near(rank_kv_bytes(&rig->models[SHAPE_MAMBA], &dep, 1000), 0, 0);
}

/* Trap: a state-space layer has a constant state. Mamba-2.8B: 64 x (5,120 x 16 x 4 B + 5,120 x 3 x
 * 2 B) = 22,937,600 B at any length. */
static void states(void **state)
{
    const struct rig *rig = *state;
    struct deployment one = deployment(rig, 1, 1, 1, 1), four = deployment(rig, 2, 2, 1, 1);
    assert_near(rank_state_bytes(&rig->models[SHAPE_MAMBA], &one), 22937600, 1e-12);
    assert_near(rank_state_bytes(&rig->models[SHAPE_MAMBA], &four), 5734400, 1e-12);
    assert_near(rank_state_bytes(&rig->models[SHAPE_MISTRAL], &one), 0, 0);
}

/* Entries that one sequence of a context keeps and that its decode step reads. */
static void entries(void **state)
{
    static const struct {
        int shape, group;
        double context, stored, read;
    } ROWS[] = {
        {SHAPE_MIXTRAL, 0, 1000, 1000, 1000},
        {SHAPE_MISTRAL, 0, 1000, 1000, 1000},
        {SHAPE_MISTRAL, 0, 10000, 4096, 4096},
        {SHAPE_SCOUT, 0, 8192, 8192, 8192},
        {SHAPE_SCOUT, 0, 20000, 8192, 4096}, /* since the last boundary: W/2 on average */
        {SHAPE_V32, 0, 1000, 1000, 1000},
        {SHAPE_V32, 0, 10000, 10000, 2048},
        {SHAPE_V4, 0, 10000, 128, 128},
        {SHAPE_V4, 1, 100, 25 + 100, 25 + 100},
        {SHAPE_V4, 1, 10000, 2500 + 128, 512 + 128},
        {SHAPE_V4, 2, 12800, 100 + 128, 100 + 128},
        {SHAPE_MLLAMA, 1, 1, 6404, 6404},
        {SHAPE_MLLAMA, 1, 100000, 6404, 6404},
    };
    const struct rig *rig = *state;
    for (size_t i = 0; i < ARRAY_LEN(ROWS); i++) {
        const struct mixer *mixer = &rig->groups[ROWS[i].shape][ROWS[i].group].mixers[0];
        assert_near(mixer_entries_stored(mixer, ROWS[i].context), ROWS[i].stored, 1e-12);
        assert_near(mixer_entries_read(mixer, ROWS[i].context), ROWS[i].read, 1e-12);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ranks),          cmocka_unit_test(matrices),
        cmocka_unit_test(cache_shares),   cmocka_unit_test(dense_weights),
        cmocka_unit_test(tied_embedding), cmocka_unit_test(expert_weights),
        cmocka_unit_test(format_scope),   cmocka_unit_test(kv_per_token),
        cmocka_unit_test(states),         cmocka_unit_test(kv_of_a_sequence),
        cmocka_unit_test(entries),
    };
    return cmocka_run_group_tests(tests, rig_setup, rig_teardown);
}
