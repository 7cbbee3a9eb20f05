#include "symptoms_read.h"

#include <math.h>

#include "units.h"

/* A GPU that has work all the time shows above nine tenths; under two thirds it waits for something
 * a third of the time. */
#define GPU_BUSY 0.9
#define GPU_UNDERUSED 0.65
#define CPU_SATURATED 0.9
#define CPU_IDLE 0.3
#define POWER_LOW 0.5
#define POWER_AT_CAP 0.96
#define CLOCK_LOW 0.8
#define HOT_C 87.0
#define VERY_HOT_C 90.0
#define KV_FULL 0.95
#define KV_FREE 0.5
#define AT_CAP 0.95
#define BELOW_ASKED 0.8
#define PREFIX_MISSES 0.2
#define PREFIX_HITS 0.6
#define TTFT_LONG_MS 10000.0
#define TTFT_HUGE_MS 30000.0
/* A tail this many times the median is not the spread of one kind of step. */
#define TAIL_SPIKES 4.0
#define TAIL_HINTS 1.25
#define ACCEPTANCE_LOW 0.5
#define GRAPHS_MOST 0.9
#define LOOP_LAG_MS 20.0
#define HOST_STEP_SHARE 0.3
#define TRANSFER_SHARE 0.3
/* Throughput that grows by less than a tenth while the load doubles is flat. */
#define FLAT_GROWTH 0.1

static void see(struct symptoms *symptoms, enum sign_id id, double strength, double a, double b,
                enum origin origin)
{
    const struct sign sign = {.strength = strength, .a = a, .b = b, .origin = origin};

    symptoms_sign(symptoms, id, &sign);
}

static enum origin origin_of(const struct observation *observation)
{
    switch (observation->from) {
    case FROM_METRICS:
    case FROM_SMI:
        return ORIGIN_METRICS;
    case FROM_LOG:
        return ORIGIN_LOG;
    case FROM_NOWHERE:
    case FROM_FIELD:
    case FROM_COUNT:
        break;
    }
    return ORIGIN_FIELDS;
}

/* One quantity with the signs of its low and its high end. */
struct threshold_row {
    enum observed_id id;
    double low, high; /* NAN = none */
    enum sign_id below, above;
    double strength;
};

static const struct threshold_row THRESHOLDS[] = {
    {OBS_GPU_UTILIZATION, GPU_UNDERUSED, GPU_BUSY, SIGN_GPU_UNDERUSED, SIGN_GPU_BUSY, 1.0},
    {OBS_GPU_SM_ACTIVE, 0.3, NAN, SIGN_GPU_UNDERUSED, SIGN_COUNT, 0.7},
    {OBS_CPU_UTILIZATION, CPU_IDLE, CPU_SATURATED, SIGN_CPU_IDLE, SIGN_CPU_SATURATED, 1.0},
    {OBS_KV_USAGE, KV_FREE, KV_FULL, SIGN_KV_FREE, SIGN_KV_FULL, 1.0},
    {OBS_KV_USAGE_MAX, KV_FREE, KV_FULL, SIGN_KV_FREE, SIGN_KV_FULL, 0.9},
    {OBS_PREFIX_HIT_RATE, PREFIX_MISSES, PREFIX_HITS, SIGN_PREFIX_MISSES, SIGN_PREFIX_HITS, 0.8},
    {OBS_GPU_TEMPERATURE_C, NAN, HOT_C, SIGN_COUNT, SIGN_HOT, 0.7},
    {OBS_GPU_TEMPERATURE_C, NAN, VERY_HOT_C, SIGN_COUNT, SIGN_HOT, 1.0},
    {OBS_SPEC_ACCEPTANCE, ACCEPTANCE_LOW, NAN, SIGN_ACCEPTANCE_LOW, SIGN_COUNT, 1.0},
    {OBS_GRAPH_SHARE, GRAPHS_MOST, NAN, SIGN_GRAPHS_PARTLY, SIGN_COUNT, 1.0},
    {OBS_EVENT_LOOP_LAG_MS, NAN, LOOP_LAG_MS, SIGN_COUNT, SIGN_API_CPU_GROWS, 0.9},
    {OBS_GC_FULL_PER_S, NAN, 0.2, SIGN_COUNT, SIGN_GC_SEEN, 0.5},
    {OBS_TTFT_MEAN_MS, NAN, TTFT_LONG_MS, SIGN_COUNT, SIGN_TTFT_HUGE, 0.6},
    {OBS_TTFT_P50_MS, NAN, TTFT_LONG_MS, SIGN_COUNT, SIGN_TTFT_HUGE, 0.6},
    {OBS_TTFT_MEAN_MS, NAN, TTFT_HUGE_MS, SIGN_COUNT, SIGN_TTFT_HUGE, 1.0},
    {OBS_TTFT_P50_MS, NAN, TTFT_HUGE_MS, SIGN_COUNT, SIGN_TTFT_HUGE, 1.0},
    {OBS_PREEMPTIONS_PER_S, NAN, 0.0, SIGN_COUNT, SIGN_PREEMPTED, 1.0},
    {OBS_PREEMPTIONS, NAN, 0.0, SIGN_COUNT, SIGN_PREEMPTED, 1.0},
    {OBS_WAITING_CAPACITY, NAN, 0.0, SIGN_COUNT, SIGN_KV_FULL, 0.6},
};

static bool is_time(enum observed_id id)
{
    return observed_quantity(id)->unit == UNIT_MS;
}

static void read_thresholds(const struct observed *observed, struct symptoms *symptoms)
{
    for (size_t i = 0; i < ARRAY_LEN(THRESHOLDS); i++) {
        const struct threshold_row *row = &THRESHOLDS[i];
        double value = observed_value(observed, row->id);
        enum origin origin = origin_of(&observed->q[row->id]);
        double shown = is_time(row->id) ? value * US_PER_MS : value;
        if (observed_idle_gauge(observed, row->id))
            continue;
        if (row->below != SIGN_COUNT && value < row->low)
            see(symptoms, row->below, row->strength, shown, NAN, origin);
        if (row->above != SIGN_COUNT && value > row->high)
            see(symptoms, row->above, row->strength, shown, NAN, origin);
    }
}

static void read_queue(const struct observed *observed, struct symptoms *symptoms)
{
    double running = observed_value(observed, OBS_RUNNING);
    double waiting = observed_value(observed, OBS_WAITING);
    double cap = observed_value(observed, OBS_MAX_RUNNING);
    double asked = observed_value(observed, OBS_CONCURRENCY);
    enum origin origin = origin_of(&observed->q[OBS_WAITING]);

    if (waiting >= 1.0)
        see(symptoms, SIGN_WAITING, waiting < 0.05 * running ? 0.4 : 1.0, waiting, running, origin);
    if (waiting == 0.0 && !observed_idle_gauge(observed, OBS_WAITING))
        see(symptoms, SIGN_NOBODY_WAITS, 1.0, NAN, NAN, origin);
    if (running >= AT_CAP * cap)
        see(symptoms, SIGN_RUNNING_AT_CAP, 1.0, running, cap, origin);
    if (running < BELOW_ASKED * asked)
        see(symptoms, SIGN_RUNNING_BELOW_ASKED, 1.0, running, asked, origin);
    if (observed_value(observed, OBS_PREEMPTIONS) == 0.0 && !observed->never_used)
        see(symptoms, SIGN_NO_PREEMPTION, 1.0, NAN, NAN, origin);
    /* Nobody waits and nothing runs while HTTP requests are open: they are held before the engine.
     */
    if (running == 0.0 && waiting == 0.0 && asked > 0.0)
        see(symptoms, SIGN_TEXT_ENGINE_IDLE, 1.0, NAN, NAN, origin);
}

static void read_host(const struct observed *observed, struct symptoms *symptoms)
{
    double cores = observed_value(observed, OBS_CPU_CORES);
    double total = observed_value(observed, OBS_CPU_CORES_TOTAL);
    double host = observed_value(observed, OBS_STEP_HOST_MEAN_MS);
    double step = observed_value(observed, OBS_STEP_DECODE_MEAN_MS);

    /* One Python thread cannot keep more than one core busy. */
    if (cores >= 0.95)
        see(symptoms, SIGN_CPU_SATURATED, cores < 1.5 ? 0.7 : 0.5, fmin(cores, 1.0), NAN,
            origin_of(&observed->q[OBS_CPU_CORES]));
    if (cores < CPU_IDLE)
        see(symptoms, SIGN_CPU_IDLE, 1.0, cores, NAN, origin_of(&observed->q[OBS_CPU_CORES]));
    if (total > 0.0 && total <= 4.0)
        see(symptoms, SIGN_FEW_CORES, 1.0, total, NAN,
            origin_of(&observed->q[OBS_CPU_CORES_TOTAL]));
    if (host > HOST_STEP_SHARE * step)
        see(symptoms, SIGN_GPU_GAPS, 0.8, host, step,
            origin_of(&observed->q[OBS_STEP_HOST_MEAN_MS]));
}

static void read_tails(const struct observed *observed, struct symptoms *symptoms)
{
    static const enum observed_id TAILS[][2] = {
        {OBS_ITL_P50_MS, OBS_ITL_P99_MS},   {OBS_ITL_MEAN_MS, OBS_ITL_P99_MS},
        {OBS_TPOT_P50_MS, OBS_TPOT_P99_MS}, {OBS_TPOT_MEAN_MS, OBS_TPOT_P99_MS},
        {OBS_ITL_P50_MS, OBS_ITL_P90_MS},
    };

    for (size_t i = 0; i < ARRAY_LEN(TAILS); i++) {
        double usual = observed_value(observed, TAILS[i][0]);
        double tail = observed_value(observed, TAILS[i][1]);
        double strength = tail >= TAIL_SPIKES * usual ? 1.0 : 0.5;
        if (tail >= TAIL_HINTS * usual && usual > 0.0)
            see(symptoms, SIGN_ITL_SPIKES, strength, usual, tail,
                origin_of(&observed->q[TAILS[i][1]]));
    }
    double ttft = observed_value(observed, OBS_TTFT_MEAN_MS);
    double queue = observed_value(observed, OBS_QUEUE_MEAN_MS);
    double transfer = observed_value(observed, OBS_TRANSFER_MEAN_MS);
    if (queue > 0.5 * ttft && queue > 100.0)
        see(symptoms, SIGN_WAITING, 0.8, NAN, NAN, origin_of(&observed->q[OBS_QUEUE_MEAN_MS]));
    if (transfer > TRANSFER_SHARE * ttft)
        see(symptoms, SIGN_TRANSFER, 1.0, transfer, ttft,
            origin_of(&observed->q[OBS_TRANSFER_MEAN_MS]));
}

/* The part's clocks, power and links. */
static void read_part(const struct observed *observed, struct symptoms *symptoms)
{
    double power = observed_value(observed, OBS_GPU_POWER_W);
    double cap = observed_value(observed, OBS_GPU_POWER_CAP_W);
    double clock = observed_value(observed, OBS_GPU_SM_CLOCK_MHZ);
    double most = observed_value(observed, OBS_GPU_SM_CLOCK_MAX_MHZ);
    double usual = observed_value(observed, OBS_GPU_POWER_DEFAULT_W);
    double lanes = observed_value(observed, OBS_GPU_PCIE_WIDTH);
    double gpu = observed_value(observed, OBS_GPU_UTILIZATION);
    bool idle = gpu < 0.1;

    if (power < POWER_LOW * cap)
        see(symptoms, SIGN_POWER_LOW, 0.8, power, cap, ORIGIN_METRICS);
    if (power >= POWER_AT_CAP * cap && (clock < 0.9 * most || cap < 0.9 * usual))
        see(symptoms, SIGN_POWER_CAPPED, 1.0, power, cap, ORIGIN_METRICS);
    if (clock < CLOCK_LOW * most && !idle)
        see(symptoms, SIGN_CLOCKS_LOW, 1.0, clock, most, ORIGIN_METRICS);
    if (lanes < observed_value(observed, OBS_GPU_PCIE_WIDTH_MAX))
        see(symptoms, SIGN_HOST_LINK_BUSY, 0.5, lanes, NAN, ORIGIN_METRICS);
    for (int i = 0; i < observed->n_gpus; i++) {
        unsigned why = observed->gpus[i].throttle;
        if (why & (THROTTLE_POWER_CAP | THROTTLE_POWER_BRAKE))
            see(symptoms, SIGN_POWER_CAPPED, 1.0, NAN, NAN, ORIGIN_METRICS);
        if (why & (THROTTLE_SW_THERMAL | THROTTLE_HW_THERMAL))
            see(symptoms, SIGN_HOT, 1.0, NAN, NAN, ORIGIN_METRICS);
    }
    if (observed->link_best == LINK_NVLINK)
        see(symptoms, SIGN_FABRIC, 1.0, NAN, NAN, ORIGIN_METRICS);
    else if (observed->link_best != LINK_UNKNOWN)
        see(symptoms, SIGN_NO_FABRIC, 1.0, observed->n_gpus, NAN, ORIGIN_METRICS);
    double layers = observed_value(observed, OBS_GPU_LAYERS);
    if (layers < observed_value(observed, OBS_MODEL_LAYERS))
        see(symptoms, SIGN_LAYERS_ON_CPU, 1.0, layers, observed_value(observed, OBS_MODEL_LAYERS),
            origin_of(&observed->q[OBS_GPU_LAYERS]));
}

/* What lines of logs say, as a sign or as a topic in use. */
static const struct {
    enum observed_signal signal;
    enum sign_id sign;   /* SIGN_COUNT = none */
    enum topic_id topic; /* TOPIC_COUNT = none */
} SAID[] = {
    {SIGNAL_GRAPHS_OFF, SIGN_GRAPHS_OFF, TOPIC_COUNT},
    {SIGNAL_COMPILE_OFF, SIGN_GRAPHS_OFF, TOPIC_COUNT},
    {SIGNAL_GRAPH_MISSED, SIGN_DROP_AT_BATCH, TOPIC_GRAPHS},
    {SIGNAL_GRAPH_MEMORY, SIGN_OOM_AT_CAPTURE, TOPIC_GRAPHS},
    {SIGNAL_COMPILING, SIGN_FIRST_IS_SLOW, TOPIC_COUNT},
    {SIGNAL_PREEMPTED, SIGN_PREEMPTED, TOPIC_COUNT},
    {SIGNAL_KV_FULL, SIGN_KV_FULL, TOPIC_COUNT},
    {SIGNAL_OUT_OF_MEMORY, SIGN_OOM, TOPIC_COUNT},
    {SIGNAL_MOE_DEFAULT_CONFIG, SIGN_MOE_CONFIG_MISSING, TOPIC_TUNED_MOE},
    {SIGNAL_QUANT_SLOW_KERNEL, SIGN_WEIGHT_ONLY, TOPIC_QUANTIZATION},
    {SIGNAL_ATTENTION_FALLBACK, SIGN_COUNT, TOPIC_ATTENTION_BACKEND},
    {SIGNAL_PREFIX_LOST, SIGN_REPROCESSED, TOPIC_PREFIX_CACHE},
    {SIGNAL_ASYNC_SCHEDULING_OFF, SIGN_SERIAL_HOST, TOPIC_COUNT},
    {SIGNAL_CPU_OFFLOAD, SIGN_LAYERS_ON_CPU, TOPIC_OFFLOAD},
    {SIGNAL_CPU_ONLY, SIGN_LAYERS_ON_CPU, TOPIC_COUNT},
    {SIGNAL_ALLREDUCE_SLOW, SIGN_COUNT, TOPIC_TP},
    {SIGNAL_P2P_OFF, SIGN_NO_FABRIC, TOPIC_COUNT},
    {SIGNAL_NET_SOCKET, SIGN_TRANSFER, TOPIC_COUNT},
    {SIGNAL_SPEC_ON, SIGN_COUNT, TOPIC_DRAFT},
    {SIGNAL_LORA_ON, SIGN_COUNT, TOPIC_LORA},
    {SIGNAL_LOGPROBS, SIGN_COUNT, TOPIC_LOGPROBS},
    {SIGNAL_STRUCTURED, SIGN_COUNT, TOPIC_GUIDED},
    {SIGNAL_STRUCTURED_FALLBACK, SIGN_COUNT, TOPIC_GUIDED},
    {SIGNAL_PENALTIES, SIGN_COUNT, TOPIC_PENALTIES},
    {SIGNAL_SAMPLER_HOST, SIGN_HOST_SAMPLER, TOPIC_COUNT},
    {SIGNAL_TOKENIZER_SLOW, SIGN_CPU_TEXT_WORK, TOPIC_COUNT},
    {SIGNAL_NUMA, SIGN_NUMA_SPLIT, TOPIC_COUNT},
    {SIGNAL_THREADS, SIGN_FEW_CORES, TOPIC_COUNT},
    {SIGNAL_HOST_STALL, SIGN_STALLS, TOPIC_COUNT},
    {SIGNAL_QUEUE_LIMIT, SIGN_WAITING, TOPIC_COUNT},
    {SIGNAL_SWA, SIGN_HYBRID_MODEL, TOPIC_COUNT},
    {SIGNAL_MULTIMODAL, SIGN_MEDIA, TOPIC_MEDIA},
};

static void read_said(const struct observed *observed, struct symptoms *symptoms)
{
    for (size_t i = 0; i < ARRAY_LEN(SAID); i++) {
        if (!observed_says(observed, SAID[i].signal))
            continue;
        if (SAID[i].sign != SIGN_COUNT)
            see(symptoms, SAID[i].sign, 0.9, NAN, NAN, ORIGIN_LOG);
        if (SAID[i].topic != TOPIC_COUNT)
            symptoms_use(symptoms, SAID[i].topic, 0.9, ORIGIN_LOG,
                         observed->signs[SAID[i].signal].line);
    }
}

/* Points at rising load. */
static void read_series(const struct observed *observed, struct symptoms *symptoms)
{
    const struct observed_point *tpot = observed->series[SERIES_TPOT_MS];
    const struct observed_point *ttft = observed->series[SERIES_TTFT_MS];
    const struct observed_point *rate = observed->series[SERIES_OUTPUT_TOK_S];
    int n = observed->n_series[SERIES_TPOT_MS];

    for (int i = 0; i + 1 < n; i++) {
        bool more = tpot[i + 1].concurrency > tpot[i].concurrency && tpot[i].concurrency > 0.0;
        if (more && tpot[i + 1].value / tpot[i].value >
                        1.05 * tpot[i + 1].concurrency / tpot[i].concurrency)
            see(symptoms, SIGN_TPOT_SUPERLINEAR, 1.0, NAN, NAN, ORIGIN_FIELDS);
    }
    n = observed->n_series[SERIES_TTFT_MS];
    if (n >= 2 && ttft[0].concurrency > 0.0 &&
        ttft[n - 1].value / ttft[0].value > ttft[n - 1].concurrency / ttft[0].concurrency)
        see(symptoms, SIGN_TTFT_GROWS, 1.0, NAN, NAN, ORIGIN_FIELDS);
    n = observed->n_series[SERIES_OUTPUT_TOK_S];
    for (int i = 0; i + 1 < n; i++) {
        double load = rate[i + 1].concurrency / rate[i].concurrency;
        double gain = rate[i + 1].value / rate[i].value - 1.0;
        if (load >= 1.5 && gain < FLAT_GROWTH * (load - 1.0))
            see(symptoms, SIGN_THROUGHPUT_FLAT, 1.0, NAN, NAN, ORIGIN_FIELDS);
        if (load > 1.0 && gain < -0.05)
            see(symptoms, SIGN_THROUGHPUT_FALLS, 1.0, NAN, NAN, ORIGIN_FIELDS);
    }
}

static void read_batch(const struct observed *observed, struct symptoms *symptoms)
{
    double running = observed_value(observed, OBS_RUNNING);
    double asked = observed_value(observed, OBS_CONCURRENCY);
    double batch = isnan(running) ? asked : running;
    double input = observed_value(observed, OBS_INPUT_TOKENS_MEAN);

    if (batch >= 64.0)
        see(symptoms, SIGN_LARGE_BATCH, 1.0, batch, NAN, ORIGIN_FIELDS);
    if (batch == 1.0)
        see(symptoms, SIGN_SINGLE_STREAM, 1.0, NAN, NAN, ORIGIN_FIELDS);
    if (input >= 8192.0)
        see(symptoms, SIGN_LONG_PROMPTS, 1.0, input, NAN, ORIGIN_FIELDS);
    if (observed_value(observed, OBS_LORA_RUNNING) > 0.0)
        symptoms_use(symptoms, TOPIC_LORA, 1.0, ORIGIN_METRICS, NULL);
    if (observed_value(observed, OBS_SPEC_DRAFTED) > 0.0)
        symptoms_use(symptoms, TOPIC_DRAFT, 1.0, ORIGIN_METRICS, NULL);
}

void symptoms_of_observed(const struct observed *observed, struct symptoms *symptoms)
{
    read_thresholds(observed, symptoms);
    read_queue(observed, symptoms);
    read_host(observed, symptoms);
    read_tails(observed, symptoms);
    read_part(observed, symptoms);
    read_said(observed, symptoms);
    read_series(observed, symptoms);
    read_batch(observed, symptoms);
}
