#include "scrape_settle.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "units.h"

#define NOTE_MAX 400
/* Fractions up to this are as they are: an engine may count a page twice. Above it they are
 * percent, and above 100 nothing. */
#define FRACTION_MAX 1.5
#define PERCENT 100.0
/* Two figures of one thing that differ by this much are not the same. */
#define FRACTION_DIFFERS 0.05
#define GAUGE_DIFFERS 2.0
/* More first tokens than requests by this much: prompts that were begun again. */
#define COUNT_DIFFERS 1.1
/* A share of samples beyond the last bucket that makes its percentiles worth a word. */
#define BEYOND_SHARE 0.01

/* What counters come to per second. */
static const struct {
    int count;
    enum observed_id rate;
    double scale;
} RATES[] = {
    {OBS_PROMPT_TOKENS, OBS_INPUT_TOK_S, 1},
    {OBS_OUTPUT_TOKENS, OBS_OUTPUT_TOK_S, 1},
    {OBS_REQUESTS, OBS_REQUESTS_PER_S, 1},
    {OBS_PREEMPTIONS, OBS_PREEMPTIONS_PER_S, 1},
    {OBS_STEPS, OBS_STEPS_PER_S, 1},
    {OBS_GC_FULL, OBS_GC_FULL_PER_S, 1},
    {OBS_CPU_SECONDS, OBS_CPU_CORES, 1},
    {EXTRA_CPU_ALL, OBS_CPU_CORES_TOTAL, 1},
    {EXTRA_ENGINE_FLOPS, OBS_ENGINE_FLOPS_PER_S, 1},
    {EXTRA_ENGINE_READ_BYTES, OBS_ENGINE_READ_BYTES_PER_S, 1},
};

/* Shares: part of a whole. With `rest` the whole is both. */
static const struct {
    int part, whole;
    enum observed_id share;
    bool rest, less; /* less: 1 minus it */
} SHARES[] = {
    {OBS_PREFIX_HITS, OBS_PREFIX_QUERIES, OBS_PREFIX_HIT_RATE, false, false},
    {OBS_CACHED_TOKENS, OBS_PROMPT_TOKENS, OBS_PREFIX_HIT_RATE, false, false},
    {EXTRA_BLOCKS_REUSED, EXTRA_BLOCKS_MISSED, OBS_PREFIX_HIT_RATE, true, false},
    {EXTRA_EXTERNAL_HITS, EXTRA_EXTERNAL_QUERIES, OBS_PREFIX_EXTERNAL_HIT_RATE, false, false},
    {EXTRA_MULTIMODAL_HITS, EXTRA_MULTIMODAL_QUERIES, OBS_MULTIMODAL_HIT_RATE, false, false},
    {OBS_SPEC_ACCEPTED, OBS_SPEC_DRAFTED, OBS_SPEC_ACCEPTANCE, false, false},
    {EXTRA_GRAPH_STEPS, EXTRA_EAGER_STEPS, OBS_GRAPH_SHARE, true, false},
    {EXTRA_KV_BLOCKS_USED, OBS_KV_BLOCKS, OBS_KV_USAGE, false, false},
    {EXTRA_CPU_IDLE, EXTRA_CPU_ALL, OBS_CPU_UTILIZATION, false, true},
};

void scrape_note(struct arena *arena, struct observed *observed, const char *code,
                 const char *format, ...)
{
    char text[NOTE_MAX];
    va_list args;

    va_start(args, format);
    int length = vsnprintf(text, sizeof(text), format, args);
    va_end(args);
    if (length < 0)
        return;
    const char *copy = arena_copy(arena, text, strlen(text));
    if (copy)
        observed_note(observed, code, copy);
}

static double slot_value(const struct scrape_case *settled, int id)
{
    return scrape_slot_value(&settled->tally->slots[id]);
}

static void put(struct observed *observed, enum observed_id id, double value,
                enum observed_over over, const char *where)
{
    const struct observation observation = {
        .value = value, .from = FROM_METRICS, .over = over, .where = where, .samples = 1};
    bool share = observed_quantity(id)->unit == UNIT_FRACTION;

    /* Counters below 0 and the like are nobody's. */
    if (!share || (value >= 0 && value <= 1))
        (void)observed_set(observed, id, observation);
}

/* Puts what is not there yet: what follows from others never goes before what was read. */
static void put_derived(struct observed *observed, enum observed_id id, double value,
                        enum observed_over over, const char *where)
{
    if (!observed_has(observed, id))
        put(observed, id, value, over, where);
}

/* Plain values ----------------------------------------------------------------------------------
 */

/* A share that is percent, off or nonsense. NAN = leave it out. */
static double as_fraction(const struct scrape_case *settled, struct observed *observed,
                          const struct scrape_slot *slot, double value)
{
    if (value < 0) {
        scrape_note(settled->arena, observed, "not_enabled",
                    "%s is %g: the feature is off, which is no rate of 0", slot->name, value);
        return NAN;
    }
    if (value > FRACTION_MAX && value <= PERCENT) {
        scrape_note(settled->arena, observed, "percent",
                    "%s is %g: read as percent, where a fraction of 1 is usual", slot->name, value);
        return value / PERCENT;
    }
    return value <= FRACTION_MAX ? fmin(value, 1) : (double)NAN;
}

/* Gauges of an engine's own throughput are means of its last log interval; llama-server's are means
 * over its life. */
static enum observed_over gauge_over(const struct scrape_slot *slot, int id)
{
    if (id != OBS_INPUT_TOK_S_GAUGE && id != OBS_OUTPUT_TOK_S_GAUGE)
        return slot->over;
    return strstr(slot->name, "llamacpp") ? OVER_LIFETIME : OVER_INTERVAL;
}

static bool is_limit(enum observed_id id)
{
    return observed_quantity(id)->unit == UNIT_LIMIT || id == OBS_MAX_BATCHED_TOKENS ||
           id == OBS_MAX_MODEL_LEN || id == OBS_KV_BLOCK_TOKENS;
}

/* Gauges that are 0 where there is nothing: no speculation, no request retracted just now. */
static bool is_off(enum observed_id id, const struct scrape_slot *slot, double value)
{
    return value <= 0 && slot->over == OVER_INSTANT &&
           (id == OBS_SPEC_LENGTH || id == OBS_SPEC_ACCEPTANCE || id == OBS_PREEMPTIONS);
}

static void put_slots(const struct scrape_case *settled, struct observed *observed)
{
    for (int id = 0; id < OBSERVED_COUNT; id++) {
        const struct scrape_slot *slot = &settled->tally->slots[id];
        double value = scrape_slot_value(slot);
        if (isnan(value) || is_off((enum observed_id)id, slot, value))
            continue;
        if (observed_quantity((enum observed_id)id)->unit == UNIT_FRACTION)
            value = as_fraction(settled, observed, slot, value);
        struct observation observation = {
            .value = value,
            .from = FROM_METRICS,
            .over = is_limit((enum observed_id)id) ? OVER_CONFIGURED : gauge_over(slot, id),
            .where = slot->name,
            .samples = slot->n};
        /* A hit rate over everything that was looked up goes before the last batch's. */
        bool counted = id == OBS_PREFIX_HIT_RATE && observed_has(observed, OBS_PREFIX_HIT_RATE);
        if (!counted)
            (void)observed_set(observed, (enum observed_id)id, observation);
        if (slot->mean && slot->sampled)
            scrape_note(settled->arena, observed, "histogram_cut",
                        "%s is cut off: its count is at least what the last bucket shows, the mean "
                        "at most %.4g",
                        slot->name, value);
    }
}

static void put_shares(const struct scrape_case *settled, struct observed *observed)
{
    for (size_t i = 0; i < ARRAY_LEN(SHARES); i++) {
        double part = slot_value(settled, SHARES[i].part);
        double whole = slot_value(settled, SHARES[i].whole);
        const struct scrape_slot *slot = &settled->tally->slots[SHARES[i].part];
        if (SHARES[i].rest)
            whole = fmax(part, 0) + (isnan(whole) ? 0 : whole);
        if (!(whole > 0) || isnan(part))
            continue;
        double share = fmin(part / whole, 1);
        put_derived(observed, SHARES[i].share, SHARES[i].less ? 1 - share : share, slot->over,
                    slot->name);
    }
}

/* Latencies -------------------------------------------------------------------------------------
 */

static void put_percentiles(const struct scrape_latency *latency, enum observed_id first,
                            struct observed *observed)
{
    static const struct {
        enum observed_statistic statistic;
        double quantile;
    } QUANTILES[] = {{LATENCY_P50, 0.5}, {LATENCY_P90, 0.9}, {LATENCY_P99, 0.99}};

    for (size_t i = 0; i < ARRAY_LEN(QUANTILES); i++)
        put(observed, observed_statistic(first, QUANTILES[i].statistic),
            scrape_quantile(latency, QUANTILES[i].quantile), latency->over, latency->name);
}

static void put_beyond(const struct scrape_case *settled, const struct scrape_latency *latency,
                       enum observed_id first, struct observed *observed)
{
    int last = latency->n_buckets - 1;

    if (last < 0 || latency->mixed)
        return;
    double bound = latency->bounds[last];
    put(observed, observed_statistic(first, LATENCY_BOUND), bound, OVER_CONFIGURED, latency->name);
    if (!latency->has_count || !(latency->count > 0))
        return;
    double share = fmax(1 - latency->counts[last] / latency->count, 0);
    put(observed, observed_statistic(first, LATENCY_BEYOND_SHARE), share, latency->over,
        latency->name);
    if (share > BEYOND_SHARE)
        scrape_note(settled->arena, observed, "beyond_buckets",
                    "%.3g %% of the samples of %s lie above its last finite bucket (%.4g s): "
                    "percentiles there are lower bounds, the mean is not",
                    share * PERCENT, latency->name, bound / MS_PER_S);
}

static void put_latency(const struct scrape_case *settled, enum scrape_latency_id id,
                        struct observed *observed)
{
    const struct scrape_latency *latency = &settled->tally->latencies[id];
    enum observed_id first = scrape_latency_first(id);
    double count = latency->count;
    bool cut = !latency->has_count && latency->n_buckets > 0 && !latency->mixed;

    if (latency->n == 0)
        return;
    if (cut)
        count = latency->counts[latency->n_buckets - 1];
    if (!latency->has_count && !cut)
        return;
    put(observed, first, count, latency->over, latency->name);
    put_beyond(settled, latency, first, observed);
    if (cut)
        scrape_note(settled->arena, observed, "histogram_cut",
                    "%s is cut off: at least %g samples, and no percentiles", latency->name, count);
    if (!(count > 0))
        return;
    if (latency->has_sum)
        put(observed, observed_statistic(first, LATENCY_MEAN), latency->sum / count, latency->over,
            latency->name);
    put_percentiles(latency, first, observed);
}

/* What follows ----------------------------------------------------------------------------------
 */

static void put_rates(const struct scrape_case *settled, struct observed *observed)
{
    bool window = settled->scrapes > 1;
    double seconds = window ? settled->window_s : settled->uptime_s;

    observed->window_s = window ? settled->window_s : (double)NAN;
    put(observed, OBS_UPTIME_S, settled->uptime_s, OVER_INSTANT, "process_start_time_seconds");
    if (!(seconds > 0))
        return;
    for (size_t i = 0; i < ARRAY_LEN(RATES); i++) {
        const struct scrape_slot *slot = &settled->tally->slots[RATES[i].count];
        put(observed, RATES[i].rate, RATES[i].scale * scrape_slot_value(slot) / seconds, slot->over,
            slot->name);
    }
}

static void put_settings(const struct scrape_case *settled, struct observed *observed)
{
    const struct scrape_settings *settings = &settled->last->settings;
    static const char CONFIG[] = "cache_config_info";

    put(observed, OBS_KV_BLOCKS, settings->kv_blocks, OVER_CONFIGURED, CONFIG);
    put(observed, OBS_KV_BLOCK_TOKENS, settings->kv_block_tokens, OVER_CONFIGURED, CONFIG);
    put(observed, OBS_MEMORY_FRACTION, settings->memory_fraction, OVER_CONFIGURED, CONFIG);
    put(observed, OBS_LORA_RUNNING, settings->lora_running, OVER_INSTANT, "lora_requests_info");
    put(observed, OBS_LORA_WAITING, settings->lora_waiting, OVER_INSTANT, "lora_requests_info");
    if (settings->lora_max > 0) {
        put(observed, OBS_LORA_MAX, settings->lora_max, OVER_CONFIGURED, "lora_requests_info");
        observed_sign(observed, SIGNAL_LORA_ON, FROM_METRICS, "lora_requests_info", NULL);
    }
    if (settings->kv_dtype)
        observed->kv_cache_dtype = settings->kv_dtype;
    if (settings->prefix_off)
        observed_sign(observed, SIGNAL_PREFIX_OFF, FROM_METRICS,
                      "cache_config_info: enable_prefix_caching=\"False\"",
                      "https://docs.vllm.ai/en/latest/design/metrics/");
}

static void put_cache(const struct scrape_case *settled, struct observed *observed)
{
    double used = slot_value(settled, EXTRA_KV_BLOCKS_USED);
    double said = slot_value(settled, EXTRA_KV_FRACTION);
    double usage = observed_value(observed, OBS_KV_USAGE);

    if (!isnan(used) && !isnan(said) && fabs(said - usage) > FRACTION_DIFFERS)
        scrape_note(settled->arena, observed, "kv_fraction_differs",
                    "the label \"fraction\" says %.4g, used and max blocks %.4g: the latter counts",
                    said, usage);
    else if (isnan(used))
        put_derived(observed, OBS_KV_USAGE, said, OVER_INSTANT, "kv_cache_block_type=fraction");
    put_derived(observed, OBS_KV_CAPACITY_TOKENS, settled->last->settings.kv_tokens,
                OVER_CONFIGURED, "kv_cache_size_tokens");
    put_derived(observed, OBS_KV_CAPACITY_TOKENS,
                observed_value(observed, OBS_KV_BLOCKS) *
                    observed_value(observed, OBS_KV_BLOCK_TOKENS),
                OVER_CONFIGURED, "blocks x tokens of a block");
    put_derived(observed, OBS_KV_CAPACITY_TOKENS,
                slot_value(settled, EXTRA_KV_USED) + slot_value(settled, EXTRA_KV_AVAILABLE) +
                    slot_value(settled, EXTRA_KV_EVICTABLE),
                OVER_INSTANT, "used + available + evictable tokens");
    put_derived(observed, OBS_KV_TOKENS,
                observed_value(observed, OBS_KV_USAGE) *
                    observed_value(observed, OBS_KV_CAPACITY_TOKENS),
                OVER_INSTANT, "share of the pool");
}

/* text-generation-inference has no first-token series: what comes before the first token is a
 * request's validation, its queue and one prefill step. Its tokens come step by step. */
static void put_tgi(const struct scrape_case *settled, struct observed *observed)
{
    enum observed_over over = settled->scrapes > 1 ? OVER_WINDOW : OVER_LIFETIME;
    double validation = observed_value(observed, OBS_VALIDATION_MEAN_MS);

    if (!observed->engine || strcmp(observed->engine, "tgi") != 0)
        return;
    put_derived(observed, OBS_TTFT_MEAN_MS,
                (isnan(validation) ? 0 : validation) + observed_value(observed, OBS_QUEUE_MEAN_MS) +
                    observed_value(observed, OBS_STEP_PREFILL_MEAN_MS),
                over, "validation + queue + prefill step");
    put_derived(observed, OBS_ITL_MEAN_MS, observed_value(observed, OBS_STEP_DECODE_MEAN_MS), over,
                "decode step");
    put_derived(observed, OBS_STEPS, observed_value(observed, OBS_STEP_DECODE_COUNT), over,
                "decode steps");
    double steps = observed_value(observed, OBS_STEPS);
    if (steps > 0)
        put_derived(observed, OBS_MEAN_BATCH, observed_value(observed, OBS_OUTPUT_TOKENS) / steps,
                    over, "generated tokens of a decode step");
}

/* Requests, where no family counts them: what finished, else what was begun. */
static void put_requests(const struct scrape_case *settled, struct observed *observed)
{
    const struct observation *e2e = &observed->q[OBS_E2E_COUNT];
    const struct observation *ttft = &observed->q[OBS_TTFT_COUNT];
    double requests = observed_value(observed, OBS_REQUESTS);

    if (isnan(requests)) {
        put(observed, OBS_REQUESTS, e2e->value, e2e->over, e2e->where);
        requests = e2e->value;
    }
    if (isnan(requests) && ttft->value > 0) {
        requests = ttft->value;
        scrape_note(settled->arena, observed, "requests_estimated",
                    "no family counts requests: tokens of a request are over %g first tokens",
                    requests);
    }
    if (!(requests > 0))
        return;
    const struct observation *prompt = &observed->q[OBS_PROMPT_TOKENS];
    const struct observation *output = &observed->q[OBS_OUTPUT_TOKENS];
    put_derived(observed, OBS_INPUT_TOKENS_MEAN, prompt->value / requests, prompt->over,
                prompt->where);
    put_derived(observed, OBS_OUTPUT_TOKENS_MEAN, output->value / requests, output->over,
                output->where);
}

static void put_speculation(const struct scrape_case *settled, struct observed *observed)
{
    double drafts = observed_value(observed, OBS_SPEC_DRAFTS);
    const struct observation *accepted = &observed->q[OBS_SPEC_ACCEPTED];

    if (drafts > 0) {
        put_derived(observed, OBS_SPEC_LENGTH, 1 + accepted->value / drafts, accepted->over,
                    accepted->where);
        for (int i = 0; i < OBSERVED_POSITIONS_MAX && settled->tally->has_positions; i++)
            if (settled->tally->positions[i] > 0)
                observed->spec_position[i] = settled->tally->positions[i] / drafts;
    }
    if (observed_has(observed, OBS_SPEC_LENGTH) || observed_value(observed, OBS_SPEC_DRAFTED) > 0)
        observed_sign(observed, SIGNAL_SPEC_ON, FROM_METRICS, "families of drafted tokens", NULL);
}

static void put_speed(struct observed *observed)
{
    const struct observation *itl = &observed->q[OBS_ITL_MEAN_MS];

    if (itl->value > 0)
        put_derived(observed, OBS_OUTPUT_TOK_S_PER_USER, MS_PER_S / itl->value, itl->over,
                    itl->where);
}

/* States and traps ------------------------------------------------------------------------------
 */

static bool is_zero_or_unknown(const struct observed *observed, enum observed_id id)
{
    return !(observed_value(observed, id) > 0);
}

/* Whether no request was ever served, as far as the families tell. */
static bool never_used(const struct observed *observed)
{
    static const enum observed_id COUNTERS[] = {OBS_PROMPT_TOKENS, OBS_OUTPUT_TOKENS, OBS_REQUESTS};

    bool told = false;

    for (size_t i = 0; i < ARRAY_LEN(COUNTERS); i++) {
        told = told || observed_has(observed, COUNTERS[i]);
        if (!is_zero_or_unknown(observed, COUNTERS[i]))
            return false;
    }
    for (int id = 0; id < SCRAPE_LATENCIES; id++)
        if (!is_zero_or_unknown(observed, scrape_latency_first((enum scrape_latency_id)id)))
            return false;
    return told && is_zero_or_unknown(observed, OBS_RUNNING) &&
           is_zero_or_unknown(observed, OBS_WAITING);
}

static void put_states(const struct scrape_case *settled, struct observed *observed)
{
    bool quiet = is_zero_or_unknown(observed, OBS_WAITING);

    observed->no_samples = settled->last->declared > 0 && settled->last->engine_samples == 0;
    observed->restarted = settled->tally->restarted;
    observed->never_used = settled->scrapes == 1 && never_used(observed);
    observed->idle = observed_value(observed, OBS_RUNNING) <= 0 && quiet;
    if (observed->no_samples)
        scrape_note(settled->arena, observed, "no_samples",
                    "families are declared and have no sample: statistics are off, or the scrape "
                    "was made before the first of them. That is no data, not a load of 0");
    else if (observed->never_used)
        scrape_note(settled->arena, observed, "never_used",
                    "no request was served yet: latencies are unknown, not 0");
    else if (observed->idle)
        scrape_note(settled->arena, observed, "idle",
                    "nothing runs and nothing waits at the scrape: gauges of now say nothing of "
                    "the load, counters do");
    if (observed->restarted)
        scrape_note(settled->arena, observed, "restarted",
                    "counters fell between two scrapes: the process began again, what is counted "
                    "is since then");
    if (settled->scrapes == 1 && settled->last->engine_samples > 0 && !observed->never_used)
        scrape_note(settled->arena, observed, "one_scrape",
                    "one scrape: means are over the life of the process; a second one a minute "
                    "later gives rates and the means of now");
    else if (settled->scrapes > 1 && !(settled->window_s > 0))
        scrape_note(settled->arena, observed, "no_window",
                    "the time between the scrapes is not said: means between them, no rates");
}

/* The gauge of an interval against what the batch must make at its speed. */
static void note_gauge(const struct scrape_case *settled, struct observed *observed)
{
    const struct observation *gauge = &observed->q[OBS_OUTPUT_TOK_S_GAUGE];
    double batch =
        observed_value(observed, OBS_RUNNING) * observed_value(observed, OBS_OUTPUT_TOK_S_PER_USER);

    if (gauge->over == OVER_LIFETIME && !isnan(gauge->value))
        scrape_note(settled->arena, observed, "lifetime_gauge",
                    "%s is a mean since the server began, not a rate of now", gauge->where);
    else if (gauge->value > 0 && batch > 0 &&
             fmax(batch / gauge->value, gauge->value / batch) > GAUGE_DIFFERS)
        scrape_note(settled->arena, observed, "gauge_is_not_rate",
                    "%s says %.4g tokens/s, of the last log interval only; %g requests at %.4g "
                    "tokens/s each make %.4g",
                    gauge->where, gauge->value, observed_value(observed, OBS_RUNNING),
                    observed_value(observed, OBS_OUTPUT_TOK_S_PER_USER), batch);
    else if (gauge->value > 0 && gauge->over == OVER_INTERVAL)
        scrape_note(settled->arena, observed, "interval_gauge",
                    "%s is of the last log interval only, and wrong just after an idle time",
                    gauge->where);
}

static void note_counts(const struct scrape_case *settled, struct observed *observed)
{
    double begun = observed_value(observed, OBS_REQUESTS);

    static const enum observed_id OTHERS[] = {OBS_ABORTED, OBS_RUNNING, OBS_WAITING};

    double first_tokens = observed_value(observed, OBS_TTFT_COUNT);

    for (size_t i = 0; i < ARRAY_LEN(OTHERS); i++)
        begun += fmax(observed_value(observed, OTHERS[i]), 0);
    if (begun > 0 && first_tokens > COUNT_DIFFERS * begun)
        scrape_note(settled->arena, observed, "ttft_count_differs",
                    "%g first tokens of %g requests: a prompt that is preempted or cut into chunks "
                    "counts again, so the count is not one of requests",
                    first_tokens, begun);
    if (settled->tally->other_models)
        scrape_note(settled->arena, observed, "several_models",
                    "%d series are of other models than %s and are left out",
                    settled->tally->other_models, observed->model);
    if (settled->last->replicated)
        scrape_note(settled->arena, observed, "replicated_ranks",
                    "tensor and pipeline ranks report the same requests: counted once");
    if (settled->last->repeated)
        scrape_note(settled->arena, observed, "repeated_series",
                    "a series stands twice in one scrape: the last one counts; post two scrapes "
                    "as two texts");
    if (settled->last->series_dropped)
        scrape_note(settled->arena, observed, "too_many_series", "%d series beyond %d are left out",
                    settled->last->series_dropped, SCRAPE_SERIES_MAX);
}

static void put_texts(const struct scrape_case *settled, struct observed *observed)
{
    const struct scrape_set *last = settled->last;
    const struct scrape_slot *running = &settled->tally->slots[OBS_RUNNING];
    const struct scrape_slot *output = &settled->tally->slots[OBS_OUTPUT_TOKENS];

    observed->engine = last->engine;
    if (last->version >= 0) {
        observed->engine_version = scrape_version_text(last->version);
        observed->version_guessed = true;
    }
    /* Ranks have a label of their own since vLLM 0.9. */
    bool ranked = last->has_engine_label && last->engine && strcmp(last->engine, "vllm") == 0;
    if (ranked && !observed->engine_version) {
        observed->engine_version = "0.9 or newer (V1)";
        observed->version_guessed = true;
    }
    observed->models = last->n_models;
    observed->engines = running->n > output->n ? running->n : output->n;
    observed->prefix_unit = last->prefix_unit;
    const struct scrape_slot *queries = &settled->tally->slots[OBS_PREFIX_QUERIES];
    bool of_tokens = queries->n ? !strstr(queries->name, "gpu_prefix")
                                : observed_has(observed, OBS_CACHED_TOKENS);
    if (!observed->prefix_unit && of_tokens)
        observed->prefix_unit = "tokens";
}

void scrape_settle(const struct scrape_case *settled, struct observed *observed)
{
    put_shares(settled, observed);
    put_slots(settled, observed);
    for (int id = 0; id < SCRAPE_LATENCIES; id++)
        put_latency(settled, (enum scrape_latency_id)id, observed);
    put_texts(settled, observed);
    put_settings(settled, observed);
    put_cache(settled, observed);
    put_rates(settled, observed);
    put_tgi(settled, observed);
    put_requests(settled, observed);
    put_speculation(settled, observed);
    put_speed(observed);
    put_states(settled, observed);
    note_gauge(settled, observed);
    note_counts(settled, observed);
}
