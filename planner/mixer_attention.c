/*
 * mixer_attention.c - attention with stored keys and values: full, windowed, chunked, cross.
 *
 * Sources: Vaswani et al. 2017 (arXiv:1706.03762); grouped queries, Ainslie et al. 2023
 *          (arXiv:2305.13245); low-rank queries, Step-3 (arXiv:2507.19427); output gates,
 * Qwen3-Next; head gates, Step-3.5-Flash; sinks, gpt-oss; block-sparse indexer, MiniMax-M3.
 */
#include "mixer.h"

/* Columns of the projections beside q. */
static double kv_columns(const struct mixer *m)
{
    if (!m->has_kv_projection) {
        return 0;
    }
    return m->n_kv_heads * (m->k_equals_v ? m->k_dim : m->k_dim + m->v_dim);
}

/* The gates that are projected with q: one value per output element, or one per head. */
static double gate_columns(const struct mixer *m)
{
    double per_element = m->output_gate ? m->n_heads * m->v_dim : 0;
    return per_element + (m->head_gate ? m->n_heads : 0);
}

static void add_projections(struct mixer *m, double hidden)
{
    double width = m->input_width > 0 ? m->input_width : hidden;
    double q = m->n_heads * m->k_dim;
    double kv = kv_columns(m);
    double gate = gate_columns(m);
    if (m->q_lora_rank > 0) {
        struct linear *down =
            mixer_add_linear(m, "q_a_kv", width, m->q_lora_rank + kv + gate, SHARD_NONE);
        down->n_kv = kv;
        mixer_add_linear(m, "q_b", m->q_lora_rank, q, SHARD_COLUMNS);
        m->small_params += m->q_lora_rank;
    } else {
        struct linear *qkv = mixer_add_linear(m, "qkv", width, q + gate + kv, SHARD_COLUMNS);
        qkv->n_kv = kv;
    }
    mixer_add_linear(m, "o", m->n_heads * m->v_dim, hidden, SHARD_ROWS);
    if (m->index_heads > 0) {
        double n = (m->index_heads + m->index_kv_heads) * m->index_dim;
        mixer_add_linear(m, "index_qk", width, n, SHARD_NONE);
        m->small_params += 2 * m->index_dim; /* norms of the index queries and keys */
    }
    m->small_params += m->qkv_bias ? q + kv : 0;
    m->small_params += m->o_bias ? hidden : 0;
    m->small_params += m->sinks ? m->n_heads : 0;
    m->small_params += m->qk_norm_params + m->extra_params;
}

/* Scores and the weighted sum: 2 flops per multiply-add over k_dim and v_dim, each query head. */
static void add_costs(struct mixer *m)
{
    m->flops_per_entry = 2 * m->n_heads * (m->k_dim + m->v_dim);
    m->prefill_flops_per_pair = m->flops_per_entry;
    m->io_elements_per_row = m->n_heads * (m->k_dim + m->v_dim);
}

void mixer_attention_derive(struct mixer *m, double hidden)
{
    add_projections(m, hidden);
    add_costs(m);
    m->read_per_entry = m->n_kv_heads * (m->k_dim + m->v_dim);
    m->cached_per_token = m->shares_kv ? 0 : m->read_per_entry;
    if (mixer_info(m->kind)->windowed) {
        m->store_limit_tokens = m->window_tokens;
        m->read_limit_tokens = m->window_tokens;
    } else {
        m->read_limit_tokens = m->topk_tokens;
    }
    m->index_width = m->index_heads > 0 ? m->index_kv_heads * m->index_dim : 0;
    m->index_flops_per_token = 2 * m->index_heads * m->index_dim;
}

void mixer_cross_derive(struct mixer *m, double hidden)
{
    add_projections(m, hidden);
    add_costs(m);
    m->read_per_entry = m->n_kv_heads * (m->k_dim + m->v_dim);
    m->fixed_elements = m->image_tokens * m->read_per_entry;
}
