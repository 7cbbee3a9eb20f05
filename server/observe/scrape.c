/*
 * scrape.c - scrapes of /metrics: which are of one process, and what they say together.
 */
#include <math.h>
#include <string.h>

#include "observe.h"
#include "scrape_settle.h"
#include "units.h"

/* Start times of one process that differ by less are the same. */
#define START_DIFFERS_S 2.0
/* Clocks below this are no unix time: an age cannot be told. */
#define UNIX_TIME_MIN 1e9

struct scrapes {
    struct scrape_set *sets[OBSERVE_SCRAPES_MAX];
    double at_s[OBSERVE_SCRAPES_MAX]; /* NAN = not known */
    int n;
};

struct targets {
    struct scrape_target items[OBSERVE_SCRAPES_MAX];
    double first_s[OBSERVE_SCRAPES_MAX], last_s[OBSERVE_SCRAPES_MAX];
    int n;
};

/* Which counters of b rose and fell against a; how many series they have in common. */
static int compare_counters(const struct scrape_set *a, const struct scrape_set *b, int *ret_rose,
                            int *ret_fell)
{
    int common = 0;

    *ret_rose = *ret_fell = 0;
    for (const struct scrape_series *series = a->first; series; series = series->next) {
        const struct scrape_series *other = scrape_set_find(b, series->family, series->key);
        bool counter = series->family->kind == IS_COUNTER;
        common += other != NULL;
        if (!other || (!counter && isnan(series->count)))
            continue;
        double before = counter ? series->value : series->count;
        double after = counter ? other->value : other->count;
        *ret_rose += after > before;
        *ret_fell += after < before;
    }
    return common;
}

static bool same_text(const char *a, const char *b)
{
    return a == b || (a && b && strcmp(a, b) == 0);
}

/* Whether scrape j is of the process that scrape i is of, or of one that took its place. */
static bool same_target(const struct scrapes *scrapes, int i, int j)
{
    const struct scrape_set *a = scrapes->sets[i], *b = scrapes->sets[j];
    int rose, fell, common = compare_counters(a, b, &rose, &fell);

    if (common == 0 || !same_text(a->engine, b->engine) || a->n_models != b->n_models ||
        (a->n_models && strcmp(a->models[0], b->models[0]) != 0))
        return false;
    if (fabs(a->start_s - b->start_s) < START_DIFFERS_S)
        return true;
    /* A process that began behind the other's scrape took its place; else two run side by side. */
    if (!isnan(a->start_s) && !isnan(b->start_s) && !isnan(scrapes->at_s[i]))
        return b->start_s > scrapes->at_s[i] - START_DIFFERS_S;
    return rose == 0 || fell == 0;
}

/* Whether a text is what trtllm-serve answers at /metrics: iteration statistics as JSON. */
static bool is_iterations(const struct observe_scrape *scrape)
{
    static const char NAME[] = "\"iterLatencyMS\"";
    const char *at = scrape->text, *end = at + scrape->length;

    while (at < end && (*at == ' ' || *at == '\n' || *at == '\r' || *at == '\t'))
        at++;
    if (at == end || (*at != '[' && *at != '{'))
        return false;
    for (size_t length = strlen(NAME); (size_t)(end - at) >= length; at++)
        if (memcmp(at, NAME, length) == 0)
            return true;
    return false;
}

static bool read_all(struct arena *arena, const struct observe_scrape *given, int n,
                     struct scrapes *scrapes, struct observed *observed)
{
    for (int i = 0; i < n && i < OBSERVE_SCRAPES_MAX; i++) {
        if (is_iterations(&given[i])) {
            if (!observe_log(arena, given[i].text, given[i].length, observed))
                return false;
            continue;
        }
        struct scrape_set *set = scrape_set_read(arena, given[i].text, given[i].length);
        if (!set)
            return false;
        double at_s = given[i].at_s;
        if (isnan(at_s))
            at_s = isnan(set->time_s) ? set->stamp_ms / MS_PER_S : set->time_s;
        /* In the order of time, where it is known. */
        int at = scrapes->n;
        for (; at > 0 && scrapes->at_s[at - 1] > at_s; at--) {
            scrapes->sets[at] = scrapes->sets[at - 1];
            scrapes->at_s[at] = scrapes->at_s[at - 1];
        }
        scrapes->sets[at] = set;
        scrapes->at_s[at] = at_s;
        scrapes->n++;
    }
    return true;
}

/* Sorts scrapes to targets. */
static void find_targets(const struct scrapes *scrapes, struct targets *targets)
{
    int of[OBSERVE_SCRAPES_MAX];

    for (int i = 0; i < scrapes->n; i++) {
        int before = i - 1;
        while (before >= 0 && !same_target(scrapes, before, i))
            before--;
        of[i] = before < 0 ? targets->n++ : of[before];
        struct scrape_target *target = &targets->items[of[i]];
        if (target->n == 0)
            targets->first_s[of[i]] = scrapes->at_s[i];
        targets->last_s[of[i]] = scrapes->at_s[i];
        target->sets[target->n++] = scrapes->sets[i];
    }
}

/* The first target of an engine; else the first. */
static int main_target(const struct targets *targets)
{
    for (int i = 0; i < targets->n; i++)
        if (targets->items[i].sets[0]->engine)
            return i;
    return 0;
}

/* The model that most series are of; NULL when none is named. */
static const char *main_model(const struct scrape_set *set)
{
    int best = 0;

    for (int i = 1; i < set->n_models; i++)
        if (set->model_series[i] > set->model_series[best])
            best = i;
    return set->n_models ? set->models[best] : NULL;
}

/* Whether a target is of the main one's engine and model, or of none (an exporter). */
static bool belongs(struct arena *arena, const struct scrape_set *set,
                    const struct scrape_set *first, struct observed *observed)
{
    const char *model = main_model(set);

    if (!set->engine)
        return true;
    if (!same_text(set->engine, first->engine)) {
        scrape_note(arena, observed, "several_engines",
                    "a scrape is of %s, another of %s: only the latter's counts", set->engine,
                    first->engine);
        return false;
    }
    if (model && observed->model && strcmp(model, observed->model) != 0) {
        scrape_note(arena, observed, "several_models",
                    "a scrape is of %s, another of %s: only the latter's counts", model,
                    observed->model);
        return false;
    }
    return true;
}

/* Rows of parts ---------------------------------------------------------------------------------
 */

static void put_throttle(const struct scrape_series *series, struct observed_gpu *gpu)
{
    gpu->throttle_known = true;
    if (series->family->target && series->value > 0)
        gpu->throttle |= (unsigned)series->family->target;
    else if (series->value > 0 && series->value < 65536)
        gpu->throttle |= (unsigned)series->value;
}

static void put_parts(const struct scrape_set *set, struct observed *observed)
{
    for (const struct scrape_series *series = set->first; series; series = series->next) {
        const struct scrape_family *family = series->family;
        if ((family->kind != IS_GPU && family->kind != IS_THROTTLE) || isnan(series->value))
            continue;
        struct observed_gpu *gpu =
            observed_gpu_row(observed, series->item.index, series->item.uuid);
        if (!gpu)
            continue;
        gpu->name = gpu->name ? gpu->name : series->item.name;
        if (family->kind == IS_GPU)
            observed_gpu_add(gpu, (enum observed_gpu_column)family->target,
                             series->value * family->scale);
        else
            put_throttle(series, gpu);
    }
}

static void put_readings(struct arena *arena, const struct scrapes *scrapes,
                         struct observed *observed)
{
    for (int i = 0; i < scrapes->n && observed->n_readings < OBSERVED_READINGS_MAX; i++) {
        const struct observed_reading *reading = &scrapes->sets[i]->reading;
        observed->readings[observed->n_readings++] = *reading;
        if (reading->unknown && reading->unknown_names[0])
            scrape_note(arena, observed, "not_understood",
                        "%zu of %zu lines of a scrape are not understood, such as \"%s\"",
                        reading->unknown, reading->lines, reading->unknown_names[0]);
        if (reading->truncated)
            scrape_note(arena, observed, "truncated",
                        "a scrape is cut off: what would follow is not known, not 0");
    }
}

/* What is the case ------------------------------------------------------------------------------
 */

static void settle_main(struct arena *arena, const struct targets *targets, int at, double window_s,
                        struct scrape_tally *tally, struct observed *observed)
{
    const struct scrape_target *target = &targets->items[at];
    struct scrape_case settled = {
        .arena = arena,
        .tally = tally,
        .last = target->sets[target->n - 1],
        .scrapes = target->n,
        .targets = targets->n,
        .window_s = targets->last_s[at] - targets->first_s[at],
        .uptime_s = NAN,
    };

    if (!(settled.window_s > 0))
        settled.window_s = window_s;
    if (targets->last_s[at] > UNIX_TIME_MIN && targets->last_s[at] > settled.last->start_s)
        settled.uptime_s = targets->last_s[at] - settled.last->start_s;
    scrape_settle(&settled, observed);
}

/* Adds up the targets that belong to the main one; how many of them are an engine's. */
static int tally_targets(struct arena *arena, const struct targets *targets, int at,
                         struct scrape_tally *tally, struct observed *observed)
{
    const struct scrape_set *first = targets->items[at].sets[0];
    int engines = 0;

    *tally = (struct scrape_tally){.restarted = false};
    for (int i = 0; i < targets->n; i++) {
        const struct scrape_target *target = &targets->items[i];
        const struct scrape_set *last = target->sets[target->n - 1];
        if (!belongs(arena, last, first, observed))
            continue;
        engines += last->engine != NULL;
        scrape_tally_add(tally, target, observed->model);
    }
    return engines;
}

/* Whether nothing was served between the scrapes. */
static bool no_traffic(const struct scrape_tally *tally)
{
    static const int COUNTERS[] = {OBS_PROMPT_TOKENS, OBS_OUTPUT_TOKENS, OBS_REQUESTS};
    bool told = false;

    for (size_t i = 0; i < ARRAY_LEN(COUNTERS); i++) {
        double value = scrape_slot_value(&tally->slots[COUNTERS[i]]);
        if (value > 0)
            return false;
        told = told || value == 0;
    }
    return told;
}

/* Leaves the last scrape of each target. */
static void keep_last(struct targets *targets)
{
    for (int i = 0; i < targets->n; i++) {
        struct scrape_target *target = &targets->items[i];
        target->sets[0] = target->sets[target->n - 1];
        target->n = 1;
    }
}

/* What the targets say together; where nothing happened between two scrapes, what the last says. */
static void read_targets(struct arena *arena, struct targets *targets, double window_s,
                         struct scrape_tally *tally, struct observed *own)
{
    int at = main_target(targets);

    own->model = main_model(targets->items[at].sets[0]);
    int engines = tally_targets(arena, targets, at, tally, own);
    if (targets->items[at].n > 1 && no_traffic(tally)) {
        scrape_note(arena, own, "no_traffic",
                    "nothing was served between the scrapes: what follows is of the last one");
        keep_last(targets);
        (void)tally_targets(arena, targets, at, tally, own);
    }
    if (engines > 1)
        scrape_note(arena, own, "several_targets",
                    "scrapes of %d processes of one engine and model: added up", engines);
    settle_main(arena, targets, at, window_s, tally, own);
    for (int i = 0; i < targets->n; i++)
        put_parts(targets->items[i].sets[targets->items[i].n - 1], own);
}

bool observe_scrapes(struct arena *arena, const struct observe_scrape *scrapes, int n,
                     double window_s, struct observed *observed)
{
    struct scrapes *read = arena_alloc(arena, sizeof(*read));
    struct targets *targets = arena_alloc(arena, sizeof(*targets));
    struct scrape_tally *tally = arena_alloc(arena, sizeof(*tally));
    struct observed *own = arena_alloc(arena, sizeof(*own));

    if (!read || !targets || !tally || !own || !read_all(arena, scrapes, n, read, observed))
        return false;
    if (read->n == 0)
        return true;
    observed_init(own);
    if (n > OBSERVE_SCRAPES_MAX)
        scrape_note(arena, own, "too_many_scrapes", "scrapes beyond %d are left out",
                    OBSERVE_SCRAPES_MAX);
    find_targets(read, targets);
    read_targets(arena, targets, window_s, tally, own);
    observed_gpu_summarize(own, FROM_METRICS);
    put_readings(arena, read, own);
    observed_merge(observed, own);
    return true;
}
