#include "benchmark.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "benchmark_parts.h"
#include "compiler.h"

#define PATH_MAX_BYTES 160
#define NAME_MAX_BYTES 80
#define REQUESTS_WHOLE 0.5 /* what a count is at least */

/* ---- looking ---- */

const cJSON *benchmark_at(const cJSON *object, const char *path)
{
    char name[NAME_MAX_BYTES];

    while (object) {
        size_t length = strcspn(path, "/");
        snprintf(name, sizeof(name), "%.*s", (int)length, path);
        object = cJSON_IsObject(object) ? cJSON_GetObjectItemCaseSensitive(object, name) : NULL;
        if (!path[length])
            break;
        path += length + 1;
    }
    return object;
}

static double number_in(const cJSON *item)
{
    const char *text = cJSON_GetStringValue(item);
    char *end = NULL;
    double value = text ? strtod(text, &end) : cJSON_GetNumberValue(item);

    if (!isfinite(value) || (text && (end == text || *end)))
        return (double)NAN;
    return value;
}

double benchmark_number(const cJSON *object, const char *path)
{
    return number_in(benchmark_at(object, path));
}

static const char *text_in(const cJSON *item)
{
    const char *text = cJSON_GetStringValue(item);

    return text && *text ? text : NULL;
}

const char *benchmark_text_at(const cJSON *object, const char *path)
{
    return text_in(benchmark_at(object, path));
}

/* The entry that a list counts as. */
static const cJSON *entry_at(const cJSON *file, const char *path)
{
    const cJSON *item = benchmark_at(file, path);

    return item && cJSON_IsArray(item) ? item->child : item;
}

const char *benchmark_text_of(const cJSON *file, const char *const *paths, size_t n)
{
    const char *text = NULL;

    for (size_t i = 0; !text && i < n; i++) {
        const cJSON *entry = entry_at(file, paths[i]);
        text = text_in(entry && cJSON_IsObject(entry) ? benchmark_at(entry, "name") : entry);
    }
    return text;
}

double benchmark_number_of(const cJSON *file, const char *const *paths, size_t n)
{
    double number = (double)NAN;

    for (size_t i = 0; isnan(number) && i < n; i++)
        number = number_in(entry_at(file, paths[i]));
    return number;
}

/* ---- putting ---- */

cJSON *benchmark_run_new(struct benchmark_reader *reader)
{
    struct benchmark *to = reader->to;

    if (to->n == BENCHMARK_RUNS_MAX) {
        reader->why = "holds more runs than one request may add";
        return NULL;
    }
    cJSON *run = cJSON_CreateObject();
    cJSON_AddObjectToObject(run, "workload");
    cJSON_AddObjectToObject(run, "metrics");
    to->gpu_layers[to->n] = (double)NAN;
    to->runs[to->n++] = run;
    return run;
}

void benchmark_put_text(cJSON *run, const char *name, const char *text)
{
    if (text && *text)
        cJSON_AddStringToObject(run, name, text);
}

void benchmark_put_condition(cJSON *run, const char *name, double value)
{
    if (value > 0)
        cJSON_AddNumberToObject(cJSON_GetObjectItemCaseSensitive(run, "workload"), name, value);
}

void benchmark_put_profile(cJSON *run, const char *profile)
{
    cJSON_AddStringToObject(cJSON_GetObjectItemCaseSensitive(run, "workload"), "load_profile",
                            profile);
}

void benchmark_put_date(struct benchmark_reader *reader, cJSON *run, const char *date)
{
    static const char *const SHAPES[] = {"dddd-dd-dd", "dddddddd"};

    for (size_t i = 0; date && i < ARRAY_LEN(SHAPES); i++) {
        const char *shape = SHAPES[i];
        size_t k = 0;
        while (shape[k] && (shape[k] == 'd' ? isdigit((unsigned char)date[k]) : date[k] == '-'))
            k++;
        if (shape[k])
            continue;
        const char *text =
            i == 0 ? arena_printf(reader->arena, "%.10s", date)
                   : arena_printf(reader->arena, "%.4s-%.2s-%.2s", date, date + 4, date + 6);
        benchmark_put_text(run, "measured_on", text);
        return;
    }
}

int benchmark_put_figures(struct benchmark_reader *reader, cJSON *run, const cJSON *from,
                          const struct benchmark_figure *figures, size_t n_figures,
                          const struct benchmark_statistic *statistics, size_t n_statistics)
{
    cJSON *metrics = cJSON_GetObjectItemCaseSensitive(run, "metrics");
    int n = 0;

    for (size_t i = 0; i < n_figures; i++) {
        for (size_t k = 0; k < n_statistics; k++) {
            const char *at = strstr(statistics[k].path, "%s");
            char path[PATH_MAX_BYTES];
            if (at)
                snprintf(path, sizeof(path), "%.*s%s%s", (int)(at - statistics[k].path),
                         statistics[k].path, figures[i].from, at + 2);
            else
                snprintf(path, sizeof(path), "%s", figures[i].from);
            double value = benchmark_number(from, path) * figures[i].scale;
            const char *name =
                arena_printf(reader->arena, "%s.%s", figures[i].metric, statistics[k].statistic);
            if (!(value > 0) || !name || cJSON_HasObjectItem(metrics, name))
                continue;
            cJSON_AddNumberToObject(metrics, name, value);
            n++;
        }
    }
    return n;
}

static void add_note(struct benchmark_reader *reader, cJSON *run, const char *note)
{
    const char *before = benchmark_text_at(run, "notes");
    const char *text = before ? arena_printf(reader->arena, "%s; %s", before, note) : note;

    cJSON_DeleteItemFromObjectCaseSensitive(run, "notes");
    benchmark_put_text(run, "notes", text);
}

void benchmark_put_load(struct benchmark_reader *reader, cJSON *run, double in_flight, double rate,
                        double requests)
{
    benchmark_put_condition(run, "requests", requests);
    if (rate > 0) {
        benchmark_put_profile(run, "open_loop");
        benchmark_put_condition(run, "request_rate", rate);
        const char *note =
            in_flight > 0 ? arena_printf(reader->arena, "at most %g requests in flight", in_flight)
                          : NULL;
        if (note)
            add_note(reader, run, note);
    } else if (in_flight > 0) {
        benchmark_put_profile(run, "closed_loop");
        benchmark_put_condition(run, "concurrency", in_flight);
    } else if (requests > 0) {
        benchmark_put_profile(run, "all_at_once");
        benchmark_put_condition(run, "concurrency", requests);
    }
}

bool benchmark_finish(struct benchmark_reader *reader, cJSON *run, double completed, double failed)
{
    const cJSON *metrics = cJSON_GetObjectItemCaseSensitive(run, "metrics");

    if (completed < REQUESTS_WHOLE || !metrics->child) {
        reader->why = completed < REQUESTS_WHOLE ? "holds a run in which no request finished"
                                                 : "holds a run without a figure";
        cJSON_Delete(reader->to->runs[--reader->to->n]);
        return false;
    }
    if (failed >= REQUESTS_WHOLE) {
        const char *note =
            arena_printf(reader->arena, "%g of %g requests failed", failed, completed + failed);
        if (note)
            add_note(reader, run, note);
    }
    return true;
}

/* ---- the tools ---- */

/* The object that tells the tool: the first of a list. */
static const cJSON *first_of(const cJSON *file)
{
    return file && cJSON_IsArray(file) ? file->child : file;
}

/* A tool, and members that its files have and those of the rows before it have not all. */
static const struct tool {
    const char *name;
    const char *members[4];
    void (*read)(struct benchmark_reader *reader, const cJSON *file);
} TOOLS[] = {
    {"llama-bench", {"avg_ts", "n_prompt", "n_gen"}, benchmark_read_llama},
    {"GuideLLM", {"benchmarks"}, benchmark_read_guidellm},
    {"sglang.bench_serving",
     {"output_throughput", "mean_e2e_latency_ms", "completed"},
     benchmark_read_flat},
    {"vllm bench serve", {"output_throughput", "mean_ttft_ms", "completed"}, benchmark_read_flat},
    {"vllm bench serve", {"output_throughput", "num_prompts", "completed"}, benchmark_read_flat},
    {"AIPerf", {"aiperf_version", "request_latency"}, benchmark_read_aiperf},
    {"AIPerf or genai-perf",
     {"request_latency", "output_sequence_length", "request_throughput"},
     benchmark_read_aiperf},
};

static const struct tool *tool_of(const cJSON *file)
{
    const cJSON *first = first_of(file);

    for (size_t i = 0; i < ARRAY_LEN(TOOLS); i++) {
        size_t n = 0;
        while (n < ARRAY_LEN(TOOLS[i].members) && TOOLS[i].members[n] &&
               benchmark_at(first, TOOLS[i].members[n]))
            n++;
        if (n == ARRAY_LEN(TOOLS[i].members) || !TOOLS[i].members[n])
            return &TOOLS[i];
    }
    return NULL;
}

bool benchmark_is(const cJSON *file)
{
    return tool_of(file) != NULL;
}

bool benchmark_read(struct arena *arena, const cJSON *file, const char *pointer,
                    struct faults *faults, struct benchmark *ret_benchmark)
{
    const struct tool *tool = tool_of(file);
    struct benchmark_reader reader = {.arena = arena, .to = ret_benchmark};
    const cJSON *item = NULL;

    *ret_benchmark = (struct benchmark){.tool = tool ? tool->name : NULL};
    if (!tool) {
        fault_add(faults, pointer, NULL, "is no result file that is known here: " BENCHMARK_TOOLS);
        return false;
    }
    if (cJSON_IsArray(file)) {
        cJSON_ArrayForEach(item, file)
        {
            tool->read(&reader, item);
        }
    } else {
        tool->read(&reader, file);
    }
    if (reader.why)
        fault_add(faults, pointer, NULL, "%s", reader.why);
    return !reader.why && ret_benchmark->n > 0;
}

/* ---- texts ---- */

static bool ends_word(char c)
{
    return !isalnum((unsigned char)c) && c != '_' && c != '"';
}

/* The length of a number that JSON has not, at `at`; 0 when there is none. */
static size_t odd_number(const char *at, const char *end)
{
    static const char *const WORDS[] = {"Infinity", "-Infinity", "NaN"};

    for (size_t i = 0; i < ARRAY_LEN(WORDS); i++) {
        size_t length = strlen(WORDS[i]);
        if ((size_t)(end - at) >= length && memcmp(at, WORDS[i], length) == 0 &&
            (at + length == end || ends_word(at[length])))
            return length;
    }
    return 0;
}

/* Copies one character of JSON; *quoted says whether it stands in a text. */
static char *copy_one(const char **at, const char *end, bool *quoted, char *to)
{
    static const char NOTHING[] = {'n', 'u', 'l', 'l'};
    size_t odd = *quoted ? 0 : odd_number(*at, end);

    if (odd) {
        memcpy(to, NOTHING, sizeof(NOTHING));
        *at += odd;
        return to + sizeof(NOTHING);
    }
    if (*quoted && **at == '\\' && *at + 1 < end)
        *to++ = *(*at)++;
    else if (**at == '"')
        *quoted = !*quoted;
    *to++ = *(*at)++;
    return to;
}

const char *benchmark_text(struct arena *arena, const char *text, size_t length, size_t *ret_length)
{
    const char *end = text + length;
    bool quoted = false;
    int depth = 0, n = 0;
    /* the shortest value that gets a comma is "[]", the shortest number that grows "NaN" */
    char *copy = arena_alloc(arena, length + length / 2 + 8);
    char *to = copy;

    if (!copy)
        return NULL;
    *to++ = '[';
    for (const char *at = text; at < end;) {
        if (!quoted && depth == 0 && n > 0 && (*at == '{' || *at == '['))
            *to++ = ',';
        depth += quoted ? 0 : (*at == '{' || *at == '[') - (*at == '}' || *at == ']');
        n += !quoted && depth == 0 && (*at == '}' || *at == ']');
        to = copy_one(&at, end, &quoted, to);
    }
    if (n > 1)
        *to++ = ']';
    *to = '\0';
    const char *begin = n > 1 ? copy : copy + 1;
    *ret_length = (size_t)(to - begin);
    return begin;
}
