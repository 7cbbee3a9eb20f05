/*
 * command_trtllm.c - the flags of trtllm-serve and trtllm-bench, and the keys of their YAML file.
 *
 * The rows follow tensorrt_llm/commands/serve.py, tensorrt_llm/bench and tensorrt_llm/llmapi of
 * https://github.com/NVIDIA/TensorRT-LLM. Rows without dashes are keys of --extra_llm_api_options.
 */
#include "command_parts.h"

#include <string.h>

static void read_attention_dp(struct reading *reading, const struct flag *flag, const char *value)
{
    bool on;

    (void)flag;
    if (!command_truth(value, &on))
        return;
    reading->slots[SLOT_DP_ATTENTION] = on;
    reading->slot_flags[SLOT_DP_ATTENTION] = reading->spelled;
}

static void read_state_dtype(struct reading *reading, const struct flag *flag, const char *value)
{
    if (strcmp(value, "auto") != 0)
        read_leaf(reading, flag, value);
}

/* `cuda_graph_config: null` turns graphs off. */
static void read_graphs(struct reading *reading, const struct flag *flag, const char *value)
{
    if (strcmp(value, "null") == 0 || strcmp(value, "~") == 0)
        leaf_bool(reading, reading->spelled, flag->pointer, false);
}

static const struct flag FLAGS[] = {
    FLAG_NOTHING("--backend", ARITY_ONE),
    FLAG_NOTHING("--beam_width", ARITY_ONE),
    FLAG_NOTHING("--chat_template", ARITY_ONE),
    FLAG_UNKNOWN_EFFECT("--cluster_size", ARITY_ONE),
    FLAG_LEAF("--concurrency", ARITY_ONE, read_leaf, "/workload/concurrency"),
    FLAG_LEAF("--config", ARITY_ONE, read_config_file, NULL),
    FLAG_UNKNOWN_EFFECT("--context_parallel_size", ARITY_ONE),
    FLAG_UNKNOWN_EFFECT("--cp_size", ARITY_ONE),
    FLAG_NOTHING("--custom_module_dirs", ARITY_ONE),
    FLAG_NOTHING("--custom_tokenizer", ARITY_ONE),
    FLAG_NOTHING("--dataset", ARITY_ONE),
    FLAG_NOTHING("--disagg_cluster_uri", ARITY_ONE),
    FLAG_LEAF("--enable_attention_dp", ARITY_SWITCH, read_attention_dp, "/deployment/dp"),
    FLAG_NOTHING("--enable_build_cache", ARITY_NONE),
    FLAG_NOTHING("--enable_chunked_prefill", ARITY_NONE),
    FLAG_NOTHING("--engine_dir", ARITY_ONE),
    FLAG_NOTHING("--eos_id", ARITY_ONE),
    FLAG_KEPT("--ep", ARITY_ONE, read_kept, SLOT_EP, "/deployment/ep"),
    FLAG_KEPT("--ep_size", ARITY_ONE, read_kept, SLOT_EP, "/deployment/ep"),
    FLAG_LEAF("--extra_llm_api_options", ARITY_ONE, read_config_file, NULL),
    FLAG_NOTHING("--fail_fast_on_attention_window_too_large", ARITY_NONE),
    FLAG_LEAF("--free_gpu_memory_fraction", ARITY_ONE, read_leaf, "/deployment/memory_utilization"),
    FLAG_NOTHING("--gpus_per_node", ARITY_ONE),
    FLAG_NOTHING("--grpc", ARITY_NONE),
    FLAG_NOTHING("--hf_revision", ARITY_ONE),
    FLAG_NOTHING("--host", ARITY_ONE),
    FLAG_LEAF("--input_mean", ARITY_ONE, read_leaf, "/workload/input_tokens"),
    FLAG_NOTHING("--iteration_log", ARITY_ONE),
    FLAG_LEAF("--kv_cache_dtype", ARITY_ONE, read_kv_name, "/deployment/kv_cache"),
    FLAG_LEAF("--kv_cache_free_gpu_mem_fraction", ARITY_ONE, read_leaf,
              "/deployment/memory_utilization"),
    FLAG_LEAF("--kv_cache_free_gpu_memory_fraction", ARITY_ONE, read_leaf,
              "/deployment/memory_utilization"),
    FLAG_NOTHING("--log_level", ARITY_ONE),
    FLAG_LEAF("--max_batch_size", ARITY_ONE, read_leaf, "/deployment/max_num_seqs"),
    FLAG_NOTHING("--max_beam_width", ARITY_ONE),
    FLAG_NOTHING("--max_input_len", ARITY_ONE),
    FLAG_LEAF("--max_num_tokens", ARITY_ONE, read_leaf, "/deployment/chunked_prefill_tokens"),
    FLAG_LEAF("--max_seq_len", ARITY_ONE, read_leaf, "/deployment/max_model_len"),
    FLAG_NOTHING("--media_io_kwargs", ARITY_ONE),
    FLAG_NOTHING("--metadata_server_config_file", ARITY_ONE),
    FLAG_NOTHING("--modality", ARITY_ONE),
    FLAG_KEPT("--model", ARITY_ONE, read_kept_text, TEXT_MODEL, NULL),
    FLAG_KEPT("--model_path", ARITY_ONE, read_kept_text, TEXT_MODEL, NULL),
    FLAG_UNKNOWN_EFFECT("--moe_cluster_parallel_size", ARITY_ONE),
    FLAG_KEPT("--moe_expert_parallel_size", ARITY_ONE, read_kept, SLOT_EP, "/deployment/ep"),
    FLAG_NOTHING("--no_weights_loading", ARITY_NONE),
    FLAG_NOTHING("--num_postprocess_workers", ARITY_ONE),
    FLAG_NOTHING("--num_requests", ARITY_ONE),
    FLAG_NOTHING("--otlp_traces_endpoint", ARITY_ONE),
    FLAG_NOTHING("--output_json", ARITY_ONE),
    FLAG_LEAF("--output_mean", ARITY_ONE, read_leaf, "/workload/output_tokens"),
    FLAG_LEAF("--pipeline_parallel_size", ARITY_ONE, read_leaf, "/deployment/pp"),
    FLAG_NOTHING("--port", ARITY_ONE),
    FLAG_LEAF("--pp", ARITY_ONE, read_leaf, "/deployment/pp"),
    FLAG_LEAF("--pp_size", ARITY_ONE, read_leaf, "/deployment/pp"),
    FLAG_KEPT("--quantization", ARITY_ONE, read_kept_text, TEXT_QUANTIZATION,
              "/deployment/weights"),
    FLAG_NOTHING("--reasoning_parser", ARITY_ONE),
    FLAG_NOTHING("--report_json", ARITY_ONE),
    FLAG_NOTHING("--request_json", ARITY_ONE),
    FLAG_NOTHING("--revision", ARITY_ONE),
    FLAG_NOTHING("--sampler_options", ARITY_ONE),
    FLAG_NOTHING("--scheduler_policy", ARITY_ONE),
    FLAG_KEPT("--served_model_name", ARITY_ONE, read_name_hint, TEXT_NAMES, NULL),
    FLAG_NOTHING("--server_role", ARITY_ONE),
    FLAG_NOTHING("--streaming", ARITY_NONE),
    FLAG_NOTHING("--target_input_len", ARITY_ONE),
    FLAG_NOTHING("--target_output_len", ARITY_ONE),
    FLAG_KEPT("--tensor_parallel_size", ARITY_ONE, read_kept, SLOT_TP, "/deployment/tp"),
    FLAG_KEPT("--tokenizer", ARITY_ONE, read_name_hint, TEXT_NAMES, NULL),
    FLAG_NOTHING("--tokenizer_parallelism", ARITY_ONE),
    FLAG_NOTHING("--tool_parser", ARITY_ONE),
    FLAG_KEPT("--tp", ARITY_ONE, read_kept, SLOT_TP, "/deployment/tp"),
    FLAG_KEPT("--tp_size", ARITY_ONE, read_kept, SLOT_TP, "/deployment/tp"),
    FLAG_NOTHING("--trust_remote_code", ARITY_NONE),
    FLAG_UNKNOWN_EFFECT("--video_pruning_rate", ARITY_ONE),
    FLAG_NOTHING("--warmup", ARITY_ONE),
    FLAG_NOTHING("--workspace", ARITY_ONE),
    FLAG_UNKNOWN_EFFECT("attention_dp_config.batching_wait_iters", ARITY_ONE),
    FLAG_UNKNOWN_EFFECT("attention_dp_config.enable_balance", ARITY_ONE),
    FLAG_UNKNOWN_EFFECT("attention_dp_config.timeout_iters", ARITY_ONE),
    FLAG_UNKNOWN_EFFECT("attn_backend", ARITY_ONE),
    FLAG_NOTHING("backend", ARITY_ONE),
    FLAG_LEAF("batch_wait_max_tokens_ratio", ARITY_ONE, read_leaf, "/deployment/batch_wait_share"),
    FLAG_LEAF("batch_wait_timeout_iters", ARITY_ONE, read_leaf, "/deployment/batch_wait_steps"),
    FLAG_UNKNOWN_EFFECT("context_parallel_size", ARITY_ONE),
    FLAG_LEAF("cuda_graph_config", ARITY_ONE, read_graphs, "/deployment/cuda_graphs"),
    FLAG_LEAF("cuda_graph_config.batch_sizes", ARITY_ONE, read_largest,
              "/deployment/graph_max_batch"),
    FLAG_NOTHING("cuda_graph_config.enable_padding", ARITY_ONE),
    FLAG_LEAF("cuda_graph_config.max_batch_size", ARITY_ONE, read_leaf,
              "/deployment/graph_max_batch"),
    FLAG_LEAF("disable_overlap_scheduler", ARITY_ONE, read_off, "/deployment/async_scheduling"),
    FLAG_KEPT("dtype", ARITY_ONE, read_kept_text, TEXT_DTYPE, NULL),
    FLAG_LEAF("enable_attention_dp", ARITY_ONE, read_attention_dp, "/deployment/dp"),
    FLAG_NOTHING("enable_chunked_prefill", ARITY_ONE),
    FLAG_NOTHING("enable_iter_perf_stats", ARITY_ONE),
    FLAG_NOTHING("enable_iter_req_stats", ARITY_ONE),
    FLAG_UNKNOWN_EFFECT("enable_min_latency", ARITY_ONE),
    FLAG_LEAF("kv_cache_config.dtype", ARITY_ONE, read_kv_name, "/deployment/kv_cache"),
    FLAG_LEAF("kv_cache_config.enable_block_reuse", ARITY_ONE, read_on,
              "/deployment/prefix_caching"),
    FLAG_LEAF("kv_cache_config.free_gpu_memory_fraction", ARITY_ONE, read_leaf,
              "/deployment/memory_utilization"),
    FLAG_LEAF("kv_cache_config.host_cache_size", ARITY_ONE, read_host_tier, NULL),
    FLAG_LEAF("kv_cache_config.mamba_ssm_cache_dtype", ARITY_ONE, read_state_dtype,
              "/deployment/state_dtype"),
    FLAG_LEAF("kv_cache_config.max_gpu_total_bytes", ARITY_ONE, read_leaf,
              "/deployment/kv_cache_memory_bytes"),
    FLAG_LEAF("kv_cache_config.max_tokens", ARITY_ONE, read_leaf, "/deployment/kv_cache_tokens"),
    FLAG_LEAF("kv_cache_config.tokens_per_block", ARITY_ONE, read_leaf, "/deployment/block_size"),
    FLAG_LEAF("max_batch_size", ARITY_ONE, read_leaf, "/deployment/max_num_seqs"),
    FLAG_LEAF("max_num_tokens", ARITY_ONE, read_leaf, "/deployment/chunked_prefill_tokens"),
    FLAG_LEAF("max_seq_len", ARITY_ONE, read_leaf, "/deployment/max_model_len"),
    FLAG_UNKNOWN_EFFECT("moe_config.backend", ARITY_ONE),
    FLAG_UNKNOWN_EFFECT("moe_config.max_num_tokens", ARITY_ONE),
    FLAG_KEPT("moe_expert_parallel_size", ARITY_ONE, read_kept, SLOT_EP, "/deployment/ep"),
    FLAG_UNKNOWN_EFFECT("moe_tensor_parallel_size", ARITY_ONE),
    FLAG_NOTHING("num_postprocess_workers", ARITY_ONE),
    FLAG_LEAF("pipeline_parallel_size", ARITY_ONE, read_leaf, "/deployment/pp"),
    FLAG_NOTHING("print_iter_log", ARITY_ONE),
    FLAG_NOTHING("return_perf_metrics", ARITY_ONE),
    FLAG_KEPT("speculative_config.decoding_type", ARITY_ONE, read_kept_text, TEXT_SPEC_METHOD,
              "/deployment/speculative/method"),
    FLAG_KEPT("speculative_config.max_draft_len", ARITY_ONE, read_kept, SLOT_SPEC_TOKENS,
              "/deployment/speculative/tokens"),
    FLAG_KEPT("speculative_config.num_nextn_predict_layers", ARITY_ONE, read_kept, SLOT_SPEC_TOKENS,
              "/deployment/speculative/tokens"),
    FLAG_KEPT("speculative_config.speculative_model", ARITY_ONE, read_draft_model, TEXT_SPEC_MODEL,
              NULL),
    FLAG_KEPT("speculative_config.speculative_model_dir", ARITY_ONE, read_draft_model,
              TEXT_SPEC_MODEL, NULL),
    FLAG_LEAF("stream_interval", ARITY_ONE, read_leaf, "/deployment/stream_interval"),
    FLAG_KEPT("tensor_parallel_size", ARITY_ONE, read_kept, SLOT_TP, "/deployment/tp"),
    FLAG_NOTHING("trust_remote_code", ARITY_ONE),
    FLAG_UNKNOWN_EFFECT("use_low_precision_moe_combine", ARITY_ONE),
};

static const struct flag_name KV_NAMES[] = {
    {"auto", NULL, false},       {"fp8", "fp8", false},      {"nvfp4", "nvfp4", false},
    {"bfloat16", "bf16", false}, {"float16", "fp16", false}, {NULL, NULL, false},
};

static const struct flag_name WEIGHT_NAMES[] = {
    {"fp8", "fp8", false},        {"nvfp4", "nvfp4", false},
    {"w8a16", "int8_wo", false},  {"w4a16", "int4", false},
    {"w4a16_awq", "awq", true},   {"w4a8_awq", "awq", true},
    {"w4a16_gptq", "gptq", true}, {"fp8_block_scales", "fp8_block", true},
    {"int8", "int8", false},      {NULL, NULL, false},
};

/* trtllm-serve MODEL; the benchmark's own verbs are no model. */
static void take_positional(struct reading *reading, int n, const char *word)
{
    static const char *const VERBS[] = {"throughput", "latency", "build"};

    (void)n;
    for (size_t i = 0; i < ARRAY_LEN(VERBS); i++) {
        if (strcmp(word, VERBS[i]) == 0)
            return;
    }
    if (reading->texts[TEXT_MODEL]) {
        reading_fault(reading, field_quote(reading->intake->arena, word), NULL,
                      "a second model, or a value without its flag");
        return;
    }
    reading->texts[TEXT_MODEL] = word;
    reading->text_flags[TEXT_MODEL] = "model";
}

/* --tp_size counts all ranks of a stage; under attention DP each is a rank of its own. */
static void finish(struct reading *reading)
{
    double tp = slot_or(reading, SLOT_TP, 1);
    bool attention = slot_or(reading, SLOT_DP_ATTENTION, 0) != 0 && tp > 1;

    if (attention)
        leaf_number(reading, reading->slot_flags[SLOT_DP_ATTENTION], "/deployment/dp", tp);
    else
        slot_to_leaf(reading, SLOT_TP, "/deployment/tp");
    slot_to_leaf(reading, SLOT_EP, "/deployment/ep");
    command_settle_weights(reading);
    command_settle_drafts(reading);
}

const struct command_engine COMMAND_TRTLLM = {
    .id = "tensorrt-llm",
    .label = "TensorRT-LLM",
    .flags = FLAGS,
    .n_flags = (int)ARRAY_LEN(FLAGS),
    .folds_dashes = true,
    .joins_values = true,
    .positional = take_positional,
    .finish = finish,
    .kv_names = KV_NAMES,
    .weight_names = WEIGHT_NAMES,
};
