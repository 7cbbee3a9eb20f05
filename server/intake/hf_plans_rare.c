/*
 * hf_plans_rare.c - architectures that one family of models has: what their configurations say in
 * names of their own. Sources: the configuration and modelling files in each model's repository,
 * and those of the transformers library.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "hf_read.h"
#include "mixer.h"

/* Biases of every matrix, which no list of the generic reader knows. */
static void add_biases(struct hf *hf)
{
    for (int i = 0; i < hf->model->n_groups; i++) {
        struct layer_group *group = &hf->model->groups[i];
        for (int j = 0; j < group->n_mixers; j++) {
            group->mixers[j].qkv_bias = true;
            group->mixers[j].o_bias = true;
        }
        for (int j = 0; j < group->n_ffns; j++) {
            group->ffns[j].bias = true;
        }
    }
}

static void set_kv_heads(struct hf *hf, double n_kv_heads)
{
    for (int i = 0; i < hf->n_layers; i++) {
        hf->layers[i].n_kv_heads = n_kv_heads;
    }
}

static void set_norms(struct hf *hf, int norms)
{
    for (int i = 0; i < hf->n_layers; i++) {
        hf->layers[i].norms = (unsigned char)norms;
    }
}

/* StableLM 2 12B: attention and FFN behind one norm. */
void hf_plan_stablelm(struct hf *hf)
{
    if (hf_flag(hf, HF("use_parallel_residual"), false)) {
        set_norms(hf, 1);
    }
}

/* A norm of its own for every head of q and of k. */
void hf_finish_stablelm(struct hf *hf)
{
    const struct hf_shape *shape = &hf->shape;
    if (hf_flag(hf, HF("qk_layernorm"), false)) {
        hf_add_extra(hf, "per-head QK norms",
                     hf->n_layers * (shape->n_heads + shape->n_kv_heads) * shape->k_dim, true);
    }
}

/* One head of keys and values for all queries unless the file says otherwise. */
void hf_plan_gpt_bigcode(struct hf *hf)
{
    if (hf_flag(hf, HF("multi_query"), true)) {
        set_kv_heads(hf, 1);
    }
}

/* The new decoder has groups of KV heads and two norms side by side; the old one a single KV head
 * (whatever num_kv_heads says) and, with attention and MLP in parallel, a single norm. */
void hf_plan_falcon(struct hf *hf)
{
    bool parallel = hf_flag(hf, HF("parallel_attn"), true);
    bool single = hf_flag(hf, HF("multi_query"), true);
    if (hf_flag(hf, HF("new_decoder_architecture"), false)) {
        set_norms(hf, (int)hf_number(hf, HF("num_ln_in_parallel_attn"), 2, 2));
        return;
    }
    set_norms(hf, parallel ? 1 : 2);
    set_kv_heads(hf, single ? 1 : hf->shape.n_heads);
}

void hf_finish_falcon(struct hf *hf)
{
    if (hf_flag(hf, HF("bias"), false)) {
        add_biases(hf);
    }
}

void hf_plan_mpt(struct hf *hf)
{
    double ratio = hf_factor(hf, HF("expansion_ratio"), HF_WIDTH_MAX, 4);
    hf->shape.width = floor(ratio * hf->model->hidden);
}

/* Without ALiBi and rotary positions there is a learned table; "no_bias" covers the norms too. */
void hf_finish_mpt(struct hf *hf)
{
    struct model *model = hf->model;
    bool computed =
        hf_flag(hf, HF("attn_config/alibi"), true) || hf_flag(hf, HF("attn_config/rope"), false);
    if (!computed && hf_flag(hf, HF("learned_pos_emb"), true)) {
        model->learned_positions = model->max_positions;
    }
    if (!hf_flag(hf, HF("no_bias"), true)) {
        add_biases(hf);
        model->final_norm_params *= 2;
        for (int i = 0; i < model->n_groups; i++) {
            model->groups[i].norm_params *= 2;
        }
    }
}

void hf_plan_chatglm(struct hf *hf)
{
    if (hf_flag(hf, HF("multi_query_attention"), false)) {
        set_kv_heads(hf, hf_required(hf, HF("multi_query_group_num"), HF_WIDTH_MAX));
    }
}

void hf_finish_chatglm(struct hf *hf)
{
    if (hf_flag(hf, HF("add_bias_linear"), false)) {
        add_biases(hf);
    }
}

/* Grok-2: a dense FFN beside the experts. */
void hf_plan_grok(struct hf *hf)
{
    bool beside = hf_flag(hf, HF("residual_moe"), false);
    for (int i = 0; beside && i < hf->n_layers; i++) {
        hf->layers[i].ffn = HF_FFN_DENSE | HF_FFN_MOE;
    }
}

/* Every moe_layer_frequency-th layer has experts, and beside them a dense FFN of the hidden width
 * with a norm of its own. */
void hf_plan_arctic(struct hf *hf)
{
    double step = hf_required(hf, HF("moe_layer_frequency"), HF_LAYERS_MAX);
    bool beside = hf_flag(hf, HF("parallel_attn_mlp_res"), false);
    for (int i = 0; hf->shape.n_experts > 0 && i < hf->n_layers; i++) {
        struct hf_layer *layer = &hf->layers[i];
        bool moe = (i + 1) % (int)step == 0;
        layer->ffn = moe ? HF_FFN_MOE : HF_FFN_DENSE;
        if (moe && beside) {
            layer->ffn = HF_FFN_MOE | HF_FFN_DENSE;
            layer->width = hf->model->hidden;
            layer->norms = 3;
        }
    }
}

/* "4,5,6": the layers with experts. */
static void read_layer_numbers(struct hf *hf, const char *const *names)
{
    const char *at = hf_text(hf, names);
    while (at != NULL && *at != '\0') {
        char *end = NULL;
        long layer = strtol(at, &end, 10);
        if (end == at || layer < 0 || layer >= hf->n_layers || (*end != ',' && *end != '\0')) {
            hf_fault(hf, names, "must list layers that the model has, with a comma between");
            return;
        }
        hf->layers[layer].ffn = HF_FFN_MOE;
        at = *end == ',' ? end + 1 : end;
    }
}

void hf_plan_step3(struct hf *hf)
{
    const char *const *names = HF("moe_layers_enum");
    set_kv_heads(hf, hf_required(hf, HF("num_attention_groups"), HF_WIDTH_MAX));
    if (hf_text(hf, names) == NULL) {
        return;
    }
    for (int i = 0; i < hf->n_layers; i++) {
        hf->layers[i].ffn = HF_FFN_DENSE;
    }
    read_layer_numbers(hf, names);
}

/* Queries come out of a narrow projection. */
void hf_finish_step3(struct hf *hf)
{
    double rank = hf_number(hf, HF("share_q_dim"), HF_WIDTH_MAX, 0);
    for (int i = 0; i < hf->model->n_groups; i++) {
        for (int j = 0; j < hf->model->groups[i].n_mixers; j++) {
            hf->model->groups[i].mixers[j].q_lora_rank = rank;
        }
    }
}

/* A block is two layers of MLA and dense FFN, the first of them with experts beside. */
void hf_plan_longcat(struct hf *hf)
{
    int n = 2 * hf->n_layers;
    struct hf_layer *layers = hf_alloc(hf, (size_t)n * sizeof(*layers));
    if (layers == NULL) {
        return;
    }
    for (int i = 0; i < n; i++) {
        layers[i] = hf->layers[i / 2];
        layers[i].mixer = MIXER_MLA;
        layers[i].ffn = i % 2 == 0 ? HF_FFN_DENSE | HF_FFN_MOE : HF_FFN_DENSE;
    }
    hf->layers = layers;
    hf->n_layers = n;
}

/* The router also chooses among experts that compute nothing, and has a bias for each of all. */
void hf_finish_longcat(struct hf *hf)
{
    struct model *model = hf->model;
    double idle = hf_number(hf, HF("zero_expert_num"), HF_WIDTH_MAX, 0);
    for (int i = 0; i < model->n_groups; i++) {
        for (int j = 0; j < model->groups[i].n_ffns; j++) {
            struct ffn *ffn = &model->groups[i].ffns[j];
            if (ffn->kind == FFN_MOE) {
                ffn->router_extra = idle * model->hidden + idle + ffn->n_experts;
            }
        }
    }
}
