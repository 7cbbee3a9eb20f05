/*
 * hf_layers.c - which mixer and which FFN each layer has.
 *
 * Purpose: the ways in which configurations say it: a list of layer types, a period, a frequency,
 *          a first dense layer. What only one architecture does is in hf_plans.c.
 */
#include <string.h>

#include "hf_read.h"
#include "mixer.h"

/* Names in "layer_types" and its relatives. MIXER_KIND_COUNT: the architecture's own other kind. */
static const struct layer_type {
    const char *name;
    enum mixer_kind mixer;
} LAYER_TYPES[] = {
    {"full_attention", MIXER_FULL},
    {"attention", MIXER_FULL},
    {"sliding_attention", MIXER_WINDOW},
    {"chunked_attention", MIXER_CHUNKED},
    {"linear_attention", MIXER_KIND_COUNT},
    {"conv", MIXER_SHORT_CONV},
    {"mamba", MIXER_MAMBA2},
};

static bool read_layer_types(struct hf *hf)
{
    const char *const *names = HF("layer_types");
    const cJSON **types = hf_per_layer(hf, names);
    if (types == NULL) {
        return false;
    }
    for (int i = 0; i < hf->n_layers; i++) {
        const char *name = cJSON_IsString(types[i]) ? types[i]->valuestring : "";
        size_t t = 0;
        while (t < ARRAY_LEN(LAYER_TYPES) && strcmp(LAYER_TYPES[t].name, name) != 0) {
            t++;
        }
        if (t == ARRAY_LEN(LAYER_TYPES)) {
            hf_fault(hf, names, "names a type of layer that is not known");
            return true;
        }
        enum mixer_kind kind = LAYER_TYPES[t].mixer;
        hf->layers[i].mixer = (unsigned char)(kind == MIXER_KIND_COUNT ? hf->arch->other : kind);
    }
    return true;
}

/* Every period-th layer is full and the others are of the architecture's other kind. */
static void read_period(struct hf *hf)
{
    double period = hf->arch->period;
    if (period > 0) {
        /* EXAONE writes its pattern as "LLLG": its length is the period. */
        const char *pattern = hf_text(hf, HF("sliding_window_pattern"));
        period = pattern != NULL
                     ? (double)strlen(pattern)
                     : hf_number(hf, HF("sliding_window_pattern", "full_attention_interval"),
                                 HF_LAYERS_MAX, period);
    }
    for (int i = 0; i < hf->n_layers; i++) {
        bool full = !(period >= 1) || (i + 1) % (int)period == 0;
        hf->layers[i].mixer = (unsigned char)(full ? MIXER_FULL : hf->arch->other);
    }
}

static bool is_windowed(unsigned char mixer)
{
    return mixer == MIXER_WINDOW || mixer == MIXER_CHUNKED;
}

/* Where a window holds for all layers, or from max_window_layers on; and where none is given. */
static void read_windows(struct hf *hf)
{
    bool everywhere = hf_has(hf, HF_ALL_WINDOWED);
    bool asked = hf_flag(hf, HF("use_sliding_window"), false);
    double first = asked ? hf_number(hf, HF("max_window_layers"), HF_LAYERS_MAX, 0) : 0;
    for (int i = 0; i < hf->n_layers; i++) {
        unsigned char *mixer = &hf->layers[i].mixer;
        if (is_windowed(*mixer) && !(hf->shape.window > 0)) {
            *mixer = MIXER_FULL;
        }
        if (*mixer == MIXER_FULL && hf->shape.window > 0 && (everywhere || asked) && i >= first) {
            *mixer = MIXER_WINDOW;
        }
    }
}

/* Numbers 0 and 1, or names, one per layer. */
static bool read_moe_list(struct hf *hf)
{
    const cJSON **items = hf_per_layer(hf, HF("mlp_layer_types", "moe_layer_freq"));
    if (items == NULL) {
        return false;
    }
    for (int i = 0; i < hf->n_layers; i++) {
        bool dense = cJSON_IsString(items[i]) ? strcmp(items[i]->valuestring, "dense") == 0
                                              : !(items[i]->valuedouble > 0);
        hf->layers[i].ffn = dense ? HF_FFN_DENSE : HF_FFN_MOE;
    }
    return true;
}

#define STEP_NEED "must be at least 1: it is a step between MoE layers"

/* A first MoE layer and a step between them; a step counted from 1; layers that stay dense. */
static void read_moe_rule(struct hf *hf)
{
    double first =
        hf_number(hf, HF("first_k_dense_replace", "moe_layer_start_index", "num_dense_layers"),
                  HF_LAYERS_MAX, 0);
    const char *const *steps = HF("moe_layer_freq", "moe_layer_interval");
    double step = hf_number(hf, steps, HF_LAYERS_MAX, 1);
    const char *const *strides =
        HF("decoder_sparse_step", "interleave_moe_layer_step", "expert_layer_period");
    double stride = hf_number(hf, strides, HF_LAYERS_MAX, 1);
    double offset = hf_number(hf, HF("expert_layer_offset"), HF_LAYERS_MAX, stride - 1);
    if (!(step >= 1)) {
        hf_fault(hf, steps, STEP_NEED);
    }
    if (!(stride >= 1)) {
        hf_fault(hf, strides, STEP_NEED);
    }
    if (!(step >= 1) || !(stride >= 1)) {
        return;
    }
    const bool *dense = hf_listed_layers(hf, HF("mlp_only_layers"), 0);
    for (int i = 0; i < hf->n_layers; i++) {
        bool moe = i >= first && i % (int)step == 0 && i % (int)stride == (int)offset &&
                   !(dense != NULL && dense[i]);
        hf->layers[i].ffn = moe ? HF_FFN_MOE : HF_FFN_DENSE;
    }
}

static void read_ffns(struct hf *hf)
{
    bool moe = hf->shape.n_experts > 0;
    if (moe && !read_moe_list(hf)) {
        read_moe_rule(hf);
    }
    for (int i = 0; i < hf->n_layers; i++) {
        unsigned char *ffn = &hf->layers[i].ffn;
        if (!moe) {
            *ffn = HF_FFN_DENSE;
        } else if (*ffn == HF_FFN_MOE && hf_has(hf, HF_PARALLEL_MOE)) {
            *ffn = HF_FFN_MOE | HF_FFN_DENSE;
        }
    }
}

void hf_plan_layers(struct hf *hf)
{
    for (int i = 0; i < hf->n_layers; i++) {
        hf->layers[i].side = MIXER_KIND_COUNT;
        hf->layers[i].norms = hf->arch->norms > 0 ? hf->arch->norms : 2;
        hf->layers[i].sinks = hf_has(hf, HF_SINKS);
    }
    if (!read_layer_types(hf)) {
        read_period(hf);
    }
    read_windows(hf);
    read_ffns(hf);
    if (hf->arch->plan != NULL) {
        hf->arch->plan(hf);
    }
}
