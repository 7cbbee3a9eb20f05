/* Changes that a failed check suggests; cheap ones first: flags, formats, layouts, devices. */
#include "check_changes.h"

#include <math.h>

#include "asked.h"
#include "check_launch.h"
#include "check_shape.h"
#include "local.h"

#define BIT(ID) (1u << (ID))
#define MEMORY_CHECKS                                                                              \
    (BIT(CHECK_MEMORY_FITS) | BIT(CHECK_KV_HOLDS) | BIT(CHECK_MAX_MODEL_LEN) |                     \
     BIT(CHECK_CAPACITY_KEPT))
#define RATE_CHECKS (BIT(CHECK_OUTPUT_RATE) | BIT(CHECK_ARRIVALS) | BIT(CHECK_OUTPUT_KEPT))
#define TIME_CHECKS                                                                                \
    (BIT(CHECK_TTFT) | BIT(CHECK_TPOT) | BIT(CHECK_TTFT_KEPT) | BIT(CHECK_TPOT_KEPT))
#define TPOT_CHECKS (BIT(CHECK_TPOT) | BIT(CHECK_TPOT_KEPT))
#define TP_CHECKS                                                                                  \
    (BIT(CHECK_HEADS) | BIT(CHECK_KV_HEADS) | BIT(CHECK_VOCABULARY) | BIT(CHECK_WIDTH) |           \
     BIT(CHECK_EXPERT_WIDTH) | BIT(CHECK_BLOCKS))

#define HIGH_UTILIZATION 0.95
/* Lengths are given in steps of this many tokens. */
#define LENGTH_STEP 16.0
#define SMALLEST_STEP 512.0
#define MOST_REPLICAS 64.0

static void note_number(struct trial *trial, const char *pointer, double number)
{
    struct cure_change *change = &trial->changes[trial->n_changes++];
    *change = (struct cure_change){.pointer = pointer, .number = number};
}

static void note_text(struct trial *trial, const char *pointer, const char *text)
{
    struct cure_change *change = &trial->changes[trial->n_changes++];
    *change = (struct cure_change){.pointer = pointer, .text = text};
}

static double request_tokens(const struct problem *problem)
{
    return problem->load.input_tokens + problem->load.output_tokens;
}

/* Lengths and memory --------------------------------------------------------------------------- */

static bool shorter_max_model_len(const struct change_asked *change, struct trial *trial)
{
    struct deployment *dep = &trial->problem.dep;
    double longest = check_longest_context(&change->plan->problem, &change->plan->memory);
    double step = fmax(dep->block_size, LENGTH_STEP);
    double length = floor(longest / step) * step;
    if (!(length >= request_tokens(&trial->problem)) || length >= dep->max_model_len)
        return false;
    dep->max_model_len = length;
    dep->longest_is_stated = true;
    note_number(trial, "/deployment/max_model_len", length);
    return true;
}

static bool longer_max_model_len(const struct change_asked *change, struct trial *trial)
{
    struct deployment *dep = &trial->problem.dep;
    double most = problem_positions(&trial->problem);
    double length = ceil(request_tokens(&trial->problem) / LENGTH_STEP) * LENGTH_STEP;
    (void)change;
    if (length <= dep->max_model_len || (most > 0.0 && length > most))
        return false;
    dep->max_model_len = length;
    dep->longest_is_stated = true;
    note_number(trial, "/deployment/max_model_len", length);
    return true;
}

/* The longest that the model takes. */
static bool max_model_len_of_model(const struct change_asked *change, struct trial *trial)
{
    double most = trial->problem.model->max_positions;
    (void)change;
    if (!(most >= request_tokens(&trial->problem)))
        return false;
    trial->problem.dep.max_model_len = most;
    note_number(trial, "/deployment/max_model_len", most);
    return true;
}

/* No more sequences than a step has tokens, or a step of as many tokens. */
static bool step_and_sequences(const struct change_asked *change, struct trial *trial)
{
    struct deployment *dep = &trial->problem.dep;
    double step = dep->chunked_prefill_tokens;
    if (change->variant == 0) {
        dep->chunked_prefill_tokens = dep->max_num_seqs;
        note_number(trial, "/deployment/chunked_prefill_tokens", dep->max_num_seqs);
    } else {
        dep->max_num_seqs = step;
        note_number(trial, "/deployment/max_num_seqs", step);
    }
    return step > 0.0 && change->variant < 2;
}

/* The flag says what the checkpoint is. */
static bool checkpoint_format(const struct change_asked *change, struct trial *trial)
{
    const char *has = check_method(change->asked->checkpoint);
    const struct weight_format *format =
        has != NULL ? library_weight_format(trial->problem.lib, has) : NULL;
    if (format == NULL)
        return false;
    trial->problem.dep.weights = format;
    note_text(trial, "/deployment/weights", format->id);
    return true;
}

static bool memory_share(const struct change_asked *change, struct trial *trial)
{
    struct deployment *dep = &trial->problem.dep;
    (void)change;
    if (dep->engine->memory_rule == MEMORY_LLAMACPP || dep->memory_utilization >= HIGH_UTILIZATION)
        return false;
    dep->memory_utilization = HIGH_UTILIZATION;
    note_number(trial, "/deployment/memory_utilization", HIGH_UTILIZATION);
    return true;
}

/* Half, a quarter, an eighth of the prompt tokens of a step; engines want one for each sequence. */
static bool smaller_steps(const struct change_asked *change, struct trial *trial)
{
    struct deployment *dep = &trial->problem.dep;
    double tokens = floor(dep->chunked_prefill_tokens / exp2(change->variant + 1));
    if (tokens < SMALLEST_STEP || tokens < dep->max_num_seqs)
        return false;
    dep->chunked_prefill_tokens = tokens;
    note_number(trial, "/deployment/chunked_prefill_tokens", tokens);
    return true;
}

/* Fewer sequences run at once: the rest wait, so that the first token comes later. */
static bool fewer_sequences(const struct change_asked *change, struct trial *trial)
{
    struct deployment *dep = &trial->problem.dep;
    double load = load_in_flight(&trial->problem.load) / load_replicas(&trial->problem) / dep->dp;
    double from = fmin(dep->max_num_seqs, fmax(ceil(load), 1.0));
    double most = change->variant == 0 ? from : floor(from / exp2(change->variant));
    if (most < 1.0 || most >= dep->max_num_seqs)
        return false;
    dep->max_num_seqs = most;
    note_number(trial, "/deployment/max_num_seqs", most);
    return true;
}

/* As many sequences at once as are in flight. */
static bool more_sequences(const struct change_asked *change, struct trial *trial)
{
    struct deployment *dep = &trial->problem.dep;
    double load = load_in_flight(&trial->problem.load) / load_replicas(&trial->problem) / dep->dp;
    double most = exp2(ceil(log2(fmax(load, 1.0))));
    (void)change;
    if (!isnan(trial->problem.load.request_rate) || most <= dep->max_num_seqs)
        return false;
    dep->max_num_seqs = most;
    note_number(trial, "/deployment/max_num_seqs", most);
    return true;
}

/* Formats -------------------------------------------------------------------------------------- */

static bool other_format(const struct change_asked *change, struct trial *trial)
{
    static const char *const FORMATS[] = {"bf16", "fp16", "fp8", "awq", "q8_0", "q4_k_m"};

    struct deployment *dep = &trial->problem.dep;
    const struct weight_format *format =
        library_weight_format(trial->problem.lib, FORMATS[change->variant]);
    if (format != NULL)
        format = library_model_format(trial->problem.lib, trial->problem.model, format);
    if (format == NULL || format == dep->weights)
        return false;
    dep->weights = format;
    dep->expert_weights = NULL;
    note_text(trial, "/deployment/weights", format->id);
    return true;
}

/* Layouts -------------------------------------------------------------------------------------- */

bool change_shapes_pass(const struct problem *problem)
{
    static bool (*const SHAPES[])(const struct problem *, struct check *) = {
        check_heads,        check_kv_heads, check_vocabulary, check_width,
        check_expert_width, check_blocks,   check_experts,    check_layers};

    for (size_t i = 0; i < ARRAY_LEN(SHAPES); i++) {
        struct check check = {.verdict = CHECK_PASS};
        if (SHAPES[i](problem, &check) && check.verdict != CHECK_PASS)
            return false;
    }
    return true;
}

/* Sets tp; experts that were spread over all ranks stay so. */
static void set_tp(struct deployment *dep, double tp)
{
    bool spread = dep->ep > 1.0 && dep->ep == dep->tp * dep->dp;
    dep->tp = tp;
    if (spread || dep->ep > tp * dep->dp)
        dep->ep = tp * dep->dp;
}

static void note_tp(struct trial *trial, double ep_before)
{
    note_number(trial, "/deployment/tp", trial->problem.dep.tp);
    if (trial->problem.dep.ep != ep_before)
        note_number(trial, "/deployment/ep", trial->problem.dep.ep);
}

/* The nearest tensor parallelism that divides everything, below and above. */
static bool dividing_tp(const struct change_asked *change, struct trial *trial)
{
    const struct deployment before = trial->problem.dep;
    int step = change->variant == 0 ? -1 : 1, from = (int)before.tp;
    int most = (int)fmin(2.0 * before.tp, ASKED_RANKS_MAX);
    for (int tp = from + step; tp >= 1 && tp <= most; tp += step) {
        trial->problem.dep = before;
        set_tp(&trial->problem.dep, tp);
        if (!change_shapes_pass(&trial->problem))
            continue;
        note_tp(trial, before.ep);
        return true;
    }
    return false;
}

static bool whole_experts(const struct change_asked *change, struct trial *trial)
{
    struct deployment *dep = &trial->problem.dep;
    double ep = change->variant == 0 ? dep->tp * dep->dp : 1.0;
    if (!trial->problem.model->has_moe || ep == dep->ep)
        return false;
    dep->ep = ep;
    note_number(trial, "/deployment/ep", ep);
    return true;
}

static bool one_stage(const struct change_asked *change, struct trial *trial)
{
    struct deployment *dep = &trial->problem.dep;
    (void)change;
    if (dep->pp <= 1.0)
        return false;
    dep->pp = 1.0;
    note_number(trial, "/deployment/pp", 1.0);
    return true;
}

static bool layout_of_devices(const struct change_asked *change, struct trial *trial)
{
    struct deployment *dep = &trial->problem.dep;
    double ep = dep->ep, tp = change->asked->devices / (dep->pp * dep->dp);
    if (!(tp >= 1.0) || tp != floor(tp) || tp == dep->tp || tp > ASKED_RANKS_MAX)
        return false;
    set_tp(dep, tp);
    note_tp(trial, ep);
    return true;
}

/* More devices --------------------------------------------------------------------------------- */

/* Four and eight times as many ranks; twice is a cure of every plan. */
static bool wider_tp(const struct change_asked *change, struct trial *trial)
{
    struct deployment *dep = &trial->problem.dep;
    double ep = dep->ep, tp = dep->tp * exp2(change->variant + 2);
    if (tp * dep->dp > fmax(trial->problem.hw->link_domain, 1.0))
        return false;
    set_tp(dep, tp);
    if (!local_is_engine(dep->engine) && !change_shapes_pass(&trial->problem))
        return false;
    note_tp(trial, ep);
    return true;
}

/* How many times what is predicted was asked; 0 where that says nothing. */
static double shortage(const struct check_list *checks, enum check_id id)
{
    const struct check *check = check_find(checks, id);
    if (check == NULL || check->verdict == CHECK_PASS || !(check->predicted > 0.0))
        return 0.0;
    double low = check->low > 0.0 ? check->low : check->predicted;
    return isnan(check->limit) ? 0.0 : check->limit / low;
}

/* As many replicas as the shortage asks for, twice, four times. */
static bool more_replicas(const struct change_asked *change, struct trial *trial)
{
    struct deployment *dep = &trial->problem.dep;
    double times = exp2(change->variant);
    if (change->variant == 0) {
        times = fmax(shortage(change->checks, CHECK_KV_HOLDS),
                     fmax(shortage(change->checks, CHECK_OUTPUT_RATE),
                          shortage(change->checks, CHECK_ARRIVALS)));
    }
    double replicas = ceil(fmax(dep->replicas, 1.0) * times);
    if (replicas <= dep->replicas || times > MOST_REPLICAS || !change->plan->memory.fits)
        return false;
    dep->replicas = replicas;
    note_number(trial, "/deployment/replicas", replicas);
    return true;
}

const struct change_row CHANGES[] = {
    {"shorter_max_model_len", "A shorter longest request",
     "Longer requests are refused: the engine admits what its KV pool holds.",
     BIT(CHECK_MAX_MODEL_LEN), 1, shorter_max_model_len},
    {"longer_max_model_len", "A longer longest request",
     "Requests of these lengths are admitted; the model's own limit allows it.",
     BIT(CHECK_REQUEST_LENGTH), 1, longer_max_model_len},
    {"max_model_len_of_model", "The model's own longest request",
     "Longer requests are refused: the model has no positions for them.", BIT(CHECK_POSITIONS), 1,
     max_model_len_of_model},
    {"step_and_sequences", "A step as large as its sequences",
     "Each sequence of a step has a token in it.", BIT(CHECK_STEP_HOLDS), 2, step_and_sequences},
    {"checkpoint_format", "The checkpoint's own quantisation",
     "The engine reads the format that the checkpoint has.", BIT(CHECK_CHECKPOINT), 1,
     checkpoint_format},
    {"memory_share", "A larger share of the memory",
     "More is left for KV, less for other processes and peaks.", MEMORY_CHECKS, 1, memory_share},
    {"smaller_steps", "Fewer prompt tokens in a step",
     "The activation peak shrinks, and decodes wait less for prompts.", MEMORY_CHECKS | TPOT_CHECKS,
     3, smaller_steps},
    {"fewer_sequences", "Fewer sequences at once",
     "The sampler's peak shrinks and a step has fewer rows; the rest wait.",
     MEMORY_CHECKS | TPOT_CHECKS, 4, fewer_sequences},
    {"more_sequences", "As many sequences as are in flight",
     "Nobody waits for a place in the batch.", TIME_CHECKS | RATE_CHECKS, 1, more_sequences},
    {"other_format", "A format that the engine runs on this part",
     "Weights in a format with kernels for the part.", BIT(CHECK_FORMAT), 6, other_format},
    {"whole_experts", "Whole experts per device, or none spread",
     "An expert that stays whole on its device is not cut across a block.",
     BIT(CHECK_EXPERT_WIDTH) | BIT(CHECK_BLOCKS) | BIT(CHECK_EXPERTS), 2, whole_experts},
    {"dividing_tp", "A tensor parallelism that divides",
     "Heads, widths and blocks come out whole on every rank.", TP_CHECKS | BIT(CHECK_EXPERTS), 2,
     dividing_tp},
    {"one_stage", "One pipeline stage", "No stage is uneven or empty.", BIT(CHECK_LAYERS), 1,
     one_stage},
    {"layout_of_devices", "As many ranks as devices", "The layout takes what was given.",
     BIT(CHECK_DEVICES), 1, layout_of_devices},
    {"wider_tp", "More tensor parallelism", "Each device holds and reads less of the weights.",
     MEMORY_CHECKS | TIME_CHECKS | RATE_CHECKS, 2, wider_tp},
    {"more_replicas", "More replicas", "Each copy serves a part of the load.",
     BIT(CHECK_KV_HOLDS) | RATE_CHECKS | TIME_CHECKS, 3, more_replicas},
};

const int N_CHANGES = (int)ARRAY_LEN(CHANGES);
