/*
 * memory_llamacpp.c - llama.cpp and Ollama: the caches of the context asked for are allocated up
 * front; layers may stay on the host.
 *
 * KV = sum over the device's layers of cells x bytes of a cell. A context of n_ctx cells (padded to
 * 256) is shared by all slots where it is unified, else each slot has its own of max_model_len.
 * Windowed layers keep W (for each slot that shares) + n_ubatch cells, padded; W per slot + n_batch
 * in versions before late 2025; a latent's key only. Recurrent states: one per slot.
 *
 * On a device lie its layers, the output matrix on the last; the token embedding stays on the host.
 * Several devices hold consecutive layers each, in proportion to their free memory or as stated: a
 * plan looks at the one that holds least. The compute buffer is n_ubatch x 4 x (V + h) bytes with
 * flash attention; without, n_ubatch x 4 x (n_q cells + 3.3 h) if that is more.
 *
 * Where no context is stated, newer versions choose one that leaves 1 GiB of each device free: the
 * pool is then what the device has room for.
 *
 * Source: github.com/ggml-org/llama.cpp, src/llama-kv-cache*.cpp, common/fit.cpp.
 */
#include <math.h>
#include <string.h>

#include "local.h"
#include "memory_engine.h"
#include "units.h"

#define CELL_PAD 256.0
#define MICRO_BATCH 512.0
#define BATCH 2048.0
#define BUFFER_BYTES 4.0
#define SCORE_HIDDEN_COPIES 3.3

/* ---- which layers lie where */

/* Layers on devices are the last ones; -ngl counts the output as one more. */
static double asked_layers(const struct problem *problem)
{
    double all = problem->model->n_layers;
    return problem->dep.gpu_layers >= 0.0 ? fmin(problem->dep.gpu_layers, all + 1.0) : all + 1.0;
}

/* Shares of the devices: as layers are stated, else by their memory; all alike where nothing is
 * said. */
static void device_shares(const struct problem *problem, double *ret_shares, int n)
{
    const struct deployment *dep = &problem->dep;
    const char *text = dep->pp_layers != NULL ? dep->pp_layers : dep->device_memory_gib;
    double taken = text != NULL && text == dep->device_memory_gib
                       ? fmax(dep->other_processes_bytes, 0.0) / BYTES_PER_GIB
                       : 0.0;
    int n_stated = memory_list(text, ret_shares, n);
    double sum = 0.0;
    for (int i = 0; i < n_stated; i++)
        sum += ret_shares[i] = fmax(ret_shares[i] - taken, 0.0);
    for (int i = 0; i < n && (n_stated < n || sum <= 0.0); i++)
        ret_shares[i] = 1.0;
}

/* Of the layers asked for and the output, layer i of n lies on the device in whose share i / n
 * falls. */
static int device_stages(const struct problem *problem, struct memory_stage *ret_stages)
{
    double shares[MEMORY_DEVICES_MAX];
    double all = problem->model->n_layers, asked = asked_layers(problem);
    int n = (int)fmin(local_ranks(&problem->dep).pp, MEMORY_DEVICES_MAX);
    double sum = 0.0, past = 0.0, laid = 0.0;
    device_shares(problem, shares, n);
    for (int i = 0; i < n; i++)
        sum += shares[i];
    for (int i = 0; i < n; i++) {
        past += shares[i];
        double end = i == n - 1 ? asked : ceil(asked * past / sum - 1e-9);
        bool output = i == n - 1 && asked > all;
        ret_stages[i] = (struct memory_stage){.index = i,
                                              .layers = end - laid - (output ? 1.0 : 0.0),
                                              .from = all - fmin(asked, all) + laid,
                                              .devices = 1.0,
                                              .last = output};
        laid = end;
    }
    return n;
}

/* The case of one device: its layers, whole matrices; the embedding is on the host. */
static struct memory_case device_case(const struct memory_case *mc, struct problem *ret_problem)
{
    struct memory_case device = *mc;
    *ret_problem = *mc->problem;
    ret_problem->dep.tp = ret_problem->dep.ep = 1.0;
    device.problem = ret_problem;
    device.layer_share = mc->stage.layers / fmax(mc->problem->model->n_layers, 1.0);
    return device;
}

/* Share of the device's layers whose experts stay on the host: those of the model's first. */
static double host_share(const struct memory_case *mc)
{
    double n = mc->problem->dep.cpu_moe_layers;
    if (!(n > mc->stage.from) || mc->stage.layers <= 0.0)
        return 0.0;
    return fmin(n - mc->stage.from, mc->stage.layers) / mc->stage.layers;
}

static double expert_bytes(const struct memory_case *mc)
{
    const struct model *model = mc->problem->model;
    return model->params_by_role[ROLE_EXPERT] * role_bytes(model, &mc->problem->dep, ROLE_EXPERT) *
           mc->layer_share;
}

/* ---- terms */

static double micro_batch(const struct deployment *dep)
{
    if (dep->micro_batch_tokens > 0.0)
        return dep->micro_batch_tokens;
    return dep->chunked_prefill_tokens > 0.0 ? dep->chunked_prefill_tokens : MICRO_BATCH;
}

/* Slots with a context of their own, and the cells of each. */
static double streams_of(const struct deployment *dep)
{
    return dep->kv_unified ? 1.0 : fmax(dep->max_num_seqs, 1.0);
}

static double cells_of(const struct deployment *dep)
{
    return ceil(dep->max_model_len / CELL_PAD) * CELL_PAD;
}

static double compute_buffer(const struct problem *problem)
{
    const struct model *model = problem->model;
    const struct deployment *dep = &problem->dep;
    double rows = micro_batch(dep) * BUFFER_BYTES;
    double heads = 0.0;
    for (int i = 0; i < model->n_groups; i++)
        for (int j = 0; j < model->groups[i].n_mixers; j++)
            if (model->groups[i].mixers[j].cached_per_token > 0.0)
                heads = fmax(heads, model->groups[i].mixers[j].n_heads);
    double logits = rows * (model->vocab + model->hidden);
    double scores = rows * (heads * cells_of(dep) + SCORE_HIDDEN_COPIES * model->hidden);
    return dep->flash_attention ? logits : fmax(logits, scores);
}

static void terms(const struct memory_case *mc, struct memory_plan *plan)
{
    const struct deployment *dep = &mc->problem->dep;
    struct problem problem;
    struct memory_case device = device_case(mc, &problem);
    memory_weight_terms(&device, plan);
    /* Rotations are computed, not looked up; a projector is a file of its own. */
    plan->terms[TERM_ROPE] = plan->terms[TERM_VISION] = (struct memory_term){0};
    double on_host = expert_bytes(&device) * host_share(mc);
    if (on_host > 0.0)
        memory_term_set(plan, TERM_OFFLOADED, -on_host, BASIS_DERIVED, true);
    memory_term_set(plan, TERM_ACTIVATION, compute_buffer(mc->problem), BASIS_DERIVED, true);
    memory_term_record(plan, TERM_NON_TORCH, memory_case_constant(mc, RULE_NON_TORCH), true);
    if (!dep->longest_is_stated)
        memory_term_record(plan, TERM_RESERVE, memory_case_constant(mc, RULE_RESERVE), true);
    if (dep->other_processes_bytes > 0.0)
        memory_term_set(plan, TERM_OTHERS, dep->other_processes_bytes, BASIS_DERIVED, true);
}

/* ---- caches */

/* Cells of a windowed layer in one stream. */
static double window_cells(const struct memory_case *mc, const struct kv_group *group)
{
    const struct deployment *dep = &mc->problem->dep;
    double sharing = dep->kv_unified ? fmax(dep->max_num_seqs, 1.0) : 1.0;
    double ahead = memory_case_value(mc, RULE_WINDOW_KEEPS_BATCH) > 0.0
                       ? fmax(BATCH, micro_batch(dep))
                       : micro_batch(dep);
    double cells = ceil((group->window_tokens * sharing + ahead) / CELL_PAD) * CELL_PAD;
    return dep->swa_full ? cells_of(dep) : fmin(cells, cells_of(dep));
}

/* Before latents were cached as such, each head had a key and a value of its own; ik_llama.cpp,
 * whose builds are numbered apart, had them first. */
static double cell_bytes(const struct memory_case *mc, const struct kv_group *group)
{
    const struct model *model = mc->problem->model;
    bool kept = strcmp(mc->problem->dep.engine->id, "ik_llama.cpp") == 0;
    if (memory_case_value(mc, RULE_MLA_PER_HEAD) <= 0.0 || !model->has_mla || kept)
        return group->bytes_per_token;
    for (int i = 0; i < model->n_groups; i++)
        for (int j = 0; j < model->groups[i].n_mixers; j++) {
            const struct mixer *mixer = &model->groups[i].mixers[j];
            if (mixer->kind == MIXER_MLA)
                return mixer->n_heads * (mixer->nope_dim + mixer->rope_dim + mixer->v_dim) *
                       mc->problem->dep.kv_cache->bytes_per_element;
        }
    return group->bytes_per_token;
}

static double allocated_bytes(const struct memory_case *mc, const struct kv_layout *layout)
{
    const struct deployment *dep = &mc->problem->dep;
    double streams = streams_of(dep), bytes = 0.0;
    for (int i = 0; i < layout->n_groups; i++) {
        const struct kv_group *group = &layout->groups[i];
        double each = 0.0;
        switch (group->kind) {
        case KV_FULL:
            each = streams * cells_of(dep) * cell_bytes(mc, group);
            break;
        case KV_WINDOW:
        case KV_CHUNKED:
            each = streams * window_cells(mc, group) * group->bytes_per_token;
            break;
        case KV_CROSS:
            each = streams * group->window_tokens * group->bytes_per_token;
            break;
        case KV_STATE:
            each = fmax(dep->max_num_seqs, 1.0) * group->state_bytes;
            break;
        case KV_KIND_COUNT:
            break;
        }
        bytes += group->layers * each;
    }
    return bytes;
}

static double all_bytes(const struct memory_case *mc)
{
    struct problem problem;
    struct memory_case device = device_case(mc, &problem);
    struct kv_layout layout = {.n_groups = 0};
    memory_groups(&device, &layout);
    return allocated_bytes(&device, &layout);
}

static void pool(const struct memory_case *mc, struct memory_plan *plan)
{
    memory_pool_of_rest(plan, plan->total_bytes);
    memory_pool_cap(plan, all_bytes(mc));
}

static void layout(const struct memory_case *mc, struct memory_plan *plan)
{
    const struct deployment *dep = &mc->problem->dep;
    struct problem problem;
    struct memory_case device = device_case(mc, &problem);
    struct kv_layout *layout = &plan->layout;
    memory_groups(&device, layout);
    double bytes = allocated_bytes(&device, layout);
    layout->unit = "cell";
    layout->grouped = true;
    layout->unit_bytes = bytes / (streams_of(dep) * cells_of(dep));
    layout->least_bytes = dep->longest_is_stated ? bytes : 0.0;
}

/* A slot's context is its own whatever it uses of it, where the context was stated. */
static double units(const struct problem *problem, const struct kv_layout *layout, double tokens,
                    bool running)
{
    const struct deployment *dep = &problem->dep;
    double cells = ceil(tokens / CELL_PAD) * CELL_PAD;
    (void)running;
    if (layout->unit_bytes <= 0.0)
        return 0.0;
    bool own = dep->longest_is_stated && !dep->kv_unified;
    return own ? fmax(cells, cells_of(dep)) : fmin(cells, fmax(tokens, 1.0));
}

/* Slots with contexts of their own share the pool out evenly, in whole steps of cells. */
static double longest(const struct problem *problem, const struct memory_plan *plan)
{
    if (!(memory_groups_token_bytes(&plan->layout) > 0.0))
        return INFINITY;
    double each = plan->layout.units / streams_of(&problem->dep);
    return floor(each / CELL_PAD * (1.0 + 1e-12)) * CELL_PAD;
}

static double printed(const struct problem *problem, const struct memory_plan *plan)
{
    (void)problem;
    return memory_groups_token_bytes(&plan->layout) > 0.0 ? plan->layout.units : (double)NAN;
}

const struct memory_engine MEMORY_LLAMACPP_ENGINE = {
    .stages = device_stages,
    .terms = terms,
    .pool = pool,
    .layout = layout,
    .units = units,
    .printed = printed,
    .longest = longest,
    .pool_formula = "cells of the context x bytes of a cell, at most T - what is taken",
    .formulas =
        {
            [TERM_WEIGHTS] = "the device's layers, the output on the last; no token embedding",
            [TERM_DRAFT] = "the draft's layers",
            [TERM_OFFLOADED] = "experts of the first layers, on the host",
            [TERM_ACTIVATION] = "n_ubatch x 4 B x max(V + h, scores: heads x cells + 3.3 h)",
            [TERM_NON_TORCH] = "assumed: the device's context",
            [TERM_RESERVE] = "left free where the engine chooses the context",
            [TERM_OTHERS] = "as stated",
        },
};
