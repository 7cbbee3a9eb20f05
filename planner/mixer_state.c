/*
 * mixer_state.c - mixers that keep a recurrent state per sequence instead of keys and values.
 *
 * Sources: Mamba (arXiv:2312.00752), Mamba-2 (arXiv:2405.21060), Gated DeltaNet (arXiv:2412.06464),
 *          Kimi Linear (arXiv:2510.26692), MiniMax-01 (arXiv:2501.08313), LFM2
 *          (huggingface.co/blog/LiquidAI/lfm2); matrices as in the models' transformers code.
 */
#include "mixer.h"

/* A causal convolution over `channels` keeps its last conv_kernel - 1 inputs. */
static void add_convolution(struct mixer *m, double channels, bool bias)
{
    m->small_params += channels * (m->conv_kernel + (bias ? 1 : 0));
    m->conv_elements += channels * (m->conv_kernel - 1);
}

/* q, k, v and the output gate in one projection, the decay and the write strength of each value
 * head in a second; state: a k_dim x v_dim matrix per value head. */
void mixer_gated_delta_derive(struct mixer *m, double hidden)
{
    double key = m->k_heads * m->k_dim;
    double value = m->v_heads * m->v_dim;
    mixer_add_linear(m, "in_qkvz", hidden, 2 * key + 2 * value, SHARD_COLUMNS);
    mixer_add_linear(m, "in_ba", hidden, 2 * m->v_heads, SHARD_COLUMNS);
    mixer_add_linear(m, "out", value, hidden, SHARD_ROWS);
    add_convolution(m, 2 * key + value, false);
    /* A_log and dt_bias of each head, the gated norm of one head. */
    m->small_params += 2 * m->v_heads + m->v_dim + m->extra_params;
    m->state_elements = m->v_heads * m->k_dim * m->v_dim;
}

/* q, k, v of n_heads x k_dim, each with a convolution; decay and output gate low-rank through
 * k_dim, or the output gate whole (full_rank_gate); state: k_dim x k_dim per head. */
void mixer_kda_derive(struct mixer *m, double hidden)
{
    double width = m->n_heads * m->k_dim;
    mixer_add_linear(m, "qkv", hidden, 3 * width, SHARD_COLUMNS);
    mixer_add_linear(m, "decay_a", hidden, m->k_dim, SHARD_NONE);
    mixer_add_linear(m, "decay_b", m->k_dim, width, SHARD_COLUMNS);
    mixer_add_linear(m, "beta", hidden, m->n_heads, SHARD_COLUMNS);
    if (m->full_rank_gate) {
        mixer_add_linear(m, "gate", hidden, width, SHARD_COLUMNS);
    } else {
        mixer_add_linear(m, "gate_a", hidden, m->k_dim, SHARD_NONE);
        mixer_add_linear(m, "gate_b", m->k_dim, width, SHARD_COLUMNS);
    }
    mixer_add_linear(m, "out", width, hidden, SHARD_ROWS);
    add_convolution(m, 3 * width, false);
    /* A_log of each head, dt_bias of each channel, the output norm of one head. */
    m->small_params += m->n_heads + width + m->k_dim + m->extra_params;
    m->state_elements = m->n_heads * m->k_dim * m->k_dim;
}

/* q, k, v and an output gate, a norm over the heads; state: k_dim x k_dim per head. */
void mixer_lightning_derive(struct mixer *m, double hidden)
{
    double width = m->n_heads * m->k_dim;
    mixer_add_linear(m, "qkv", hidden, 3 * width, SHARD_COLUMNS);
    mixer_add_linear(m, "gate", hidden, width, SHARD_COLUMNS);
    mixer_add_linear(m, "out", width, hidden, SHARD_ROWS);
    m->small_params += width + m->extra_params;
    m->state_elements = m->n_heads * m->k_dim * m->k_dim;
}

/* x and z in; dt (low-rank), B and C from x; state: state_size per channel. */
void mixer_mamba1_derive(struct mixer *m, double hidden)
{
    double selection = m->dt_rank + 2 * m->state_size;
    mixer_add_linear(m, "in", hidden, 2 * m->inner_dim, SHARD_COLUMNS);
    mixer_add_linear(m, "x", m->inner_dim, selection, SHARD_ROWS);
    mixer_add_linear(m, "dt", m->dt_rank, m->inner_dim, SHARD_COLUMNS);
    mixer_add_linear(m, "out", m->inner_dim, hidden, SHARD_ROWS);
    add_convolution(m, m->inner_dim, true);
    /* A of each channel and state, D and the bias of dt of each channel. */
    m->small_params += m->inner_dim * (m->state_size + 2);
    m->small_params += (m->inner_norms ? selection : 0) + m->extra_params;
    m->state_elements = m->inner_dim * m->state_size;
}

/* z, x, B, C and dt in one projection; state: inner_dim x state_size over all heads. */
void mixer_mamba2_derive(struct mixer *m, double hidden)
{
    double selection = 2 * m->n_groups * m->state_size;
    mixer_add_linear(m, "in", hidden, 2 * m->inner_dim + selection + m->n_heads, SHARD_COLUMNS);
    mixer_add_linear(m, "out", m->inner_dim, hidden, SHARD_ROWS);
    add_convolution(m, m->inner_dim + selection, true);
    /* A, D and dt_bias of each head. */
    m->small_params += 3 * m->n_heads + (m->gated_norm ? m->inner_dim : 0) + m->extra_params;
    m->state_elements = m->inner_dim * m->state_size;
}

/* Two gates and a value in, one depthwise convolution, out; the state is the convolution's tail. */
void mixer_short_conv_derive(struct mixer *m, double hidden)
{
    mixer_add_linear(m, "in", hidden, 3 * hidden, SHARD_COLUMNS);
    mixer_add_linear(m, "out", hidden, hidden, SHARD_ROWS);
    add_convolution(m, hidden, false);
    m->small_params += m->extra_params;
}
