/*
 * Every mixer kind on small round widths (hidden = 10), each figure worked out in the comment of
 * its row from the matrices of the architecture's published code.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "mixer.h"

#include "../figures.h"

struct row {
    struct mixer mixer;
    double linear, small, cached, state, conv, flops, index_width, fixed;
};

static const struct row ROWS[] = {
    /* Two query heads and one KV head, k_dim 3, v_dim 2:
     * q 6 + gate 4 + head gate 2 + kv 5 = 17 columns, o 4 x 10: 170 + 40. Biases 6 + 5 + 10, two
     * sinks, norms 6. Cached 3 + 2; 2 x 2 x 5 flops. */
    {{.kind = MIXER_FULL,
      .n_heads = 2,
      .n_kv_heads = 1,
      .k_dim = 3,
      .v_dim = 2,
      .has_kv_projection = true,
      .output_gate = true,
      .head_gate = true,
      .qkv_bias = true,
      .o_bias = true,
      .sinks = true,
      .qk_norm_params = 6},
     .linear = 210,
     .small = 29,
     .cached = 5,
     .flops = 20},
    /* K = V: one projection of 3 columns makes both, both are cached. qkv 10 x (6 + 3), o 6 x 10.
     */
    {{.kind = MIXER_WINDOW,
      .n_heads = 2,
      .n_kv_heads = 1,
      .k_dim = 3,
      .v_dim = 3,
      .window_tokens = 16,
      .has_kv_projection = true,
      .k_equals_v = true},
     .linear = 150,
     .cached = 6,
     .flops = 24},
    /* A layer that borrows another's KV and has no projection for it: q 10 x 6, o 6 x 10. */
    {{.kind = MIXER_FULL, .n_heads = 2, .n_kv_heads = 1, .k_dim = 3, .v_dim = 3, .shares_kv = true},
     .linear = 120,
     .flops = 24},
    /* Low-rank q (5) beside kv 6: 10 x 11 + 5 x 6 + 6 x 10, norm of the 5. */
    {{.kind = MIXER_CHUNKED,
      .n_heads = 2,
      .n_kv_heads = 1,
      .k_dim = 3,
      .v_dim = 3,
      .window_tokens = 16,
      .has_kv_projection = true,
      .q_lora_rank = 5},
     .linear = 200,
     .small = 5,
     .cached = 6,
     .flops = 24},
    /* Block-sparse: 10 x (6 + 6) + 60, index 10 x (2 + 1) x 4 with two norms of 4. */
    {{.kind = MIXER_FULL,
      .n_heads = 2,
      .n_kv_heads = 1,
      .k_dim = 3,
      .v_dim = 3,
      .has_kv_projection = true,
      .index_heads = 2,
      .index_kv_heads = 1,
      .index_dim = 4,
      .topk_tokens = 64},
     .linear = 300,
     .small = 8,
     .cached = 6,
     .flops = 24,
     .index_width = 4},
    /* 7 image tokens of 6 elements, nothing per text token. */
    {{.kind = MIXER_CROSS,
      .n_heads = 2,
      .n_kv_heads = 1,
      .k_dim = 3,
      .v_dim = 3,
      .has_kv_projection = true,
      .image_tokens = 7,
      .extra_params = 2},
     .linear = 180,
     .small = 2,
     .flops = 24,
     .fixed = 42},
    /* q 10 x 2 x (3 + 1), kv_a 10 x (4 + 1), kv_b 4 x 2 x (3 + 2), gate 10 x 4, o 4 x 10; norm 4.
     * Absorbed: 2 x 2 x (2 x 4 + 1). */
    {{.kind = MIXER_MLA,
      .n_heads = 2,
      .kv_lora_rank = 4,
      .rope_dim = 1,
      .nope_dim = 3,
      .v_dim = 2,
      .output_gate = true},
     .linear = 250,
     .small = 4,
     .cached = 5,
     .flops = 36},
    /* The same with q_a 10 x 6 beside kv_a, q_b 6 x 8, and an indexer of 3 heads x 2 over one key:
     * queries 6 x 6, key and weights 10 x (2 + 3), LayerNorm 4. No gate. */
    {{.kind = MIXER_MLA,
      .n_heads = 2,
      .q_lora_rank = 6,
      .kv_lora_rank = 4,
      .rope_dim = 1,
      .nope_dim = 3,
      .v_dim = 2,
      .index_heads = 3,
      .index_kv_heads = 1,
      .index_dim = 2,
      .topk_tokens = 32},
     .linear = 110 + 48 + 40 + 40 + 36 + 50,
     .small = 10 + 4,
     .cached = 5,
     .flops = 36,
     .index_width = 2},
    /* q_a + kv 10 x (5 + 4), q_b 5 x 8, o in 2 groups (8 / 2) x 6, o_b 6 x 10; norms 5 + 4, 2
       sinks. */
    {{.kind = MIXER_SWA_LATENT,
      .n_heads = 2,
      .k_dim = 4,
      .q_lora_rank = 5,
      .o_lora_rank = 3,
      .o_groups = 2,
      .window_tokens = 16},
     .linear = 214,
     .small = 11,
     .cached = 4,
     .flops = 32},
    /* + compressor 10 x 2 x 4, positions 8 x 4, norm 4. */
    {{.kind = MIXER_HCA,
      .n_heads = 2,
      .k_dim = 4,
      .q_lora_rank = 5,
      .o_lora_rank = 3,
      .o_groups = 2,
      .window_tokens = 16,
      .compress_tokens = 8},
     .linear = 294,
     .small = 47,
     .cached = 4,
     .flops = 32},
    /* + overlapping compressors of 4 (10 x 16, 2 x 8 + 4) and of the index key 6 (10 x 24,
     * 2 x 12 + 6), index queries 5 x 18, weights 10 x 3; a key of 6 per two tokens. */
    {{.kind = MIXER_CSA,
      .n_heads = 2,
      .k_dim = 4,
      .q_lora_rank = 5,
      .o_lora_rank = 3,
      .o_groups = 2,
      .window_tokens = 16,
      .compress_tokens = 2,
      .index_heads = 3,
      .index_dim = 6,
      .topk_tokens = 8},
     .linear = 214 + 160 + 240 + 90 + 30,
     .small = 11 + 20 + 30,
     .cached = 4,
     .flops = 32,
     .index_width = 3},
    /* keys 2 x 3, values 4 x 2: 10 x (12 + 16) + 10 x 8 + 8 x 10; convolution 20 x 4, 2 x 4 + 2. */
    {{.kind = MIXER_GATED_DELTA,
      .k_heads = 2,
      .v_heads = 4,
      .k_dim = 3,
      .v_dim = 2,
      .conv_kernel = 4},
     .linear = 440,
     .small = 90,
     .state = 24,
     .conv = 60},
    /* width 6: qkv 10 x 18, decay and gate each 10 x 3 + 3 x 6, beta 10 x 2, out 60;
     * convolution 18 x 4, 2 + 6 + 3. */
    {{.kind = MIXER_KDA, .n_heads = 2, .k_dim = 3, .conv_kernel = 4},
     .linear = 356,
     .small = 83,
     .state = 18,
     .conv = 54},
    /* The gate whole: 10 x 6 instead of 48. */
    {{.kind = MIXER_KDA, .n_heads = 2, .k_dim = 3, .conv_kernel = 4, .full_rank_gate = true},
     .linear = 368,
     .small = 83,
     .state = 18,
     .conv = 54},
    /* qkv 10 x 18, gate 60, out 60, norm 6. */
    {{.kind = MIXER_LIGHTNING, .n_heads = 2, .k_dim = 3}, .linear = 300, .small = 6, .state = 18},
    /* in 10 x 40, x 20 x (3 + 4), dt 3 x 20, out 200; convolution 20 x 5, A and D 20 x 3, bias 20,
     * inner norms 7. */
    {{.kind = MIXER_MAMBA1,
      .inner_dim = 20,
      .state_size = 2,
      .dt_rank = 3,
      .conv_kernel = 4,
      .inner_norms = true},
     .linear = 800,
     .small = 187,
     .state = 40,
     .conv = 60},
    /* in 10 x (40 + 8 + 5), out 200; convolution 28 x 5, 3 x 5, norm 20. */
    {{.kind = MIXER_MAMBA2,
      .inner_dim = 20,
      .n_heads = 5,
      .state_size = 2,
      .n_groups = 2,
      .conv_kernel = 4,
      .gated_norm = true},
     .linear = 730,
     .small = 175,
     .state = 40,
     .conv = 84},
    /* in 10 x 30, out 100, convolution 10 x 3. */
    {{.kind = MIXER_SHORT_CONV, .conv_kernel = 3}, .linear = 400, .small = 30, .conv = 20},
};

static void figures_are_those_worked_out(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(ROWS); i++) {
        struct mixer mixer = ROWS[i].mixer;
        mixer_info(mixer.kind)->derive(&mixer, 10);
        double sum = 0;
        for (int j = 0; j < mixer.n_linears; j++) {
            assert_int_equal(mixer.linears[j].role, ROLE_ATTENTION);
            sum += mixer.linears[j].k * mixer.linears[j].n;
        }
        assert_figure(sum, ROWS[i].linear);
        assert_figure(mixer.linear_params, ROWS[i].linear);
        assert_figure(mixer.small_params, ROWS[i].small);
        assert_figure(mixer.cached_per_token, ROWS[i].cached);
        assert_figure(mixer.state_elements, ROWS[i].state);
        assert_figure(mixer.conv_elements, ROWS[i].conv);
        assert_figure(mixer.flops_per_entry, ROWS[i].flops);
        assert_figure(mixer.index_width, ROWS[i].index_width);
        assert_figure(mixer.fixed_elements, ROWS[i].fixed);
    }
}

/* What is stored and what is read: a window bounds both, a selection only the reading, and a layer
 * that borrows KV reads what it does not store. */
static void limits_follow_the_kind(void **state)
{
    (void)state;
    struct mixer window = ROWS[1].mixer;
    mixer_info(MIXER_WINDOW)->derive(&window, 10);
    assert_figure(window.store_limit_tokens, 16);
    assert_figure(window.read_limit_tokens, 16);
    struct mixer borrower = ROWS[2].mixer;
    mixer_info(MIXER_FULL)->derive(&borrower, 10);
    assert_figure(borrower.cached_per_token, 0);
    assert_figure(borrower.read_per_entry, 6);
    struct mixer sparse = ROWS[4].mixer;
    mixer_info(MIXER_FULL)->derive(&sparse, 10);
    assert_figure(sparse.store_limit_tokens, 0);
    assert_figure(sparse.read_limit_tokens, 64);
    assert_figure(sparse.index_flops_per_token, 16);
    struct mixer csa = ROWS[10].mixer;
    mixer_info(MIXER_CSA)->derive(&csa, 10);
    assert_figure(csa.tokens_per_entry, 2);
    assert_figure(csa.window_side_tokens, 16);
    assert_figure(csa.read_limit_tokens, 8);
    assert_figure(csa.index_flops_per_token, 18);
    assert_true(csa.kv_replicated);
}

/* Every kind has a name that reads back, a formula, at least one need, and a row above. */
static void every_kind_is_complete(void **state)
{
    (void)state;
    for (int i = 0; i < MIXER_KIND_COUNT; i++) {
        enum mixer_kind kind = (enum mixer_kind)i;
        assert_int_equal(mixer_kind_parse(mixer_kind_name(kind)), kind);
        assert_non_null(mixer_info(kind)->derive);
        assert_non_null(mixer_info(kind)->needs[0].field);
        size_t row = 0;
        while (row < ARRAY_LEN(ROWS) && ROWS[row].mixer.kind != kind) {
            row++;
        }
        assert_true(row < ARRAY_LEN(ROWS));
    }
    assert_int_equal(mixer_kind_parse("linear"), MIXER_KIND_COUNT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(figures_are_those_worked_out),
        cmocka_unit_test(limits_follow_the_kind),
        cmocka_unit_test(every_kind_is_complete),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
