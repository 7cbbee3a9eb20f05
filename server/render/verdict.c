#include "verdict.h"

#include <math.h>

#include "local.h"
#include <string.h>

#include "load.h"
#include "memory.h"
#include "parallel.h"
#include "units.h"

/*
 * Letters: P time of the regime's part   Q its share of the step   S the step   D device time
 *          B sequences   L context   W weight bytes read   K KV and state bytes read   N new tokens
 *          C share of prefill in a request's cycle   U usable and V needed bytes   H held sequences
 *          A asked sequences   E tokens one of them holds   T devices
 *          s the step's name   d the dominant class   r "sequence" or "sequences"
 */
struct reason {
    enum part part;
    const char *text;
};

static const struct reason REASONS[REGIME_COUNT] = {
    [REGIME_CAPACITY] = {PART_REST,
                         "the KV pool of a rank holds {wH} sequences of {wE} tokens (input and the "
                         "reserved part of "
                         "the output) and {wA} are asked of it: the rest wait for memory"},
    [REGIME_HOST_BOUND_BATCH] =
        {PART_HOST_PER_SEQUENCE,
         "{tP} of the {tS} {ss} ({pQ}) is host work that grows with the {wB} running {sr}, "
         "{sd} first; the device itself needs {tD}"},
    [REGIME_WEIGHT_BANDWIDTH] =
        {PART_WEIGHT, "every {ss} reads {bW} of weights, {tP} of its {tS} ({pQ}), for {wB} "
                      "{sr}: {sd} leads"},
    [REGIME_KV_BANDWIDTH] =
        {PART_KV, "{wB} {sr} at {wL} tokens of context read {bK} of KV cache and state, {tP} of "
                  "the {tS} {ss} ({pQ}); the weights are {bW}"},
    [REGIME_PREFILL_COMPUTE] =
        {PART_COMPUTE, "prompts take {pC} of a request's cycle, and computing {wN} new tokens "
                       "takes {tP} of the {tS} {ss} ({pQ})"},
    [REGIME_SMALL_MODEL_HOST] =
        {PART_FIXED, "{tP} of the {tS} {ss} ({pQ}) is launches, fixed kernel costs and the "
                     "scheduler, which no faster device shortens; it reads {bW} of weights"},
    [REGIME_DECODE_COMPUTE] =
        {PART_COMPUTE, "{wB} {sr} bring the {ss} past the ridge: computing takes {tP} of its "
                       "{tS} ({pQ})"},
    [REGIME_INTERCONNECT] =
        {PART_LINK, "the links between {wT} devices take {tP} of the {tS} {ss} ({pQ}), {sd} "
                    "first"},
};

static const char SATURATED[] =
    "more arrives than finishes: the KV pool of a rank fills up at {wH} sequences of {wE} tokens, "
    "and the queue grows without end";

static const char DOES_NOT_FIT[] =
    "weights and overhead need {bV} of the {bU} usable on each device: the model does "
    "not fit";

double verdict_ridge(const struct step *step)
{
    return step->ridge > 0 ? step->ridge : (double)NAN;
}

double verdict_model_bytes(const struct problem *problem)
{
    double bytes = 0;

    for (int role = 0; role < ROLE_COUNT; role++) {
        if (role != ROLE_MTP && role != ROLE_VISION)
            bytes += problem->model->params_by_role[role] *
                     role_bytes(problem->model, &problem->dep, (enum role)role);
    }
    return bytes;
}

double verdict_kv_read_bytes(const struct step *step)
{
    static const enum class_id READERS[] = {CLASS_DECODE_ATTENTION, CLASS_PREFILL_ATTENTION,
                                            CLASS_SPARSE_INDEXER, CLASS_STATE_UPDATE};

    double bytes = 0;

    for (size_t i = 0; i < ARRAY_LEN(READERS); i++)
        bytes += step->classes[READERS[i]].present ? step->classes[READERS[i]].bytes : 0;
    return bytes;
}

void verdict_because(const struct plan *plan, struct phrase *phrase)
{
    const struct reason *reason = &REASONS[plan->regime];
    bool prefill = plan->dominant.phase == PHASE_PREFILL;
    const struct step *step = prefill ? &plan->prefill : &plan->decode;
    const struct workload *load = &plan->problem.load;
    double cycle = plan->decode_cycle_us + plan->prefill_cycle_us;
    double ranks = plan->problem.dep.dp * plan->problem.dep.replicas;
    const char *text = reason->text;
    struct figures figures;

    memset(&figures, 0, sizeof(figures));
    figure_set(&figures, 'P', step->parts_us[reason->part]);
    figure_set(&figures, 'Q',
               step->time_us > 0 ? step->parts_us[reason->part] / step->time_us : (double)NAN);
    figure_set(&figures, 'S', step->time_us);
    figure_set(&figures, 'D', step->device_us);
    figure_set(&figures, 'B', step->batch);
    figure_set(&figures, 'L', step->context_tokens);
    figure_set(&figures, 'W', step->weight_read_bytes);
    figure_set(&figures, 'K', verdict_kv_read_bytes(step));
    figure_set(&figures, 'N', load_new_tokens(&plan->problem));
    figure_set(&figures, 'C', cycle > 0 ? plan->prefill_cycle_us / cycle : (double)NAN);
    figure_set(&figures, 'U', plan->memory.usable_bytes);
    figure_set(&figures, 'V',
               plan->memory.weights_bytes + plan->memory.overhead_bytes +
                   plan->memory.activation_bytes);
    figure_set(&figures, 'H', plan->memory.held_sequences);
    figure_set(&figures, 'A', ceil(load->concurrency / ranks));
    figure_set(&figures, 'E',
               memory_held_tokens(&plan->problem, load->input_tokens, load->output_tokens));
    figure_set(&figures, 'T', plan->problem.dep.tp * plan->problem.dep.pp * plan->problem.dep.dp);
    figure_name(&figures, 's', prefill ? "prefill" : "decode step");
    figure_name(&figures, 'd', class_name(plan->dominant.class));
    figure_name(&figures, 'r', step->batch == 1 ? "sequence" : "sequences");
    if (plan->regime == REGIME_CAPACITY && !plan->memory.fits)
        text = DOES_NOT_FIT;
    else if (plan->regime == REGIME_CAPACITY && !isnan(load->request_rate))
        text = SATURATED;
    phrase_begin(phrase);
    phrase_fill(phrase, text, &figures);
    if (plan->regime != REGIME_CAPACITY && step->basis == BASIS_NO_RECORD)
        phrase_add(phrase, " (times assumed: floor/0.7 where no kernel was measured)");
}

void verdict_sentence(const struct plan *plan, struct phrase *phrase)
{
    verdict_because(plan, phrase);
    if (phrase->text[0] >= 'a' && phrase->text[0] <= 'z')
        phrase->text[0] = (char)(phrase->text[0] - 'a' + 'A');
    phrase_add(phrase, ".");
}

/* What was asked ------------------------------------------------------------------------------- */

/* "8 x h200-sxm (tp 8, ep 8)" */
static void add_devices(struct phrase *phrase, const struct problem *problem)
{
    static const char *const NAMES[] = {"tp ", "pp ", "dp ", "ep ", "replicas "};
    const struct deployment *dep = &problem->dep;
    const double ways[] = {dep->tp, dep->pp, dep->dp, dep->ep, dep->replicas};
    const char *before = " (";

    phrase_whole(phrase, dep->tp * dep->pp * dep->dp * dep->replicas);
    phrase_add(phrase, " x ");
    phrase_add(phrase, problem->hw->id);
    for (size_t i = 0; i < ARRAY_LEN(ways); i++) {
        if (ways[i] <= 1)
            continue;
        phrase_add(phrase, before);
        phrase_add(phrase, NAMES[i]);
        phrase_whole(phrase, ways[i]);
        before = ", ";
    }
    if (before[0] == ',')
        phrase_add(phrase, ")");
    if (!dep->disaggregated)
        return;
    phrase_add(phrase, " + ");
    phrase_whole(phrase, dep->disagg_prefill_devices);
    phrase_add(phrase, " x ");
    phrase_add(phrase, problem->hw->id);
    phrase_add(phrase, " for prefill");
}

void verdict_deployment(const struct plan_request *request, struct phrase *phrase)
{
    const struct problem *problem = &request->problem;

    phrase_begin(phrase);
    phrase_add(phrase, problem->model->id);
    phrase_add(phrase, " on ");
    add_devices(phrase, problem);
    phrase_add(phrase, ", ");
    phrase_add(phrase, problem->dep.engine->id);
    phrase_add(phrase, " ");
    phrase_add(phrase, request->engine_version);
    phrase_add(phrase, ", weights ");
    phrase_add(phrase, problem->dep.weights->id);
    phrase_add(phrase, ", KV ");
    phrase_add(phrase, problem->dep.kv_cache->id);
}

void verdict_load(const struct workload *load, struct phrase *phrase)
{
    phrase_begin(phrase);
    if (isnan(load->request_rate)) {
        phrase_whole(phrase, load->concurrency);
        phrase_add(phrase,
                   load->concurrency == 1 ? " request in flight, " : " requests in flight, ");
    } else {
        phrase_plain(phrase, load->request_rate, 4);
        phrase_add(phrase, " requests/s, ");
    }
    phrase_whole(phrase, load->input_tokens);
    phrase_add(phrase, " tokens in");
    if (load->cached_prefix_tokens > 0) {
        phrase_add(phrase, " (");
        phrase_whole(phrase, load->cached_prefix_tokens);
        phrase_add(phrase, " cached)");
    }
    phrase_add(phrase, ", ");
    phrase_whole(phrase, load->output_tokens);
    phrase_add(phrase, " out");
}

int verdict_order(const struct step *step, enum class_id ret_order[CLASS_COUNT])
{
    int n = 0;

    for (int i = 0; i < CLASS_COUNT; i++) {
        if (!step->classes[i].present)
            continue;
        int at = n++;
        for (; at > 0 && step->classes[ret_order[at - 1]].share < step->classes[i].share; at--)
            ret_order[at] = ret_order[at - 1];
        ret_order[at] = (enum class_id)i;
    }
    return n;
}

/* Nearness ------------------------------------------------------------------------------------- */

static const char *const NEARNESS[INTERVAL_TIER_COUNT] = {
    [TIER_ANCHORED] = "measured runs of this deployment correct the expected times",
    [TIER_CELL] =
        "measured runs of this model, part and format in other layouts or versions correct "
        "the expected times",
    [TIER_MODEL] = "the model was measured on this engine, not on this part in this format",
    [TIER_ENGINE] =
        "no run of this model on this engine was calibrated on: the interval is that of "
        "models left out",
};

bool verdict_nearness(const struct plan *plan, struct phrase *phrase)
{
    const struct nearness *near = &plan->problem.near;

    if ((isnan(plan->tpot_ms.low) && isnan(plan->ttft_ms.low)) || NEARNESS[near->tier] == NULL)
        return false;
    phrase_begin(phrase);
    if (local_is_engine(plan->problem.dep.engine)) {
        phrase_add(phrase, "speed constants on record: ");
        phrase_add(phrase, local_tier_name(plan->decode.classes[CLASS_DENSE_GEMM].tier));
        return true;
    }
    if (near->n > 0) {
        phrase_whole(phrase, near->n);
        phrase_add(phrase, near->n == 1 ? " run: " : " runs: ");
    }
    phrase_add(phrase, NEARNESS[near->tier]);
    if (near->n > 0) {
        phrase_add(phrase, "; time per token ");
        phrase_change(phrase, near->factor[INTERVAL_TPOT] - 1.0);
        phrase_add(phrase, ", to the first ");
        phrase_change(phrase, near->factor[INTERVAL_TTFT] - 1.0);
    }
    return true;
}

/* Warnings ------------------------------------------------------------------------------------- */

struct warning_row {
    const char *id, *pointer, *text;
};

#define X(ID, NAME, POINTER, TEXT) [ID] = {NAME, POINTER, TEXT},
static const struct warning_row WARNINGS[WARNING_COUNT] = {WARNING_LIST(X)};
#undef X

const char *verdict_warning_pointer(const struct warning *warning)
{
    return WARNINGS[warning->id].pointer;
}

const char *verdict_warning_id(const struct warning *warning)
{
    return WARNINGS[warning->id].id;
}

void verdict_warning(const struct warning *warning, struct phrase *phrase)
{
    const char *text = WARNINGS[warning->id].text, *hole;

    phrase_begin(phrase);
    while ((hole = strchr(text, '%')) != NULL) {
        phrase_add_n(phrase, text, (size_t)(hole - text));
        if (hole[1] == 's')
            phrase_add(phrase, warning->name ? warning->name : "a class");
        else if (hole[1] == '1' || hole[1] == '2')
            phrase_plain(phrase, warning->value[hole[1] - '1'], 4);
        else
            break;
        text = hole + 2;
    }
    phrase_add(phrase, text);
}
