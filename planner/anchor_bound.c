#include "anchor_bound.h"

#include <math.h>
#include <stddef.h>

#include "core.h"
#include "units.h"

/* Rows of a rank's step at which an unknown load is judged: far past every ridge. */
#define LARGE_BATCH 4096.0
/* Rows of a rank that are surely admitted when more were sent: an engine's own limit is not stated.
 */
#define ADMITTED_MAX 256.0
/* A part that states no 8-bit peak may have an integer dot product of four elements. */
#define UNSTATED_INT8_FACTOR 4.0
#define UNLIMITED 1e9

/* One prepared question: the layout that favours a latency, or the one that favours a rate. */
struct bench {
    struct problem problem;
    struct hardware hw; /* the part with links that cost nothing */
    struct scale scale;
    struct prepared prep;
};

static double stated(const struct anchor_setting *setting, enum anchor_condition condition,
                     double otherwise)
{
    double value = setting->conditions[condition];
    return value > 0.0 ? value : otherwise;
}

static const struct kv_format *smallest_kv(const struct library *lib)
{
    const struct kv_format *least = &lib->kv_formats[0];
    for (int i = 1; i < lib->n_kv_formats; i++) {
        if (lib->kv_formats[i].bytes_per_element < least->bytes_per_element) {
            least = &lib->kv_formats[i];
        }
    }
    return least;
}

/* Layout: what is stated; an unknown tp is all devices, or one with the others as replicas. */
static bool set_layout(const struct anchor_setting *setting, bool for_rate, struct deployment *dep)
{
    dep->pp = stated(setting, CONDITION_PP, 1.0);
    dep->dp = stated(setting, CONDITION_DP, 1.0);
    dep->tp = stated(setting, CONDITION_TP, 1.0);
    double devices = stated(setting, CONDITION_N_DEVICES, dep->tp * dep->pp * dep->dp);
    if (!(setting->conditions[CONDITION_TP] > 0.0) && !for_rate) {
        dep->tp = fmax(devices / (dep->pp * dep->dp), 1.0);
    }
    dep->ep = fmin(stated(setting, CONDITION_EP, 1.0), dep->tp * dep->dp);
    dep->replicas = fmax(devices / (dep->tp * dep->pp * dep->dp), 1.0);
    return devices >= 1.0;
}

/* How many times faster than assumed the part may multiply in that format. */
static double compute_headroom(const struct hardware *hw, const struct weight_format *format)
{
    enum dtype used;
    double half =
        hardware_peak(hw, hw->peak_flops_us[DTYPE_BF16] > 0.0 ? DTYPE_BF16 : DTYPE_FP16, &used);
    double int8 = hw->peak_flops_us[DTYPE_INT8];
    if (half <= 0.0) {
        return 1.0;
    }
    if (!format->is_quantized) {
        return fmax(int8 / 2.0, half) / half;
    }
    if (format->weight_only || format->gguf) {
        return int8 > 0.0 ? fmax(fmax(int8, hw->peak_flops_us[DTYPE_FP8]), half) / half
                          : UNSTATED_INT8_FACTOR;
    }
    double native = hardware_peak(hw, format->compute, &used);
    return native > 0.0 ? fmax(int8, native) / native : 1.0;
}

static bool bench_set(const struct anchor_setting *setting, bool for_rate, struct bench *bench)
{
    bench->hw = *setting->hw;
    bench->hw.link_bytes_us = 0.0;
    bench->problem =
        (struct problem){.lib = setting->lib, .model = setting->model, .hw = &bench->hw};
    struct deployment *dep = &bench->problem.dep;
    dep->engine = setting->engine ? setting->engine : &setting->lib->engines[0];
    dep->weights = setting->weights;
    dep->kv_cache = setting->kv_cache ? setting->kv_cache : smallest_kv(setting->lib);
    dep->max_num_seqs = UNLIMITED;
    dep->max_model_len = UNLIMITED;
    dep->memory_utilization = 1.0;
    dep->block_size = 1.0;
    dep->stream_interval = 1.0;
    dep->receive_interval = 1.0;
    dep->host_cpu_factor = 1.0;
    dep->http_threads_factor = 1.0;
    dep->cuda_graphs = true;
    dep->async_scheduling = true;
    dep->flash_attention = true;
    bench->problem.load = (struct workload){
        .concurrency = 1.0, .request_rate = NAN, .requests = NAN, .length_range_ratio = 1.0};
    bench->problem.slo = (struct slo){NAN, NAN, NAN};
    bench->scale = (struct scale){1.0, compute_headroom(setting->hw, setting->weights), 1.0};
    if (!set_layout(setting, for_rate, dep)) {
        return false;
    }
    prepare(&bench->problem, &bench->scale, &bench->prep);
    return true;
}

/* Mean of lengths that are uniform in ratio..1 of the nominal one. */
static double mean_length(const struct anchor_setting *setting, enum anchor_condition condition)
{
    double ratio = stated(setting, CONDITION_LENGTH_RATIO, 1.0);
    return setting->conditions[condition] * (1.0 + ratio) / 2.0;
}

/* Tokens that one step may give a sequence. */
static double step_gain(const struct anchor_setting *setting)
{
    double draft = setting->speculative ? ANCHOR_DRAFT_MAX : 0.0;
    return 1.0 + stated(setting, CONDITION_SPECULATIVE_TOKENS, draft);
}

static double context_of(const struct anchor_setting *setting, const struct anchor_bounds *bounds)
{
    return stated(setting, CONDITION_DEPTH, fmax(bounds->input_tokens, 1.0));
}

/* Sequences that surely run at once, 1 when that cannot be told. */
static double sure_running(const struct anchor_setting *setting)
{
    if (setting->disaggregated) {
        return 1.0;
    }
    switch (setting->load) {
    case LOAD_UNSTATED:
    case LOAD_CLOSED_LOOP:
    case LOAD_SINGLE_STREAM:
    case LOAD_STATIC_BATCH:
        return stated(setting, CONDITION_CONCURRENCY, stated(setting, CONDITION_BATCH, 1.0));
    case LOAD_OPEN_LOOP:
    case LOAD_ALL_AT_ONCE:
    case LOAD_MAX_LOAD:
    case LOAD_OFFLINE:
    case LOAD_RAMP:
    case LOAD_BURST:
    case LOAD_PRODUCTION:
    case LOAD_ONLINE:
    case LOAD_PROFILE_COUNT:
        break;
    }
    return 1.0;
}

static void bound_latency(const struct anchor_setting *setting, const struct bench *bench,
                          struct anchor_bounds *bounds)
{
    const struct deployment *dep = &bench->problem.dep;
    double rows = ceil(sure_running(setting) / (dep->dp * dep->pp * dep->replicas));
    struct step step;
    step_decode(&bench->prep, fmin(fmax(rows, 1.0), ADMITTED_MAX), context_of(setting, bounds),
                &step);
    bounds->token_ms = step.floor_us / US_PER_MS / step_gain(setting);
    double cached = stated(setting, CONDITION_CACHED_PREFIX, 0.0);
    double fresh = bounds->input_tokens - cached;
    if (!setting->prefix_cached && fresh >= 1.0) {
        step_prefill(&bench->prep, fresh, cached + stated(setting, CONDITION_DEPTH, 0.0), &step);
        bounds->first_ms = step.floor_us / dep->pp / US_PER_MS;
    }
}

static void bound_rate(const struct anchor_setting *setting, const struct bench *bench,
                       struct anchor_bounds *bounds)
{
    const struct deployment *dep = &bench->problem.dep;
    double ways = dep->dp * dep->pp * dep->replicas;
    double sent = stated(setting, CONDITION_CONCURRENCY, stated(setting, CONDITION_BATCH, NAN));
    bool known = !isnan(sent) && !setting->disaggregated;
    double rows = known ? fmax(ceil(sent / ways), 1.0) : LARGE_BATCH;
    struct step step;
    step_decode(&bench->prep, rows, known ? context_of(setting, bounds) : 1.0, &step);
    bounds->output_rate =
        (known ? sent : LARGE_BATCH * ways) * step_gain(setting) / (step.floor_us / US_PER_S);
    if (!setting->prefix_cached && bounds->input_tokens >= 1.0) {
        step_prefill(&bench->prep, bounds->input_tokens, stated(setting, CONDITION_DEPTH, 0.0),
                     &step);
        bounds->prefill_rate = bounds->input_tokens / (step.floor_us / US_PER_S) * ways;
    }
}

bool anchor_bounds_compute(const struct anchor_setting *setting, struct anchor_bounds *ret_bounds)
{
    struct bench bench;
    if (!bench_set(setting, false, &bench)) {
        return false;
    }
    const struct deployment *dep = &bench.problem.dep;
    *ret_bounds = (struct anchor_bounds){
        .token_ms = NAN,
        .first_ms = NAN,
        .output_rate = NAN,
        .prefill_rate = NAN,
        .input_tokens = mean_length(setting, CONDITION_INPUT_TOKENS),
        .output_tokens = mean_length(setting, CONDITION_OUTPUT_TOKENS),
        .devices = dep->tp * dep->pp * dep->dp * dep->replicas,
    };
    bound_latency(setting, &bench, ret_bounds);
    if (bench_set(setting, true, &bench)) {
        bound_rate(setting, &bench, ret_bounds);
    }
    return true;
}

/* Input and output tokens per second: a request's prefill and its share of the decode steps run on
 * the same devices. */
static double total_rate(const struct anchor_bounds *bounds)
{
    double prefill_s = bounds->input_tokens / bounds->prefill_rate;
    double decode_s = bounds->output_tokens / bounds->output_rate;
    double seconds = (isnan(prefill_s) ? 0.0 : prefill_s) + decode_s;
    return (bounds->input_tokens + bounds->output_tokens) / seconds;
}

static double request_ms(const struct anchor_bounds *bounds)
{
    double first = isnan(bounds->first_ms) ? bounds->token_ms : bounds->first_ms;
    return first + fmax(bounds->output_tokens - 1.0, 0.0) * bounds->token_ms;
}

double anchor_bound(const struct anchor_bounds *bounds, enum anchor_metric metric)
{
    switch (metric_info(metric)->roof) {
    case ROOF_TOKEN_TIME:
        return bounds->token_ms;
    case ROOF_FIRST_TIME:
        return bounds->first_ms;
    case ROOF_REQUEST_TIME:
        return request_ms(bounds);
    case ROOF_SHARED_TIME:
        return request_ms(bounds) / bounds->output_tokens;
    case ROOF_USER_RATE:
        return MS_PER_S / bounds->token_ms;
    case ROOF_OUTPUT_RATE:
        return bounds->output_rate;
    case ROOF_OUTPUT_RATE_PER_DEVICE:
        return bounds->output_rate / bounds->devices;
    case ROOF_TOTAL_RATE:
        return total_rate(bounds);
    case ROOF_TOTAL_RATE_PER_DEVICE:
        return total_rate(bounds) / bounds->devices;
    case ROOF_REQUEST_RATE:
        return total_rate(bounds) / (bounds->input_tokens + bounds->output_tokens);
    case ROOF_PREFILL_RATE:
        return bounds->prefill_rate;
    case ROOF_NONE:
        break;
    }
    return NAN;
}

bool anchor_is_impossible(const struct anchor_bounds *bounds, enum anchor_metric metric,
                          double value)
{
    double bound = anchor_bound(bounds, metric);
    if (!isfinite(bound)) {
        return false;
    }
    switch (metric_info(metric)->roof) {
    case ROOF_TOKEN_TIME:
    case ROOF_FIRST_TIME:
    case ROOF_REQUEST_TIME:
    case ROOF_SHARED_TIME:
        return value < bound * (1.0 - ANCHOR_TOLERANCE);
    case ROOF_USER_RATE:
    case ROOF_OUTPUT_RATE:
    case ROOF_OUTPUT_RATE_PER_DEVICE:
    case ROOF_TOTAL_RATE:
    case ROOF_TOTAL_RATE_PER_DEVICE:
    case ROOF_REQUEST_RATE:
    case ROOF_PREFILL_RATE:
        return value > bound * (1.0 + ANCHOR_TOLERANCE);
    case ROOF_NONE:
        break;
    }
    return false;
}
