#include "parallel.h"

#include <math.h>

#include "exact_weights.h"

#define PLAIN_BYTES 2.0
#define LIGHTNING_KEY_BYTES (1.0 + 4.0 / 128.0)
#define NARROW_COLUMNS 192.0

struct ranks ranks_of(const struct deployment *dep)
{
    struct ranks ranks = {.tp = dep->tp, .pp = dep->pp, .dp = dep->dp, .ep = dep->ep};
    ranks.expert_tp = fmax(ranks.tp * ranks.dp / ranks.ep, 1.0);
    ranks.devices = ranks.tp * ranks.pp * ranks.dp;
    return ranks;
}

double linear_rank_k(const struct linear *linear, double tp)
{
    return linear->shard == SHARD_ROWS ? linear->k / tp : linear->k;
}

double linear_rank_n(const struct linear *linear, double n_kv_heads, double tp)
{
    if (linear->shard != SHARD_COLUMNS)
        return linear->n;
    double kv_ways = n_kv_heads > 0.0 ? fmin(tp, n_kv_heads) : tp;
    return (linear->n - linear->n_kv) / tp + linear->n_kv / kv_ways;
}

double linear_rank_elements(const struct linear *linear, double n_kv_heads, double tp)
{
    return linear_rank_k(linear, tp) * linear_rank_n(linear, n_kv_heads, tp);
}

double mixer_cache_share(const struct mixer *mixer, double tp)
{
    if (mixer->kv_replicated || mixer->n_kv_heads <= 0.0)
        return 1.0;
    return 1.0 / fmin(tp, mixer->n_kv_heads);
}

const struct weight_format *role_format(const struct deployment *dep, enum role role)
{
    return role == ROLE_EXPERT && dep->expert_weights != NULL ? dep->expert_weights : dep->weights;
}

/* Matrices beside the routed experts. */
static bool is_rest(enum role role)
{
    return role == ROLE_ATTENTION || role == ROLE_DENSE_FFN || role == ROLE_SHARED_EXPERT ||
           role == ROLE_LM_HEAD;
}

double role_bytes(const struct model *model, const struct deployment *dep, enum role role)
{
    const struct exact_weights *exact = exact_weights_of(model, dep);
    if (exact != NULL)
        return exact->bytes[role];
    const struct weight_format *format = role_format(dep, role);
    if (model->native_experts_only && format->is_quantized && !format->gguf && role != ROLE_EXPERT)
        return PLAIN_BYTES;
    if (format->moe_rest_bytes > 0.0 && model->has_moe && is_rest(role))
        return format->moe_rest_bytes;
    return format->bytes[role];
}

double index_key_bytes(const struct mixer *mixer, const struct kv_format *kv_cache)
{
    bool lightning = mixer->kind == MIXER_MLA || mixer->kind == MIXER_CSA;
    return lightning ? LIGHTNING_KEY_BYTES : kv_cache->bytes_per_element;
}

double head_shards(const struct deployment *dep)
{
    bool gathers = dep->engine != NULL && dep->engine->memory_rule == MEMORY_SGLANG;
    return gathers ? dep->tp * dep->dp : dep->tp;
}

double linear_bytes(const struct model *model, const struct deployment *dep,
                    const struct linear *linear)
{
    double bytes = role_bytes(model, dep, linear->role);
    const struct weight_format *format = role_format(dep, linear->role);
    bool narrow = linear->role == ROLE_ATTENTION && linear->n <= NARROW_COLUMNS &&
                  exact_weights_of(model, dep) == NULL;
    return narrow && !format->gguf ? fmax(bytes, PLAIN_BYTES) : bytes;
}

static double linears_bytes(const struct model *model, const struct deployment *dep,
                            const struct linear *linears, int n, double n_kv_heads)
{
    double bytes = 0.0;
    for (int i = 0; i < n; i++)
        bytes += linear_rank_elements(&linears[i], n_kv_heads, dep->tp) *
                 linear_bytes(model, dep, &linears[i]);
    return bytes;
}

/* The matrices and experts of one layer of a group on one device, in bytes. */
static double layer_bytes(const struct model *model, const struct layer_group *group,
                          const struct deployment *dep)
{
    struct ranks ranks = ranks_of(dep);
    double bytes = 0.0;
    for (int i = 0; i < group->n_mixers; i++) {
        const struct mixer *mixer = &group->mixers[i];
        bytes += linears_bytes(model, dep, mixer->linears, mixer->n_linears, mixer->n_kv_heads);
    }
    for (int i = 0; i < group->n_ffns; i++) {
        const struct ffn *ffn = &group->ffns[i];
        bytes += linears_bytes(model, dep, ffn->linears, ffn->n_linears, 0.0);
        if (ffn->kind == FFN_MOE)
            bytes += ffn->n_experts * ffn->expert_params * role_bytes(model, dep, ROLE_EXPERT) /
                     (ranks.ep * ranks.expert_tp);
    }
    return bytes;
}

/* Everything but the embedding and the head; norms, tables and extras are copied on every rank. */
static double layers_bytes(const struct model *model, const struct deployment *dep)
{
    static const enum role COPIED[] = {ROLE_NORM, ROLE_OTHER, ROLE_LOOKUP};

    double bytes = 0.0;
    for (int i = 0; i < model->n_groups; i++)
        bytes += model->groups[i].count * layer_bytes(model, &model->groups[i], dep);
    for (size_t i = 0; i < ARRAY_LEN(COPIED); i++)
        bytes += model->params_by_role[COPIED[i]] * role_bytes(model, dep, COPIED[i]);
    return bytes / dep->pp;
}

static double embedding_bytes(const struct model *model, const struct deployment *dep)
{
    return (model->params_by_role[ROLE_EMBEDDING] *
            role_bytes(model, dep, model->tied_embedding ? ROLE_LM_HEAD : ROLE_EMBEDDING)) /
           dep->tp;
}

static double head_bytes(const struct model *model, const struct deployment *dep)
{
    return model->params_by_role[ROLE_LM_HEAD] * role_bytes(model, dep, ROLE_LM_HEAD) /
           head_shards(dep);
}

double rank_weight_bytes(const struct model *model, const struct deployment *dep)
{
    return layers_bytes(model, dep) +
           (embedding_bytes(model, dep) + head_bytes(model, dep)) / dep->pp;
}

double rank_weight_bytes_max(const struct model *model, const struct deployment *dep)
{
    double ends = embedding_bytes(model, dep) + head_bytes(model, dep);
    if (dep->pp > 1.0)
        ends = fmax(embedding_bytes(model, dep), head_bytes(model, dep));
    double stage = ceil(model->n_layers / dep->pp) * dep->pp / fmax(model->n_layers, 1.0);
    return layers_bytes(model, dep) * fmax(stage, 1.0) + ends;
}

double mixer_entries_stored(const struct mixer *mixer, double context_tokens)
{
    if (mixer->kind == MIXER_CROSS)
        return mixer->image_tokens;
    double kept = context_tokens;
    if (mixer->store_limit_tokens > 0.0)
        kept = fmin(kept, mixer->store_limit_tokens);
    double ratio = mixer->tokens_per_entry > 0.0 ? mixer->tokens_per_entry : 1.0;
    double side =
        mixer->window_side_tokens > 0.0 ? fmin(context_tokens, mixer->window_side_tokens) : 0.0;
    return kept / ratio + side;
}

double mixer_entries_read(const struct mixer *mixer, double context_tokens)
{
    if (mixer->kind == MIXER_CROSS)
        return mixer->image_tokens;
    double reach = context_tokens;
    if (mixer->kind == MIXER_CHUNKED && mixer->window_tokens > 0.0 && reach > mixer->window_tokens)
        reach = mixer->window_tokens / 2.0;
    else if (mixer->store_limit_tokens > 0.0)
        reach = fmin(reach, mixer->store_limit_tokens);
    double ratio = mixer->tokens_per_entry > 0.0 ? mixer->tokens_per_entry : 1.0;
    double entries = reach / ratio;
    if (mixer->read_limit_tokens > 0.0)
        entries = fmin(entries, mixer->read_limit_tokens);
    double side =
        mixer->window_side_tokens > 0.0 ? fmin(context_tokens, mixer->window_side_tokens) : 0.0;
    return entries + side;
}

static double mixer_kv_bytes(const struct mixer *mixer, const struct deployment *dep, double tokens)
{
    double share = mixer_cache_share(mixer, dep->tp);
    double bytes = dep->kv_cache->bytes_per_element;
    double elements = mixer_entries_stored(mixer, tokens) * mixer->cached_per_token * share;
    elements += mixer->fixed_elements * share;
    return elements * bytes + mixer->index_width * tokens * index_key_bytes(mixer, dep->kv_cache);
}

double rank_kv_bytes(const struct model *model, const struct deployment *dep, double tokens)
{
    double bytes = 0.0;
    for (int i = 0; i < model->n_groups; i++) {
        const struct layer_group *group = &model->groups[i];
        for (int j = 0; j < group->n_mixers; j++)
            bytes += group->invocations * mixer_kv_bytes(&group->mixers[j], dep, tokens);
    }
    return bytes / dep->pp;
}

double rank_kv_bytes_per_token(const struct model *model, const struct deployment *dep,
                               bool beyond_window)
{
    /* A difference quotient over whole entries: exact for the piecewise linear sum. */
    double span = 1024.0;
    double start = beyond_window ? 1048576.0 : 0.0;
    if (!beyond_window) {
        double narrowest = span;
        for (int i = 0; i < model->n_groups; i++)
            for (int j = 0; j < model->groups[i].n_mixers; j++) {
                const struct mixer *mixer = &model->groups[i].mixers[j];
                if (mixer->store_limit_tokens > 0.0)
                    narrowest = fmin(narrowest, mixer->store_limit_tokens);
                if (mixer->window_side_tokens > 0.0)
                    narrowest = fmin(narrowest, mixer->window_side_tokens);
            }
        span = narrowest;
    }
    return (rank_kv_bytes(model, dep, start + span) - rank_kv_bytes(model, dep, start)) / span;
}

double rank_state_bytes(const struct model *model, const struct deployment *dep)
{
    double bytes = 0.0;
    for (int i = 0; i < model->n_groups; i++) {
        const struct layer_group *group = &model->groups[i];
        for (int j = 0; j < group->n_mixers; j++) {
            const struct mixer *mixer = &group->mixers[j];
            bytes += group->invocations * (mixer->state_elements * model->state_bytes_per_element +
                                           mixer->conv_elements * PLAIN_BYTES);
        }
    }
    return bytes / (dep->tp * dep->pp);
}
