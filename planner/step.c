#include "step.h"

#include <math.h>
#include <string.h>

#define TIE 0.02
/* A class that is short of a fit makes the step's figure unknown only when it carries real work. */
#define MATTERS_SHARE 0.02

/* Classes whose time must rest on a record before a step is called predicted. */
static bool needs_record(enum class_id id)
{
    return id == CLASS_DENSE_GEMM || id == CLASS_LM_HEAD || id == CLASS_MOE_EXPERT_GEMM ||
           id == CLASS_DECODE_ATTENTION || id == CLASS_PREFILL_ATTENTION || id == CLASS_COLLECTIVE;
}

static void scale_cost(struct class_cost *cost, double factor)
{
    cost->bytes *= factor;
    cost->weight_bytes *= factor;
    cost->flops *= factor;
    cost->link_bytes *= factor;
    cost->host_bytes *= factor;
    cost->launches *= factor;
    cost->floor_us *= factor;
    cost->time_us *= factor;
    cost->fixed_us *= factor;
    cost->memory_us *= factor;
    cost->compute_us *= factor;
}

static void add_cost(struct class_cost *sum, const struct class_cost *cost)
{
    struct class_cost before = *sum;
    *sum = *cost;
    sum->bytes += before.bytes;
    sum->weight_bytes += before.weight_bytes;
    sum->flops += before.flops;
    sum->link_bytes += before.link_bytes;
    sum->host_bytes += before.host_bytes;
    sum->launches += before.launches;
    sum->floor_us += before.floor_us;
    sum->time_us += before.time_us;
    sum->fixed_us += before.fixed_us;
    sum->memory_us += before.memory_us;
    sum->compute_us += before.compute_us;
    if (before.present && before.basis > sum->basis)
        sum->basis = before.basis;
}

/* Evaluates one class into a zeroed cost; false when it does not occur. */
static bool class_cost_at(const struct prepared *prep, const struct shape *shape, enum class_id id,
                          double kernels, struct class_cost *cost, bool *ret_clamped)
{
    const struct class_row *row = &CLASSES[id];
    cost_fn *fn = shape->phase == PHASE_DECODE ? row->decode : row->prefill;
    if (fn == NULL)
        return false;
    cost->bound = row->info.bound;
    if (id == CLASS_KERNEL_LAUNCH)
        cost->launches = kernels;
    fn(prep, shape, cost);
    if (!cost->present)
        return false;
    if (row->info.pass == PASS_DEVICE && cost->compute_us > cost->memory_us)
        cost->bound = BOUND_COMPUTE;
    if (cost->time_us < cost->floor_us) {
        cost->time_us = cost->floor_us;
        *ret_clamped = true;
    }
    return true;
}

/* Evaluates every class at one shape, `times` over; `more` adds to what an earlier shape left. */
static void add_classes(const struct prepared *prep, const struct shape *shape, double times,
                        bool more, struct step *step)
{
    double kernels = 0.0;
    for (int i = 0; i < CLASS_COUNT; i++) {
        struct class_cost extra;
        struct class_cost *cost = &step->classes[i];
        if (more) {
            memset(&extra, 0, sizeof(extra));
            cost = &extra;
        }
        if (!class_cost_at(prep, shape, (enum class_id)i, kernels, cost, &step->clamped))
            continue;
        if (CLASSES[i].info.pass != PASS_HOST)
            kernels += cost->launches;
        if (times != 1.0)
            scale_cost(cost, times);
        if (more)
            add_cost(&step->classes[i], cost);
    }
}

enum part class_part(enum class_id id, const struct class_cost *cost)
{
    enum part part = CLASSES[id].memory_part;
    if ((part == PART_WEIGHT || part == PART_KV) && cost->compute_us > cost->memory_us)
        return PART_COMPUTE;
    return part;
}

/* Time of a class on the critical path without its fixed part. */
static double scaling_time(const struct class_cost *cost, double exposure)
{
    return fmax(cost->time_us - cost->fixed_us, 0.0) * exposure;
}

struct exposure {
    double host, launch; /* exposed share of host work and of launches */
};

static struct exposure expose_host(const struct prepared *prep, const struct shape *shape,
                                   struct step *step)
{
    double device = 0.0, host = 0.0;
    double launch = step->classes[CLASS_KERNEL_LAUNCH].time_us;
    double tokenization = step->classes[CLASS_TOKENIZATION].time_us;
    if (shape->phase == PHASE_PREFILL)
        tokenization += step->classes[CLASS_DETOKENIZATION].time_us;
    for (int i = 0; i < CLASS_COUNT; i++) {
        const struct class_cost *cost = &step->classes[i];
        if (!cost->present)
            continue;
        if (CLASSES[i].info.pass != PASS_HOST)
            device += cost->time_us;
        else if (i != CLASS_KERNEL_LAUNCH)
            host += cost->time_us;
    }
    step->device_us = device;
    step->host_us = host + launch;
    struct exposure exposure = {0};
    if (prep->problem->dep.async_scheduling) {
        /* Before and after the forward pass nothing hides a prompt's text work. */
        double hidden = shape->phase == PHASE_PREFILL ? host - tokenization : host;
        double exposed = fmax(hidden + launch - device, 0.0);
        double share = hidden + launch > 0.0 ? exposed / (hidden + launch) : 0.0;
        double text = shape->phase == PHASE_PREFILL ? tokenization : 0.0;
        exposure.launch = share;
        exposure.host = host > 0.0 ? (hidden * share + text) / host : 0.0;
    } else {
        exposure.host = 1.0;
        exposure.launch = launch > 0.0 ? fmax(launch - device, 0.0) / launch : 0.0;
    }
    step->exposed_host_us = host * exposure.host + launch * exposure.launch;
    return exposure;
}

static double exposure_of(enum class_id id, const struct exposure *exposure)
{
    if (CLASSES[id].info.pass != PASS_HOST)
        return 1.0;
    return id == CLASS_KERNEL_LAUNCH ? exposure->launch : exposure->host;
}

/* Sums, shares and parts once every class is in. */
static void finish(const struct prepared *prep, const struct shape *shape, struct step *step)
{
    struct exposure exposure = expose_host(prep, shape, step);
    double path = step->device_us + step->exposed_host_us;
    bool known = true;
    double floor = 0.0;
    for (int i = 0; i < CLASS_COUNT; i++) {
        struct class_cost *cost = &step->classes[i];
        if (!cost->present)
            continue;
        double exposed = exposure_of((enum class_id)i, &exposure);
        cost->share = path > 0.0 ? cost->time_us * exposed / path : 0.0;
        step->bytes += CLASSES[i].info.pass == PASS_DEVICE ? cost->bytes : 0.0;
        step->weight_read_bytes += cost->weight_bytes;
        step->flops += cost->flops;
        step->link_bytes += cost->link_bytes;
        if (CLASSES[i].info.pass != PASS_HOST)
            floor += cost->floor_us;
        if (needs_record((enum class_id)i) && cost->basis == BASIS_ASSUMED &&
            cost->share > MATTERS_SHARE)
            known = false;
        enum part part = class_part((enum class_id)i, cost);
        step->parts_us[part] += scaling_time(cost, exposed);
        step->parts_us[PART_FIXED] += cost->fixed_us * exposed;
    }
    step->floor_us = floor * prep->ranks.pp;
    step->time_us = path * prep->ranks.pp;
    step->expected_us = known ? step->time_us : (double)NAN;
    step->basis = known ? BASIS_CALIBRATED : BASIS_NO_RECORD;
    step->arithmetic_intensity = step->bytes > 0.0 ? step->flops / step->bytes : 0.0;
    step->ridge = prep->ridge;
    step->dominant = step_dominant(step, shape->phase, step_largest_part(step, shape->phase));
}

/* Regimes in table order, the part that names each, and the phases it may win in. */
static const struct {
    enum part part;
    bool decode, prefill;
} CANDIDATES[] = {
    {PART_HOST_PER_SEQUENCE, true, true},
    {PART_WEIGHT, true, true},
    {PART_KV, true, true},
    {PART_COMPUTE, false, true},
    {PART_FIXED, true, true},
    {PART_COMPUTE, true, false},
    {PART_LINK, true, true},
};

enum part step_largest_part(const struct step *step, enum phase phase)
{
    double best = -1.0;
    enum part part = PART_WEIGHT;
    for (size_t i = 0; i < ARRAY_LEN(CANDIDATES); i++) {
        if (phase == PHASE_DECODE ? !CANDIDATES[i].decode : !CANDIDATES[i].prefill)
            continue;
        double time = step->parts_us[CANDIDATES[i].part];
        if (time > best * (1.0 + TIE) || best < 0.0) {
            best = time;
            part = CANDIDATES[i].part;
        }
    }
    return part;
}

struct dominant step_dominant(const struct step *step, enum phase phase, enum part part)
{
    struct dominant dominant = {.phase = phase, .class = CLASS_KERNEL_LAUNCH};
    double path = 0.0, best = -1.0;
    for (int i = 0; i < PART_COUNT; i++)
        path += step->parts_us[i];
    double scheduler = 0.0;
    for (int i = 0; i < CLASS_COUNT; i++) {
        const struct class_cost *cost = &step->classes[i];
        if (!cost->present)
            continue;
        double share = fmax(cost->share - (path > 0.0 ? cost->fixed_us / path : 0.0), 0.0);
        if (i == CLASS_SCHEDULER)
            scheduler = cost->share;
        if (part == PART_FIXED || class_part((enum class_id)i, cost) != part || share <= best)
            continue;
        best = share;
        dominant.class = (enum class_id)i;
    }
    if (part == PART_FIXED) {
        /* The fixed parts of all classes stand under kernel_launch; the scheduler stands alone. */
        double launches = path > 0.0 ? step->parts_us[PART_FIXED] / path - scheduler : 0.0;
        dominant.class = scheduler > launches ? CLASS_SCHEDULER : CLASS_KERNEL_LAUNCH;
        best = fmax(scheduler, launches);
    }
    dominant.share = fmax(best, 0.0);
    dominant.pass = CLASSES[dominant.class].info.pass;
    dominant.bound = step->classes[dominant.class].present ? step->classes[dominant.class].bound
                                                           : CLASSES[dominant.class].info.bound;
    return dominant;
}

void step_decode(const struct prepared *prep, double sequences, double context_tokens,
                 struct step *ret_step)
{
    const struct deployment *dep = &prep->problem->dep;
    memset(ret_step, 0, sizeof(*ret_step));
    struct shape shape = {
        .phase = PHASE_DECODE, .sequences = sequences, .context_tokens = context_tokens};
    shape.rows = sequences * prep->spec_rows;
    shape.moe_tokens = shape.rows * prep->ranks.dp;
    shape.head_rows = shape.rows;
    shape.chunks = 1.0;
    shape.output_tokens = prep->problem->load.output_tokens;
    shape.graph = dep->cuda_graphs;
    shape.kappa = dep->cuda_graphs ? host_value(prep, HOST_KAPPA) : 1.0;
    ret_step->batch = sequences;
    ret_step->context_tokens = context_tokens;
    ret_step->tokens = shape.rows;
    ret_step->tokens_per_step = prep->spec_gain;
    add_classes(prep, &shape, 1.0, false, ret_step);
    finish(prep, &shape, ret_step);
}

/* Crossover and ridge of prefill attention (causal, full layers only). */
static void prefill_landmarks(const struct prepared *prep, struct step *step)
{
    const struct model *model = prep->problem->model;
    double pair_flops = 0.0, linear_params = 0.0, heads = 0.0, kv_heads = 0.0;
    for (int i = 0; i < model->n_groups; i++) {
        const struct layer_group *group = &model->groups[i];
        for (int j = 0; j < group->n_mixers; j++) {
            const struct mixer *mixer = &group->mixers[j];
            linear_params += group->invocations * mixer->linear_params;
            if (mixer->store_limit_tokens > 0.0 || mixer->read_limit_tokens > 0.0)
                continue;
            pair_flops += group->invocations * mixer->prefill_flops_per_pair;
            if (mixer->n_kv_heads > 0.0 && mixer->n_heads > heads) {
                heads = mixer->n_heads;
                kv_heads = mixer->n_kv_heads;
            }
        }
        for (int j = 0; j < group->n_ffns; j++) {
            const struct ffn *ffn = &group->ffns[j];
            linear_params +=
                group->invocations * (ffn->linear_params + ffn->top_k * ffn->expert_params);
        }
    }
    /* 2 P n = (sum of pair flops) n^2 / 2 */
    step->crossover_tokens = pair_flops > 0.0 ? 4.0 * linear_params / pair_flops : (double)NAN;
    step->attention_ridge_tokens = step->attention_ridge_kv_only_tokens = NAN;
    if (heads > 0.0) {
        /* AI = L g / (2 (g + 1)) with Q read and O written; 2 ridge / g counts K and V alone. */
        double g = heads / kv_heads;
        double ridge =
            prep->roofs[prep->half_roof].us_per_byte / prep->roofs[prep->half_roof].us_per_flop;
        step->attention_ridge_tokens = 2.0 * (g + 1.0) * ridge / g;
        step->attention_ridge_kv_only_tokens = 2.0 * ridge / g;
    }
}

void step_prefill(const struct prepared *prep, double new_tokens, double cached_tokens,
                  struct step *ret_step)
{
    const struct deployment *dep = &prep->problem->dep;
    memset(ret_step, 0, sizeof(*ret_step));
    double chunk = dep->chunked_prefill_tokens > 0.0 ? fmin(dep->chunked_prefill_tokens, new_tokens)
                                                     : new_tokens;
    double whole = chunk > 0.0 ? floor(new_tokens / chunk) : 0.0;
    double rest = new_tokens - whole * chunk;
    struct shape shape = {
        .phase = PHASE_PREFILL, .sequences = 1.0, .kappa = 1.0, .prompt_tokens = new_tokens};
    shape.output_tokens = prep->problem->load.output_tokens;
    shape.cached_tokens = cached_tokens;
    shape.chunk_tokens = shape.rows = chunk;
    shape.moe_tokens = chunk * prep->ranks.dp;
    shape.chunks = whole;
    /* Only the last token of the prompt meets the LM head. */
    shape.head_rows = rest > 0.0 ? 0.0 : 1.0 / whole;
    ret_step->batch = 1.0;
    ret_step->tokens = new_tokens;
    ret_step->tokens_per_step = 1.0;
    ret_step->context_tokens = cached_tokens + new_tokens;
    ret_step->chunks = whole + (rest > 0.0 ? 1.0 : 0.0);
    if (whole > 0.0)
        add_classes(prep, &shape, whole, false, ret_step);
    if (rest > 0.0) {
        shape.cached_tokens = cached_tokens + whole * chunk;
        shape.chunk_tokens = shape.rows = rest;
        shape.moe_tokens = rest * prep->ranks.dp;
        shape.chunks = 1.0;
        shape.head_rows = 1.0;
        add_classes(prep, &shape, 1.0, whole > 0.0, ret_step);
    }
    finish(prep, &shape, ret_step);
    ret_step->linear_flops =
        ret_step->classes[CLASS_DENSE_GEMM].flops + ret_step->classes[CLASS_MOE_EXPERT_GEMM].flops;
    ret_step->attention_flops = ret_step->classes[CLASS_PREFILL_ATTENTION].flops;
    ret_step->kv_write_bytes = ret_step->classes[CLASS_KV_WRITE].bytes;
    prefill_landmarks(prep, ret_step);
}
