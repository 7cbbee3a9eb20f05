#include "mixer.h"

#include <assert.h>
#include <string.h>

static const struct mixer_need ATTENTION_NEEDS[] = {
    {MIXER_NEED(n_heads)},
    {MIXER_NEED(n_kv_heads)},
    {MIXER_NEED(k_dim)},
    {MIXER_NEED(v_dim)},
    {NULL, 0},
};

static const struct mixer_need WINDOW_NEEDS[] = {
    {MIXER_NEED(n_heads)}, {MIXER_NEED(n_kv_heads)},    {MIXER_NEED(k_dim)},
    {MIXER_NEED(v_dim)},   {MIXER_NEED(window_tokens)}, {NULL, 0},
};

static const struct mixer_need CROSS_NEEDS[] = {
    {MIXER_NEED(n_heads)}, {MIXER_NEED(n_kv_heads)},   {MIXER_NEED(k_dim)},
    {MIXER_NEED(v_dim)},   {MIXER_NEED(image_tokens)}, {NULL, 0},
};

static const struct mixer_need MLA_NEEDS[] = {
    {MIXER_NEED(n_heads)},  {MIXER_NEED(kv_lora_rank)}, {MIXER_NEED(rope_dim)},
    {MIXER_NEED(nope_dim)}, {MIXER_NEED(v_dim)},        {NULL, 0},
};

static const struct mixer_need SWA_LATENT_NEEDS[] = {
    {MIXER_NEED(n_heads)},
    {MIXER_NEED(k_dim)},
    {MIXER_NEED(q_lora_rank)},
    {MIXER_NEED(o_lora_rank)},
    {MIXER_NEED(o_groups)},
    {MIXER_NEED(window_tokens)},
    {NULL, 0},
};

static const struct mixer_need HCA_NEEDS[] = {
    {MIXER_NEED(n_heads)},         {MIXER_NEED(k_dim)},
    {MIXER_NEED(q_lora_rank)},     {MIXER_NEED(o_lora_rank)},
    {MIXER_NEED(o_groups)},        {MIXER_NEED(window_tokens)},
    {MIXER_NEED(compress_tokens)}, {NULL, 0},
};

static const struct mixer_need CSA_NEEDS[] = {
    {MIXER_NEED(n_heads)},
    {MIXER_NEED(k_dim)},
    {MIXER_NEED(q_lora_rank)},
    {MIXER_NEED(o_lora_rank)},
    {MIXER_NEED(o_groups)},
    {MIXER_NEED(window_tokens)},
    {MIXER_NEED(compress_tokens)},
    {MIXER_NEED(index_heads)},
    {MIXER_NEED(index_dim)},
    {MIXER_NEED(topk_tokens)},
    {NULL, 0},
};

static const struct mixer_need GATED_DELTA_NEEDS[] = {
    {MIXER_NEED(k_heads)}, {MIXER_NEED(v_heads)},     {MIXER_NEED(k_dim)},
    {MIXER_NEED(v_dim)},   {MIXER_NEED(conv_kernel)}, {NULL, 0},
};

static const struct mixer_need KDA_NEEDS[] = {
    {MIXER_NEED(n_heads)},
    {MIXER_NEED(k_dim)},
    {MIXER_NEED(conv_kernel)},
    {NULL, 0},
};

static const struct mixer_need LIGHTNING_NEEDS[] = {
    {MIXER_NEED(n_heads)},
    {MIXER_NEED(k_dim)},
    {NULL, 0},
};

static const struct mixer_need MAMBA1_NEEDS[] = {
    {MIXER_NEED(inner_dim)},
    {MIXER_NEED(state_size)},
    {MIXER_NEED(dt_rank)},
    {MIXER_NEED(conv_kernel)},
    {NULL, 0},
};

static const struct mixer_need MAMBA2_NEEDS[] = {
    {MIXER_NEED(inner_dim)}, {MIXER_NEED(n_heads)},     {MIXER_NEED(state_size)},
    {MIXER_NEED(n_groups)},  {MIXER_NEED(conv_kernel)}, {NULL, 0},
};

static const struct mixer_need SHORT_CONV_NEEDS[] = {
    {MIXER_NEED(conv_kernel)},
    {NULL, 0},
};

static const struct mixer_info MIXERS[MIXER_KIND_COUNT] = {
    [MIXER_FULL] = {.title = "full attention",
                    .derive = mixer_attention_derive,
                    .needs = ATTENTION_NEEDS},
    [MIXER_WINDOW] = {.title = "sliding window",
                      .derive = mixer_attention_derive,
                      .needs = WINDOW_NEEDS,
                      .windowed = true},
    [MIXER_CHUNKED] = {.title = "chunked attention",
                       .derive = mixer_attention_derive,
                       .needs = WINDOW_NEEDS,
                       .windowed = true},
    [MIXER_MLA] = {.title = "MLA", .derive = mixer_mla_derive, .needs = MLA_NEEDS, .latent = true},
    [MIXER_SWA_LATENT] = {.title = "windowed latent",
                          .derive = mixer_swa_latent_derive,
                          .needs = SWA_LATENT_NEEDS,
                          .windowed = true,
                          .latent = true},
    [MIXER_CSA] = {.title = "compressed sparse attention",
                   .derive = mixer_csa_derive,
                   .needs = CSA_NEEDS,
                   .latent = true},
    [MIXER_HCA] = {.title = "heavily compressed attention",
                   .derive = mixer_hca_derive,
                   .needs = HCA_NEEDS,
                   .latent = true},
    [MIXER_CROSS] = {.title = "image cross-attention",
                     .derive = mixer_cross_derive,
                     .needs = CROSS_NEEDS},
    [MIXER_GATED_DELTA] = {.title = "gated delta net",
                           .derive = mixer_gated_delta_derive,
                           .needs = GATED_DELTA_NEEDS,
                           .state = true},
    [MIXER_KDA] = {.title = "Kimi delta attention",
                   .derive = mixer_kda_derive,
                   .needs = KDA_NEEDS,
                   .state = true},
    [MIXER_LIGHTNING] = {.title = "lightning attention",
                         .derive = mixer_lightning_derive,
                         .needs = LIGHTNING_NEEDS,
                         .state = true},
    [MIXER_MAMBA1] = {.title = "Mamba",
                      .derive = mixer_mamba1_derive,
                      .needs = MAMBA1_NEEDS,
                      .state = true},
    [MIXER_MAMBA2] = {.title = "Mamba-2",
                      .derive = mixer_mamba2_derive,
                      .needs = MAMBA2_NEEDS,
                      .state = true},
    [MIXER_SHORT_CONV] = {.title = "short convolution",
                          .derive = mixer_short_conv_derive,
                          .needs = SHORT_CONV_NEEDS,
                          .state = true},
};

#define X(ID, NAME) [ID] = NAME,
static const char *const MIXER_NAMES[MIXER_KIND_COUNT] = {MIXER_LIST(X)};
#undef X

const struct mixer_info *mixer_info(enum mixer_kind kind)
{
    return &MIXERS[kind];
}

const char *mixer_kind_name(enum mixer_kind kind)
{
    return MIXER_NAMES[kind];
}

enum mixer_kind mixer_kind_parse(const char *name)
{
    int i = 0;
    while (i < MIXER_KIND_COUNT && strcmp(MIXER_NAMES[i], name) != 0) {
        i++;
    }
    return (enum mixer_kind)i;
}

struct linear *mixer_add_linear(struct mixer *mixer, const char *what, double k, double n,
                                enum shard shard)
{
    assert(mixer->n_linears < LINEARS_MAX);
    struct linear *linear = &mixer->linears[mixer->n_linears++];
    *linear = (struct linear){
        .k = k,
        .n = n,
        .shard = shard,
        .role = ROLE_ATTENTION,
        .state_side = mixer_info(mixer->kind)->state,
        .what = what,
    };
    mixer->linear_params += k * n;
    return linear;
}
