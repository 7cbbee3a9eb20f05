#include "costs.h"

#include <math.h>

#include "load.h"

/* Passes over the fp32 logits of a row. A greedy pick reads them once and the softmax behind a
 * temperature once more: 311 us at 256 rows of 128,256 on an RTX 4090 are 2.4 passes. */
#define SAMPLER_PASSES 2.0
/* The sampler's kernels at one row, 25 us on the same profile: they do not shrink. */
#define SAMPLER_FIXED_US 25.0
#define SAMPLER_KERNELS 4.0
#define GATING_KERNELS 4.0
/* The causal convolution before a state update, at any batch of a decode step: about 2 us, measured
 * beside the delta-net kernels. */
#define CONVOLUTION_US 2.0

/* gdn-scan-max4: a 4-norm joins the scan along a sequence and the work of all tokens. */
#define SCAN_NORM 4.0

/* A score of the indexer. */
#define SCORE_BYTES 4.0

/* Without a fused kernel the scores of every query, head and key are written, read, and written and
 * read again as probabilities: four passes of 2 bytes. */
#define UNFUSED_SCORE_BYTES 8.0

static double score_bytes(const struct prepared *prep, const struct mixer *mixer, double pairs)
{
    if (prep->problem->dep.flash_attention)
        return 0.0;
    return pairs * mixer->n_heads / prep->ranks.tp * UNFUSED_SCORE_BYTES;
}

struct processor_passes {
    unsigned bit;
    double passes; /* full-width fp32 passes over [B, V] */
};

/* min_p: softmax, max, compare, mask, renormalise. Penalties: gather, two updates. Top-p: sort,
 * scan, scatter. */
static const struct processor_passes PASSES[] = {
    {PROCESSOR_PENALTIES, 3.0}, {PROCESSOR_MIN_P, 5.0},      {PROCESSOR_TOP_P, 4.0},
    {PROCESSOR_TOP_K, 2.0},     {PROCESSOR_LOGIT_BIAS, 1.0}, {PROCESSOR_MIN_TOKENS, 1.0},
    {PROCESSOR_BAD_WORDS, 1.0},
};

/* Adds one kernel, run `count` times, to a class: what it moves and multiplies, and its times. */
static void add_timed(const struct roof *roof, const struct roof_time *time, double count,
                      double bytes, double flops, double kappa, struct class_cost *cost)
{
    double fixed = kappa * roof->t0_us;
    cost->bytes += count * bytes;
    cost->flops += count * flops;
    cost->launches += count;
    cost->floor_us += count * time->floor_us;
    cost->time_us += count * (time->time_us + fixed);
    cost->fixed_us += count * fixed;
    cost->memory_us += count * time->memory_us;
    cost->compute_us += count * time->compute_us;
    if (roof->fit == NULL) {
        cost->basis = BASIS_ASSUMED;
    } else if (cost->fit == NULL || fit_match_is_weaker(roof->match, cost->match)) {
        cost->fit = roof->fit;
        cost->match = roof->match;
    }
}

/* The same where `bytes` are reported and bound the floor and `extra` are activations that only the
 * fit knows of. */
static void add_kernel(const struct prepared *prep, int roof_index, double count, double bytes,
                       double extra, double flops, double kappa, struct class_cost *cost)
{
    const struct roof *roof = &prep->roofs[roof_index];
    struct roof_time time = roof_eval(roof, bytes, bytes + extra, flops);
    add_timed(roof, &time, count, bytes, flops, kappa, cost);
}

/* The roof of the fit decides the class's basis: calibrated unless one of its kernels had none. */
static void begin(struct class_cost *cost)
{
    cost->present = true;
    cost->basis = BASIS_CALIBRATED;
}

void cost_dense_gemm(const struct prepared *prep, const struct shape *shape,
                     struct class_cost *cost)
{
    begin(cost);
    for (int i = 0; i < prep->n_gemms; i++) {
        const struct gemm_op *op = &prep->gemms[i];
        double kappa = op->module ? shape->module_kappa : shape->kappa;
        bool decode = shape->phase == PHASE_DECODE;
        double reread = decode ? op->weight_bytes * (op->decode_reread - 1.0) : 0.0;
        add_kernel(prep, decode ? op->decode_roof : op->roof, op->count,
                   op->weight_bytes + shape->rows * op->row_bytes, reread,
                   shape->rows * op->row_flops, kappa, cost);
        cost->weight_bytes += op->count * op->weight_bytes;
    }
    cost->present = prep->n_gemms > 0;
}

void cost_lm_head(const struct prepared *prep, const struct shape *shape, struct class_cost *cost)
{
    begin(cost);
    const struct gemm_op *op = &prep->head;
    double rows = shape->head_rows * prep->head_ranks;
    add_kernel(prep, op->roof, op->count, op->weight_bytes + rows * op->row_bytes, 0.0,
               rows * op->row_flops, shape->kappa, cost);
    cost->weight_bytes += op->count * op->weight_bytes;
}

/* Prefill: the head meets the last token of the prompt alone. */
void cost_lm_head_last(const struct prepared *prep, const struct shape *shape,
                       struct class_cost *cost)
{
    if (shape->head_rows <= 0.0)
        return;
    struct shape last = *shape;
    last.head_rows = 1.0;
    cost_lm_head(prep, &last, cost);
    cost->bytes *= shape->head_rows;
    cost->weight_bytes *= shape->head_rows;
    cost->flops *= shape->head_rows;
    cost->floor_us *= shape->head_rows;
    cost->time_us *= shape->head_rows;
    cost->fixed_us *= shape->head_rows;
    cost->memory_us *= shape->head_rows;
    cost->compute_us *= shape->head_rows;
    cost->launches *= shape->head_rows;
}

/* Distinct experts of a layer under uniform routing: E (1 - (1 - k/E)^T), on this rank. */
static double experts_touched(const struct moe_op *op, double tokens)
{
    double touched = op->experts * (1.0 - pow(op->miss, tokens));
    return fmin(touched, op->experts);
}

/* What the busiest of n ranks has beyond the mean: of n Gaussian variables the expected greatest is
 * at most sigma sqrt(2 ln n) above it. A layer ends when its last rank does. */
static double beyond_mean(double variance, double ranks)
{
    return ranks > 1.0 && variance > 0.0 ? sqrt(2.0 * log(ranks) * variance) : 0.0;
}

void cost_moe_expert_gemm(const struct prepared *prep, const struct shape *shape,
                          struct class_cost *cost)
{
    begin(cost);
    for (int i = 0; i < prep->n_moes; i++) {
        const struct moe_op *op = &prep->moes[i];
        const struct roof *roof = &prep->roofs[op->roof];
        double rows = shape->moe_tokens * op->rows_share;
        double touched = experts_touched(op, shape->moe_tokens);
        double weights = touched * op->expert_bytes;
        double flops = rows * op->row_flops;
        /* Each expert of a rank is met or not, each routed row comes to it or not. */
        double ranks = prep->ranks.ep;
        double busiest = touched + beyond_mean(touched * (1.0 - touched / op->experts), ranks);
        double busy_rows = rows + beyond_mean(rows * (1.0 - 1.0 / ranks), ranks);
        struct roof_time time = roof_eval(
            roof, 0.0,
            fmin(busiest, op->experts) * op->expert_bytes * op->padding + rows * op->row_bytes,
            busy_rows * op->row_flops * op->padding * op->imbalance);
        /* The floor knows only that k experts must be read: all rows may agree on them. */
        struct roof_time least =
            roof_eval(roof, fmin(op->fewest, op->experts) * op->expert_bytes, 0.0, flops);
        time.floor_us = least.floor_us;
        add_timed(roof, &time, op->count, weights, flops, shape->module_kappa, cost);
        cost->weight_bytes += op->count * weights;
    }
    cost->present = prep->n_moes > 0;
}

void cost_moe_gating(const struct prepared *prep, const struct shape *shape,
                     struct class_cost *cost)
{
    if (prep->moe_layers <= 0.0)
        return;
    begin(cost);
    const struct gemm_op *router = &prep->router;
    add_kernel(prep, router->roof, router->count,
               router->weight_bytes + shape->rows * router->row_bytes, 0.0,
               shape->rows * router->row_flops, shape->kappa, cost);
    double routed = 0.0;
    for (int i = 0; i < prep->n_moes; i++)
        if (prep->roofs[prep->moes[i].roof].fit == NULL)
            routed += prep->moes[i].count * prep->moes[i].rows_share;
    /* Each routed copy of a row, from every attention-DP rank, is gathered once and scattered once;
     * a fit of the experts has measured that with them. */
    double permute =
        2.0 * routed * shape->moe_tokens * prep->problem->model->hidden * ACTIVATION_BYTES;
    add_kernel(prep, prep->stream_roof, 1.0, permute, 0.0, 0.0, 0.0, cost);
    double fixed = host_value(prep, HOST_GATING_US_PER_LAYER) * prep->moe_layers;
    cost->time_us += fixed;
    cost->fixed_us += fixed;
    cost->launches = GATING_KERNELS * prep->moe_layers;
    cost->weight_bytes = router->count * router->weight_bytes;
    cost->basis = BASIS_ASSUMED;
}

void cost_decode_attention(const struct prepared *prep, const struct shape *shape,
                           struct class_cost *cost)
{
    begin(cost);
    const struct problem *problem = prep->problem;
    double prefix = problem->dep.shared_prefix_kernel ? load_reused_tokens(problem) : 0.0;
    bool any = false;
    for (int i = 0; i < prep->n_attention; i++) {
        const struct attention_op *op = &prep->attention[i];
        if (op->entry_bytes <= 0.0)
            continue;
        any = true;
        double entries = mixer_entries_read(op->mixer, shape->context_tokens);
        double reads = shape->sequences * entries;
        if (prefix > 0.0 && shape->sequences > 1.0 && op->mixer->kind != MIXER_CROSS)
            /* One read of the shared prefix serves the whole batch. */
            reads -=
                (shape->sequences - 1.0) * fmin(mixer_entries_read(op->mixer, prefix), entries);
        double bytes = reads * op->entry_bytes;
        double extra =
            shape->rows * op->io_bytes + score_bytes(prep, op->mixer, shape->rows * entries);
        add_kernel(prep, op->decode_roof, op->count, bytes, extra,
                   shape->rows * entries * op->entry_flops,
                   op->module ? shape->module_kappa : shape->kappa, cost);
    }
    cost->present = any;
}

static double within_chunks(double position, double chunk)
{
    double whole = floor(position / chunk);
    double rest = position - whole * chunk;
    return whole * chunk * chunk / 2.0 + rest * rest / 2.0;
}

/* Pairs when each query sees at most `limit` earlier keys. */
static double limited_pairs(double from, double to, double limit)
{
    double grow_end = fmin(to, limit);
    double pairs = 0.0;
    if (grow_end > from)
        pairs += (grow_end * grow_end - from * from) / 2.0;
    double flat_start = fmax(from, limit);
    if (to > flat_start)
        pairs += (to - flat_start) * limit;
    return pairs;
}

double mixer_pairs(const struct mixer *mixer, double from, double to)
{
    if (mixer->kind == MIXER_CROSS)
        return (to - from) * mixer->image_tokens;
    if (mixer->kind == MIXER_CHUNKED && mixer->window_tokens > 0.0)
        return within_chunks(to, mixer->window_tokens) - within_chunks(from, mixer->window_tokens);
    double ratio = mixer->tokens_per_entry > 0.0 ? mixer->tokens_per_entry : 1.0;
    double limit = INFINITY;
    if (mixer->store_limit_tokens > 0.0)
        limit = mixer->store_limit_tokens;
    if (mixer->read_limit_tokens > 0.0)
        limit = fmin(limit, mixer->read_limit_tokens * ratio);
    double pairs = limited_pairs(from, to, limit) / ratio;
    if (mixer->window_side_tokens > 0.0)
        pairs += limited_pairs(from, to, mixer->window_side_tokens);
    return pairs;
}

/* Entries that a chunk reads: those before it and its own. A window adds its tail to the chunk. */
static double chunk_entries(const struct mixer *mixer, double reach, double chunk)
{
    if (mixer->kind == MIXER_CROSS)
        return mixer->image_tokens;
    double kept = reach, side = 0.0;
    if (mixer->store_limit_tokens > 0.0)
        kept = fmin(reach, mixer->store_limit_tokens + chunk);
    if (mixer->window_side_tokens > 0.0)
        side = fmin(reach, mixer->window_side_tokens + chunk);
    double ratio = mixer->tokens_per_entry > 0.0 ? mixer->tokens_per_entry : 1.0;
    return kept / ratio + side;
}

/* A chunk over latents makes the keys and values of the tokens before it again, and reads them:
 * time that another kernel would save, in no floor. */
static void add_expansion(const struct prepared *prep, const struct attention_op *op, double cached,
                          struct class_cost *cost)
{
    const struct gemm_op *gemm = &op->expansion;
    if (gemm->count <= 0.0 || cached <= 0.0)
        return;
    const struct roof *roof = &prep->roofs[gemm->roof];
    struct roof_time time = roof_eval(roof, 0.0, gemm->weight_bytes + cached * gemm->row_bytes,
                                      cached * gemm->row_flops);
    time.floor_us = 0.0;
    add_timed(roof, &time, op->count, 0.0, 0.0, 1.0, cost);
}

/* The attention of one chunk, of `pairs`, after `cached` tokens of its prompt. */
static void add_chunk_attention(const struct prepared *prep, const struct shape *shape,
                                const struct attention_op *op, double pairs, double cached,
                                struct class_cost *cost)
{
    const struct roof *roof = &prep->roofs[op->prefill_roof];
    double bytes = chunk_entries(op->mixer, cached + shape->chunk_tokens, shape->chunk_tokens) *
                   op->entry_bytes;
    double extra = shape->chunk_tokens * op->prefill_io_bytes + cached * op->expanded_bytes +
                   pairs * op->gather_bytes + score_bytes(prep, op->mixer, pairs);
    struct roof_time time = roof_eval(roof, 0.0, bytes + extra, pairs * op->prefill_pair_flops);
    struct roof_time least = roof_eval(roof, bytes, 0.0, pairs * op->pair_flops);
    time.floor_us = least.floor_us;
    add_timed(roof, &time, op->count, bytes, pairs * op->pair_flops, shape->kappa, cost);
    add_expansion(prep, op, cached, cost);
}

void cost_prefill_attention(const struct prepared *prep, const struct shape *shape,
                            struct class_cost *cost)
{
    begin(cost);
    bool any = false;
    double end = shape->cached_tokens + shape->chunks * shape->chunk_tokens;
    for (int i = 0; i < prep->n_attention; i++) {
        const struct attention_op *op = &prep->attention[i];
        if (op->pair_flops <= 0.0)
            continue;
        any = true;
        double pairs = mixer_pairs(op->mixer, shape->cached_tokens, end) / shape->chunks;
        /* Each chunk reads the KV before it and its own: on average that of the middle chunk. */
        double cached = shape->cached_tokens + (shape->chunks - 1.0) / 2.0 * shape->chunk_tokens;
        add_chunk_attention(prep, shape, op, pairs, cached, cost);
    }
    cost->present = any;
}

void cost_sparse_indexer(const struct prepared *prep, const struct shape *shape,
                         struct class_cost *cost)
{
    double keys = shape->context_tokens, scored = shape->rows * shape->context_tokens;
    double readers = shape->sequences;
    if (shape->phase == PHASE_PREFILL) {
        double end = shape->cached_tokens + shape->chunks * shape->chunk_tokens;
        keys = shape->cached_tokens + (shape->chunks + 1.0) / 2.0 * shape->chunk_tokens;
        scored = (end * end - shape->cached_tokens * shape->cached_tokens) / 2.0 / shape->chunks;
        readers = 1.0;
    }
    for (int i = 0; i < prep->n_attention; i++) {
        const struct attention_op *op = &prep->attention[i];
        if (op->index_bytes <= 0.0)
            continue;
        begin(cost);
        /* Scores leave as fp32 for the top-k. */
        add_kernel(prep, op->index_roof, op->count, readers * keys * op->index_bytes,
                   scored * SCORE_BYTES, scored * op->index_flops, 1.0, cost);
    }
}

void cost_kv_write(const struct prepared *prep, const struct shape *shape, struct class_cost *cost)
{
    double per_token = 0.0;
    for (int i = 0; i < prep->n_attention; i++)
        per_token += prep->attention[i].count * prep->attention[i].kv_write_bytes;
    if (per_token <= 0.0)
        return;
    begin(cost);
    add_kernel(prep, prep->stream_roof, 1.0, shape->rows * per_token, 0.0, 0.0, 0.0, cost);
    cost->launches = 0.0; /* written by the rotary kernel, counted there */
}

/* A decode step's state, read and written by each sequence. */
static void add_state(const struct prepared *prep, const struct shape *shape,
                      const struct attention_op *op, struct class_cost *cost)
{
    const struct roof *roof = &prep->roofs[op->decode_roof];
    double bytes = 2.0 * shape->sequences * op->state_bytes;
    double flops = shape->rows * op->state_flops;
    double counted = roof->fit != NULL ? 2.0 * shape->sequences * op->state_fit_bytes : bytes;
    struct roof_time time = roof_eval(roof, bytes, counted, flops);
    add_timed(roof, &time, op->count, bytes, flops, shape->kappa, cost);
    if (roof->fit == NULL)
        return;
    double convolution = op->count * shape->kappa * CONVOLUTION_US;
    cost->time_us += convolution;
    cost->fixed_us += convolution;
    cost->launches += op->count;
}

/* A prompt's: the state once, a scan along the chunk, the convolution of its rows. */
static void add_scan(const struct prepared *prep, const struct shape *shape,
                     const struct attention_op *op, struct class_cost *cost)
{
    const struct scan *scan = &op->scan;
    struct roof roof = prep->roofs[prep->half_roof];
    double bytes = 2.0 * op->state_bytes, flops = shape->rows * op->state_flops;
    struct roof_time time = roof_eval(&roof, bytes, bytes, flops);
    if (scan->fit != NULL) {
        double along = scan->us_per_token * shape->chunk_tokens;
        double across = scan->us_per_row * shape->rows;
        bool sum = scan->fit->form == FIT_FORM_SCAN_SUM;
        double convolution =
            shape->rows * op->conv_row_bytes * prep->roofs[prep->stream_roof].fit_us_per_byte;
        time.compute_us = smooth_max(along, across, sum ? 1.0 : SCAN_NORM);
        time.time_us = time.compute_us + convolution;
        roof.t0_us = scan->fit->t0_us;
        roof.fit = scan->fit;
        roof.match = scan->match;
    }
    add_timed(&roof, &time, op->count, bytes, flops, shape->kappa, cost);
}

void cost_state_update(const struct prepared *prep, const struct shape *shape,
                       struct class_cost *cost)
{
    for (int i = 0; i < prep->n_attention; i++) {
        const struct attention_op *op = &prep->attention[i];
        if (op->state_bytes <= 0.0)
            continue;
        begin(cost);
        if (shape->phase == PHASE_DECODE)
            add_state(prep, shape, op, cost);
        else
            add_scan(prep, shape, op, cost);
    }
}

void cost_norm_elementwise(const struct prepared *prep, const struct shape *shape,
                           struct class_cost *cost)
{
    begin(cost);
    const struct model *model = prep->problem->model;
    double gathered = shape->rows * model->hidden * ACTIVATION_BYTES;
    double passes = shape->rows * prep->elementwise_row_bytes;
    double weights = prep->norm_weight_bytes + gathered / prep->ranks.pp;
    const struct roof *roof = &prep->roofs[prep->stream_roof];
    struct roof_time time = roof_eval(roof, weights, weights + passes, 0.0);
    double fixed = host_value(prep, HOST_SMALL_US_PER_LAYER) * prep->layers;
    cost->bytes = weights + passes;
    cost->weight_bytes = prep->norm_weight_bytes;
    /* A fully fused engine keeps every pass on chip: the floor has only what must be read. */
    cost->floor_us = time.floor_us;
    cost->time_us = time.time_us + fixed;
    cost->fixed_us = fixed;
    cost->memory_us = time.memory_us;
    cost->launches = prep->kernels_per_layer * prep->layers;
    cost->basis = BASIS_ASSUMED;
}

void cost_sampling(const struct prepared *prep, const struct shape *shape, struct class_cost *cost)
{
    if (prep->problem->dep.sampler == SAMPLER_HOST)
        return;
    begin(cost);
    double logits = shape->head_rows * prep->problem->model->vocab * LOGIT_BYTES / prep->ranks.pp;
    add_kernel(prep, prep->stream_roof, 1.0, SAMPLER_PASSES * logits, 0.0, 0.0, 0.0, cost);
    /* One pass is what must be read. */
    cost->floor_us /= SAMPLER_PASSES;
    double fixed = SAMPLER_FIXED_US / prep->ranks.pp;
    cost->time_us += fixed;
    cost->fixed_us += fixed;
    cost->launches = SAMPLER_KERNELS;
}

void cost_processors_device(const struct prepared *prep, const struct shape *shape,
                            struct class_cost *cost)
{
    const struct deployment *dep = &prep->problem->dep;
    double passes = 0.0, kernels = 0.0;
    if (dep->sampler == SAMPLER_HOST)
        return;
    for (size_t i = 0; i < ARRAY_LEN(PASSES); i++)
        if (dep->logit_processors & PASSES[i].bit) {
            passes += PASSES[i].passes;
            kernels += PASSES[i].passes;
        }
    if (dep->structured_output) {
        /* The mask is a bit per entry, applied in one pass. */
        passes += 1.0 + 1.0 / 32.0;
        kernels += 1.0;
    }
    if (passes <= 0.0)
        return;
    begin(cost);
    double logits = shape->head_rows * prep->problem->model->vocab * LOGIT_BYTES / prep->ranks.pp;
    add_kernel(prep, prep->stream_roof, 1.0, passes * logits, 0.0, 0.0, 0.0, cost);
    cost->launches = kernels;
}

/* Share of the target's layers that a draft pass reads, by method: EAGLE and MTP heads are one
 * layer and the LM head; a draft model is taken as a twentieth of its target; n-grams cost nothing
 * here. */
static double draft_layers(const struct prepared *prep)
{
    switch (prep->problem->dep.spec_method) {
    case SPEC_EAGLE:
    case SPEC_EAGLE3:
    case SPEC_MTP:
        return 1.0;
    case SPEC_MEDUSA:
        return 0.5;
    case SPEC_DRAFT_MODEL:
        return prep->problem->model->n_layers / 20.0;
    case SPEC_NONE:
    case SPEC_NGRAM:
        break;
    }
    return 0.0;
}

void cost_speculative_draft(const struct prepared *prep, const struct shape *shape,
                            struct class_cost *cost)
{
    double layers = draft_layers(prep);
    double n = prep->problem->dep.spec_tokens;
    if (layers <= 0.0 || n < 1.0)
        return;
    begin(cost);
    struct class_cost body = {0};
    struct shape one = *shape;
    one.rows = shape->sequences;
    one.moe_tokens = shape->sequences * prep->ranks.dp;
    one.head_rows = shape->sequences;
    cost_dense_gemm(prep, &one, &body);
    cost_moe_expert_gemm(prep, &one, &body);
    double share = n * layers / fmax(prep->problem->model->n_layers, 1.0);
    struct class_cost head = {0};
    cost_lm_head(prep, &one, &head);
    cost->bytes = share * body.bytes + n * head.bytes;
    cost->flops = share * body.flops + n * head.flops;
    cost->floor_us = share * body.floor_us + n * head.floor_us;
    cost->time_us = share * body.time_us + n * head.time_us;
    cost->fixed_us = share * body.fixed_us + n * head.fixed_us;
    cost->memory_us = share * body.memory_us + n * head.memory_us;
    cost->compute_us = share * body.compute_us + n * head.compute_us;
    cost->launches = share * body.launches + n * head.launches;
    cost->weight_bytes = share * body.weight_bytes + n * head.weight_bytes;
    cost->basis = BASIS_ASSUMED;
}
