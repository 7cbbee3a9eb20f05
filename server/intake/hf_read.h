/*
 * hf_read.h - what the parts of the config.json reader share: the reading itself, one layer's plan,
 * a row of the table of architectures.
 *
 * Purpose: internal to server/intake/hf_*.c.
 */
#ifndef REGIME_HF_READ_H
#define REGIME_HF_READ_H

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stddef.h>

#include "arena.h"
#include "compiler.h"
#include "fault.h"
#include "hf_pattern.h"
#include "model.h"

/* Limits on what a configuration may say; each is far above any published model. */
#define HF_LAYERS_MAX 10000
#define HF_WIDTH_MAX 1e7  /* widths, head counts, expert counts */
#define HF_TOKENS_MAX 1e9 /* vocabulary, positions, windows */

/* Names of one quantity, the usual one first; "a/b" looks into an object. */
#define HF(...) ((const char *const[]){__VA_ARGS__, NULL})

#define HF_HIDDEN HF("hidden_size", "n_embd", "n_embed", "d_model")
#define HF_HEADS HF("num_attention_heads", "n_head", "n_heads")
#define HF_KV_HEADS HF("num_key_value_heads", "attn_config/kv_n_heads", "num_kv_heads")
#define HF_HEAD_DIM HF("head_dim", "attention_head_dim", "kv_channels")
#define HF_LAYERS HF("num_hidden_layers", "n_layer", "n_layers", "num_layers")
#define HF_DENSE_WIDTH                                                                             \
    HF("intermediate_size_mlp", "dense_intermediate_size", "intermediate_size",                    \
       "ffn_config/ffn_hidden_size", "n_inner", "ffn_dim", "ffn_hidden_size")
#define HF_TOP_K                                                                                   \
    HF("num_experts_per_tok", "num_experts_per_token", "moe_topk", "top_k_experts",                \
       "experts_per_token", "ffn_config/moe_top_k", "moe_k", "moe_top_k")

/* How a model's configuration is read where it differs from a plain decoder's. */
enum hf_trait {
    HF_TIED = 1 << 0,         /* tie_word_embeddings when the file does not say */
    HF_QKV_BIAS = 1 << 1,     /* always; without it attention_bias decides */
    HF_O_BIAS = 1 << 2,       /* always; without it attention_bias decides */
    HF_NO_O_BIAS = 1 << 3,    /* attention_bias means q, k and v alone */
    HF_QK_NORM_HEAD = 1 << 4, /* a norm of one head's width on q and on k */
    HF_QK_NORM_FULL = 1 << 5, /* a norm over the whole of q and of k */
    HF_NORM_BIAS = 1 << 6,    /* LayerNorm with bias */
    HF_PLAIN_MLP = 1 << 7,    /* two matrices, no gate */
    HF_MLP_BIAS = 1 << 8,     /* always; without it mlp_bias decides */
    HF_LM_HEAD_BIAS = 1 << 9,
    HF_ALL_WINDOWED = 1 << 10, /* sliding_window, when set, holds in every layer */
    HF_ROUTER_BIAS = 1 << 11,
    HF_EXPERT_BIAS = 1 << 12,
    HF_SINKS = 1 << 13,
    HF_SHARED_GATE = 1 << 14,
    HF_OUTPUT_GATE = 1 << 15,
    HF_HEAD_GATE = 1 << 16,
    HF_MTP = 1 << 17,            /* the file counts its MTP layers */
    HF_MTP_DENSE = 1 << 18,      /* they have a dense FFN in a MoE model */
    HF_NO_ATTENTION = 1 << 19,   /* no attention layer: head counts are not asked for */
    HF_NO_ROUTER_BIAS = 1 << 20, /* whatever the routing method says */
    HF_SWA_NUMBERS = 1 << 21,    /* windowed layers have head counts of their own (swa_*) */
    HF_GLOBAL_NUMBERS = 1 << 22, /* full layers have head counts of their own (*global*) */
    HF_PARALLEL_MOE = 1 << 23,   /* dense FFN and experts side by side */
    HF_POSITIONS = 1 << 24,      /* a learned table of max_positions rows */
    HF_POSITIONS_2 = 1 << 25,    /* the same with two rows more */
    HF_QK_NORM_ASKED = 1 << 26   /* a norm per head when use_qk_norm says so */
};

#define HF_FFN_DENSE 1
#define HF_FFN_MOE 2

/* What one layer is made of, before its numbers are filled in. */
struct hf_layer {
    unsigned char mixer, side; /* enum mixer_kind; MIXER_KIND_COUNT = none */
    unsigned char ffn;         /* HF_FFN_DENSE, HF_FFN_MOE, both or 0 */
    unsigned char norms;       /* norm vectors of the hidden width */
    bool has_indexer, borrows_kv, sinks;
    double width;      /* dense width, 0 = the model's */
    double n_kv_heads; /* 0 = the model's */
};

/* Numbers that most layers share. */
struct hf_shape {
    double n_heads, n_kv_heads, k_dim, v_dim, width, window;
    double n_experts, top_k, expert_width, shared_width;
};

struct hf_architecture;

#define HF_GROUPS_MAX 16

/* One way in which a checkpoint quantises matrices, and which ones. */
struct hf_group {
    const char *format;         /* the weight format nearest to it */
    double bytes;               /* per weight, scales and zero points included */
    bool every_linear;          /* all matrices that no other group names */
    struct hf_pattern *targets; /* n_targets of them */
    int n_targets;
};

/* What quantization_config says: the first group that names a matrix has it, unless it is ignored.
 */
struct hf_recipe {
    struct hf_group groups[HF_GROUPS_MAX];
    int n_groups;
    struct hf_pattern *ignored;
    int n_ignored;
    bool head;          /* the LM head as well */
    bool experts_alone; /* the method quantises routed experts and nothing else (MXFP4) */
    bool by_layer;      /* patterns tell layers apart */
    double plain_bytes; /* of what stays as it was */
};

/* One reading. */
struct hf {
    const cJSON *root, *text; /* the file, and its text_config or the file again */
    const char *root_pointer, *text_pointer;
    struct arena *arena;
    struct faults *faults;
    int first_fault; /* faults before this reading */
    const struct hf_architecture *arch;
    struct model *model;
    struct hf_shape shape;
    struct hf_layer *layers;
    int *group_of; /* the model's group of each layer */
    int n_layers;
    struct hf_recipe *recipe; /* NULL: nothing is quantised */
};

/* A number that the architecture's configuration class supplies when the file leaves it out. */
struct hf_default {
    const char *name;
    double value;
};

/* A row: model_type and class name of an architecture, and what is special about it. */
struct hf_architecture {
    const char *type, *class_name;
    unsigned traits;
    unsigned char norms;               /* norm vectors per layer; 0 = the usual 2 */
    unsigned char period;              /* every period-th layer is full, the others are `other` */
    enum mixer_kind other;             /* kind of the layers between, and of "linear_attention" */
    enum mixer_kind mtp_mixer;         /* of the MTP layers */
    unsigned char mtp_copies;          /* stored tables of one MTP layer */
    const struct hf_default *defaults; /* a NULL name ends; NULL = none */
    void (*plan)(struct hf *hf);       /* corrects the generic plan of the layers */
    void (*finish)(struct hf *hf);     /* extras, after the groups are made */
};

/* The row of that model_type or class; NULL when there is none. */
const struct hf_architecture *hf_architecture_find(const char *name);
/* The known model_types, `*ret_n` of them, copied into `names` (room for `max`). */
void hf_architecture_names(const char **names, int max, int *ret_n);

static inline bool hf_has(const struct hf *hf, enum hf_trait trait)
{
    return (hf->arch->traits & (unsigned)trait) != 0;
}

/* Whether this reading has found a fault. */
bool hf_failed(const struct hf *hf);

/* A fault at the one of `names` that the file has, else at the first, under the text configuration;
 * the first fault of a place is the only one. */
void hf_fault(struct hf *hf, const char *const *names, const char *need);

/* Whether there is a fault at that place: what was read there is a placeholder. */
bool hf_refused(const struct hf *hf, const char *const *names);

/* The first of `names` that is there and not null; NULL = none. */
const cJSON *hf_find(const struct hf *hf, const char *const *names);

/* A number from 0 to max, or `fallback` when absent. A list of equal numbers counts as that number.
 */
double hf_number(struct hf *hf, const char *const *names, double max, double fallback);

/* The same for what need not be whole: an expansion, a multiplier. */
double hf_factor(struct hf *hf, const char *const *names, double max, double fallback);

/* A whole number; absent or zero is a fault. Returns 1 then, so that reading can go on. */
double hf_required(struct hf *hf, const char *const *names, double max);

bool hf_flag(struct hf *hf, const char *const *names, bool fallback);

/* A text, NULL when absent or not a text. */
const char *hf_text(const struct hf *hf, const char *const *names);

/* The first n_layers entries of a list with one entry per layer; NULL when absent. A list that is
 * shorter is a fault. */
const cJSON **hf_per_layer(struct hf *hf, const char *const *names);

/* A flag per layer, set for the layers whose number is listed, counted from `base`; NULL = absent.
 */
bool *hf_listed_layers(struct hf *hf, const char *const *names, double base);

/* Memory of the request's arena; NULL is a fault. */
void *hf_alloc(struct hf *hf, size_t size);

/* hf_layers.c: fills hf->layers from the lists, frequencies and periods that configurations use. */
void hf_plan_layers(struct hf *hf);
/* hf_mixers.c: fills one mixer or FFN of the kind that the plan names. */
void hf_fill_mixer(struct hf *hf, const struct hf_layer *layer, enum mixer_kind kind,
                   struct mixer *mixer);
void hf_fill_dense(struct hf *hf, double width, struct ffn *ffn);
void hf_fill_moe(struct hf *hf, struct ffn *ffn);
/* hf_format.c: native_dtype, native_format and the recipe. */
void hf_read_format(struct hf *hf);
/* hf_quant_types.c: whether the members that a quantisation is read from are of their kinds; false
 * after a fault for each that is not. */
bool hf_quant_types_suit(struct hf *hf, const cJSON *quant, const char *pointer);
/* hf_quant.c: the recipe of a quantization_config; NULL with a fault when it is not understood. */
struct hf_recipe *hf_read_recipe(struct hf *hf, const cJSON *quant, const char *pointer);
/* hf_recipe.c: the bytes of each role by the recipe, and which roles the native format covers; the
 * model is derived. */
void hf_apply_recipe(struct hf *hf);

/* Appends parameters without a formula. */
void hf_add_extra(struct hf *hf, const char *what, double count, bool read_per_step);

/* hf_plans.c: plans and finishes of single architectures, for the table. */
void hf_plan_mla(struct hf *hf);
void hf_plan_mllama(struct hf *hf);
void hf_plan_deepseek_v4(struct hf *hf);
void hf_plan_mimo_v2(struct hf *hf);
void hf_plan_minimax_m1(struct hf *hf);
void hf_plan_minimax_m3(struct hf *hf);
void hf_plan_kimi_linear(struct hf *hf);
void hf_plan_nemotron_h(struct hf *hf);
void hf_plan_nemotron_nas(struct hf *hf);
void hf_plan_falcon_h1(struct hf *hf);
void hf_plan_gemma4(struct hf *hf);
void hf_plan_hunyuan(struct hf *hf);
void hf_plan_state_only(struct hf *hf);
void hf_plan_jamba(struct hf *hf);
void hf_plan_bamba(struct hf *hf);
void hf_plan_lfm2(struct hf *hf);
void hf_plan_granite_hybrid(struct hf *hf);
void hf_finish_mllama(struct hf *hf);
void hf_finish_deepseek_v4(struct hf *hf);
void hf_finish_kimi_linear(struct hf *hf);
void hf_finish_gemma4(struct hf *hf);
void hf_finish_bloom(struct hf *hf);

/* hf_plans_rare.c: the same for architectures of one family of models. */
void hf_plan_stablelm(struct hf *hf);
void hf_plan_gpt_bigcode(struct hf *hf);
void hf_plan_falcon(struct hf *hf);
void hf_plan_mpt(struct hf *hf);
void hf_plan_chatglm(struct hf *hf);
void hf_plan_grok(struct hf *hf);
void hf_plan_arctic(struct hf *hf);
void hf_plan_step3(struct hf *hf);
void hf_plan_longcat(struct hf *hf);
void hf_finish_stablelm(struct hf *hf);
void hf_finish_falcon(struct hf *hf);
void hf_finish_mpt(struct hf *hf);
void hf_finish_chatglm(struct hf *hf);
void hf_finish_step3(struct hf *hf);
void hf_finish_longcat(struct hf *hf);

#endif
