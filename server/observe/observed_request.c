#include "observed_request.h"

#include <cjson/cJSON.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "compiler.h"
#include "field.h"
#include "phrases.h"

#define FREE "other"

/* Names that people and the API use beside those of the quantities. */
static const struct {
    const char *name;
    enum observed_id id;
    enum observed_series series; /* of a list of points; SERIES_COUNT = none */
} SHORT[] = {
    {"tpot_ms", OBS_TPOT_MEAN_MS, SERIES_TPOT_MS},
    {"ttft_ms", OBS_TTFT_MEAN_MS, SERIES_TTFT_MS},
    {"output_tok_s", OBS_OUTPUT_TOK_S, SERIES_OUTPUT_TOK_S},
    {"itl_ms", OBS_ITL_MEAN_MS, SERIES_COUNT},
    {"e2e_ms", OBS_E2E_MEAN_MS, SERIES_COUNT},
    {"queue_ms", OBS_QUEUE_MEAN_MS, SERIES_COUNT},
    {"prompt_tok_s", OBS_INPUT_TOK_S, SERIES_COUNT},
    {"per_user_tok_s", OBS_OUTPUT_TOK_S_PER_USER, SERIES_COUNT},
    {"request_s", OBS_REQUESTS_PER_S, SERIES_COUNT},
    {"requests_s", OBS_REQUESTS_PER_S, SERIES_COUNT},
    {"acceptance", OBS_SPEC_ACCEPTANCE, SERIES_COUNT},
    {"sm_clock_mhz", OBS_GPU_SM_CLOCK_MHZ, SERIES_COUNT},
    {"sm_clock_max_mhz", OBS_GPU_SM_CLOCK_MAX_MHZ, SERIES_COUNT},
    {"memory_clock_mhz", OBS_GPU_MEMORY_CLOCK_MHZ, SERIES_COUNT},
    {"gpu_power_limit_w", OBS_GPU_POWER_CAP_W, SERIES_COUNT},
    {"power_w", OBS_GPU_POWER_W, SERIES_COUNT},
    {"pending", OBS_WAITING, SERIES_COUNT},
    {"gpu_util", OBS_GPU_UTILIZATION, SERIES_COUNT},
    {"sm_util", OBS_GPU_UTILIZATION, SERIES_COUNT},
    {"gpu_active", OBS_GPU_UTILIZATION, SERIES_COUNT},
    {"gpu_busy", OBS_GPU_UTILIZATION, SERIES_COUNT},
    {"gpu_usage", OBS_GPU_UTILIZATION, SERIES_COUNT},
    {"cpu_util", OBS_CPU_UTILIZATION, SERIES_COUNT},
    {"kv_cache_usage", OBS_KV_USAGE, SERIES_COUNT},
    {"gpu_kv_cache_usage", OBS_KV_USAGE, SERIES_COUNT},
    {"kv_util", OBS_KV_USAGE, SERIES_COUNT},
    {"token_usage", OBS_KV_USAGE, SERIES_COUNT},
    {"running_reqs", OBS_RUNNING, SERIES_COUNT},
    {"waiting_reqs", OBS_WAITING, SERIES_COUNT},
    {"queue_reqs", OBS_WAITING, SERIES_COUNT},
    {"queued", OBS_WAITING, SERIES_COUNT},
    {"acceptance_rate", OBS_SPEC_ACCEPTANCE, SERIES_COUNT},
    {"accept_rate", OBS_SPEC_ACCEPTANCE, SERIES_COUNT},
    {"cache_hit_rate", OBS_PREFIX_HIT_RATE, SERIES_COUNT},
    {"prefix_cache_hit_rate", OBS_PREFIX_HIT_RATE, SERIES_COUNT},
    {"max_running_requests", OBS_MAX_RUNNING, SERIES_COUNT},
    {"max_num_seqs", OBS_MAX_RUNNING, SERIES_COUNT},
    {"effective_concurrency", OBS_RUNNING, SERIES_COUNT},
    {"configured_concurrency", OBS_CONCURRENCY, SERIES_COUNT},
};

#define NAMES_MAX ((int)ARRAY_LEN(SHORT) + OBSERVED_COUNT + 1)

const char *observed_request_name(int i)
{
    if (i < (int)ARRAY_LEN(SHORT))
        return SHORT[i].name;
    if (i == (int)ARRAY_LEN(SHORT))
        return FREE;
    i -= (int)ARRAY_LEN(SHORT) + 1;
    return i < OBSERVED_COUNT ? observed_quantity((enum observed_id)i)->name : NULL;
}

static const char *place(const struct observed_reader *reader, const char *base, const char *name)
{
    const char *text = arena_printf(reader->arena, "%s/%s", base, field_quote(reader->arena, name));

    return text ? text : base;
}

/* The quantity that a name means; OBSERVED_COUNT when it means none. A trailing unit of a share
 * ("kv_usage_pct") is part of the name. */
static enum observed_id find_quantity(const char *name, enum observed_series *ret_series)
{
    size_t length = strlen(name);

    if (length > 4 && strcmp(name + length - 4, "_pct") == 0)
        length -= 4;
    *ret_series = SERIES_COUNT;
    for (size_t i = 0; i < ARRAY_LEN(SHORT); i++) {
        if (strlen(SHORT[i].name) != length || strncmp(SHORT[i].name, name, length) != 0)
            continue;
        *ret_series = SHORT[i].series;
        return SHORT[i].id;
    }
    for (int i = 0; i < OBSERVED_COUNT; i++) {
        const char *own = observed_quantity((enum observed_id)i)->name;
        if (strlen(own) == length && strncmp(own, name, length) == 0)
            return (enum observed_id)i;
    }
    return OBSERVED_COUNT;
}

/* The number of a value: itself, or the first number of a text: of a range the middle, of a course
 * ("0.4 -> 9") the last, which is what is seen now. */
static bool number_of(const cJSON *value, double *ret_number)
{
    if (value && cJSON_IsNumber(value)) {
        *ret_number = value->valuedouble;
        return isfinite(*ret_number);
    }
    if (!value || !cJSON_IsString(value))
        return false;
    const char *course = strstr(value->valuestring, "->");
    const char *text = course ? course + strlen("->") : value->valuestring;
    text += strspn(text, " \t<>=~");
    char *end;
    double first = strtod(text, &end);
    if (end == text || !isfinite(first))
        return false;
    *ret_number = first;
    if (*end == '-') {
        char *last;
        double second = strtod(end + 1, &last);
        if (last != end + 1 && isfinite(second) && second > first)
            *ret_number = (first + second) / 2;
    }
    return true;
}

/* States a share given as percent or as a fraction; what is above 1 can only be percent. */
static double as_fraction(const struct observed_reader *reader, const char *name, double value,
                          bool percent)
{
    if (!percent && value <= 1.0)
        return value;
    const char *text = arena_printf(reader->arena, "%s %.9g is read as percent",
                                    field_quote(reader->arena, name), value);
    if (text && !percent)
        observed_note(reader->observed, "percent", text);
    return value / 100.0;
}

static void refuse(const struct observed_reader *reader, const char *pointer, const char *what)
{
    fault_add(reader->faults, pointer, NULL, "expected %s", what);
}

/* States one number; false when it is out of the quantity's range. */
static bool state(const struct observed_reader *reader, const char *name, enum observed_id id,
                  double value)
{
    bool percent = strlen(name) > 4 && strcmp(name + strlen(name) - 4, "_pct") == 0;

    if (observed_quantity(id)->unit == UNIT_FRACTION)
        value = as_fraction(reader, name, value, percent);
    if (value < 0 || (observed_quantity(id)->unit == UNIT_FRACTION && value > 1.0))
        return false;
    (void)observed_state(reader->observed, id, value);
    return true;
}

/* Reads [{"concurrency": 8, "value": 21.5}, ...]. */
static void read_points(const struct observed_reader *reader, const cJSON *list,
                        const char *pointer, enum observed_id id, enum observed_series series)
{
    double last = NAN;

    for (const cJSON *point = list->child; point; point = point->next) {
        const cJSON *at = cJSON_GetObjectItemCaseSensitive(point, "concurrency");
        const cJSON *value = cJSON_GetObjectItemCaseSensitive(point, "value");
        bool good = at && value && cJSON_IsNumber(at) && cJSON_IsNumber(value) &&
                    at->valuedouble > 0 && value->valuedouble >= 0 && isfinite(value->valuedouble);
        if (!good) {
            refuse(reader, pointer, "points as {\"concurrency\": 8, \"value\": 21.5}");
            return;
        }
        (void)observed_add_point(reader->observed, series, at->valuedouble, value->valuedouble);
        last = value->valuedouble;
    }
    if (!isnan(last) && list->child && !list->child->next) {
        (void)observed_state(reader->observed, id, last);
        (void)observed_state(
            reader->observed, OBS_CONCURRENCY,
            cJSON_GetObjectItemCaseSensitive(list->child, "concurrency")->valuedouble);
    }
}

/* A free name: a figure where it has a number, and words in any case. */
static void read_free(const struct observed_reader *reader, const cJSON *item, const char *run)
{
    double number;
    const char *text = cJSON_IsString(item) ? item->valuestring : NULL;
    enum observed_series series;
    enum observed_id id = run ? OBSERVED_COUNT : find_quantity(item->string, &series);

    if (id != OBSERVED_COUNT && number_of(item, &number) && state(reader, item->string, id, number))
        return;
    if (reader->figures->n == FREE_FIGURES_MAX) {
        observed_note(reader->observed, "many_figures",
                      "more figures with free names than are read: the last ones are left out");
        return;
    }
    const char *words =
        text ? arena_printf(reader->arena, "%s %s", item->string, text) : item->string;
    if (words && !cJSON_IsFalse(item))
        (void)phrases_read(reader->arena, words, CHANNEL_STATEMENT, reader->symptoms);
    if (cJSON_IsNumber(item) || text)
        (void)figures_add(reader->arena, reader->figures, item->string, run,
                          cJSON_IsNumber(item) ? item->valuedouble : (double)NAN, text);
}

static void read_other(const struct observed_reader *reader, const cJSON *object)
{
    if (!cJSON_IsObject(object)) {
        refuse(reader, "/observed/other", "an object of names and values");
        return;
    }
    for (const cJSON *item = object->child; item; item = item->next) {
        if (cJSON_IsObject(item) || cJSON_IsArray(item))
            refuse(reader, place(reader, "/observed/other", item->string),
                   "a number, a text, true or false");
        else
            read_free(reader, item, NULL);
    }
}

static void read_member(const struct observed_reader *reader, const cJSON *item)
{
    enum observed_series series;
    enum observed_id id = find_quantity(item->string, &series);
    const char *pointer = place(reader, "/observed", item->string);
    double number;

    if (id == OBSERVED_COUNT) {
        const char *names[NAMES_MAX];
        int n = 0;
        for (; observed_request_name(n); n++)
            names[n] = observed_request_name(n);
        fault_add(reader->faults, pointer, fault_nearest(item->string, names, n),
                  "no quantity has this name; free names stand in \"other\"");
    } else if (cJSON_IsArray(item) && series != SERIES_COUNT) {
        read_points(reader, item, pointer, id, series);
    } else if (!number_of(item, &number) || !state(reader, item->string, id, number)) {
        refuse(reader, pointer,
               observed_quantity(id)->unit == UNIT_FRACTION
                   ? "a share: a number from 0 to 1, or percent"
                   : "a number that is not negative");
    }
}

void observed_request_read(const struct observed_reader *reader, const cJSON *object)
{
    if (!cJSON_IsObject(object)) {
        refuse(reader, "/observed", "an object of quantities and their values");
        return;
    }
    for (const cJSON *item = object->child; item; item = item->next) {
        if (cJSON_IsNull(item))
            continue;
        if (strcmp(item->string, FREE) == 0)
            read_other(reader, item);
        else
            read_member(reader, item);
    }
}

/* Runs ----------------------------------------------------------------------------------------- */

/* What a value says beside its name. */
static const char *value_words(struct arena *arena, const cJSON *value)
{
    const char *text = "";

    if (cJSON_IsString(value))
        text = value->valuestring;
    else if (cJSON_IsBool(value))
        text = cJSON_IsTrue(value) ? "on" : "off";
    else if (cJSON_IsNumber(value))
        text = arena_printf(arena, "%.9g", value->valuedouble);
    return text ? text : "";
}

/* The words of a text, or of an object's names and values: what a run was started with. */
static const char *words_of(const struct observed_reader *reader, const cJSON *value)
{
    const char *text = "";

    if (!value || cJSON_IsString(value))
        return value ? value->valuestring : "";
    for (const cJSON *item = value->child; item; item = item->next) {
        const char *longer =
            arena_printf(reader->arena, "%s %s %s", text, item->string ? item->string : "",
                         value_words(reader->arena, item));
        text = longer ? longer : text;
    }
    return text;
}

static void read_arm(const struct observed_reader *reader, const cJSON *arm, const char *pointer)
{
    const cJSON *name = cJSON_GetObjectItemCaseSensitive(arm, "name");
    const cJSON *change = cJSON_GetObjectItemCaseSensitive(arm, "change");
    const char *run = arena_printf(reader->arena, "%s . %s",
                                   name && cJSON_IsString(name) ? name->valuestring : "",
                                   words_of(reader, change));

    if ((name && !cJSON_IsString(name)) || !run) {
        refuse(reader, place(reader, pointer, "name"), "a text: what this run is");
        return;
    }
    for (const cJSON *item = arm->child; item; item = item->next) {
        if (item == name || item == change || cJSON_IsNull(item))
            continue;
        if (cJSON_IsObject(item) || cJSON_IsArray(item))
            refuse(reader, place(reader, pointer, item->string), "a number or a text");
        else
            read_free(reader, item, run);
    }
}

void observed_request_arms(const struct observed_reader *reader, const cJSON *list)
{
    int i = 0;

    if (!cJSON_IsArray(list)) {
        refuse(reader, "/arms",
               "a list of runs: [{\"name\": \"...\", \"output_tok_s\": 485.8}, ...]");
        return;
    }
    for (const cJSON *arm = list->child; arm; arm = arm->next, i++) {
        const char *pointer = arena_printf(reader->arena, "/arms/%d", i);
        if (!pointer)
            return;
        if (cJSON_IsObject(arm))
            read_arm(reader, arm, pointer);
        else
            refuse(reader, pointer, "an object: the run's name, what it changed, its figures");
    }
}
