/*
 * engine_log.c - an engine's log, line by line, into observations.
 *
 * Lines in which nothing runs and nothing is made are counted apart: engines print one when the
 * last request ends, and it is no speed.
 */
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine_log_rows.h"
#include "log_parts.h"
#include "observe.h"
#include "observe_line.h"
#include "units.h"

#define KEPT_MAX 200 /* of a line that is kept with its signal */
#define WORD_MAX 80
#define SHORT_NAME 3 /* "= " says less than the line's own phrase */
#define ENGINES_MAX 8

struct slot {
    double sum, weight, newest, largest;
    int n;
    const char *where;
    enum engine_log_take take;
};

/* What the values of one line are, until it is known that the line counts. */
struct line_values {
    double values[ENGINE_LOG_SLOTS];
    const struct engine_log_row *rows[ENGINE_LOG_SLOTS];
};

struct log_reading {
    struct arena *arena;
    struct observed *observed;
    struct observed_reading reading;
    struct slot slots[ENGINE_LOG_SLOTS];
    struct line_values line;
    const char *engines[ENGINES_MAX];
    int engine_lines[ENGINES_MAX];
    int idle_lines, busy_lines;
    double positions[OBSERVED_POSITIONS_MAX];
    int n_positions;
    char text[OBSERVE_LINE_MAX];
};

static void count_engine(struct log_reading *log, const char *engine)
{
    for (int i = 0; engine && i < ENGINES_MAX; i++) {
        if (log->engines[i] && strcmp(log->engines[i], engine) != 0)
            continue;
        log->engines[i] = engine;
        log->engine_lines[i]++;
        return;
    }
}

/* Numbers ---------------------------------------------------------------------------------------
 */

/* Milliseconds of the unit at the start of a text, NAN when it is none; its length. */
static double unit_at(const char *text, size_t *ret_length)
{
    static const struct {
        const char *unit;
        double ms;
    } UNITS[] = {{"ms", 1},      {"µs", 1e-3},         {"us", 1e-3},   {"ns", 1e-6},
                 {"h", 3600000}, {"m", 60 * MS_PER_S}, {"s", MS_PER_S}};

    for (size_t i = 0; i < ARRAY_LEN(UNITS); i++) {
        *ret_length = strlen(UNITS[i].unit);
        if (strncmp(text, UNITS[i].unit, *ret_length) == 0)
            return UNITS[i].ms;
    }
    return NAN;
}

/* "1m2.5s", "23.4ms", "512.3µs" in milliseconds; NAN when it is none. */
static double duration_at(const char *text)
{
    double total = NAN;

    for (;;) {
        const char *end;
        size_t length;
        double part = log_number_at(text, &end) * unit_at(end, &length);
        if (isnan(part))
            return total;
        total = isnan(total) ? part : total + part;
        text = end + length;
        if (!isdigit((unsigned char)*text))
            return total;
    }
}

static double read_form(const char *text, enum engine_log_form form)
{
    const char *end;
    double number;

    switch (form) {
    case FORM_NUMBER:
        return log_number_at(text, &end);
    case FORM_PERCENT:
        number = log_number_at(text, &end);
        return *end == '%' ? number / 100 : (double)NAN;
    case FORM_DURATION:
        return duration_at(text);
    case FORM_TRUTH:
        if (strncmp(text, "True", 4) == 0)
            return 1;
        return strncmp(text, "False", 5) == 0 ? 0 : (double)NAN;
    case FORM_SECOND:
        (void)log_number_at(text, &end);
        return *end == '/' ? log_number_at(end + 1, &end) : (double)NAN;
    }
    return NAN;
}

/* The place behind the row's phrases at or behind `from`; NULL when they are not there. */
static const char *behind_phrases(const struct engine_log_row *row, const char *from)
{
    const char *at = strstr(from, row->line);

    if (!at || !row->name)
        return at ? at + strlen(row->line) : NULL;
    at = strstr(at, row->name);
    return at ? at + strlen(row->name) : NULL;
}

static void take_value(struct slot *slot, const struct engine_log_row *row, double value)
{
    slot->sum += value;
    slot->weight += 1;
    slot->newest = value;
    slot->largest = slot->n ? fmax(slot->largest, value) : value;
    slot->where = row->name && strlen(row->name) > SHORT_NAME ? row->name : row->line;
    slot->take = row->take;
    slot->n++;
}

/* The first row of a quantity counts. Where a line says it again, as lists of statistics do, the
 * value before is taken over. */
static void put_line_value(struct log_reading *log, const struct engine_log_row *row, double value)
{
    struct line_values *line = &log->line;

    if (line->rows[row->target] && line->rows[row->target] != row)
        return;
    if (line->rows[row->target])
        take_value(&log->slots[row->target], row, line->values[row->target]);
    line->rows[row->target] = row;
    line->values[row->target] = value;
}

/* All numbers of a row in the line: lists of statistics are one long line. */
static bool read_row(struct log_reading *log, const struct engine_log_row *row)
{
    const char *at = log->text;
    bool found = false;

    if (row->without && strstr(log->text, row->without))
        return false;
    while ((at = behind_phrases(row, at)) != NULL) {
        double value = read_form(at, row->form) * row->scale;
        if (!isfinite(value) || value < 0)
            continue;
        found = true;
        put_line_value(log, row, value);
    }
    return found;
}

/* Takes the line's values over, unless it is one of an idle engine. */
static void take_line(struct log_reading *log)
{
    const struct line_values *line = &log->line;
    bool stats = line->rows[OBS_RUNNING] && line->rows[OBS_OUTPUT_TOK_S];
    bool idle = stats && line->values[OBS_RUNNING] <= 0 && line->values[OBS_OUTPUT_TOK_S] <= 0;

    log->idle_lines += idle;
    log->busy_lines += stats && !idle;
    for (int id = 0; id < ENGINE_LOG_SLOTS && !idle; id++)
        if (line->rows[id])
            take_value(&log->slots[id], line->rows[id], line->values[id]);
}

/* Signals and words ------------------------------------------------------------------------------
 */

static bool holds(const struct engine_log_signal *row, const char *behind)
{
    const char *end;
    double number = log_number_at(behind, &end);

    switch (row->when) {
    case IF_THERE:
        return true;
    case IF_NOT:
        return !isnan(number) && fabs(number - row->than) > 1e-9;
    case IF_ABOVE:
        return number > row->than;
    case IF_NUMBER:
        return !isnan(number);
    }
    return false;
}

static bool read_signals(struct log_reading *log)
{
    const struct engine_log_signal *row;
    bool seen[SIGNAL_COUNT] = {false};
    bool found = false;

    for (size_t i = 0; (row = engine_log_signal_at(i)) != NULL; i++) {
        const char *at = seen[row->signal] ? NULL : strstr(log->text, row->phrase);
        if (!at || (row->also && !strstr(log->text, row->also)) ||
            !holds(row, at + strlen(row->phrase)))
            continue;
        seen[row->signal] = found = true;
        count_engine(log, row->engine);
        bool first = !observed_says(log->observed, row->signal);
        observed_sign(log->observed, row->signal, FROM_LOG,
                      first ? observe_keep(log->arena, log->text, KEPT_MAX) : NULL, row->source);
    }
    return found;
}

/* What a phrase names, as far as a name goes. */
static const char *word_behind(struct log_reading *log, const char *text)
{
    static const char NAME[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                               "._-/+";

    text += strspn(text, "'\" ");
    size_t length = strspn(text, NAME);
    while (length && text[length - 1] == '.')
        length--;
    return length && length < WORD_MAX ? arena_copy(log->arena, text, length) : NULL;
}

static void put_word(const char **place, const char *word)
{
    if (!*place)
        *place = word;
}

static bool read_words(struct log_reading *log)
{
    const struct engine_log_word *row;
    bool found = false;

    for (size_t i = 0; (row = engine_log_word_at(i)) != NULL; i++) {
        const char *at = strstr(log->text, row->phrase);
        /* "Using Flash Attention backend": the name begins within the phrase. */
        bool within = row->what == TEXT_ATTENTION && strncmp(row->phrase, "Using ", 6) == 0 &&
                      isalpha((unsigned char)row->phrase[strlen(row->phrase) - 1]);
        if (!at || (within && !strstr(at, "ackend")))
            continue;
        const char *word = word_behind(log, at + (within ? 6 : strlen(row->phrase)));
        if (!word)
            continue;
        found = true;
        count_engine(log, row->engine);
        if (row->what == TEXT_ATTENTION)
            put_word(&log->observed->attention_backend, word);
        else if (row->what == TEXT_VERSION)
            put_word(&log->observed->engine_version, word);
        else if (row->what == TEXT_KV_DTYPE)
            put_word(&log->observed->kv_cache_dtype, word);
        else
            put_word(&log->observed->model, word);
    }
    return found;
}

/* vLLM's "Per-position acceptance rate: 0.566, 0.309, 0.177, Avg ...": sums over lines. */
static void read_positions(struct log_reading *log)
{
    static const char PHRASE[] = "Per-position acceptance rate: ";
    const char *at = strstr(log->text, PHRASE);

    if (!at)
        return;
    at += strlen(PHRASE);
    log->n_positions++;
    for (int i = 0; i < OBSERVED_POSITIONS_MAX; i++) {
        const char *end;
        double rate = log_number_at(at, &end);
        if (isnan(rate))
            break;
        log->positions[i] += rate;
        if (*end != ',')
            break;
        at = end + 1;
    }
}

/* Lines -----------------------------------------------------------------------------------------
 */

static void read_line(struct log_reading *log)
{
    const struct engine_log_row *row;
    bool used = false;

    log->reading.lines++;
    memset(&log->line, 0, sizeof(log->line));
    for (size_t i = 0; (row = engine_log_row_at(i)) != NULL; i++)
        if (read_row(log, row)) {
            used = true;
            count_engine(log, row->engine);
        }
    take_line(log);
    read_positions(log);
    used = read_signals(log) || used;
    used = read_words(log) || used;
    if (used)
        log->reading.used++;
    else
        observe_not_understood(log->arena, &log->reading, log->text);
}

/* What it comes to ------------------------------------------------------------------------------
 */

static void put(struct log_reading *log, enum observed_id id, double value, const char *where,
                int samples)
{
    const struct observation observation = {
        .value = value,
        .from = FROM_LOG,
        .over = observed_quantity(id)->unit == UNIT_LIMIT ? OVER_CONFIGURED : OVER_LINES,
        .where = where,
        .samples = samples};

    if (!observed_has(log->observed, id))
        (void)observed_set(log->observed, id, observation);
}

static double slot_value(const struct slot *slot)
{
    if (slot->n == 0)
        return NAN;
    switch (slot->take) {
    case TAKE_ALL_MEAN:
        return slot->sum / slot->weight;
    case TAKE_NEWEST:
        return slot->newest;
    case TAKE_LARGEST:
        return slot->largest;
    case TAKE_SUM:
        return slot->sum;
    }
    return NAN;
}

static void put_ratio(struct log_reading *log, enum observed_id id, int part, int whole,
                      double scale, const char *where)
{
    const struct slot *a = &log->slots[part], *b = &log->slots[whole];

    if (a->n && b->n && b->sum > 0)
        put(log, id, scale * a->sum / b->sum, where, b->n);
}

/* Requests at the speed of the batch: what a log that has no latencies says of one. */
static void put_speed(struct log_reading *log)
{
    const struct slot *running = &log->slots[OBS_RUNNING], *made = &log->slots[OBS_OUTPUT_TOK_S];
    static const char WHERE[] = "running / generation throughput";

    if (!running->n || !made->n || !(running->sum > 0) || !(made->sum > 0))
        return;
    double per_user = (made->sum / made->weight) / (running->sum / running->weight);
    put(log, OBS_OUTPUT_TOK_S_PER_USER, per_user, WHERE, made->n);
    if (!observed_says(log->observed, SIGNAL_SPEC_ON))
        put(log, OBS_ITL_MEAN_MS, MS_PER_S / per_user, WHERE, made->n);
}

static void put_derived(struct log_reading *log)
{
    const struct slot *fresh = &log->slots[SUM_NEW_TOKENS],
                      *cached = &log->slots[SUM_CACHED_TOKENS];
    static const char TIMINGS[] = "eval time", PROMPTS[] = "prompt eval time";
    const struct slot *runs = &log->slots[SUM_EVAL_COUNT];

    if (fresh->n && fresh->sum + cached->sum > 0) {
        put(log, OBS_PREFIX_HIT_RATE, cached->sum / (fresh->sum + cached->sum), "#cached-token",
            fresh->n);
        put(log, OBS_PROMPT_TOKENS, fresh->sum + cached->sum, "#new-token + #cached-token",
            fresh->n);
        put(log, OBS_CACHED_TOKENS, cached->sum, "#cached-token", fresh->n);
        log->observed->prefix_unit = "tokens";
    }
    put(log, OBS_GRAPH_SHARE, slot_value(&log->slots[SUM_GRAPH]), "cuda graph",
        log->slots[SUM_GRAPH].n);
    put(log, OBS_RUNNING, slot_value(&log->slots[SUM_PREFILL_RUNNING]), "#running-req of prefills",
        log->slots[SUM_PREFILL_RUNNING].n);
    put(log, OBS_WAITING, slot_value(&log->slots[SUM_PREFILL_WAITING]), "#queue-req of prefills",
        log->slots[SUM_PREFILL_WAITING].n);
    put_ratio(log, OBS_KV_USAGE, SUM_BLOCKS_USED, OBS_KV_BLOCKS, 1, "used / max blocks");
    put_ratio(log, OBS_ITL_MEAN_MS, SUM_EVAL_MS, SUM_EVAL_COUNT, 1, TIMINGS);
    put_ratio(log, OBS_OUTPUT_TOK_S_PER_USER, SUM_EVAL_COUNT, SUM_EVAL_MS, MS_PER_S, TIMINGS);
    put_ratio(log, OBS_INPUT_TOK_S, SUM_PROMPT_COUNT, SUM_PROMPT_MS, MS_PER_S, PROMPTS);
    if (runs->n) {
        put(log, OBS_REQUESTS, runs->n, TIMINGS, runs->n);
        put(log, OBS_OUTPUT_TOKENS_MEAN, runs->sum / runs->n, TIMINGS, runs->n);
        put(log, OBS_PREFILL_MEAN_MS, log->slots[SUM_PROMPT_MS].sum / runs->n, PROMPTS, runs->n);
    }
    put(log, OBS_KV_CAPACITY_TOKENS,
        observed_value(log->observed, OBS_KV_BLOCKS) *
            observed_value(log->observed, OBS_KV_BLOCK_TOKENS),
        "blocks x tokens of a block", 1);
    put_ratio(log, OBS_SPEC_ACCEPTANCE, OBS_SPEC_ACCEPTED, OBS_SPEC_DRAFTED, 1, "Accepted");
    put_speed(log);
    if (observed_value(log->observed, OBS_GPU_LAYERS) <
        observed_value(log->observed, OBS_MODEL_LAYERS))
        observed_sign(log->observed, SIGNAL_CPU_OFFLOAD, FROM_LOG, "offloaded layers",
                      "llama.cpp src/llama-model.cpp, ollama llm/server.go");
}

/* The engine that most lines are of. */
static const char *engine_of(const struct log_reading *log)
{
    int best = 0;

    for (int i = 1; i < ENGINES_MAX; i++)
        if (log->engine_lines[i] > log->engine_lines[best])
            best = i;
    /* ollama prints its runner's lines too. */
    for (int i = 0; i < ENGINES_MAX; i++)
        if (log->engines[i] && strcmp(log->engines[i], "ollama") == 0)
            best = i;
    return log->engines[best];
}

static void settle(struct log_reading *log)
{
    struct observed *observed = log->observed;

    for (int id = 0; id < OBSERVED_COUNT; id++)
        put(log, (enum observed_id)id, slot_value(&log->slots[id]), log->slots[id].where,
            log->slots[id].n);
    put_derived(log);
    for (int i = 0; i < OBSERVED_POSITIONS_MAX && log->n_positions; i++)
        if (log->positions[i] > 0)
            observed->spec_position[i] = log->positions[i] / log->n_positions;
    observed->engine = engine_of(log);
    if (log->idle_lines && !log->busy_lines) {
        observed->idle = true;
        put(log, OBS_RUNNING, 0, "log lines", log->idle_lines);
        observed_note(observed, "idle",
                      "nothing ran in any line of the log: it says nothing of the load");
    } else if (log->idle_lines) {
        observed_note(observed, "idle_lines",
                      "lines of the log in which nothing ran are left out of the means");
    }
    if (observed_says(observed, SIGNAL_MOE_DEFAULT_CONFIG))
        observed_note(observed, "moe_default_config",
                      "the warning of an untuned expert kernel stands in many healthy logs: tuning "
                      "gives from nothing to twice the kernel's speed");
    if (log->reading.used)
        log->reading.format = "engine log";
    else if (log->reading.lines)
        observed_note(observed, "not_understood", "no line of the log says anything that is known");
    if (observed->n_readings < OBSERVED_READINGS_MAX)
        observed->readings[observed->n_readings++] = log->reading;
}

bool observe_log(struct arena *arena, const char *text, size_t length, struct observed *observed)
{
    struct log_reading *log = arena_alloc(arena, sizeof(*log));
    struct observed *own = arena_alloc(arena, sizeof(*own));
    const char *end = text + length;

    if (!log || !own)
        return false;
    observed_init(own);
    log->arena = arena;
    log->observed = own;
    log->reading.from = FROM_LOG;
    while (observe_line_next(&text, end, log->text))
        read_line(log);
    settle(log);
    observed_merge(observed, own);
    return true;
}
