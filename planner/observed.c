#include "observed.h"

#include <string.h>

/* Two origins of one quantity contradict each other when they differ by more than this share of
 * the larger one. */
#define CONTRADICTION_SHARE 0.5
#define SAME_LOAD 0.1

/* What is said where two texts give a quantity differently. */
#define DIFFERS(NAME)                                                                              \
    NAME                                                                                           \
        " differs by more than half between what was posted: the request's own field is believed " \
        "before a scrape, a scrape before a log"

static const struct observed_quantity QUANTITIES[OBSERVED_COUNT] = {
#define X(ID, NAME, UNIT, MEANING) [OBS_##ID] = {NAME, MEANING, DIFFERS(NAME), UNIT},
    OBSERVED_QUANTITY_LIST(X)
#undef X
#define L(ID, NAME, MEANING)                                                                       \
    [OBS_##ID##_COUNT] = {NAME "_count", MEANING ", samples", DIFFERS(NAME "_count"), UNIT_COUNT}, \
    [OBS_##ID##_MEAN_MS] = {NAME "_mean_ms", MEANING ", mean", DIFFERS(NAME "_mean_ms"), UNIT_MS}, \
    [OBS_##ID##_P50_MS] = {NAME "_p50_ms", MEANING ", median", DIFFERS(NAME "_p50_ms"), UNIT_MS},  \
    [OBS_##ID##_P90_MS] = {NAME "_p90_ms", MEANING ", 90th percentile", DIFFERS(NAME "_p90_ms"),   \
                           UNIT_MS},                                                               \
    [OBS_##ID##_P99_MS] = {NAME "_p99_ms", MEANING ", 99th percentile", DIFFERS(NAME "_p99_ms"),   \
                           UNIT_MS},                                                               \
    [OBS_##ID##_BEYOND_SHARE] = {NAME "_beyond_share",                                             \
                                 MEANING ", share above the last finite bucket",                   \
                                 DIFFERS(NAME "_beyond_share"), UNIT_FRACTION},                    \
    [OBS_##ID##_BOUND_MS] = {NAME "_bound_ms", MEANING ", the last finite bucket",                 \
                             DIFFERS(NAME "_bound_ms"), UNIT_MS},
        OBSERVED_LATENCY_LIST(L)
#undef L
};

#define X(ID, NAME, MEANING) {NAME, MEANING},
static const struct observed_signal_row SIGNALS[] = {OBSERVED_SIGNAL_LIST(X)};
#undef X
#define X(ID, NAME) NAME,
static const char *const FROM_NAMES[] = {OBSERVED_FROM_LIST(X)};
static const char *const OVER_NAMES[] = {OBSERVED_OVER_LIST(X)};
static const char *const GPU_NAMES[] = {OBSERVED_GPU_LIST(X)};
static const char *const LINK_NAMES[] = {OBSERVED_LINK_LIST(X)};
#undef X

static const char *const SERIES_NAMES[SERIES_COUNT] = {
    [SERIES_TPOT_MS] = "tpot_ms",
    [SERIES_TTFT_MS] = "ttft_ms",
    [SERIES_OUTPUT_TOK_S] = "output_tok_s",
};

#define X(ID, BIT, NAME) {BIT, NAME},

static const struct {
    unsigned bit;
    const char *name;
} THROTTLES[] = {OBSERVED_THROTTLE_LIST(X)};

#undef X

/* How the rows of several parts come to one figure. */
enum over_parts { MEAN, LEAST, MOST };

static const struct {
    enum observed_id id;
    enum observed_gpu_column column;
    enum over_parts how;
} SUMMARIES[] = {
    {OBS_GPU_UTILIZATION, OBS_GPU_ROW_UTILIZATION, MEAN},
    {OBS_GPU_UTILIZATION_MIN, OBS_GPU_ROW_UTILIZATION, LEAST},
    {OBS_GPU_MEMORY_UTILIZATION, OBS_GPU_ROW_MEMORY_UTILIZATION, MEAN},
    {OBS_GPU_SM_ACTIVE, OBS_GPU_ROW_SM_ACTIVE, MEAN},
    {OBS_GPU_TENSOR_ACTIVE, OBS_GPU_ROW_TENSOR_ACTIVE, MEAN},
    {OBS_GPU_DRAM_ACTIVE, OBS_GPU_ROW_DRAM_ACTIVE, MEAN},
    {OBS_GPU_POWER_W, OBS_GPU_ROW_POWER_W, MEAN},
    {OBS_GPU_POWER_CAP_W, OBS_GPU_ROW_POWER_CAP_W, LEAST},
    {OBS_GPU_POWER_DEFAULT_W, OBS_GPU_ROW_POWER_DEFAULT_W, LEAST},
    {OBS_GPU_SM_CLOCK_MHZ, OBS_GPU_ROW_SM_CLOCK_MHZ, LEAST},
    {OBS_GPU_SM_CLOCK_MAX_MHZ, OBS_GPU_ROW_SM_CLOCK_MAX_MHZ, LEAST},
    {OBS_GPU_MEMORY_CLOCK_MHZ, OBS_GPU_ROW_MEMORY_CLOCK_MHZ, LEAST},
    {OBS_GPU_MEMORY_CLOCK_MAX_MHZ, OBS_GPU_ROW_MEMORY_CLOCK_MAX_MHZ, LEAST},
    {OBS_GPU_TEMPERATURE_C, OBS_GPU_ROW_TEMPERATURE_C, MOST},
    {OBS_GPU_MEMORY_USED_BYTES, OBS_GPU_ROW_MEMORY_USED_BYTES, MOST},
    {OBS_GPU_MEMORY_TOTAL_BYTES, OBS_GPU_ROW_MEMORY_TOTAL_BYTES, LEAST},
    {OBS_GPU_PCIE_RX_MB_S, OBS_GPU_ROW_PCIE_RX_MB_S, MOST},
    {OBS_GPU_PCIE_TX_MB_S, OBS_GPU_ROW_PCIE_TX_MB_S, MOST},
    {OBS_GPU_PCIE_GEN, OBS_GPU_ROW_PCIE_GEN, LEAST},
    {OBS_GPU_PCIE_GEN_MAX, OBS_GPU_ROW_PCIE_GEN_MAX, LEAST},
    {OBS_GPU_PCIE_WIDTH, OBS_GPU_ROW_PCIE_WIDTH, LEAST},
    {OBS_GPU_PCIE_WIDTH_MAX, OBS_GPU_ROW_PCIE_WIDTH_MAX, LEAST},
    {OBS_GPU_NVLINK_MB_S, OBS_GPU_ROW_NVLINK_MB_S, MOST},
};

/* Names -----------------------------------------------------------------------------------------
 */

const struct observed_quantity *observed_quantity(enum observed_id id)
{
    return &QUANTITIES[id];
}

const struct observed_signal_row *observed_signal_row(enum observed_signal signal)
{
    return &SIGNALS[signal];
}

const char *observed_gpu_column_name(enum observed_gpu_column column)
{
    return GPU_NAMES[column];
}

const char *observed_series_name(enum observed_series series)
{
    return SERIES_NAMES[series];
}

const char *observed_from_name(enum observed_from from)
{
    return FROM_NAMES[from];
}

const char *observed_over_name(enum observed_over over)
{
    return OVER_NAMES[over];
}

const char *observed_link_name(enum observed_link link)
{
    return LINK_NAMES[link];
}

unsigned observed_throttle_at(int i, const char **ret_name)
{
    if (i < 0 || i >= (int)ARRAY_LEN(THROTTLES))
        return 0;
    *ret_name = THROTTLES[i].name;
    return THROTTLES[i].bit;
}

enum observed_id observed_find(const char *name)
{
    int id = 0;

    while (id < OBSERVED_COUNT && strcmp(QUANTITIES[id].name, name) != 0)
        id++;
    return (enum observed_id)id;
}

/* Values ----------------------------------------------------------------------------------------
 */

void observed_init(struct observed *observed)
{
    memset(observed, 0, sizeof(*observed));
    for (int id = 0; id < OBSERVED_COUNT; id++)
        observed->q[id].value = NAN;
    for (int i = 0; i < OBSERVED_POSITIONS_MAX; i++)
        observed->spec_position[i] = NAN;
    observed->window_s = NAN;
}

/* Whether a value of origin a goes before one of origin b. */
static bool goes_before(const struct observation *a, const struct observation *b)
{
    if (isnan(b->value))
        return true;
    return a->from != b->from ? a->from < b->from : a->over < b->over;
}

bool observed_set(struct observed *observed, enum observed_id id, struct observation observation)
{
    struct observation *place = &observed->q[id];

    if (!isfinite(observation.value) || !goes_before(&observation, place))
        return false;
    *place = observation;
    return true;
}

bool observed_state(struct observed *observed, enum observed_id id, double value)
{
    const struct observation stated = {
        .value = value, .from = FROM_FIELD, .over = OVER_STATED, .samples = 1};

    return observed_set(observed, id, stated);
}

bool observed_add_point(struct observed *observed, enum observed_series series, double concurrency,
                        double value)
{
    struct observed_point *points = observed->series[series];
    int n = observed->n_series[series], at = n;

    if (n == OBSERVED_POINTS_MAX || !isfinite(concurrency) || !isfinite(value))
        return false;
    for (; at > 0 && points[at - 1].concurrency > concurrency; at--)
        points[at] = points[at - 1];
    points[at] = (struct observed_point){concurrency, value};
    observed->n_series[series]++;
    return true;
}

double observed_at_load(struct observed *observed, double concurrency)
{
    static const enum observed_id BY_SERIES[SERIES_COUNT] = {
        [SERIES_TPOT_MS] = OBS_TPOT_MEAN_MS,
        [SERIES_TTFT_MS] = OBS_TTFT_MEAN_MS,
        [SERIES_OUTPUT_TOK_S] = OBS_OUTPUT_TOK_S,
    };

    double load = concurrency;

    for (int i = 0; i < SERIES_COUNT && isnan(concurrency); i++) {
        int n = observed->n_series[i];
        if (n > 0)
            load = fmax(load, observed->series[i][n - 1].concurrency);
    }
    for (int i = 0; i < SERIES_COUNT; i++) {
        for (int j = 0; j < observed->n_series[i]; j++) {
            const struct observed_point *point = &observed->series[i][j];
            if (fabs(point->concurrency - load) <= SAME_LOAD * load &&
                !observed_has(observed, BY_SERIES[i]))
                (void)observed_state(observed, BY_SERIES[i], point->value);
        }
    }
    return load;
}

void observed_note(struct observed *observed, const char *code, const char *text)
{
    for (int i = 0; i < observed->n_notes; i++)
        if (strcmp(observed->notes[i].code, code) == 0 &&
            strcmp(observed->notes[i].text, text) == 0)
            return;
    if (observed->n_notes == OBSERVED_NOTES_MAX) {
        observed->notes_dropped++;
        return;
    }
    observed->notes[observed->n_notes++] = (struct observed_note){code, text};
}

void observed_sign(struct observed *observed, enum observed_signal signal, enum observed_from from,
                   const char *line, const char *source)
{
    struct observed_sign *sign = &observed->signs[signal];

    if (sign->count++ == 0) {
        sign->line = line;
        sign->source = source;
        sign->from = from;
    }
}

/* Parts -----------------------------------------------------------------------------------------
 */

static bool is_row(const struct observed_gpu *gpu, int index, const char *uuid)
{
    if (uuid && gpu->uuid)
        return strcmp(uuid, gpu->uuid) == 0;
    return index == gpu->index;
}

struct observed_gpu *observed_gpu_row(struct observed *observed, int index, const char *uuid)
{
    for (int i = 0; i < observed->n_gpus; i++)
        if (is_row(&observed->gpus[i], index, uuid))
            return &observed->gpus[i];
    if (observed->n_gpus == OBSERVED_GPUS_MAX)
        return NULL;
    struct observed_gpu *added = &observed->gpus[observed->n_gpus++];
    *added = (struct observed_gpu){.index = index, .uuid = uuid};
    for (int i = 0; i < OBSERVED_GPU_COLUMNS; i++)
        added->values[i] = NAN;
    return added;
}

void observed_gpu_add(struct observed_gpu *gpu, enum observed_gpu_column column, double value)
{
    double *place = &gpu->values[column];

    if (!isfinite(value))
        return;
    int n = ++gpu->samples[column];
    *place = n == 1 ? value : *place + (value - *place) / n;
}

static double over_rows(const struct observed *observed, enum observed_gpu_column column,
                        enum over_parts how, int *ret_rows)
{
    double result = NAN;
    int n = 0;

    for (int i = 0; i < observed->n_gpus; i++) {
        double value = observed->gpus[i].values[column];
        if (isnan(value))
            continue;
        n++;
        bool goes = how == LEAST ? value < result : value > result;
        if (how == MEAN && n > 1)
            result += (value - result) / n;
        else if (n == 1 || goes)
            result = value;
    }
    *ret_rows = n;
    return result;
}

void observed_gpu_summarize(struct observed *observed, enum observed_from from)
{
    struct observation observation = {.from = from, .over = OVER_LINES, .where = "rows of parts"};

    for (size_t i = 0; i < ARRAY_LEN(SUMMARIES); i++) {
        observation.value =
            over_rows(observed, SUMMARIES[i].column, SUMMARIES[i].how, &observation.samples);
        (void)observed_set(observed, SUMMARIES[i].id, observation);
    }
    if (observed->n_gpus) {
        observation.value = observation.samples = observed->n_gpus;
        (void)observed_set(observed, OBS_GPUS, observation);
    }
}

/* Merging ---------------------------------------------------------------------------------------
 */

static bool contradict(const struct observation *a, const struct observation *b)
{
    double most = fmax(fabs(a->value), fabs(b->value));

    return !isnan(a->value) && !isnan(b->value) && a->from != b->from &&
           fabs(a->value - b->value) > CONTRADICTION_SHARE * most;
}

static void merge_value(struct observed *into, const struct observed *from, enum observed_id id)
{
    const struct observation *theirs = &from->q[id];
    bool own_idle = observed_idle_gauge(into, id), idle = observed_idle_gauge(from, id);

    if (isnan(theirs->value) || (idle && !own_idle && observed_has(into, id)))
        return;
    if (own_idle && !idle) {
        into->q[id] = *theirs;
        return;
    }
    if (contradict(&into->q[id], theirs))
        observed_note(into, "differs", QUANTITIES[id].differs);
    (void)observed_set(into, id, *theirs);
}

static void merge_values(struct observed *into, const struct observed *from)
{
    for (int id = 0; id < OBSERVED_COUNT; id++)
        merge_value(into, from, (enum observed_id)id);
    for (int i = 0; i < OBSERVED_POSITIONS_MAX; i++)
        if (isnan(into->spec_position[i]))
            into->spec_position[i] = from->spec_position[i];
    for (int s = 0; s < SERIES_COUNT; s++)
        for (int i = 0; i < from->n_series[s]; i++)
            (void)observed_add_point(into, (enum observed_series)s, from->series[s][i].concurrency,
                                     from->series[s][i].value);
}

static void merge_text(const char **into, const char *from)
{
    if (!*into)
        *into = from;
}

static void merge_states(struct observed *into, const struct observed *from)
{
    /* A version that is said goes before one that names suggest. */
    if (!into->engine_version || (into->version_guessed && !from->version_guessed)) {
        into->engine_version = from->engine_version ? from->engine_version : into->engine_version;
        into->version_guessed = into->engine_version && from->version_guessed;
    }
    merge_text(&into->engine, from->engine);
    merge_text(&into->model, from->model);
    merge_text(&into->attention_backend, from->attention_backend);
    merge_text(&into->kv_cache_dtype, from->kv_cache_dtype);
    merge_text(&into->weights, from->weights);
    merge_text(&into->prefix_unit, from->prefix_unit);
    into->engines = into->engines ? into->engines : from->engines;
    into->models = into->models ? into->models : from->models;
    into->idle = (into->idle || from->idle) && !(into->q[OBS_RUNNING].value > 0);
    into->never_used = into->never_used || from->never_used;
    into->no_samples = into->no_samples || from->no_samples;
    into->restarted = into->restarted || from->restarted;
    if (isnan(into->window_s))
        into->window_s = from->window_s;
}

static void merge_links(struct observed *into, const struct observed *from)
{
    if (into->link_best == LINK_UNKNOWN)
        into->link_best = from->link_best;
    if (into->link_worst == LINK_UNKNOWN)
        into->link_worst = from->link_worst;
    into->link_nvlinks = into->link_nvlinks ? into->link_nvlinks : from->link_nvlinks;
    into->numa_nodes = into->numa_nodes ? into->numa_nodes : from->numa_nodes;
}

static void merge_gpus(struct observed *into, const struct observed *from)
{
    for (int i = 0; i < from->n_gpus; i++) {
        const struct observed_gpu *gpu = &from->gpus[i];
        struct observed_gpu *row = observed_gpu_row(into, gpu->index, gpu->uuid);
        if (!row)
            continue;
        merge_text(&row->name, gpu->name);
        merge_text(&row->uuid, gpu->uuid);
        for (int column = 0; column < OBSERVED_GPU_COLUMNS; column++)
            if (isnan(row->values[column]) && !isnan(gpu->values[column])) {
                row->values[column] = gpu->values[column];
                row->samples[column] = gpu->samples[column];
            }
        row->throttle |= gpu->throttle;
        row->throttle_known = row->throttle_known || gpu->throttle_known;
    }
}

static void merge_signs(struct observed *into, const struct observed *from)
{
    for (int i = 0; i < SIGNAL_COUNT; i++) {
        const struct observed_sign *sign = &from->signs[i];
        if (sign->count == 0)
            continue;
        if (into->signs[i].count == 0)
            into->signs[i] = *sign;
        else
            into->signs[i].count += sign->count;
    }
}

void observed_merge(struct observed *into, const struct observed *from)
{
    merge_values(into, from);
    merge_states(into, from);
    merge_links(into, from);
    merge_gpus(into, from);
    merge_signs(into, from);
    for (int i = 0; i < from->n_notes; i++)
        observed_note(into, from->notes[i].code, from->notes[i].text);
    into->notes_dropped += from->notes_dropped;
    for (int i = 0; i < from->n_readings && into->n_readings < OBSERVED_READINGS_MAX; i++)
        into->readings[into->n_readings++] = from->readings[i];
}
