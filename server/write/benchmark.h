/*
 * benchmark.h - the result files of load generators, as measurements that can be posted.
 *
 * Purpose: one body in the language of POST /v1/anchors for each run that a file holds: of vllm
 *          bench serve, sglang.bench_serving, GuideLLM, llama-bench -o json, AIPerf and genai-perf.
 *          A tool is a row of the table in benchmark.c. What a tool calls TPOT or ITL is put under
 *          the name that this program gives to what it measures, and rates, times and lengths in
 *          its units.
 * Ownership: trees lie in the request's arena (json_memory.h), texts in the one given.
 * Errors:  false and one fault when no tool is known to write such a file, or no run in it
 *          finished.
 */
#ifndef REGIME_BENCHMARK_H
#define REGIME_BENCHMARK_H

#include <stdbool.h>
#include <stddef.h>

#include "fault.h"

struct cJSON;

#define BENCHMARK_RUNS_MAX 200

struct benchmark {
    const char *tool; /* "vllm bench serve" */
    struct cJSON *runs[BENCHMARK_RUNS_MAX];
    double gpu_layers[BENCHMARK_RUNS_MAX]; /* of a run; NAN = all, or it is not said */
    int n;
};

/* Whether a tool is known that writes such a file. */
bool benchmark_is(const struct cJSON *file);

/* Faults point below `pointer`. */
bool benchmark_read(struct arena *arena, const struct cJSON *file, const char *pointer,
                    struct faults *faults, struct benchmark *ret_benchmark);

/*
 * A file's text as JSON: what Python writes for numbers that JSON has not (Infinity, -Infinity,
 * NaN) becomes null, and lines of objects become a list. NULL without memory. *ret_length is the
 * length of the text, which ends in NUL.
 */
const char *benchmark_text(struct arena *arena, const char *text, size_t length,
                           size_t *ret_length);

/* The member at a path, "metrics/ttft/mean"; NULL when it is not there. */
const struct cJSON *benchmark_at(const struct cJSON *object, const char *path);

/* The names of the tools in one text, for messages. */
#define BENCHMARK_TOOLS                                                                            \
    "vllm bench serve, sglang.bench_serving, GuideLLM, llama-bench -o json, AIPerf, genai-perf"

#endif
