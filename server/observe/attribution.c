#include "attribution.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define NS_PER_US 1e3
/* Of the time of loading: a rest that is longer may hold it. */
#define LOAD_DOUBT 0.8
#define COLLECTIVE_NOTED 0.05
/* Names that a table must have for its counts to say something of ranks. */
#define RANKS_NAMES_MIN 5

const char *run_phase_name(enum run_phase phase)
{
    static const char *const NAMES[RUN_PHASES] = {"unknown", "decode", "prefill", "mixed"};

    return NAMES[phase];
}

/* Kernels that run once, when a model is loaded or a kernel is used first. */
static bool is_load_time(const struct profile_name *name)
{
    static const char *const WORDS[] = {"marlin_repack",
                                        "gptq_shuffle",
                                        "awq_repack",
                                        "Runtime Triggered Module Loading",
                                        "Lazy Function Loading",
                                        "Command Buffer Full"};

    for (size_t i = 0; i < ARRAY_LEN(WORDS); i++)
        if (strstr(name->text, WORDS[i]))
            return true;
    return false;
}

static void classify(struct profile *profile)
{
    for (int i = 0; i < profile->n_names; i++) {
        struct profile_name *name = &profile->names[i];
        if (name->fixed)
            continue;
        struct kernel_match match = kernel_class_of(name->text, name->length);
        name->class = match.class;
        name->ambiguous = match.ambiguous;
    }
}

/* Sums of a trace's spans by name, inside the window. */
static bool sum_spans(struct attribution *attribution, struct profile *profile)
{
    double outside = 0;

    for (int i = 0; i < profile->n_names; i++) {
        profile->names[i].us = 0;
        profile->names[i].launches = 0;
    }
    for (size_t i = 0; i < profile->n_spans; i++) {
        const struct span *span = &profile->spans[i];
        double us = span->duration_ns / NS_PER_US;
        if (!(span_kind(span) & SPAN_DEVICE) || span_name(span) >= (uint32_t)profile->n_names)
            continue;
        if (span->start_ns < attribution->window.from_ns ||
            span->start_ns >= attribution->window.to_ns) {
            outside += us;
            continue;
        }
        struct profile_name *name = &profile->names[span_name(span)];
        name->us += us;
        name->launches++;
    }
    attribution->outside_us = outside;
    return true;
}

static void measure_trace(struct attribution *attribution, struct profile *profile,
                          const struct attribution_asked *asked)
{
    struct window whole = {0};

    spans_sort(profile->spans, profile->n_spans);
    bool found = spans_extent(profile->spans, profile->n_spans, SPAN_DEVICE, &whole);
    if (!found)
        return;
    attribution->whole_span_us = (double)(whole.to_ns - whole.from_ns) / NS_PER_US;
    attribution->whole_busy_us =
        (double)spans_union_ns(profile->spans, profile->n_spans, SPAN_DEVICE, &whole) / NS_PER_US;
    attribution->window = whole;
    attribution_window(attribution, profile, asked);
    attribution->span_us =
        (double)(attribution->window.to_ns - attribution->window.from_ns) / NS_PER_US;
    if (!isnan(attribution->picked_us))
        attribution->span_us = attribution->picked_us;
    attribution->busy_us = (double)spans_union_ns(profile->spans, profile->n_spans, SPAN_DEVICE,
                                                  &attribution->window) /
                           NS_PER_US;
    attribution->idle_us = attribution->span_us - attribution->busy_us;
    sum_spans(attribution, profile);
    attribution_host(attribution, profile);
}

/* Which stage of a table is told: the asked one, else decode, else what there is. */
static enum profile_stage stage_of(const struct attribution *attribution,
                                   const struct attribution_asked *asked)
{
    const bool *has = attribution->has_stages;

    if (!has[STAGE_PREFILL] && !has[STAGE_DECODE])
        return STAGE_ANY;
    if (asked->phase == RUN_PREFILL && has[STAGE_PREFILL])
        return STAGE_PREFILL;
    return has[STAGE_DECODE] ? STAGE_DECODE : STAGE_PREFILL;
}

static void choose_stage(struct attribution *attribution, struct profile *profile,
                         const struct attribution_asked *asked)
{
    static const enum run_phase PHASES[STAGE_COUNT] = {RUN_UNKNOWN, RUN_PREFILL, RUN_DECODE};

    for (int i = 0; i < profile->n_names; i++)
        attribution->has_stages[profile->names[i].stage] = true;
    attribution->stage = stage_of(attribution, asked);
    attribution->file_phase =
        PHASES[attribution->stage == STAGE_ANY ? profile->stage : attribution->stage];
    if (attribution->has_stages[STAGE_PREFILL] && attribution->has_stages[STAGE_DECODE])
        profile_warn(profile,
                     "the table has both stages: the shares are of %s; ?phase=%s has the "
                     "other",
                     run_phase_name(attribution->file_phase),
                     attribution->stage == STAGE_DECODE ? "prefill" : "decode");
}

/* Whether a name is among those that are shared out: of the stage, on the device where the profile
 * has one, and no work of loading. */
static bool is_counted(const struct attribution *attribution, const struct profile_name *name,
                       bool device_only)
{
    bool of_stage = attribution->stage == STAGE_ANY || name->stage == STAGE_ANY ||
                    name->stage == attribution->stage;

    return of_stage && !(device_only && name->on_host) && !is_load_time(name) &&
           (name->us > 0 || name->percent > 0);
}

static int by_share(const void *left, const void *right)
{
    const struct name_share *a = left, *b = right;

    if (a->share != b->share)
        return a->share < b->share ? 1 : -1;
    return strcmp(a->text, b->text);
}

static int by_class_share(const void *left, const void *right)
{
    const struct class_share *a = left, *b = right;

    if (a->share != b->share)
        return a->share < b->share ? 1 : -1;
    return (a->class > b->class) - (a->class < b->class);
}

/* What is counted of a profile, and what it says of the rest. */
struct counted {
    bool device_only;           /* operators of the host stand aside */
    bool by_percent;            /* some rows have no time, but all a percent */
    int n, n_us, n_percent;     /* rows: all, with a time, with a percent */
    double weight;              /* sum of what shares are of */
    double us;                  /* of known times */
    double percent_us, percent; /* of the rows that have both */
    double percents;            /* of the rows that have any */
};

/* Work of loading is told, and in no share. */
static void exclude_load(struct attribution *attribution, struct profile *profile)
{
    for (int i = 0; i < profile->n_names; i++) {
        const struct profile_name *name = &profile->names[i];
        if (!is_load_time(name) || !(name->us > 0 || name->percent > 0))
            continue;
        attribution->excluded_us += name->us > 0 ? name->us : 0;
        profile_warn(profile, "%.80s is work of loading, no part of a step: it is in no share",
                     name->text);
    }
}

static double known(double value)
{
    return isnan(value) ? 0 : value;
}

static void count_row(const struct profile_name *name, struct counted *counted)
{
    bool has_us = !isnan(name->us), has_percent = !isnan(name->percent);

    counted->n++;
    counted->n_us += has_us;
    counted->n_percent += has_percent;
    counted->us += known(name->us);
    counted->percents += known(name->percent);
    if (has_us && has_percent) {
        counted->percent_us += name->us;
        counted->percent += name->percent;
    }
}

static void count_rows(const struct attribution *attribution, const struct profile *profile,
                       struct counted *counted)
{
    for (int i = 0; i < profile->n_names; i++)
        counted->device_only = counted->device_only || !profile->names[i].on_host;
    for (int i = 0; i < profile->n_names; i++)
        if (is_counted(attribution, &profile->names[i], counted->device_only))
            count_row(&profile->names[i], counted);
    counted->by_percent = counted->n_us < counted->n && counted->n_percent == counted->n;
    counted->weight = counted->by_percent ? counted->percents : counted->us;
}

static void add_to_class(struct attribution *attribution, const struct name_share *name)
{
    struct class_share *share = &attribution->shares[name->class];

    share->class = name->class;
    share->us += isnan(name->us) ? 0 : name->us;
    share->share += name->share;
    share->launches += name->launches;
}

/* Classes that occur, the largest first; those that no row matched stand apart. */
static void order_classes(struct attribution *attribution, bool has_us)
{
    int n = 0;

    attribution->unclassified_share = attribution->shares[KERNEL_UNCLASSIFIED].share;
    for (int i = 0; i < KERNEL_UNCLASSIFIED; i++)
        if (attribution->shares[i].share > 0) {
            struct class_share share = attribution->shares[i];
            if (!has_us)
                share.us = NAN;
            attribution->shares[n++] = share;
        }
    attribution->n_shares = n;
    qsort(attribution->shares, (size_t)n, sizeof(attribution->shares[0]), by_class_share);
}

/* How much of all device time the rows hold: the percents beside them tell. */
static double listed_share(const struct profile *profile, const struct counted *counted)
{
    double total = profile->device_total_us;

    if (counted->by_percent)
        return fmin(counted->percents / 100, 1);
    if (isnan(total) && counted->percent > 0)
        total = counted->percent_us / (counted->percent / 100) + counted->us - counted->percent_us;
    if (profile->spans || isnan(total) || total <= 0)
        return profile->spans ? 1 : (double)NAN;
    return fmin(counted->us / total, 1);
}

static bool share_out(struct attribution *attribution, struct profile *profile)
{
    struct counted counted = {0};

    exclude_load(attribution, profile);
    count_rows(attribution, profile, &counted);
    attribution->names =
        arena_alloc(profile->arena, (size_t)(profile->n_names + 1) * sizeof(*attribution->names));
    if (!attribution->names)
        return false;
    for (int i = 0; i < profile->n_names; i++) {
        const struct profile_name *name = &profile->names[i];
        if (!is_counted(attribution, name, counted.device_only))
            continue;
        double weight = counted.by_percent ? name->percent : name->us;
        if (isnan(weight))
            continue;
        attribution->names[attribution->n_names++] = (struct name_share){
            .text = name->text,
            .class = name->class,
            .ambiguous = name->ambiguous,
            .us = name->us,
            .share = weight / counted.weight,
            .launches = name->launches,
        };
        add_to_class(attribution, &attribution->names[attribution->n_names - 1]);
    }
    qsort(attribution->names, (size_t)attribution->n_names, sizeof(*attribution->names), by_share);
    order_classes(attribution, !counted.by_percent);
    if (!counted.by_percent && counted.us > 0)
        attribution->sum_us = counted.us;
    attribution->listed_share = listed_share(profile, &counted);
    double listed = isnan(attribution->listed_share) ? 1 : attribution->listed_share;
    attribution->covered_share =
        attribution->n_names > 0 ? listed * (1 - attribution->unclassified_share) : 0;
    if (!counted.device_only && attribution->n_names > 0)
        profile_warn(profile, "no row is of a device: the shares are of the CPU's time");
    return true;
}

static const struct profile_part *part_or(const struct profile *profile, const char *label,
                                          const struct profile_part *otherwise)
{
    for (int i = 0; i < profile->n_parts; i++)
        if (strcmp(profile->parts[i].label, label) == 0)
            return &profile->parts[i];
    return otherwise;
}

/* The parts that a program prints of its own run stand in the place of a window: one sequence, at
 * half of what it generated on the average. */
static void measure_parts(struct attribution *attribution, struct profile *profile)
{
    const struct profile_part none = {.count = 0};
    const struct profile_part *eval = part_or(profile, "eval", &none);
    const struct profile_part *prompt = part_or(profile, "prompt eval", &none);
    double device = eval->us + prompt->us, total = part_or(profile, "total", &none)->us;
    double host = part_or(profile, "sample", &none)->us;

    attribution->file_batch = 1;
    attribution->file_context = prompt->count + eval->count / 2;
    if (device <= 0)
        return;
    attribution->sum_us = attribution->busy_us = device;
    attribution->span_us = total >= device ? total : device + host;
    attribution->idle_us = attribution->span_us - device;
    attribution->window_from = "the program's own total";
    if (profile->load_us > 0 && attribution->idle_us > LOAD_DOUBT * profile->load_us)
        profile_warn(
            profile,
            "%.0f ms are unaccounted for, and loading took %.0f ms: this version may count "
            "loading into its total",
            (attribution->idle_us - host) / 1e3, profile->load_us / 1e3);
}

static void measure_arms(struct attribution *attribution, struct profile *profile)
{
    const struct profile_arm *arm = &profile->arms[0];

    attribution->span_us = arm->wall_us;
    attribution->busy_us = attribution->sum_us = arm->busy_us;
    attribution->idle_us = arm->wall_us - arm->busy_us;
    attribution->window_from = "the wall time of the first run of the table";
    profile_warn(profile, "the table has times of whole runs and no kernels: it tells the host's "
                          "part alone");
}

/* A table that adds ranks is divided where the counts of all rows divide. */
static void divide_ranks(struct profile *profile, double ranks)
{
    bool divides = true;

    for (int i = 0; i < profile->n_names; i++)
        divides = divides && fmod(profile->names[i].launches, ranks) == 0;
    if (!divides) {
        profile_warn(profile,
                     "not all counts divide by %.0f ranks: the times are those of all together",
                     ranks);
        return;
    }
    for (int i = 0; i < profile->n_names; i++) {
        profile->names[i].us /= ranks;
        profile->names[i].launches /= ranks;
    }
    profile->device_total_us /= ranks;
}

/* A wall time of the same work tells the idle time that a table cannot. */
static void take_wall(struct attribution *attribution, struct profile *profile, double wall_us)
{
    double busy = isnan(attribution->busy_us) ? attribution->sum_us : attribution->busy_us;

    if (isnan(wall_us) || isnan(busy))
        return;
    if (wall_us < busy) {
        profile_warn(profile,
                     "the wall time is shorter than the kernels take: it is of other work");
        return;
    }
    attribution->span_us = wall_us;
    attribution->busy_us = busy;
    attribution->idle_us = wall_us - busy;
    attribution->window_from = "the wall time beside the file";
    attribution->has_host_parts = false;
}

static void choose_phase(struct attribution *attribution, struct profile *profile,
                         const struct attribution_asked *asked)
{
    enum run_phase file = attribution->file_phase;

    if (file != RUN_UNKNOWN && asked->phase != RUN_UNKNOWN && file != asked->phase)
        profile_warn(profile, "the query says %s, the file %s: it is taken as %s",
                     run_phase_name(asked->phase), run_phase_name(file), run_phase_name(file));
    attribution->phase = file != RUN_UNKNOWN ? file : asked->phase;
    attribution->phase_from = file != RUN_UNKNOWN           ? "file"
                              : asked->phase != RUN_UNKNOWN ? "query"
                                                            : NULL;
    if (attribution->phase == RUN_MIXED)
        profile_warn(profile,
                     "prefill and decode are mixed: the shares are of neither alone. Where "
                     "steps of one phase are annotated on the device, ?phase= picks them");
}

/* Names of kernels that only speculation launches. */
static bool is_speculation(const char *name)
{
    static const char *const WORDS[] = {"eagle",       "Eagle",      "medusa",
                                        "verify_tree", "build_tree", "rejection_random_sample",
                                        "draft",       "ngram_match"};

    for (size_t i = 0; i < ARRAY_LEN(WORDS); i++)
        if (strstr(name, WORDS[i]))
            return true;
    return false;
}

static double share_of(const struct attribution *attribution, enum kernel_class class)
{
    for (int i = 0; i < attribution->n_shares; i++)
        if (attribution->shares[i].class == class)
            return attribution->shares[i].share;
    return 0;
}

/* The most ranks whose counts a table may add: all of its counts divide by them. */
static int ranks_of(const struct profile *profile)
{
    static const int RANKS[] = {8, 4, 2};

    for (size_t i = 0; i < ARRAY_LEN(RANKS); i++) {
        int n = 0;
        bool divides = true;
        for (int j = 0; j < profile->n_names; j++) {
            n += profile->names[j].launches > 0;
            divides = divides && fmod(profile->names[j].launches, RANKS[i]) == 0;
        }
        if (divides && n >= RANKS_NAMES_MIN)
            return RANKS[i];
    }
    return 1;
}

/* What a reader of the shares must know. */
static void note_traps(const struct attribution *attribution, struct profile *profile,
                       const struct attribution_asked *asked)
{
    double collective = share_of(attribution, KERNEL_COLLECTIVE);
    int ranks = profile->spans || isfinite(asked->ranks) || collective <= 0 ? 1 : ranks_of(profile);

    if (collective > COLLECTIVE_NOTED)
        profile_warn(profile,
                     "%.0f %% is collectives: their time holds the wait for the slowest "
                     "rank",
                     100 * collective);
    if (ranks > 1)
        profile_warn(profile,
                     "all counts divide by %d: the table may add the times of so many "
                     "ranks; ?ranks=%d divides them",
                     ranks, ranks);
    for (int i = 0; i < attribution->n_names; i++)
        if (is_speculation(attribution->names[i].text)) {
            profile_warn(profile,
                         "%.60s: a draft model runs in the same steps; its GEMMs and the "
                         "output layer's extra rows are in the shares",
                         attribution->names[i].text);
            break;
        }
    if (profile->spans && !profile->device_name)
        profile_warn(profile, "the trace names no device%s: ?hardware=",
                     profile->device_memory_bytes > 0 ? " and has its memory alone" : "");
}

struct attribution *attribution_new(struct arena *arena, struct profile *profile,
                                    const struct attribution_asked *asked)
{
    struct attribution *attribution = arena_alloc(arena, sizeof(*attribution));

    if (!attribution)
        return NULL;
    *attribution = (struct attribution){
        .profile = profile,
        .file_batch = NAN,
        .file_context = NAN,
        .file_new_tokens = NAN,
        .steps = isnan(asked->steps) ? profile->steps_counted : asked->steps,
        .span_us = NAN,
        .busy_us = NAN,
        .idle_us = NAN,
        .sum_us = NAN,
        .whole_span_us = NAN,
        .whole_busy_us = NAN,
        .picked_us = NAN,
        .listed_share = NAN,
    };
    classify(profile);
    if (profile->spans)
        measure_trace(attribution, profile, asked);
    else
        choose_stage(attribution, profile, asked);
    if (asked->ranks > 1 && !profile->spans)
        divide_ranks(profile, asked->ranks);
    if (!share_out(attribution, profile))
        return NULL;
    if (profile->n_parts > 0)
        measure_parts(attribution, profile);
    if (profile->n_arms > 0 && attribution->n_names == 0)
        measure_arms(attribution, profile);
    take_wall(attribution, profile, asked->wall_us);
    choose_phase(attribution, profile, asked);
    note_traps(attribution, profile, asked);
    attribution_refuse(attribution, profile);
    return attribution;
}
