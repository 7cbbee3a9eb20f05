/* Attention over latents, recurrent mixers and attention-DP layouts: class times by hand. */
#include "check.h"
#include "sample_rig.h"

/* One layer of a mixer and nothing else, hidden width 7,168. */
struct layer {
    struct layer_group group;
    struct model model;
};

static void layer_of(struct layer *layer, struct mixer mixer)
{
    struct model_fault fault = {0};
    layer->group = (struct layer_group){.count = 1, .n_mixers = 1, .norm_params = 7168};
    layer->group.mixers[0] = mixer;
    layer->model = (struct model){.id = "layer",
                                  .name = "layer",
                                  .hidden = 7168,
                                  .vocab = 1024,
                                  .native_format = "bf16",
                                  .state_bytes_per_element = 4,
                                  .groups = &layer->group,
                                  .n_groups = 1};
    assert_true(model_derive(&layer->model, &fault));
}

static struct mixer mla(const struct rig *rig)
{
    return rig->sample->groups[SAMPLE_DEEPSEEK_V3][0].mixers[0];
}

static struct problem layer_problem(const struct rig *rig, const struct layer *layer, int part)
{
    struct problem problem = sample_problem(rig->sample, SAMPLE_LLAMA_8B, part);
    problem.model = &layer->model;
    problem.dep.weights = &rig->sample->weights[SAMPLE_FP8];
    return problem;
}

static double roof_us(const struct class_cost *cost)
{
    return cost->time_us - cost->fixed_us;
}

/*
 * One row of a DeepSeek-V3 layer in fp8 on an H100, vLLM's fp8 GEMM (e_m 0.895, e_c 0.503, q = 1):
 * 7168 x 2112 is 15,150,208 B and 5.0834 us, 1536 x 24576 12.6830, 16384 x 7168 39.4159. Trap: in
 * decode kv_b (512 x 32,768) is folded into q and o and kept in 16 bits, 2 x 16,777,216 B and the
 * row's 66,048 at vLLM's bf16 GEMM (0.862): 11.6427 us, not 5.6514. Its floor stays that of the
 * bytes stored.
 */
static void absorbed_projection(void **state)
{
    struct rig *rig = *state;
    struct layer layer;
    layer_of(&layer, mla(rig));
    struct problem problem = layer_problem(rig, &layer, SAMPLE_H100);
    struct step step = rig_decode(problem, 1, 1000);
    const struct class_cost *cost = &step.classes[CLASS_DENSE_GEMM];
    assert_near(roof_us(cost), 5.0834333 + 12.6830057 + 39.4158900 + 11.6426537, 1e-7);
    assert_near(cost->bytes, 15150208 + 37799424 + 117471232.0 + 16843264, 1e-12);
    assert_near(cost->floor_us, cost->bytes / 3.35e6, 1e-9);
    assert_near(cost->fixed_us, 3 * 7.36 + 3.45, 1e-9); /* a module keeps its starts */
    /* In 16 bits there is nothing to read again: all four at 0.862. */
    problem.dep.weights = &rig->sample->weights[SAMPLE_BF16];
    step = rig_decode(problem, 1, 1000);
    cost = &step.classes[CLASS_DENSE_GEMM];
    assert_near(cost->memory_us, cost->bytes / (0.862 * 3.35e6), 1e-9);
}

/*
 * 1,000 tokens after 3,000 cached: 3.5 M pairs. The kernel of all heads moves 4,000 latents of
 * 1,152 B, q, k, v and o of 1,000 rows (2 x 128 x 320 x 2 = 163,840 B) and the keys and values of
 * 3,000 earlier ones (81,920 B): 414,208,000 B at 0.374 are 330.60 us, 2 x 128 x 320 x 3.5 M =
 * 286.72 Gflop at 0.183 are 1,583.40 us; their 1.07-norm 1,858.694. Before it kv_b makes those keys
 * and values again, 3,000 rows: 214,921,216 B at 0.895 are 71.682 us, 100.66 Gflop at 0.503 x 1,979
 * are 101.125 us, the sum 172.807.
 */
static void expanded_prompt(void **state)
{
    struct rig *rig = *state;
    struct layer layer;
    layer_of(&layer, mla(rig));
    struct problem problem = layer_problem(rig, &layer, SAMPLE_H100);
    struct step step = rig_prefill(problem, 1000, 3000);
    const struct class_cost *cost = &step.classes[CLASS_PREFILL_ATTENTION];
    assert_near(roof_us(cost), 1858.694016 + 172.806948, 1e-8);
    assert_near(cost->flops, 286.72e9, 1e-12);
    assert_near(cost->bytes, 4000 * 1152.0, 1e-12);
    assert_near(cost->floor_us, 286.72e9 / 989.5e6, 1e-12);
    assert_near(cost->fixed_us, 12.75 + 7.36, 1e-9);
    /* Without cached tokens kv_b meets the new ones alone, as every other matrix does. */
    step = rig_prefill(problem, 1000, 0);
    assert_near(step.classes[CLASS_PREFILL_ATTENTION].fixed_us, 12.75, 1e-9);
}

/*
 * DeepSeek-V3.2's queries pick 2,048 entries each: they multiply latents, 2 x 128 x 1,088 flops a
 * pair where heads take 2 x 128 x 320, and gather them, an entry for 64 of a tile. 1,000 tokens
 * after 8,000: 2.048 M pairs, 570.43 Gflop at 0.183 are 3,150.21 us; 9,000 latents of 1,152 B,
 * 1,000 rows of 128 x 1,088 x 2 = 278,528 B and 2.048 M x 18 B are 325.76 MB, 260.00 us at 0.374.
 */
static void picked_entries(void **state)
{
    struct rig *rig = *state;
    struct layer layer;
    struct mixer mixer = mla(rig);
    mixer.index_heads = 64;
    mixer.index_dim = 128;
    mixer.index_kv_heads = 1;
    mixer.topk_tokens = 2048;
    layer_of(&layer, mixer);
    struct problem problem = layer_problem(rig, &layer, SAMPLE_H100);
    struct step step = rig_prefill(problem, 1000, 8000);
    const struct class_cost *cost = &step.classes[CLASS_PREFILL_ATTENTION];
    assert_near(cost->compute_us, 570.425344e9 / (0.183 * 989.5e6), 1e-9);
    assert_near(cost->memory_us, (9000 * 1152 + 278528e3 + 2048e3 * 18) / (0.374 * 3.35e6), 1e-9);
    assert_near(cost->fixed_us, 12.75, 1e-9); /* nothing is expanded */
    assert_int_equal(cost->match, FIT_OTHER_TYPE);
    /* What must be multiplied is what heads need. */
    assert_near(cost->flops, 2 * 128 * 320 * 2048e3, 1e-12);
    /* kv_b stays folded in a prompt too: 16 bits. Narrow: 128 + 64 columns of the indexer stay so.
     */
    cost = &step.classes[CLASS_DENSE_GEMM];
    assert_near(cost->weight_bytes,
                7168 * 2112.0 + 1536 * 24576.0 + 16384 * 7168.0 + 512 * 32768.0 +
                    1536 * 64 * 128.0 + 2 * 7168 * 192.0,
                1e-12);
}

/* A gated delta net of Qwen3.5-397B: 64 value heads of 128 x 128, 16 key heads, a convolution of 4.
 */
static const struct mixer DELTA = {.kind = MIXER_GATED_DELTA,
                                   .k_heads = 16,
                                   .v_heads = 64,
                                   .k_dim = 128,
                                   .v_dim = 128,
                                   .conv_kernel = 4};

/* SGLang on H200 (db/records/fits/gated-delta.csv), here under vLLM's name. */
static const struct op_fit DELTA_FITS[] = {
    {.id = 1,
     .hardware = SAMPLE_H200,
     .engine = SAMPLE_VLLM,
     .version = {0, 24, 0},
     .op = FIT_DELTA_DECODE,
     .dtype = FIT_BF16,
     .form = FIT_FORM_STATE,
     .e_m = 0.845,
     .t0_us = 3.54},
    {.id = 2,
     .hardware = SAMPLE_H200,
     .engine = SAMPLE_VLLM,
     .version = {0, 24, 0},
     .op = FIT_DELTA_PREFILL,
     .dtype = FIT_BF16,
     .form = FIT_FORM_SCAN_MAX4,
     .t0_us = 26.7,
     .us_per_token_of_longest = 0.0298,
     .us_per_token_head = 0.004},
};

/*
 * Decode, 8 sequences: 2 x 8 x 64 x 128 x 128 x 4 = 67,108,864 B at 0.845 x 4.8e6 B/us are 16.5456
 * us; 3.54 us of the kernel's start and 2 us of the convolution, 0.7 of them in a graph.
 * A prompt of 1,000 tokens: 29.8 us along it, 0.004 x 1000 x 64 = 256 us across, their 4-norm
 * 256.0118; the convolution's 12,288 channels pass four times, 98,304 B a row at 0.7
 * x 4.8e6: 29.2571 us; 26.7 us to start. On eight ranks (29.8^4 + 32^4)^(1/4) = 36.8162 and 3.6571
 * us.
 */
static void delta_net(void **state)
{
    struct rig *rig = *state;
    struct layer layer;
    layer_of(&layer, DELTA);
    struct library lib = rig->sample->lib;
    lib.op_fits = DELTA_FITS;
    lib.n_op_fits = 2;
    struct problem problem = layer_problem(rig, &layer, SAMPLE_H200);
    problem.lib = &lib;
    struct step step = rig_decode(problem, 8, 1000);
    const struct class_cost *cost = &step.classes[CLASS_STATE_UPDATE];
    assert_near(roof_us(cost), 16.54557791, 1e-8);
    assert_near(cost->fixed_us, 0.7 * 5.54, 1e-9);
    assert_int_equal(cost->basis, BASIS_CALIBRATED);
    assert_int_equal(cost->fit->id, 1);
    /* What is read and written has the convolution's tail: 3 x 12,288 of 2 B beside 4 MiB. */
    assert_near(cost->bytes, 2 * 8 * (64 * 16384 * 4.0 + 3 * 12288 * 2), 1e-12);
    step = rig_prefill(problem, 1000, 0);
    cost = &step.classes[CLASS_STATE_UPDATE];
    assert_near(cost->time_us, 256.0117505 + 29.2571429 + 26.7, 1e-8);
    assert_int_equal(cost->fit->id, 2);
    assert_int_equal(cost->bound, BOUND_COMPUTE);
    problem.dep.tp = 8;
    step = rig_prefill(problem, 1000, 0);
    assert_near(step.classes[CLASS_STATE_UPDATE].time_us, 36.8161677 + 3.6571429 + 26.7, 1e-8);
    /* A sum instead of the norm. */
    struct op_fit sum[] = {DELTA_FITS[0], DELTA_FITS[1]};
    sum[1].form = FIT_FORM_SCAN_SUM;
    lib.op_fits = sum;
    step = rig_prefill(problem, 1000, 0);
    assert_near(step.classes[CLASS_STATE_UPDATE].time_us, 29.8 + 32 + 3.6571429 + 26.7, 1e-8);
    /* The decay and write strength, 128 columns, stay in 16 bits; q, k, v, gate and out do not. */
    problem.dep.tp = 1;
    step = rig_decode(problem, 1, 1);
    assert_near(step.classes[CLASS_DENSE_GEMM].weight_bytes,
                7168 * (2 * 2048.0 + 2 * 8192) + 8192 * 7168.0 + 2 * 7168 * 128.0, 1e-12);
}

/* Of a part without records a neighbour's: the scan is as long, the work of all heads goes with the
 * 16-bit peak, 989.5 against 209.5 TFLOP/s: 4.7232 x 256 us. */
static void delta_net_of_a_neighbour(void **state)
{
    struct rig *rig = *state;
    struct layer layer;
    layer_of(&layer, DELTA);
    const struct neighbours near[] = {{.n = 0}, {.n = 0}, {{SAMPLE_H200}, 1}};
    struct library lib = rig->sample->lib;
    lib.op_fits = DELTA_FITS;
    lib.n_op_fits = 2;
    lib.neighbours = near;
    struct problem problem = layer_problem(rig, &layer, SAMPLE_RTX5090);
    problem.lib = &lib;
    struct step step = rig_prefill(problem, 1000, 0);
    const struct class_cost *cost = &step.classes[CLASS_STATE_UPDATE];
    assert_near(cost->compute_us, 256 * 989.5 / 209.5, 1e-6);
    assert_int_equal(cost->match, FIT_OTHER_PART);
    step = rig_decode(problem, 8, 1000);
    assert_near(roof_us(&step.classes[CLASS_STATE_UPDATE]), 67108864 / (0.845 * 1.792e6), 1e-9);
    /* Nobody measured it anywhere: the state at 0.7 of the memory. */
    lib.neighbours = NULL;
    step = rig_decode(problem, 8, 1000);
    cost = &step.classes[CLASS_STATE_UPDATE];
    assert_int_equal(cost->basis, BASIS_ASSUMED);
    assert_near(cost->time_us, cost->bytes / 1.792e6 / 0.7, 1e-9);
}

/*
 * The LM head of Llama-3.1-8B, 128,256 x 4,096 in 16 bits, under attention DP of four ranks with 8
 * rows each. vLLM keeps it whole on each; SGLang gathers 32 rows on shards of 32,064 and gathers
 * their logits, 32 x 128,256 x 2 x 3/4 B.
 */
static void head_under_attention_dp(void **state)
{
    struct rig *rig = *state;
    struct problem problem = rig_llama(rig);
    problem.dep.dp = 4;
    struct step step = rig_decode(problem, 8, 1000);
    assert_near(step.classes[CLASS_LM_HEAD].weight_bytes, 128256 * 4096 * 2.0, 1e-12);
    assert_near(step.classes[CLASS_LM_HEAD].flops, 8 * 2 * 128256 * 4096.0, 1e-12);
    assert_false(step.classes[CLASS_COLLECTIVE].present);
    problem.dep.engine = &rig->engines[RIG_SGLANG];
    step = rig_decode(problem, 8, 1000);
    assert_near(step.classes[CLASS_LM_HEAD].weight_bytes, 32064 * 4096 * 2.0, 1e-12);
    assert_near(step.classes[CLASS_LM_HEAD].flops, 32 * 2 * 32064 * 4096.0, 1e-12);
    assert_near(step.classes[CLASS_COLLECTIVE].link_bytes, 32 * 128256 * 2.0 * 3 / 4, 1e-12);
}

/* Of a row's copies the one that stays is not sent, and a rank takes one for all of its experts:
 * two ranks send 1/2 of two copies where top-k is 8; four gather 3/4 of four. */
static void sent_copies(void **state)
{
    static const struct {
        enum ep_backend backend;
        double ranks, sent;
    } ROWS[] = {
        {EP_BACKEND_ALL_TO_ALL, 2, 1.0 / 2 * 2 / 8},
        {EP_BACKEND_ALL_TO_ALL, 16, 15.0 / 16},
        {EP_BACKEND_ALL_GATHER, 4, 3.0 / 4},
    };
    struct rig *rig = *state;
    for (size_t i = 0; i < ARRAY_LEN(ROWS); i++) {
        struct problem problem = sample_problem(rig->sample, SAMPLE_DEEPSEEK_V3, SAMPLE_H200);
        problem.dep.dp = problem.dep.ep = ROWS[i].ranks;
        problem.dep.ep_backend = ROWS[i].backend;
        struct step step = rig_decode(problem, 32, 1000);
        const struct class_cost *cost = &step.classes[CLASS_COLLECTIVE];
        assert_near(cost->floor_us, cost->link_bytes / 450e3 * ROWS[i].sent, 1e-9);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(absorbed_projection),
        cmocka_unit_test(expanded_prompt),
        cmocka_unit_test(picked_entries),
        cmocka_unit_test(delta_net),
        cmocka_unit_test(delta_net_of_a_neighbour),
        cmocka_unit_test(head_under_attention_dp),
        cmocka_unit_test(sent_copies),
    };
    return cmocka_run_group_tests(tests, rig_setup, rig_teardown);
}
