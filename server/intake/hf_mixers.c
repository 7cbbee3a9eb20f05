/*
 * hf_mixers.c - the numbers of one mixer or FFN, as configurations name them.
 */
#include <math.h>

#include "hf_read.h"
#include "mixer.h"

/* Head counts and widths of one layer: the model's, or the kind's own where it has some. */
static void fill_heads(struct hf *hf, struct mixer *mixer)
{
    const struct hf_shape *shape = &hf->shape;
    mixer->n_heads = shape->n_heads;
    mixer->n_kv_heads = shape->n_kv_heads;
    mixer->k_dim = shape->k_dim;
    mixer->v_dim = shape->v_dim;
    if (mixer->kind == MIXER_WINDOW && hf_has(hf, HF_SWA_NUMBERS)) {
        mixer->n_heads = hf_number(
            hf, HF("swa_num_attention_heads", "attention_other_setting/num_attention_heads"),
            HF_WIDTH_MAX, hf_has(hf, HF_HEAD_GATE) ? 1.5 * shape->n_heads : shape->n_heads);
        mixer->n_kv_heads =
            hf_number(hf, HF("swa_num_key_value_heads"), HF_WIDTH_MAX, shape->n_kv_heads);
        mixer->k_dim = hf_number(hf, HF("swa_head_dim"), HF_WIDTH_MAX, shape->k_dim);
        mixer->v_dim = hf_number(hf, HF("swa_v_head_dim"), HF_WIDTH_MAX, shape->v_dim);
    }
    if (mixer->kind == MIXER_FULL && hf_has(hf, HF_GLOBAL_NUMBERS)) {
        mixer->k_equals_v = hf_flag(hf, HF("attention_k_eq_v"), false);
        mixer->n_kv_heads =
            hf_number(hf, HF("num_global_key_value_heads"), HF_WIDTH_MAX, shape->n_kv_heads);
        mixer->k_dim = hf_number(hf, HF("global_head_dim"), HF_WIDTH_MAX, shape->k_dim);
        mixer->v_dim = mixer->k_dim;
    }
}

static void fill_qk_norm(struct hf *hf, struct mixer *mixer)
{
    bool asked = hf_has(hf, HF_QK_NORM_ASKED) && hf_flag(hf, HF("use_qk_norm"), false);
    bool heads = asked || hf_has(hf, HF_QK_NORM_HEAD) || mixer->kind == MIXER_CROSS;
    if (hf_has(hf, HF_QK_NORM_FULL)) {
        mixer->qk_norm_params = (mixer->n_heads + mixer->n_kv_heads) * mixer->k_dim;
    } else if (heads) {
        mixer->qk_norm_params = 2 * mixer->k_dim;
    }
}

static void fill_attention(struct hf *hf, const struct hf_layer *layer, struct mixer *mixer)
{
    bool bias =
        hf_flag(hf, HF("attention_bias", "use_qkv_bias", "qkv_bias", "add_qkv_bias"), false);
    fill_heads(hf, mixer);
    if (layer->n_kv_heads > 0) {
        mixer->n_kv_heads = layer->n_kv_heads;
    }
    mixer->qkv_bias = bias || hf_has(hf, HF_QKV_BIAS);
    mixer->o_bias = (bias && !hf_has(hf, HF_NO_O_BIAS)) || hf_has(hf, HF_O_BIAS);
    mixer->output_gate = hf_flag(hf, HF("attn_output_gate"), hf_has(hf, HF_OUTPUT_GATE));
    mixer->head_gate = hf_has(hf, HF_HEAD_GATE);
    mixer->sinks = layer->sinks;
    mixer->shares_kv = layer->borrows_kv;
    if (mixer->kind == MIXER_WINDOW || mixer->kind == MIXER_CHUNKED) {
        mixer->window_tokens = hf->shape.window;
    }
    fill_qk_norm(hf, mixer);
    if (layer->has_indexer) {
        mixer->index_heads =
            hf_required(hf, HF("sparse_attention_config/sparse_num_index_heads"), HF_WIDTH_MAX);
        mixer->index_dim =
            hf_required(hf, HF("sparse_attention_config/sparse_index_dim"), HF_WIDTH_MAX);
        mixer->index_kv_heads = 1;
        mixer->topk_tokens =
            hf_required(hf, HF("sparse_attention_config/sparse_topk_blocks"), HF_TOKENS_MAX) *
            hf_required(hf, HF("sparse_attention_config/sparse_block_size"), HF_TOKENS_MAX);
    }
}

/* Tiles of (image / patch)^2 patches and a class token each. */
static void fill_cross(struct hf *hf, const struct hf_layer *layer, struct mixer *mixer)
{
    struct hf vision = *hf;
    vision.text = cJSON_GetObjectItemCaseSensitive(hf->root, "vision_config");
    double image = hf_number(&vision, HF("image_size"), HF_WIDTH_MAX, 560);
    double patch = hf_number(&vision, HF("patch_size"), HF_WIDTH_MAX, 14);
    double tiles = hf_number(&vision, HF("max_num_tiles"), HF_WIDTH_MAX, 4);
    double side = patch > 0 ? image / patch : 0;
    fill_attention(hf, layer, mixer);
    mixer->image_tokens = tiles * (side * side + 1);
    mixer->extra_params = 2; /* the gates of attention and MLP */
}

static void fill_mla(struct hf *hf, const struct hf_layer *layer, struct mixer *mixer)
{
    mixer->n_heads = hf->shape.n_heads;
    mixer->q_lora_rank = hf_number(hf, HF("q_lora_rank"), HF_WIDTH_MAX, 0);
    mixer->kv_lora_rank = hf_required(hf, HF("kv_lora_rank"), HF_WIDTH_MAX);
    mixer->nope_dim = hf_required(hf, HF("qk_nope_head_dim"), HF_WIDTH_MAX);
    mixer->rope_dim = hf_required(hf, HF("qk_rope_head_dim"), HF_WIDTH_MAX);
    mixer->v_dim = hf_required(hf, HF("v_head_dim"), HF_WIDTH_MAX);
    mixer->output_gate = hf_flag(hf, HF("mla_use_output_gate"), false);
    if (hf_find(hf, HF("index_topk")) != NULL) {
        mixer->topk_tokens = hf_required(hf, HF("index_topk"), HF_TOKENS_MAX);
    }
    if (layer->has_indexer) {
        mixer->index_heads = hf_required(hf, HF("index_n_heads"), HF_WIDTH_MAX);
        mixer->index_dim = hf_required(hf, HF("index_head_dim"), HF_WIDTH_MAX);
        mixer->index_kv_heads = 1;
    }
}

/* The three kinds of DeepSeek-V4. */
static void fill_v4(struct hf *hf, const struct hf_layer *layer, struct mixer *mixer)
{
    (void)layer;
    mixer->n_heads = hf->shape.n_heads;
    mixer->k_dim = hf->shape.k_dim;
    mixer->rope_dim = hf_number(hf, HF("qk_rope_head_dim"), HF_WIDTH_MAX, 0);
    mixer->q_lora_rank = hf_required(hf, HF("q_lora_rank"), HF_WIDTH_MAX);
    mixer->o_lora_rank = hf_required(hf, HF("o_lora_rank"), HF_WIDTH_MAX);
    mixer->o_groups = hf_required(hf, HF("o_groups"), HF_WIDTH_MAX);
    mixer->window_tokens = hf_required(hf, HF("sliding_window"), HF_TOKENS_MAX);
    if (mixer->kind == MIXER_HCA) {
        mixer->compress_tokens = 128;
    }
    if (mixer->kind == MIXER_CSA) {
        mixer->compress_tokens = 4;
        mixer->index_heads = hf_required(hf, HF("index_n_heads"), HF_WIDTH_MAX);
        mixer->index_dim = hf_required(hf, HF("index_head_dim"), HF_WIDTH_MAX);
        mixer->topk_tokens = hf_required(hf, HF("index_topk"), HF_TOKENS_MAX);
    }
}

static void fill_gated_delta(struct hf *hf, const struct hf_layer *layer, struct mixer *mixer)
{
    (void)layer;
    mixer->k_heads = hf_required(hf, HF("linear_num_key_heads"), HF_WIDTH_MAX);
    mixer->v_heads = hf_required(hf, HF("linear_num_value_heads"), HF_WIDTH_MAX);
    mixer->k_dim = hf_required(hf, HF("linear_key_head_dim"), HF_WIDTH_MAX);
    mixer->v_dim = hf_required(hf, HF("linear_value_head_dim"), HF_WIDTH_MAX);
    mixer->conv_kernel = hf_required(hf, HF("linear_conv_kernel_dim"), HF_WIDTH_MAX);
}

static void fill_kda(struct hf *hf, const struct hf_layer *layer, struct mixer *mixer)
{
    (void)layer;
    mixer->n_heads = hf_required(hf, HF("linear_attn_config/num_heads"), HF_WIDTH_MAX);
    mixer->k_dim = hf_required(hf, HF("linear_attn_config/head_dim"), HF_WIDTH_MAX);
    mixer->conv_kernel =
        hf_required(hf, HF("linear_attn_config/short_conv_kernel_size"), HF_WIDTH_MAX);
    mixer->full_rank_gate = hf_flag(hf, HF("linear_attn_config/use_full_rank_gate"), false);
}

static void fill_lightning(struct hf *hf, const struct hf_layer *layer, struct mixer *mixer)
{
    (void)layer;
    mixer->n_heads = hf->shape.n_heads;
    mixer->k_dim = hf->shape.k_dim;
}

/* Jamba widens by mamba_expand and norms dt, B and C; Mamba states its inner width. A rank of
 * "auto" is the usual one, hidden / 16. */
static void fill_mamba1(struct hf *hf, const struct hf_layer *layer, struct mixer *mixer)
{
    (void)layer;
    bool hybrid = !hf_has(hf, HF_NO_ATTENTION);
    const char *const *rank = HF("time_step_rank", "mamba_dt_rank");
    double hidden = hf->model->hidden;
    double wide = hf_factor(hf, HF("mamba_expand", "expand"), HF_WIDTH_MAX, 2) * hidden;
    double usual = ceil(hidden / 16);
    mixer->inner_dim =
        hybrid ? wide : hf_number(hf, HF("intermediate_size", "d_inner"), HF_WIDTH_MAX, wide);
    mixer->state_size = hf_number(hf, HF("state_size", "mamba_d_state"), HF_WIDTH_MAX, 16);
    mixer->conv_kernel = hf_number(hf, HF("conv_kernel", "mamba_d_conv"), HF_WIDTH_MAX, 4);
    mixer->dt_rank = hf_text(hf, rank) != NULL ? usual : hf_number(hf, rank, HF_WIDTH_MAX, usual);
    mixer->inner_norms = hf_flag(hf, HF("mamba_inner_layernorms"), hybrid);
}

static void fill_mamba2(struct hf *hf, const struct hf_layer *layer, struct mixer *mixer)
{
    (void)layer;
    mixer->n_heads = hf_required(
        hf, HF("mamba_num_heads", "mamba_n_heads", "n_mamba_heads", "num_heads"), HF_WIDTH_MAX);
    double head = hf_required(hf, HF("mamba_head_dim", "mamba_d_head", "mamba_headdim", "head_dim"),
                              HF_WIDTH_MAX);
    mixer->inner_dim = mixer->n_heads * head;
    mixer->state_size =
        hf_required(hf, HF("ssm_state_size", "mamba_d_state", "state_size"), HF_WIDTH_MAX);
    mixer->n_groups =
        hf_number(hf, HF("n_groups", "mamba_n_groups", "mamba_ngroups"), HF_WIDTH_MAX, 1);
    mixer->conv_kernel = hf_number(hf, HF("conv_kernel", "mamba_d_conv"), HF_WIDTH_MAX, 4);
    mixer->gated_norm = hf_flag(hf, HF("mamba_rms_norm"), true);
}

static void fill_short_conv(struct hf *hf, const struct hf_layer *layer, struct mixer *mixer)
{
    (void)layer;
    mixer->conv_kernel = hf_number(hf, HF("conv_L_cache"), HF_WIDTH_MAX, 3);
}

static void (*const FILLS[MIXER_KIND_COUNT])(struct hf *hf, const struct hf_layer *layer,
                                             struct mixer *mixer) = {
    [MIXER_FULL] = fill_attention,
    [MIXER_WINDOW] = fill_attention,
    [MIXER_CHUNKED] = fill_attention,
    [MIXER_CROSS] = fill_cross,
    [MIXER_MLA] = fill_mla,
    [MIXER_SWA_LATENT] = fill_v4,
    [MIXER_CSA] = fill_v4,
    [MIXER_HCA] = fill_v4,
    [MIXER_GATED_DELTA] = fill_gated_delta,
    [MIXER_KDA] = fill_kda,
    [MIXER_LIGHTNING] = fill_lightning,
    [MIXER_MAMBA1] = fill_mamba1,
    [MIXER_MAMBA2] = fill_mamba2,
    [MIXER_SHORT_CONV] = fill_short_conv,
};

void hf_fill_mixer(struct hf *hf, const struct hf_layer *layer, enum mixer_kind kind,
                   struct mixer *mixer)
{
    mixer->kind = kind;
    mixer->has_kv_projection = true;
    FILLS[kind](hf, layer, mixer);
}

void hf_fill_dense(struct hf *hf, double width, struct ffn *ffn)
{
    ffn->kind = FFN_DENSE;
    ffn->matrices = hf_has(hf, HF_PLAIN_MLP) ? 2 : 3;
    ffn->width = width;
    ffn->bias = hf_flag(hf, HF("mlp_bias"), hf_has(hf, HF_MLP_BIAS));
}

void hf_fill_moe(struct hf *hf, struct ffn *ffn)
{
    const char *method = hf_text(hf, HF("topk_method"));
    bool corrected = method != NULL && method[0] == 'n'; /* "noaux_tc" */
    ffn->kind = FFN_MOE;
    ffn->matrices = hf_has(hf, HF_PLAIN_MLP) ? 2 : 3;
    ffn->n_experts = hf->shape.n_experts;
    ffn->top_k = hf->shape.top_k;
    ffn->expert_width = hf->shape.expert_width;
    ffn->shared_width = hf->shape.shared_width;
    ffn->latent =
        hf_number(hf, HF("moe_latent_size", "routed_expert_hidden_size"), HF_WIDTH_MAX, 0);
    ffn->latent_norm = hf_flag(hf, HF("latent_moe_use_norm"), false);
    ffn->shared_gate = hf_has(hf, HF_SHARED_GATE) && ffn->shared_width > 0;
    ffn->expert_bias = hf_has(hf, HF_EXPERT_BIAS);
    ffn->router_bias = !hf_has(hf, HF_NO_ROUTER_BIAS) &&
                       hf_flag(hf,
                               HF("use_routing_bias", "use_moe_router_bias", "moe_use_aux_free",
                                  "moe_router_enable_expert_bias", "use_expert_bias"),
                               corrected || hf_has(hf, HF_ROUTER_BIAS));
}
