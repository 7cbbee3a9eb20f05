/*
 * sample_rig.h - the sample library with what its own tables leave out: models of other shapes,
 * engines with other memory rules, parts without a link or an fp8 path, fits of collectives.
 *
 * Geometry is that of the published config.json files.
 */
#ifndef REGIME_SAMPLE_RIG_H
#define REGIME_SAMPLE_RIG_H

#include "sample_library.h"

enum {
    SHAPE_MIXTRAL, /* 8 experts, two of them a token */
    SHAPE_MISTRAL, /* a window of 4,096 in every layer */
    SHAPE_SCOUT,   /* chunks of 8,192 in 36 of 48 layers */
    SHAPE_GPT_OSS, /* a window of 128 in half of the layers; the format covers experts alone */
    SHAPE_MAMBA,   /* no attention at all */
    SHAPE_MLLAMA,  /* cross-attention to 6,404 image tokens in 8 of 40 layers */
    SHAPE_V32,     /* DeepSeek-V3.2: an indexer picks 2,048 tokens */
    SHAPE_V4,      /* DeepSeek-V4-Flash: window, 1/4 with an indexer, 1/128 */
    SHAPES
};

enum { RIG_SGLANG, RIG_TRTLLM, RIG_TGI, RIG_ENGINES };

enum {
    RIG_A100,    /* no fp8 path, no fits */
    RIG_NO_LINK, /* an H100 whose record states no link */
    RIG_NO_PEAK, /* bandwidth alone is known */
    RIG_PARTS
};

#define SHAPE_GROUPS_MAX 3

struct rig {
    struct sample *sample;
    struct model models[SHAPES];
    struct layer_group groups[SHAPES][SHAPE_GROUPS_MAX];
    struct engine engines[RIG_ENGINES];
    struct hardware parts[RIG_PARTS];
    struct comm_fit comms[2];
    struct library linked; /* the sample's library with fits of collectives on the H100 */
};

static inline struct mixer rig_attention(enum mixer_kind kind, double heads, double kv_heads,
                                         double width, double window)
{
    return (struct mixer){.kind = kind,
                          .n_heads = heads,
                          .n_kv_heads = kv_heads,
                          .k_dim = width,
                          .v_dim = width,
                          .window_tokens = window,
                          .has_kv_projection = true};
}

static inline struct ffn rig_moe(double experts, double top_k, double width, double shared)
{
    return (struct ffn){.kind = FFN_MOE,
                        .matrices = 3,
                        .n_experts = experts,
                        .top_k = top_k,
                        .expert_width = width,
                        .shared_width = shared};
}

static inline struct ffn rig_dense(double width)
{
    return (struct ffn){.kind = FFN_DENSE, .matrices = 3, .width = width};
}

/* Appends a group of one mixer and, unless its width is 0, one ffn. */
static inline void rig_group(struct rig *rig, int shape, double count, struct mixer mixer,
                             struct ffn ffn)
{
    struct model *model = &rig->models[shape];
    struct layer_group *group = &rig->groups[shape][model->n_groups++];
    *group = (struct layer_group){.count = count, .n_mixers = 1, .norm_params = 2 * model->hidden};
    group->mixers[0] = mixer;
    if (ffn.matrices > 0) {
        group->ffns[0] = ffn;
        group->n_ffns = 1;
    }
    model->groups = rig->groups[shape];
}

static inline void rig_model(struct rig *rig, int shape, const char *id, double hidden,
                             double vocab, bool tied)
{
    rig->models[shape] = (struct model){.id = id,
                                        .name = id,
                                        .hidden = hidden,
                                        .vocab = vocab,
                                        .tied_embedding = tied,
                                        .final_norm_params = hidden,
                                        .max_positions = 131072,
                                        .native_dtype = DTYPE_BF16,
                                        .native_format = "bf16",
                                        .state_bytes_per_element = 4};
}

static inline struct mixer rig_v4(enum mixer_kind kind)
{
    struct mixer mixer = {.kind = kind,
                          .n_heads = 64,
                          .k_dim = 512,
                          .rope_dim = 64,
                          .q_lora_rank = 1024,
                          .o_lora_rank = 1024,
                          .o_groups = 8,
                          .window_tokens = 128};
    if (kind == MIXER_HCA)
        mixer.compress_tokens = 128;
    if (kind != MIXER_CSA)
        return mixer;
    mixer.compress_tokens = 4;
    mixer.index_heads = 64;
    mixer.index_dim = 128;
    mixer.topk_tokens = 512;
    return mixer;
}

static inline void rig_dense_models(struct rig *rig)
{
    rig_model(rig, SHAPE_MISTRAL, "mistral-7b-v0.1", 4096, 32000, false);
    rig_group(rig, SHAPE_MISTRAL, 32, rig_attention(MIXER_WINDOW, 32, 8, 128, 4096),
              rig_dense(14336));
    rig_model(rig, SHAPE_MAMBA, "mamba-2.8b", 2560, 50280, true);
    rig_group(rig, SHAPE_MAMBA, 64,
              (struct mixer){.kind = MIXER_MAMBA1,
                             .inner_dim = 5120,
                             .state_size = 16,
                             .dt_rank = 160,
                             .conv_kernel = 4},
              (struct ffn){0});
    rig->groups[SHAPE_MAMBA][0].norm_params = 2560;
    rig_model(rig, SHAPE_MLLAMA, "llama-3.2-11b-vision", 4096, 128256, false);
    rig_group(rig, SHAPE_MLLAMA, 32, rig_attention(MIXER_FULL, 32, 8, 128, 0), rig_dense(14336));
    struct mixer cross = rig_attention(MIXER_CROSS, 32, 8, 128, 0);
    cross.image_tokens = 6404;
    rig_group(rig, SHAPE_MLLAMA, 8, cross, rig_dense(14336));
}

static inline void rig_moe_models(struct rig *rig)
{
    rig_model(rig, SHAPE_MIXTRAL, "mixtral-8x7b", 4096, 32000, false);
    rig_group(rig, SHAPE_MIXTRAL, 32, rig_attention(MIXER_FULL, 32, 8, 128, 0),
              rig_moe(8, 2, 14336, 0));
    rig_model(rig, SHAPE_SCOUT, "llama-4-scout", 5120, 202048, false);
    rig_group(rig, SHAPE_SCOUT, 36, rig_attention(MIXER_CHUNKED, 40, 8, 128, 8192),
              rig_moe(16, 1, 8192, 8192));
    rig_group(rig, SHAPE_SCOUT, 12, rig_attention(MIXER_FULL, 40, 8, 128, 0),
              rig_moe(16, 1, 8192, 8192));
    rig_model(rig, SHAPE_GPT_OSS, "gpt-oss-20b", 2880, 201088, false);
    rig->models[SHAPE_GPT_OSS].native_experts_only = true;
    rig_group(rig, SHAPE_GPT_OSS, 12, rig_attention(MIXER_WINDOW, 64, 8, 64, 128),
              rig_moe(32, 4, 2880, 0));
    rig_group(rig, SHAPE_GPT_OSS, 12, rig_attention(MIXER_FULL, 64, 8, 64, 0),
              rig_moe(32, 4, 2880, 0));
    struct mixer mla = rig->sample->groups[SAMPLE_DEEPSEEK_V3][0].mixers[0];
    mla.index_heads = 64;
    mla.index_dim = 128;
    mla.index_kv_heads = 1;
    mla.topk_tokens = 2048;
    rig_model(rig, SHAPE_V32, "deepseek-v3.2", 7168, 129280, false);
    rig_group(rig, SHAPE_V32, 3, mla, rig_dense(18432));
    rig_group(rig, SHAPE_V32, 58, mla, rig_moe(256, 8, 2048, 2048));
    rig_model(rig, SHAPE_V4, "deepseek-v4-flash", 4096, 129280, false);
    rig_group(rig, SHAPE_V4, 2, rig_v4(MIXER_SWA_LATENT), rig_moe(256, 6, 2048, 2048));
    rig_group(rig, SHAPE_V4, 21, rig_v4(MIXER_CSA), rig_moe(256, 6, 2048, 2048));
    rig_group(rig, SHAPE_V4, 20, rig_v4(MIXER_HCA), rig_moe(256, 6, 2048, 2048));
}

/* vLLM's host side under another memory rule. */
static inline void rig_engine(struct rig *rig, int index, const char *id, enum memory_rule rule)
{
    rig->engines[index] = rig->sample->engines[SAMPLE_VLLM];
    rig->engines[index].id = rig->engines[index].title = id;
    rig->engines[index].memory_rule = rule;
}

static inline void rig_tables(struct rig *rig)
{
    rig_engine(rig, RIG_SGLANG, "sglang", MEMORY_SGLANG);
    rig_engine(rig, RIG_TRTLLM, "tensorrt-llm", MEMORY_TRTLLM);
    rig_engine(rig, RIG_TGI, "tgi", MEMORY_TGI);
    /* A100 SXM 80 GB: 2,039 GB/s, 312 TFLOP/s, NVLink 300 GB/s one way. */
    rig->parts[RIG_A100] = sample_part(-1, "a100-sxm-80gb", 79.2, 2039, 312, 300, 8);
    rig->parts[RIG_A100].peak_flops_us[DTYPE_FP8] = 0;
    rig->parts[RIG_NO_LINK] = rig->sample->hardware[SAMPLE_H100];
    rig->parts[RIG_NO_LINK].link_bytes_us = 0;
    rig->parts[RIG_NO_PEAK] =
        (struct hardware){.id = "part", .name = "part", .index = -1, .bw_bytes_us = 1e6};
    rig->parts[RIG_NO_PEAK].memory_bytes = 64 * BYTES_PER_GIB;
    /* An all-reduce in a graph on H100, 2 and 8 devices. */
    rig->comms[0] = (struct comm_fit){.id = 1,
                                      .hardware = SAMPLE_H100,
                                      .engine = SAMPLE_VLLM,
                                      .version = {0, 24, 0},
                                      .devices = 2,
                                      .graph = true,
                                      .bus_bytes_us = 136200,
                                      .t0_us = 4.21,
                                      .q = 0.9,
                                      .max_bytes = 536870912};
    rig->comms[1] = rig->comms[0];
    rig->comms[1].id = 2;
    rig->comms[1].devices = 8;
    rig->comms[1].bus_bytes_us = 236400;
    rig->comms[1].t0_us = 4.6;
    rig->comms[1].q = 0.54;
    rig->linked = rig->sample->lib;
    rig->linked.comm_fits = rig->comms;
    rig->linked.n_comm_fits = 2;
}

static inline struct rig *rig_new(void)
{
    struct rig *rig = calloc(1, sizeof(*rig));
    if (rig == NULL)
        abort();
    rig->sample = sample_new();
    rig_dense_models(rig);
    rig_moe_models(rig);
    for (int i = 0; i < SHAPES; i++) {
        struct model_fault fault = {0};
        if (!model_derive(&rig->models[i], &fault))
            abort();
    }
    rig_tables(rig);
    return rig;
}

static inline void rig_free(struct rig *rig)
{
    free(rig->sample);
    free(rig);
}

/* One user of a bf16 model of the rig on one H100 under vLLM. */
static inline struct problem rig_problem(const struct rig *rig, int shape)
{
    struct problem problem = sample_problem(rig->sample, SAMPLE_LLAMA_8B, SAMPLE_H100);
    problem.model = &rig->models[shape];
    return problem;
}

/* Llama-3.1-8B likewise. */
static inline struct problem rig_llama(const struct rig *rig)
{
    return sample_problem(rig->sample, SAMPLE_LLAMA_8B, SAMPLE_H100);
}

static inline struct core rig_core(struct problem problem)
{
    struct core core;
    core_compute(&problem, NULL, &core);
    return core;
}

static inline struct step rig_decode(struct problem problem, double batch, double context)
{
    struct prepared prep;
    struct step step;
    prepare(&problem, NULL, &prep);
    step_decode(&prep, batch, context, &step);
    return step;
}

static inline struct step rig_prefill(struct problem problem, double tokens, double cached)
{
    struct prepared prep;
    struct step step;
    prepare(&problem, NULL, &prep);
    step_prefill(&prep, tokens, cached, &step);
    return step;
}

/* The rig of a test program, as cmocka hands it around. */
static inline int rig_setup(void **state)
{
    *state = rig_new();
    return 0;
}

static inline int rig_teardown(void **state)
{
    rig_free(*state);
    return 0;
}

#endif
