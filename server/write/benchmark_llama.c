/*
 * benchmark_llama.c - `llama-bench -o json` and -o jsonl: an object for each test.
 * https://github.com/ggml-org/llama.cpp/blob/master/tools/llama-bench/llama-bench.cpp
 *
 * A test reads a prompt (n_prompt), writes tokens (n_gen), or does the one after the other; n_depth
 * tokens lie in the cache before. Its rate is tokens per second of what it does.
 */
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "benchmark_parts.h"
#include "compiler.h"

#define NAME_MAX_BYTES 200

static const struct benchmark_statistic STATISTICS[] = {
    {"avg_ts", "mean"},
    {"stddev_ts", "stddev"},
};

/* "models/Meta-Llama-3.1-8B-Instruct-Q4_K_M.gguf" as "Meta-Llama-3.1-8B-Instruct-Q4_K_M". */
static void put_model(struct benchmark_reader *reader, cJSON *run, const cJSON *test)
{
    static const char TAIL[] = ".gguf";
    const char *file = benchmark_text_at(test, "model_filename");
    const char *base = file ? strrchr(file, '/') : NULL;

    if (!file)
        return;
    base = base ? base + 1 : file;
    size_t length = strlen(base);
    size_t tail = sizeof(TAIL) - 1;
    if (length > tail && strcasecmp(base + length - tail, TAIL) == 0)
        length -= tail;
    benchmark_put_text(run, "model", arena_copy(reader->arena, base, length));
}

/* The registry's names of back ends, in lower case, and what they are here. */
static const struct {
    const char *name, *backend;
} BACKENDS[] = {{"rocm", "hip"}, {"mtl", "metal"}, {"blas", "cpu"}};

/* "Vulkan,BLAS" as "vulkan": the first computes, a library for the processor may follow. */
static void put_backend(struct benchmark_reader *reader, cJSON *run, const cJSON *test)
{
    const char *backends = benchmark_text_at(test, "backends");
    char *lower = backends ? arena_copy(reader->arena, backends, strcspn(backends, ",")) : NULL;
    const char *backend = lower;

    for (char *at = lower; at && *at; at++)
        *at = (char)tolower((unsigned char)*at);
    for (size_t i = 0; lower && i < ARRAY_LEN(BACKENDS); i++)
        if (strcmp(BACKENDS[i].name, lower) == 0)
            backend = BACKENDS[i].backend;
    benchmark_put_text(run, "backend", backend);
}

/* The part: several stand with commas between them, one that has a name is one; a build for
 * processors alone names none, and the processor is it. */
static void put_part(cJSON *run, const cJSON *test)
{
    const char *part = benchmark_text_at(test, "gpu_info");
    const char *backend = benchmark_text_at(run, "backend");

    if (!part && backend && strcmp(backend, "cpu") == 0)
        part = benchmark_text_at(test, "cpu_info");
    if (part && !strchr(part, ','))
        benchmark_put_text(run, "hardware", part);
}

/* Layers that the GPU computes: -1 is all of them. A cache in the host's memory is as slow as
 * layers there. */
static double layers_of(const cJSON *test)
{
    const cJSON *host = benchmark_at(test, "no_kv_offload");
    double layers = benchmark_number(test, "n_gpu_layers");

    if (host && cJSON_IsTrue(host))
        return 0;
    return layers >= 0 ? layers : (double)NAN;
}

static void put_build(struct benchmark_reader *reader, cJSON *run, const cJSON *test)
{
    double number = benchmark_number(test, "build_number");
    const char *cache = benchmark_text_at(test, "type_k");

    benchmark_put_text(run, "engine", "llama.cpp");
    benchmark_put_text(run, "engine_version",
                       number > 0 ? arena_printf(reader->arena, "b%.0f", number)
                                  : benchmark_text_at(test, "build_commit"));
    put_backend(reader, run, test);
    put_part(run, test);
    if (cache && strcmp(cache, "f16") != 0)
        benchmark_put_text(run, "kv_cache", cache);
    benchmark_put_date(reader, run, benchmark_text_at(test, "test_time"));
}

void benchmark_read_llama(struct benchmark_reader *reader, const cJSON *test)
{
    cJSON *run = benchmark_run_new(reader);
    double prompt = benchmark_number(test, "n_prompt");
    double written = benchmark_number(test, "n_gen");
    struct benchmark_figure figure = {"", "reported_tok_s", 1};
    char name[NAME_MAX_BYTES];

    if (!run)
        return;
    if (prompt > 0 && written > 0)
        snprintf(name, sizeof(name), "pp%.0f+tg%.0f", prompt, written);
    else
        snprintf(name, sizeof(name), "%s%.0f", prompt > 0 ? "pp" : "tg",
                 prompt > 0 ? prompt : written);
    if (!(written > 0))
        figure.metric = "prefill_tok_s";
    else if (!(prompt > 0))
        figure.metric = "decode_tok_s";
    reader->to->gpu_layers[reader->to->n - 1] = layers_of(test);
    cJSON_AddStringToObject(run, "kind", "speed");
    put_model(reader, run, test);
    put_build(reader, run, test);
    benchmark_put_profile(run, "single_stream");
    benchmark_put_condition(run, "concurrency", 1);
    benchmark_put_condition(run, "input_tokens", prompt);
    benchmark_put_condition(run, "output_tokens", written);
    benchmark_put_condition(run, "depth", benchmark_number(test, "n_depth"));
    benchmark_put_condition(run, "micro_batch", benchmark_number(test, "n_ubatch"));
    benchmark_put_condition(run, "threads", benchmark_number(test, "n_threads"));
    benchmark_put_condition(run, "model_file_bytes", benchmark_number(test, "model_size"));
    cJSON_AddStringToObject(cJSON_GetObjectItemCaseSensitive(run, "workload"), "test", name);
    for (size_t i = 0; i < ARRAY_LEN(STATISTICS); i++) {
        figure.from = STATISTICS[i].path;
        benchmark_put_figures(reader, run, test, &figure, 1, &STATISTICS[i], 1);
    }
    benchmark_finish(reader, run, 1, 0);
}
