/*
 * mixer_latent.c - attention over latents: MLA, and the compressed kinds of DeepSeek-V4.
 *
 * Sources: DeepSeek-V2 (arXiv:2405.04434) for multi-head latent attention; DeepSeek-V3.2-Exp
 *          (github.com/deepseek-ai/DeepSeek-V3.2-Exp, inference/model.py) for the lightning
 * indexer; the DeepSeek-V4 report and inference code for the compressors.
 */
#include "mixer.h"

/* The lightning indexer: queries from the query latent, one shared key and a weight per index head
 * from the hidden state, and a LayerNorm (weight and bias) on the key. */
static void add_indexer(struct mixer *m, double hidden, double query_width)
{
    double query = m->index_heads * m->index_dim;
    double key = m->index_kv_heads * m->index_dim;
    mixer_add_linear(m, "index_q", query_width, query, SHARD_NONE);
    mixer_add_linear(m, "index_k_weights", hidden, key + m->index_heads, SHARD_NONE);
    m->small_params += 2 * key;
    m->index_width = key;
    m->index_flops_per_token = 2 * query;
}

/*
 * Cached: r_kv + d_rope per token, one latent for all heads. Decode absorbs the up-projections
 * into q and o, so one query head multiplies r_kv + d_rope for its score and r_kv for its sum.
 */
void mixer_mla_derive(struct mixer *m, double hidden)
{
    double q = m->n_heads * (m->nope_dim + m->rope_dim);
    double latent = m->kv_lora_rank + m->rope_dim;
    double gate = m->output_gate ? m->n_heads * m->v_dim : 0;
    if (m->q_lora_rank > 0) {
        mixer_add_linear(m, "q_a_kv_a", hidden, m->q_lora_rank + latent, SHARD_NONE);
        mixer_add_linear(m, "q_b", m->q_lora_rank, q, SHARD_COLUMNS);
        m->small_params += m->q_lora_rank;
    } else {
        mixer_add_linear(m, "q", hidden, q, SHARD_COLUMNS);
        mixer_add_linear(m, "kv_a", hidden, latent, SHARD_NONE);
    }
    mixer_add_linear(m, "kv_b", m->kv_lora_rank, m->n_heads * (m->nope_dim + m->v_dim),
                     SHARD_COLUMNS);
    if (gate > 0) {
        mixer_add_linear(m, "gate", hidden, gate, SHARD_COLUMNS);
    }
    mixer_add_linear(m, "o", m->n_heads * m->v_dim, hidden, SHARD_ROWS);
    m->small_params += m->kv_lora_rank + m->qk_norm_params + m->extra_params;
    if (m->index_heads > 0) {
        add_indexer(m, hidden, m->q_lora_rank > 0 ? m->q_lora_rank : hidden);
    }
    m->cached_per_token = latent;
    m->read_per_entry = latent;
    m->read_limit_tokens = m->topk_tokens;
    m->io_elements_per_row = m->n_heads * (latent + m->kv_lora_rank);
    m->flops_per_entry = 2 * m->io_elements_per_row;
    m->prefill_flops_per_pair = 2 * m->n_heads * (m->nope_dim + m->rope_dim + m->v_dim);
    m->kv_replicated = true;
}

/* What the three kinds of DeepSeek-V4 share: a low-rank query, one latent of k_dim that is key and
 * value of every head, a grouped low-rank output, one sink per head. */
static void derive_v4(struct mixer *m, double hidden)
{
    double q = m->n_heads * m->k_dim;
    double o_latent = m->o_groups * m->o_lora_rank;
    mixer_add_linear(m, "q_a_kv", hidden, m->q_lora_rank + m->k_dim, SHARD_NONE);
    mixer_add_linear(m, "q_b", m->q_lora_rank, q, SHARD_COLUMNS);
    /* Block diagonal: each group's heads make that group's o_lora_rank columns. */
    mixer_add_linear(m, "o_a", q / m->o_groups, o_latent, SHARD_COLUMNS);
    mixer_add_linear(m, "o_b", o_latent, hidden, SHARD_ROWS);
    m->small_params += m->q_lora_rank + m->k_dim + m->n_heads;
    m->small_params += m->qk_norm_params + m->extra_params;
    m->cached_per_token = m->k_dim;
    m->read_per_entry = m->k_dim;
    m->io_elements_per_row = 2 * q;
    m->flops_per_entry = 4 * q;
    m->prefill_flops_per_pair = 4 * q;
    m->kv_replicated = true;
}

/* A compressor turns compress_tokens tokens into one entry of `width`: value and gate projections,
 * learned positions within the block, a norm. Overlapping blocks project twice the width. */
static void add_compressor(struct mixer *m, const char *what, double hidden, double width,
                           double overlap)
{
    double projected = overlap * width;
    mixer_add_linear(m, what, hidden, 2 * projected, SHARD_NONE);
    m->small_params += m->compress_tokens * projected + width;
}

void mixer_swa_latent_derive(struct mixer *m, double hidden)
{
    derive_v4(m, hidden);
    m->store_limit_tokens = m->window_tokens;
    m->read_limit_tokens = m->window_tokens;
}

void mixer_hca_derive(struct mixer *m, double hidden)
{
    derive_v4(m, hidden);
    add_compressor(m, "compress", hidden, m->k_dim, 1);
    m->tokens_per_entry = m->compress_tokens;
    m->window_side_tokens = m->window_tokens;
}

void mixer_csa_derive(struct mixer *m, double hidden)
{
    double query = m->index_heads * m->index_dim;
    derive_v4(m, hidden);
    add_compressor(m, "compress", hidden, m->k_dim, 2);
    add_compressor(m, "index_compress", hidden, m->index_dim, 2);
    mixer_add_linear(m, "index_q", m->q_lora_rank, query, SHARD_NONE);
    mixer_add_linear(m, "index_weights", hidden, m->index_heads, SHARD_NONE);
    m->tokens_per_entry = m->compress_tokens;
    m->window_side_tokens = m->window_tokens;
    m->read_limit_tokens = m->topk_tokens;
    m->index_width = m->index_dim / m->compress_tokens;
    m->index_flops_per_token = 2 * query / m->compress_tokens;
}
