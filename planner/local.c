#include "local.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#include "units.h"

/* Engines of this model: whose constants they take, and whether those hold the sampler. llama-bench
 * decodes without sampling, MLX's benchmarks generate. */
static const struct local_engine {
    const char *id, *constants;
    bool samples_inside;
} ENGINES[] = {
    {"llama.cpp", "llama.cpp", false},
    {"ollama", "llama.cpp", false},
    {"ik_llama.cpp", "ik_llama.cpp", false},
    {"mlx", "mlx", true},
};

static const struct local_engine *find_engine(const struct engine *engine)
{
    for (size_t i = 0; i < ARRAY_LEN(ENGINES); i++)
        if (strcmp(engine->id, ENGINES[i].id) == 0)
            return &ENGINES[i];
    return NULL;
}

bool local_is_engine(const struct engine *engine)
{
    return find_engine(engine) != NULL;
}

struct ranks local_ranks(const struct deployment *dep)
{
    struct ranks ranks = ranks_of(dep);
    if (!local_is_engine(dep->engine))
        return ranks;
    return (struct ranks){.tp = 1.0,
                          .pp = ranks.devices,
                          .dp = 1.0,
                          .ep = 1.0,
                          .expert_tp = 1.0,
                          .devices = ranks.devices};
}

double local_peak(const struct hardware *hw)
{
    const double *peaks = hw->peak_flops_us;
    double half = fmax(peaks[DTYPE_FP16], peaks[DTYPE_BF16]);
    if (hw->class == HW_CPU)
        return peaks[DTYPE_FP32];
    if (hw->vendor != NULL && strcmp(hw->vendor, "nvidia") == 0 && half > 0.0)
        half = fmax(half, peaks[DTYPE_INT8] / 2.0);
    return fmax(half, peaks[DTYPE_FP32]);
}

double local_alu(const struct hardware *hw)
{
    static const enum local_family HALF_LANES[] = {FAMILY_VOLTA, FAMILY_TURING, FAMILY_TURING_NT,
                                                   FAMILY_AMPERE_DC};
    enum local_family family = local_family_of(hw, BACKEND_CUDA);
    for (size_t i = 0; i < ARRAY_LEN(HALF_LANES); i++)
        if (HALF_LANES[i] == family)
            return 2.0 * hw->peak_flops_us[DTYPE_FP32];
    return hw->peak_flops_us[DTYPE_FP32];
}

/* Look-up ---------------------------------------------------------------------------------------
 */

struct finder {
    const struct library *lib;
    struct local_scope scope;
};

static const struct local_fit *find(const struct finder *finder, enum local_constant constant,
                                    struct local_scope scope)
{
    return local_fit_find(finder->lib->local_fits, finder->lib->n_local_fits, constant, &scope);
}

/* The scope asked, without its part and what else is told to be left out. */
static struct local_scope wider(const struct finder *finder, bool family, bool format)
{
    struct local_scope scope = finder->scope;
    scope.part = LOCAL_ANY;
    if (!family)
        scope.family = LOCAL_ANY;
    if (!format)
        scope.format = LOCAL_ANY;
    return scope;
}

/* A constant with the row that it rests on. */
struct found {
    double value;
    const struct local_fit *fit; /* NULL: no row, the value is the neutral one */
};

/* The narrowest row: family and format, family, format, engine, back end alone. A family that was
 * not measured in this format takes its own figure times what the format does elsewhere. */
static struct found constant(const struct finder *finder, enum local_constant which, double neutral)
{
    bool by_format = local_constant_by_format(which);
    const struct local_fit *both =
        by_format ? find(finder, which, wider(finder, true, true)) : NULL;
    if (both != NULL)
        return (struct found){both->value, both};
    const struct local_fit *family = find(finder, which, wider(finder, true, false));
    if (family != NULL && !by_format)
        return (struct found){family->value, family};
    const struct local_fit *format =
        by_format ? find(finder, which, wider(finder, false, true)) : NULL;
    const struct local_fit *engine = find(finder, which, wider(finder, false, false));
    if (family != NULL && format != NULL && engine != NULL)
        return (struct found){family->value * format->value / engine->value, family};
    const struct local_fit *rows[] = {family, format, engine};
    for (size_t i = 0; i < ARRAY_LEN(rows); i++)
        if (rows[i] != NULL)
            return (struct found){rows[i]->value, rows[i]};
    struct local_scope scope = wider(finder, false, false);
    scope.engine = LOCAL_ANY;
    const struct local_fit *backend = find(finder, which, scope);
    return (struct found){backend != NULL ? backend->value : neutral, backend};
}

static double value_of(const struct finder *finder, enum local_constant which, double neutral)
{
    return constant(finder, which, neutral).value;
}

/* How a part differs from its family; in this format where that was measured. */
static struct found part_factor(const struct finder *finder, enum local_constant which)
{
    struct local_scope scope = finder->scope;
    const struct local_fit *fit = find(finder, which, scope);
    if (fit == NULL) {
        scope.format = LOCAL_ANY;
        fit = find(finder, which, scope);
    }
    return (struct found){fit != NULL ? fit->value : 1.0, fit};
}

static enum local_tier tier_of(const struct local_fit *weights, const struct local_fit *part)
{
    if (weights == NULL || weights->scope.engine == LOCAL_ANY)
        return LOCAL_NONE;
    if (part != NULL)
        return part->scope.format != LOCAL_ANY ? LOCAL_SAME_PART_FORMAT : LOCAL_SAME_PART;
    return weights->scope.family != LOCAL_ANY ? LOCAL_SAME_FAMILY : LOCAL_SAME_ENGINE;
}

/* Speed -----------------------------------------------------------------------------------------
 */

static bool is_old_build(const struct deployment *dep)
{
    return strcmp(dep->engine->id, "llama.cpp") == 0 && dep->version[0] > 0 &&
           dep->version[0] <= LOCAL_OLD_BUILD;
}

static void find_decode(const struct problem *problem, const struct finder *finder, double bw,
                        double peak, struct local_speed *speed)
{
    const struct model *model = problem->model;
    const struct deployment *dep = &problem->dep;
    struct found weights = constant(finder, LOCAL_F_W, 1.0);
    struct found part = part_factor(finder, LOCAL_PART_MULT);
    double f_w = weights.value * part.value;
    double f_kv = value_of(finder, LOCAL_F_KV, 1.0);
    double unpack = value_of(finder, LOCAL_UNPACK, 0.0);
    if (is_old_build(dep))
        f_w *= value_of(finder, LOCAL_F_W_OLD, 1.0);
    if (model->has_mla)
        f_kv *= value_of(finder, LOCAL_F_KV_MLA, 1.0);
    if (!dep->flash_attention)
        f_kv *= value_of(finder, LOCAL_F_KV_NO_FA, 1.0);
    if (dep->backend == BACKEND_CPU && dep->cpu_threads > 0.0)
        unpack *= fmax(LOCAL_THREADS / dep->cpu_threads, 1.0);
    speed->tier = tier_of(weights.fit, part.fit);
    speed->weights = weights.fit;
    speed->us_per_weight_byte = 1.0 / (f_w * bw);
    speed->us_per_kv_byte = 1.0 / (f_kv * bw);
    speed->unpack_us_per_flop = unpack / peak;
    speed->row_us_per_byte = value_of(finder, LOCAL_ROW_MULT, 0.0) / bw;
    speed->layer_us = value_of(finder, LOCAL_LAYER_US, 0.0);
    if (model->has_state)
        speed->layer_us *= value_of(finder, LOCAL_LAYER_HYBRID, 1.0);
    speed->moe_layer_us = value_of(finder, LOCAL_MOE_US, 0.0);
    speed->step_us = value_of(finder, LOCAL_STEP_US, 0.0);
}

static void find_prefill(const struct problem *problem, const struct finder *finder, double bw,
                         double peak, struct local_speed *speed)
{
    const struct model *model = problem->model;
    const struct deployment *dep = &problem->dep;
    struct found matrices = constant(finder, LOCAL_E, 1.0);
    double part = part_factor(finder, LOCAL_E_PART).value;
    double e = matrices.value * part;
    double alu = local_alu(problem->hw) * peak / local_peak(problem->hw);
    double e_attn = value_of(finder, LOCAL_E_ATTN, 1.0);
    double pad = value_of(finder, LOCAL_PAD, 0.0);
    if (is_old_build(dep))
        e *= value_of(finder, LOCAL_E_OLD, 1.0);
    if (model->has_moe) {
        e *= value_of(finder, LOCAL_E_MOE, 1.0);
        pad *= value_of(finder, LOCAL_PAD_MOE, 1.0);
    }
    if (model->has_mla)
        e_attn *= value_of(finder, LOCAL_E_ATTN_MLA, 1.0);
    if (!dep->flash_attention)
        e_attn *= value_of(finder, LOCAL_E_ATTN_NO_FA, 1.0);
    speed->prefill = matrices.fit;
    speed->us_per_flop = 1.0 / (e * peak);
    if (finder->scope.format != LOCAL_F16 && alu > 0.0)
        speed->us_per_flop += value_of(finder, LOCAL_ALU, 0.0) / (part * alu);
    speed->us_per_pad_param = pad * LOCAL_TILE_ROWS / peak;
    speed->us_per_read_byte = value_of(finder, LOCAL_READ, 1.0) / bw;
    speed->us_per_attention_flop = 1.0 / (e_attn * peak);
    speed->us_per_pair_byte = value_of(finder, LOCAL_KV_READS, 0.0) / bw;
    speed->chunk_layer_us = value_of(finder, LOCAL_CHUNK_LAYER_US, 0.0);
    speed->token_layer_us =
        model->has_state ? value_of(finder, LOCAL_HYBRID_NS, 0.0) / NS_PER_US : 0.0;
    speed->prompt_us = value_of(finder, LOCAL_PROMPT_MS, 0.0) * US_PER_MS;
}

bool local_leaves_to_host(const struct problem *problem)
{
    const struct deployment *dep = &problem->dep;
    return dep->backend != BACKEND_CPU &&
           (dep->gpu_layers < problem->model->n_layers || dep->cpu_moe_layers > 0.0);
}

/* Whether layers may have been left to the host: a CPU has but one memory. */
static bool may_be_offloaded(const struct problem *problem)
{
    return local_leaves_to_host(problem) || (problem->dep.backend != BACKEND_CPU &&
                                             rank_weight_bytes(problem->model, &problem->dep) >
                                                 RESIDENT_SHARE * problem->hw->memory_bytes);
}

bool local_scope_of(const struct problem *problem, struct local_scope *ret_scope)
{
    const struct deployment *dep = &problem->dep;
    const struct local_engine *own = find_engine(dep->engine);
    const struct engine *engine = own != NULL ? library_engine(problem->lib, own->constants) : NULL;
    enum local_family family = local_family_of(problem->hw, dep->backend);
    /* The record of a discrete device says nothing of the host that it stands in. */
    if (engine == NULL || (dep->backend == BACKEND_CPU && family == LOCAL_FAMILY_COUNT))
        return false;
    const struct weight_format *format =
        problem->model->has_moe ? role_format(dep, ROLE_EXPERT) : dep->weights;
    *ret_scope = (struct local_scope){.backend = (int)dep->backend,
                                      .engine = engine->index,
                                      .family = (int)family,
                                      .format = (int)local_format_of(format->id),
                                      .part = problem->hw->index};
    return true;
}

void local_speed_find(const struct problem *problem, double bandwidth, double compute,
                      struct local_speed *ret_speed)
{
    memset(ret_speed, 0, sizeof(*ret_speed));
    const struct deployment *dep = &problem->dep;
    const struct local_engine *own = find_engine(dep->engine);
    if (own == NULL)
        return;
    ret_speed->is_local = true;
    ret_speed->samples_inside = own->samples_inside;
    ret_speed->is_offloaded = may_be_offloaded(problem);
    double bw = problem->hw->bw_bytes_us * bandwidth;
    double peak = local_peak(problem->hw) * compute;
    struct finder finder = {.lib = problem->lib};
    if (!local_scope_of(problem, &finder.scope) || ret_speed->is_offloaded || bw <= 0.0 ||
        peak <= 0.0)
        return;
    find_decode(problem, &finder, bw, peak, ret_speed);
    find_prefill(problem, &finder, bw, peak, ret_speed);
}

void local_scale_bandwidth(struct local_speed *speed, double factor)
{
    speed->us_per_weight_byte /= factor;
    speed->us_per_kv_byte /= factor;
    speed->row_us_per_byte /= factor;
    speed->us_per_read_byte /= factor;
    speed->us_per_pair_byte /= factor;
}

bool local_interval(const struct problem *problem, const struct local_speed *speed,
                    enum phase phase, double batch, double *ret_low, double *ret_high)
{
    int tiers = LOCAL_TIER_COUNT - 1, near = (int)speed->tier - 1;
    bool decodes = phase == PHASE_DECODE;
    int low = (decodes ? LOCAL_DECODE_LOW_PART_FORMAT : LOCAL_PREFILL_LOW_PART_FORMAT) + near;
    int high = low + tiers;
    if (speed->tier == LOCAL_NONE)
        return false;
    if (decodes && batch > LOCAL_BATCH_VALIDATED) {
        low = LOCAL_BATCH_LOW;
        high = LOCAL_BATCH_HIGH;
    }
    struct local_scope scope = {(int)problem->dep.backend, LOCAL_ANY, LOCAL_ANY, LOCAL_ANY,
                                LOCAL_ANY};
    struct finder finder = {.lib = problem->lib};
    if (find(&finder, (enum local_constant)low, scope) == NULL)
        scope.backend = LOCAL_ANY;
    const struct local_fit *least = find(&finder, (enum local_constant)low, scope);
    const struct local_fit *most = find(&finder, (enum local_constant)high, scope);
    if (least == NULL || most == NULL)
        return false;
    *ret_low = least->value;
    *ret_high = most->value;
    return true;
}
