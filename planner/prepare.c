#include "prepare.h"

#include <assert.h>
#include <math.h>
#include <stddef.h>
#include <string.h>

#include "units.h"

/* Elementwise work of one layer and row, unfused: eight passes over the hidden width and three over
 * the FFN width, 2 bytes each (norm in/out, residual in/out, rotary, activation and product). */
#define ELEMENTWISE_HIDDEN_BYTES 16.0
#define ELEMENTWISE_FFN_BYTES 6.0
/* Kernels beside the GEMMs and the attention: two norms, rotary with the KV write, the activation.
 * With four GEMMs and one attention that is nine a layer (293 launches over 32 layers measured). */
#define SMALL_KERNELS_PER_LAYER 4.0
/* State updates multiply and add each state element twice: decay with update, and read-out. */
#define STATE_FLOPS_PER_ELEMENT 4.0
/* Batch-invariant kernels forgo split-K and tuned tiles: 42 s against 26 s for the same 1,000
 * sequences of an 8B with the improved attention kernel. */
#define BATCH_INVARIANT_FACTOR (42.0 / 26.0)
/* The lightning indexer: keys read at 0.6 of the bandwidth, scores at 0.4 of the 8-bit peak, one
 * after the other, and 8 us for the top-k and the quantisation: assumed, nobody has published a
 * table of it. */
#define INDEX_BANDWIDTH_SHARE 0.6
#define INDEX_PEAK_SHARE 0.4
#define INDEX_FIXED_US 8.0
/* Queries that share a gathered entry through the cache: 64 of a tile. */
#define GATHER_TILE 64.0
/* Heads whose attention FIT_FORM_SHAPES was fitted to. */
#define SHAPES_HEAD_WIDTH 128.0
/* The heads of a scan's fit keep a state of 128 x 128. */
#define SCAN_STATE_ELEMENTS (128.0 * 128.0)
/* A row passes the causal convolution and the split of its output: in and out, twice, 16 bits. */
#define CONV_PASSES 4.0

static int add_roof(struct prepared *prep, struct roof roof)
{
    for (int i = 0; i < prep->n_roofs; i++)
        if (prep->roofs[i].fit == roof.fit && prep->roofs[i].match == roof.match &&
            prep->roofs[i].us_per_flop == roof.us_per_flop &&
            prep->roofs[i].fit_us_per_byte == roof.fit_us_per_byte)
            return i;
    assert(prep->n_roofs < ROOFS_MAX);
    prep->roofs[prep->n_roofs] = roof;
    return prep->n_roofs++;
}

static double half_peak(const struct hardware *hw)
{
    enum dtype used;
    return hardware_peak(hw, hw->peak_flops_us[DTYPE_BF16] > 0.0 ? DTYPE_BF16 : DTYPE_FP16, &used);
}

static const struct op_fit *find_fit(const struct problem *problem, const struct fit_query *query,
                                     enum fit_match *ret_match)
{
    const struct op_fit *fit = library_op_fit(problem->lib, problem->hw, problem->dep.engine,
                                              problem->dep.version, query, ret_match);
    /* llama.cpp and its kin run kernels of their own: another engine's say nothing of them. */
    if (fit != NULL && fit->engine != problem->dep.engine->index &&
        problem->dep.engine->memory_rule == MEMORY_LLAMACPP) {
        *ret_match = FIT_NONE;
        return NULL;
    }
    return fit;
}

/* A roof for an op: the floor against the peak that the part has for `compute`, the fit against the
 * peak it was fitted with. */
static struct roof make_roof(const struct prepared *prep, const struct fit_query *query,
                             enum dtype compute)
{
    const struct problem *problem = prep->problem;
    enum fit_match match = FIT_NONE;
    const struct op_fit *fit = find_fit(problem, query, &match);
    enum dtype used;
    double peak = hardware_peak(problem->hw, compute, &used) * prep->scale.compute;
    peak = fmax(peak, prep->local_peak_us);
    struct roof roof = roof_from_fit(prep->bw_bytes_us, peak, fit, match);
    if (roof.fit != NULL) {
        double fit_peak =
            half_peak(problem->hw) * prep->scale.compute * fit_peak_factor(roof.fit->dtype);
        bool computes = roof.fit->e_c > 0.0;
        roof.fit_us_per_flop = computes ? 1.0 / (fit_peak * roof.fit->e_c) : 0.0;
    }
    return roof;
}

static int op_roof(struct prepared *prep, const struct fit_query *query, enum dtype compute)
{
    return add_roof(prep, make_roof(prep, query, compute));
}

static enum dtype half_type(const struct hardware *hw)
{
    return hw->peak_flops_us[DTYPE_BF16] > 0.0 ? DTYPE_BF16 : DTYPE_FP16;
}

static enum dtype compute_type(const struct problem *problem, const struct weight_format *format,
                               double bytes)
{
    /* GGUF blocks multiply as 8-bit integers on paper; measured prompt rates stay near the 16-bit
     * ones (llama-bench pp512, F16 against Q4_K_M and Q8_0), so the 16-bit peak is what is taken.
     */
    if (bytes >= ACTIVATION_BYTES || format->weight_only || format->gguf)
        return half_type(problem->hw);
    return format->compute;
}

static int gemm_roof(struct prepared *prep, double bytes)
{
    static const enum fit_dtype PLAIN[] = {FIT_BF16};
    const struct weight_format *format = prep->problem->dep.weights;
    bool plain = bytes >= ACTIVATION_BYTES;
    int *roof = plain ? &prep->plain_gemm_roof : &prep->quantized_gemm_roof;
    const struct fit_query query = {
        FIT_GEMM, plain ? PLAIN : format->gemm_fits,
        plain ? (int)ARRAY_LEN(PLAIN) : (int)ARRAY_LEN(format->gemm_fits), true};
    if (*roof == 0)
        *roof = op_roof(prep, &query, compute_type(prep->problem, format, bytes));
    return *roof;
}

static double activation_bytes(const struct problem *problem, double weight_bytes)
{
    return weight_bytes >= ACTIVATION_BYTES ? ACTIVATION_BYTES
                                            : problem->dep.weights->activation_bytes;
}

static struct gemm_op make_gemm(struct prepared *prep, double k, double n, double bytes,
                                double count)
{
    struct gemm_op op = {.count = count};
    op.weight_bytes = k * n * bytes;
    op.row_bytes = k * activation_bytes(prep->problem, bytes) + n * ACTIVATION_BYTES;
    op.row_flops = FLOPS_PER_MULTIPLY_ADD * k * n;
    op.roof = op.decode_roof = gemm_roof(prep, bytes);
    op.decode_reread = 1.0;
    return op;
}

/* A latent's up-projection. Decode folds it into q and o, one small matrix a head, kept in 16 bits
 * whatever the checkpoint stores; where a prompt's queries pick their entries it stays folded. */
static void absorb_gemm(struct prepared *prep, const struct mixer *mixer, double bytes,
                        struct gemm_op *op)
{
    op->decode_roof = gemm_roof(prep, ACTIVATION_BYTES);
    op->decode_reread = fmax(ACTIVATION_BYTES / bytes, 1.0);
    if (mixer->read_limit_tokens > 0.0)
        op->roof = op->decode_roof;
}

static void add_gemm(struct prepared *prep, struct gemm_op op)
{
    for (int i = 0; i < prep->n_gemms; i++) {
        struct gemm_op *other = &prep->gemms[i];
        if (other->roof == op.roof && other->decode_roof == op.decode_roof &&
            other->weight_bytes == op.weight_bytes && other->row_bytes == op.row_bytes &&
            other->module == op.module) {
            other->count += op.count;
            return;
        }
    }
    if (prep->n_gemms == GEMM_OPS_MAX) {
        /* More shapes than any known model has: fold it into the last, sums kept. */
        struct gemm_op *last = &prep->gemms[GEMM_OPS_MAX - 1];
        double total = last->count + op.count;
        last->weight_bytes =
            (last->weight_bytes * last->count + op.weight_bytes * op.count) / total;
        last->row_bytes = (last->row_bytes * last->count + op.row_bytes * op.count) / total;
        last->row_flops = (last->row_flops * last->count + op.row_flops * op.count) / total;
        last->count = total;
        return;
    }
    prep->gemms[prep->n_gemms++] = op;
}

/* Routers of all layers as one, the mean layer's. */
static void add_router(struct prepared *prep, struct gemm_op op)
{
    struct gemm_op *router = &prep->router;
    double total = router->count + op.count;
    double kept = router->count / total, added = op.count / total;
    router->count = total;
    router->roof = op.roof;
    router->weight_bytes = kept * router->weight_bytes + added * op.weight_bytes;
    router->row_bytes = kept * router->row_bytes + added * op.row_bytes;
    router->row_flops = kept * router->row_flops + added * op.row_flops;
}

static bool is_expansion(const struct linear *linear)
{
    return strcmp(linear->what, "kv_b") == 0;
}

/* The matrices of a mixer or, when it is NULL, of an ffn. */
static void add_linears(struct prepared *prep, const struct linear *linears, int n,
                        const struct mixer *mixer, double count)
{
    const struct problem *problem = prep->problem;
    bool latent = mixer != NULL && mixer->kind == MIXER_MLA;
    double tp = prep->ranks.tp;
    for (int i = 0; i < n; i++) {
        const struct linear *linear = &linears[i];
        double k = linear_rank_k(linear, tp);
        double width = linear_rank_n(linear, mixer != NULL ? mixer->n_kv_heads : 0.0, tp);
        double bytes = linear_bytes(problem->model, &problem->dep, linear);
        if (linear->shard == SHARD_ROWS && tp > 1.0)
            prep->reduces += count;
        if (linear->role == ROLE_ROUTER) {
            add_router(prep, make_gemm(prep, k, width, bytes, count));
            continue;
        }
        struct gemm_op op = make_gemm(prep, k * prep->scale.model, width, bytes, count);
        op.module = latent;
        if (latent && is_expansion(linear))
            absorb_gemm(prep, mixer, bytes, &op);
        add_gemm(prep, op);
    }
}

/* Layers of one shape are one op; more shapes than any known model has are folded into the last,
 * per-layer sums kept. */
static void merge_moe(struct prepared *prep, struct moe_op op)
{
    for (int i = 0; i < prep->n_moes; i++) {
        struct moe_op *other = &prep->moes[i];
        if (other->roof == op.roof && other->experts == op.experts && other->miss == op.miss &&
            other->expert_bytes == op.expert_bytes && other->row_bytes == op.row_bytes) {
            other->count += op.count; /* one roof is one fit: padded alike */
            return;
        }
    }
    if (prep->n_moes < MOE_OPS_MAX) {
        prep->moes[prep->n_moes++] = op;
        return;
    }
    struct moe_op *last = &prep->moes[MOE_OPS_MAX - 1];
    double total = last->count + op.count;
    double kept = last->count / total, added = op.count / total;
    last->experts = kept * last->experts + added * op.experts;
    last->miss = kept * last->miss + added * op.miss;
    last->fewest = kept * last->fewest + added * op.fewest;
    last->rows_share = kept * last->rows_share + added * op.rows_share;
    last->expert_bytes = kept * last->expert_bytes + added * op.expert_bytes;
    last->row_bytes = kept * last->row_bytes + added * op.row_bytes;
    last->row_flops = kept * last->row_flops + added * op.row_flops;
    last->padding = kept * last->padding + added * op.padding;
    last->imbalance = kept * last->imbalance + added * op.imbalance;
    last->count = total;
}

/* A fit of padded experts counts a shard f columns wide as f + pad_columns, and gives the most
 * loaded of ep ranks ep^ep_gamma times the mean's rows. Without such a fit both are 1. */
static void pad_experts(struct moe_op *op, const struct op_fit *fit, double width, double ep)
{
    op->padding = op->imbalance = 1.0;
    if (fit == NULL || fit->form != FIT_FORM_PADDED_EXPERTS)
        return;
    op->padding = 1.0 + fit->pad_columns / width;
    op->imbalance = pow(ep, fit->ep_gamma);
}

static void add_moe(struct prepared *prep, const struct ffn *ffn, double count)
{
    const struct problem *problem = prep->problem;
    const struct weight_format *format = role_format(&problem->dep, ROLE_EXPERT);
    double bytes = role_bytes(problem->model, &problem->dep, ROLE_EXPERT);
    double h = ffn->latent > 0.0 ? ffn->latent : problem->model->hidden;
    double width = ffn->expert_width / prep->ranks.expert_tp;
    struct moe_op op = {.count = count};
    op.experts = ffn->n_experts / prep->ranks.ep;
    op.miss = 1.0 - ffn->top_k / ffn->n_experts;
    op.fewest = ffn->top_k / prep->ranks.ep;
    op.rows_share = ffn->top_k / prep->ranks.ep;
    op.expert_bytes = ffn->expert_params / prep->ranks.expert_tp * bytes * prep->scale.model;
    op.row_bytes = (2.0 * h + 3.0 * width) * ACTIVATION_BYTES;
    op.row_flops =
        FLOPS_PER_MULTIPLY_ADD * ffn->expert_params / prep->ranks.expert_tp * prep->scale.model;

    static const enum fit_dtype PLAIN[] = {FIT_BF16};

    bool plain = bytes >= ACTIVATION_BYTES;
    enum fit_op fit_op =
        problem->dep.engine->moe_fit_balanced ? FIT_MOE_BALANCED : FIT_MOE_SKEW_101;
    const struct fit_query query = {
        fit_op, plain ? PLAIN : format->moe_fits,
        plain ? (int)ARRAY_LEN(PLAIN) : (int)ARRAY_LEN(format->moe_fits), true};
    op.roof = op_roof(prep, &query, compute_type(problem, format, bytes));
    pad_experts(&op, prep->roofs[op.roof].fit, width, prep->ranks.ep);
    prep->moe_layers += count;
    merge_moe(prep, op);
}

static bool is_latent(const struct mixer *mixer)
{
    return mixer->kind == MIXER_MLA || mixer->kind == MIXER_CSA || mixer->kind == MIXER_HCA ||
           mixer->kind == MIXER_SWA_LATENT;
}

static void attention_roofs(struct prepared *prep, const struct mixer *mixer,
                            struct attention_op *op)
{
    static const enum fit_dtype GATHERED[] = {FIT_KV_BF16, FIT_KV_FP8};
    const struct kv_format *kv = prep->problem->dep.kv_cache;
    enum dtype type = half_type(prep->problem->hw);
    bool latent = is_latent(mixer);
    struct fit_query query = {latent ? FIT_DECODE_MLA : FIT_DECODE_ATTENTION, kv->fits,
                              (int)ARRAY_LEN(kv->fits), mixer->k_dim == SHAPES_HEAD_WIDTH};
    op->decode_roof = op_roof(prep, &query, type);
    query.op = latent ? FIT_PREFILL_MLA : FIT_PREFILL_ATTENTION;
    if (op->gather_bytes <= 0.0) {
        op->prefill_roof = op_roof(prep, &query, type);
        return;
    }
    /* Gathered entries are multiplied in 16 bits. Nobody measured that kernel: the dense one of the
     * same latents stands in, and says so. */
    query.types = GATHERED;
    query.n_types = (int)ARRAY_LEN(GATHERED);
    struct roof roof = make_roof(prep, &query, type);
    if (roof.fit != NULL && fit_match_is_weaker(FIT_OTHER_TYPE, roof.match))
        roof.match = FIT_OTHER_TYPE;
    op->prefill_roof = add_roof(prep, roof);
}

/*
 * What a prompt's attention over latents moves. Where all earlier entries are met they are expanded
 * to the keys and values of every head (kv_b over new and cached tokens) and q, k, v, o pass once;
 * where each query picks its own (sparse) it multiplies latents and gathers them.
 */
static void prepare_latent_prefill(struct prepared *prep, struct attention_op *op)
{
    const struct mixer *mixer = op->mixer;
    double tp = prep->ranks.tp;
    bool picks = mixer->read_limit_tokens > 0.0 && mixer->store_limit_tokens <= 0.0;
    if (picks) {
        op->gather_bytes = op->entry_bytes / GATHER_TILE;
        op->prefill_pair_flops = op->entry_flops;
        return;
    }
    if (mixer->kind != MIXER_MLA)
        return;
    double key = mixer->nope_dim + mixer->rope_dim, width = mixer->n_heads / tp;
    op->prefill_io_bytes = 2.0 * width * (key + mixer->v_dim) * ACTIVATION_BYTES;
    op->expanded_bytes = width * (key + mixer->v_dim) * ACTIVATION_BYTES;
    for (int i = 0; i < mixer->n_linears; i++) {
        const struct linear *linear = &mixer->linears[i];
        double bytes = role_bytes(prep->problem->model, &prep->problem->dep, linear->role);
        if (is_expansion(linear))
            op->expansion = make_gemm(prep, linear_rank_k(linear, tp),
                                      linear_rank_n(linear, mixer->n_kv_heads, tp), bytes, 1.0);
    }
}

/* The lightning indexer of latents keeps 8-bit keys with a scale of four bytes for 128, whatever
 * the cache's format (DeepSeek-V3.2-Exp, inference/model.py). */
static void prepare_index(struct prepared *prep, struct attention_op *op)
{
    const struct hardware *hw = prep->problem->hw;
    op->index_bytes =
        op->mixer->index_width * index_key_bytes(op->mixer, prep->problem->dep.kv_cache);
    op->index_flops = op->mixer->index_flops_per_token;
    op->index_roof = prep->half_roof;
    if (op->index_bytes <= 0.0 || !is_latent(op->mixer))
        return;
    enum dtype used;
    struct roof roof =
        roof_assumed(prep->bw_bytes_us, hardware_peak(hw, DTYPE_FP8, &used) * prep->scale.compute);
    roof.fit_us_per_byte = roof.us_per_byte / INDEX_BANDWIDTH_SHARE;
    roof.fit_us_per_flop = roof.us_per_flop / INDEX_PEAK_SHARE;
    roof.q = 1.0;
    roof.t0_us = INDEX_FIXED_US;
    op->index_roof = add_roof(prep, roof);
}

/* A gated delta net: its state kernel in decode, its scan of a prompt, the convolution before both.
 */
static void prepare_delta(struct prepared *prep, struct attention_op *op)
{
    static const enum fit_dtype TYPES[] = {FIT_BF16};
    const struct problem *problem = prep->problem;
    const struct mixer *mixer = op->mixer;
    struct fit_query query = {FIT_DELTA_DECODE, TYPES, (int)ARRAY_LEN(TYPES), true};
    struct roof state = make_roof(prep, &query, half_type(problem->hw));
    if (state.fit != NULL)
        op->decode_roof = add_roof(prep, state);
    op->state_fit_bytes =
        mixer->state_elements * problem->model->state_bytes_per_element / prep->ranks.tp;
    if (mixer->conv_kernel > 1.0)
        op->conv_row_bytes = CONV_PASSES * ACTIVATION_BYTES * mixer->conv_elements /
                             (mixer->conv_kernel - 1.0) / prep->ranks.tp;
    struct scan *scan = &op->scan;
    query.op = FIT_DELTA_PREFILL;
    scan->fit = find_fit(problem, &query, &scan->match);
    if (scan->fit == NULL)
        return;
    /* The scan is as long on another part of the family; the work of all heads goes with the peak.
     */
    double heads = mixer->state_elements / SCAN_STATE_ELEMENTS / prep->ranks.tp;
    double measured_peak = half_peak(&problem->lib->hardware[scan->fit->hardware]);
    double peak = half_peak(problem->hw) * prep->scale.compute;
    scan->us_per_token = scan->fit->us_per_token_of_longest;
    scan->us_per_row = scan->fit->us_per_token_head * heads;
    if (peak > 0.0 && measured_peak > 0.0)
        scan->us_per_row *= measured_peak / peak;
}

static bool same_attention(const struct attention_op *a, const struct attention_op *b)
{
    return a->decode_roof == b->decode_roof && a->prefill_roof == b->prefill_roof &&
           a->entry_bytes == b->entry_bytes && a->entry_flops == b->entry_flops &&
           a->pair_flops == b->pair_flops && a->index_bytes == b->index_bytes &&
           a->state_bytes == b->state_bytes && a->kv_write_bytes == b->kv_write_bytes &&
           a->mixer->kind == b->mixer->kind &&
           a->mixer->store_limit_tokens == b->mixer->store_limit_tokens &&
           a->mixer->read_limit_tokens == b->mixer->read_limit_tokens;
}

static void add_attention(struct prepared *prep, const struct mixer *mixer, double count)
{
    const struct problem *problem = prep->problem;
    const struct kv_format *kv = problem->dep.kv_cache;
    double share = mixer_cache_share(mixer, prep->ranks.tp);
    double ratio = mixer->tokens_per_entry > 0.0 ? mixer->tokens_per_entry : 1.0;
    struct attention_op op = {.mixer = mixer, .count = count};
    op.entry_bytes = mixer->read_per_entry * share * kv->bytes_per_element;
    op.io_bytes = mixer->io_elements_per_row / prep->ranks.tp * ACTIVATION_BYTES;
    op.entry_flops = mixer->flops_per_entry / prep->ranks.tp;
    op.pair_flops = op.prefill_pair_flops = mixer->prefill_flops_per_pair / prep->ranks.tp;
    op.prefill_io_bytes = op.io_bytes;
    op.decode_roof = op.prefill_roof = prep->half_roof;
    op.state_bytes = (mixer->state_elements * problem->model->state_bytes_per_element +
                      mixer->conv_elements * ACTIVATION_BYTES) /
                     prep->ranks.tp;
    op.state_flops = STATE_FLOPS_PER_ELEMENT * mixer->state_elements / prep->ranks.tp;
    /* Each token adds its part of a compressed entry, and a raw one where a window is kept beside.
     */
    double written = 1.0 / ratio + (mixer->window_side_tokens > 0.0 ? 1.0 : 0.0);
    op.module = mixer->kind == MIXER_MLA;
    prepare_index(prep, &op);
    op.kv_write_bytes =
        mixer->cached_per_token * share * written * kv->bytes_per_element + op.index_bytes;
    if (mixer->kind == MIXER_GATED_DELTA)
        prepare_delta(prep, &op);
    if (is_latent(mixer))
        prepare_latent_prefill(prep, &op);
    if (op.entry_flops > 0.0)
        attention_roofs(prep, mixer, &op);
    for (int i = 0; i < prep->n_attention; i++)
        if (same_attention(&prep->attention[i], &op)) {
            prep->attention[i].count += count;
            return;
        }
    if (prep->n_attention < ATTENTION_OPS_MAX)
        prep->attention[prep->n_attention++] = op;
    else
        prep->attention[ATTENTION_OPS_MAX - 1].count += count;
}

static void add_group(struct prepared *prep, const struct layer_group *group)
{
    double count = group->invocations / prep->ranks.pp;
    double ffn_width = 0.0;
    for (int i = 0; i < group->n_mixers; i++) {
        const struct mixer *mixer = &group->mixers[i];
        add_linears(prep, mixer->linears, mixer->n_linears, mixer, count);
        add_attention(prep, mixer, count);
    }
    for (int i = 0; i < group->n_ffns; i++) {
        const struct ffn *ffn = &group->ffns[i];
        add_linears(prep, ffn->linears, ffn->n_linears, NULL, count);
        if (ffn->kind == FFN_DENSE)
            ffn_width += ffn->width / prep->ranks.tp;
        else
            add_moe(prep, ffn, count);
    }
    double hidden = prep->problem->model->hidden;
    prep->layers += count;
    prep->elementwise_row_bytes +=
        count * (ELEMENTWISE_HIDDEN_BYTES * hidden + ELEMENTWISE_FFN_BYTES * ffn_width);
}

/* A collective whose own kernel nobody measured takes the all-reduce's fit, and says so. */
static struct link_fit find_link(const struct problem *problem, enum comm_op op, double devices)
{
    const struct deployment *dep = &problem->dep;
    struct link_fit link = {.fit = NULL};
    link.fit = library_comm_fit(problem->lib, problem->hw, dep->engine, op, devices,
                                dep->cuda_graphs, &link.match);
    if (link.fit == NULL && op != COMM_ALL_REDUCE) {
        link.fit = library_comm_fit(problem->lib, problem->hw, dep->engine, COMM_ALL_REDUCE,
                                    devices, dep->cuda_graphs, &link.match);
        if (link.fit != NULL && fit_match_is_weaker(FIT_OTHER_TYPE, link.match))
            link.match = FIT_OTHER_TYPE;
    }
    if (link.fit != NULL)
        link.bus_bytes_us =
            link.fit->bus_bytes_us * comm_fit_scale(problem->lib, link.fit, problem->hw);
    return link;
}

/* Which exchange carries tokens to experts: the input, else what the engine does by default. */
static bool exchange_is_all_to_all(const struct problem *problem)
{
    if (problem->dep.ep_backend != EP_BACKEND_AUTO)
        return problem->dep.ep_backend == EP_BACKEND_ALL_TO_ALL;
    return problem->dep.engine->memory_rule == MEMORY_TRTLLM;
}

static void prepare_exchange(struct prepared *prep)
{
    bool all_to_all = exchange_is_all_to_all(prep->problem);
    prep->exchanges = prep->moe_layers;
    prep->exchange_devices = prep->ranks.tp * prep->ranks.dp;
    prep->dispatch = find_link(prep->problem, all_to_all ? COMM_ALL_TO_ALL : COMM_ALL_GATHER,
                               prep->exchange_devices);
    prep->combine = find_link(prep->problem, all_to_all ? COMM_ALL_TO_ALL : COMM_REDUCE_SCATTER,
                              prep->exchange_devices);
}

static void prepare_links(struct prepared *prep)
{
    const struct problem *problem = prep->problem;
    if (prep->ranks.tp > 1.0) {
        /* One reduce behind the sharded embedding, one behind the routed experts of each MoE layer
         * when no shared expert's matrix has counted it already. */
        for (int i = 0; i < problem->model->n_groups; i++) {
            const struct layer_group *group = &problem->model->groups[i];
            for (int j = 0; j < group->n_ffns; j++) {
                const struct ffn *ffn = &group->ffns[j];
                if (ffn->kind == FFN_MOE && prep->ranks.dp == 1.0 && ffn->shared_width <= 0.0 &&
                    ffn->latent <= 0.0)
                    prep->reduces += group->invocations / prep->ranks.pp;
            }
        }
        prep->reduces += 1.0 / prep->ranks.pp;
        prep->reduce = find_link(problem, COMM_ALL_REDUCE, prep->ranks.tp);
    }
    if (prep->head_ranks * prep->ranks.tp > 1.0)
        prep->gather = find_link(problem, COMM_ALL_GATHER, prep->head_ranks * prep->ranks.tp);
    if (prep->ranks.dp > 1.0 && prep->moe_layers > 0.0)
        prepare_exchange(prep);
}

static void prepare_exchange_rows(struct prepared *prep)
{
    const struct model *model = prep->problem->model;
    double top_k = 0.0;
    for (int i = 0; i < model->n_groups; i++)
        for (int j = 0; j < model->groups[i].n_ffns; j++)
            if (model->groups[i].ffns[j].kind == FFN_MOE)
                top_k = fmax(top_k, model->groups[i].ffns[j].top_k);
    bool all_to_all = exchange_is_all_to_all(prep->problem);
    double copies = all_to_all ? top_k : prep->ranks.dp;
    prep->exchange_row_bytes = copies * model->hidden * ACTIVATION_BYTES;
    /* What stays on the device is not sent, and a rank gets one copy of a row however many of its
     * experts the row has. */
    double devices = fmax(prep->exchange_devices, 1.0);
    prep->exchange_sent = (devices - 1.0) / devices;
    if (all_to_all && top_k > devices)
        prep->exchange_sent *= devices / top_k;
}

static void prepare_head(struct prepared *prep)
{
    const struct problem *problem = prep->problem;
    const struct model *model = problem->model;
    double width = model->embedding_dim > 0.0 ? model->embedding_dim : model->hidden;
    double bytes = role_bytes(model, &problem->dep, ROLE_LM_HEAD);
    double share = 1.0 / prep->ranks.pp;
    double shards = local_is_engine(problem->dep.engine) ? 1.0 : head_shards(&problem->dep);
    double shard = model->vocab / shards;
    prep->head_ranks = shards / prep->ranks.tp;
    prep->head = make_gemm(prep, width, shard, bytes, share);
    prep->head.row_bytes = width * ACTIVATION_BYTES + shard * LOGIT_BYTES;
    prep->head_weight_bytes = prep->head.weight_bytes * share;
}

static void prepare_speculation(struct prepared *prep)
{
    const struct deployment *dep = &prep->problem->dep;
    prep->spec_rows = 1.0;
    prep->spec_gain = 1.0;
    if (dep->spec_method == SPEC_NONE || dep->spec_tokens < 1.0)
        return;
    double a = dep->spec_acceptance;
    prep->spec_rows = 1.0 + dep->spec_tokens;
    /* Expected tokens of a step with n drafts accepted one after the other with probability a:
     * 1 + a + a^2 + ... + a^n (Leviathan, Kalman, Matias 2023). */
    prep->spec_gain = a >= 1.0 ? prep->spec_rows : (1.0 - pow(a, prep->spec_rows)) / (1.0 - a);
}

double host_value(const struct prepared *prep, enum host_cost cost)
{
    double value = prep->problem->dep.engine->host[cost].value;
    bool share = cost == HOST_KAPPA || cost == HOST_MODULE_KAPPA || cost == HOST_NATIVE_FACTOR ||
                 cost == HOST_PREFILL_FACTOR || cost == HOST_FIRST_TOKEN_STEPS ||
                 cost == HOST_MODEL_CORRELATION;
    bool device = cost == HOST_SMALL_US_PER_LAYER || cost == HOST_GATING_US_PER_LAYER ||
                  cost == HOST_DISPATCH_US;
    return share || device ? value : value * prep->problem->dep.host_cpu_factor;
}

/* Weights that a server keeps in host memory cross the host's link in every step. */
static double host_weights_us(const struct problem *problem)
{
    const struct deployment *dep = &problem->dep;
    double link = problem->hw->host_bytes_us;
    if (!(dep->cpu_offload_bytes > 0.0) || link <= 0.0 || local_is_engine(dep->engine))
        return 0.0;
    return fmin(dep->cpu_offload_bytes, rank_weight_bytes(problem->model, dep)) / link;
}

void prepare(const struct problem *problem, const struct scale *scale,
             struct prepared *ret_prepared)
{
    struct prepared *prep = ret_prepared;
    const struct model *model = problem->model;
    memset(prep, 0, offsetof(struct prepared, gemms));
    prep->n_gemms = prep->n_moes = prep->n_attention = 0;
    memset(&prep->stream_roof, 0, sizeof(*prep) - offsetof(struct prepared, stream_roof));
    prep->problem = problem;
    prep->scale = scale != NULL ? *scale : (struct scale){1.0, 1.0, 1.0};
    prep->ranks = local_ranks(&problem->dep);
    prep->bw_bytes_us = problem->hw->bw_bytes_us * prep->scale.bandwidth;
    if (local_is_engine(problem->dep.engine))
        prep->local_peak_us = local_peak(problem->hw) * prep->scale.compute;
    prep->stream_roof = add_roof(prep, roof_assumed(prep->bw_bytes_us, 0.0));
    prep->half_roof = add_roof(
        prep, roof_assumed(prep->bw_bytes_us, half_peak(problem->hw) * prep->scale.compute));
    for (int i = 0; i < model->n_groups; i++)
        add_group(prep, &model->groups[i]);
    prep->norm_weight_bytes =
        (model->params_by_role[ROLE_NORM] * role_bytes(model, &problem->dep, ROLE_NORM) +
         model->params_by_role[ROLE_OTHER] * role_bytes(model, &problem->dep, ROLE_OTHER)) /
        prep->ranks.pp;
    prepare_head(prep);
    prepare_links(prep);
    prepare_exchange_rows(prep);
    prepare_speculation(prep);
    if (problem->dep.batch_invariant)
        for (int i = 0; i < prep->n_roofs; i++) {
            prep->roofs[i].fit_us_per_byte *= BATCH_INVARIANT_FACTOR;
            prep->roofs[i].fit_us_per_flop *= BATCH_INVARIANT_FACTOR;
            prep->roofs[i].t0_us *= BATCH_INVARIANT_FACTOR;
        }
    prep->kv_bytes_per_token = rank_kv_bytes_per_token(model, &problem->dep, false);
    prep->kernels_per_layer = SMALL_KERNELS_PER_LAYER;
    prep->prefill_factor = host_value(prep, HOST_PREFILL_FACTOR);
    if (prep->prefill_factor <= 0.0)
        prep->prefill_factor = 1.0;
    for (int i = 0; i < prep->n_gemms; i++)
        prep->weight_gemm_bytes += prep->gemms[i].count * prep->gemms[i].weight_bytes;
    double linear_bytes = role_bytes(model, &problem->dep, ROLE_DENSE_FFN);
    enum dtype want = compute_type(problem, problem->dep.weights, linear_bytes), used;
    double peak = hardware_peak(problem->hw, want, &used) * prep->scale.compute;
    prep->ridge = prep->bw_bytes_us > 0.0 ? peak / prep->bw_bytes_us : 0.0;
    prep->emulated = used == want || want == DTYPE_BF16 ? DTYPE_COUNT : want;
    if (prep->n_gemms > 0)
        prep->gemm_fit = prep->roofs[prep->gemms[0].roof].fit;
    prep->host_weights_us = host_weights_us(problem);
    local_speed_find(problem, prep->scale.bandwidth, prep->scale.compute, &prep->local);
}
