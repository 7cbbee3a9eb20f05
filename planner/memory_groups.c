/*
 * memory_groups.c - what the layers of a pipeline stage keep: equal caches as one group.
 *
 * A layer's token takes n_kv_rank (d_k + d_v) b bytes, and s bytes of scale per head for K and for
 * V where the format has them; a latent r + d_rope elements, whole on every rank; an indexer's keys
 * beside it. A sequence's state is its recurrent elements and the tail of its convolution.
 */
#include <math.h>
#include <string.h>

#include "memory_engine.h"

/* The head width that a KV format's bytes per element are stated for. */
#define STATED_HEAD 128.0
#define CONV_BYTES 2.0

/* Bytes of a token of one layer on one rank. */
static double token_bytes(const struct problem *problem, const struct mixer *mixer)
{
    const struct deployment *dep = &problem->dep;
    const struct kv_format *format = dep->kv_cache;
    double share = mixer_cache_share(mixer, dep->tp);
    double element = format->bytes_per_element - format->head_scale_bytes / STATED_HEAD;
    double bytes = mixer->cached_per_token * share * element;
    if (!mixer->kv_replicated)
        bytes += 2.0 * format->head_scale_bytes * mixer->n_kv_heads * share;
    double ratio = mixer->tokens_per_entry > 0.0 ? mixer->tokens_per_entry : 1.0;
    return bytes / ratio + mixer->index_width * index_key_bytes(mixer, format);
}

static double state_bytes(const struct problem *problem, const struct mixer *mixer)
{
    const struct deployment *dep = &problem->dep;
    double tail = fmax(mixer->conv_kernel - 1.0, 1.0);
    double drafted = dep->spec_method != SPEC_NONE ? dep->spec_tokens : 0.0;
    double convolution = mixer->conv_elements * (1.0 + drafted / tail) * CONV_BYTES;
    return (mixer->state_elements * memory_state_element_bytes(problem) + convolution) / dep->tp;
}

static bool group_is(const struct kv_group *a, const struct kv_group *b)
{
    return a->kind == b->kind && a->bytes_per_token == b->bytes_per_token &&
           a->state_bytes == b->state_bytes && a->window_tokens == b->window_tokens &&
           a->tokens_per_entry == b->tokens_per_entry;
}

/* The last group takes what finds no room: more kinds than any published model has. */
static void add_group(struct kv_layout *layout, const struct kv_group *group)
{
    int i = 0;
    while (i < layout->n_groups && !group_is(&layout->groups[i], group))
        i++;
    if (i == KV_GROUPS_MAX)
        i--;
    if (i == layout->n_groups) {
        layout->groups[layout->n_groups++] = *group;
        return;
    }
    layout->groups[i].layers += group->layers;
}

static enum kv_kind cache_kind(const struct mixer *mixer)
{
    if (mixer->kind == MIXER_CROSS)
        return KV_CROSS;
    if (mixer->kind == MIXER_CHUNKED)
        return KV_CHUNKED;
    return mixer->store_limit_tokens > 0.0 ? KV_WINDOW : KV_FULL;
}

static void add_mixer(const struct problem *problem, const struct mixer *mixer, double layers,
                      struct kv_layout *layout)
{
    struct kv_group group = {.layers = layers, .shares = 1.0, .tokens_per_entry = 1.0};
    double state = state_bytes(problem, mixer);
    if (state > 0.0) {
        group.kind = KV_STATE;
        group.state_bytes = state;
        group.slots = 1.0;
        add_group(layout, &group);
        group.state_bytes = group.slots = 0.0;
    }
    if (mixer->kind == MIXER_CROSS) {
        double share = mixer_cache_share(mixer, problem->dep.tp);
        group.kind = KV_CROSS;
        group.window_tokens = mixer->image_tokens;
        group.bytes_per_token =
            mixer->read_per_entry * share * problem->dep.kv_cache->bytes_per_element;
        add_group(layout, &group);
    }
    if (mixer->cached_per_token <= 0.0)
        return;
    group.kind = cache_kind(mixer);
    group.window_tokens = mixer->store_limit_tokens;
    group.bytes_per_token = token_bytes(problem, mixer);
    group.tokens_per_entry = fmax(mixer->tokens_per_entry, 1.0);
    add_group(layout, &group);
    if (mixer->window_side_tokens > 0.0) {
        group.kind = KV_WINDOW;
        group.window_tokens = mixer->window_side_tokens;
        group.tokens_per_entry = 1.0;
        group.bytes_per_token = mixer->cached_per_token * problem->dep.kv_cache->bytes_per_element;
        add_group(layout, &group);
    }
}

static void add_layers(const struct problem *problem, const struct layer_group *group,
                       double layers, struct kv_layout *layout)
{
    for (int i = 0; i < group->n_mixers; i++)
        add_mixer(problem, &group->mixers[i], layers, layout);
}

void memory_groups(const struct memory_case *mc, struct kv_layout *layout)
{
    const struct model *model = mc->problem->model;
    layout->n_groups = 0;
    layout->context_ways = 1.0;
    for (int i = 0; i < model->n_groups; i++)
        add_layers(mc->problem, &model->groups[i], model->groups[i].invocations * mc->layer_share,
                   layout);
}

/* The layer whose attention a draft head copies: the first that keeps the whole context. */
static const struct mixer *full_mixer(const struct model *model)
{
    for (int i = 0; i < model->n_groups; i++)
        for (int j = 0; j < model->groups[i].n_mixers; j++)
            if (model->groups[i].mixers[j].cached_per_token > 0.0 &&
                model->groups[i].mixers[j].store_limit_tokens <= 0.0)
                return &model->groups[i].mixers[j];
    return NULL;
}

void memory_groups_draft(const struct memory_case *mc, struct kv_layout *layout)
{
    const struct model *model = mc->problem->model;
    enum speculative_method method = mc->problem->dep.spec_method;
    if (!mc->stage.last)
        return;
    if (method == SPEC_MTP && model->mtp != NULL)
        add_layers(mc->problem, model->mtp, model->mtp->count, layout);
    const struct mixer *mixer = full_mixer(model);
    if ((method == SPEC_EAGLE || method == SPEC_EAGLE3) && mixer != NULL)
        add_mixer(mc->problem, mixer, 1.0, layout);
}

double memory_group_entries(const struct kv_group *group, double tokens)
{
    switch (group->kind) {
    case KV_WINDOW:
    case KV_CHUNKED:
        return fmin(tokens, group->window_tokens);
    case KV_CROSS:
        return group->window_tokens;
    case KV_STATE:
        return 0.0;
    case KV_FULL:
    case KV_KIND_COUNT:
        break;
    }
    return tokens;
}

double memory_groups_bytes(const struct kv_layout *layout, double tokens)
{
    double bytes = 0.0;
    for (int i = 0; i < layout->n_groups; i++) {
        const struct kv_group *group = &layout->groups[i];
        bytes += group->layers * (memory_group_entries(group, tokens) * group->bytes_per_token +
                                  group->state_bytes);
    }
    return bytes;
}

double memory_groups_whole_pages(const struct kv_layout *layout, double page_tokens)
{
    if (memory_groups_token_bytes(layout) <= 0.0)
        return NAN;
    return floor(layout->units / page_tokens) * page_tokens;
}

double memory_groups_token_bytes(const struct kv_layout *layout)
{
    double bytes = 0.0;
    for (int i = 0; i < layout->n_groups; i++)
        if (layout->groups[i].kind != KV_CROSS)
            bytes += layout->groups[i].layers * layout->groups[i].bytes_per_token;
    return bytes;
}

void memory_layout_tokens(struct kv_layout *layout)
{
    double bytes = memory_groups_token_bytes(layout);
    layout->unit = bytes > 0.0 ? "token" : "byte";
    layout->unit_bytes = bytes > 0.0 ? bytes : 1.0;
}
