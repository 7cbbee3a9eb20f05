/*
 * scrape_match.c - which rows a metric's name matches.
 */
#include <ctype.h>
#include <string.h>

#include "scrape_families.h"

static const struct scrape_prefix PREFIXES[] = {
    {"vllm:", BY_VLLM, "vllm", "https://docs.vllm.ai/en/latest/design/metrics/"},
    {"ray_vllm:", BY_VLLM, "vllm", "vllm/v1/metrics/ray_wrappers.py"},
    {"ray_vllm_", BY_VLLM, "vllm", "vllm/v1/metrics/ray_wrappers.py"},
    {"vllm_", BY_VLLM, "vllm", "recording rules: the colon is theirs"},
    {"sglang:", BY_SGLANG, "sglang", "sglang/srt/metrics/collector.py"},
    {"sglang_", BY_SGLANG, "sglang", "recording rules: the colon is theirs"},
    {"tgi_", BY_TGI, "tgi",
     "https://huggingface.co/docs/text-generation-inference/reference/metrics"},
    {"llamacpp:", BY_LLAMA, "llama.cpp", "llama.cpp tools/server/server-context.cpp"},
    {"llamacpp_", BY_LLAMA, "llama.cpp", "recording rules: the colon is theirs"},
    {"nv_trt_llm_", BY_TRITON_TRTLLM, "tensorrt-llm",
     "https://github.com/triton-inference-server/tensorrtllm_backend"},
    {"pytrtllm:", BY_TRTLLM, "tensorrt-llm", "https://github.com/NVIDIA/TensorRT-LLM/pull/5560"},
    {"trtllm:", BY_TRTLLM, "tensorrt-llm", "Dynamo's TensorRT-LLM worker"},
    {"trtllm_", BY_TRTLLM, "tensorrt-llm", "tensorrt_llm/metrics/collector.py"},
    {"lmdeploy:", BY_LMDEPLOY, NULL, "lmdeploy/metrics/loggers.py"},
    {"lmdeploy_", BY_LMDEPLOY, NULL, "recording rules: the colon is theirs"},
    {"dynamo_frontend_", BY_DYNAMO, NULL, "dynamo lib/llm/src/http/service/metrics.rs"},
    {"dynamo_component_", BY_DYNAMO, NULL, "dynamo lib/runtime/src/metrics"},
    {"nv_llm_http_service_", BY_DYNAMO, NULL, "dynamo before 0.4"},
    {"nv_", BY_TRITON, NULL,
     "https://docs.nvidia.com/deeplearning/triton-inference-server/user-guide/docs/user_guide/"
     "metrics.html"},
    {"DCGM_FI_", BY_DCGM, NULL, "https://github.com/NVIDIA/dcgm-exporter"},
    {"nvidia_smi_", BY_NVIDIA_SMI, NULL, "https://github.com/utkuozdemir/nvidia_gpu_exporter"},
    {"gpu_", BY_AMD, NULL, "https://github.com/ROCm/device-metrics-exporter"},
    {"node_", BY_NODE, NULL, "https://github.com/prometheus/node_exporter"},
};

/* Families without a prefix of their own: of a process, else of trtllm-serve before 1.2. */
static const struct scrape_prefix OF_PROCESS = {"", BY_PROCESS, NULL,
                                                "https://github.com/prometheus/client_python"};
static const struct scrape_prefix OF_TRTLLM = {"", BY_TRTLLM, "tensorrt-llm",
                                               "tensorrt_llm/metrics/collector.py before 1.2"};

/* Families of no meaning here, names with blanks between. */
static const struct {
    unsigned groups;
    const char *names;
} KNOWN[] = {
    {BY_VLLM | BY_LMDEPLOY | BY_TRTLLM,
     "estimated_write_bytes_per_gpu engine_sleep_state prompt_tokens_by_source "
     "spec_decode_efficiency spec_decode_num_emitted_tokens request_params_n "
     "request_params_best_of request_params_max_tokens "
     "request_max_num_generation_tokens request_prefill_kv_computed_tokens "
     "model_forward_time_milliseconds model_execute_time_milliseconds tokens "
     "kv_block_lifetime_seconds kv_block_idle_before_evict_seconds "
     "kv_block_reuse_gap_seconds prompt_tokens_recomputed nixl_post_time_seconds "
     "nixl_bytes_transferred nixl_num_descriptors time_to_first_token_v0 "
     "healthy_pods_total cpu_usage_perc"},
    {BY_TRTLLM, "request_started num_context_requests num_generation_requests "
                "num_paused_requests num_scheduled_requests prefill_perplexity "
                "generation_perplexity prefill_num_context_requests prefill_batch_occupancy "
                "prefill_batch_tokens kv_cache_free_blocks"},
    {BY_SGLANG,
     "func_latency_seconds utilization new_token_ratio num_retracted_input_tokens "
     "kv_cache_memory_usage_gb swa_evictable_tokens mamba_evictable_tokens realtime_tokens "
     "swa_token_usage mamba_usage num_running_reqs_offline_batch "
     "per_stage_req_latency_seconds kv_transfer_speed_gb_s kv_transfer_alloc_ms "
     "engine_startup_time engine_load_weights_time request_prompt_tokens "
     "cuda_graph_passes cache_config_info num_paused_reqs eviction_duration_seconds "
     "load_back_duration_seconds evicted_tokens load_back_tokens "
     "hicache_host_used_tokens hicache_host_total_tokens "
     "pending_prealloc_token_usage estimated_flops_per_gpu "
     "estimated_read_bytes_per_gpu estimated_write_bytes_per_gpu spec_verify_calls "
     "http_responses http_request_duration_seconds http_requests_active"},
    {BY_TGI, "batch_current_max_tokens batch_next_size batch_filter_duration "
             "batch_decode_duration batch_inference_success batch_inference_failure "
             "batch_inference_count batch_concat batch_concat_duration batch_next_tokens "
             "request_count request_skipped_tokens request_max_new_tokens "
             "prefill_weight_limit_exceeded batch_forward_duration batch_inference_duration"},
    {BY_LLAMA, "n_tokens_max n_past_max"},
    {BY_TRITON_TRTLLM, "request_metrics kv_cache_block_metrics runtime_memory_metrics "
                       "inflight_batcher_metrics general_metrics v1_metrics "
                       "disaggregated_serving_metrics response_metrics input_metrics"},
    {BY_TRITON, "inference_count inference_exec_count inference_compute_input_duration_us "
                "inference_compute_infer_duration_us inference_compute_output_duration_us "
                "energy_consumption cpu_memory_total_bytes cpu_memory_used_bytes "
                "pinned_memory_pool_total_bytes pinned_memory_pool_used_bytes "
                "cache_num_hits_per_model cache_num_misses_per_model model_load_duration_secs "
                "inference_load_duration_us cache_num_entries"},
    {BY_DYNAMO, "requests active_requests model_migration model_migration_limit "
                "component_uptime_seconds uptime_seconds"},
    {BY_DCGM, "DEV_FB_FREE DEV_FB_RESERVED DEV_ENC_UTIL DEV_DEC_UTIL DEV_PCIE_REPLAY_COUNTER "
              "DEV_TOTAL_ENERGY_CONSUMPTION DEV_VGPU_LICENSE_STATUS "
              "DEV_UNCORRECTABLE_REMAPPED_ROWS DEV_CORRECTABLE_REMAPPED_ROWS "
              "DEV_ROW_REMAP_FAILURE PROF_NVLINK_TX_BYTES PROF_NVLINK_RX_BYTES "
              "PROF_SM_OCCUPANCY PROF_PIPE_FP64_ACTIVE PROF_PIPE_FP32_ACTIVE "
              "PROF_PIPE_FP16_ACTIVE DEV_POWER_VIOLATION DEV_THERMAL_VIOLATION "
              "DEV_ECC_SBE_VOL_TOTAL DEV_ECC_DBE_VOL_TOTAL DRIVER_VERSION"},
    {BY_PROCESS, "python_gc_objects_collected python_gc_objects_uncollectable python_info "
                 "process_virtual_memory_bytes process_open_fds process_max_fds "
                 "http_request_size_bytes http_response_size_bytes http_request_duration_seconds "
                 "http_request_duration_highr_seconds"},
};

/* Signs of a version, older ones first. vLLM: vllm/engine/metrics.py (V0) and
 * vllm/v1/metrics/loggers.py; SGLang: sglang/srt/metrics/collector.py by release. */
static const struct {
    enum scrape_group group;
    const char *name;
    const char *version;
} VERSIONS[] = {
    {BY_VLLM, "num_requests_swapped", "before 0.10 (V0)"},
    {BY_VLLM, "cpu_cache_usage_perc", "before 0.10 (V0)"},
    {BY_VLLM, "avg_generation_throughput_toks_per_s", "before 0.10 (V0)"},
    {BY_VLLM, "gpu_prefix_cache_hit_rate", "0.5.5 to 0.9 (V0)"},
    {BY_VLLM, "lora_requests_info", "0.7 or newer"},
    {BY_VLLM, "gpu_prefix_cache_queries", "0.8 to 0.10 (V1)"},
    {BY_VLLM, "kv_cache_usage_perc", "0.9.2 or newer (V1)"},
    {BY_VLLM, "prefix_cache_queries", "0.9.2 or newer (V1)"},
    {BY_VLLM, "inter_token_latency_seconds", "0.11 or newer (V1)"},
    {BY_VLLM, "request_time_per_output_token_seconds", "0.11 or newer (V1)"},
    {BY_VLLM, "num_requests_waiting_by_reason", "of 2026 (V1)"},
    {BY_VLLM, "estimated_flops_per_gpu", "of 2026 (V1)"},
    {BY_SGLANG, "max_running_requests", "0.3"},
    {BY_SGLANG, "num_running_reqs", "0.4 or newer"},
    {BY_SGLANG, "inter_token_latency_seconds", "0.4.5 or newer"},
    {BY_SGLANG, "queue_time_seconds", "0.5 or newer"},
    {BY_SGLANG, "cuda_graph_passes", "0.5.8 or newer"},
    {BY_LLAMA, "kv_cache_usage_ratio", "before June 2025"},
    {BY_LLAMA, "n_busy_slots_per_decode", "September 2024 or newer"},
    {BY_LLAMA, "n_tokens_max", "October 2025 or newer"},
};

static bool begins_with(struct scrape_word word, const char *text)
{
    size_t length = strlen(text);

    return word.length >= length && memcmp(word.text, text, length) == 0;
}

static bool is_process(struct scrape_word name)
{
    return begins_with(name, "process_") || begins_with(name, "python_") ||
           begins_with(name, "http_") || begins_with(name, "container_");
}

/* Whether trtllm-serve has a row of this name; a histogram's ending may follow. */
static bool is_bare(struct scrape_word name)
{
    const struct scrape_family *family;

    for (size_t i = 0; (family = scrape_family_at(i)) != NULL; i++)
        if ((family->groups & BY_TRTLLM) && begins_with(name, family->name))
            return true;
    return false;
}

const struct scrape_prefix *scrape_prefix_of(struct scrape_word name, struct scrape_word *ret_rest)
{
    for (size_t i = 0; i < ARRAY_LEN(PREFIXES); i++) {
        size_t length = strlen(PREFIXES[i].prefix);
        if (begins_with(name, PREFIXES[i].prefix) && name.length > length) {
            *ret_rest = (struct scrape_word){name.text + length, name.length - length};
            return &PREFIXES[i];
        }
    }
    *ret_rest = name;
    if (is_process(name))
        return &OF_PROCESS;
    return is_bare(name) ? &OF_TRTLLM : NULL;
}

static bool is_histogram(enum scrape_kind kind)
{
    return kind == IS_LATENCY || kind == IS_MEAN || kind == IS_SUM || kind == IS_COUNT;
}

/* Whether a family's name is wanted[0..length), with or without "_total". */
static bool is_family(const char *wanted, size_t length, struct scrape_word name)
{
    static const char TOTAL[] = "_total";
    size_t ending = sizeof(TOTAL) - 1;

    return name.length >= length && memcmp(name.text, wanted, length) == 0 &&
           (name.length == length ||
            (name.length == length + ending && memcmp(name.text + length, TOTAL, ending) == 0));
}

const struct scrape_family *scrape_family_next(enum scrape_group group, struct scrape_word name,
                                               bool part, size_t *at)
{
    const struct scrape_family *family;

    while ((family = scrape_family_at(*at)) != NULL) {
        (*at)++;
        if ((family->groups & (unsigned)group) && is_histogram(family->kind) == part &&
            is_family(family->name, strlen(family->name), name))
            return family;
    }
    return NULL;
}

bool scrape_family_known(enum scrape_group group, struct scrape_word name)
{
    for (size_t i = 0; i < ARRAY_LEN(KNOWN); i++) {
        const char *word = (KNOWN[i].groups & (unsigned)group) ? KNOWN[i].names : "";
        while (*word) {
            size_t length = strcspn(word, " ");
            if (is_family(word, length, name))
                return true;
            word += length + (word[length] == ' ');
        }
    }
    return false;
}

/* Whether `word` stands in the value, as a whole word: "decode" is not in "decoder". */
static bool has_word(struct scrape_word value, const char *word, size_t length)
{
    bool ahead = length && word[0] == '^';

    word += ahead;
    length -= ahead;
    for (size_t i = 0; i + length <= value.length && (i == 0 || !ahead); i++) {
        bool begins = i == 0 || !isalnum((unsigned char)value.text[i - 1]);
        size_t end = i + length;
        bool ends = ahead || end == value.length || !isalnum((unsigned char)value.text[end]);
        if (begins && ends && memcmp(value.text + i, word, length) == 0)
            return true;
    }
    return false;
}

bool scrape_family_holds(const struct scrape_family *family, const struct scrape_reader *reader)
{
    if (!family->label)
        return true;
    struct scrape_word value = scrape_label(reader, family->label);
    const char *match = family->match;
    if (!match || !value.text || strcmp(match, "-") == 0)
        return (value.text != NULL) == (!match || strcmp(match, "-") != 0);
    bool without = *match == '!';
    bool found = false;
    for (match += without; *match && !found; match += *match == '|') {
        size_t length = strcspn(match, "|");
        found = has_word(value, match, length);
        match += length;
    }
    return found != without;
}

int scrape_version_rank(enum scrape_group group, struct scrape_word name)
{
    int rank = -1;

    for (size_t i = 0; i < ARRAY_LEN(VERSIONS); i++) {
        if (VERSIONS[i].group == group &&
            is_family(VERSIONS[i].name, strlen(VERSIONS[i].name), name))
            rank = (int)i;
    }
    return rank;
}

const char *scrape_version_text(int rank)
{
    return VERSIONS[rank].version;
}
