#include "free_figures.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "compiler.h"
#include "engine.h"
#include "phrases.h"

/* A pair of figures says for sure what it says. */
#define COMPARED 1.0
/* A single figure that is itself a comparison ("slowdown"). */
#define STATED 0.8

/* Longer sequences first: the first that stands in a name is taken. */
static const struct measure MEASURES[] = {
    {"prefill_tok_s", ABOUT_PREFILL, 1},
    {"prompt_tok_s", ABOUT_PREFILL, 1},
    {"pp_tok_s", ABOUT_PREFILL, 1},
    {"prefill_tps", ABOUT_PREFILL, 1},
    {"cold_prefill", ABOUT_PREFILL, -1},
    {"prefill_ms|prefill_s", ABOUT_PREFILL, -1},
    {"out_tok_s|output_tok_s|gen_tok_s|decode_tok_s|total_tok_s", ABOUT_THROUGHPUT, 1},
    {"tokens_per_s|tokens_per_second|tok_per_s|tokens_s|tok_s|tps|toks|throughput",
     ABOUT_THROUGHPUT, 1},
    {"req_per_s|requests_per_s|request_s|req_s|rps|qps|it_s|videos_per_min|samples_s",
     ABOUT_THROUGHPUT, 1},
    {"kv_tokens|kv_blocks|kv_cache_tokens|kv_capacity|max_concurrency", ABOUT_MEMORY, 1},
    {"kv_gib|kv_gb|kv_pool", ABOUT_MEMORY, 1},
    {"activation_gib|activation_gb|activation|graph_gib|workspace_gb|workspace_gib|memory_gb",
     ABOUT_MEMORY, -1},
    {"bytes_per_req|bytes_per_request|reply_bytes|bytes", ABOUT_HOST, -1},
    {"cpu_cores|cpu_util|cpu_pct|cpu_ms|cpu", ABOUT_HOST, -1},
    {"ttft", ABOUT_TTFT, -1},
    {"first_token", ABOUT_TTFT, -1},
    {"itl_p99|itl_p95|itl_p90|tpot_p99|p99_itl|p99|p999|p95|p90|max_itl", ABOUT_TAIL, -1},
    {"stall|pause|gap|hang|outlier|collect", ABOUT_TAIL, -1},
    {"tpot|itl|inter_token|ms_per_token|ms_token|step_ms|decode_ms|time_per_token", ABOUT_DECODE,
     -1},
    {"e2e|latency|elapsed|duration|wall|total_time|total_s|total_min|minutes", ABOUT_DECODE, -1},
    {"acceptance|accepted|accept|acc|mean_accept|acceptance_length", ABOUT_ACCEPTANCE, 1},
    {"decode|tg#|tg|generation|eval", ABOUT_DECODE, 1},
    {"prefill|pp#|pp|prompt", ABOUT_PREFILL, 1},
    {"gain|speedup|improvement", ABOUT_THROUGHPUT, 1},
    {"slowdown|regression|drop|delta|overhead", ABOUT_THROUGHPUT, -1},
    {"ratio", ABOUT_THROUGHPUT, 1},
    {"us|kernel", ABOUT_KERNEL, -1},
    {"ms|s|seconds", ABOUT_DECODE, -1},
};

/* Words of a name that say no run: units and statistics. */
static const char UNITS[] = "ms|s|us|sec|pct|percent|gib|gb|mib|mb|tok|tokens|mean|avg|median|p50|"
                            "per|x|of|at|the|with|for|output|out|total|real|util|usage|effective";

static int find_measure(const struct words *words, const struct measure **ret_measure)
{
    for (size_t i = 0; i < ARRAY_LEN(MEASURES); i++) {
        int at = words_find(words, MEASURES[i].words);
        if (at < 0)
            continue;
        *ret_measure = &MEASURES[i];
        return at;
    }
    *ret_measure = NULL;
    return -1;
}

static bool stands_in(const struct words *words, int at, const char *list)
{
    const struct words one = {words->items + at, 1};

    return words_find(&one, list) == 0;
}

/* Whether the word is a part of the measure's sequences. */
static bool is_of_measure(const struct words *words, int at, const struct measure *measure)
{
    const char *word = words->items[at];
    size_t length = strlen(word);

    for (const char *found = strstr(measure->words, word); found; found = strstr(found + 1, word)) {
        bool begins = found == measure->words || found[-1] == '_' || found[-1] == '|';
        bool ends = strchr("_|#", found[length]) != NULL;
        if (begins && ends)
            return true;
    }
    return false;
}

/* The words that are neither the measure nor a unit. */
static struct words label_of(struct arena *arena, const struct words *words,
                             const struct measure *measure)
{
    const char **items = arena_alloc(arena, (size_t)words->n * sizeof(*items) + 1);
    struct words label = {items, 0};

    for (int i = 0; items && i < words->n && label.n < LABEL_WORDS_MAX; i++)
        if (!(measure && is_of_measure(words, i, measure)) && !stands_in(words, i, UNITS))
            items[label.n++] = words->items[i];
    return label;
}

/* The numbers of a text: the first two, and whether an arrow stands between. */
static bool read_numbers(const char *text, struct free_figure *figure)
{
    const char *first = text + strcspn(text, "0123456789");
    char *end = NULL;

    if (!*first)
        return false;
    figure->value = strtod(first, &end);
    if (first > text && first[-1] == '-' && (first == text + 1 || first[-2] == ' '))
        figure->value = -figure->value;
    figure->last = figure->value;
    const char *second = end + strcspn(end, "0123456789");
    if (!*second)
        return isfinite(figure->value);
    figure->last = strtod(second, NULL);
    figure->rises = strstr(end, "->") != NULL && figure->last > figure->value;
    return isfinite(figure->value) && isfinite(figure->last);
}

bool figures_add(struct arena *arena, struct free_figures *figures, const char *name,
                 const char *run, double number, const char *text)
{
    if (figures->n == FREE_FIGURES_MAX)
        return false;
    struct free_figure figure = {.name = name, .run = run, .value = number, .last = number};
    if (text && !read_numbers(text, &figure))
        return false;
    const struct words own = words_read(arena, name);
    (void)find_measure(&own, &figure.measure);
    figure.label = label_of(arena, &own, figure.measure);
    if (run) {
        const char *both = arena_printf(arena, "%s %s", run, name);
        const struct words all = words_read(arena, both ? both : name);
        figure.label = label_of(arena, &all, figure.measure);
    }
    figures->items[figures->n++] = figure;
    return true;
}

static bool has_word(const struct words *words, const char *word)
{
    for (int i = 0; i < words->n; i++)
        if (strcmp(words->items[i], word) == 0)
            return true;
    return false;
}

/* Words in one label and not in the other. */
static int words_apart(const struct words *a, const struct words *b)
{
    int n = 0;

    for (int i = 0; i < a->n; i++)
        n += !has_word(b, a->items[i]);
    for (int i = 0; i < b->n; i++)
        n += !has_word(a, b->items[i]);
    return n;
}

/* Whether two figures measure one thing. */
static bool are_alike(const struct free_figure *a, const struct free_figure *b)
{
    return a->measure && a->measure == b->measure && a->measure->better != 0;
}

/* The fewest words by which a figure's run differs from another one's. */
static int nearest(const struct free_figures *figures, int of)
{
    int least = WORDS_MAX;

    for (int i = 0; i < figures->n; i++) {
        if (i == of || !are_alike(&figures->items[i], &figures->items[of]))
            continue;
        int apart = words_apart(&figures->items[i].label, &figures->items[of].label);
        if (apart > 0 && apart < least)
            least = apart;
    }
    return least;
}

/* The version that a run's name states; NULL without one. */
static const char *version_of(const struct free_figure *figure)
{
    for (int i = 0; i < figure->label.n; i++)
        if (words_is_version(figure->label.items[i]))
            return figure->label.items[i];
    return NULL;
}

/* Which of two versions is newer: 1 = b, -1 = a, 0 = they are the same or one is not said. */
static int compare_versions(const struct free_figure *a, const struct free_figure *b)
{
    const char *of_a = version_of(a), *of_b = version_of(b);
    int va[3] = {0}, vb[3] = {0};

    if (!of_a || !of_b || !engine_version_parse(of_a, va) || !engine_version_parse(of_b, vb))
        return 0;
    for (int i = 0; i < 3; i++)
        if (va[i] != vb[i])
            return vb[i] > va[i] ? 1 : -1;
    return 0;
}

/* Whether two runs have as much of a topic; a "base" is the base of whatever is compared, of
 * adapters only beside one. */
static bool says_nothing(enum topic_id topic, int of_a, int of_b)
{
    return of_a == of_b || (topic == TOPIC_LORA && of_a <= 0 && of_b <= 0);
}

/* How much of the topic each of two runs has, as one sign: 1 when b has more, -1 when a has, 0 when
 * they do not differ in it. */
static int compare_topic(const struct free_figure *a, const struct free_figure *b,
                         enum topic_id topic)
{
    double amount_a, amount_b;
    int newer = topic == TOPIC_VERSION ? compare_versions(a, b) : 0;
    if (newer != 0)
        return newer;
    int of_a = phrases_topic(&a->label, topic, &amount_a);
    int of_b = phrases_topic(&b->label, topic, &amount_b);

    if (of_a > 0 && of_b > 0) {
        if (isnan(amount_a) || isnan(amount_b) || amount_a == amount_b)
            return 0;
        return amount_b > amount_a ? 1 : -1;
    }
    if (says_nothing(topic, of_a, of_b))
        return 0;
    /* "vanilla" beside "k2" and "k4" is no comparison of their numbers. */
    if ((of_a == 0 && !isnan(amount_b) && a->label.n > 0 && amount_b <= 0) ||
        (of_b == 0 && !isnan(amount_a) && b->label.n > 0 && amount_a <= 0))
        return 0;
    return of_b > of_a ? 1 : -1;
}

/* Which of the two is faster, as a ratio of speeds: b over a. */
static double speed_ratio(const struct free_figure *a, const struct free_figure *b)
{
    if (!(a->value > 0) || !(b->value > 0))
        return NAN;
    return a->measure->better > 0 ? b->value / a->value : a->value / b->value;
}

static void note_difference(const struct free_figure *a, const struct free_figure *b,
                            enum topic_id topic, int direction, struct symptoms *symptoms)
{
    double ratio = speed_ratio(a, b);
    const struct free_figure *with = direction > 0 ? b : a, *without = direction > 0 ? a : b;
    const struct difference difference = {.strength = COMPARED,
                                          .ratio = direction > 0 ? ratio : 1.0 / ratio,
                                          .with = with->value,
                                          .without = without->value,
                                          .metric = with->name,
                                          .name_with = with->run,
                                          .name_without = without->run,
                                          .kind = a->measure->kind,
                                          .origin = ORIGIN_ARMS};

    if (a->measure->kind == ABOUT_ACCEPTANCE || isnan(ratio))
        return;
    symptoms_use(symptoms, topic, COMPARED, ORIGIN_ARMS, NULL);
    if (a->measure->kind != ABOUT_HOST)
        symptoms_differ(symptoms, topic, &difference);
}

static void see(struct symptoms *symptoms, enum sign_id id, double a, double b)
{
    const struct sign sign = {.strength = COMPARED, .a = a, .b = b, .origin = ORIGIN_ARMS};

    symptoms_sign(symptoms, id, &sign);
}

/* Signs that follow from two figures of one kind. */
static void note_pair(const struct free_figure *a, const struct free_figure *b,
                      struct symptoms *symptoms)
{
    double ratio = speed_ratio(a, b);
    double slower = fmin(ratio, 1.0 / ratio);

    if (isnan(ratio))
        return;
    if (a->measure->kind == ABOUT_PREFILL && slower < 0.8)
        see(symptoms, SIGN_PREFILL_SLOW, NAN, NAN);
    if (a->measure->kind == ABOUT_TTFT && slower < 0.8)
        see(symptoms, SIGN_TTFT_HIGH, NAN, NAN);
    if (a->measure->kind == ABOUT_DECODE && slower < 0.8)
        see(symptoms, SIGN_DECODE_SLOW, NAN, NAN);
    if (a->measure->kind == ABOUT_HOST && slower < 0.7)
        see(symptoms, strstr(a->measure->words, "bytes") ? SIGN_BYTES_GROW : SIGN_API_CPU_GROWS,
            NAN, NAN);
    if (a->measure->kind == ABOUT_ACCEPTANCE && slower > 0.8)
        see(symptoms, SIGN_ACCEPTANCE_DIMINISHES, NAN, NAN);
}

static void compare_pair(const struct free_figures *figures, int i, int j,
                         struct symptoms *symptoms)
{
    const struct free_figure *a = &figures->items[i], *b = &figures->items[j];

    note_pair(a, b, symptoms);
    for (int t = 0; t < TOPIC_COUNT; t++) {
        int direction = compare_topic(a, b, (enum topic_id)t);
        if (direction != 0)
            note_difference(a, b, (enum topic_id)t, direction, symptoms);
    }
}

/* A gain that is there at one batch and not at a larger one. */
static void note_gains(const struct free_figures *figures, struct symptoms *symptoms)
{
    for (int i = 0; i < figures->n; i++) {
        const struct free_figure *a = &figures->items[i];
        for (int j = 0; a->measure && j < figures->n; j++) {
            const struct free_figure *b = &figures->items[j];
            if (i == j || a->measure != b->measure || !strstr(a->measure->words, "gain"))
                continue;
            double batch;
            bool single = phrases_topic(&a->label, TOPIC_BATCH, &batch) > 0 && batch == 1.0;
            if (single && a->value > 3.0 && b->value < a->value / 3.0)
                see(symptoms, SIGN_GAIN_ONLY_ALONE, a->value, b->value);
        }
    }
}

/* Pauses: a course that rises, or the same pause named at later times. */
static void note_pauses(struct free_figures *figures, struct symptoms *symptoms)
{
    double last = NAN;
    int rising = 0;

    for (int i = 0; i < figures->n; i++) {
        struct free_figure *figure = &figures->items[i];
        if (!figure->measure || figure->measure->kind != ABOUT_TAIL ||
            !strstr(figure->measure->words, "stall"))
            continue;
        figure->used = true;
        see(symptoms, SIGN_STALLS, figure->value, figure->last);
        if (figure->rises)
            see(symptoms, SIGN_STALLS_GROW, figure->value, figure->last);
        rising += figure->value > last * 1.2;
        last = figure->value;
    }
    if (rising >= 1)
        see(symptoms, SIGN_STALLS_GROW, NAN, last);
}

/* Layers on the part out of all of them, "42/43". */
static void note_layers(struct free_figures *figures, struct symptoms *symptoms)
{
    for (int i = 0; i < figures->n; i++) {
        struct free_figure *figure = &figures->items[i];
        if (!strstr(figure->name, "layers") || !(figure->value < figure->last))
            continue;
        figure->used = true;
        see(symptoms, SIGN_LAYERS_ON_CPU, figure->value, figure->last);
    }
}

/* Shares of a run ("gpu_util_pct_grammar": 10), in percent or as a fraction. */
static const struct {
    const char *words;
    double low, high; /* percent; NAN = none */
    enum sign_id sign;
} SHARES[] = {
    {"gpu_util|gpu_utilization|gpu_usage|gpu_busy|sm_util", 65.0, NAN, SIGN_GPU_UNDERUSED},
    {"cpu_util|cpu_utilization|cpu_usage|cpu_pct", NAN, 95.0, SIGN_CPU_SATURATED},
    {"kv_usage|kv_cache_usage|kv_util", NAN, 95.0, SIGN_KV_FULL},
};

static void note_shares(struct arena *arena, struct free_figures *figures,
                        struct symptoms *symptoms)
{
    for (int i = 0; i < figures->n; i++) {
        struct free_figure *figure = &figures->items[i];
        const struct words name = words_read(arena, figure->name);
        double percent = figure->value <= 1.0 ? 100.0 * figure->value : figure->value;
        for (size_t j = 0; j < ARRAY_LEN(SHARES); j++) {
            bool crossed = percent < SHARES[j].low || percent >= SHARES[j].high;
            if (!(percent > 0) || !crossed || words_find(&name, SHARES[j].words) < 0)
                continue;
            figure->used = true;
            see(symptoms, SHARES[j].sign, percent / 100.0, NAN);
        }
    }
}

/* A figure that is a comparison by itself: "slowdown" of the only topic that is spoken of. */
static void note_stated(struct free_figures *figures, struct symptoms *symptoms)
{
    enum topic_id only = TOPIC_COUNT;
    int n = 0;

    for (int t = 0; t < TOPIC_COUNT; t++) {
        if (symptoms->topics[t].told) {
            only = (enum topic_id)t;
            n++;
        }
    }
    for (int i = 0; n == 1 && i < figures->n; i++) {
        struct free_figure *figure = &figures->items[i];
        if (!figure->measure || !strstr(figure->measure->words, "slowdown") || figure->value == 0)
            continue;
        const struct difference difference = {.strength = STATED,
                                              .ratio = 0.7,
                                              .with = figure->value,
                                              .without = NAN,
                                              .metric = figure->name,
                                              .kind = ABOUT_THROUGHPUT,
                                              .origin = ORIGIN_FIELDS};
        symptoms_differ(symptoms, only, &difference);
        figure->used = true;
    }
}

/* A delay that hardly changes while the times themselves grow: a timer, not work. */
static void note_constant_delay(const struct free_figures *figures, struct symptoms *symptoms)
{
    double least = INFINITY, most = 0, base_least = INFINITY, base_most = 0;
    int n = 0;

    for (int i = 0; i < figures->n; i++) {
        for (int j = i + 1; j < figures->n; j++) {
            const struct free_figure *a = &figures->items[i], *b = &figures->items[j];
            bool timed = are_alike(a, b) && a->measure->better < 0 &&
                         (a->measure->kind == ABOUT_TTFT || a->measure->kind == ABOUT_DECODE);
            if (!timed || compare_topic(a, b, TOPIC_PROXY) == 0 ||
                words_apart(&a->label, &b->label) > nearest(figures, i))
                continue;
            double delay = fabs(b->value - a->value), base = fmin(a->value, b->value);
            least = fmin(least, delay);
            most = fmax(most, delay);
            base_least = fmin(base_least, base);
            base_most = fmax(base_most, base);
            n++;
        }
    }
    if (n >= 2 && most < 2.0 * least && base_most > 2.0 * base_least)
        see(symptoms, SIGN_CONSTANT_DELAY, least, most);
}

void figures_compare(struct arena *arena, struct free_figures *figures, struct symptoms *symptoms)
{
    for (int i = 0; i < figures->n; i++) {
        int least = nearest(figures, i);
        for (int j = i + 1; j < figures->n; j++) {
            if (!are_alike(&figures->items[i], &figures->items[j]))
                continue;
            int apart = words_apart(&figures->items[i].label, &figures->items[j].label);
            if (apart == 0 || (apart > least && apart > nearest(figures, j)))
                continue;
            figures->items[i].used = figures->items[j].used = true;
            compare_pair(figures, i, j, symptoms);
        }
    }
    note_gains(figures, symptoms);
    note_shares(arena, figures, symptoms);
    note_pauses(figures, symptoms);
    note_layers(figures, symptoms);
    note_constant_delay(figures, symptoms);
    note_stated(figures, symptoms);
}
