/*
 * benchmark_aiperf.c - profile_export_aiperf.json and profile_export_genai_perf.json: one object,
 * a figure is {"unit", "avg", "p50", ...}.
 * https://github.com/ai-dynamo/aiperf
 * https://github.com/triton-inference-server/perf_analyzer
 *
 * Their inter_token_latency is (latency - TTFT) / (output - 1) of each request: TPOT here.
 */
#include <math.h>
#include <string.h>

#include "benchmark_parts.h"
#include "compiler.h"

/* Milliseconds of a unit; genai-perf's early versions wrote nanoseconds. */
static const struct {
    const char *unit;
    double ms;
} UNITS[] = {{"ms", 1}, {"sec", 1e3}, {"s", 1e3}, {"us", 1e-3}, {"ns", 1e-6}};

static const struct benchmark_figure TIMES[] = {
    {"time_to_first_token", "ttft_ms", 1},
    {"inter_token_latency", "tpot_ms", 1},
    {"request_latency", "e2e_ms", 1},
};

static const struct benchmark_statistic STATISTICS[] = {
    {"%s/avg", "mean"}, {"%s/p50", "p50"}, {"%s/p90", "p90"},
    {"%s/p95", "p95"},  {"%s/p99", "p99"}, {"%s/std", "stddev"},
};

static const struct benchmark_figure RATES[] = {
    {"request_throughput", "requests_s", 1},
    {"output_token_throughput", "output_tok_s", 1},
    {"total_token_throughput", "total_tok_s", 1},
};

static const struct benchmark_statistic RATE = {"%s/avg", "mean"};

static void put_times(struct benchmark_reader *reader, cJSON *run, const cJSON *file)
{
    for (size_t i = 0; i < ARRAY_LEN(TIMES); i++) {
        struct benchmark_figure figure = TIMES[i];
        const char *unit = benchmark_text_at(benchmark_at(file, figure.from), "unit");
        for (size_t k = 0; unit && k < ARRAY_LEN(UNITS); k++)
            if (strcmp(UNITS[k].unit, unit) == 0)
                figure.scale = UNITS[k].ms;
        benchmark_put_figures(reader, run, file, &figure, 1, STATISTICS, ARRAY_LEN(STATISTICS));
    }
}

void benchmark_read_aiperf(struct benchmark_reader *reader, const cJSON *file)
{
    static const char *const MODELS[] = {"input_config/endpoint/model_names",
                                         "input_config/models/items", "input_config/model",
                                         "input_config/model_names"};
    static const char *const CONCURRENCY[] = {"input_config/loadgen/concurrency",
                                              "input_config/concurrency",
                                              "input_config/perf_analyzer/stimulus/concurrency"};
    static const char *const RATE_PATHS[] = {"input_config/loadgen/request_rate",
                                             "input_config/request_rate",
                                             "input_config/perf_analyzer/stimulus/request_rate"};
    cJSON *run = benchmark_run_new(reader);
    double completed = benchmark_number(file, "request_count/avg");

    if (!run)
        return;
    if (isnan(completed)) /* genai-perf counts none */
        completed = 1;
    benchmark_put_text(run, "model", benchmark_text_of(file, MODELS, ARRAY_LEN(MODELS)));
    benchmark_put_date(reader, run, benchmark_text_at(file, "start_time"));
    benchmark_put_condition(run, "input_tokens",
                            round(benchmark_number(file, "input_sequence_length/avg")));
    benchmark_put_condition(run, "output_tokens",
                            round(benchmark_number(file, "output_sequence_length/avg")));
    benchmark_put_load(reader, run, benchmark_number_of(file, CONCURRENCY, ARRAY_LEN(CONCURRENCY)),
                       benchmark_number_of(file, RATE_PATHS, ARRAY_LEN(RATE_PATHS)),
                       benchmark_number(file, "request_count/avg"));
    put_times(reader, run, file);
    benchmark_put_figures(reader, run, file, RATES, ARRAY_LEN(RATES), &RATE, 1);
    benchmark_finish(reader, run, completed, benchmark_number(file, "error_request_count/avg"));
}
