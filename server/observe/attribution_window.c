/*
 * attribution_window.c - which part of a trace is the step, and what the trace says of it.
 */
#include <math.h>

#include "attribution.h"

#define NS_PER_US 1e3
/* What the host does between two launches is part of launching; beyond this it does something
 * else: it schedules, prepares input, waits for a request. */
#define LAUNCH_GAP_MAX_NS INT64_C(1000000)
#define GAP_NOTED 0.25

/* Steps of one kind on one side, of one phase or of all. */
struct chosen {
    enum step_kind kind;
    bool on_device;
    int n;
    enum run_phase phase; /* RUN_UNKNOWN: all */
};

/* Those that say most: the engine's own with their tokens, then its modes, then the profiler's. */
static struct chosen choose(const struct profile *profile, enum step_kind least, bool on_device)
{
    struct chosen chosen = {least, on_device, 0, RUN_UNKNOWN};

    for (int i = 0; i < profile->n_steps; i++) {
        const struct profile_step *step = &profile->steps[i];
        if (step->kind == STEP_CAPTURE || step->on_device != on_device || step->kind < chosen.kind)
            continue;
        chosen.n = step->kind == chosen.kind ? chosen.n + 1 : 1;
        chosen.kind = step->kind;
    }
    return chosen;
}

static enum run_phase step_phase(const struct profile_step *step)
{
    if (step->sequences > 0)
        return step->prompts > 0 ? RUN_MIXED : RUN_DECODE;
    return step->prompts > 0 ? RUN_PREFILL : RUN_UNKNOWN;
}

static bool is_chosen(const struct profile_step *step, const struct chosen *chosen)
{
    return step->kind == chosen->kind && step->on_device == chosen->on_device &&
           (chosen->phase == RUN_UNKNOWN || chosen->phase == step_phase(step));
}

/* Of steps of several phases on the device those of the asked one alone, where there are any. */
static struct chosen of_phase(const struct profile *profile, struct chosen all,
                              enum run_phase phase)
{
    struct chosen some = all;

    some.n = 0;
    some.phase = phase;
    for (int i = 0; i < profile->n_steps; i++)
        some.n += is_chosen(&profile->steps[i], &some);
    return all.on_device && phase != RUN_UNKNOWN && some.n > 0 && some.n < all.n ? some : all;
}

/* Of steps that decode, and of steps that take prompts in. */
struct tally {
    int decodes, prefills, mixed;
    double sequences, context, prompts, prompt_tokens, prompt_context;
    const char *text;
};

static struct tally tally_steps(const struct profile *profile, const struct chosen *chosen)
{
    struct tally tally = {0};

    for (int i = 0; i < profile->n_steps; i++) {
        const struct profile_step *step = &profile->steps[i];
        if (!is_chosen(step, chosen))
            continue;
        tally.mixed += step_phase(step) == RUN_MIXED;
        tally.decodes += step_phase(step) == RUN_DECODE;
        tally.prefills += step_phase(step) == RUN_PREFILL;
        tally.sequences += step->sequences;
        tally.context += step->context;
        tally.prompts += step->prompts;
        tally.prompt_tokens += step->prompt_tokens;
        tally.prompt_context += step->prompt_context;
        tally.text = tally.text ? tally.text : step->text;
    }
    return tally;
}

static double positive(double value)
{
    return value > 0 && isfinite(value) ? value : (double)NAN;
}

static enum run_phase phase_of(const struct tally *tally)
{
    if (tally->mixed > 0 || (tally->decodes > 0 && tally->prefills > 0))
        return RUN_MIXED;
    if (tally->decodes > 0)
        return RUN_DECODE;
    return tally->prefills > 0 ? RUN_PREFILL : RUN_UNKNOWN;
}

/* SGLang names modes, vLLM tokens; a trace of AMD's tools may have both, and then it is SGLang. */
static const char *engine_of(const struct profile *profile)
{
    for (int i = 0; i < profile->n_steps; i++)
        if (profile->steps[i].kind == STEP_MODE)
            return "sglang";
    return "vllm";
}

/* What the engine's own annotations say. */
static void read_steps(struct attribution *attribution, struct profile *profile,
                       enum run_phase asked)
{
    struct chosen on_device = of_phase(profile, choose(profile, STEP_MODE, true), asked);
    struct chosen on_host = choose(profile, STEP_MODE, false);
    struct chosen chosen = on_device.n > 0 && on_device.kind >= on_host.kind ? on_device : on_host;
    struct tally tally = tally_steps(profile, &chosen);

    if (chosen.n == 0)
        return;
    profile->engine = engine_of(profile);
    attribution->file_step = tally.text;
    attribution->file_phase = phase_of(&tally);
    if (attribution->file_phase == RUN_PREFILL) {
        attribution->file_batch = positive(tally.prompts / chosen.n);
        attribution->file_context = positive(tally.prompt_context / tally.prompts);
        attribution->file_new_tokens = positive(tally.prompt_tokens / tally.prompts);
    } else {
        attribution->file_batch = positive(tally.sequences / chosen.n);
        attribution->file_context = positive(tally.context / tally.sequences);
    }
    if (isnan(attribution->steps))
        attribution->steps = chosen.n;
}

static void widen(struct window *window, const struct window *by)
{
    window->from_ns = by->from_ns < window->from_ns ? by->from_ns : window->from_ns;
    window->to_ns = by->to_ns > window->to_ns ? by->to_ns : window->to_ns;
}

/* Looks at the chosen steps alone: the time is theirs, without what lies between them. */
static void pick_steps(struct attribution *attribution, struct profile *profile,
                       const struct chosen *chosen)
{
    struct window *windows = arena_alloc_raw(profile->arena, (size_t)chosen->n * sizeof(*windows));
    size_t n = 0;
    int64_t length_ns = 0;

    for (int i = 0; i < profile->n_steps && windows; i++) {
        const struct profile_step *step = &profile->steps[i];
        if (!is_chosen(step, chosen))
            continue;
        size_t at = n++;
        for (; at > 0 && windows[at - 1].from_ns > step->window.from_ns; at--)
            windows[at] = windows[at - 1];
        windows[at] = step->window;
        length_ns += step->window.to_ns - step->window.from_ns;
    }
    spans_set_aside(profile->spans, profile->n_spans, windows, n);
    attribution->picked_us = (double)length_ns / NS_PER_US;
    profile_warn(profile, "the trace has steps of several phases: %d of %s are looked at",
                 chosen->n, run_phase_name(chosen->phase));
}

/* The window of annotations on the device's own timeline. */
static bool annotated_window(struct attribution *attribution, struct profile *profile,
                             enum run_phase asked)
{
    struct chosen chosen = of_phase(profile, choose(profile, STEP_PROFILER, true), asked);
    const struct profile_step *first = NULL;

    for (int i = 0; i < profile->n_steps; i++) {
        const struct profile_step *step = &profile->steps[i];
        if (!is_chosen(step, &chosen))
            continue;
        if (!first)
            attribution->window = step->window;
        first = first ? first : step;
        widen(&attribution->window, &step->window);
    }
    if (!first)
        return false;
    if (chosen.phase != RUN_UNKNOWN)
        pick_steps(attribution, profile, &chosen);
    attribution->window_from =
        arena_printf(profile->arena, "annotation on the device: %.100s%s",
                     first->text ? first->text : "", chosen.n > 1 ? " and those after it" : "");
    if (isnan(attribution->steps))
        attribution->steps = chosen.n;
    return true;
}

/* Without annotations: all that was recorded, but for strays beyond a large gap. */
static void gap_window(struct attribution *attribution, struct profile *profile)
{
    struct gap gap;
    int cuts =
        spans_cut_strays(profile->spans, profile->n_spans, SPAN_DEVICE, &attribution->window);

    attribution->window_from =
        cuts > 0 ? "the largest gap: strays of another step beyond it are cut off"
                 : "all device events: no annotation on the device, no stray beyond a large gap";
    double span = (double)(attribution->window.to_ns - attribution->window.from_ns);
    if (spans_largest_gap(profile->spans, profile->n_spans, SPAN_DEVICE, &attribution->window,
                          &gap) &&
        (double)gap.length_ns > GAP_NOTED * span)
        profile_warn(profile,
                     "one gap of %.3f ms is %.0f %% of the window: it is counted as idle, and may "
                     "be a wait for a request and no part of a step",
                     (double)gap.length_ns / 1e6, 100 * (double)gap.length_ns / span);
}

void attribution_window(struct attribution *attribution, struct profile *profile,
                        const struct attribution_asked *asked)
{
    read_steps(attribution, profile, asked->phase);
    if (!annotated_window(attribution, profile, asked->phase))
        gap_window(attribution, profile);
    if (profile->steps_dropped > 0)
        profile_warn(profile, "%zu annotations beyond %d are not looked at", profile->steps_dropped,
                     PROFILE_STEPS_MAX);
    if (profile->spans_dropped > 0)
        profile_warn(profile, "%zu events beyond %d are not kept: times are of the first %d alone",
                     profile->spans_dropped, PROFILE_SPANS_MAX, PROFILE_SPANS_MAX);
    if (profile->n_devices > 1)
        profile_warn(profile,
                     "kernels of %d devices are in the file: busy is the time in which "
                     "any of them is",
                     profile->n_devices);
}

void attribution_host(struct attribution *attribution, const struct profile *profile)
{
    static const unsigned KINDS[] = {SPAN_DEVICE, SPAN_HOST_COPY, SPAN_HOST_SYNC, SPAN_HOST_LAUNCH};

    static const enum host_part PARTS[] = {HOST_PARTS, HOST_COPY, HOST_SYNC, HOST_LAUNCH_GAPS};

    unsigned kinds = 0;
    double covered = 0;

    if (!profile->has_calls || !isnan(attribution->picked_us))
        return;
    attribution->has_host_parts = true;
    for (size_t i = 0; i < ARRAY_LEN(KINDS); i++) {
        kinds |= KINDS[i];
        double all =
            (double)spans_union_ns(profile->spans, profile->n_spans, kinds, &attribution->window) /
            NS_PER_US;
        if (PARTS[i] != HOST_PARTS)
            attribution->host_us[PARTS[i]] = all - covered;
        covered = all;
    }
    double rest = attribution->span_us - covered;
    attribution->host_us[HOST_OTHER] =
        (double)spans_long_gaps_ns(profile->spans, profile->n_spans, kinds, &attribution->window,
                                   LAUNCH_GAP_MAX_NS) /
        NS_PER_US;
    attribution->host_us[HOST_LAUNCH_GAPS] += rest - attribution->host_us[HOST_OTHER];
}
