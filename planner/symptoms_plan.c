#include "symptoms_read.h"

#include <math.h>

#include "parallel.h"
#include "units.h"

/* A time within this factor of the budget is the budget's: its own 80 % intervals are about so
 * wide. */
#define AS_PLANNED 1.3
#define FAR_ABOVE 1.6
/* Within this factor of the floor nothing but reading memory takes time. */
#define AT_FLOOR 1.35
/* A budget under another assumption explains a time when it comes this near. */
#define EXPLAINS 0.25
#define LARGE_SHARE 0.25
#define LARGEST_SHARE 0.4
#define SMALL_MODEL_PARAMS 3.5e9
#define LONG_PROMPT_TOKENS 8192.0
#define LONG_CONTEXT_TOKENS 16384.0
#define LARGE_BATCH_ROWS 64.0
/* Tokens of a step beyond which prefill gains nothing and the activation peak only grows. */
#define LARGE_STEP_TOKENS 4096.0
/* Engines capture multiples of this beyond the smallest sizes. */
#define CAPTURE_STRIDE 8.0
#define CAPTURE_STRIDE_FROM 16.0

static void see(struct symptoms *symptoms, enum sign_id id, double strength, double a, double b,
                const char *text, enum origin origin)
{
    const struct sign sign = {.strength = strength, .a = a, .b = b, .text = text, .origin = origin};

    symptoms_sign(symptoms, id, &sign);
}

static void know(struct symptoms *symptoms, enum sign_id id, double a, double b, const char *text)
{
    see(symptoms, id, 1.0, a, b, text, ORIGIN_DEPLOYMENT);
}

/* What is deployed ----------------------------------------------------------------------------- */

static void read_flags(const struct setup *setup, struct symptoms *symptoms)
{
    static const struct {
        size_t offset;
        enum topic_id topic;
    } USES[] = {
        {offsetof(struct setup, guided), TOPIC_GUIDED},
        {offsetof(struct setup, penalties), TOPIC_PENALTIES},
        {offsetof(struct setup, sorting), TOPIC_SORTING},
        {offsetof(struct setup, adapters), TOPIC_LORA},
    };

    for (size_t i = 0; i < ARRAY_LEN(USES); i++)
        if (*(const bool *)((const char *)setup + USES[i].offset))
            symptoms_use(symptoms, USES[i].topic, 1.0, ORIGIN_DEPLOYMENT, NULL);
    if (setup->logprobs > 0.0)
        symptoms_use(symptoms, TOPIC_LOGPROBS, 1.0, ORIGIN_DEPLOYMENT, NULL);
    if (setup->spec_tokens > 0.0)
        symptoms_use(symptoms, TOPIC_DRAFT, 1.0, ORIGIN_DEPLOYMENT, NULL);
    if (setup->graphs_off)
        know(symptoms, SIGN_GRAPHS_OFF, NAN, NAN, NULL);
    if (setup->graphs_on)
        symptoms_use(symptoms, TOPIC_GRAPHS, 1.0, ORIGIN_DEPLOYMENT, NULL);
    if (setup->serial_host)
        know(symptoms, SIGN_SERIAL_HOST, NAN, NAN, NULL);
    if (setup->lockstep)
        know(symptoms, SIGN_LOCKSTEP, NAN, NAN, NULL);
    if (setup->host_sampler)
        know(symptoms, SIGN_HOST_SAMPLER, NAN, NAN, NULL);
    else if (setup->engine)
        know(symptoms, SIGN_DEVICE_SAMPLER, NAN, NAN, NULL);
}

static bool is_off_stride(double rows)
{
    return rows >= CAPTURE_STRIDE_FROM && fmod(rows, CAPTURE_STRIDE) != 0.0;
}

static void read_sizes(const struct setup *setup, struct symptoms *symptoms)
{
    double batch = fmin(setup->concurrency, setup->max_num_seqs); /* NAN only when both are */

    if (is_off_stride(setup->max_num_seqs))
        know(symptoms, SIGN_OFF_STRIDE, setup->max_num_seqs, NAN, "max_num_seqs");
    if (is_off_stride(setup->step_tokens) && setup->step_tokens < LARGE_STEP_TOKENS)
        know(symptoms, SIGN_OFF_STRIDE, setup->step_tokens, NAN, "max_num_batched_tokens");
    if (setup->step_tokens > LARGE_STEP_TOKENS && setup->max_num_seqs <= 16.0)
        know(symptoms, SIGN_LARGE_STEP, setup->step_tokens, setup->max_num_seqs, NULL);
    if (setup->max_num_seqs < 0.8 * setup->concurrency)
        know(symptoms, SIGN_SEQS_CAPPED, setup->max_num_seqs, setup->concurrency, NULL);
    if (batch >= LARGE_BATCH_ROWS)
        know(symptoms, SIGN_LARGE_BATCH, batch, NAN, NULL);
    if (batch == 1.0)
        know(symptoms, SIGN_SINGLE_STREAM, NAN, NAN, NULL);
    if (setup->input_tokens >= LONG_PROMPT_TOKENS)
        know(symptoms, SIGN_LONG_PROMPTS, setup->input_tokens, NAN, NULL);
    if (setup->input_tokens >= LONG_CONTEXT_TOKENS)
        know(symptoms, SIGN_LONG_CONTEXT, setup->input_tokens, NAN, NULL);
}

static void read_links(const struct setup *setup, struct symptoms *symptoms)
{
    const struct hardware *hw = setup->hw;

    if (setup->tp > 1.0)
        symptoms_use(symptoms, TOPIC_TP, 1.0, ORIGIN_DEPLOYMENT, NULL);
    if (!hw)
        return;
    bool card = hw->class == HW_CONSUMER || hw->class == HW_WORKSTATION;
    if (card)
        know(symptoms, SIGN_CONSUMER_PART, NAN, NAN, NULL);
    if (!(setup->devices > 1.0))
        return;
    if (hw->link_is_fabric && !card)
        know(symptoms, SIGN_FABRIC, NAN, NAN, hw->link_kind);
    else
        know(symptoms, SIGN_NO_FABRIC, setup->devices, NAN, NULL);
}

static bool has_mixer(const struct model *model, enum mixer_kind kind)
{
    for (int i = 0; i < model->n_groups; i++)
        for (int j = 0; j < model->groups[i].n_mixers; j++)
            if (model->groups[i].mixers[j].kind == kind)
                return true;
    return false;
}

static bool is_hybrid(const struct model *model)
{
    static const enum mixer_kind KINDS[] = {MIXER_WINDOW, MIXER_CHUNKED,   MIXER_GATED_DELTA,
                                            MIXER_KDA,    MIXER_LIGHTNING, MIXER_MAMBA1,
                                            MIXER_MAMBA2, MIXER_SHORT_CONV};

    for (size_t i = 0; i < ARRAY_LEN(KINDS); i++)
        if (has_mixer(model, KINDS[i]))
            return true;
    return false;
}

static bool has_experts(const struct model *model)
{
    for (int i = 0; i < model->n_groups; i++)
        for (int j = 0; j < model->groups[i].n_ffns; j++)
            if (model->groups[i].ffns[j].kind == FFN_MOE)
                return true;
    return false;
}

static void read_model(const struct plan *plan, struct symptoms *symptoms)
{
    const struct model *model = plan->problem.model;
    const struct deployment *dep = &plan->problem.dep;

    if (model->params_total < SMALL_MODEL_PARAMS)
        know(symptoms, SIGN_SMALL_MODEL, NAN, NAN, NULL);
    if (has_experts(model))
        know(symptoms, SIGN_MOE_MODEL, NAN, NAN, NULL);
    if (is_hybrid(model))
        know(symptoms, SIGN_HYBRID_MODEL, NAN, NAN, NULL);
    if (has_mixer(model, MIXER_MLA) && dep->tp > 1.0 && !(dep->dcp > 1.0))
        know(symptoms, SIGN_LATENT_MODEL, dep->tp, NAN, NULL);
    if (dep->weights->weight_only)
        know(symptoms, SIGN_WEIGHT_ONLY, NAN, NAN, NULL);
    for (int i = 0; i < plan->n_warnings; i++) {
        const struct warning *warning = &plan->warnings[i];
        if (warning->id == WARN_EMULATED)
            know(symptoms, SIGN_NO_NATIVE_PATH, NAN, NAN, NULL);
        if (warning->id == WARN_NOT_RESIDENT || warning->id == WARN_WEIGHTS_DO_NOT_FIT)
            know(symptoms, SIGN_TOO_LARGE, warning->value[0], warning->value[1], NULL);
    }
    if (dep->engine->memory_rule == MEMORY_LLAMACPP)
        know(symptoms, SIGN_LOCAL_ENGINE, NAN, NAN, NULL);
}

/* Beside the budget ---------------------------------------------------------------------------- */

static void read_capacity(const struct plan *plan, const struct setup *setup,
                          struct symptoms *symptoms)
{
    double held = plan->memory.max_concurrency, asked = setup->concurrency;

    if (isnan(asked) || asked <= 1.0 || isnan(setup->input_tokens))
        return;
    if (held < 0.9 * asked)
        see(symptoms, SIGN_KV_CANNOT_HOLD, 1.0, held, asked, NULL, ORIGIN_PLAN);
    if (held > 1.5 * asked)
        see(symptoms, SIGN_KV_HOLDS, 1.0, held, asked, NULL, ORIGIN_PLAN);
}

static void read_shares(const struct plan *plan, struct symptoms *symptoms)
{
    const struct step *step = &plan->decode;
    double sum = 0;

    for (int i = 0; i < PART_COUNT; i++)
        sum += step->parts_us[i];
    if (!(sum > 0.0))
        return;

    const struct {
        enum sign_id sign;
        double share;
    } rows[] = {
        {SIGN_LINK_SHARE, step->parts_us[PART_LINK] / sum},
        {SIGN_WEIGHT_SHARE, step->parts_us[PART_WEIGHT] / sum},
        {SIGN_KV_SHARE, step->parts_us[PART_KV] / sum},
        {SIGN_HOST_SHARE,
         (step->parts_us[PART_HOST_PER_SEQUENCE] + step->parts_us[PART_FIXED]) / sum},
        {SIGN_PREFILL_SHARE,
         plan->prefill_cycle_us / (plan->prefill_cycle_us + plan->decode_cycle_us)},
    };

    for (size_t i = 0; i < ARRAY_LEN(rows); i++)
        if (rows[i].share >= LARGE_SHARE)
            see(symptoms, rows[i].sign, rows[i].share >= LARGEST_SHARE ? 1.0 : 0.5, rows[i].share,
                NAN, NULL, ORIGIN_PLAN);
}

double symptoms_seen_tpot_us(const struct setup *setup, const struct observed *observed)
{
    static const enum observed_id TIMES[] = {OBS_TPOT_MEAN_MS, OBS_TPOT_P50_MS, OBS_ITL_MEAN_MS,
                                             OBS_ITL_P50_MS};

    double rate = observed_value(observed, OBS_OUTPUT_TOK_S);
    double user = observed_value(observed, OBS_OUTPUT_TOK_S_PER_USER);

    for (size_t i = 0; i < ARRAY_LEN(TIMES); i++)
        if (observed_has(observed, TIMES[i]))
            return observed_value(observed, TIMES[i]) * US_PER_MS;
    if (user > 0.0)
        return US_PER_S / user;
    if (rate > 0.0)
        return setup->concurrency * US_PER_S / rate;
    return (double)NAN;
}

/* The budget's time per token under another assumption. */
static double tpot_with(const struct problem *problem, struct plan *scratch)
{
    plan_compute(problem, PLAN_BARE, scratch);
    return scratch->tpot_ms.expected * US_PER_MS;
}

static bool explains(double budget_us, double seen_us)
{
    return fabs(log(budget_us / seen_us)) <= EXPLAINS;
}

/* Which change of an assumption makes the budget what was seen. */
static void try_assumptions(const struct plan *plan, double seen_us, struct symptoms *symptoms)
{
    struct plan scratch;
    struct problem problem = plan->problem;

    if (problem.dep.cuda_graphs) {
        problem.dep.cuda_graphs = false;
        double us = tpot_with(&problem, &scratch);
        if (explains(us, seen_us))
            see(symptoms, SIGN_EAGER_FITS, 0.8, us, NAN, NULL, ORIGIN_PLAN);
        problem.dep.cuda_graphs = true;
    }
    if (problem.dep.async_scheduling) {
        problem.dep.async_scheduling = false;
        double us = tpot_with(&problem, &scratch);
        if (explains(us, seen_us))
            see(symptoms, SIGN_SYNC_FITS, 0.8, us, NAN, NULL, ORIGIN_PLAN);
        problem.dep.async_scheduling = true;
    }
    if (problem.dep.sampler == SAMPLER_DEVICE) {
        problem.dep.sampler = SAMPLER_HOST;
        double us = tpot_with(&problem, &scratch);
        if (explains(us, seen_us))
            see(symptoms, SIGN_HOST_SAMPLER_FITS, 0.5, us, NAN, NULL, ORIGIN_PLAN);
    }
}

static void read_tpot(const struct plan *plan, const struct setup *setup,
                      const struct observed *observed, struct symptoms *symptoms)
{
    double seen = symptoms_seen_tpot_us(setup, observed);
    double budget = plan->tpot_ms.expected * US_PER_MS, floor = plan->tpot_ms.floor * US_PER_MS;
    double high = plan->tpot_ms.high * US_PER_MS;

    if (isnan(seen))
        return;
    if (floor > 0.0 && seen < AT_FLOOR * floor)
        see(symptoms, SIGN_TPOT_AT_FLOOR, 1.0, seen, seen / floor, NULL, ORIGIN_PLAN);
    /* Without a record of this part's kernels the floor has to do, with room above it. */
    double reference = isnan(budget) ? 2.0 * floor : budget;
    if (!(reference > 0.0))
        return;
    if (seen <= fmax(AS_PLANNED * reference, isnan(high) ? 0.0 : high)) {
        see(symptoms, SIGN_TPOT_AT_BUDGET, 1.0, seen, reference, NULL, ORIGIN_PLAN);
        return;
    }
    see(symptoms, SIGN_TPOT_HIGH, seen > FAR_ABOVE * reference ? 1.0 : 0.6, seen, seen / reference,
        NULL, ORIGIN_PLAN);
    if (!isnan(budget))
        try_assumptions(plan, seen, symptoms);
}

static void read_ttft(const struct plan *plan, const struct observed *observed,
                      struct symptoms *symptoms)
{
    double seen = observed_value(observed, OBS_TTFT_MEAN_MS);
    double budget = plan->ttft_ms.expected;

    if (isnan(seen))
        seen = observed_value(observed, OBS_TTFT_P50_MS);
    if (isnan(budget))
        budget = 2.0 * plan->ttft_ms.floor;
    if (isnan(seen) || !(budget > 0.0))
        return;
    if (seen <= AS_PLANNED * fmax(budget, isnan(plan->ttft_ms.high) ? 0.0 : plan->ttft_ms.high))
        see(symptoms, SIGN_TTFT_AT_BUDGET, 1.0, seen * US_PER_MS, budget * US_PER_MS, NULL,
            ORIGIN_PLAN);
    else
        see(symptoms, SIGN_TTFT_HIGH, 1.0, NAN, NAN, NULL, ORIGIN_PLAN);
}

static void read_rate(const struct plan *plan, struct symptoms *symptoms)
{
    double sent = plan->problem.load.request_rate, most = plan->max_request_rate.expected;

    if (sent > 0.95 * most)
        see(symptoms, SIGN_SATURATED, 1.0, sent, most, NULL, ORIGIN_PLAN);
}

void symptoms_of_setup(const struct setup *setup, const struct observed *observed,
                       struct symptoms *symptoms)
{
    read_flags(setup, symptoms);
    read_sizes(setup, symptoms);
    read_links(setup, symptoms);
    if (!setup->plan)
        return;
    read_model(setup->plan, symptoms);
    read_capacity(setup->plan, setup, symptoms);
    read_shares(setup->plan, symptoms);
    read_tpot(setup->plan, setup, observed, symptoms);
    read_ttft(setup->plan, observed, symptoms);
    read_rate(setup->plan, symptoms);
}
