/* Whole models against figures worked out by hand in the comments and published counts. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "mixer.h"
#include "model.h"

#include "../figures.h"

static void derive(struct model *model)
{
    struct model_fault fault;
    assert_true(model_derive(model, &fault));
}

/*
 * Llama-3.1-8B, config.json of meta-llama/Llama-3.1-8B:
 *   embedding and head 2 x 128,256 x 4,096                            = 1,050,673,152
 *   a layer: qkv 4,096 x 6,144, o 4,096 x 4,096                       =    41,943,040
 *            gate, up, down 3 x 4,096 x 14,336                        =   176,160,768
 *            two norms                                                =         8,192
 *   32 layers 6,979,584,000, final norm 4,096: 8,030,261,248 in all (the published count).
 * Streamed in a step at 2 B: without the embedding 7,504,924,672 x 2  = 15,009,849,344 B.
 * KV a token: 32 layers x 2 x 8 heads x 128 x 2 B                     = 131,072 B.
 */
static void llama_3_1_8b(void **state)
{
    (void)state;
    struct layer_group group = {
        .count = 32,
        .mixers = {{.kind = MIXER_FULL,
                    .n_heads = 32,
                    .n_kv_heads = 8,
                    .k_dim = 128,
                    .v_dim = 128,
                    .has_kv_projection = true}},
        .n_mixers = 1,
        .ffns = {{.kind = FFN_DENSE, .matrices = 3, .width = 14336}},
        .n_ffns = 1,
        .norm_params = 8192,
    };
    struct model model = {.hidden = 4096,
                          .vocab = 128256,
                          .final_norm_params = 4096,
                          .groups = &group,
                          .n_groups = 1};
    derive(&model);
    assert_figure(model.params_total, 8030261248.0);
    assert_figure(model.params_active, 8030261248.0);
    assert_figure(model.params_matmul_per_token * 2, 15009849344.0);
    assert_figure(model.params_by_role[ROLE_ATTENTION], 32 * 41943040.0);
    assert_figure(model.params_by_role[ROLE_DENSE_FFN], 32 * 176160768.0);
    assert_figure(model.params_by_role[ROLE_NORM], 32 * 8192.0 + 4096);
    assert_figure(model.params_by_role[ROLE_LM_HEAD], 525336576.0);
    assert_figure(model.kv_bytes_per_token, 131072.0);
    assert_figure(model.kv_bytes_per_token_beyond_window, 131072.0);
    assert_figure(model.state_bytes_per_sequence, 0);
    assert_figure(model.n_layers, 32);
    assert_false(model.has_moe || model.has_mla || model.has_state || model.has_window);

    const struct linear *qkv = &group.mixers[0].linears[0];
    assert_figure(qkv->k, 4096);
    assert_figure(qkv->n, 6144);
    assert_figure(qkv->n_kv, 2048);
    assert_int_equal(qkv->shard, SHARD_COLUMNS);
    const struct linear *down = &group.ffns[0].linears[1];
    assert_figure(down->k, 14336);
    assert_figure(down->n, 4096);
    assert_int_equal(down->shard, SHARD_ROWS);

    /* Deriving again changes nothing. */
    derive(&model);
    assert_figure(model.params_total, 8030261248.0);
}

static struct mixer deepseek_mla(void)
{
    return (struct mixer){.kind = MIXER_MLA,
                          .n_heads = 128,
                          .q_lora_rank = 1536,
                          .kv_lora_rank = 512,
                          .nope_dim = 128,
                          .rope_dim = 64,
                          .v_dim = 128};
}

static struct ffn deepseek_moe(void)
{
    return (struct ffn){.kind = FFN_MOE,
                        .matrices = 3,
                        .n_experts = 256,
                        .top_k = 8,
                        .expert_width = 2048,
                        .shared_width = 2048,
                        .router_bias = true};
}

/*
 * DeepSeek-V3, config.json of deepseek-ai/DeepSeek-V3, h = 7,168:
 *   MLA: q_a + kv_a 7,168 x (1,536 + 576), q_b 1,536 x 24,576, kv_b 512 x 32,768,
 *        o 16,384 x 7,168, norms 1,536 + 512                          =    187,107,328
 *   dense FFN 3 x 7,168 x 18,432                                      =    396,361,728
 *   expert 3 x 7,168 x 2,048                                          =     44,040,192
 *   MoE: router 256 x 7,168 + 256 biases + 257 experts                = 11,320,164,608
 *   61 x (MLA + 2 norms) + 3 dense + 58 MoE + 2 x 129,280 x 7,168 + 7,168
 *                                                                     = 671,026,419,200
 *   active: less 58 x 248 experts                                     =  37,552,297,472
 *   MTP: one MoE layer with five norms, two h x h matrices and copies of embedding and head
 *                                                                     =  13,463,426,304
 *   together the published 684,489,845,504.
 * Cache: 61 x (512 + 64) x 2 B = 70,272 B a token.
 * Absorbed decode: 2 x 128 x (576 + 512) flops per entry of 1,152 B: 241.8 flop/B.
 */
static void deepseek_v3(void **state)
{
    (void)state;
    struct layer_group groups[] = {
        {.count = 3,
         .mixers = {deepseek_mla()},
         .n_mixers = 1,
         .ffns = {{.kind = FFN_DENSE, .matrices = 3, .width = 18432}},
         .n_ffns = 1,
         .norm_params = 14336},
        {.count = 58,
         .mixers = {deepseek_mla()},
         .n_mixers = 1,
         .ffns = {deepseek_moe()},
         .n_ffns = 1,
         .norm_params = 14336},
    };
    struct layer_group mtp = {.count = 1,
                              .mixers = {deepseek_mla()},
                              .n_mixers = 1,
                              .ffns = {deepseek_moe()},
                              .n_ffns = 1,
                              .norm_params = 5 * 7168};
    struct model model = {.hidden = 7168,
                          .vocab = 129280,
                          .final_norm_params = 7168,
                          .groups = groups,
                          .n_groups = 2,
                          .mtp = &mtp,
                          .mtp_projections = 2,
                          .mtp_copies = 2,
                          .published_includes_mtp = true};
    derive(&model);
    assert_figure(model.params_total, 671026419200.0);
    assert_figure(model.params_active, 37552297472.0);
    assert_figure(model.mtp_params, 13463426304.0);
    assert_figure(model.mtp_layers, 1);
    assert_figure(model.params_comparable, 684489845504.0);
    assert_figure(model.kv_bytes_per_token, 70272);
    assert_figure(model.params_by_role[ROLE_EXPERT], 58 * 256 * 44040192.0);
    assert_figure(model.params_by_role[ROLE_ROUTER], 58 * 256 * 7168.0);
    assert_true(model.has_mla && model.has_moe);
    const struct mixer *mla = &groups[1].mixers[0];
    assert_true(mla->kv_replicated);
    assert_near(mla->flops_per_entry / (mla->cached_per_token * 2), 241.8, 0.05);
    assert_figure(mla->prefill_flops_per_pair, 2 * 128 * (192 + 128));
    assert_int_equal(mla->linears[0].shard, SHARD_NONE);
}

/*
 * Gemma 2 2B: 13 layers with a window of 4,096 and 13 with the whole context, 4 KV heads of 256:
 * 26 x 2 x 4 x 256 x 2 B = 106,496 B a token, half of it beyond the window. The head is the
 * embedding: 26 x (2,304 x 4,096 + 2,048 x 2,304 + 3 x 2,304 x 9,216 + 4 x 2,304) + 256,000 x 2,304
 * + 2,304 = 2,614,341,888, all of it multiplied by a token.
 */
static void gemma_2_2b_windows(void **state)
{
    (void)state;
    struct mixer mixer = {.kind = MIXER_FULL,
                          .n_heads = 8,
                          .n_kv_heads = 4,
                          .k_dim = 256,
                          .v_dim = 256,
                          .has_kv_projection = true};
    struct mixer window = mixer;
    window.kind = MIXER_WINDOW;
    window.window_tokens = 4096;
    struct ffn ffn = {.kind = FFN_DENSE, .matrices = 3, .width = 9216};
    struct layer_group groups[] = {
        {.count = 13,
         .mixers = {window},
         .n_mixers = 1,
         .ffns = {ffn},
         .n_ffns = 1,
         .norm_params = 9216},
        {.count = 13,
         .mixers = {mixer},
         .n_mixers = 1,
         .ffns = {ffn},
         .n_ffns = 1,
         .norm_params = 9216},
    };
    struct model model = {.hidden = 2304,
                          .vocab = 256000,
                          .tied_embedding = true,
                          .final_norm_params = 2304,
                          .groups = groups,
                          .n_groups = 2};
    derive(&model);
    assert_figure(model.params_total, 2614341888.0);
    assert_figure(model.params_matmul_per_token, 2614341888.0);
    assert_figure(model.params_by_role[ROLE_LM_HEAD], 0);
    assert_figure(model.kv_bytes_per_token, 106496);
    assert_figure(model.kv_bytes_per_token_beyond_window, 53248);
    assert_figure(model.kv_window_tokens, 4096);
    assert_figure(groups[0].mixers[0].read_limit_tokens, 4096);
    assert_figure(groups[1].mixers[0].read_limit_tokens, 0);
    assert_true(model.has_window);
}

/*
 * gpt-oss-20b, config.json of openai/gpt-oss-20b, h = 2,880: attention with biases and 64 sinks
 * 2,880 x 5,120 + 4,096 x 2,880 + 5,120 + 2,880 + 64 = 26,550,144; an expert with biases
 * 3 x 2,880^2 + 2 x 2,880 + 2,880 = 24,891,840; router 2,880 x 32 + 32. 24 layers of those with two
 * norms, two tables of 201,088 x 2,880 and the final norm: 20,914,757,184 (the published count).
 * Active: less 24 x 28 experts = 4,187,440,704.
 */
static void gpt_oss_20b(void **state)
{
    (void)state;
    struct layer_group group = {
        .count = 24,
        .mixers = {{.kind = MIXER_FULL,
                    .n_heads = 64,
                    .n_kv_heads = 8,
                    .k_dim = 64,
                    .v_dim = 64,
                    .has_kv_projection = true,
                    .qkv_bias = true,
                    .o_bias = true,
                    .sinks = true}},
        .n_mixers = 1,
        .ffns = {{.kind = FFN_MOE,
                  .matrices = 3,
                  .n_experts = 32,
                  .top_k = 4,
                  .expert_width = 2880,
                  .expert_bias = true,
                  .router_bias = true}},
        .n_ffns = 1,
        .norm_params = 5760,
    };
    struct model model = {.hidden = 2880,
                          .vocab = 201088,
                          .final_norm_params = 2880,
                          .groups = &group,
                          .n_groups = 1};
    derive(&model);
    assert_figure(model.params_total, 20914757184.0);
    assert_figure(model.params_active, 4187440704.0);
    assert_figure(group.ffns[0].expert_params, 24883200);
    assert_figure(group.ffns[0].expert_small_params, 8640);
    assert_figure(model.params_by_role[ROLE_EXPERT], 24 * 32 * 24883200.0);
}

/*
 * Qwen3-Next-80B-A3B, h = 2,048: 36 gated delta layers keep 32 x 128 x 128 float32 elements and the
 * last three inputs of a convolution over 8,192 channels at 2 B: 36 x (2,097,152 + 49,152) =
 * 77,266,944 B a sequence; 12 full layers keep 2 x 2 x 256 x 2 B = 2,048 B a token each.
 * In: q, k, v, z 2,048 x 12,288 and b, a 2,048 x 64; out 4,096 x 2,048; with convolution, A, dt and
 * norm 33,718,464. Full attention doubles q by an output gate: 2,048 x 9,216 + 4,096 x 2,048 + 512
 * = 27,263,488. MoE: router, shared expert with a gate, 512 experts: 1,614,809,088. 36 + 12 + 48 of
 * those, norms and tables: 79,674,391,296, Qwen3-Coder-Next's published count.
 */
static void qwen3_next_state(void **state)
{
    (void)state;
    struct ffn moe = {.kind = FFN_MOE,
                      .matrices = 3,
                      .n_experts = 512,
                      .top_k = 10,
                      .expert_width = 512,
                      .shared_width = 512,
                      .shared_gate = true};
    struct layer_group groups[] = {
        {.count = 36,
         .mixers = {{.kind = MIXER_GATED_DELTA,
                     .k_heads = 16,
                     .v_heads = 32,
                     .k_dim = 128,
                     .v_dim = 128,
                     .conv_kernel = 4}},
         .n_mixers = 1,
         .ffns = {moe},
         .n_ffns = 1,
         .norm_params = 4096},
        {.count = 12,
         .mixers = {{.kind = MIXER_FULL,
                     .n_heads = 16,
                     .n_kv_heads = 2,
                     .k_dim = 256,
                     .v_dim = 256,
                     .has_kv_projection = true,
                     .output_gate = true,
                     .qk_norm_params = 512}},
         .n_mixers = 1,
         .ffns = {moe},
         .n_ffns = 1,
         .norm_params = 4096},
    };
    struct model model = {.hidden = 2048,
                          .vocab = 151936,
                          .final_norm_params = 2048,
                          .state_bytes_per_element = 4,
                          .groups = groups,
                          .n_groups = 2};
    derive(&model);
    assert_figure(model.params_total, 79674391296.0);
    assert_figure(model.state_bytes_per_sequence, 77266944);
    assert_figure(model.kv_bytes_per_token, 12 * 2048);
    assert_true(model.has_state);
    assert_true(groups[0].mixers[0].linears[0].state_side);
    assert_false(groups[1].mixers[0].linears[0].state_side);
}

/*
 * A block of shared weights, stored twice and run five times, on 10 layers without weights of their
 * own: it counts twice in the parameters, five times in what a token multiplies and in the cache,
 * and adds no layer. Attention reads twice the hidden width: qkv 16 x 24 + o 8 x 8 = 448.
 */
static void shared_blocks_run_more_often_than_stored(void **state)
{
    (void)state;
    struct layer_group groups[] = {
        {.count = 10, .norm_params = 8},
        {.count = 2,
         .invocations = 5,
         .mixers = {{.kind = MIXER_FULL,
                     .input_width = 16,
                     .n_heads = 2,
                     .n_kv_heads = 2,
                     .k_dim = 4,
                     .v_dim = 4,
                     .has_kv_projection = true}},
         .n_mixers = 1},
    };
    struct model model = {
        .hidden = 8, .vocab = 100, .tied_embedding = true, .groups = groups, .n_groups = 2};
    derive(&model);
    assert_figure(model.params_total, 80 + 2 * 448 + 800);
    assert_figure(model.params_active, 80 + 2 * 448 + 800);
    assert_figure(model.params_matmul_per_token, 80 + 5 * 448 + 800);
    assert_figure(model.kv_bytes_per_token, 5 * 16 * 2);
    assert_figure(model.n_layers, 10);
}

/* Tables: 100 x 4 embedded through 2 x 4 x 8, a tied head with 100 biases, 20 positions of 8, a
 * gathered table of 1,000 and 50 read parameters, one layer of 8. */
static void tables_and_extras(void **state)
{
    (void)state;
    struct layer_group group = {.count = 1, .norm_params = 8};
    struct model model = {.hidden = 8,
                          .vocab = 100,
                          .tied_embedding = true,
                          .lm_head_bias = true,
                          .embedding_dim = 4,
                          .learned_positions = 20,
                          .extras = {{"table", 1000, false}, {"gates", 50, true}},
                          .n_extras = 2,
                          .vision_params = 7,
                          .published_includes_vision = true,
                          .published_other_params = -2,
                          .groups = &group,
                          .n_groups = 1};
    derive(&model);
    double read = 100 * 4 + 2 * 4 * 8 + 100 + 50 + 8;
    assert_figure(model.params_total, read + 160 + 1000);
    assert_figure(model.params_matmul_per_token, read);
    assert_figure(model.params_comparable, read + 160 + 1000 + 7 - 2);
    assert_figure(model.params_by_role[ROLE_LOOKUP], 1160);
    assert_figure(model.params_by_role[ROLE_OTHER], 114);
    assert_figure(model.params_by_role[ROLE_VISION], 7);
}

struct fault_row {
    const char *field;
    int group, mixer, ffn;
    struct model model;
    struct layer_group layers;
};

#define ATTENTION                                                                                  \
    {                                                                                              \
        .kind = MIXER_FULL, .n_heads = 1, .n_kv_heads = 1, .k_dim = 4, .v_dim = 4                  \
    }

static void what_is_missing_is_named(void **state)
{
    (void)state;
    const struct model whole = {.hidden = 8, .vocab = 10, .n_groups = 1};
    struct fault_row rows[] = {
        {"hidden", -1, -1, -1, {.vocab = 10, .n_groups = 1}, {.count = 1}},
        {"vocab", -1, -1, -1, {.hidden = 8, .n_groups = 1}, {.count = 1}},
        {"groups", -1, -1, -1, {.hidden = 8, .vocab = 10}, {.count = 1}},
        {"count", 0, -1, -1, whole, {.count = 0}},
        {"kind",
         0,
         0,
         -1,
         whole,
         {.count = 1, .mixers = {{.kind = MIXER_KIND_COUNT}}, .n_mixers = 1}},
        {"n_kv_heads", 0, 0, -1, whole, {.count = 1, .mixers = {{.n_heads = 1}}, .n_mixers = 1}},
        {"kv_lora_rank",
         0,
         1,
         -1,
         whole,
         {.count = 1, .mixers = {ATTENTION, {.kind = MIXER_MLA, .n_heads = 1}}, .n_mixers = 2}},
        {"matrices", 0, -1, 0, whole, {.count = 1, .ffns = {{.width = 8}}, .n_ffns = 1}},
        {"width", 0, -1, 0, whole, {.count = 1, .ffns = {{.matrices = 2}}, .n_ffns = 1}},
        {"n_experts",
         0,
         -1,
         0,
         whole,
         {.count = 1, .ffns = {{.kind = FFN_MOE, .matrices = 3}}, .n_ffns = 1}},
        {"top_k",
         0,
         -1,
         0,
         whole,
         {.count = 1,
          .ffns = {{.kind = FFN_MOE, .matrices = 3, .n_experts = 2, .top_k = 3}},
          .n_ffns = 1}},
        {"expert_width",
         0,
         -1,
         0,
         whole,
         {.count = 1,
          .ffns = {{.kind = FFN_MOE, .matrices = 3, .n_experts = 2, .top_k = 2}},
          .n_ffns = 1}},
    };
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct model_fault fault;
        rows[i].model.groups = &rows[i].layers;
        assert_false(model_derive(&rows[i].model, &fault));
        assert_string_equal(fault.field, rows[i].field);
        assert_non_null(fault.need);
        assert_int_equal(fault.group, rows[i].group);
        assert_int_equal(fault.mixer, rows[i].mixer);
        assert_int_equal(fault.ffn, rows[i].ffn);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(llama_3_1_8b),
        cmocka_unit_test(deepseek_v3),
        cmocka_unit_test(gemma_2_2b_windows),
        cmocka_unit_test(gpt_oss_20b),
        cmocka_unit_test(qwen3_next_state),
        cmocka_unit_test(shared_blocks_run_more_often_than_stored),
        cmocka_unit_test(tables_and_extras),
        cmocka_unit_test(what_is_missing_is_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
