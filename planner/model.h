/*
 * model.h - a model as an ordered list of layer groups.
 *
 * Purpose: geometry in, parameters, KV bytes and state out. What is *given* comes from a record
 *          or a config.json; model_derive() computes the rest once.
 * Units:   counts are parameters or elements (doubles: exact below 2^53); _bytes are bytes.
 * Ownership: a struct model is plain data; its strings are borrowed from whoever made it.
 * Errors:  model_derive() returns false for a geometry it has no formula for.
 * Threads: pure functions.
 * Source:  the published model code of each architecture; planner/mixer*.c and ffn.c give the
 *          formulas, db/records/models the figures and where they were published.
 */
#ifndef REGIME_MODEL_H
#define REGIME_MODEL_H

#include <stdbool.h>
#include <stddef.h>

#include "compiler.h"
#include "dtype.h"

#define MODEL_GROUPS_MAX 64
#define GROUP_MIXERS_MAX 2
#define GROUP_FFNS_MAX 2
#define MODEL_EXTRAS_MAX 12
#define LINEARS_MAX 10

/* Kinds of mixer. Append only: the name is what a record writes under "kind". */
#define MIXER_LIST(X)                                                                              \
    X(MIXER_FULL, "full")               /* attention over the whole context */                     \
    X(MIXER_WINDOW, "window")           /* sliding window of `window_tokens` */                    \
    X(MIXER_CHUNKED, "chunked")         /* chunk-local attention (Llama 4) */                      \
    X(MIXER_MLA, "mla")                 /* multi-head latent attention */                          \
    X(MIXER_SWA_LATENT, "swa_latent")   /* DeepSeek-V4: one latent, window only */                 \
    X(MIXER_CSA, "csa")                 /* DeepSeek-V4: compressed, top-k indexed */               \
    X(MIXER_HCA, "hca")                 /* DeepSeek-V4: heavily compressed */                      \
    X(MIXER_CROSS, "cross")             /* cross-attention to images */                            \
    X(MIXER_GATED_DELTA, "gated_delta") /* gated delta net */                                      \
    X(MIXER_KDA, "kda")                 /* Kimi delta attention */                                 \
    X(MIXER_LIGHTNING, "lightning")     /* lightning (linear) attention */                         \
    X(MIXER_MAMBA1, "mamba1")                                                                      \
    X(MIXER_MAMBA2, "mamba2")                                                                      \
    X(MIXER_SHORT_CONV, "short_conv")

#define X(ID, NAME) ID,

enum mixer_kind { MIXER_LIST(X) MIXER_KIND_COUNT };

#undef X

/* How a matrix is laid over the ranks of a tensor-parallel group. */
enum shard {
    SHARD_COLUMNS, /* n divided by tp (q, gate, up, lm_head) */
    SHARD_ROWS,    /* k divided by tp (o, down): an all-reduce follows */
    SHARD_NONE     /* whole on every rank (MLA down projections, routers) */
};

/* One weight matrix: `rows` activations of width k become width n. */
struct linear {
    double k, n; /* n includes n_kv */
    double n_kv; /* columns that belong to KV heads: divided by min(tp, n_kv_heads) only */
    enum shard shard;
    enum role role;
    bool state_side;  /* belongs to a state-space mixer (its GEMM is a plain one) */
    const char *what; /* "qkv", "o", "gate_up", "down", ... */
};

struct mixer {
    enum mixer_kind kind;
    /* given */
    double input_width;                       /* 0 = hidden (Zamba2 attends over twice that) */
    double n_heads, n_kv_heads, k_dim, v_dim; /* attention */
    double window_tokens;                     /* window, chunk or 0 */
    bool k_equals_v;                          /* one projection makes K and V; both are cached */
    bool shares_kv;                           /* reads another layer's KV, stores none */
    bool has_kv_projection;                   /* false where the borrowed KV has none here */
    bool qkv_bias, o_bias, output_gate, head_gate, sinks;
    double qk_norm_params; /* parameters of the q/k norms of one layer */
    double q_lora_rank, kv_lora_rank, rope_dim, nope_dim; /* MLA, and the latent kinds */
    double o_lora_rank, o_groups;                         /* DeepSeek-V4 */
    double compress_tokens; /* tokens per cached entry (4, 128) or 0 */
    double index_heads, index_dim, index_kv_heads, topk_tokens;   /* sparse; 0 = none */
    double conv_kernel, state_size, n_groups, inner_dim, dt_rank; /* state-space */
    double k_heads, v_heads;                                      /* gated delta, KDA */
    bool full_rank_gate, gated_norm, inner_norms;
    double image_tokens; /* cross-attention: cached once per image */
    double extra_params; /* a stated count of small parameters of this mixer */
    /* derived by model_derive() */
    struct linear linears[LINEARS_MAX];
    int n_linears;
    double linear_params, small_params; /* of one layer */
    double cached_per_token;            /* elements stored per entry, one layer, whole model */
    double read_per_entry;              /* elements read per entry: cached_per_token, but a
                                           layer that borrows KV reads and stores none */
    double tokens_per_entry;            /* 1, or the compression ratio */
    double store_limit_tokens;          /* entries kept: 0 = all of the context */
    double read_limit_tokens;           /* entries read in decode: 0 = all (top-k: that many) */
    double window_side_tokens;          /* a second cache of raw entries beside these (V4) */
    double index_width;                 /* indexer elements stored per token, one layer */
    double fixed_elements;              /* cached once per sequence (cross-attention) */
    double flops_per_entry;             /* decode attention, one row, one entry read */
    double index_flops_per_token;       /* 2 n_idx d_idx, one row, one token of context */
    double prefill_flops_per_pair;      /* 2 n_q (d_k + d_v): one query, one key */
    double io_elements_per_row;         /* q read and o written by the attention kernel */
    double state_elements;              /* recurrent state, one layer, one sequence */
    double conv_elements;               /* convolution tail, one layer, one sequence */
    bool kv_replicated;                 /* the cache is whole on every TP rank (MLA latents) */
};

enum ffn_kind { FFN_DENSE, FFN_MOE };

struct ffn {
    enum ffn_kind kind;
    /* given */
    double matrices; /* 3 gated, 2 plain */
    double width;    /* dense width */
    bool bias;       /* biases on the matrices */
    double n_experts, top_k, expert_width;
    double latent; /* experts work in this width instead of the hidden one; 0 = hidden */
    bool latent_norm;
    double shared_width; /* all shared experts together; 0 = none */
    bool shared_gate, router_bias, expert_bias;
    double router_extra; /* further router parameters */
    /* derived */
    struct linear linears[LINEARS_MAX]; /* dense and shared matrices, latent projections, router */
    int n_linears;
    double linear_params;       /* of those */
    double expert_params;       /* of one routed expert's matrices */
    double expert_small_params; /* of one routed expert's biases */
    double small_params;        /* biases, gates and norms beside the experts */
};

/* Layers of one shape. */
struct layer_group {
    double count;       /* layers stored */
    double invocations; /* layers run: more than count where weights are shared (Zamba2): these
                           ride on other layers and add none to n_layers */
    struct mixer mixers[GROUP_MIXERS_MAX];
    int n_mixers;
    struct ffn ffns[GROUP_FFNS_MAX];
    int n_ffns;
    double norm_params; /* of one layer, biases of the norms included */
    const char *label;  /* "full attention, MoE": for people; NULL = none */
    /* derived */
    double layer_params;        /* of one layer, all experts */
    double layer_params_active; /* of one layer, top_k experts */
};

/* Parameters with no formula. */
struct model_extra {
    const char *what;
    double count;       /* may be negative (a correction stated by the record) */
    bool read_per_step; /* false: a table that is gathered */
};

struct exact_weights;

/* A checkpoint of the model whose config.json states another length. */
struct model_length {
    const char *key; /* of its name: lower case, '-' between the words */
    double max_positions;
};

struct model {
    const char *id, *name;
    const char *hf_repo; /* where its weights are published, or NULL */
    /* given */
    double hidden, vocab;
    bool tied_embedding, lm_head_bias;
    double embedding_dim;     /* 0 = hidden (OPT-350M projects from a narrower one) */
    double learned_positions; /* rows of a learned position table */
    double final_norm_params;
    double max_positions;
    const struct model_length *lengths; /* of checkpoints that state another */
    int n_lengths;
    enum dtype native_dtype;   /* what the checkpoint computes in */
    const char *native_format; /* weight format id of the checkpoint, "bf16" for plain ones */
    bool native_experts_only;  /* the native format covers routed experts alone (gpt-oss) */
    bool fp8_block_scales;     /* its fp8 checkpoint has a scale per block, not per tensor */
    const char *native_expert_format; /* routed experts in a format of their own; NULL = none */
    const char *native_kv_format; /* what the checkpoint quantises its cache to; NULL = nothing */
    const struct exact_weights *exact; /* bytes per weight as its own file says; NULL = by format */
    double state_bytes_per_element;    /* recurrent state: 4 where the record says float32 */
    struct layer_group *mtp; /* the multi-token-prediction layers, count = how many; NULL = none */
    double mtp_projections;  /* hidden x hidden matrices of one MTP layer (2: joins two streams) */
    double mtp_copies;       /* stored copies of the embedding-sized tables, all MTP layers */
    double mtp_extra_params;
    double vision_params, published_other_params;
    bool published_includes_mtp, published_includes_vision;
    double params_checkpoint; /* the published count; 0 = none */
    bool params_checkpoint_exact;
    struct model_extra extras[MODEL_EXTRAS_MAX];
    int n_extras;
    struct layer_group *groups; /* n_groups of them, at most MODEL_GROUPS_MAX; owned by the maker */
    int n_groups;
    /* derived */
    double n_layers; /* sum of counts, shared blocks apart */
    double mtp_layers, mtp_params;
    double params_by_role[ROLE_COUNT]; /* a tied LM head is 0: the matrix is the embedding's */
    double params_total;               /* the main language model, without MTP and vision */
    double params_comparable;          /* what the published count includes */
    double params_active;              /* met by one token: top_k experts */
    double params_matmul_per_token; /* params_active without gathered tables, shared blocks as often
                                       as they run, a tied LM head once */
    double kv_bytes_per_token;      /* at 2 bytes, indexer keys included */
    double kv_bytes_per_token_beyond_window; /* growth once every window is full */
    double kv_window_tokens;                 /* the largest window; 0 = none */
    double state_bytes_per_sequence;         /* conv tails at 2 bytes, states at their own */
    bool has_moe, has_mla, has_state, has_window, has_indexer;
};

/* The record's name of a mixer kind, and back (MIXER_KIND_COUNT when unknown). */
const char *mixer_kind_name(enum mixer_kind kind);
enum mixer_kind mixer_kind_parse(const char *name);

/* Where a geometry lacks what its kind needs; -1 = not in one. */
#define MODEL_FAULT_IN_MTP (-2)

struct model_fault {
    int group, mixer, ffn; /* group MODEL_FAULT_IN_MTP: the multi-token-prediction layers */
    const char *field;     /* "n_heads" */
    const char *need;      /* "must be positive for a windowed mixer" */
};

/*
 * Computes every derived field of `model` and of its groups from the given ones.
 * Returns false, and leaves the derived fields undefined, when a width or head count that a kind
 * needs is missing; *ret_fault then names it.
 */
MUST_USE bool model_derive(struct model *model, struct model_fault *ret_fault);

#endif
