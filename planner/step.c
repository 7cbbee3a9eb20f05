#include "step.h"

#include <math.h>
#include <string.h>

#include "local_step.h"

#define TIE 0.02
/* A class that is short of a fit makes the step's figure unknown only when it carries real work. */
#define MATTERS_SHARE 0.02

/* Classes whose time must rest on a record before a step is called predicted. */
static bool needs_record(enum class_id id)
{
    return id == CLASS_DENSE_GEMM || id == CLASS_LM_HEAD || id == CLASS_MOE_EXPERT_GEMM ||
           id == CLASS_DECODE_ATTENTION || id == CLASS_PREFILL_ATTENTION || id == CLASS_COLLECTIVE;
}

/* A time without any record is never known; one that is assumed passes while it hardly counts. */
static bool is_known(const struct class_cost *cost)
{
    if (cost->basis == BASIS_NO_RECORD)
        return false;
    return cost->basis != BASIS_ASSUMED || cost->share <= MATTERS_SHARE;
}

/* How near the records of a class are to what was asked: not at all when one of its kernels has
 * none.
 */
static enum fit_match class_match(const struct class_cost *cost)
{
    return cost->basis == BASIS_CALIBRATED ? cost->match : FIT_NONE;
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
    cost->serial_us *= factor;
    cost->memory_us *= factor;
    cost->compute_us *= factor;
}

/* What overlap between the kernels of a prompt's step saves, or costs. */
static void scale_time(struct class_cost *cost, double factor)
{
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
    sum->serial_us += before.serial_us;
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
    if (shape->phase == PHASE_PREFILL && row->info.pass != PASS_HOST)
        scale_time(cost, prep->prefill_factor);
    if (cost->time_us < cost->floor_us) {
        cost->time_us = cost->floor_us;
        *ret_clamped = true;
    }
    return true;
}

/* What holds a class back: the larger of its terms, over all shapes summed. */
static void set_bound(enum class_id id, struct class_cost *cost)
{
    const struct class_info *info = &CLASSES[id].info;
    if (info->pass != PASS_DEVICE)
        return;
    cost->bound = cost->compute_us > cost->memory_us ? BOUND_COMPUTE : info->bound;
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
        set_bound((enum class_id)i, &step->classes[i]);
    }
}

enum part class_part(enum class_id id, const struct class_cost *cost)
{
    enum part part = CLASSES[id].memory_part;
    if ((part == PART_WEIGHT || part == PART_KV) && cost->compute_us > cost->memory_us)
        return PART_COMPUTE;
    return part;
}

/* Host time by how it may hide; the device's beside it. */
struct passes {
    double device, launch, host;
    double text;   /* of host: a prompt's text work, before and after the forward pass */
    double serial; /* of host: what no overlap hides */
};

static struct passes sum_passes(const struct step *step, enum phase phase)
{
    struct passes passes = {.launch = step->classes[CLASS_KERNEL_LAUNCH].time_us};
    for (int i = 0; i < CLASS_COUNT; i++) {
        const struct class_cost *cost = &step->classes[i];
        if (!cost->present)
            continue;
        if (CLASSES[i].info.pass != PASS_HOST) {
            passes.device += cost->time_us;
        } else if (i != CLASS_KERNEL_LAUNCH) {
            passes.host += cost->time_us;
            passes.serial += cost->serial_us;
        }
    }
    if (phase == PHASE_PREFILL)
        passes.text =
            step->classes[CLASS_TOKENIZATION].time_us + step->classes[CLASS_DETOKENIZATION].time_us;
    return passes;
}

/* Shares of the host's work and of the launches that the device's work does not cover. */
struct exposure {
    double host, launch;
};

static struct exposure expose(bool async, const struct passes *passes)
{
    struct exposure exposure = {.host = 1.0};
    double hideable = passes->host - passes->text - passes->serial + passes->launch;
    if (async)
        exposure.host = exposure.launch =
            hideable > 0.0 ? fmax(hideable - passes->device, 0.0) / hideable : 0.0;
    else if (passes->launch > 0.0)
        exposure.launch = fmax(passes->launch - passes->device, 0.0) / passes->launch;
    return exposure;
}

static double exposed_time(enum class_id id, enum phase phase, const struct class_cost *cost,
                           const struct exposure *exposure)
{
    if (CLASSES[id].info.pass != PASS_HOST)
        return cost->time_us;
    if (id == CLASS_KERNEL_LAUNCH)
        return cost->time_us * exposure->launch;
    if (phase == PHASE_PREFILL && (id == CLASS_TOKENIZATION || id == CLASS_DETOKENIZATION))
        return cost->time_us;
    return cost->serial_us + (cost->time_us - cost->serial_us) * exposure->host;
}

static struct exposure expose_host(const struct prepared *prep, enum phase phase, struct step *step)
{
    struct passes passes = sum_passes(step, phase);
    struct exposure exposure = expose(prep->problem->dep.async_scheduling, &passes);
    step->device_us = passes.device;
    step->host_us = passes.host + passes.launch;
    step->exposed_host_us = 0.0;
    for (int i = 0; i < CLASS_COUNT; i++)
        if (step->classes[i].present && CLASSES[i].info.pass == PASS_HOST)
            step->exposed_host_us +=
                exposed_time((enum class_id)i, phase, &step->classes[i], &exposure);
    return exposure;
}

/* Adds what one class weighs to the step; its time on the critical path is `exposed`. */
static void add_class(enum class_id id, const struct class_cost *cost, double exposed,
                      struct step *step)
{
    double fixed = fmin(cost->fixed_us, exposed);
    enum part part = class_part(id, cost);
    step->bytes += CLASSES[id].info.pass == PASS_DEVICE ? cost->bytes : 0.0;
    step->weight_read_bytes += cost->weight_bytes;
    step->flops += cost->flops;
    step->link_bytes += cost->link_bytes;
    step->parts_us[part] += exposed - fixed;
    step->parts_us[PART_FIXED] += fixed;
    if (needs_record(id) && cost->share >= MATTERS_SHARE &&
        fit_match_is_weaker(class_match(cost), step->weakest_match))
        step->weakest_match = class_match(cost);
}

/* Sums, shares and parts once every class is in. */
static void finish(const struct prepared *prep, const struct shape *shape, struct step *step)
{
    struct exposure exposure = expose_host(prep, shape->phase, step);
    double path = step->device_us + step->exposed_host_us + prep->host_weights_us;
    bool known = prep->host_weights_us <= 0.0; /* nobody recorded how much of it a step hides */
    double floor = prep->host_weights_us;
    step->weakest_match = FIT_EXACT;
    for (int i = 0; i < CLASS_COUNT; i++) {
        struct class_cost *cost = &step->classes[i];
        if (!cost->present)
            continue;
        double exposed = exposed_time((enum class_id)i, shape->phase, cost, &exposure);
        cost->share = path > 0.0 ? exposed / path : 0.0;
        floor += CLASSES[i].info.pass != PASS_HOST ? cost->floor_us : 0.0;
        known = known && (!needs_record((enum class_id)i) || is_known(cost));
        add_class((enum class_id)i, cost, exposed, step);
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

/* The fixed parts of all classes stand under kernel_launch; the scheduler stands alone. */
static struct dominant dominant_fixed(const struct step *step, double path)
{
    double scheduler = step->classes[CLASS_SCHEDULER].share;
    double launches = path > 0.0 ? step->parts_us[PART_FIXED] / path - scheduler : 0.0;
    struct dominant dominant = {.class = CLASS_KERNEL_LAUNCH, .share = fmax(launches, 0.0)};
    if (scheduler > launches)
        dominant = (struct dominant){.class = CLASS_SCHEDULER, .share = scheduler};
    return dominant;
}

/* The class with the largest share in a part, its fixed part apart. */
static struct dominant dominant_scaling(const struct step *step, double path, enum part part)
{
    struct dominant dominant = {.class = CLASS_KERNEL_LAUNCH, .share = -1.0};
    for (int i = 0; i < CLASS_COUNT; i++) {
        const struct class_cost *cost = &step->classes[i];
        if (!cost->present || class_part((enum class_id)i, cost) != part)
            continue;
        double share = fmax(cost->share - (path > 0.0 ? cost->fixed_us / path : 0.0), 0.0);
        if (share > dominant.share)
            dominant = (struct dominant){.class = (enum class_id)i, .share = share};
    }
    dominant.share = fmax(dominant.share, 0.0);
    return dominant;
}

struct dominant step_dominant(const struct step *step, enum phase phase, enum part part)
{
    double path = 0.0;
    for (int i = 0; i < PART_COUNT; i++)
        path += step->parts_us[i];
    struct dominant dominant =
        part == PART_FIXED ? dominant_fixed(step, path) : dominant_scaling(step, path, part);
    const struct class_cost *cost = &step->classes[dominant.class];
    const struct class_info *info = &CLASSES[dominant.class].info;
    dominant.phase = phase;
    dominant.pass = info->pass;
    dominant.bound = cost->present ? cost->bound : info->bound;
    return dominant;
}

/* Whether a collective's message is larger than any that its fit was measured with. */
static bool beyond_records(const struct prepared *prep, double rows)
{
    double reduce = rows * prep->problem->model->hidden * ACTIVATION_BYTES;
    double exchange = rows * prep->exchange_row_bytes;
    return (prep->reduce.fit != NULL && reduce > prep->reduce.fit->max_bytes) ||
           (prep->dispatch.fit != NULL && exchange > prep->dispatch.fit->max_bytes);
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
    shape.module_kappa = dep->cuda_graphs ? host_value(prep, HOST_MODULE_KAPPA) : 1.0;
    ret_step->batch = sequences;
    ret_step->context_tokens = context_tokens;
    ret_step->tokens = shape.rows;
    ret_step->tokens_per_step = prep->spec_gain;
    ret_step->extrapolated = beyond_records(prep, shape.rows);
    add_classes(prep, &shape, 1.0, false, ret_step);
    local_apply(prep, &shape, ret_step);
    finish(prep, &shape, ret_step);
}

/* What the landmarks of prefill attention rest on: full layers only. */
struct prefill_sums {
    double linear_params, pair_flops;
    double heads, kv_heads; /* of the widest full attention */
};

static void add_mixer_landmarks(const struct mixer *mixer, double layers, struct prefill_sums *sums)
{
    sums->linear_params += layers * mixer->linear_params;
    if (mixer->store_limit_tokens > 0.0 || mixer->read_limit_tokens > 0.0 ||
        mixer->kind == MIXER_CROSS)
        return;
    sums->pair_flops += layers * mixer->prefill_flops_per_pair;
    if (mixer->n_kv_heads > 0.0 && mixer->n_heads > sums->heads) {
        sums->heads = mixer->n_heads;
        sums->kv_heads = mixer->n_kv_heads;
    }
}

static struct prefill_sums sum_landmarks(const struct model *model)
{
    struct prefill_sums sums = {0};
    for (int i = 0; i < model->n_groups; i++) {
        const struct layer_group *group = &model->groups[i];
        for (int j = 0; j < group->n_mixers; j++)
            add_mixer_landmarks(&group->mixers[j], group->invocations, &sums);
        for (int j = 0; j < group->n_ffns; j++) {
            const struct ffn *ffn = &group->ffns[j];
            sums.linear_params +=
                group->invocations * (ffn->linear_params + ffn->top_k * ffn->expert_params);
        }
    }
    return sums;
}

/* Crossover and ridge of prefill attention (causal, full layers only). */
static void prefill_landmarks(const struct prepared *prep, struct step *step)
{
    struct prefill_sums sums = sum_landmarks(prep->problem->model);
    /* 2 P n = (sum of pair flops) n^2 / 2 */
    step->crossover_tokens =
        sums.pair_flops > 0.0 ? 4.0 * sums.linear_params / sums.pair_flops : (double)NAN;
    step->attention_ridge_tokens = step->attention_ridge_kv_only_tokens = NAN;
    const struct roof *half = &prep->roofs[prep->half_roof];
    if (sums.heads <= 0.0 || half->us_per_flop <= 0.0)
        return;
    /* AI = L g / (2 (g + 1)) with Q read and O written; 2 ridge / g counts K and V alone. */
    double g = sums.heads / sums.kv_heads;
    double ridge = half->us_per_byte / half->us_per_flop;
    step->attention_ridge_tokens = 2.0 * (g + 1.0) * ridge / g;
    step->attention_ridge_kv_only_tokens = 2.0 * ridge / g;
}

static void compute_prefill(const struct prepared *prep, double new_tokens, double cached_tokens,
                            struct step *ret_step)
{
    const struct deployment *dep = &prep->problem->dep;
    memset(ret_step, 0, sizeof(*ret_step));
    double chunk = dep->chunked_prefill_tokens > 0.0 ? fmin(dep->chunked_prefill_tokens, new_tokens)
                                                     : new_tokens;
    double whole = chunk > 0.0 ? floor(new_tokens / chunk) : 0.0;
    double rest = new_tokens - whole * chunk;
    struct shape shape = {.phase = PHASE_PREFILL, .sequences = 1.0, .kappa = 1.0};
    shape.module_kappa = 1.0;
    /* Text work and a transfer between pools meet the whole prompt, cached tokens included. */
    shape.prompt_tokens = cached_tokens + new_tokens;
    shape.output_tokens = prep->problem->load.output_tokens;
    shape.cached_tokens = cached_tokens;
    shape.chunk_tokens = shape.rows = chunk;
    shape.moe_tokens = chunk * prep->ranks.dp;
    shape.chunks = whole;
    /* Only the last token of the prompt meets the LM head. */
    shape.head_rows = rest > 0.0 ? 0.0 : 1.0 / whole;
    ret_step->batch = 1.0;
    ret_step->extrapolated = beyond_records(prep, chunk);
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
    local_apply(prep, &shape, ret_step);
    finish(prep, &shape, ret_step);
    ret_step->linear_flops =
        ret_step->classes[CLASS_DENSE_GEMM].flops + ret_step->classes[CLASS_MOE_EXPERT_GEMM].flops;
    ret_step->attention_flops = ret_step->classes[CLASS_PREFILL_ATTENTION].flops;
    ret_step->kv_write_bytes = ret_step->classes[CLASS_KV_WRITE].bytes;
    prefill_landmarks(prep, ret_step);
}

static bool same_key(const struct prefill_key *a, const struct prefill_key *b)
{
    return a->new_tokens == b->new_tokens && a->cached_tokens == b->cached_tokens &&
           a->output_tokens == b->output_tokens &&
           a->cached_prefix_tokens == b->cached_prefix_tokens &&
           a->load_generator == b->load_generator;
}

/* A lengths' own place: neighbours lie apart. */
static struct prefill_place *place_of(struct prefill_store *store, const struct prefill_key *key)
{
    double spread = key->new_tokens + 31.0 * key->cached_tokens + 17.0 * key->output_tokens;
    return &store->places[(size_t)fmod(fabs(spread), PREFILL_PLACES)];
}

void step_prefill(const struct prepared *prep, double new_tokens, double cached_tokens,
                  struct step *ret_step)
{
    const struct workload *load = &prep->problem->load;
    const struct prefill_key key = {new_tokens, cached_tokens, load->output_tokens,
                                    load->cached_prefix_tokens, load->load_generator};
    if (prep->prefills == NULL) {
        compute_prefill(prep, new_tokens, cached_tokens, ret_step);
        return;
    }
    struct prefill_place *place = place_of(prep->prefills, &key);
    if (place->deployment != prep->prefills->deployment || !same_key(&place->key, &key)) {
        compute_prefill(prep, new_tokens, cached_tokens, &place->step);
        place->key = key;
        place->deployment = prep->prefills->deployment;
    }
    *ret_step = place->step;
}
