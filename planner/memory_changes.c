/* The table of flags that free memory, and the search through it. */
#include "memory_changes.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#include "check_changes.h"
#include "units.h"

#define HIGHEST_UTILIZATION 0.95
#define UTILIZATION_STEP 0.01
#define LENGTH_STEP 16.0
#define SMALLEST_STEP 512.0
#define FEWEST_SEQUENCES 8.0
/* Notches of a flag at most. */
#define NOTCHES_MAX 16
/* Of the weights: more would be read over the host link than from the device. */
#define OFFLOADED_MOST 0.25
/* A format must save a tenth of the bytes to be a change. */
#define SMALLER 0.9
#define RANKS_MAX 16.0

/* Turns the flag `notch` (from 1) times further and notes its new value; false when it goes no
 * further or is of no use. */
typedef bool turn_fn(const struct memory_plan *memory, int notch, struct problem *trial,
                     struct cure_change *ret_change);

struct turn {
    const char *id, *why;
    turn_fn *apply;
};

static bool note_number(struct cure_change *change, const char *pointer, double number)
{
    *change = (struct cure_change){.pointer = pointer, .number = number};
    return true;
}

static bool note_text(struct cure_change *change, const char *pointer, const char *text)
{
    *change = (struct cure_change){.pointer = pointer, .text = text};
    return true;
}

static bool is_local(const struct problem *problem)
{
    return problem->dep.engine->memory_rule == MEMORY_LLAMACPP;
}

/* ---- flags that change no answer */

static bool turn_utilization(const struct memory_plan *memory, int notch, struct problem *trial,
                             struct cure_change *ret_change)
{
    double short_by = memory->short_by_bytes / memory->total_bytes;
    double from = round((trial->dep.memory_utilization + short_by) / UTILIZATION_STEP);
    double share = (from + notch) * UTILIZATION_STEP;
    if (is_local(trial) || share > HIGHEST_UTILIZATION + UTILIZATION_STEP / 2.0)
        return false;
    trial->dep.memory_utilization = share;
    return note_number(ret_change, "/deployment/memory_utilization", share);
}

/* Engines want a token of the step for each sequence. */
static bool turn_step(const struct memory_plan *memory, int notch, struct problem *trial,
                      struct cure_change *ret_change)
{
    double tokens = floor(trial->dep.chunked_prefill_tokens / exp2(notch));
    (void)memory;
    if (is_local(trial) || tokens < fmax(SMALLEST_STEP, trial->dep.max_num_seqs))
        return false;
    trial->dep.chunked_prefill_tokens = tokens;
    return note_number(ret_change, "/deployment/chunked_prefill_tokens", tokens);
}

static bool turn_sequences(const struct memory_plan *memory, int notch, struct problem *trial,
                           struct cure_change *ret_change)
{
    double most = floor(trial->dep.max_num_seqs / exp2(notch));
    (void)memory;
    if (is_local(trial) || most < FEWEST_SEQUENCES)
        return false;
    trial->dep.max_num_seqs = most;
    return note_number(ret_change, "/deployment/max_num_seqs", most);
}

static bool turn_graphs(const struct memory_plan *memory, int notch, struct problem *trial,
                        struct cure_change *ret_change)
{
    if (notch > 1 || !memory->terms[TERM_GRAPHS].in_budget)
        return false;
    trial->dep.cuda_graphs = false;
    *ret_change = (struct cure_change){.pointer = "/deployment/cuda_graphs", .is_bool = true};
    return true;
}

static bool turn_text_only(const struct memory_plan *memory, int notch, struct problem *trial,
                           struct cure_change *ret_change)
{
    (void)memory;
    if (notch > 1 || trial->dep.text_only || trial->model->vision_params <= 0.0)
        return false;
    trial->dep.text_only = true;
    *ret_change =
        (struct cure_change){.pointer = "/deployment/text_only", .is_bool = true, .number = 1.0};
    return true;
}

/* ---- shorter contexts, fewer bits */

/* Contexts that are allocated up front are lengthened and shortened by so many cells. */
#define CELL_STEP 256.0

static bool allocates(const struct problem *trial, double length, bool for_certain)
{
    struct problem shorter = *trial;
    struct memory_plan after;
    shorter.dep.max_model_len = length;
    shorter.dep.longest_is_stated = true;
    memory_compute(&shorter, 1.0, &after);
    return for_certain ? after.verdict == MEMORY_FITS : after.fits;
}

/* The longest context of each slot, in steps of cells, that can be allocated; 0 = none of what is
 * asked. */
static double longest_allocated(const struct problem *trial, double asked, bool for_certain)
{
    double low = ceil(asked / CELL_STEP), high = ceil(trial->dep.max_model_len / CELL_STEP);
    if (!allocates(trial, low * CELL_STEP, for_certain))
        return 0.0;
    while (high - low > 1.0) {
        double middle = floor((low + high) / 2.0);
        if (allocates(trial, middle * CELL_STEP, for_certain))
            low = middle;
        else
            high = middle;
    }
    return low * CELL_STEP;
}

/* Of slots that keep their number. */
static bool turn_context(const struct memory_plan *memory, int notch, struct problem *trial,
                         struct cure_change *ret_change)
{
    double asked = fmax(trial->load.input_tokens + trial->load.output_tokens, 1.0);
    (void)memory;
    if (notch > 2 || !is_local(trial))
        return false;
    double length = longest_allocated(trial, asked, notch == 2);
    if (length <= 0.0 || length >= trial->dep.max_model_len)
        return false;
    trial->dep.max_model_len = length;
    trial->dep.longest_is_stated = true;
    return note_number(ret_change, "/deployment/max_model_len", length);
}

/* The longest that the expected pool holds, then the longest that the low end of its range does. */
static bool turn_length(const struct memory_plan *memory, int notch, struct problem *trial,
                        struct cure_change *ret_change)
{
    struct memory_plan pool = *memory;
    double asked = trial->load.input_tokens + trial->load.output_tokens;
    if (is_local(trial) || notch > 2 || (notch == 2 && !(pool.layout.unit_bytes > 0.0)))
        return false;
    if (notch == 2)
        pool.layout.units = floor(pool.kv_bytes_low / pool.layout.unit_bytes);
    double length = floor(memory_longest_context(trial, &pool) / LENGTH_STEP) * LENGTH_STEP;
    if (length < fmax(asked, LENGTH_STEP) || length >= trial->dep.max_model_len)
        return false;
    trial->dep.max_model_len = length;
    trial->dep.longest_is_stated = true;
    return note_number(ret_change, "/deployment/max_model_len", length);
}

static bool turn_kv_format(const struct memory_plan *memory, int notch, struct problem *trial,
                           struct cure_change *ret_change)
{
    const struct kv_format *format =
        library_kv_format(trial->lib, is_local(trial) ? "q8_0" : "fp8");
    if (notch > 1 || format == NULL || memory->kv_bytes_per_token <= 0.0 ||
        format->bytes_per_element >= trial->dep.kv_cache->bytes_per_element)
        return false;
    trial->dep.kv_cache = format;
    return note_text(ret_change, "/deployment/kv_cache", format->id);
}

static bool turn_weights(const struct memory_plan *memory, int notch, struct problem *trial,
                         struct cure_change *ret_change)
{
    static const char *const NARROWER[2][2] = {{"fp8", "awq"}, {"q8_0", "q4_k_m"}};
    const struct weight_format *now = trial->dep.weights;
    (void)memory;
    if (notch > 2 || (now->is_quantized && trial->model->native_experts_only))
        return false;
    const struct weight_format *format =
        library_weight_format(trial->lib, NARROWER[is_local(trial) ? 1 : 0][notch - 1]);
    if (format != NULL)
        format = library_model_format(trial->lib, trial->model, format);
    if (format == NULL || format->bytes[ROLE_DENSE_FFN] > SMALLER * now->bytes[ROLE_DENSE_FFN])
        return false;
    trial->dep.weights = format;
    trial->dep.expert_weights = NULL;
    trial->dep.checkpoint_bytes = NAN;
    return note_text(ret_change, "/deployment/weights", format->id);
}

/* Weights that stay in host memory, in whole GiB: what is short, by the expected pool and by the
 * low end of its range. */
static bool turn_offload(const struct memory_plan *memory, int notch, struct problem *trial,
                         struct cure_change *ret_change)
{
    double low = fmax(memory->kv_bytes - memory->kv_bytes_low, 0.0);
    double more = memory->short_by_bytes + (notch == 2 ? low : 0.0);
    double bytes = ceil(more / BYTES_PER_GIB) * BYTES_PER_GIB;
    if (notch > 2 || trial->dep.engine->memory_rule != MEMORY_VLLM || !(bytes > 0.0))
        return false;
    bytes += fmax(trial->dep.cpu_offload_bytes, 0.0);
    if (bytes > memory->terms[TERM_WEIGHTS].bytes * OFFLOADED_MOST)
        return false;
    trial->dep.cpu_offload_bytes = bytes;
    return note_number(ret_change, "/deployment/cpu_offload_bytes", bytes);
}

typedef void lay_fn(struct problem *trial, double layers);

static void leave_experts(struct problem *trial, double layers)
{
    trial->dep.cpu_moe_layers = fmax(trial->dep.cpu_moe_layers, 0.0) + layers;
}

/* -ngl counts the output as one layer more. */
static double layers_on_devices(const struct problem *problem)
{
    double all = problem->model->n_layers + 1.0;
    return problem->dep.gpu_layers >= 0.0 ? fmin(problem->dep.gpu_layers, all) : all;
}

static void leave_layers(struct problem *trial, double layers)
{
    trial->dep.gpu_layers = layers_on_devices(trial) - layers;
}

static bool fits_without(const struct problem *trial, lay_fn *leave, double layers,
                         bool for_certain)
{
    struct problem other = *trial;
    struct memory_plan after;
    leave(&other, layers);
    memory_compute(&other, 1.0, &after);
    return for_certain ? after.verdict == MEMORY_FITS : after.fits;
}

/* Leaves the fewest layers on the host with which the rest fits its devices, `most` at most. */
static bool leave_fewest(struct problem *trial, lay_fn *leave, double most, bool for_certain)
{
    double low = 0.0, high = most;
    if (high < 1.0 || !fits_without(trial, leave, high, for_certain))
        return false;
    while (high - low > 1.0) {
        double middle = floor((low + high) / 2.0);
        if (fits_without(trial, leave, middle, for_certain))
            high = middle;
        else
            low = middle;
    }
    leave(trial, high);
    return true;
}

/* Experts of more of the first layers stay on the host. */
static bool turn_cpu_moe(const struct memory_plan *memory, int notch, struct problem *trial,
                         struct cure_change *ret_change)
{
    double left = trial->model->n_layers - fmax(trial->dep.cpu_moe_layers, 0.0);
    (void)memory;
    if (notch > 2 || !is_local(trial) || !trial->model->has_moe ||
        strcmp(trial->dep.engine->id, "ollama") == 0)
        return false;
    return leave_fewest(trial, leave_experts, left, notch == 2) &&
           note_number(ret_change, "/deployment/cpu_moe_layers", trial->dep.cpu_moe_layers);
}

/* Fewer layers on the devices, one at least. */
static bool turn_gpu_layers(const struct memory_plan *memory, int notch, struct problem *trial,
                            struct cure_change *ret_change)
{
    (void)memory;
    if (notch > 2 || !is_local(trial))
        return false;
    return leave_fewest(trial, leave_layers, layers_on_devices(trial) - 1.0, notch == 2) &&
           note_number(ret_change, "/deployment/gpu_layers", trial->dep.gpu_layers);
}

/* ---- more devices */

static bool turn_tp(const struct memory_plan *memory, int notch, struct problem *trial,
                    struct cure_change *ret_change)
{
    struct deployment *dep = &trial->dep;
    double tp = dep->tp * exp2(notch);
    bool spread = dep->ep > 1.0 && dep->ep == dep->tp * dep->dp;
    (void)memory;
    if (tp > RANKS_MAX)
        return false;
    dep->tp = tp;
    dep->ep = spread ? tp * dep->dp : dep->ep;
    if (!is_local(trial) && !change_shapes_pass(trial))
        return false;
    return note_number(ret_change, "/deployment/tp", tp);
}

/* The cheapest first. */
static const struct turn TURNS[] = {
    {"memory_share", "More of the device for the pool, less for other processes and peaks.",
     turn_utilization},
    {"smaller_steps", "The activation peak shrinks with the prompt tokens of a step.", turn_step},
    {"fewer_sequences", "The sampler's peak shrinks; more requests wait.", turn_sequences},
    {"no_graphs", "Captured graphs take nothing; each step is launched kernel by kernel.",
     turn_graphs},
    {"text_only", "The vision tower and its peak are left out; no images are served.",
     turn_text_only},
    {"shorter_max_model_len", "Longer requests are refused.", turn_length},
    {"shorter_context",
     "Each slot keeps its place with a shorter context; longer requests are cut.", turn_context},
    {"smaller_kv", "Each cached token takes half the bytes.", turn_kv_format},
    {"smaller_weights", "Weights of fewer bits.", turn_weights},
    {"offload", "Weights in host memory, read over the host link in every step.", turn_offload},
    {"experts_on_host", "Experts of the first layers are computed on the host.", turn_cpu_moe},
    {"fewer_gpu_layers", "The first layers are computed on the host.", turn_gpu_layers},
    {"wider_tp", "Each device holds less of the weights.", turn_tp},
};

#define N_TURNS ((int)ARRAY_LEN(TURNS))

static void measure(const struct problem *trial, struct memory_change *change)
{
    struct memory_plan after;
    memory_compute(trial, 1.0, &after);
    change->verdict = after.verdict;
    change->fits = after.fits;
    change->kv_bytes = after.kv_bytes;
    change->kv_token_capacity = after.kv_token_capacity;
    change->max_concurrency = after.max_concurrency;
    change->devices = trial->dep.tp * trial->dep.pp * trial->dep.dp * trial->dep.replicas;
}

/* Turns a flag until the memory fits over its range; where it never does, until it is expected to.
 * False when neither. */
static bool turn_until(const struct problem *problem, const struct memory_plan *memory, int row,
                       struct memory_change *change)
{
    struct memory_change likely = {.fits = false};
    int at = change->n_changes;
    for (int notch = 1; notch <= NOTCHES_MAX; notch++) {
        struct problem trial = *problem;
        change->n_changes = at + 1;
        if (!TURNS[row].apply(memory, notch, &trial, &change->changes[at])) {
            /* A format may be none smaller where the next is. */
            if (notch > 2)
                break;
            continue;
        }
        measure(&trial, change);
        if (change->verdict == MEMORY_FITS)
            return true;
        if (change->fits && !likely.fits)
            likely = *change;
    }
    *change = likely;
    return likely.fits;
}

/* The flag as far as it goes. */
static bool turn_fully(const struct memory_plan *memory, int row, struct problem *trial,
                       struct cure_change *ret_change)
{
    const struct problem before = *trial;
    bool turned = false;
    for (int notch = 1; notch <= NOTCHES_MAX; notch++) {
        struct problem next = before;
        struct cure_change change;
        if (TURNS[row].apply(memory, notch, &next, &change)) {
            *trial = next;
            *ret_change = change;
            turned = true;
        }
    }
    return turned;
}

static bool stands_before(const struct memory_change *a, const struct memory_change *b)
{
    return a->verdict == MEMORY_FITS && b->verdict != MEMORY_FITS;
}

/* Keeps the order of the table, but what fits for certain before what may. */
static int add(struct memory_change *changes, int n, const struct memory_change *change)
{
    int at = n < MEMORY_CHANGES_MAX ? n : MEMORY_CHANGES_MAX - 1;
    if (n == MEMORY_CHANGES_MAX && !stands_before(change, &changes[at]))
        return n;
    for (; at > 0 && stands_before(change, &changes[at - 1]); at--)
        changes[at] = changes[at - 1];
    changes[at] = *change;
    return n < MEMORY_CHANGES_MAX ? n + 1 : n;
}

/* One flag as far as it goes, and of another just enough. */
static int find_pairs(const struct problem *problem, const struct memory_plan *memory,
                      struct memory_change *ret_changes)
{
    int n = 0;
    for (int i = 0; i < N_TURNS; i++) {
        struct problem trial = *problem;
        struct memory_change first = {.id = "two_flags", .why = TURNS[i].why, .n_changes = 1};
        struct memory_plan after;
        if (!turn_fully(memory, i, &trial, &first.changes[0]))
            continue;
        memory_compute(&trial, 1.0, &after);
        for (int j = i + 1; j < N_TURNS; j++) {
            struct memory_change change = first;
            if (turn_until(&trial, &after, j, &change))
                n = add(ret_changes, n, &change);
        }
    }
    return n;
}

int memory_changes_find(const struct problem *problem, const struct memory_plan *memory,
                        struct memory_change *ret_changes)
{
    int n = 0;
    if (memory->verdict == MEMORY_FITS)
        return 0;
    for (int i = 0; i < N_TURNS; i++) {
        struct memory_change change = {.id = TURNS[i].id, .why = TURNS[i].why};
        if (turn_until(problem, memory, i, &change))
            n = add(ret_changes, n, &change);
    }
    return n > 0 ? n : find_pairs(problem, memory, ret_changes);
}
