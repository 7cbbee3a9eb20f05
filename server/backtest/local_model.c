#include "local_model.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define E FIELD_OF_ENGINE
#define F FIELD_OF_FAMILY
#define Q FIELD_OF_FORMAT
#define P FIELD_OF_PART
#define DECODE PHASE_DECODE, WHEN_ALWAYS
#define DECODE_WHEN(WHEN) PHASE_DECODE, WHEN
#define PREFILL PHASE_PREFILL, WHEN_ALWAYS
#define PREFILL_WHEN(WHEN) PHASE_PREFILL, WHEN

/* Size of a residual that a prior is worth, and from which errors count linearly. */
static const double SIGMA[] = {[PHASE_DECODE] = 0.1, [PHASE_PREFILL] = 0.2};
static const double BEND[] = {[PHASE_DECODE] = 0.25, [PHASE_PREFILL] = 0.35};

/*
 * Priors are what kernels of this kind do: weights near the bandwidth, a cache read at half of it,
 * ten small kernels of some microseconds a layer, a matrix multiply at half of its peak. Spreads
 * are how far a back end, an engine, a family, a format may be from that.
 */
static const struct local_constant_spec SPECS[] = {
    {LOCAL_F_W, DECODE, 0.88, 0.10, {{E, 0.08}, {E | F, 0.08}, {Q, 0.08}, {E | F | Q, 0.06}}},
    {LOCAL_PART_MULT, DECODE, 1.0, 0.0, {{F | P, 0.06}, {E | F | Q | P, 0.05}}},
    {LOCAL_F_W_OLD, DECODE_WHEN(WHEN_OLD), 0.93, 0.06, {{0, 0.0}}},
    {LOCAL_UNPACK, DECODE, 1.5, 0.7, {{E, 0.4}, {E | F, 0.4}, {Q, 0.7}, {E | F | Q, 0.4}}},
    {LOCAL_ROW_MULT, DECODE, 0.015, 0.8, {{Q, 0.8}}},
    {LOCAL_F_KV, DECODE, 0.5, 0.4, {{E, 0.3}, {E | F, 0.3}}},
    {LOCAL_F_KV_MLA, DECODE_WHEN(WHEN_MLA), 0.7, 0.4, {{E, 0.2}}},
    {LOCAL_F_KV_NO_FA, DECODE_WHEN(WHEN_WITHOUT_FA), 0.9, 0.2, {{0, 0.0}}},
    {LOCAL_LAYER_US, DECODE, 70.0, 0.7, {{E, 0.4}, {E | F, 0.4}}},
    {LOCAL_LAYER_HYBRID, DECODE_WHEN(WHEN_HYBRID), 1.2, 0.3, {{E | F, 0.3}}},
    {LOCAL_MOE_US, DECODE_WHEN(WHEN_MOE), 40.0, 0.6, {{E, 0.4}, {E | F, 0.4}}},
    {LOCAL_STEP_US, DECODE, 130.0, 0.5, {{E, 0.3}}},
    {LOCAL_E, PREFILL, 0.6, 0.5, {{E, 0.3}, {E | F, 0.35}, {Q, 0.3}, {E | F | Q, 0.25}}},
    {LOCAL_ALU, PREFILL, 0.2, 0.7, {{E, 0.5}, {E | F, 0.35}, {Q, 0.4}, {E | F | Q, 0.25}}},
    {LOCAL_E_PART, PREFILL, 1.0, 0.0, {{F | P, 0.25}, {E | F | Q | P, 0.15}}},
    {LOCAL_E_MOE, PREFILL_WHEN(WHEN_MOE), 0.75, 0.3, {{0, 0.0}}},
    {LOCAL_E_OLD, PREFILL_WHEN(WHEN_OLD), 0.95, 0.15, {{0, 0.0}}},
    {LOCAL_PAD, PREFILL, 0.6, 0.5, {{0, 0.0}}},
    {LOCAL_PAD_MOE, PREFILL_WHEN(WHEN_MOE), 1.1, 0.4, {{0, 0.0}}},
    {LOCAL_READ, PREFILL, 1.2, 0.4, {{0, 0.0}}},
    {LOCAL_E_ATTN, PREFILL, 0.35, 0.4, {{E, 0.3}, {E | F, 0.3}}},
    {LOCAL_E_ATTN_MLA, PREFILL_WHEN(WHEN_MLA), 0.9, 0.4, {{E, 0.3}}},
    {LOCAL_E_ATTN_NO_FA, PREFILL_WHEN(WHEN_WITHOUT_FA), 0.8, 0.4, {{0, 0.0}}},
    {LOCAL_KV_READS, PREFILL, 1.0 / 24.0, 1.0, {{E, 0.5}, {E | F, 0.5}}},
    {LOCAL_CHUNK_LAYER_US, PREFILL, 35.0, 0.6, {{0, 0.0}}},
    {LOCAL_HYBRID_NS, PREFILL_WHEN(WHEN_HYBRID), 100.0, 0.7, {{0, 0.0}}},
    {LOCAL_PROMPT_MS, PREFILL, 1.0, 0.5, {{0, 0.0}}},
};

#undef E
#undef F
#undef Q
#undef P

#define TERM_CONSTANTS_MAX 4

/* What a term is multiplied with (+) and divided by (-). */
static const struct term_row_spec {
    enum local_amount amount;

    struct {
        enum local_constant constant;
        int sign; /* 0 ends the list */
    } factors[TERM_CONSTANTS_MAX];
} TERMS[] = {
    {AMOUNT_WEIGHTS, {{LOCAL_F_W, -1}, {LOCAL_PART_MULT, -1}, {LOCAL_F_W_OLD, -1}}},
    {AMOUNT_KV, {{LOCAL_F_KV, -1}, {LOCAL_F_KV_MLA, -1}, {LOCAL_F_KV_NO_FA, -1}}},
    {AMOUNT_LAYERS, {{LOCAL_LAYER_US, 1}, {LOCAL_LAYER_HYBRID, 1}}},
    {AMOUNT_MOE_LAYERS, {{LOCAL_MOE_US, 1}}},
    {AMOUNT_UNPACK, {{LOCAL_UNPACK, 1}}},
    {AMOUNT_ROWS, {{LOCAL_ROW_MULT, 1}}},
    {AMOUNT_STEP, {{LOCAL_STEP_US, 1}}},
    {AMOUNT_FLOPS, {{LOCAL_E, -1}, {LOCAL_E_PART, -1}, {LOCAL_E_MOE, -1}, {LOCAL_E_OLD, -1}}},
    {AMOUNT_ALU, {{LOCAL_ALU, 1}, {LOCAL_E_PART, -1}}},
    {AMOUNT_PAD, {{LOCAL_PAD, 1}, {LOCAL_PAD_MOE, 1}}},
    {AMOUNT_READ, {{LOCAL_READ, 1}}},
    {AMOUNT_ATTENTION, {{LOCAL_E_ATTN, -1}, {LOCAL_E_ATTN_MLA, -1}, {LOCAL_E_ATTN_NO_FA, -1}}},
    {AMOUNT_KV_READS, {{LOCAL_KV_READS, 1}}},
    {AMOUNT_CHUNK_LAYERS, {{LOCAL_CHUNK_LAYER_US, 1}}},
    {AMOUNT_HYBRID, {{LOCAL_HYBRID_NS, 1}}},
    {AMOUNT_PROMPT, {{LOCAL_PROMPT_MS, 1}}},
};

_Static_assert(ARRAY_LEN(TERMS) == AMOUNT_COUNT, "every amount is a term");

const struct local_constant_spec *local_specs(int *ret_n)
{
    *ret_n = (int)ARRAY_LEN(SPECS);
    return SPECS;
}

bool local_spec_concerns(const struct local_constant_spec *spec, const struct local_run *run)
{
    if (spec->phase != run->phase)
        return false;
    switch (spec->when) {
    case WHEN_ALWAYS:
        return true;
    case WHEN_MOE:
        return run->is_moe;
    case WHEN_MLA:
        return run->is_mla;
    case WHEN_HYBRID:
        return run->is_hybrid;
    case WHEN_WITHOUT_FA:
        return run->without_fa;
    case WHEN_OLD:
        return run->is_old;
    }
    return false;
}

struct local_scope local_scope_keep(const struct local_scope *scope, unsigned fields)
{
    return (struct local_scope){
        .backend = scope->backend,
        .engine = fields & FIELD_OF_ENGINE ? scope->engine : LOCAL_ANY,
        .family = fields & FIELD_OF_FAMILY ? scope->family : LOCAL_ANY,
        .format = fields & FIELD_OF_FORMAT ? scope->format : LOCAL_ANY,
        .part = fields & FIELD_OF_PART ? scope->part : LOCAL_ANY,
    };
}

bool local_scope_equal(const struct local_scope *a, const struct local_scope *b)
{
    return a->backend == b->backend && a->engine == b->engine && a->family == b->family &&
           a->format == b->format && a->part == b->part;
}

static const struct local_constant_spec *spec_of(enum local_constant constant)
{
    for (size_t i = 0; i < ARRAY_LEN(SPECS); i++)
        if (SPECS[i].constant == constant)
            return &SPECS[i];
    return NULL;
}

static int find_parameter(const struct local_model *model, const struct local_constant_spec *spec,
                          int level, const struct local_scope *scope)
{
    for (int i = 0; i < model->fit.n_parameters; i++) {
        const struct local_parameter *parameter = &model->parameters[i];
        if (parameter->spec == spec && parameter->level == level &&
            local_scope_equal(&parameter->scope, scope))
            return i;
    }
    return -1;
}

/* The parameter of an effect, made when it is new. */
static int parameter_of(struct local_model *model, const struct local_constant_spec *spec,
                        int level, const struct local_run *run)
{
    unsigned fields = level < 0 ? 0 : spec->levels[level].fields;
    struct local_scope scope = local_scope_keep(&run->scope, fields);
    int found = find_parameter(model, spec, level, &scope);
    if (found >= 0)
        return found;
    if (model->fit.n_parameters == model->parameters_max) {
        int room = model->parameters_max > 0 ? 2 * model->parameters_max : 128;
        struct local_parameter *grown = realloc(model->parameters, (size_t)room * sizeof(*grown));
        if (grown == NULL) {
            model->fit.failed = true;
            return -1;
        }
        model->parameters = grown;
        model->parameters_max = room;
    }
    double prior = level < 0 ? log(spec->prior) : 0.0;
    double spread = level < 0 ? spec->spread : spec->levels[level].spread;
    int added = term_fit_parameter(&model->fit, prior, spread);
    if (added >= 0)
        model->parameters[added] = (struct local_parameter){spec, level, scope};
    return added;
}

static void add_factor(struct local_model *model, enum local_constant constant, int sign,
                       const struct local_run *run)
{
    const struct local_constant_spec *spec = spec_of(constant);
    if (spec == NULL || !local_spec_concerns(spec, run))
        return;
    if (spec->spread > 0.0)
        term_fit_use(&model->fit, parameter_of(model, spec, -1, run), sign);
    for (int i = 0; i < LOCAL_LEVELS_MAX && spec->levels[i].fields != 0; i++)
        term_fit_use(&model->fit, parameter_of(model, spec, i, run), sign);
}

static void add_run(struct local_model *model, const struct local_run *run)
{
    term_fit_row(&model->fit, log(run->measured_us), run->weight, run->least_us);
    for (size_t i = 0; i < ARRAY_LEN(TERMS) && !model->fit.failed; i++) {
        const struct term_row_spec *term = &TERMS[i];
        double amount = run->amounts[term->amount];
        if (!(amount > 0.0))
            continue;
        term_fit_term(&model->fit, amount);
        for (int j = 0; j < TERM_CONSTANTS_MAX && term->factors[j].sign != 0; j++)
            add_factor(model, term->factors[j].constant, term->factors[j].sign, run);
    }
}

bool local_model_build(const struct local_runs *runs, enum backend backend, enum phase phase,
                       struct local_model *ret_model)
{
    memset(ret_model, 0, sizeof(*ret_model));
    ret_model->fit.bend = BEND[phase];
    ret_model->fit.sigma = SIGMA[phase];
    ret_model->runs = malloc(((size_t)runs->n + 1) * sizeof(*ret_model->runs));
    if (ret_model->runs == NULL)
        return false;
    for (int i = 0; i < runs->n && !ret_model->fit.failed; i++) {
        const struct local_run *run = &runs->items[i];
        if (run->phase != phase || run->scope.backend != (int)backend)
            continue;
        ret_model->runs[ret_model->fit.n_rows] = i;
        add_run(ret_model, run);
    }
    return !ret_model->fit.failed;
}

void local_model_free(struct local_model *model)
{
    term_fit_free(&model->fit);
    free(model->parameters);
    free(model->runs);
    memset(model, 0, sizeof(*model));
}

double local_model_value(const struct local_model *model, const double *values,
                         const struct local_constant_spec *spec, const struct local_scope *scope,
                         unsigned fields)
{
    struct local_scope none = local_scope_keep(scope, 0);
    int own = find_parameter(model, spec, -1, &none);
    double exponent = own >= 0 ? values[own] : log(spec->prior);
    for (int i = 0; i < LOCAL_LEVELS_MAX && spec->levels[i].fields != 0; i++) {
        unsigned needs = spec->levels[i].fields;
        if ((needs & ~fields) != 0)
            continue;
        struct local_scope kept = local_scope_keep(scope, needs);
        int found = find_parameter(model, spec, i, &kept);
        exponent += found >= 0 ? values[found] : 0.0;
    }
    return exp(exponent);
}
