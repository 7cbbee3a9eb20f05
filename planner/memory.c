/* The frame of every engine's memory rule: stages, terms, pool, what it holds, the verdict. */
#include "memory.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#include "local.h"
#include "memory_engine.h"
#include "memory_measured.h"
#include "units.h"

/* vLLM and SGLang admit on demand: the share of the output that a pool must hold for a sequence to
 * run without being pushed out is the engine's reserve_output_share; half is the mean length. */
#define MEAN_OUTPUT_SHARE 0.5
/* The longest context looked for where a model states no limit. */
#define CONTEXT_MAX 1073741824.0
/* Activation peak of a forward pass of M tokens, fitted to eleven vLLM start-up logs (worst 3 %):
 * M b (3 I/t + 6.5 h), and the sampler's dummy run of S rows over the vocabulary, 14.85 bytes each.
 */
#define FORWARD_FFN_COPIES 3.0
#define FORWARD_HIDDEN_COPIES 6.5
#define SAMPLER_BYTES_PER_LOGIT 14.85
/* Context, allocator and NCCL buffers, from the same logs: 0.25 GiB on one rank, 2.1 GiB with tp.
 */
#define CONTEXT_BYTES (0.25 * BYTES_PER_GIB)
#define CONTEXT_TP_BYTES (2.1 * BYTES_PER_GIB)

#define X(ID, NAME, TITLE) [ID] = NAME,
static const char *const TERM_NAMES[] = {MEMORY_TERM_LIST(X)};
#undef X
#define X(ID, NAME, TITLE) [ID] = TITLE,
static const char *const TERM_TITLES[] = {MEMORY_TERM_LIST(X)};
#undef X
#define X(ID, NAME) [ID] = NAME,
static const char *const KIND_NAMES[] = {KV_KIND_LIST(X)};
static const char *const VERDICT_NAMES[] = {MEMORY_VERDICT_LIST(X)};
#undef X

static const struct memory_engine *const MEMORY_ENGINES[MEMORY_RULE_COUNT] = {
    [MEMORY_VLLM] = &MEMORY_VLLM_ENGINE,         [MEMORY_SGLANG] = &MEMORY_SGLANG_ENGINE,
    [MEMORY_TRTLLM] = &MEMORY_TRTLLM_ENGINE,     [MEMORY_TGI] = &MEMORY_TGI_ENGINE,
    [MEMORY_LLAMACPP] = &MEMORY_LLAMACPP_ENGINE,
};

const char *memory_term_name(enum memory_term_id id)
{
    return TERM_NAMES[id];
}

const char *memory_term_title(enum memory_term_id id)
{
    return TERM_TITLES[id];
}

const char *kv_kind_name(enum kv_kind kind)
{
    return KIND_NAMES[kind];
}

const char *memory_verdict_name(enum memory_verdict verdict)
{
    return VERDICT_NAMES[verdict];
}

static const struct memory_engine *engine_of(const struct deployment *dep)
{
    return MEMORY_ENGINES[dep->engine->memory_rule];
}

const char *memory_term_formula(const struct deployment *dep, enum memory_term_id id)
{
    return engine_of(dep)->formulas[id];
}

const char *memory_pool_formula(const struct deployment *dep)
{
    return engine_of(dep)->pool_formula;
}

/* Terms ---------------------------------------------------------------------------------------- */

struct memory_term *memory_term_set(struct memory_plan *plan, enum memory_term_id id, double bytes,
                                    enum basis basis, bool in_budget)
{
    struct memory_term *term = &plan->terms[id];
    *term = (struct memory_term){
        .bytes = bytes, .low = bytes, .high = bytes, .basis = basis, .in_budget = in_budget};
    return term;
}

void memory_term_record(struct memory_plan *plan, enum memory_term_id id,
                        const struct memory_constant *rule, bool in_budget)
{
    plan->terms[id] = (struct memory_term){.bytes = rule->value,
                                           .low = rule->low,
                                           .high = rule->high,
                                           .basis = rule->basis,
                                           .in_budget = in_budget,
                                           .rule = rule->id != NULL ? rule : NULL};
}

const struct memory_constant *memory_case_constant(const struct memory_case *mc,
                                                   enum memory_constant_id id)
{
    const struct problem *problem = mc->problem;
    return memory_constant(problem->lib->memory_constants, id, &problem->dep, problem->hw);
}

double memory_case_value(const struct memory_case *mc, enum memory_constant_id id)
{
    return memory_case_constant(mc, id)->value;
}

double memory_spent(const struct memory_plan *plan, double sign)
{
    double spent = 0.0, squares = 0.0;
    for (int i = 0; i < MEMORY_TERM_COUNT; i++) {
        const struct memory_term *term = &plan->terms[i];
        if (!term->in_budget)
            continue;
        double off = sign > 0.0 ? term->high - term->bytes : term->bytes - term->low;
        spent += term->bytes;
        squares += off * off;
    }
    return sign == 0.0 ? spent : spent + sign * sqrt(squares);
}

void memory_pool_of_rest(struct memory_plan *plan, double usable)
{
    plan->usable_bytes = usable;
    plan->kv_bytes = usable - memory_spent(plan, 0.0);
    plan->kv_bytes_low = usable - memory_spent(plan, 1.0);
    plan->kv_bytes_high = usable - memory_spent(plan, -1.0);
}

void memory_pool_cap(struct memory_plan *plan, double most_bytes)
{
    plan->kv_bytes = fmin(plan->kv_bytes, most_bytes);
    plan->kv_bytes_low = fmin(plan->kv_bytes_low, most_bytes);
    plan->kv_bytes_high = fmin(plan->kv_bytes_high, most_bytes);
}

double memory_widest_ffn(const struct model *model)
{
    double width = 0.0;
    for (int i = 0; i < model->n_groups; i++)
        for (int j = 0; j < model->groups[i].n_ffns; j++) {
            const struct ffn *ffn = &model->groups[i].ffns[j];
            width = fmax(width, ffn->kind == FFN_DENSE ? ffn->width : ffn->shared_width);
        }
    return width;
}

double memory_expert_row_bytes(const struct model *model, const struct deployment *dep)
{
    double bytes = 0.0;
    struct ranks ranks = ranks_of(dep);
    for (int i = 0; i < model->n_groups; i++)
        for (int j = 0; j < model->groups[i].n_ffns; j++) {
            const struct ffn *ffn = &model->groups[i].ffns[j];
            if (ffn->kind != FFN_MOE)
                continue;
            double width = ffn->expert_width / ranks.expert_tp;
            double in = ffn->latent > 0.0 ? ffn->latent : model->hidden;
            bytes = fmax(bytes,
                         ffn->top_k * (fmax(2.0 * width, in) + fmax(width, in)) * ACTIVATION_BYTES);
        }
    return bytes;
}

double memory_step_tokens(const struct problem *problem)
{
    double chunk = problem->dep.chunked_prefill_tokens;
    return chunk > 0.0 ? chunk : fmin(problem->dep.max_model_len, 32768.0);
}

void memory_step_terms(const struct memory_case *mc, struct memory_plan *plan, bool in_budget)
{
    const struct problem *problem = mc->problem;
    const struct model *model = problem->model;
    const struct deployment *dep = &problem->dep;
    double tokens = memory_step_tokens(problem);
    double forward = tokens * ACTIVATION_BYTES *
                     (FORWARD_FFN_COPIES * memory_widest_ffn(model) / dep->tp +
                      FORWARD_HIDDEN_COPIES * model->hidden);
    double sampler = SAMPLER_BYTES_PER_LOGIT * fmin(dep->max_num_seqs, tokens) * model->vocab +
                     tokens * model->hidden * ACTIVATION_BYTES;
    memory_term_set(plan, TERM_ACTIVATION,
                    tokens * memory_expert_row_bytes(model, dep) + fmax(forward, sampler),
                    BASIS_ASSUMED, in_budget);
    memory_term_set(plan, TERM_NON_TORCH, dep->tp > 1.0 ? CONTEXT_TP_BYTES : CONTEXT_BYTES,
                    BASIS_ASSUMED, in_budget);
    if (dep->other_processes_bytes > 0.0)
        memory_term_set(plan, TERM_OTHERS, dep->other_processes_bytes, BASIS_DERIVED, in_budget);
}

double memory_state_element_bytes(const struct problem *problem)
{
    switch (problem->dep.state_dtype) {
    case STATE_BF16:
    case STATE_F16:
        return 2.0;
    case STATE_F32:
        return 4.0;
    case STATE_OF_MODEL:
        break;
    }
    return problem->model->state_bytes_per_element;
}

/* What the engine's own log printed stands in the place of what is computed. */
static void take_measured(const struct measured_memory *measured, struct memory_plan *plan)
{
    const struct {
        enum memory_term_id id;
        double bytes;
    } rows[] = {
        {TERM_WEIGHTS, measured->weights_bytes},
        {TERM_ACTIVATION, measured->activation_bytes},
        {TERM_NON_TORCH, measured->non_torch_bytes},
        {TERM_GRAPHS, measured->graph_bytes},
    };

    for (size_t i = 0; i < ARRAY_LEN(rows); i++)
        if (rows[i].bytes > 0.0)
            memory_term_set(plan, rows[i].id, rows[i].bytes, BASIS_MEASURED,
                            plan->terms[rows[i].id].in_budget || rows[i].id == TERM_WEIGHTS);
    /* The engine prints one figure for all that it loaded. */
    for (int i = TERM_ROPE; measured->weights_bytes > 0.0 && i <= TERM_OFFLOADED; i++)
        plan->terms[i] = (struct memory_term){0};
}

/* How far a pool may be off what the terms leave and still be the rest. */
#define REST_ROUNDING 1.0

/* Where the pool is what the rest leaves and the log prints weights and pool, the activation peak
 * is what both leave. */
static bool take_rest(const struct memory_case *mc, struct memory_plan *plan)
{
    const struct memory_term *activation = &plan->terms[TERM_ACTIVATION];
    double spent = memory_spent(plan, 0.0);
    bool is_rest = fabs(plan->usable_bytes - spent - plan->kv_bytes) < REST_ROUNDING;
    double left = memory_measured_activation(&mc->problem->dep, plan->usable_bytes,
                                             spent - activation->bytes);
    if (!is_rest || !activation->in_budget || isnan(left))
        return false;
    memory_term_set(plan, TERM_ACTIVATION, left, BASIS_DERIVED, true);
    return true;
}

static void take_measured_pool(const struct measured_memory *measured, struct memory_plan *plan)
{
    if (measured->kv_bytes > 0.0)
        plan->kv_bytes = plan->kv_bytes_low = plan->kv_bytes_high = measured->kv_bytes;
    else if (measured->out_of_memory) /* and no pool was left to print */
        plan->kv_bytes = plan->kv_bytes_low = plan->kv_bytes_high = 0.0;
}

/* Devices and stages --------------------------------------------------------------------------- */

/* The next number of a list "23.6,15.7"; 0 for what is no number, and at its end. */
static double next_number(const char **text)
{
    double number = 0.0, place = 1.0;
    for (; **text >= '0' && **text <= '9'; (*text)++)
        number = number * 10.0 + (**text - '0');
    if (**text == '.')
        for ((*text)++; **text >= '0' && **text <= '9'; (*text)++)
            number += (**text - '0') * (place /= 10.0);
    *text += strcspn(*text, ",");
    *text += **text == ',';
    return number;
}

int memory_list(const char *text, double *ret_numbers, int max)
{
    int n = 0;
    while (text != NULL && *text != '\0' && n < max)
        ret_numbers[n++] = next_number(&text);
    return n;
}

/* The least memory of a stage's devices, where devices differ; else that of the part. */
static double stage_memory(const struct problem *problem, const struct memory_stage *stage)
{
    double gib[MEMORY_DEVICES_MAX];
    int n = memory_list(problem->dep.device_memory_gib, gib, MEMORY_DEVICES_MAX);
    double each = stage->devices;
    double least = INFINITY;
    for (int i = (int)(stage->index * each); i < (int)((stage->index + 1.0) * each) && i < n; i++)
        if (gib[i] > 0.0)
            least = fmin(least, gib[i] * BYTES_PER_GIB);
    return isinf(least) ? problem->hw->memory_bytes : least;
}

/* Layers of each stage: as stated ("20,20,21,19"), else evenly, what is left over going to the
 * stages before the last, one each from behind. */
int memory_even_stages(const struct problem *problem, struct memory_stage *ret_stages)
{
    double stated[MEMORY_DEVICES_MAX];
    int n = (int)fmin(problem->dep.pp, MEMORY_DEVICES_MAX);
    int n_stated = memory_list(problem->dep.pp_layers, stated, n);
    double each = floor(problem->model->n_layers / n);
    int left = (int)(problem->model->n_layers - each * n);
    double from = 0.0;
    for (int i = 0; i < n; i++) {
        bool more = i < n - 1 && i >= n - 1 - left;
        double layers = each + (more ? 1.0 : 0.0);
        if (i < n_stated && stated[i] > 0.0)
            layers = stated[i];
        ret_stages[i] = (struct memory_stage){.index = i,
                                              .layers = layers,
                                              .from = from,
                                              .devices = problem->dep.tp,
                                              .first = i == 0,
                                              .last = i == n - 1};
        from += layers;
    }
    return n;
}

static void compute_stage(const struct memory_case *mc, struct memory_plan *plan)
{
    const struct problem *problem = mc->problem;
    const struct memory_engine *engine = engine_of(&problem->dep);
    memset(plan, 0, sizeof(*plan));
    plan->basis = BASIS_ASSUMED;
    plan->stage = mc->stage.index;
    double measured = problem->dep.measured.total_bytes;
    plan->total_bytes = measured > 0.0 ? measured : stage_memory(problem, &mc->stage);
    const struct measured_memory printed = memory_measured(&problem->dep);
    engine->terms(mc, plan);
    take_measured(&printed, plan);
    engine->pool(mc, plan);
    if (take_rest(mc, plan))
        engine->pool(mc, plan);
    take_measured_pool(&printed, plan);
    engine->layout(mc, plan);
    const struct kv_layout *layout = &plan->layout;
    plan->layout.units = layout->unit_bytes > 0.0
                             ? floor(fmax(plan->kv_bytes, 0.0) / layout->unit_bytes * (1.0 + 1e-12))
                             : (double)INFINITY;
}

/* Whether a stage is as the one before it, neither of them an end. */
static bool is_repeated(const struct problem *problem, const struct memory_stage *stage)
{
    return stage->index > 1.0 && !stage->last && stage->layers == stage[-1].layers &&
           problem->dep.device_memory_gib == NULL && !(problem->dep.cpu_moe_layers > 0.0);
}

/* Whether the pool holds less, or as much with less room beside it. */
static bool holds_less(const struct memory_plan *plan, const struct memory_plan *than)
{
    double room = plan->usable_bytes - memory_spent(plan, 0.0);
    double than_room = than->usable_bytes - memory_spent(than, 0.0);
    if (plan->layout.units != than->layout.units)
        return plan->layout.units < than->layout.units;
    return room < than_room;
}

/* The stage whose pool holds least. */
static void compute_stages(const struct problem *problem, double weights_scale,
                           struct memory_plan *ret_plan)
{
    struct memory_stage stages[MEMORY_DEVICES_MAX];
    struct memory_plan plan;
    int n = engine_of(&problem->dep)->stages(problem, stages);
    double all = fmax(problem->model->n_layers, 1.0);
    for (int i = 0; i < n; i++) {
        if (is_repeated(problem, &stages[i]))
            continue;
        struct memory_case mc = {.problem = problem,
                                 .weights_scale = weights_scale,
                                 .stage = stages[i],
                                 .layer_share = n > 1 ? stages[i].layers / all : 1.0};
        compute_stage(&mc, i == 0 ? ret_plan : &plan);
        if (i > 0 && holds_less(&plan, ret_plan))
            *ret_plan = plan;
    }
}

/* What it holds -------------------------------------------------------------------------------- */

double memory_held_tokens(const struct problem *problem, double input_tokens, double output_tokens)
{
    double share = fmax(problem->dep.reserve_output_share, MEAN_OUTPUT_SHARE);
    double length = input_tokens + share * output_tokens;
    double block = fmax(problem->dep.block_size, 1.0);
    return ceil(length / block) * block;
}

double memory_sequences(const struct problem *problem, const struct memory_plan *memory,
                        double tokens)
{
    double each =
        engine_of(&problem->dep)->units(problem, &memory->layout, fmax(tokens, 1.0), true);
    if (each <= 0.0 || isinf(memory->layout.units))
        return INFINITY;
    return memory->layout.units / each;
}

double memory_held(const struct problem *problem, const struct memory_plan *memory,
                   double input_tokens, double output_tokens)
{
    double tokens = memory_held_tokens(problem, input_tokens, output_tokens);
    return floor(memory_sequences(problem, memory, tokens) * (1.0 + 1e-12));
}

static double units_of(const struct problem *problem, const struct memory_plan *plan, double tokens)
{
    return engine_of(&problem->dep)->units(problem, &plan->layout, fmax(tokens, 1.0), false);
}

static double concurrency(const struct problem *problem, const struct memory_plan *plan,
                          double tokens)
{
    double each = units_of(problem, plan, tokens);
    return each > 0.0 ? plan->layout.units / each : (double)INFINITY;
}

/* The longest request that must fit for the engine to start and for the workload to run. */
static double needed_tokens(const struct problem *problem)
{
    double length = problem->load.input_tokens + problem->load.output_tokens;
    bool refuses = engine_of(&problem->dep)->refuses_longest && problem->dep.longest_is_stated;
    return refuses ? fmax(length, problem->dep.max_model_len) : length;
}

static void judge(const struct problem *problem, struct memory_plan *plan)
{
    const struct kv_layout *layout = &plan->layout;
    double tokens = needed_tokens(problem);
    double units = units_of(problem, plan, tokens);
    double need = fmax(units > 0.0 ? units * layout->unit_bytes : 0.0, layout->least_bytes);
    bool held = need <= 0.0 || (layout->units >= units && plan->kv_bytes >= layout->least_bytes);
    bool failed = memory_measured(&problem->dep).out_of_memory;
    plan->fits = plan->kv_bytes > 0.0 && !layout->refused && held && !failed;
    bool allocates = layout->least_bytes > 0.0 && layout->least_bytes >= need;
    plan->needed_bytes = need;
    plan->needed_tokens = allocates ? layout->least_bytes / layout->unit_bytes : tokens;
    plan->short_by_bytes = plan->fits ? 0.0 : fmax(need - plan->kv_bytes, 0.0);
    plan->verdict = MEMORY_MAY_FIT;
    if (failed || layout->refused || plan->kv_bytes_high <= 0.0 || plan->kv_bytes_high < need)
        plan->verdict = MEMORY_DOES_NOT_FIT;
    else if (plan->kv_bytes_low > 0.0 && plan->kv_bytes_low >= need)
        plan->verdict = MEMORY_FITS;
}

static void sum_terms(struct memory_plan *plan)
{
    enum basis basis = BASIS_MEASURED;
    for (int i = 0; i < MEMORY_TERM_COUNT; i++) {
        const struct memory_term *term = &plan->terms[i];
        double *sum = i <= TERM_OFFLOADED    ? &plan->weights_bytes
                      : i == TERM_ACTIVATION ? &plan->activation_bytes
                                             : &plan->overhead_bytes;
        *sum += term->bytes;
        if (term->bytes != 0.0 && term->basis > basis)
            basis = term->basis;
    }
    plan->basis = basis;
}

static void fill_figures(const struct problem *problem, struct memory_plan *plan)
{
    const struct model *model = problem->model;
    const struct deployment *dep = &problem->dep;
    double length = problem->load.input_tokens + problem->load.output_tokens;
    /* A local engine lays whole layers out, one device behind the other. */
    struct deployment ranks = *dep;
    if (local_is_engine(dep->engine))
        ranks.tp = ranks.pp = 1.0;
    plan->kv_bytes_per_token = rank_kv_bytes_per_token(model, &ranks, false) * ranks.pp;
    plan->kv_bytes_per_token_beyond_window =
        rank_kv_bytes_per_token(model, &ranks, true) * ranks.pp;
    plan->state_bytes_per_sequence = rank_state_bytes(model, &ranks) * ranks.pp;
    plan->max_concurrency = concurrency(problem, plan, length);
    plan->max_concurrency_at_max_model_len = concurrency(problem, plan, dep->max_model_len);
    double printed = memory_measured(dep).kv_tokens;
    plan->kv_token_capacity = printed > 0.0 ? printed : engine_of(dep)->printed(problem, plan);
    plan->held_sequences =
        memory_held(problem, plan, problem->load.input_tokens, problem->load.output_tokens);
}

void memory_lay_out(const struct problem *problem, double weights_scale,
                    struct memory_plan *ret_memory)
{
    compute_stages(problem, weights_scale, ret_memory);
    sum_terms(ret_memory);
}

void memory_load(const struct problem *problem, struct memory_plan *memory)
{
    judge(problem, memory);
    memory->kv_bytes = fmax(memory->kv_bytes, 0.0);
    memory->kv_bytes_low = fmax(memory->kv_bytes_low, 0.0);
    memory->kv_bytes_high = fmax(memory->kv_bytes_high, 0.0);
    fill_figures(problem, memory);
}

void memory_compute(const struct problem *problem, double weights_scale,
                    struct memory_plan *ret_memory)
{
    memory_lay_out(problem, weights_scale, ret_memory);
    memory_load(problem, ret_memory);
}

double memory_longest_context(const struct problem *problem, const struct memory_plan *memory)
{
    double positions = problem_positions(problem);
    double high = positions > 0.0 ? positions : CONTEXT_MAX;
    double low = 0.0;
    high = fmax(high, problem->dep.max_model_len);
    if (engine_of(&problem->dep)->longest != NULL)
        return fmin(engine_of(&problem->dep)->longest(problem, memory), high);
    if (concurrency(problem, memory, high) >= 1.0)
        return high;
    while (high - low > 1.0) {
        double middle = floor((low + high) / 2.0);
        if (concurrency(problem, memory, middle) >= 1.0)
            low = middle;
        else
            high = middle;
    }
    return low;
}
