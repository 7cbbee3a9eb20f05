/*
 * deployment.h - what is asked: a resolved deployment, its workload and its objectives.
 *
 * Purpose: the planner's only input besides the library. Intake fills it (defaults included); a
 * cure is a change to a copy of it. Units:   in the names; absent optional numbers are NAN, absent
 * counts 0 as said at the field. Ownership: plain data; pointers are borrowed from the library or
 * the request's arena.
 */
#ifndef REGIME_DEPLOYMENT_H
#define REGIME_DEPLOYMENT_H

#include <stdbool.h>

#include "library.h"

enum sampler_place { SAMPLER_DEVICE, SAMPLER_HOST };

/* Type of what is not quantised, as --dtype states it. */
enum stated_dtype { STATED_AUTO, STATED_BF16, STATED_FP16, STATED_FP32 };

enum detokenizer_priming { PRIMING_BOUNDED, PRIMING_FULL };

enum control_plane { CONTROL_PYTHON, CONTROL_NATIVE };

enum reasoning_predicate { PREDICATE_NONE, PREDICATE_BOUNDED, PREDICATE_FULL_SCAN };

enum ep_backend { EP_BACKEND_AUTO, EP_BACKEND_ALL_TO_ALL, EP_BACKEND_ALL_GATHER };

enum kv_tier_kind { KV_TIER_NONE, KV_TIER_HOST, KV_TIER_DISK, KV_TIER_REMOTE };

/* Type of the recurrent state; STATE_OF_MODEL where nobody said. */
enum state_dtype { STATE_OF_MODEL, STATE_BF16, STATE_F16, STATE_F32 };

/* Which recurrent states a prefix cache keeps; STATE_CACHE_DEFAULT: as the engine's version does.
 */
enum state_cache_mode { STATE_CACHE_DEFAULT, STATE_CACHE_NONE, STATE_CACHE_ALIGN, STATE_CACHE_ALL };

#define SPECULATIVE_METHOD_LIST(X)                                                                 \
    X(SPEC_NONE, "none")                                                                           \
    X(SPEC_DRAFT_MODEL, "draft_model")                                                             \
    X(SPEC_EAGLE, "eagle")                                                                         \
    X(SPEC_EAGLE3, "eagle3")                                                                       \
    X(SPEC_MTP, "mtp")                                                                             \
    X(SPEC_NGRAM, "ngram")                                                                         \
    X(SPEC_MEDUSA, "medusa")

#define X(ID, NAME) ID,

enum speculative_method { SPECULATIVE_METHOD_LIST(X) };

#undef X

/* What decides the figures of a log, as it was when they were measured; a NULL format: nobody noted
 * it. */
struct measured_of {
    const struct weight_format *weights, *expert_weights;
    const struct kv_format *kv_cache;
    enum speculative_method spec_method;
    double tp, pp, dp, ep, offloaded, gpu_layers, cpu_moe_layers;
    double step_tokens, micro_batch_tokens, max_num_seqs, graph_max_batch;
    double memory_utilization, kv_cache_memory_bytes, max_model_len;
    bool text_only, cuda_graphs, kv_unified, swa_full;
};

/* What the engine's own log says of this deployment; NAN = not said. */
struct measured_memory {
    double total_bytes, weights_bytes, activation_bytes, non_torch_bytes, graph_bytes, kv_bytes;
    double kv_tokens;
    bool out_of_memory; /* the engine said so and did not start */
    struct measured_of of;
};

/* Whether the API and the records have a method of that name. */
bool speculative_method_known(const char *name);

/* Bits of deployment.logit_processors. Each costs extra passes over [B, V] on the device, and some
 * host work; the table of names is LOGIT_PROCESSORS in intake. */
enum logit_processor {
    PROCESSOR_PENALTIES = 1 << 0,
    PROCESSOR_MIN_P = 1 << 1,
    PROCESSOR_TOP_P = 1 << 2,
    PROCESSOR_TOP_K = 1 << 3,
    PROCESSOR_LOGIT_BIAS = 1 << 4,
    PROCESSOR_MIN_TOKENS = 1 << 5,
    PROCESSOR_BAD_WORDS = 1 << 6
};

struct deployment {
    const struct engine *engine;
    int version[3];
    const struct weight_format *weights;
    enum stated_dtype dtype;
    const struct weight_format *expert_weights; /* routed experts in a format of their own; NULL */
    const struct kv_format *kv_cache;
    double tp, pp, dp, ep, replicas;
    enum sampler_place sampler;
    bool cuda_graphs, async_scheduling, prefix_caching;
    double chunked_prefill_tokens; /* 0 = the whole prompt in one step */
    double max_num_seqs, max_model_len, memory_utilization, block_size, stream_interval;
    double receive_interval; /* decode steps between two looks at the request socket (SGLang) */
    /* A prompt waits for others to prefill with (TensorRT-LLM): at most that many steps, or until
     * the prompts fill that share of a step's tokens; 0 = none. */
    double batch_wait_steps, batch_wait_share;
    unsigned logit_processors;
    bool structured_output, batch_invariant;
    enum detokenizer_priming priming;
    enum control_plane control_plane;
    enum reasoning_predicate predicate;
    double logprobs; /* top logprobs asked per token; 0 = none */
    enum ep_backend ep_backend;
    bool ep_cpu_sync;
    enum kv_tier_kind kv_tier;
    double kv_tier_bytes_us; /* 0 = the part's host link */
    bool shared_prefix_kernel;
    double reserve_output_share;
    double host_cpu_factor; /* this host over the anchors' host: 2 = twice as slow */
    bool flash_attention;
    double http_threads_factor; /* a control: 1; host serving threads over the default */
    bool prefill_priority;      /* a waiting prefill runs alone (SGLang) */
    bool disaggregated;         /* prefill on other devices */
    double disagg_prefill_devices, disagg_link_bytes_us;
    double disagg_tp, disagg_dp, disagg_ep; /* layout of a prefill worker */
    enum speculative_method spec_method;
    double spec_tokens, spec_acceptance;
    enum backend backend; /* of a local engine */
    double cpu_threads;   /* under the CPU back end; NAN = not stated */
    /* Memory: NAN, false, 0 and NULL stand for what nobody said, the engine's own behaviour. */
    double kv_cache_memory_bytes, kv_cache_tokens, graph_max_batch, micro_batch_tokens;
    bool kv_unified, swa_full, text_only;
    double swa_full_tokens_ratio, max_state_slots, state_memory_ratio;
    enum state_dtype state_dtype;
    enum state_cache_mode state_cache_mode;
    double dcp, cpu_offload_bytes, gpu_layers, cpu_moe_layers, max_loras, max_lora_rank;
    double other_processes_bytes, checkpoint_bytes;
    /* What the server accepts: longer prompts, and requests beyond, are refused. */
    double max_input_tokens, max_concurrent_requests;
    const char *pp_layers;         /* "20,20,21,19" */
    const char *device_memory_gib; /* "23.6,23.6,15.7", of each device where they differ; NULL */
    struct measured_memory measured;
    /* max_model_len was asked for, or a launch as it is described: an engine that checks it at its
     * start then refuses a pool too small for one such request. Otherwise it is only this side's
     * assumption. */
    bool longest_is_stated;
    /* max_num_seqs was asked for. */
    bool slots_are_stated;
};

struct workload {
    double concurrency;
    double input_tokens, output_tokens, cached_prefix_tokens;
    double request_rate; /* per second; NAN = closed loop */
    double requests;     /* NAN = steady state */
    double length_range_ratio;
    /* On local engines (llama-bench, mlx_lm.benchmark) an engine's own benchmark knows no sampler
     * on the host and no server. */
    enum load_generator load_generator;
};

struct slo {
    double ttft_ms, tpot_ms, output_tok_s; /* NAN = none */
};

struct problem {
    const struct library *lib;
    const struct model *model;
    const struct hardware *hw;
    struct deployment dep;
    struct workload load;
    struct slo slo;
    double max_positions; /* the checkpoint's own limit, where it is not the model's; 0 = it is */
    struct nearness near; /* zeros: nothing is known of measurements */
};

/* The longest context that the checkpoint states; 0 = it states none. */
static inline double problem_positions(const struct problem *problem)
{
    return problem->max_positions > 0.0 ? problem->max_positions : problem->model->max_positions;
}

#endif
