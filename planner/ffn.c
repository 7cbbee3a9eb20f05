/*
 * Sources: Shazeer 2020 (arXiv:2002.05202) for gated networks; DeepSeekMoE (arXiv:2401.06066) for
 *          shared experts; Nemotron 3 and Kimi K3 for experts in a latent width.
 */
#include "ffn.h"

#include <assert.h>
#include <stddef.h>

static void add_linear(struct ffn *ffn, const char *what, double k, double n, enum shard shard,
                       enum role role)
{
    assert(ffn->n_linears < LINEARS_MAX);
    ffn->linears[ffn->n_linears++] =
        (struct linear){.k = k, .n = n, .shard = shard, .role = role, .what = what};
    ffn->linear_params += k * n;
}

/* Gate and up are one matrix of twice the width; a plain network has only up. */
static void add_mlp(struct ffn *ffn, double hidden, double width, enum role role)
{
    bool gated = ffn->matrices > 2;
    add_linear(ffn, gated ? "gate_up" : "up", hidden, (ffn->matrices - 1) * width, SHARD_COLUMNS,
               role);
    add_linear(ffn, "down", width, hidden, SHARD_ROWS, role);
}

static double mlp_bias(const struct ffn *ffn, double width, double out)
{
    return (ffn->matrices - 1) * width + out;
}

static void derive_moe(struct ffn *ffn, double hidden)
{
    double width = ffn->latent > 0 ? ffn->latent : hidden;
    add_linear(ffn, "router", hidden, ffn->n_experts, SHARD_NONE, ROLE_ROUTER);
    if (ffn->shared_width > 0) {
        add_mlp(ffn, hidden, ffn->shared_width, ROLE_SHARED_EXPERT);
    }
    if (ffn->latent > 0) {
        add_linear(ffn, "latent_down", hidden, ffn->latent, SHARD_NONE, ROLE_SHARED_EXPERT);
        add_linear(ffn, "latent_up", ffn->latent, hidden, SHARD_NONE, ROLE_SHARED_EXPERT);
    }
    ffn->expert_params = ffn->matrices * width * ffn->expert_width;
    ffn->expert_small_params = ffn->expert_bias ? mlp_bias(ffn, ffn->expert_width, width) : 0;
    ffn->small_params += ffn->latent_norm ? ffn->latent : 0;
    ffn->small_params += ffn->shared_gate ? hidden : 0;
    ffn->small_params += ffn->router_bias ? ffn->n_experts : 0;
    ffn->small_params += ffn->router_extra;
}

const char *ffn_derive(struct ffn *ffn, double hidden)
{
    ffn->n_linears = 0;
    ffn->linear_params = 0;
    ffn->expert_params = 0;
    ffn->expert_small_params = 0;
    ffn->small_params = 0;
    if (!(ffn->matrices >= 2 && ffn->matrices <= 3)) {
        return "matrices";
    }
    if (ffn->kind == FFN_DENSE) {
        if (!(ffn->width > 0)) {
            return "width";
        }
        add_mlp(ffn, hidden, ffn->width, ROLE_DENSE_FFN);
        ffn->small_params += ffn->bias ? mlp_bias(ffn, ffn->width, hidden) : 0;
        return NULL;
    }
    if (!(ffn->n_experts > 0)) {
        return "n_experts";
    }
    if (!(ffn->top_k > 0 && ffn->top_k <= ffn->n_experts)) {
        return "top_k";
    }
    if (!(ffn->expert_width > 0)) {
        return "expert_width";
    }
    derive_moe(ffn, hidden);
    return NULL;
}
