/*
 * memory_sglang.c - SGLang: KV = f (T - N) - W - states: the fraction covers weights and pools;
 * activations and graphs live in the rest.
 *
 * N is what is taken before the weights are loaded (context, communication buffers). The pool of
 * tokens is cut into cells of all layers:
 *   - full and windowed layers together: F n_full + r S n_window bytes per token, r the share of
 *     the tokens that windowed layers keep; windowed layers alone: S n_window;
 *   - without radix cache and with a stated number of requests, windows take what those requests
 *     need at most and the rest goes to the full layers;
 *   - recurrent states are slots beside it: as many as stated, else rho / (1 + rho) of the pool;
 *     drafts keep D states more per request;
 *   - DeepSeek-V4 (compressed layers) has pools of its own, all in proportion to the tokens.
 *
 * Source: github.com/sgl-project/sglang, python/sglang/srt/model_executor/pool_configurator.py,
 * model_runner_kv_cache_mixin.py and server_args.py.
 */
#include <math.h>
#include <string.h>

#include "memory_engine.h"
#include "units.h"

/* A cache slot for each request, one that its prefix stays in and one to copy from
 * (MAMBA_CACHE_SIZE_MAX_RUNNING_REQUESTS_RATIO); one without prefix caching. */
#define SLOTS_PER_REQUEST 3.0
/* A latent in fp8 for sparse attention: 512 bytes, four scales of 4 bytes, 64 rotary elements of 16
 * bits instead of 576 bytes (DSATokenToKVPool). */
#define SPARSE_LATENT_SCALE_EVERY 128.0
#define SPARSE_LATENT_SCALE_BYTES 4.0
/* DeepSeek-V4: an entry is nope + 2 rope + 8 bytes, an indexer's key 128 and a scale of 4; the
 * compressor of four tokens keeps 2 x 2 x width x 4 bytes in a ring of 8 (16 with drafts) for each
 * window. What the compressor of 128 keeps per request is left out: some hundred MiB. */
#define V4_ENTRY_SCALES 8.0
#define V4_INDEX_BYTES_PER_ELEMENT (132.0 / 128.0)
#define V4_STATE_COPIES 16.0
#define V4_RING 8.0
#define V4_RING_DRAFTING 16.0
#define V4_WINDOW_RATIO 0.1

/* ---- terms */

static void terms(const struct memory_case *mc, struct memory_plan *plan)
{
    const struct problem *problem = mc->problem;
    const struct model *model = problem->model;
    const struct deployment *dep = &problem->dep;
    memory_weight_terms(mc, plan);
    memory_step_terms(mc, plan, false);
    memory_term_record(plan, TERM_NON_TORCH, memory_case_constant(mc, RULE_NON_TORCH), false);
    struct memory_term *draft = &plan->terms[TERM_DRAFT];
    if (draft->bytes > 0.0 && dep->spec_method == SPEC_MTP) {
        /* The draft's worker loads an embedding and a head of its own before it shares those of the
         * target, and the allocator keeps their room. */
        double ends = 2.0 * model->vocab * model->hidden * ACTIVATION_BYTES / dep->tp;
        draft->low = draft->bytes;
        draft->bytes += ends;
        draft->high = draft->bytes;
        draft->basis = BASIS_ASSUMED;
    }
    if (dep->other_processes_bytes > 0.0)
        memory_term_set(plan, TERM_OTHERS, dep->other_processes_bytes, BASIS_DERIVED, false);
}

/* ---- recurrent states */

/* Bytes of one slot over the stage's layers; without the tails that drafts add elsewhere. */
static double slot_bytes(const struct memory_case *mc)
{
    struct problem plain = *mc->problem;
    struct memory_case without = *mc;
    struct kv_layout layout = {.n_groups = 0};
    double bytes = 0.0;
    if (!mc->problem->model->has_state)
        return 0.0;
    plain.dep.spec_method = SPEC_NONE;
    without.problem = &plain;
    memory_groups(&without, &layout);
    for (int i = 0; i < layout.n_groups; i++)
        bytes += layout.groups[i].layers * layout.groups[i].state_bytes;
    return bytes;
}

static double slots_per_request(const struct deployment *dep)
{
    return dep->prefix_caching ? SLOTS_PER_REQUEST : 1.0;
}

static double drafted(const struct deployment *dep)
{
    return dep->spec_method != SPEC_NONE ? dep->spec_tokens + 1.0 : 0.0;
}

/* Slots in a pool of that many bytes. */
static double state_slots(const struct memory_case *mc, double slot, double pool_bytes)
{
    const struct deployment *dep = &mc->problem->dep;
    double ratio = dep->state_memory_ratio > 0.0 ? dep->state_memory_ratio
                                                 : memory_case_value(mc, RULE_STATE_MEMORY_RATIO);
    if (dep->max_state_slots > 0.0)
        return dep->max_state_slots;
    if (!dep->prefix_caching && dep->slots_are_stated)
        return dep->max_num_seqs;
    double each = slot * (1.0 + drafted(dep) / slots_per_request(dep));
    return floor(fmax(pool_bytes, 0.0) * ratio / (1.0 + ratio) / each);
}

/* What the states leave of a pool. */
static double without_states(const struct memory_case *mc, double slot, double pool_bytes)
{
    const struct deployment *dep = &mc->problem->dep;
    double slots = state_slots(mc, slot, pool_bytes);
    double running = fmin(dep->max_num_seqs, floor(slots / slots_per_request(dep)));
    return pool_bytes - slot * (slots + running * drafted(dep));
}

/* ---- pool */

/* Whether any layer caches tokens: the pool of a model of states alone is theirs. */
static bool caches_tokens(const struct memory_case *mc)
{
    struct kv_layout groups = {.n_groups = 0};
    memory_groups(mc, &groups);
    return memory_groups_token_bytes(&groups) > 0.0;
}

static void pool(const struct memory_case *mc, struct memory_plan *plan)
{
    const struct memory_term *context = &plan->terms[TERM_NON_TORCH];
    double fraction = mc->problem->dep.memory_utilization;
    double others = plan->terms[TERM_OTHERS].bytes;
    double slot = slot_bytes(mc);
    memory_pool_of_rest(plan, fraction * (plan->total_bytes - context->bytes - others));
    plan->kv_bytes_low -= fraction * (context->high - context->bytes);
    plan->kv_bytes_high += fraction * (context->bytes - context->low);
    if (slot <= 0.0 || !caches_tokens(mc))
        return;
    double whole = plan->kv_bytes;
    plan->kv_bytes = without_states(mc, slot, whole);
    plan->kv_bytes_low = without_states(mc, slot, plan->kv_bytes_low);
    plan->kv_bytes_high = without_states(mc, slot, plan->kv_bytes_high);
    plan->layout.state_sequences =
        fmax(floor(state_slots(mc, slot, whole) / slots_per_request(&mc->problem->dep)), 0.0);
    memory_term_set(plan, TERM_STATES, whole - plan->kv_bytes, BASIS_DERIVED, false);
}

/* ---- cells */

static bool is_amd(const struct hardware *hw)
{
    return hw->vendor != NULL && strcmp(hw->vendor, "amd") == 0;
}

/* Bytes that the fp8 latents of sparse attention take beyond one per element. */
static double sparse_latent_bytes(const struct memory_case *mc)
{
    const struct problem *problem = mc->problem;
    const struct model *model = problem->model;
    double bytes = 0.0;
    if (problem->dep.kv_cache->bytes_per_element != 1.0 || is_amd(problem->hw))
        return 0.0;
    for (int i = 0; i < model->n_groups; i++)
        for (int j = 0; j < model->groups[i].n_mixers; j++) {
            const struct mixer *mixer = &model->groups[i].mixers[j];
            if (mixer->kind != MIXER_MLA || mixer->index_width <= 0.0)
                continue;
            bytes += model->groups[i].invocations *
                     (mixer->kv_lora_rank / SPARSE_LATENT_SCALE_EVERY * SPARSE_LATENT_SCALE_BYTES +
                      mixer->rope_dim);
        }
    return bytes * mc->layer_share;
}

struct cells {
    double full, window; /* bytes of a token in the layers that keep all, and in windowed ones */
    double window_tokens;
};

static struct cells count_cells(const struct kv_layout *layout)
{
    struct cells cells = {0.0, 0.0, 0.0};
    for (int i = 0; i < layout->n_groups; i++) {
        const struct kv_group *group = &layout->groups[i];
        double bytes = group->layers * group->bytes_per_token;
        if (group->kind == KV_FULL)
            cells.full += bytes;
        if (group->kind != KV_WINDOW && group->kind != KV_CHUNKED)
            continue;
        cells.window += bytes;
        cells.window_tokens = fmax(cells.window_tokens, group->window_tokens);
    }
    return cells;
}

static double window_ratio(const struct memory_case *mc)
{
    double stated = mc->problem->dep.swa_full_tokens_ratio;
    return stated > 0.0 ? stated : memory_case_value(mc, RULE_WINDOW_RATIO);
}

/* Tokens that windowed layers need at most for the requests stated: window, the token being
 * written, two pages each; two chunks and a page for prompts. */
static double window_cap(const struct problem *problem, double window_tokens)
{
    const struct deployment *dep = &problem->dep;
    double page = fmax(dep->block_size, 1.0);
    double each = window_tokens + fmax(drafted(dep), 1.0) + 2.0 * page;
    double chunk = memory_step_tokens(problem);
    double cap = each * ceil(dep->max_num_seqs / dep->dp) + 2.0 * chunk + page;
    return ceil(cap / page) * page;
}

static double token_cell(const struct memory_case *mc, const struct memory_plan *plan,
                         const struct cells *cells)
{
    const struct problem *problem = mc->problem;
    const struct deployment *dep = &problem->dep;
    bool split = memory_case_value(mc, RULE_HYBRID_GROUPS) > 0.0;
    if (cells->window <= 0.0)
        return cells->full;
    if (!split || dep->swa_full)
        return cells->full + cells->window;
    if (cells->full <= 0.0)
        return cells->window;
    double fixed = window_cap(problem, cells->window_tokens) * cells->window;
    if (!dep->prefix_caching && dep->slots_are_stated && plan->kv_bytes > fixed)
        return cells->full * plan->kv_bytes / (plan->kv_bytes - fixed);
    return cells->full + window_ratio(mc) * cells->window;
}

static bool is_compressed(const struct mixer *mixer)
{
    return mixer->kind == MIXER_CSA || mixer->kind == MIXER_HCA;
}

/* Bytes of a token in one layer of DeepSeek-V4, `ratio` of the tokens in windows. */
static double v4_layer(const struct mixer *mixer, double ratio, double ring)
{
    double width = mixer->k_dim;
    double entry = width + mixer->rope_dim + V4_ENTRY_SCALES;
    double window = fmax(mixer->window_side_tokens, mixer->window_tokens);
    double every = fmax(mixer->tokens_per_entry, 1.0);
    double bytes = ratio * entry;
    if (!is_compressed(mixer))
        return bytes;
    bytes += entry / every + mixer->index_width * V4_INDEX_BYTES_PER_ELEMENT;
    if (mixer->kind == MIXER_CSA && window > 0.0)
        bytes += ratio * ring / window * V4_STATE_COPIES * (width + mixer->index_width * every);
    return bytes;
}

/* Bytes of a token over DeepSeek-V4's pools; 0 for other models. */
static double v4_cell(const struct memory_case *mc)
{
    const struct model *model = mc->problem->model;
    const struct deployment *dep = &mc->problem->dep;
    bool drafting = dep->spec_method != SPEC_NONE;
    double ratio = dep->swa_full_tokens_ratio > 0.0 ? dep->swa_full_tokens_ratio : V4_WINDOW_RATIO;
    double bytes = 0.0, layers = 0.0;
    bool compressed = false;
    for (int i = 0; i < model->n_groups; i++)
        for (int j = 0; j < model->groups[i].n_mixers; j++) {
            const struct mixer *mixer = &model->groups[i].mixers[j];
            double count = model->groups[i].invocations * mc->layer_share;
            compressed = compressed || is_compressed(mixer);
            layers += count;
            bytes += count * v4_layer(mixer, ratio, drafting ? V4_RING_DRAFTING : V4_RING);
        }
    if (!compressed)
        return 0.0;
    return drafting ? bytes * (layers + 1.0) / layers : bytes;
}

static void layout(const struct memory_case *mc, struct memory_plan *plan)
{
    const struct deployment *dep = &mc->problem->dep;
    struct kv_layout *layout = &plan->layout;
    memory_groups(mc, layout);
    memory_groups_draft(mc, layout);
    struct cells cells = count_cells(layout);
    double v4 = v4_cell(mc);
    if (cells.full + cells.window <= 0.0) {
        layout->unit = "byte";
        layout->unit_bytes = 1.0;
        return;
    }
    layout->unit = "token";
    layout->grouped = cells.window > 0.0;
    layout->unit_bytes = v4 > 0.0 ? v4 : token_cell(mc, plan, &cells) + sparse_latent_bytes(mc);
    if (dep->kv_cache_tokens > 0.0)
        memory_pool_cap(plan, dep->kv_cache_tokens * layout->unit_bytes);
}

/* ---- what it holds */

static double units(const struct problem *problem, const struct kv_layout *layout, double tokens,
                    bool running)
{
    double page = fmax(problem->dep.block_size, 1.0);
    double needs = ceil(tokens / page) * page;
    (void)running;
    if (memory_groups_token_bytes(layout) <= 0.0)
        return memory_groups_bytes(layout, tokens);
    if (layout->state_sequences > 0.0 && isfinite(layout->units))
        needs = fmax(needs, layout->units / layout->state_sequences);
    return needs;
}

static double printed(const struct problem *problem, const struct memory_plan *plan)
{
    return memory_groups_whole_pages(&plan->layout, fmax(problem->dep.block_size, 1.0));
}

const struct memory_engine MEMORY_SGLANG_ENGINE = {
    .stages = memory_even_stages,
    .terms = terms,
    .pool = pool,
    .layout = layout,
    .units = units,
    .printed = printed,
    .pool_formula = "f (T - context) - weights - states; activations and graphs live in the rest",
    .formulas =
        {
            [TERM_WEIGHTS] = "matrices / tp, KV projections / min(tp, KV heads), norms whole",
            [TERM_ROPE] = "positions x rotary width x bytes, on every rank",
            [TERM_DRAFT] = "MTP layers over tp, and room for an embedding and a head",
            [TERM_VISION] = "parameters x bytes / tp",
            [TERM_LORA] = "max_loras x rank x (in + out) x 2 B of every target matrix",
            [TERM_OFFLOADED] = "--cpu-offload-gb of each rank",
            [TERM_ACTIVATION] = "experts' rows + max(M b (3 I/tp + 6.5 h), 14.85 S V + M h b)",
            [TERM_NON_TORCH] = "fitted: what is taken before the weights",
            [TERM_OTHERS] = "as stated",
            [TERM_STATES] = "slots x states of all layers, D more per drafting request",
        },
};
