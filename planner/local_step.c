#include "local_step.h"

#include <math.h>
#include <stddef.h>

#include "step.h"
#include "units.h"

/* Classes whose time the model gives; the kernels of the others are inside its fixed terms. */
static const enum class_id WEIGHTS[] = {CLASS_DENSE_GEMM, CLASS_LM_HEAD, CLASS_MOE_EXPERT_GEMM};

static const enum class_id CACHES[] = {CLASS_DECODE_ATTENTION, CLASS_SPARSE_INDEXER,
                                       CLASS_STATE_UPDATE};

static const enum class_id SCORES[] = {CLASS_PREFILL_ATTENTION, CLASS_SPARSE_INDEXER};

static const enum class_id CONTAINED[] = {CLASS_KV_WRITE, CLASS_COLLECTIVE};

/* What the devices of a layer split take, over one device's time: chunks of a prompt follow each
 * other, the first one through every device. */
struct split {
    double token; /* work by the token */
    double chunk; /* work by the chunk */
    double once;
};

/* One application of the model. */
struct local_step {
    const struct prepared *prep;
    const struct local_speed *speed;
    const struct local_fit *rests_on;
    struct split split;
    struct step *step;
};

/* How near a tier's measurements are, in the words of kernel fits. */
static enum fit_match match_of(enum local_tier tier)
{
    switch (tier) {
    case LOCAL_SAME_PART_FORMAT:
        return FIT_EXACT;
    case LOCAL_SAME_PART:
        return FIT_OTHER_TYPE;
    case LOCAL_SAME_FAMILY:
    case LOCAL_SAME_ENGINE:
        return FIT_OTHER_PART;
    case LOCAL_NONE:
    case LOCAL_TIER_COUNT:
        break;
    }
    return FIT_NONE;
}

/* What a class is given: memory and compute add up, as one kernel unpacks what it reads. */
static void set_time(const struct local_step *at, struct class_cost *cost, double memory_us,
                     double compute_us, double fixed_us)
{
    cost->memory_us = memory_us;
    cost->compute_us = compute_us;
    cost->fixed_us = fixed_us;
    cost->time_us = memory_us + compute_us + fixed_us;
    if (cost->flops > 0.0 || cost->bytes > 0.0)
        cost->bound = compute_us > memory_us ? BOUND_COMPUTE : BOUND_HBM;
    cost->basis = BASIS_CALIBRATED;
    cost->fit = NULL;
    cost->local = at->rests_on;
    cost->tier = at->speed->tier;
    cost->match = match_of(at->speed->tier);
}

static struct split find_split(const struct prepared *prep, enum phase phase,
                               const struct step *step)
{
    double p = prep->ranks.pp;
    if (p <= 1.0)
        return (struct split){1.0, 1.0, 1.0};
    if (phase == PHASE_DECODE) {
        double each = 1.0 / LAYER_SPLIT_DECODE;
        return (struct split){each, each, each};
    }
    double size = prep->problem->dep.chunked_prefill_tokens;
    double largest = size > 0.0 ? fmin(size, step->tokens) : step->tokens;
    double each = 1.0 / p / LAYER_SPLIT_PREFILL;
    return (struct split){.token = (1.0 + (p - 1.0) * largest / step->tokens) * each,
                          .chunk = (1.0 + (p - 1.0) / step->chunks) * each,
                          .once = 1.0 / LAYER_SPLIT_PREFILL};
}

/* Decode ----------------------------------------------------------------------------------------
 */

/* Bytes that one row reads of a class's weights: of routed experts its own. */
static double row_bytes(const struct prepared *prep, enum class_id id,
                        const struct class_cost *cost)
{
    if (id != CLASS_MOE_EXPERT_GEMM)
        return cost->weight_bytes;
    double bytes = 0.0;
    for (int i = 0; i < prep->n_moes; i++)
        bytes += prep->moes[i].count * prep->moes[i].fewest * prep->moes[i].expert_bytes;
    return bytes;
}

static void decode_weights(const struct local_step *at, double rows)
{
    const struct local_speed *speed = at->speed;
    double factor = at->split.once;
    for (size_t i = 0; i < ARRAY_LEN(WEIGHTS); i++) {
        struct class_cost *cost = &at->step->classes[WEIGHTS[i]];
        if (!cost->present)
            continue;
        double read = row_bytes(at->prep, WEIGHTS[i], cost);
        double compute = cost->flops / rows * speed->unpack_us_per_flop +
                         (fmin(rows, DECODE_ROWS_MAX) - 1.0) * read * speed->row_us_per_byte;
        set_time(at, cost, cost->weight_bytes * speed->us_per_weight_byte * factor,
                 compute * factor, 0.0);
    }
}

static void decode_caches(const struct local_step *at)
{
    double us_per_byte = at->speed->us_per_kv_byte * at->split.once;
    for (size_t i = 0; i < ARRAY_LEN(CACHES); i++) {
        struct class_cost *cost = &at->step->classes[CACHES[i]];
        if (cost->present)
            set_time(at, cost, cost->bytes * us_per_byte, 0.0, 0.0);
    }
}

/* Prefill ---------------------------------------------------------------------------------------
 */

/* Parameters that the matrices of the chunks touch, from the bytes that they read of them. */
static double touched_params(const struct prepared *prep, enum class_id id,
                             const struct class_cost *cost, double chunks)
{
    double params = 0.0, bytes = 0.0;
    if (id == CLASS_LM_HEAD)
        return 0.0; /* it meets one row */
    if (id == CLASS_MOE_EXPERT_GEMM) {
        for (int i = 0; i < prep->n_moes; i++) {
            params += prep->moes[i].count * prep->moes[i].row_flops / FLOPS_PER_MULTIPLY_ADD;
            bytes += prep->moes[i].count * prep->moes[i].expert_bytes;
        }
        return bytes > 0.0 ? cost->weight_bytes * params / bytes : 0.0;
    }
    for (int i = 0; i < prep->n_gemms; i++)
        params += prep->gemms[i].count * prep->gemms[i].row_flops / FLOPS_PER_MULTIPLY_ADD;
    return params * chunks;
}

static void prefill_weights(const struct local_step *at)
{
    const struct local_speed *speed = at->speed;
    for (size_t i = 0; i < ARRAY_LEN(WEIGHTS); i++) {
        struct class_cost *cost = &at->step->classes[WEIGHTS[i]];
        if (!cost->present)
            continue;
        bool once = WEIGHTS[i] == CLASS_LM_HEAD;
        double by_token = once ? at->split.once : at->split.token;
        double by_chunk = once ? at->split.once : at->split.chunk;
        double params = touched_params(at->prep, WEIGHTS[i], cost, at->step->chunks);
        double compute = cost->flops * speed->us_per_flop * by_token +
                         params * speed->us_per_pad_param * by_chunk;
        set_time(at, cost, cost->weight_bytes * speed->us_per_read_byte * by_chunk, compute, 0.0);
    }
}

double local_pair_bytes(const struct prepared *prep, double from, double to)
{
    double bytes = 0.0;
    for (int i = 0; i < prep->n_attention; i++) {
        const struct attention_op *op = &prep->attention[i];
        if (op->entry_bytes > 0.0)
            bytes += op->count * op->entry_bytes * mixer_pairs(op->mixer, from, to);
    }
    return bytes;
}

static void prefill_mixers(const struct local_step *at)
{
    struct step *step = at->step;
    double us_per_flop = at->speed->us_per_attention_flop * at->split.token;
    double from = step->context_tokens - step->tokens;
    double read = local_pair_bytes(at->prep, from, step->context_tokens) *
                  at->speed->us_per_pair_byte * at->split.token;
    for (size_t i = 0; i < ARRAY_LEN(SCORES); i++) {
        struct class_cost *cost = &step->classes[SCORES[i]];
        bool reads = SCORES[i] == CLASS_PREFILL_ATTENTION;
        if (cost->present)
            set_time(at, cost, reads ? read : 0.0, cost->flops * us_per_flop, 0.0);
    }
    struct class_cost *state = &step->classes[CLASS_STATE_UPDATE];
    double us = step->tokens * at->prep->layers * at->speed->token_layer_us * at->split.token;
    if (state->present)
        set_time(at, state, 0.0, us, 0.0);
}

/* Both ------------------------------------------------------------------------------------------
 */

/* The fixed terms, and what is contained in them: launches always, sampling where the engine's
 * benchmarks sample. */
static void fixed_terms(const struct local_step *at, double layers_us, double moe_us,
                        double step_us)
{
    struct class_cost *classes = at->step->classes;
    if (classes[CLASS_MOE_GATING].present)
        set_time(at, &classes[CLASS_MOE_GATING], 0.0, 0.0, moe_us);
    set_time(at, &classes[CLASS_NORM_ELEMENTWISE], 0.0, 0.0, layers_us);
    for (size_t i = 0; i < ARRAY_LEN(CONTAINED); i++)
        if (classes[CONTAINED[i]].present)
            set_time(at, &classes[CONTAINED[i]], 0.0, 0.0, 0.0);
    classes[CLASS_KERNEL_LAUNCH] = (struct class_cost){.present = false};
    if (at->speed->samples_inside)
        classes[CLASS_SAMPLING] = (struct class_cost){.present = false};
    /* Measured end to end: no overlap hides it. */
    struct class_cost *scheduler = &classes[CLASS_SCHEDULER];
    *scheduler = (struct class_cost){.present = true, .bound = CLASSES[CLASS_SCHEDULER].info.bound};
    set_time(at, scheduler, 0.0, 0.0, step_us);
    scheduler->serial_us = step_us;
}

/* Host work of a layer split is done once, not by every device. */
static void share_host(const struct local_step *at)
{
    double devices = at->prep->ranks.pp;
    for (int i = 0; i < CLASS_COUNT; i++) {
        struct class_cost *cost = &at->step->classes[i];
        if (CLASSES[i].info.pass != PASS_HOST || !cost->present)
            continue;
        cost->time_us /= devices;
        cost->floor_us /= devices;
        cost->memory_us /= devices;
        cost->fixed_us /= devices;
        cost->serial_us /= devices;
    }
}

/* Lifts what is under its floor and takes it from the fixed terms. */
static void settle(const struct local_step *at)
{
    double lifted = 0.0;
    for (int i = 0; i < CLASS_COUNT; i++) {
        struct class_cost *cost = &at->step->classes[i];
        if (CLASSES[i].info.pass == PASS_HOST || !cost->present)
            continue;
        if (i != CLASS_LM_HEAD)
            cost->floor_us *= fmin(at->split.chunk, 1.0);
        double lack = cost->floor_us - cost->time_us;
        if (lack <= 0.0)
            continue;
        *(cost->compute_us > cost->memory_us ? &cost->compute_us : &cost->memory_us) += lack;
        cost->time_us = cost->floor_us;
        lifted += lack;
    }
    struct class_cost *rest = &at->step->classes[CLASS_NORM_ELEMENTWISE];
    double taken = fmin(lifted, fmax(rest->time_us - rest->floor_us, 0.0));
    rest->time_us -= taken;
    rest->fixed_us = fmax(rest->fixed_us - taken, 0.0);
    at->step->clamped = false;
}

/* An engine's own benchmark runs no server and samples nothing on the host; what MLX's samples is
 * in its constants. */
static void drop_server(struct step *step)
{
    static const enum class_id SERVER[] = {
        CLASS_SAMPLING,       CLASS_PROCESSORS_DEVICE, CLASS_PROCESSORS_HOST, CLASS_HOST_SAMPLING,
        CLASS_DETOKENIZATION, CLASS_STRUCTURED_OUTPUT, CLASS_SERVER_LOOP,     CLASS_TOKENIZATION};

    for (size_t i = 0; i < ARRAY_LEN(SERVER); i++)
        step->classes[SERVER[i]] = (struct class_cost){.present = false};
}

static void apply_decode(const struct local_step *at, double rows)
{
    const struct local_speed *speed = at->speed;
    decode_weights(at, fmax(rows, 1.0));
    decode_caches(at);
    fixed_terms(at, speed->layer_us * at->prep->layers * at->split.once,
                speed->moe_layer_us * at->prep->moe_layers * at->split.once, speed->step_us);
}

static void apply_prefill(const struct local_step *at)
{
    double layers = at->prep->layers * at->step->chunks;
    prefill_weights(at);
    prefill_mixers(at);
    fixed_terms(at, at->speed->chunk_layer_us * layers * at->split.chunk, 0.0,
                at->speed->prompt_us);
}

void local_apply(const struct prepared *prep, const struct shape *shape, struct step *step)
{
    const struct local_speed *speed = &prep->local;
    if (speed->is_local && prep->problem->load.load_generator == LOAD_ENGINE_BENCH)
        drop_server(step);
    if (speed->tier == LOCAL_NONE)
        return;
    bool decodes = shape->phase == PHASE_DECODE;
    struct local_step at = {.prep = prep, .speed = speed, .step = step};
    at.rests_on = decodes ? speed->weights : speed->prefill;
    at.split = find_split(prep, shape->phase, step);
    if (decodes)
        apply_decode(&at, shape->rows);
    else
        apply_prefill(&at);
    share_host(&at);
    settle(&at);
}

/* Prepares a problem as its engine's benchmark runs it. */
static void prepare_bench(const struct problem *problem, struct problem *bench,
                          struct prepared *prep)
{
    *bench = *problem;
    bench->load.load_generator = LOAD_ENGINE_BENCH;
    prepare(bench, NULL, prep);
}

double local_decode_us(const struct problem *problem, double batch, double depth, double generated)
{
    struct problem bench;
    struct prepared prep;
    struct step step;
    prepare_bench(problem, &bench, &prep);
    step_decode(&prep, batch, depth + generated / 2.0, &step);
    return prep.local.tier == LOCAL_NONE ? (double)NAN : step.expected_us;
}

double local_prefill_us(const struct problem *problem, double tokens, double depth)
{
    struct problem bench;
    struct prepared prep;
    struct step step;
    prepare_bench(problem, &bench, &prep);
    step_prefill(&prep, tokens, depth, &step);
    return prep.local.tier == LOCAL_NONE ? (double)NAN : step.expected_us;
}
