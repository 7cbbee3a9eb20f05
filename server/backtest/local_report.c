#include "local_report.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "local.h"
#include "regression.h"

/* Ends of the band: four of five, and what leaving a source out adds. */
#define BAND_LOW 0.08
#define BAND_HIGH 0.92

/* Runs in a group; `key` tells them apart. */
typedef int group_fn(const struct local_folds *folds, int run);
typedef const char *name_fn(const struct library *lib, int key);

/* Workspace of one element per run. */
struct tally {
    double *errors, *weights, *rests;
    bool *seen; /* of each source */
};

static bool tally_new(struct tally *tally, const struct local_runs *runs)
{
    size_t n = (size_t)runs->n + 1;
    *tally = (struct tally){.errors = malloc(n * sizeof(double)),
                            .weights = malloc(n * sizeof(double)),
                            .rests = malloc(n * sizeof(double)),
                            .seen = malloc((size_t)runs->n_sources + 1)};
    return tally->errors && tally->weights && tally->rests && tally->seen;
}

static void tally_free(struct tally *tally)
{
    free(tally->errors);
    free(tally->weights);
    free(tally->rests);
    free(tally->seen);
}

/* log measured - log predicted with the source left out; NAN = not predicted. */
static double rest_of(const struct local_folds *folds, int run)
{
    return log(folds->runs->items[run].measured_us) - log(folds->left_us[run]);
}

/* ---- bands ---- */

struct band_of {
    bool is_batch; /* of many rows, whatever the rest */
    int backend;   /* BACKEND_COUNT = all but the CPU */
    enum phase phase;
    enum local_tier tier; /* not of the CPU: its few sources differ more than tiers do */
};

static bool is_in_band(const struct local_folds *folds, const struct band_of *of, int run)
{
    const struct local_run *item = &folds->runs->items[run];
    bool of_cpu = of->backend == BACKEND_CPU;
    if (of->is_batch)
        return item->phase == PHASE_DECODE && item->batch > LOCAL_BATCH_VALIDATED &&
               !isnan(folds->left_us[run]);
    return item->phase == of->phase && (of_cpu || folds->tiers[run] == of->tier) &&
           (item->scope.backend == BACKEND_CPU) == of_cpu && !isnan(folds->left_us[run]) &&
           (of->phase == PHASE_PREFILL || item->batch <= LOCAL_BATCH_VALIDATED);
}

/* The band of the runs of every source but one (-1 = all). */
static struct local_band band_without(const struct local_folds *folds, const struct band_of *of,
                                      int source, struct tally *tally)
{
    const struct local_runs *runs = folds->runs;
    struct local_band band = {0};
    memset(tally->seen, 0, (size_t)runs->n_sources);
    for (int i = 0; i < runs->n; i++) {
        if (!is_in_band(folds, of, i) || runs->items[i].source == source)
            continue;
        tally->rests[band.n] = rest_of(folds, i);
        tally->weights[band.n++] = runs->items[i].weight;
        band.n_sources += !tally->seen[runs->items[i].source];
        tally->seen[runs->items[i].source] = true;
    }
    if (band.n == 0)
        return band;
    band.low = exp(weighted_quantile(tally->rests, tally->weights, band.n, BAND_LOW));
    band.high = exp(weighted_quantile(tally->rests, tally->weights, band.n, BAND_HIGH));
    return band;
}

static double coverage_of(const struct local_folds *folds, const struct band_of *of,
                          struct tally *tally)
{
    const struct local_runs *runs = folds->runs;
    int inside = 0, all = 0;
    for (int source = 0; source < runs->n_sources; source++) {
        struct local_band band = {0};
        for (int i = 0; i < runs->n; i++) {
            if (runs->items[i].source != source || !is_in_band(folds, of, i))
                continue;
            if (band.n == 0)
                band = band_without(folds, of, source, tally);
            double factor = exp(rest_of(folds, i));
            inside += factor >= band.low && factor <= band.high;
            all++;
        }
    }
    return all > 0 ? (double)inside / all : (double)NAN;
}

static struct local_band make_band(const struct local_folds *folds, const struct band_of *of,
                                   struct tally *tally)
{
    struct local_band band = band_without(folds, of, -1, tally);
    if (band.n == 0)
        return band;
    /* A prediction is never outside of its own band; few sources of large batches that disagree say
     * how far off one is, not to which side. */
    band.low = fmin(band.low, of->is_batch ? 1.0 / band.high : 1.0);
    band.high = fmax(band.high, 1.0 / (of->is_batch ? band.low : 1.0));
    band.coverage = coverage_of(folds, of, tally);
    return band;
}

bool local_bands_make(const struct local_folds *folds, struct local_bands *ret_bands)
{
    struct tally tally;
    memset(ret_bands, 0, sizeof(*ret_bands));
    bool done = tally_new(&tally, folds->runs);
    for (int i = BACKEND_CPU; done && i <= BACKEND_COUNT; i++)
        for (int j = 0; j < 2; j++)
            for (int k = LOCAL_NONE + 1; k < LOCAL_TIER_COUNT; k++) {
                struct band_of of = {false, i, (enum phase)j, (enum local_tier)k};
                ret_bands->of[i][j][k] = make_band(folds, &of, &tally);
            }
    const struct band_of batch = {.is_batch = true};
    if (done)
        ret_bands->batch = make_band(folds, &batch, &tally);
    tally_free(&tally);
    return done;
}

/* ---- groups ---- */

static int group_all(const struct local_folds *folds, int run)
{
    (void)folds;
    (void)run;
    return 0;
}

static int group_backend(const struct local_folds *folds, int run)
{
    return folds->runs->items[run].scope.backend;
}

static int group_engine(const struct local_folds *folds, int run)
{
    return folds->runs->items[run].scope.engine;
}

static int group_kind(const struct local_folds *folds, int run)
{
    return (int)folds->runs->items[run].kind;
}

static int group_format(const struct local_folds *folds, int run)
{
    return folds->runs->items[run].scope.format;
}

static int group_family(const struct local_folds *folds, int run)
{
    return folds->runs->items[run].scope.family;
}

static int group_tier(const struct local_folds *folds, int run)
{
    return (int)folds->tiers[run];
}

static const double DEPTHS[] = {1024.0, 4608.0, 16896.0};

static int group_depth(const struct local_folds *folds, int run)
{
    int key = 0;
    while (key < (int)ARRAY_LEN(DEPTHS) && folds->runs->items[run].context > DEPTHS[key])
        key++;
    return key;
}

static const char *name_all(const struct library *lib, int key)
{
    (void)lib;
    (void)key;
    return "all";
}

static const char *name_backend(const struct library *lib, int key)
{
    (void)lib;
    return backend_name((enum backend)key);
}

static const char *name_engine(const struct library *lib, int key)
{
    return lib->engines[key].id;
}

static const char *name_kind(const struct library *lib, int key)
{
    static const char *const KINDS[] = {"dense", "moe", "mla", "hybrid"};
    (void)lib;
    return KINDS[key];
}

static const char *name_format(const struct library *lib, int key)
{
    (void)lib;
    return local_format_name((enum local_format)key);
}

static const char *name_family(const struct library *lib, int key)
{
    (void)lib;
    return local_family_name((enum local_family)key);
}

static const char *name_tier(const struct library *lib, int key)
{
    (void)lib;
    return local_tier_name((enum local_tier)key);
}

static const char *name_depth(const struct library *lib, int key)
{
    static const char *const NAMES[] = {"to 1k", "to 4.5k", "to 16.5k", "deeper"};
    (void)lib;
    return NAMES[key];
}

static const struct group_kind {
    const char *title;
    group_fn *key;
    name_fn *name;
    int n; /* keys are below it; 0 = as many as there are engines */
} GROUPS[] = {
    {"", group_all, name_all, 1},
    {"back end", group_backend, name_backend, BACKEND_COUNT},
    {"engine", group_engine, name_engine, 0},
    {"model", group_kind, name_kind, KIND_COUNT},
    {"format", group_format, name_format, LOCAL_FORMAT_COUNT},
    {"family", group_family, name_family, LOCAL_FAMILY_COUNT},
    {"nearest record", group_tier, name_tier, LOCAL_TIER_COUNT},
    {"depth", group_depth, name_depth, (int)ARRAY_LEN(DEPTHS) + 1},
};

/* ---- tables ---- */

struct selection {
    enum phase phase;
    double batch_min, batch_max;
    bool left_out;
};

static void print_group(const struct local_folds *folds, const struct selection *selection,
                        const struct group_kind *group, int key, const char *name,
                        struct tally *tally, FILE *out)
{
    const struct local_runs *runs = folds->runs;
    int n = 0, n_sources = 0;
    memset(tally->seen, 0, (size_t)runs->n_sources);
    for (int i = 0; i < runs->n; i++) {
        const struct local_run *run = &runs->items[i];
        double predicted = selection->left_out ? folds->left_us[i] : folds->fitted_us[i];
        if (run->phase != selection->phase || run->batch < selection->batch_min ||
            run->batch > selection->batch_max || isnan(predicted) || group->key(folds, i) != key)
            continue;
        tally->rests[n] = log(run->measured_us / predicted);
        tally->errors[n] = exp(fabs(tally->rests[n])) - 1.0;
        tally->weights[n++] = 1.0;
        n_sources += !tally->seen[run->source];
        tally->seen[run->source] = true;
    }
    if (n == 0)
        return;
    double bias = weighted_quantile(tally->rests, tally->weights, n, 0.5);
    double median = weighted_quantile(tally->errors, tally->weights, n, 0.5);
    double p90 = weighted_quantile(tally->errors, tally->weights, n, 0.9);
    fprintf(out, "  %-14s %-24s %5d (%2d)  %6.1f  %6.1f  %+6.1f\n", group->title, name, n,
            n_sources, 100.0 * median, 100.0 * p90, 100.0 * bias);
}

static void print_table(const struct library *lib, const struct local_folds *folds,
                        const struct selection *selection, const char *title, int n_groups,
                        struct tally *tally, FILE *out)
{
    fprintf(out, "\n%s\n  %-14s %-24s %5s (src)  median     p90    bias  %%\n", title, "by", "",
            "n");
    for (int i = 0; i < n_groups; i++) {
        int keys = GROUPS[i].n > 0 ? GROUPS[i].n : lib->n_engines;
        for (int key = 0; key < keys; key++)
            print_group(folds, selection, &GROUPS[i], key, GROUPS[i].name(lib, key), tally, out);
    }
}

static void print_band(const struct local_band *band, const char *backend, const char *phase,
                       const char *near, FILE *out)
{
    if (band->n > 0)
        fprintf(out, "  %-7s %-7s %-24s %5d (%2d)  %.2f to %.2f  %3.0f %%\n", backend, phase, near,
                band->n, band->n_sources, band->low, band->high, 100.0 * band->coverage);
}

static void print_bands(const struct local_bands *bands, FILE *out)
{
    static const char *const PHASES[] = {"decode", "prefill"};
    fprintf(out, "\n80 %% intervals, factors on the predicted time; coverage with the source left "
                 "out of them\n");
    for (int i = 0; i <= BACKEND_COUNT; i++)
        for (int j = 0; j < 2; j++)
            for (int k = LOCAL_NONE + 1; k < LOCAL_TIER_COUNT; k++)
                print_band(&bands->of[i][j][k],
                           i < BACKEND_COUNT ? backend_name((enum backend)i) : "gpu", PHASES[j],
                           local_tier_name((enum local_tier)k), out);
    print_band(&bands->batch, "any", PHASES[PHASE_DECODE], "more than 4 rows", out);
}

bool local_report_print(const struct library *lib, const struct local_folds *folds,
                        const struct local_bands *bands, FILE *out)
{
    static const struct {
        struct selection selection;
        const char *title;
        int n_groups;
    } TABLES[] = {
        {{PHASE_DECODE, 1.0, LOCAL_BATCH_VALIDATED, true},
         "Decode, 1 to 4 rows, source left out",
         (int)ARRAY_LEN(GROUPS)},
        {{PHASE_DECODE, LOCAL_BATCH_VALIDATED + 1.0, INFINITY, true},
         "Decode, 5 to 32 rows, source left out",
         2},
        {{PHASE_PREFILL, 1.0, INFINITY, true}, "Prefill, source left out", (int)ARRAY_LEN(GROUPS)},
        {{PHASE_DECODE, 1.0, LOCAL_BATCH_VALIDATED, false}, "Decode, everything in the fit", 2},
        {{PHASE_PREFILL, 1.0, INFINITY, false}, "Prefill, everything in the fit", 2},
    };
    struct tally tally;
    bool done = tally_new(&tally, folds->runs);
    for (size_t i = 0; done && i < ARRAY_LEN(TABLES); i++)
        print_table(lib, folds, &TABLES[i].selection, TABLES[i].title, TABLES[i].n_groups, &tally,
                    out);
    if (done)
        print_bands(bands, out);
    tally_free(&tally);
    return done;
}
