/*
 * plan_sample.h - a plan made by hand, for the tests of what renders plans: no record and no
 * physics behind it, so that its golden texts change only when a renderer does.
 */
#ifndef REGIME_PLAN_SAMPLE_H
#define REGIME_PLAN_SAMPLE_H

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "plan.h"
#include "plan_request.h"

struct sample {
    struct model model;
    struct hardware hw;
    struct engine engine;
    struct weight_format weights;
    struct kv_format kv;
    struct op_fit fit;
    struct library lib;
    struct memory_constant memory_rule;
    struct plan_request request;
    struct plan plan;
};

static inline struct estimate sample_estimate(double floor, double expected, enum basis basis)
{
    return (struct estimate){floor, expected, (double)NAN, (double)NAN, basis};
}

static inline void sample_records(struct sample *sample)
{
    sample->model = (struct model){.id = "llama-3.1-8b",
                                   .name = "Llama 3.1 8B",
                                   .hidden = 4096,
                                   .vocab = 128256,
                                   .n_layers = 32,
                                   .max_positions = 131072,
                                   .params_total = 8030261248.0};
    sample->model.params_by_role[ROLE_ATTENTION] = 8030261248.0;
    sample->hw = (struct hardware){.id = "h100-sxm",
                                   .name = "NVIDIA H100 SXM",
                                   .memory_bytes = 85e9,
                                   .bw_bytes_us = 3350000,
                                   .link_kind = "NVLink4",
                                   .link_domain = 8};
    sample->engine = (struct engine){.id = "vllm", .title = "vLLM", .latest_text = "0.24.0"};
    sample->engine.host[HOST_SCHEDULER_US] = (struct host_constant){150, "measured", "step-cost"};
    sample->engine.host[HOST_SCHEDULER_US_PER_SEQ] =
        (struct host_constant){8.5, "derived", "step-cost"};
    sample->engine.host[HOST_GRAPH_LAUNCH_US] = (struct host_constant){20, NULL, NULL};
    sample->weights = (struct weight_format){.id = "bf16", .title = "bfloat16"};
    for (int i = 0; i < ROLE_COUNT; i++)
        sample->weights.bytes[i] = 2;
    sample->kv = (struct kv_format){.id = "bf16", .bytes_per_element = 2};
    sample->fit = (struct op_fit){.id = 252,
                                  .version = {0, 24, 0},
                                  .op = FIT_GEMM,
                                  .dtype = FIT_BF16,
                                  .n = 26640,
                                  .median_abs_err = 0.067,
                                  .p90_abs_err = 0.196};
    sample->lib = (struct library){.models = &sample->model,
                                   .n_models = 1,
                                   .hardware = &sample->hw,
                                   .n_hardware = 1,
                                   .engines = &sample->engine,
                                   .n_engines = 1};
}

static inline void sample_request(struct sample *sample)
{
    struct problem *problem = &sample->request.problem;

    problem->lib = &sample->lib;
    problem->model = &sample->model;
    problem->hw = &sample->hw;
    problem->dep = (struct deployment){.engine = &sample->engine,
                                       .version = {0, 24, 0},
                                       .weights = &sample->weights,
                                       .kv_cache = &sample->kv,
                                       .tp = 1,
                                       .pp = 1,
                                       .dp = 1,
                                       .ep = 1,
                                       .replicas = 1,
                                       .cuda_graphs = true,
                                       .async_scheduling = true,
                                       .host_cpu_factor = 1};
    problem->load = (struct workload){.concurrency = 4,
                                      .input_tokens = 2048,
                                      .output_tokens = 256,
                                      .cached_prefix_tokens = 512,
                                      .request_rate = (double)NAN,
                                      .requests = (double)NAN,
                                      .length_range_ratio = 1};
    problem->dep.prefix_caching = true;
    problem->slo = (struct slo){(double)NAN, (double)NAN, (double)NAN};
    sample->request.engine_version = "0.24.0";
    sample->request.given[FIELD_ID_MODEL] = sample->request.given[FIELD_ID_HARDWARE] = true;
    sample->request.assumed[FIELD_ID_ENGINE] = sample->request.assumed[FIELD_ID_WEIGHTS] = true;
    sample->request.assumed[FIELD_ID_OUTPUT_TOKENS] = true;
}

static inline void sample_decode_classes(struct sample *sample)
{
    struct step *step = &sample->plan.decode;

    step->classes[CLASS_DENSE_GEMM] = (struct class_cost){.present = true,
                                                          .bound = BOUND_HBM,
                                                          .bytes = 13980000000.0,
                                                          .flops = 55834574848.0,
                                                          .weight_bytes = 13958643712.0,
                                                          .launches = 128,
                                                          .floor_us = 4173,
                                                          .time_us = 5000,
                                                          .fixed_us = 300,
                                                          .memory_us = 4700,
                                                          .compute_us = 70,
                                                          .share = 0.82,
                                                          .basis = BASIS_CALIBRATED,
                                                          .match = FIT_EXACT,
                                                          .fit = &sample->fit};
    step->classes[CLASS_DECODE_ATTENTION] = (struct class_cost){.present = true,
                                                                .bound = BOUND_HBM,
                                                                .bytes = 1140850688.0,
                                                                .flops = 4563402752.0,
                                                                .launches = 32,
                                                                .floor_us = 340.5,
                                                                .time_us = 1000,
                                                                .fixed_us = 284.9,
                                                                .memory_us = 715,
                                                                .compute_us = 5,
                                                                .share = 0.1639,
                                                                .basis = BASIS_ASSUMED};
    step->classes[CLASS_SCHEDULER] = (struct class_cost){.present = true,
                                                         .bound = BOUND_HOST_PIPELINE,
                                                         .time_us = 184,
                                                         .memory_us = 184,
                                                         .share = 0.0161,
                                                         .basis = BASIS_DERIVED,
                                                         .anchor = "step-cost"};
    step->classes[CLASS_KERNEL_LAUNCH] = (struct class_cost){.present = true,
                                                             .bound = BOUND_LAUNCH,
                                                             .launches = 1,
                                                             .share = 0,
                                                             .basis = BASIS_NO_RECORD};
}

static inline void sample_decode(struct sample *sample)
{
    struct step *step = &sample->plan.decode;

    *step =
        (struct step){.batch = 4,
                      .context_tokens = 2176,
                      .tokens = 4,
                      .weight_read_bytes = 15009316864.0,
                      .tokens_per_step = 1,
                      .bytes = 16e9,
                      .flops = 64e9,
                      .floor_us = 4900,
                      .expected_us = 6100,
                      .time_us = 6100,
                      .device_us = 6000,
                      .host_us = 400,
                      .exposed_host_us = 100,
                      .arithmetic_intensity = 4,
                      .ridge = 295.4,
                      .basis = BASIS_CALIBRATED,
                      .dominant = {PHASE_DECODE, CLASS_DENSE_GEMM, PASS_DEVICE, BOUND_HBM, 0.82},
                      .chunks = 1};
    step->parts_us[PART_WEIGHT] = 5100;
    sample_decode_classes(sample);
}

static inline void sample_prefill(struct sample *sample)
{
    struct step *step = &sample->plan.prefill;

    *step = (struct step){
        .batch = 1,
        .context_tokens = 1280,
        .tokens = 1536,
        .weight_read_bytes = 15009316864.0,
        .bytes = 30e9,
        .flops = 22e12,
        .floor_us = 22600,
        .expected_us = (double)NAN,
        .time_us = 33000,
        .device_us = 33000,
        .arithmetic_intensity = 733,
        .ridge = 295.4,
        .basis = BASIS_NO_RECORD,
        .chunks = 1,
        .linear_flops = 21.44e12,
        .attention_flops = 0.56e12,
        .kv_write_bytes = 201326592,
        .crossover_tokens = 53248,
        .attention_ridge_tokens = 738,
        .attention_ridge_kv_only_tokens = 148,
        .dominant = {PHASE_PREFILL, CLASS_DENSE_GEMM, PASS_DEVICE, BOUND_COMPUTE, 0.97}};
    step->parts_us[PART_COMPUTE] = 31000;
    step->classes[CLASS_DENSE_GEMM] = (struct class_cost){.present = true,
                                                          .bound = BOUND_COMPUTE,
                                                          .bytes = 28e9,
                                                          .flops = 21.44e12,
                                                          .weight_bytes = 13958643712.0,
                                                          .launches = 128,
                                                          .floor_us = 21700,
                                                          .time_us = 32000,
                                                          .share = 0.97,
                                                          .basis = BASIS_ASSUMED};
    step->classes[CLASS_PREFILL_ATTENTION] = (struct class_cost){.present = true,
                                                                 .bound = BOUND_COMPUTE,
                                                                 .bytes = 268435456,
                                                                 .flops = 0.56e12,
                                                                 .launches = 32,
                                                                 .floor_us = 566,
                                                                 .time_us = 990,
                                                                 .share = 0.03,
                                                                 .basis = BASIS_ASSUMED};
}

/* Index of a cure by its id. */
static inline int sample_cure(const char *id)
{
    int index = 0;

    while (cure_info(index) && strcmp(cure_info(index)->id, id) != 0)
        index++;
    return index;
}

static inline void sample_memory_plan(struct sample *sample)
{
    struct plan *plan = &sample->plan;

    plan->memory = (struct memory_plan){.fits = true,
                                        .verdict = MEMORY_FITS,
                                        .total_bytes = 85e9,
                                        .usable_bytes = 78.2e9,
                                        .weights_bytes = 16060522496.0,
                                        .kv_bytes = 59.9e9,
                                        .kv_bytes_low = 59.5e9,
                                        .kv_bytes_high = 60.2e9,
                                        .activation_bytes = 2e9,
                                        .overhead_bytes = 0.3e9,
                                        .kv_bytes_per_token = 131072,
                                        .kv_bytes_per_token_beyond_window = 131072,
                                        .kv_token_capacity = 456848,
                                        .max_concurrency = 198.285,
                                        .max_concurrency_at_max_model_len = 3.485,
                                        .longest_context = 131072,
                                        .held_sequences = 198,
                                        .basis = BASIS_ASSUMED};
    plan->memory.terms[TERM_WEIGHTS] =
        (struct memory_term){16060522496.0, 16.01e9, 16.11e9, BASIS_DERIVED, true, NULL, NULL};
    plan->memory.terms[TERM_ACTIVATION] =
        (struct memory_term){2e9, 1.7e9, 2.4e9, BASIS_CALIBRATED, true, &sample->memory_rule, NULL};
    plan->memory.terms[TERM_GRAPHS] =
        (struct memory_term){0.3e9, 0.1e9, 0.6e9, BASIS_CALIBRATED, false, NULL, NULL};
    sample->memory_rule.id = "vllm-sampler-0.23";
    plan->memory.layout =
        (struct kv_layout){.unit = "block", .unit_bytes = 2097152, .units = 28553, .n_groups = 1};
    plan->memory.layout.groups[0] = (struct kv_group){.kind = KV_FULL,
                                                      .layers = 32,
                                                      .shares = 1,
                                                      .bytes_per_token = 4096,
                                                      .block_tokens = 16,
                                                      .page_bytes = 65536};
}

static inline void sample_outcomes(struct sample *sample)
{
    struct plan *plan = &sample->plan;

    sample_memory_plan(sample);
    plan->moves[0] = (struct move){.axis = "concurrency",
                                   .from = 4,
                                   .at = 61,
                                   .upward = true,
                                   .to_regime = REGIME_KV_BANDWIDTH,
                                   .to_class = CLASS_DECODE_ATTENTION};
    plan->moves[1] =
        (struct move){.axis = "context", .from = 2048, .at = (double)NAN, .upward = false};
    plan->moves[2] = (struct move){.axis = "sampler",
                                   .from = (double)NAN,
                                   .at = (double)NAN,
                                   .from_text = "device",
                                   .to_text = "host",
                                   .to_regime = REGIME_HOST_BOUND_BATCH,
                                   .to_class = CLASS_HOST_SAMPLING};
    plan->n_moves = 3;
    plan->results[0] = (struct cure_result){.cure = sample_cure("fp8_weights"),
                                            .rank = 1,
                                            .is_cure = true,
                                            .tpot = -0.43,
                                            .ttft = -0.3,
                                            .output_tok_s = 0.71,
                                            .memory = -0.41,
                                            .best = 0.71,
                                            .regime_after = REGIME_WEIGHT_BANDWIDTH,
                                            .basis = BASIS_DERIVED,
                                            .n_changes = 1,
                                            .changes = {{"/deployment/weights", "fp8", 0, false}}};
    plan->results[1] =
        (struct cure_result){.cure = sample_cure("cuda_graphs"),
                             .tpot = 0.004,
                             .ttft = (double)NAN,
                             .output_tok_s = 0,
                             .memory = 0,
                             .regime_after = REGIME_WEIGHT_BANDWIDTH,
                             .basis = BASIS_DERIVED,
                             .n_changes = 2,
                             .changes = {{"/deployment/cuda_graphs", NULL, 0, true},
                                         {"/deployment/max_num_seqs", NULL, 512, false}}};
    plan->n_results = 2;
    plan->warnings[0] = (struct warning){.id = WARN_TOO_LONG, .value = {2304, 2048}};
    plan->warnings[1] = (struct warning){.id = WARN_NO_FIT, .name = "prefill_attention"};
    plan->n_warnings = 2;
}

/* Fills the whole sample; its pointers lead into itself. */
static inline void sample_fill(struct sample *sample)
{
    memset(sample, 0, sizeof(*sample));
    sample_records(sample);
    sample_request(sample);
    sample_decode(sample);
    sample_prefill(sample);
    sample_outcomes(sample);
    struct plan *plan = &sample->plan;
    plan->problem = sample->request.problem;
    plan->regime = REGIME_WEIGHT_BANDWIDTH;
    plan->dominant = plan->decode.dominant;
    plan->decode_cycle_us = 256 * 6100.0;
    plan->prefill_cycle_us = 4 * 33000.0;
    plan->decode_factors[0] = plan->decode_factors[1] = (double)NAN;
    plan->prefill_factors[0] = plan->prefill_factors[1] = (double)NAN;
    plan->ttft_ms = sample_estimate(22.6, (double)NAN, BASIS_NO_RECORD);
    plan->tpot_ms = sample_estimate(4.9, 6.6, BASIS_DERIVED);
    plan->e2e_ms = sample_estimate(1277, 1716, BASIS_DERIVED);
    plan->output_tok_s = sample_estimate(802, 597, BASIS_DERIVED);
    plan->per_user_tok_s = sample_estimate(204, 151.5, BASIS_DERIVED);
    plan->requests_s = sample_estimate(3.13, 2.33, BASIS_DERIVED);
    plan->max_request_rate = sample_estimate(30, 20.25, BASIS_DERIVED);
}

#endif
