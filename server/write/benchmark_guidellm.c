/*
 * benchmark_guidellm.c - GuideLLM's report: a list of benchmarks, one for each rate.
 * https://github.com/vllm-project/guidellm
 *
 * Its request_latency is in seconds. Its time_per_output_token_ms is the whole latency by output
 * tokens; its inter_token_latency_ms the time after the first token by the tokens after it, which
 * is TPOT here.
 */
#include <math.h>
#include <string.h>

#include "benchmark_parts.h"
#include "compiler.h"

#define MS_PER_S 1e3

static const struct benchmark_figure TIMES[] = {
    {"metrics/time_to_first_token_ms", "ttft_ms", 1},
    {"metrics/inter_token_latency_ms", "tpot_ms", 1},
    {"metrics/time_per_output_token_ms", "e2e_ms_per_output_token", 1},
    {"metrics/request_latency", "e2e_ms", MS_PER_S},
};

static const struct benchmark_statistic STATISTICS[] = {
    {"%s/successful/mean", "mean"},           {"%s/successful/median", "p50"},
    {"%s/successful/percentiles/p50", "p50"}, {"%s/successful/percentiles/p90", "p90"},
    {"%s/successful/percentiles/p95", "p95"}, {"%s/successful/percentiles/p99", "p99"},
    {"%s/successful/std_dev", "stddev"},
};

static const struct benchmark_figure RATES[] = {
    {"metrics/requests_per_second", "requests_s", 1},
    {"metrics/output_tokens_per_second", "output_tok_s", 1},
    {"metrics/tokens_per_second", "total_tok_s", 1},
};

static const struct benchmark_statistic RATE = {"%s/successful/mean", "mean"};

static void put_load(struct benchmark_reader *reader, cJSON *run, const cJSON *one,
                     double completed)
{
    static const char *const KINDS[] = {"config/strategy/type_", "config/strategy/kind",
                                        "args/strategy/type_"};
    static const char *const STREAMS[] = {"config/strategy/streams", "args/strategy/streams",
                                          "config/strategy/max_concurrency",
                                          "args/strategy/max_concurrency"};
    static const char *const RATE_PATHS[] = {"config/strategy/rate", "args/strategy/rate"};
    const char *kind = benchmark_text_of(one, KINDS, ARRAY_LEN(KINDS));
    bool alone = kind && strcmp(kind, "synchronous") == 0;
    bool open = kind && (strcmp(kind, "constant") == 0 || strcmp(kind, "poisson") == 0);
    double rate = benchmark_number_of(one, RATE_PATHS, ARRAY_LEN(RATE_PATHS));
    double streams = benchmark_number_of(one, STREAMS, ARRAY_LEN(STREAMS));

    benchmark_put_load(reader, run, alone ? 1 : streams, open ? rate : 0, completed);
}

static void read_one(struct benchmark_reader *reader, const cJSON *file, const cJSON *one)
{
    static const char *const MODELS[] = {"args/model", "args/backend/model", "config/backend/model",
                                         "worker/backend_model"};
    static const char *const INPUTS[] = {"metrics/prompt_token_count/successful/mean",
                                         "metrics/text/tokens/input/successful/mean"};
    static const char *const OUTPUTS[] = {"metrics/output_token_count/successful/mean",
                                          "metrics/text/tokens/output/successful/mean"};
    cJSON *run = benchmark_run_new(reader);
    double completed = benchmark_number(one, "metrics/request_totals/successful");
    const char *model = benchmark_text_of(one, MODELS, ARRAY_LEN(MODELS));

    if (!run)
        return;
    if (!model)
        model = benchmark_text_of(file, MODELS, ARRAY_LEN(MODELS));
    benchmark_put_text(run, "model", model);
    benchmark_put_condition(run, "input_tokens",
                            round(benchmark_number_of(one, INPUTS, ARRAY_LEN(INPUTS))));
    benchmark_put_condition(run, "output_tokens",
                            round(benchmark_number_of(one, OUTPUTS, ARRAY_LEN(OUTPUTS))));
    if (isnan(completed)) /* a report of an early version counts requests of a figure */
        completed = benchmark_number(one, "metrics/request_latency/successful/count");
    put_load(reader, run, one, completed);
    benchmark_put_figures(reader, run, one, TIMES, ARRAY_LEN(TIMES), STATISTICS,
                          ARRAY_LEN(STATISTICS));
    benchmark_put_figures(reader, run, one, RATES, ARRAY_LEN(RATES), &RATE, 1);
    benchmark_finish(reader, run, completed,
                     benchmark_number(one, "metrics/request_totals/errored"));
}

void benchmark_read_guidellm(struct benchmark_reader *reader, const cJSON *file)
{
    const cJSON *one = NULL;

    cJSON_ArrayForEach(one, benchmark_at(file, "benchmarks"))
    {
        read_one(reader, file, one);
    }
}
