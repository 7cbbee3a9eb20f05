/*
 * parallel.h - what one rank holds of a model.
 *
 * Purpose: tensor, pipeline, expert and attention-data parallel shares of weights, heads and
 * caches. Rules:   q heads and their matrices divide by tp; KV heads divide by min(tp, n_kv) and
 * are copied beyond; an MLA latent is whole on every tp rank and divides only under attention DP
 * (each rank then has its own sequences); layers divide by pp; experts spread over tp*dp devices,
 *          ep ways by expert and tp*dp/ep ways by width.
 */
#ifndef REGIME_PARALLEL_H
#define REGIME_PARALLEL_H

#include "deployment.h"

struct ranks {
    double tp, pp, dp, ep;
    double expert_tp; /* ways one expert's width is cut: tp*dp/ep */
    double devices;   /* tp*pp*dp, one replica */
};

struct ranks ranks_of(const struct deployment *dep);

/* Elements of a matrix on one tp rank. */
double linear_rank_elements(const struct linear *linear, double n_kv_heads, double tp);

/* Width in and out of the matrix on one tp rank. */
double linear_rank_k(const struct linear *linear, double tp);
double linear_rank_n(const struct linear *linear, double n_kv_heads, double tp);

/* Share of a mixer's cached elements that one tp rank holds: 1/min(tp, n_kv), or 1 for a latent. */
double mixer_cache_share(const struct mixer *mixer, double tp);

/* Weight bytes on one device: every role in its own bytes, norms and routers copied. The average
 * over pipeline stages; the embedding and the head are on the first and the last of them. */
double rank_weight_bytes(const struct model *model, const struct deployment *dep);

/* Bytes of the most loaded stage: the average layers plus the larger of embedding and head. */
double rank_weight_bytes_max(const struct model *model, const struct deployment *dep);

/* KV bytes that one more token costs on one device while no window is full, and beyond. */
double rank_kv_bytes_per_token(const struct model *model, const struct deployment *dep,
                               bool beyond_window);

/* KV bytes of one sequence of that length on one device. */
double rank_kv_bytes(const struct model *model, const struct deployment *dep, double tokens);

/* Recurrent state bytes of one sequence on one device. */
double rank_state_bytes(const struct model *model, const struct deployment *dep);

/* Entries of a mixer's cache that a decode step reads for one sequence of that context. */
double mixer_entries_read(const struct mixer *mixer, double context_tokens);

/* Entries that stay stored for one sequence of that context. */
double mixer_entries_stored(const struct mixer *mixer, double context_tokens);

/* Format that a role is stored in: the deployment's, or the experts' own. */
const struct weight_format *role_format(const struct deployment *dep, enum role role);

/* Bytes of one element of an indexer's key: 8 bits and a scale of four bytes for 128 where latents
 * are indexed, else the cache's format. */
double index_key_bytes(const struct mixer *mixer, const struct kv_format *kv_cache);

/* Ways the LM head is cut: tp. SGLang gathers the rows of its attention-DP ranks and cuts the head
 * over all of them (unless enable_dp_lm_head); vLLM and TensorRT-LLM (unless
 * enable_lm_head_tp_in_adp) keep a whole head on each. */
double head_shards(const struct deployment *dep);

/* Bytes per weight of a role in this deployment: its format's, but 2 outside the experts where the
 * model's own format covers the experts alone. */
double role_bytes(const struct model *model, const struct deployment *dep, enum role role);

/* The same of one matrix. Checkpoints keep a mixer's narrowest matrices, the decay and write
 * strength of a delta net (Qwen3-Next-FP8 lists in_proj_ba among what it does not convert) and the
 * weights of an indexer (DeepSeek-V3.2), in 16 bits: up to 192 columns here, GGUF files apart. */
double linear_bytes(const struct model *model, const struct deployment *dep,
                    const struct linear *linear);

#endif
