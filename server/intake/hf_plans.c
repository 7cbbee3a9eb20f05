/*
 * hf_plans.c - what only one architecture says about its layers, and its parameters without a
 * formula.
 */
#include <math.h>
#include <string.h>

#include "hf_read.h"
#include "mixer.h"

static void set_all(struct hf *hf, enum mixer_kind kind)
{
    for (int i = 0; i < hf->n_layers; i++) {
        hf->layers[i].mixer = (unsigned char)kind;
    }
}

/* MLA in every layer; with index_topk an indexer in each, or in those that "indexer_types" call
 * full. */
void hf_plan_mla(struct hf *hf)
{
    bool sparse = hf_find(hf, HF("index_topk")) != NULL;
    const cJSON **types = hf_per_layer(hf, HF("indexer_types"));
    set_all(hf, MIXER_MLA);
    for (int i = 0; i < hf->n_layers; i++) {
        bool full = types == NULL ||
                    (cJSON_IsString(types[i]) && strcmp(types[i]->valuestring, "full") == 0);
        hf->layers[i].has_indexer = sparse && full;
    }
}

void hf_plan_mllama(struct hf *hf)
{
    const bool *cross = hf_listed_layers(hf, HF("cross_attention_layers"), 0);
    for (int i = 0; cross != NULL && i < hf->n_layers; i++) {
        if (cross[i]) {
            hf->layers[i].mixer = MIXER_CROSS;
        }
    }
}

/* Eight embedding rows more than the vocabulary has. */
void hf_finish_mllama(struct hf *hf)
{
    hf_add_extra(hf, "8 extra embedding rows", 8 * hf->model->hidden, false);
}

/* compress_ratios: tokens per cached entry, 0 = the window alone. */
void hf_plan_deepseek_v4(struct hf *hf)
{
    const char *const *names = HF("compress_ratios");
    const cJSON **ratios = hf_per_layer(hf, names);
    if (ratios == NULL) {
        hf_fault(hf, names, "must be a list with a ratio for each layer");
        return;
    }
    for (int i = 0; i < hf->n_layers; i++) {
        double ratio = cJSON_IsNumber(ratios[i]) ? ratios[i]->valuedouble : -1;
        if (ratio >= 0 && ratio <= 0) {
            hf->layers[i].mixer = MIXER_SWA_LATENT;
        } else if (ratio >= 4 && ratio <= 4) {
            hf->layers[i].mixer = MIXER_CSA;
        } else if (ratio >= 128 && ratio <= 128) {
            hf->layers[i].mixer = MIXER_HCA;
        } else {
            hf_fault(hf, names, "must hold ratios of 0, 4 or 128");
            return;
        }
    }
}

/*
 * Hyper-connections: hc_mult streams of the hidden width are mixed before attention and before the
 * experts of each layer by a matrix of hc_mult (2 + hc_mult) columns, hc_mult (2 + hc_mult) biases
 * and three scales; a head of hc_mult columns, biases and one scale joins them at the end. The
 * first num_hash_layers choose experts by a table of token ids and have no router bias.
 */
void hf_finish_deepseek_v4(struct hf *hf)
{
    double streams = hf_number(hf, HF("hc_mult"), HF_WIDTH_MAX, 0);
    double hash_layers = hf_number(hf, HF("num_hash_layers"), HF_LAYERS_MAX, 0);
    double width = streams * hf->model->hidden;
    double columns = streams * (2 + streams);
    double mix = 2 * (width * columns + columns + 3);
    double head = width * streams + streams + 1;
    struct model *model = hf->model;
    if (streams > 0) {
        hf_add_extra(hf, "hyper-connections (2 per layer)", hf->n_layers * mix, true);
        hf_add_extra(hf, "hyper-connection head", head, true);
    }
    if (hash_layers > 0) {
        hf_add_extra(hf, "token-to-expert hash tables",
                     hash_layers * model->vocab * hf->shape.top_k, false);
    }
    hf_add_extra(hf, "router biases of the layers without a hash table",
                 fmax(hf->n_layers - hash_layers, 0) * hf->shape.n_experts, true);
    if (model->mtp != NULL) {
        double one = (streams > 0 ? mix + head : 0) + hf->shape.n_experts;
        model->mtp_extra_params = model->mtp->count * one;
    }
}

/* hybrid_layer_pattern: 1 = windowed. Either kind may have sinks. */
void hf_plan_mimo_v2(struct hf *hf)
{
    const char *const *names = HF("hybrid_layer_pattern");
    const cJSON **pattern = hf_per_layer(hf, names);
    bool window_sinks = hf_flag(hf, HF("add_swa_attention_sink_bias"), false);
    bool full_sinks = hf_flag(hf, HF("add_full_attention_sink_bias"), false);
    if (pattern == NULL) {
        hf_fault(hf, names, "must be a list with 0 or 1 for each layer");
        return;
    }
    for (int i = 0; i < hf->n_layers; i++) {
        bool windowed = pattern[i]->valuedouble > 0;
        hf->layers[i].mixer = windowed ? MIXER_WINDOW : MIXER_FULL;
        hf->layers[i].sinks = windowed ? window_sinks : full_sinks;
    }
}

/* attn_type_list: 1 = attention, 0 = lightning. */
void hf_plan_minimax_m1(struct hf *hf)
{
    const char *const *names = HF("attn_type_list");
    const cJSON **types = hf_per_layer(hf, names);
    if (types == NULL) {
        hf_fault(hf, names, "must be a list with 0 or 1 for each layer");
        return;
    }
    for (int i = 0; i < hf->n_layers; i++) {
        hf->layers[i].mixer = types[i]->valuedouble > 0 ? MIXER_FULL : MIXER_LIGHTNING;
    }
}

void hf_plan_minimax_m3(struct hf *hf)
{
    const cJSON **sparse = hf_per_layer(hf, HF("sparse_attention_config/sparse_attention_freq"));
    for (int i = 0; sparse != NULL && i < hf->n_layers; i++) {
        hf->layers[i].has_indexer = sparse[i]->valuedouble > 0;
    }
}

/* Layers counted from 1: those on full_attn_layers are MLA, the others Kimi delta attention. */
void hf_plan_kimi_linear(struct hf *hf)
{
    const char *const *names = HF("linear_attn_config/full_attn_layers");
    const bool *full = hf_listed_layers(hf, names, 1);
    if (full == NULL) {
        hf_fault(hf, names, "must list the layers with full attention");
        return;
    }
    for (int i = 0; i < hf->n_layers; i++) {
        hf->layers[i].mixer = full[i] ? MIXER_MLA : MIXER_KDA;
    }
}

/* Attention residuals (Kimi K3): a norm and a projection to one value per sub-layer and at the end.
 */
void hf_finish_kimi_linear(struct hf *hf)
{
    if (hf_find(hf, HF("attn_res_block_size")) != NULL) {
        hf_add_extra(hf, "attention-residual norms and projections",
                     (4.0 * hf->n_layers + 2) * hf->model->hidden, true);
    }
}

/* One letter or name per layer, each layer one sub-layer: Mamba-2, attention, MLP or MoE. */
static const struct nemotron_part {
    char letter;
    const char *name;
    enum mixer_kind mixer;
    unsigned char ffn;
} NEMOTRON_PARTS[] = {
    {'M', "mamba", MIXER_MAMBA2, 0},
    {'*', "attention", MIXER_FULL, 0},
    {'-', "mlp", MIXER_KIND_COUNT, HF_FFN_DENSE},
    {'E', "moe", MIXER_KIND_COUNT, HF_FFN_MOE},
};

static const struct nemotron_part *nemotron_part(char letter, const char *name)
{
    for (size_t i = 0; i < ARRAY_LEN(NEMOTRON_PARTS); i++) {
        const struct nemotron_part *part = &NEMOTRON_PARTS[i];
        if (name != NULL ? strcmp(part->name, name) == 0 : part->letter == letter) {
            return part;
        }
    }
    return NULL;
}

void hf_plan_nemotron_h(struct hf *hf)
{
    const char *const *names = HF("hybrid_override_pattern", "layers_block_type");
    const char *pattern = hf_text(hf, names);
    const cJSON **blocks = pattern == NULL ? hf_per_layer(hf, HF("layers_block_type")) : NULL;
    bool long_enough = pattern != NULL ? strlen(pattern) >= (size_t)hf->n_layers : blocks != NULL;
    if (!long_enough) {
        hf_fault(hf, names, "must give a block for each layer");
        return;
    }
    for (int i = 0; i < hf->n_layers; i++) {
        const char *name =
            blocks != NULL && cJSON_IsString(blocks[i]) ? blocks[i]->valuestring : NULL;
        char letter = '\0';
        if (pattern != NULL) {
            letter = pattern[i];
        }
        const struct nemotron_part *part = nemotron_part(letter, name);
        if (part == NULL) {
            hf_fault(hf, names, "names a block that is not known");
            return;
        }
        hf->layers[i].mixer = (unsigned char)part->mixer;
        hf->layers[i].ffn = part->ffn;
    }
}

/* Width of a block: 2/3 of ffn_mult times the hidden width, rounded up to 256; or stated. */
static double nas_width(const struct hf *hf, const cJSON *ffn)
{
    const cJSON *width = cJSON_GetObjectItemCaseSensitive(ffn, "intermediate_size");
    const cJSON *mult = cJSON_GetObjectItemCaseSensitive(ffn, "ffn_mult");
    if (width != NULL && cJSON_IsNumber(width)) {
        return width->valuedouble;
    }
    double factor = mult != NULL && cJSON_IsNumber(mult) ? mult->valuedouble : 0;
    return ceil(floor(2 * factor * hf->model->hidden / 3) / 256) * 256;
}

/* block_configs: attention with its own group size or none, an FFN with its own width or none. */
static bool plan_nas_block(const struct hf *hf, const cJSON *block, struct hf_layer *layer)
{
    const cJSON *attention = cJSON_GetObjectItemCaseSensitive(block, "attention");
    const cJSON *ffn = cJSON_GetObjectItemCaseSensitive(block, "ffn");
    const cJSON *share = cJSON_GetObjectItemCaseSensitive(attention, "n_heads_in_group");
    bool no_attention = cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(attention, "no_op"));
    bool no_ffn = cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(ffn, "no_op"));
    layer->norms = no_attention || no_ffn ? 1 : 2;
    if (no_attention && no_ffn) {
        layer->norms = 0;
    }
    layer->mixer = no_attention ? MIXER_KIND_COUNT : MIXER_FULL;
    layer->ffn = no_ffn ? 0 : HF_FFN_DENSE;
    layer->width = no_ffn ? 0 : nas_width(hf, ffn);
    if (!no_attention && share != NULL && cJSON_IsNumber(share)) {
        layer->n_kv_heads = hf->shape.n_heads / share->valuedouble;
    }
    bool width_fits = no_ffn || (layer->width >= 1 && layer->width <= HF_WIDTH_MAX);
    bool heads_fit = no_attention || hf_refused(hf, HF_HEADS) ||
                     (layer->n_kv_heads >= 1 && layer->n_kv_heads <= hf->shape.n_heads);
    return width_fits && heads_fit;
}

void hf_plan_nemotron_nas(struct hf *hf)
{
    const char *const *names = HF("block_configs");
    const cJSON **blocks = hf_per_layer(hf, names);
    if (blocks == NULL) {
        hf_fault(hf, names, "must be a list with a block for each layer");
        return;
    }
    for (int i = 0; i < hf->n_layers; i++) {
        if (!plan_nas_block(hf, blocks[i], &hf->layers[i])) {
            hf_fault(hf, names, "holds a block without a usable head group or FFN width");
            return;
        }
    }
}

/* Attention and Mamba-2 side by side in every layer. */
void hf_plan_falcon_h1(struct hf *hf)
{
    for (int i = 0; i < hf->n_layers; i++) {
        hf->layers[i].side = MIXER_MAMBA2;
    }
}

/* The last num_kv_shared_layers borrow KV, and may have MLPs of twice the width. */
void hf_plan_gemma4(struct hf *hf)
{
    double shared = hf_number(hf, HF("num_kv_shared_layers"), HF_LAYERS_MAX, 0);
    bool wide = hf_flag(hf, HF("use_double_wide_mlp"), false);
    bool moe = hf_flag(hf, HF("enable_moe_block"), false);
    for (int i = 0; i < hf->n_layers; i++) {
        struct hf_layer *layer = &hf->layers[i];
        layer->borrows_kv = i >= hf->n_layers - shared;
        layer->width = layer->borrows_kv && wide ? 2 * hf->shape.width : 0;
        layer->ffn = moe ? HF_FFN_DENSE | HF_FFN_MOE : HF_FFN_DENSE;
        layer->norms = moe ? 7 : 4;
    }
}

/*
 * A scalar per layer; per-layer embeddings, when they have a width d: a gathered table, a
 * projection from the hidden state with a norm, and in each layer a gate to d, a projection back
 * and a norm. Beside experts the router scales its input and each expert.
 */
void hf_finish_gemma4(struct hf *hf)
{
    struct model *model = hf->model;
    double d = hf_number(hf, HF("hidden_size_per_layer_input"), HF_WIDTH_MAX, 0);
    double rows = hf_number(hf, HF("vocab_size_per_layer_input"), HF_TOKENS_MAX, model->vocab);
    hf_add_extra(hf, "layer scalars", hf->n_layers, true);
    if (d > 0) {
        hf_add_extra(hf, "per-layer embedding table", rows * d * hf->n_layers, false);
        hf_add_extra(hf, "per-layer model projection and norm",
                     model->hidden * d * hf->n_layers + d, true);
        hf_add_extra(hf, "per-layer input gate, projection and norm",
                     hf->n_layers * (2 * model->hidden * d + model->hidden), true);
    }
    for (int i = 0; i < model->n_groups; i++) {
        for (int j = 0; j < model->groups[i].n_ffns; j++) {
            struct ffn *ffn = &model->groups[i].ffns[j];
            ffn->router_extra = ffn->kind == FFN_MOE ? model->hidden + ffn->n_experts : 0;
        }
    }
}

/* Cross-layer attention: only every cla_share_factor-th layer has KV of its own. */
void hf_plan_hunyuan(struct hf *hf)
{
    double factor = hf_flag(hf, HF("use_cla"), false)
                        ? hf_number(hf, HF("cla_share_factor"), HF_LAYERS_MAX, 1)
                        : 1;
    for (int i = 0; i < hf->n_layers; i++) {
        hf->layers[i].borrows_kv = factor >= 1 && i % (int)factor != 0;
    }
}

/* A mixer and one norm per layer, nothing else. */
void hf_plan_state_only(struct hf *hf)
{
    set_all(hf, hf->arch->other);
    for (int i = 0; i < hf->n_layers; i++) {
        hf->layers[i].ffn = 0;
    }
}

/* Every attn_layer_period-th layer from attn_layer_offset on is attention, the others are Mamba. */
void hf_plan_jamba(struct hf *hf)
{
    double period = hf_required(hf, HF("attn_layer_period"), HF_LAYERS_MAX);
    double offset = hf_number(hf, HF("attn_layer_offset"), HF_LAYERS_MAX, 0);
    for (int i = 0; i < hf->n_layers; i++) {
        bool attention = i % (int)period == (int)offset;
        hf->layers[i].mixer = attention ? MIXER_FULL : MIXER_MAMBA1;
    }
}

/* The layers on attn_layer_indices are attention, the others Mamba-2. */
void hf_plan_bamba(struct hf *hf)
{
    const bool *attention = hf_listed_layers(hf, HF("attn_layer_indices"), 0);
    for (int i = 0; i < hf->n_layers; i++) {
        hf->layers[i].mixer = attention != NULL && attention[i] ? MIXER_FULL : MIXER_MAMBA2;
    }
}

/* With block_auto_adjust_ff_dim the width given is cut to two thirds and rounded up to a multiple.
 */
void hf_plan_lfm2(struct hf *hf)
{
    if (hf_flag(hf, HF("block_auto_adjust_ff_dim"), false)) {
        double multiple = hf_required(hf, HF("block_multiple_of"), HF_WIDTH_MAX);
        double factor = hf_factor(hf, HF("block_ffn_dim_multiplier"), HF_WIDTH_MAX, 1);
        double width = floor(factor * floor(2 * hf->shape.width / 3));
        hf->shape.width = multiple * ceil(width / multiple);
    }
}

/* Without experts the "shared" FFN is the layer's dense one. */
void hf_plan_granite_hybrid(struct hf *hf)
{
    if (!(hf->shape.n_experts > 0)) {
        hf->shape.width =
            hf_number(hf, HF("shared_intermediate_size"), HF_WIDTH_MAX, hf->shape.width);
    }
}

void hf_finish_bloom(struct hf *hf)
{
    hf_add_extra(hf, "embedding LayerNorm", 2 * hf->model->hidden, true);
}
