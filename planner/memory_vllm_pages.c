/*
 * memory_vllm_pages.c - how vLLM lays caches out in blocks.
 *
 * One kind of layer: a block of B tokens is a page in each layer, blocks = KV / (layers x page).
 * Several kinds (since 0.9): the block of the smaller page is raised until all pages are equal,
 * layers of a kind are cut into tables of g layers, g the smallest kind's count (the largest's when
 * it is less than 1.5 times that); blocks = KV / (g x page) serve all tables. A recurrent state
 * takes a page: the attention block is raised to the multiple of 16 tokens that holds one.
 *
 * Sources: vllm/v1/core/kv_cache_utils.py, vllm/v1/kv_cache_interface.py,
 * vllm/platforms/interface.py; before 0.8 vllm/worker/cache_engine.py.
 */
#include <math.h>
#include <stddef.h>
#include <string.h>

#include "memory_vllm.h"

/* Tokens that a kernel's block is a multiple of; of a latent's on parts of one maker 64. */
#define KERNEL_BLOCK 16.0
#define LATENT_BLOCK 64.0
/* With every block's state kept ("all"), blocks are whole chunks of the scan. */
#define SCAN_CHUNK 256.0
/* A slab of compressed latents (DeepSeek-V4): 256 tokens a block, 64 raw latents of a window. */
#define SLAB_BLOCK 256.0
#define SLAB_WINDOW_BLOCK 64.0
/* Tables of its window's length: the window's own and those of the compressors' states. Inferred
 * from one log (github.com/vllm-project/vllm/issues/51454: 7.27 KB a token at 1,048,576). */
#define SLAB_WINDOW_TABLES 5.0

static double kernel_block(const struct problem *problem)
{
    bool nvidia = problem->hw->vendor != NULL && strcmp(problem->hw->vendor, "nvidia") == 0;
    bool latent = problem->model->has_mla && nvidia;
    return fmax(problem->dep.block_size, latent ? LATENT_BLOCK : KERNEL_BLOCK);
}

/* Layers of the model's kind: a stage has a share of them. */
static double whole_layers(const struct memory_case *mc, const struct kv_group *group)
{
    return mc->layer_share > 0.0 ? round(group->layers / mc->layer_share) : group->layers;
}

static bool keeps_less(const struct kv_group *group)
{
    return group->kind == KV_WINDOW || group->kind == KV_CHUNKED;
}

/* Windows and chunks that the version, or a flag, stores whole. */
static void widen(const struct memory_case *mc, struct kv_layout *layout)
{
    bool hybrid = memory_case_value(mc, RULE_HYBRID_GROUPS) > 0.0 && !mc->problem->dep.swa_full;
    bool chunked_as_full = memory_case_value(mc, RULE_CHUNKED_AS_FULL) > 0.0;
    bool mixed = false;
    for (int i = 0; i < layout->n_groups; i++)
        mixed = mixed || !keeps_less(&layout->groups[i]);
    bool whole = memory_vllm_is_v0(&mc->problem->dep) || (mixed && !hybrid);
    for (int i = 0; i < layout->n_groups; i++) {
        struct kv_group *group = &layout->groups[i];
        if (keeps_less(group) && (whole || (group->kind == KV_CHUNKED && chunked_as_full)))
            group->kind = KV_FULL;
    }
    layout->grouped = hybrid;
}

/* Whether one table serves every layer: all keep every token, or all the same window. */
static bool is_uniform(const struct kv_layout *layout)
{
    const struct kv_group *first = &layout->groups[0];
    for (int i = 0; i < layout->n_groups; i++) {
        const struct kv_group *group = &layout->groups[i];
        if (group->kind != first->kind || group->kind == KV_STATE ||
            (keeps_less(group) && group->window_tokens != first->window_tokens))
            return false;
    }
    return true;
}

static void lay_uniform(const struct memory_case *mc, struct kv_layout *layout)
{
    double block = kernel_block(mc->problem);
    layout->unit_bytes = 0.0;
    for (int i = 0; i < layout->n_groups; i++) {
        struct kv_group *group = &layout->groups[i];
        group->shares = i == 0 ? 1.0 : 0.0;
        group->block_tokens = block;
        group->page_bytes = block * group->bytes_per_token;
        layout->unit_bytes += group->layers * group->page_bytes;
    }
}

static double largest_state(const struct kv_layout *layout)
{
    double bytes = 0.0;
    for (int i = 0; i < layout->n_groups; i++)
        bytes = fmax(bytes, layout->groups[i].state_bytes);
    return bytes;
}

/* Tokens of an attention block that holds a state. */
static double block_for_state(const struct memory_case *mc, double token_bytes, double state)
{
    const struct deployment *dep = &mc->problem->dep;
    double step = dep->state_cache_mode == STATE_CACHE_ALL ? SCAN_CHUNK : KERNEL_BLOCK;
    double block = kernel_block(mc->problem);
    if (state <= 0.0 || token_bytes <= 0.0)
        return block;
    return fmax(block, step * ceil(state / (step * token_bytes)));
}

/* The largest page; blocks of the kinds that store less per token grow by whole multiples. */
static double unify_pages(const struct memory_case *mc, struct kv_layout *layout)
{
    double state = largest_state(layout);
    double widest = 0.0;
    for (int i = 0; i < layout->n_groups; i++)
        widest = fmax(widest, layout->groups[i].bytes_per_token);
    double block = block_for_state(mc, widest, state);
    double page = widest > 0.0 ? block * widest : state;
    for (int i = 0; i < layout->n_groups; i++) {
        struct kv_group *group = &layout->groups[i];
        group->page_bytes = page;
        if (group->kind == KV_STATE)
            continue;
        double ratio = fmax(floor(widest / group->bytes_per_token + 1e-9), 1.0);
        group->block_tokens = block * ratio;
    }
    return page;
}

/* Pages of state that one sequence holds. */
static double state_slots(const struct memory_case *mc)
{
    const struct deployment *dep = &mc->problem->dep;
    double drafted = dep->spec_method != SPEC_NONE ? dep->spec_tokens : 0.0;
    double spare = dep->prefix_caching ? memory_case_value(mc, RULE_STATE_SPARE_SLOTS) : 0.0;
    if (dep->state_cache_mode == STATE_CACHE_NONE)
        spare = 0.0;
    if (dep->state_cache_mode == STATE_CACHE_ALIGN)
        spare = 1.0;
    return 1.0 + drafted + spare;
}

/* Layers of one table. */
static double table_layers(const struct memory_case *mc, const struct kv_layout *layout)
{
    double spread = fmax(memory_case_value(mc, RULE_GROUP_SPREAD), 1.0);
    double fewest = INFINITY, most = 0.0;
    for (int i = 0; i < layout->n_groups; i++) {
        double layers = whole_layers(mc, &layout->groups[i]);
        fewest = fmin(fewest, layers);
        most = fmax(most, layers);
    }
    return most < spread * fewest ? most : fewest;
}

static void lay_tables(const struct memory_case *mc, struct kv_layout *layout)
{
    double page = unify_pages(mc, layout);
    double of_table = fmax(table_layers(mc, layout), 1.0);
    double on_stage = 0.0;
    for (int i = 0; i < layout->n_groups; i++) {
        struct kv_group *group = &layout->groups[i];
        group->shares = ceil(whole_layers(mc, group) / of_table);
        group->slots = group->kind == KV_STATE ? state_slots(mc) : 0.0;
        on_stage = fmax(on_stage, ceil(group->layers / group->shares));
    }
    layout->unit_bytes = page * on_stage;
}

static bool is_slab(const struct kv_layout *layout)
{
    for (int i = 0; i < layout->n_groups; i++)
        if (layout->groups[i].tokens_per_entry > 1.0)
            return true;
    return false;
}

/* Compressed latents share one table, the window's layers another; a block is as large as the
 * larger of them needs. */
static void lay_slab(struct kv_layout *layout)
{
    double whole = 0.0, window = 0.0;
    bool first = true;
    for (int i = 0; i < layout->n_groups; i++) {
        struct kv_group *group = &layout->groups[i];
        bool raw = keeps_less(group);
        group->block_tokens = raw ? SLAB_WINDOW_BLOCK : SLAB_BLOCK;
        group->page_bytes = group->block_tokens * group->bytes_per_token;
        group->shares = raw ? SLAB_WINDOW_TABLES : first ? 1.0 : 0.0;
        first = first && raw;
        *(raw ? &window : &whole) += group->layers * group->page_bytes;
    }
    layout->unit_bytes = fmax(whole, window);
}

/* Before 0.7 a latent was stored as keys and values of every head, padded to one width. */
static void expand_latents(const struct memory_case *mc, struct kv_layout *layout)
{
    const struct problem *problem = mc->problem;
    double width = memory_case_value(mc, RULE_MLA_PER_HEAD);
    const struct mixer *mixer = &problem->model->groups[0].mixers[0];
    if (width <= 0.0 || problem->model->groups[0].n_mixers == 0 || mixer->kind != MIXER_MLA)
        return;
    for (int i = 0; i < layout->n_groups; i++)
        layout->groups[i].bytes_per_token = 2.0 * mixer->n_heads / problem->dep.tp * width *
                                            problem->dep.kv_cache->bytes_per_element;
}

void memory_vllm_layout(const struct memory_case *mc, struct memory_plan *plan)
{
    const struct deployment *dep = &mc->problem->dep;
    struct kv_layout *layout = &plan->layout;
    memory_groups(mc, layout);
    memory_groups_draft(mc, layout);
    layout->unit = "block";
    layout->context_ways = fmax(dep->dcp, 1.0);
    double steps = fmax(memory_case_value(mc, RULE_LOOKAHEAD_STEPS), 1.0);
    layout->lookahead_tokens =
        memory_step_tokens(mc->problem) * (dep->async_scheduling ? steps : 1.0);
    widen(mc, layout);
    expand_latents(mc, layout);
    if (layout->n_groups == 0)
        return;
    if (is_slab(layout))
        lay_slab(layout);
    else if (is_uniform(layout))
        lay_uniform(mc, layout);
    else
        lay_tables(mc, layout);
    double most = dep->kv_cache_tokens / fmax(dep->block_size, 1.0) * layout->unit_bytes;
    if (most > 0.0) {
        plan->kv_bytes = fmin(plan->kv_bytes, most);
        plan->kv_bytes_low = fmin(plan->kv_bytes_low, most);
        plan->kv_bytes_high = fmin(plan->kv_bytes_high, most);
    }
}

/* Blocks of one table for a sequence. A window keeps the tokens that a step may still write; once
 * the prompt is done only itself. */
static double table_blocks(const struct deployment *dep, const struct kv_layout *layout,
                           const struct kv_group *group, double tokens, bool running)
{
    double block = fmax(group->block_tokens, 1.0);
    double ahead = running ? 1.0 : layout->lookahead_tokens;
    switch (group->kind) {
    case KV_WINDOW:
        return ceil(fmin(group->window_tokens - 1.0 + ahead, tokens) / block) + 1.0;
    case KV_CHUNKED:
        return ceil(fmin(group->window_tokens + ahead, tokens) / block);
    case KV_STATE:
        return dep->state_cache_mode == STATE_CACHE_ALL
                   ? ceil(tokens / fmax(layout->groups[0].block_tokens, block))
                   : group->slots;
    case KV_CROSS:
        return ceil(group->window_tokens / block);
    case KV_FULL:
    case KV_KIND_COUNT:
        break;
    }
    return ceil(tokens / (block * layout->context_ways));
}

double memory_vllm_units(const struct problem *problem, const struct kv_layout *layout,
                         double tokens, bool running)
{
    double blocks = 0.0;
    for (int i = 0; i < layout->n_groups; i++) {
        const struct kv_group *group = &layout->groups[i];
        if (group->shares > 0.0)
            blocks += group->shares * table_blocks(&problem->dep, layout, group, tokens, running);
    }
    return blocks;
}

double memory_vllm_printed(const struct problem *problem, const struct memory_plan *plan)
{
    const struct deployment *dep = &problem->dep;
    const struct kv_layout *layout = &plan->layout;
    double tables = 0.0, block = INFINITY;
    for (int i = 0; i < layout->n_groups; i++) {
        tables += layout->groups[i].shares;
        if (layout->groups[i].block_tokens > 0.0)
            block = fmin(block, layout->groups[i].block_tokens);
    }
    if (isinf(block) || tables <= 0.0)
        return NAN;
    bool by_concurrency = memory_constant(problem->lib->memory_constants,
                                          RULE_TOKENS_BY_CONCURRENCY, dep, problem->hw)
                              ->value > 0.0;
    if (!by_concurrency || memory_vllm_is_v0(dep))
        return floor(layout->units / tables) * block * layout->context_ways;
    double each = memory_vllm_units(problem, layout, dep->max_model_len, false);
    return each > 0.0 ? floor(layout->units / each * dep->max_model_len) : (double)NAN;
}
