/*
 * benchmark_flat.c - `vllm bench serve --save-result` and `sglang.bench_serving --output-file`:
 * one object, every figure by name. SGLang's began as a copy of vLLM's.
 * https://github.com/vllm-project/vllm/blob/main/vllm/benchmarks/serve.py
 * https://github.com/sgl-project/sglang/blob/main/python/sglang/bench_serving.py
 */
#include <math.h>
#include <string.h>

#include "benchmark_parts.h"
#include "compiler.h"

/* In milliseconds. TPOT is (latency - TTFT) / (output - 1) of each request in both. */
static const struct benchmark_figure TIMES[] = {
    {"ttft_ms", "ttft_ms", 1}, {"tpot_ms", "tpot_ms", 1},
    {"itl_ms", "itl_ms", 1},   {"e2e_latency_ms", "e2e_ms", 1}, /* SGLang */
    {"e2el_ms", "e2e_ms", 1},                                   /* vLLM */
};

static const struct benchmark_statistic STATISTICS[] = {
    {"mean_%s", "mean"}, {"median_%s", "p50"}, {"p50_%s", "p50"},    {"p90_%s", "p90"},
    {"p95_%s", "p95"},   {"p99_%s", "p99"},    {"std_%s", "stddev"},
};

static const struct benchmark_figure RATES[] = {
    {"request_throughput", "requests_s", 1},
    {"output_throughput", "output_tok_s", 1},
    {"total_token_throughput", "total_tok_s", 1}, /* vLLM */
    {"total_throughput", "total_tok_s", 1},       /* SGLang */
    {"accept_length", "accepted_tokens_per_step", 1},
    {"spec_decode_acceptance_length", "accepted_tokens_per_step", 1},
};

static const struct benchmark_statistic MEAN = {"", "mean"};

/* What SGLang's file says of the server; members of server_info, by version. */
static void put_server(cJSON *run, const cJSON *file)
{
    static const struct {
        const char *path, *name;
    } TEXTS[] = {
        {"server_info/model_path", "model"},
        {"server_info/version", "engine_version"},
    };

    static const char *const NATIVE[] = {"sglang", "sglang-native", "sglang-oai",
                                         "sglang-oai-chat"};
    const char *backend = benchmark_text_at(file, "backend");

    for (size_t i = 0; i < ARRAY_LEN(TEXTS); i++)
        benchmark_put_text(run, TEXTS[i].name, benchmark_text_at(file, TEXTS[i].path));
    if (!benchmark_at(run, "model"))
        benchmark_put_text(run, "model", benchmark_text_at(file, "model_id"));
    for (size_t i = 0; backend && i < ARRAY_LEN(NATIVE); i++)
        if (strcmp(NATIVE[i], backend) == 0)
            benchmark_put_text(run, "engine", "sglang");
    double tp = benchmark_number(file, "server_info/tp_size");
    if (tp > 0)
        cJSON_AddNumberToObject(cJSON_AddObjectToObject(run, "parallelism"), "tp", tp);
}

void benchmark_read_flat(struct benchmark_reader *reader, const cJSON *file)
{
    cJSON *run = benchmark_run_new(reader);
    double completed = benchmark_number(file, "completed");
    double failed = benchmark_number(file, "failed");

    if (!run)
        return;
    put_server(run, file);
    /* what plans call the load of these two */
    cJSON_AddStringToObject(cJSON_GetObjectItemCaseSensitive(run, "workload"), "load_generator",
                            "engine_bench");
    benchmark_put_date(reader, run, benchmark_text_at(file, "date"));
    /* the mean over the requests that finished: what a server says it read and wrote */
    benchmark_put_condition(run, "input_tokens",
                            round(benchmark_number(file, "total_input_tokens") / completed));
    benchmark_put_condition(run, "output_tokens",
                            round(benchmark_number(file, "total_output_tokens") / completed));
    benchmark_put_load(reader, run, benchmark_number(file, "max_concurrency"),
                       benchmark_number(file, "request_rate"), completed);
    benchmark_put_figures(reader, run, file, TIMES, ARRAY_LEN(TIMES), STATISTICS,
                          ARRAY_LEN(STATISTICS));
    benchmark_put_figures(reader, run, file, RATES, ARRAY_LEN(RATES), &MEAN, 1);
    if (isnan(failed))
        failed = benchmark_number(file, "num_prompts") - completed;
    benchmark_finish(reader, run, completed, failed);
}
