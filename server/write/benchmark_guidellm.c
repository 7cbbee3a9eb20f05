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

/* Where versions put the same thing. */
static const char *text_of_any(const cJSON *object, const char *const *paths, size_t n)
{
    const char *text = NULL;

    for (size_t i = 0; !text && i < n; i++)
        text = benchmark_text_at(object, paths[i]);
    return text;
}

static double number_of_any(const cJSON *object, const char *const *paths, size_t n)
{
    double number = (double)NAN;

    for (size_t i = 0; isnan(number) && i < n; i++)
        number = benchmark_number(object, paths[i]);
    return number;
}

static void put_load(struct benchmark_reader *reader, cJSON *run, const cJSON *one,
                     double completed)
{
    static const char *const KINDS[] = {"config/strategy/type_", "config/strategy/kind",
                                        "args/strategy/type_"};
    static const char *const STREAMS[] = {"config/strategy/streams", "args/strategy/streams",
                                          "config/strategy/max_concurrency",
                                          "args/strategy/max_concurrency"};
    static const char *const RATE_PATHS[] = {"config/strategy/rate", "args/strategy/rate"};
    const char *kind = text_of_any(one, KINDS, ARRAY_LEN(KINDS));
    bool alone = kind && strcmp(kind, "synchronous") == 0;
    bool open = kind && (strcmp(kind, "constant") == 0 || strcmp(kind, "poisson") == 0);
    double rate = number_of_any(one, RATE_PATHS, ARRAY_LEN(RATE_PATHS));
    double streams = number_of_any(one, STREAMS, ARRAY_LEN(STREAMS));

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
    const char *model = text_of_any(one, MODELS, ARRAY_LEN(MODELS));

    if (!run)
        return;
    if (!model)
        model = text_of_any(file, MODELS, ARRAY_LEN(MODELS));
    benchmark_put_text(run, "model", model);
    benchmark_put_condition(run, "input_tokens",
                            round(number_of_any(one, INPUTS, ARRAY_LEN(INPUTS))));
    benchmark_put_condition(run, "output_tokens",
                            round(number_of_any(one, OUTPUTS, ARRAY_LEN(OUTPUTS))));
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
